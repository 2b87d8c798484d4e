#include "analyse/scan/load.h"
#include "analyse/scan/config.h"
#include "analyse/scan/config_build.h"
#include "analyse/scan/cuda.h"
#include "analyse/scan/decode.h"
#include "analyse/scan/ignore.h"
#include "analyse/scan/notebook.h"
#include "analyse/scan/python.h"
#include "analyse/scan/shell.h"
#include "os/interrupt.h"
#include "os/thread.h"

#include <stdatomic.h>
#include <string.h>

/* What one file came to: a unit, or the reason why there is none. */
typedef struct {
    fh_unit unit;
    bool loaded, failed;
    char reason[200];
} loaded_file;

/* What one thread keeps from file to file. */
typedef struct {
    fh_parser *parser;
    fh_buffer bytes, decoded;
} loader;

typedef struct {
    fh_load *load;
    const fh_load_options *options;
    fh_cache *cache;
    loaded_file *files;
    loader *loaders;
    atomic_size_t done;
    atomic_bool moved, interrupted;
} loading;

static void add_cells(fh_unit *unit, const fh_notebook *notebook)
{
    for (uint32_t i = 0; i < notebook->parts.count; i++) {
        const fh_notebook_part *part = &notebook->parts.items[i];
        const fh_notebook_cell *cell = &notebook->cells.items[part->cell];
        fh_symbol id = fh_symbols_add(&unit->symbols, cell->id);
        fh_vector_push(&unit->cells, (fh_cell){part->first_line, cell->number, id});
    }
    for (uint32_t i = 0; i < notebook->notes.count; i++)
        fh_unit_note(unit, FH_NO_OFFSET, "%.*s", FH_TEXT_ARGS(notebook->notes.items[i]));
}

/* Python, and the CUDA that stands in its strings. */
static fh_status read_python(loader *l, fh_text text, fh_unit *unit)
{
    fh_status status = fh_python_read(l->parser, text, unit);
    return status ? status : fh_cuda_read_strings(text, unit);
}

/* NAME=value, or NAME value. */
static void add_variable(fh_unit *unit, fh_text text, uint32_t offset)
{
    size_t length = fh_setting_name_length(text);
    fh_text value = fh_text_trim(fh_text_slice(text, length, text.length));
    if (!length || !value.length)
        return; /* %env alone, %env NAME: only shown */
    if (value.data[0] == '=')
        value = fh_text_trim(fh_text_slice(value, 1, value.length));
    fh_setting_add(unit, FH_SETTING_ENVIRONMENT, fh_text_slice(text, 0, length), value, offset);
}

/* What the lines of a notebook that are not Python set and start. */
static fh_status add_settings(fh_unit *unit, const fh_notebook *notebook)
{
    fh_status status = FH_OK;
    for (uint32_t i = 0; i < notebook->originals.count && !status; i++) {
        const fh_notebook_original *o = &notebook->originals.items[i];
        fh_text text = fh_text_slice(o->lines, o->begin, o->lines.length);
        fh_ignores_add(unit, o->lines, o->offset);
        if (o->meaning == FH_ORIGINAL_SHELL)
            status = fh_shell_settings(text, o->offset + o->begin, false, unit);
        else if (o->meaning == FH_ORIGINAL_VARIABLE)
            add_variable(unit, text, o->offset + o->begin);
    }
    return status;
}

static fh_status read_notebook(loader *l, fh_text text, fh_unit *unit)
{
    fh_notebook notebook = {0};
    fh_status status = fh_notebook_read(text, &notebook);
    if (!status)
        status = read_python(l, fh_buffer_text(&notebook.text), unit);
    if (!status)
        status = add_settings(unit, &notebook);
    if (!status)
        add_cells(unit, &notebook);
    fh_notebook_free(&notebook);
    return status;
}

/* CUDA and C++, scripts, configuration. */
static fh_status read_other(fh_source_kind kind, fh_text text, fh_unit *unit)
{
    fh_status status = fh_config_read(kind, text, unit);
    if (!status)
        fh_ignores_add(unit, text, 0);
    return status;
}

static fh_status parse_unit(loader *l, const fh_walk_file *file, fh_text bytes, fh_unit *unit)
{
    fh_decoded decoded;
    bool python = file->kind == FH_SOURCE_PYTHON;
    fh_status status = fh_decode(bytes, python, &l->decoded, &decoded);
    if (status)
        return status;
    if (python)
        status = read_python(l, decoded.text, unit);
    else if (file->kind == FH_SOURCE_NOTEBOOK)
        status = read_notebook(l, decoded.text, unit);
    else
        status = read_other(file->kind, decoded.text, unit);
    if (!status && decoded.note[0])
        fh_unit_note(unit, FH_NO_OFFSET, "%s", decoded.note);
    unit->bytes = bytes.length;
    return status;
}

