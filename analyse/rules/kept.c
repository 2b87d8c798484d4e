/* The file: the program as it was, then a record for each unit (kept_record.c). What of them holds
 * is a matter of kept_compare.c. */
#include "analyse/rules/kept_build.h"
#include "os/file.h"

#include <string.h>

/* The first bytes of the file; behind it the program as it was, then the records. */
typedef struct {
    char magic[8];
    fh_hash128 choices, program;
    fh_hash128 checksum; /* of what follows */
    uint32_t passed, tensors, options, names;
} kept_header;

enum { LARGEST_FILE = 1 << 29 };
static const char magic[8] = "FHKEPT2";

static void add_number(fh_buffer *out, uint64_t number)
{
    fh_kept_add_bytes(out, &number, sizeof number);
}

/* What all units depend on: paths, and names of options. */
static fh_hash128 identity_of(const fh_program *program)
{
    fh_buffer all = {0};
    fh_buffer_add(&all, program->name);
    for (uint32_t i = 0; i < program->units.count; i++) {
        add_number(&all, (uint64_t)program->units.items[i].kind << 32 |
                             program->units.items[i].path.length);
        fh_buffer_add(&all, program->units.items[i].path);
    }
    fh_buffer_add(&all, fh_buffer_text(&program->option_names.bytes));
    for (uint32_t i = 0; i < program->option_defaults.count; i++)
        add_number(&all, fh_symbols_text(&program->option_names, i).length);
    /* Out of memory: a hash of less, which no run that had enough will meet. */
    fh_hash128 hash = fh_hash_content(all.data, all.length);
    fh_buffer_free(&all);
    return hash;
}

/* Reads a table of `count` items off the front of *rest. */
static bool take_table(fh_text *rest, void *vector, uint32_t count, size_t size)
{
    fh_vector_any *any = vector;
    if (rest->length / size < count || (count && !fh_vector_grow(vector, count, size)))
        return false;
    any->count = count;
    return fh_kept_take_bytes(rest, any->items, count * size);
}

static bool take_names(fh_text *rest, fh_symbols *names, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t length;
        fh_text name;
        if (!fh_kept_take_bytes(rest, &length, sizeof length) ||
            !fh_kept_take_text(rest, length, &name) || fh_symbols_add(names, name) != i)
            return false;
    }
    return true;
}

static bool take_program(fh_kept *kept, const kept_header *header, fh_text *rest)
{
    uint32_t units = kept->program->units.count;
    kept_program *before = &kept->before;
    before->contents = fh_alloc_zero(units + 1, sizeof *before->contents);
    return before->contents &&
           fh_kept_take_bytes(rest, before->contents, units * sizeof *before->contents) &&
           take_table(rest, &before->passed, header->passed, sizeof(fh_binding_argument)) &&
           take_table(rest, &before->tensors, header->tensors, sizeof(uint64_t)) &&
           take_table(rest, &before->options, header->options, sizeof(fh_reference)) &&
           take_names(rest, &kept->names, header->names);
}

/* Finds the records; stops at what cannot be one. False when the file is of no use. */
static bool index_file(fh_kept *kept)
{
    kept_header header;
    fh_text rest = fh_buffer_text(&kept->file);
    if (!fh_kept_take_bytes(&rest, &header, sizeof header))
        return false;
    fh_hash128 checksum = fh_hash_content(rest.data, rest.length);
    if (memcmp(header.magic, magic, sizeof magic) != 0 ||
        memcmp(&header.choices, &kept->choices, sizeof kept->choices) != 0 ||
        memcmp(&header.program, &kept->identity, sizeof kept->identity) != 0 ||
        memcmp(&header.checksum, &checksum, sizeof checksum) != 0 ||
        !take_program(kept, &header, &rest))
        return false;
    kept_head head;
    while (rest.length >= sizeof head) {
        memcpy(&head, rest.data, sizeof head);
        if (head.unit >= kept->program->units.count || head.bytes < sizeof head ||
            head.bytes > rest.length)
            break;
        kept->found[head.unit] = fh_text_slice(rest, 0, head.bytes);
        rest = fh_text_slice(rest, head.bytes, rest.length);
    }
    return true;
}

/* A table of names starts again when it holds more than this: some are of no record any more. */
enum { MOST_NAMES = 1 << 20 };

