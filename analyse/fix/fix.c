#include "analyse/fix/fix.h"
#include "analyse/fix/fix_build.h"
#include "analyse/scan/bind.h"
#include "analyse/scan/decode.h"
#include "base/hash.h"
#include "os/interrupt.h"

#include <stdlib.h>
#include <string.h>

const char *fh_fix_reason_text(fh_fix_reason reason)
{
    static const char *const texts[] = {
#define X(name, text) text,
        FH_FIX_REASON_MAP(X)
#undef X
    };
    return texts[reason];
}

void fh_fix_leave(fh_fixer *f, fh_fix_reason reason, uint32_t offset, fh_text what)
{
    fh_vector_push(&f->fix->left, (fh_fix_left){f->unit_index, offset, reason,
                                                fh_arena_copy(&f->fix->arena, what)});
}

/* True when a comment on the line says to ignore the rule there. */
static bool is_ignored(const fh_unit *unit, uint32_t rule, uint32_t offset)
{
    if (unit->ignores.count <= 1)
        return false;
    uint32_t line = fh_positions_place(&unit->positions, offset).line;
    for (uint32_t i = 1; i < unit->ignores.count; i++) {
        fh_text list = fh_unit_text(unit, unit->ignores.items[i].rules), part;
        if (unit->ignores.items[i].line != line)
            continue;
        if (!list.length)
            return true;
        while (fh_text_next(&list, ',', &part))
            if (fh_text_is(fh_text_trim(part), fh_rules(&(uint32_t){0})[rule].id))
                return true;
    }
    return false;
}

bool fh_fix_edit(fh_fixer *f, uint32_t rule, uint32_t offset, fh_text expected, fh_text text)
{
    if ((f->options->enabled && !f->options->enabled[rule]) || is_ignored(f->unit, rule, offset))
        return false;
    if (!fh_text_equal(fh_text_slice(f->text, offset, offset + expected.length), expected)) {
        fh_fix_leave(f, FH_FIX_UNEXPECTED, offset, expected);
        return false;
    }
    if (rule != FH_RULE_506 && rule != FH_RULE_606 && rule != FH_RULE_805)
        f->needs_torch_npu = true;
    fh_edit edit = {offset, offset + (uint32_t)expected.length, fh_arena_copy(&f->fix->arena, text),
                    rule};
    return fh_vector_push(&f->edits, edit);
}

fh_status fh_fix_read(const fh_load *load, uint32_t unit, fh_buffer *storage, fh_text *bytes)
{
    uint32_t file = load->files.items[unit];
    fh_status status = fh_walk_read(&load->walk, &load->walk.files.items[file], storage, bytes);
    if (status)
        return status;
    fh_hash128 hash = fh_hash_content(bytes->data, bytes->length);
    if (hash.high != load->contents[file].high || hash.low != load->contents[file].low)
        return fh_error(FH_INVALID, "%.*s changed while it was read; nothing was written to it",
                        FH_TEXT_ARGS(load->walk.files.items[file].path));
    return FH_OK;
}

static int by_unit_and_value(const void *left, const void *right)
{
    const fh_fix_proposal *a = left, *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    return a->rule < b->rule ? -1 : a->rule > b->rule;
}

static int by_place(const void *left, const void *right)
{
    const fh_fix_left *a = left, *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->reason != b->reason)
        return a->reason < b->reason ? -1 : 1;
    return fh_text_compare(a->what, b->what);
}

/* Sorts what is left, and keeps one of each. */
static void sort_left(fh_fix *fix)
{
    uint32_t kept = 0;
    if (fix->left.count > 1)
        qsort(fix->left.items, fix->left.count, sizeof *fix->left.items, by_place);
    for (uint32_t i = 0; i < fix->left.count; i++)
        if (!kept || by_place(&fix->left.items[i], &fix->left.items[kept - 1]) != 0)
            fix->left.items[kept++] = fix->left.items[i];
    fix->left.count = kept;
}

/* Whether the unit says anything that could be changed; most files do not. */
static bool is_of_interest(const fh_fixer *f)
{
    static const char *const words[] = {"cuda", "nccl", "CUDA", "NCCL"};
    fh_text symbols = fh_buffer_text(&f->unit->symbols.bytes);
    bool found = f->own_count > 0;
    for (size_t i = 0; !found && i < sizeof words / sizeof *words; i++)
        found = fh_text_contains(symbols, words[i]);
    return found;
}

static void make_edits(fh_fixer *f)
{
    switch ((fh_unit_kind)f->unit->kind) {
    case FH_UNIT_PYTHON:
    case FH_UNIT_NOTEBOOK:
        fh_fix_names(f);
        fh_fix_strings(f);
        break;
    case FH_UNIT_CONFIG:
    case FH_UNIT_SHELL:
        fh_fix_settings(f);
        break;
    default:
        break;
    }
    fh_edits_sort(&f->edits);
}