static fh_status read_unit(loader *l, loading *all, size_t index, fh_unit *unit)
{
    const fh_walk_file *file = &all->load->walk.files.items[index];
    if (all->cache && fh_cache_read(all->cache, all->load->contents[index], unit))
        return FH_OK;
    fh_text bytes;
    fh_status status = fh_walk_read(&all->load->walk, file, &l->bytes, &bytes);
    if (!status)
        status = parse_unit(l, file, bytes, unit);
    if (!status && fh_unit_failed(unit))
        status = fh_error(FH_NO_MEMORY, "out of memory");
    if (!status) {
        /* The file may have changed since it was hashed: what was parsed counts. */
        fh_hash128 *content = &all->load->contents[index];
        fh_hash128 parsed = fh_hash_content(bytes.data, bytes.length);
        if (all->cache && (parsed.low != content->low || parsed.high != content->high))
            atomic_store(&all->moved, true);
        *content = parsed;
        if (all->cache)
            fh_cache_add(all->cache, parsed, unit);
    }
    return status;
}

static void load_file(void *context, size_t index, unsigned worker)
{
    loading *l = context;
    const fh_walk_file *file = &l->load->walk.files.items[index];
    loaded_file *result = &l->files[index];
    loader *own = &l->loaders[worker];
    fh_unit_init(&result->unit, fh_config_unit_kind(file->kind), file->path);
    fh_status status = own->parser || (own->parser = fh_parser_create())
                           ? FH_OK
                           : fh_error(FH_NO_MEMORY, "out of memory");
    if (!status)
        status = read_unit(own, l, index, &result->unit);
    if (status) {
        fh_unit_free(&result->unit);
        if (status == FH_INTERRUPTED)
            atomic_store(&l->interrupted, true);
        strncpy(result->reason, fh_error_message(), sizeof result->reason - 1);
        result->failed = status != FH_INTERRUPTED;
    } else {
        result->loaded = true;
    }
    size_t done = atomic_fetch_add(&l->done, 1) + 1;
    if (l->options->progress)
        l->options->progress(l->options->progress_context, done, l->load->walk.files.count);
}

/* Moves what was loaded into the program and what was not into `skipped`. */
static void collect(fh_load *load, loaded_file *files)
{
    for (uint32_t i = 0; i < load->walk.files.count; i++) {
        if (files[i].loaded) {
            if (!fh_vector_push(&load->program.units, files[i].unit))
                fh_unit_free(&files[i].unit);
            else
                fh_vector_push(&load->files, i);
        } else if (files[i].failed) {
            fh_text reason = fh_arena_copy(&load->arena, fh_text_from(files[i].reason));
            fh_vector_push(&load->skipped, (fh_walk_note){load->walk.files.items[i].path, reason});
        }
    }
}

static fh_status load_files(fh_load *load, const fh_load_options *options, fh_cache *cache)
{
    unsigned jobs = options->jobs ? options->jobs : fh_processor_count();
    loading l = {.load = load, .options = options, .cache = cache};
    size_t count = load->walk.files.count;
    l.files = fh_alloc_zero(count + 1, sizeof *l.files);
    l.loaders = fh_alloc_zero(jobs, sizeof *l.loaders);
    fh_status status =
        l.files && l.loaders ? FH_OK : fh_error(FH_NO_MEMORY, "out of memory for %zu files", count);
    if (!status) {
        load->partial |= fh_parallel_for(jobs, count, load_file, &l) == FH_INTERRUPTED;
        load->partial |= atomic_load(&l.interrupted);
        load->moved = atomic_load(&l.moved);
        collect(load, l.files);
    }
    for (unsigned i = 0; l.loaders && i < jobs; i++) {
        fh_parser_destroy(l.loaders[i].parser);
        fh_buffer_free(&l.loaders[i].bytes);
        fh_buffer_free(&l.loaders[i].decoded);
    }
    fh_free(l.loaders);
    fh_free(l.files);
    return status;
}

/* Hashing, with one buffer for each thread. */
typedef struct {
    fh_load *load;
    fh_buffer *buffers;
} hashing;

static void hash_file(void *context, size_t index, unsigned worker)
{
    hashing *h = context;
    fh_text bytes;
    if (fh_walk_read(&h->load->walk, &h->load->walk.files.items[index], &h->buffers[worker],
                     &bytes) == FH_OK)
        h->load->contents[index] = fh_hash_content(bytes.data, bytes.length);
}

/* Contents, paths and kinds of all files, and what was skipped: all that a result depends on,
 * but for the options. */
