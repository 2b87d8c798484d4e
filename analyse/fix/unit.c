/* The edits of one unit, and whether its file can take them. */
#include "analyse/fix/fix_build.h"
#include "analyse/scan/decode.h"
#include "base/utf8.h"

#include <string.h>

void fh_fix_leave(fh_fixer *f, fh_fix_reason reason, uint32_t offset, fh_text what)
{
    fh_vector_push(&f->left,
                   (fh_fix_left){f->unit_index, offset, reason, fh_arena_copy(&f->arena, what)});
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
            if (fh_text_is(fh_text_trim(part), fh_rule_at(rule)->id))
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
    bool is_python = f->unit->kind == FH_UNIT_PYTHON || f->unit->kind == FH_UNIT_NOTEBOOK;
    if (is_python && rule != FH_RULE_506 && rule != FH_RULE_606 && rule != FH_RULE_805)
        f->needs_torch_npu = true;
    fh_edit edit = {offset, offset + (uint32_t)expected.length, fh_arena_copy(&f->arena, text),
                    rule};
    return fh_vector_push(&f->edits, edit);
}

/* Whether the unit says anything that could be changed; most files do not. */
static bool is_of_interest(const fh_fixer *f)
{
    static const char *const words[] = {"cuda", "nccl",       "CUDA",
                                        "NCCL", "allow_tf32", "set_float32_matmul_precision"};
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
        fh_fix_proposed(f);
        fh_fix_names(f);
        fh_fix_switches(f);
        fh_fix_tests(f);
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

/* Whether places in the whole text can be found in the file again, and no new text would have to be
 * encoded. */
static bool is_editable(const fh_fixer *f, fh_text bytes, const fh_decoded *decoded)
{
    uint32_t end = (uint32_t)decoded->text.length;
    bool plain = true;
    for (uint32_t i = 0; i < f->edits.count; i++)
        plain &= fh_utf8_ascii(f->edits.items[i].text);
    return (plain || strcmp(decoded->encoding, "UTF-8") == 0) &&
           fh_decode_align(bytes, decoded, &end, 1);
}

/* From places in the decoded text to places in the file. */
static void move_edits(fh_edits *edits, fh_text bytes, const fh_decoded *decoded)
{
    FH_VECTOR(uint32_t) places = {0};
    for (uint32_t i = 0; i < edits->count; i++) {
        fh_vector_push(&places, edits->items[i].begin);
        fh_vector_push(&places, edits->items[i].end);
    }
    if (places.failed || !fh_decode_align(bytes, decoded, places.items, places.count)) {
        edits->failed = true;
    } else {
        for (uint32_t i = 0; i < edits->count; i++) {
            edits->items[i].begin = places.items[2 * i];
            edits->items[i].end = places.items[2 * i + 1];
        }
    }
    fh_vector_free(&places);
}

static bool has_syntax_error(const fh_unit *unit)
{
    for (uint32_t i = 1; i < unit->notes.count; i++)
        if (fh_text_starts(fh_unit_text(unit, unit->notes.items[i].message), "syntax error"))
            return true;
    return false;
}

/* Hands the edits of the unit over, or records why they cannot be made. */
static void keep_edits(fh_fixer *f, fh_text bytes, const fh_decoded *decoded)
{
    const fh_walk_file *file = &f->load->walk.files.items[f->load->files.items[f->unit_index]];
    uint32_t changes = f->edits.count;
    if (!changes)
        return;
    bool editable = is_editable(f, bytes, decoded);
    if (!editable || !file->disk || has_syntax_error(f->unit)) {
        fh_fix_leave(f,
                     !file->disk ? FH_FIX_ARCHIVE
                     : !editable ? FH_FIX_ENCODING
                                 : FH_FIX_SYNTAX,
                     FH_NO_OFFSET, (fh_text){0});
        return;
    }
    for (uint32_t i = 0; i < changes; i++)
        fh_vector_push(&f->done, (fh_fix_done){f->unit_index, f->edits.items[i].begin});
    fh_fix_add_import(f);
    fh_edits_sort(&f->edits);
    if (f->unit->kind == FH_UNIT_NOTEBOOK)
        fh_fix_notebook(f, decoded->text);
    move_edits(&f->edits, bytes, decoded);
    changes = f->edits.count < changes ? f->edits.count : changes;
    if (f->edits.count &&
        fh_vector_push(&f->files, (fh_fix_file){f->unit_index, changes, f->edits}))
        memset(&f->edits, 0, sizeof f->edits);
}

void fh_fix_unit(fh_fixer *f, fh_buffer storage[4])
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
    f->files.failed |= f->edits.failed;
    fh_vector_free(&f->edits);
}