fh_kept *fh_kept_open(const char *path, fh_hash128 choices, const fh_load *load)
{
    fh_kept *kept = fh_alloc_zero(1, sizeof *kept);
    if (!kept)
        return NULL;
    uint32_t units = load->program.units.count;
    fh_buffer_add_format(&kept->path, "%s%c", path, 0);
    kept->load = load;
    kept->program = &load->program;
    kept->choices = choices;
    kept->identity = identity_of(kept->program);
    kept->found = fh_alloc_zero(units + 1, sizeof *kept->found);
    kept->added = fh_alloc_zero(units + 1, sizeof *kept->added);
    kept->current = fh_alloc_zero(units + 1, sizeof *kept->current);
    fh_symbols_init(&kept->names);
    if (!kept->found || !kept->added || !kept->current || kept->path.failed) {
        fh_kept_close(kept);
        return NULL;
    }
    if (fh_file_read(kept->path.data, LARGEST_FILE, &kept->file) == FH_OK && index_file(kept))
        fh_kept_compare(kept);
    bool any = false;
    for (uint32_t i = 0; i < units; i++)
        any |= kept->current[i];
    if (!any || fh_symbols_count(&kept->names) > MOST_NAMES) {
        memset(kept->current, 0, units);
        fh_symbols_free(&kept->names);
        fh_symbols_init(&kept->names);
    }
    return kept;
}

void fh_kept_close(fh_kept *kept)
{
    if (!kept)
        return;
    for (uint32_t i = 0; kept->added && i < kept->program->units.count; i++)
        fh_buffer_free(&kept->added[i]);
    fh_buffer_free(&kept->path);
    fh_buffer_free(&kept->file);
    fh_symbols_free(&kept->names);
    fh_free(kept->before.contents);
    fh_vector_free(&kept->before.passed);
    fh_vector_free(&kept->before.tensors);
    fh_vector_free(&kept->before.options);
    fh_free(kept->found);
    fh_free(kept->added);
    fh_free(kept->current);
    fh_free(kept);
}

void fh_kept_add_bytes(fh_buffer *out, const void *data, size_t size)
{
    fh_buffer_add(out, (fh_text){data, size});
}

static void add_program(const fh_kept *kept, fh_buffer *out)
{
    const fh_program *program = kept->program;
    for (uint32_t i = 0; i < program->units.count; i++)
        fh_kept_add_bytes(out, &kept->load->contents[kept->load->files.items[i]],
                          sizeof(fh_hash128));
    fh_kept_add_bytes(out, program->passed.items,
                      program->passed.count * sizeof *program->passed.items);
    fh_kept_add_bytes(out, program->tensors.items, program->tensors.count * sizeof(uint64_t));
    fh_kept_add_bytes(out, program->option_defaults.items,
                      program->option_defaults.count * sizeof(fh_reference));
    for (uint32_t i = 1; i < fh_symbols_count(&kept->names); i++) {
        fh_text name = fh_symbols_text(&kept->names, i);
        uint32_t length = (uint32_t)name.length;
        fh_kept_add_bytes(out, &length, sizeof length);
        fh_buffer_add(out, name);
    }
}

static fh_text record_of(const fh_kept *kept, uint32_t unit)
{
    if (kept->added[unit].length)
        return fh_buffer_text(&kept->added[unit]);
    return kept->current[unit] ? kept->found[unit] : (fh_text){0};
}

fh_status fh_kept_save(fh_kept *kept)
{
    bool changed = false;
    fh_buffer whole = {0};
    kept_header header = {.choices = kept->choices,
                          .program = kept->identity,
                          .passed = kept->program->passed.count,
                          .tensors = kept->program->tensors.count,
                          .options = kept->program->option_defaults.count,
                          .names = fh_symbols_count(&kept->names)};
    memcpy(header.magic, magic, sizeof magic);
    fh_kept_add_bytes(&whole, &header, sizeof header);
    add_program(kept, &whole);
    size_t size = whole.length;
    for (uint32_t i = 0; i < kept->program->units.count; i++)
        size += record_of(kept, i).length;
    /* No room is left over, and what is copied is freed: this is when most memory is in use. */
    fh_buffer_reserve(&whole, size - whole.length);
    for (uint32_t i = 0; i < kept->program->units.count; i++) {
        changed |= kept->added[i].length > 0;
        fh_buffer_add(&whole, record_of(kept, i));
        fh_buffer_free(&kept->added[i]);
    }
    fh_status status = FH_OK;
    if (whole.failed || kept->names.failed) {
        status = fh_error(FH_NO_MEMORY, "out of memory for what is kept of this run");
    } else if (changed && whole.length <= LARGEST_FILE) {
        header.checksum = fh_hash_content(whole.data + sizeof header, whole.length - sizeof header);
        memcpy(whole.data, &header, sizeof header);
        status = fh_file_write_atomic(kept->path.data, fh_buffer_text(&whole));
    }
    fh_buffer_free(&whole);
    return status;
}