static fh_hash128 digest_of(const fh_load *load, fh_buffer *text)
{
    for (uint32_t i = 0; i < load->walk.files.count; i++) {
        const fh_walk_file *file = &load->walk.files.items[i];
        fh_buffer_add_format(text, "%.*s\t%d\t%016llx%016llx\n", FH_TEXT_ARGS(file->path),
                             file->kind, (unsigned long long)load->contents[i].high,
                             (unsigned long long)load->contents[i].low);
    }
    for (uint32_t i = 0; i < load->walk.skipped.count; i++)
        fh_buffer_add_format(text, "%.*s\t%.*s\n", FH_TEXT_ARGS(load->walk.skipped.items[i].path),
                             FH_TEXT_ARGS(load->walk.skipped.items[i].reason));
    for (uint32_t i = 0; i < load->walk.notes.count; i++)
        fh_buffer_add_format(text, "%.*s\t%.*s\n", FH_TEXT_ARGS(load->walk.notes.items[i].path),
                             FH_TEXT_ARGS(load->walk.notes.items[i].reason));
    return fh_hash_content(text->data, text->length);
}

static fh_status hash_files(fh_load *load, unsigned jobs)
{
    size_t count = load->walk.files.count;
    fh_buffer text = {0};
    hashing h = {load, fh_alloc_zero(jobs, sizeof(fh_buffer))};
    bool good = h.buffers != NULL;
    if (good) {
        load->partial |= fh_parallel_for(jobs, count, hash_file, &h) == FH_INTERRUPTED;
        load->digest = digest_of(load, &text);
        good = !text.failed;
    }
    for (unsigned i = 0; h.buffers && i < jobs; i++)
        fh_buffer_free(&h.buffers[i]);
    fh_free(h.buffers);
    fh_buffer_free(&text);
    return good ? FH_OK : fh_error(FH_NO_MEMORY, "out of memory for %zu files", count);
}

/* The last component of the first target. */
static fh_text name_of_target(const char *target)
{
    fh_text name = fh_text_from(target);
    while (name.length > 1 && name.data[name.length - 1] == '/')
        name.length--;
    size_t slash = fh_text_find_last(name, '/');
    return slash == name.length ? name : fh_text_slice(name, slash + 1, name.length);
}

fh_status fh_load_find(fh_load *load, const char *const *targets, size_t count,
                       const fh_load_options *options)
{
    fh_status status = fh_walk_collect(&load->walk, targets, count, &options->walk);
    load->partial = status == FH_INTERRUPTED;
    if (status && !load->partial)
        return status;
    load->program.name = name_of_target(targets[0]);
    for (uint32_t i = 0; i < load->walk.skipped.count; i++)
        fh_vector_push(&load->skipped, load->walk.skipped.items[i]);
    load->contents = fh_alloc_zero(load->walk.files.count + 1, sizeof *load->contents);
    if (!load->contents)
        return fh_error(FH_NO_MEMORY, "out of memory for %u files", load->walk.files.count);
    if (!options->for_cache)
        return FH_OK;
    return hash_files(load, options->jobs ? options->jobs : fh_processor_count());
}

fh_status fh_load_read(fh_load *load, const fh_load_options *options, fh_cache *cache)
{
    fh_status status = load_files(load, options, cache);
    load->cache = cache;
    if (status)
        return status;
    if (load->skipped.failed || load->files.failed || load->program.units.failed ||
        load->arena.failed)
        return fh_error(FH_NO_MEMORY, "out of memory for %u files", load->walk.files.count);
    return fh_program_link(&load->program);
}

void fh_load_free(fh_load *load)
{
    fh_program_free(&load->program);
    fh_vector_free(&load->files);
    fh_vector_free(&load->skipped);
    fh_arena_free(&load->arena);
    fh_free(load->contents);
    fh_walk_free(&load->walk);
}

fh_status fh_load_text(const fh_load *load, uint32_t unit, fh_buffer storage[2], fh_text *text)
{
    const fh_walk_file *file = &load->walk.files.items[load->files.items[unit]];
    fh_text bytes;
    fh_decoded decoded;
    fh_status status = fh_walk_read(&load->walk, file, &storage[0], &bytes);
    if (!status)
        status = fh_decode(bytes, file->kind == FH_SOURCE_PYTHON, &storage[1], &decoded);
    if (status)
        return status;
    *text = decoded.text;
    if (file->kind != FH_SOURCE_NOTEBOOK)
        return FH_OK;
    fh_notebook notebook = {0};
    status = fh_notebook_read(decoded.text, &notebook);
    if (!status) {
        fh_buffer_clear(&storage[0]);
        fh_notebook_show(&notebook, &storage[0]);
        *text = fh_buffer_text(&storage[0]);
    }
    fh_notebook_free(&notebook);
    return status;
}