static void move_edits(fh_edits *edits, uint32_t by)
{
    for (uint32_t i = 0; i < edits->count; i++) {
        edits->items[i].begin += by;
        edits->items[i].end += by;
    }
}

/* Hands the edits of the unit over, or records why they cannot be made. */
static void keep_edits(fh_fixer *f, fh_text bytes, const fh_decoded *decoded)
{
    const fh_walk_file *file = &f->load->walk.files.items[f->load->files.items[f->unit_index]];
    uint32_t changes = f->edits.count;
    if (!changes)
        return;
    bool is_as_on_disk = decoded->text.data >= bytes.data &&
                         decoded->text.data + decoded->text.length == bytes.data + bytes.length;
    if (!is_as_on_disk || !file->disk) {
        fh_fix_leave(f, file->disk ? FH_FIX_ENCODING : FH_FIX_ARCHIVE, FH_NO_OFFSET, (fh_text){0});
        return;
    }
    fh_fix_add_import(f);
    fh_edits_sort(&f->edits);
    if (f->unit->kind == FH_UNIT_NOTEBOOK)
        fh_fix_notebook(f, decoded->text);
    move_edits(&f->edits, (uint32_t)(decoded->text.data - bytes.data));
    changes = f->edits.count < changes ? f->edits.count : changes;
    if (f->edits.count &&
        fh_vector_push(&f->fix->files, (fh_fix_file){f->unit_index, changes, f->edits}))
        memset(&f->edits, 0, sizeof f->edits);
}

static void fix_unit(fh_fixer *f, fh_buffer storage[4])
{
    fh_text bytes;
    fh_decoded decoded;
    const fh_walk_file *file = &f->load->walk.files.items[f->load->files.items[f->unit_index]];
    if (!is_of_interest(f))
        return;
    if (fh_fix_read(f->load, f->unit_index, &storage[0], &bytes) != FH_OK ||
        fh_decode(bytes, file->kind == FH_SOURCE_PYTHON, &storage[1], &decoded) != FH_OK) {
        fh_fix_leave(f, FH_FIX_CHANGED, FH_NO_OFFSET, (fh_text){0});
        return;
    }
    f->text = decoded.text;
    if (f->unit->kind == FH_UNIT_NOTEBOOK &&
        fh_load_text(f->load, f->unit_index, &storage[2], &f->text) != FH_OK)
        return;
    f->needs_torch_npu = false;
    make_edits(f);
    keep_edits(f, bytes, &decoded);
    f->fix->files.failed |= f->edits.failed;
    fh_vector_free(&f->edits);
}

static void fix_units(fh_fixer *f)
{
    fh_buffer storage[4] = {{0}, {0}, {0}, {0}};
    const fh_fix_proposal *next = f->proposals.items;
    const fh_fix_proposal *end = next + f->proposals.count;
    for (uint32_t i = 0; i < f->program->units.count && !fh_interrupted(); i++) {
        f->unit_index = i;
        f->unit = &f->program->units.items[i];
        f->own = next;
        while (next < end && next->unit == i)
            next++;
        f->own_count = (uint32_t)(next - f->own);
        fix_unit(f, storage);
    }
    for (size_t i = 0; i < 4; i++)
        fh_buffer_free(&storage[i]);
}

fh_status fh_fix_find(fh_load *load, const fh_fix_options *options, fh_fix *fix)
{
    fh_status status = fh_bind_arguments(&load->program, 1);
    fh_fixer f = {.load = load, .program = &load->program, .options = options, .fix = fix};
    if (status)
        return status;
    bool good = (f.resolver = fh_resolver_create(&load->program)) != NULL;
    for (uint32_t i = 0; good && i < load->program.units.count && !fh_interrupted(); i++)
        good = fh_fix_propose(&f, i);
    if (good && f.proposals.count > 1)
        qsort(f.proposals.items, f.proposals.count, sizeof *f.proposals.items, by_unit_and_value);
    if (good)
        fix_units(&f);
    sort_left(fix);
    good = good && !fix->arena.failed && !fix->left.failed && !fix->files.failed;
    fh_vector_free(&f.proposals);
    fh_resolver_destroy(f.resolver);
    if (fh_interrupted())
        return fh_error(FH_INTERRUPTED, "interrupted");
    return good ? FH_OK
                : fh_error(FH_NO_MEMORY, "out of memory for changes to %u files",
                           load->program.units.count);
}

void fh_fix_free(fh_fix *fix)
{
    for (uint32_t i = 0; i < fix->files.count; i++)
        fh_vector_free(&fix->files.items[i].edits);
    fh_vector_free(&fix->files);
    fh_vector_free(&fix->left);
    fh_arena_free(&fix->arena);
}
