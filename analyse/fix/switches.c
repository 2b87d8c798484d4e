/* The switches of TF32. */
#include "analyse/fix/fix_build.h"
#include "analyse/fix/python_text.h"
#include "facts/table.h"

#include <string.h>

/* Whether a release of torch_npu has torch.npu.matmul, torch.npu.conv. */
static bool has_npu_name(const fh_fixer *f, const char *name)
{
    const fh_table *table = fh_facts_table(FH_TABLE_TORCH_NPU);
    fh_text row;
    return fh_table_find(table, fh_text_from(name), &row) &&
           fh_release_in(f->options->release, fh_table_field(table, row, "releases"));
}

// clang-format off
static const struct {
    const char *written;     /* behind "torch" */
    const char *path;        /* what it is an attribute of */
    const char *replacement; /* behind "torch" */
    const char *needs;
} switches[] = {
    {".backends.cuda.matmul.allow_tf32", "torch.backends.cuda.matmul", ".npu.matmul.allow_hf32", "torch_npu.npu.matmul"},
    {".backends.cudnn.allow_tf32",       "torch.backends.cudnn",       ".npu.conv.allow_hf32",   "torch_npu.npu.conv"},
};
// clang-format on

/* Where the dotted name begins that ends at `end`: `end` itself when it is more than a name. */
static uint32_t start_of_name(fh_text text, uint32_t end)
{
    uint32_t begin = end;
    for (;;) {
        fh_text word = fh_python_word_before(text, begin);
        if (!word.length || word.data + word.length != text.data + begin)
            return end;
        begin = (uint32_t)(word.data - text.data);
        if (!begin || text.data[begin - 1] != '.')
            return begin;
        begin--;
    }
}

/* torch.backends.cudnn.allow_tf32, or, behind an imported name, cudnn.allow_tf32; ends at `end`. */
static void edit_switch(fh_fixer *f, size_t index, uint32_t end)
{
    fh_text written = fh_text_from(switches[index].written), path;
    path = fh_text_from(switches[index].path);
    uint32_t begin = end > written.length ? end - (uint32_t)written.length : end;
    bool is_whole = fh_text_equal(fh_text_slice(f->text, begin, end), written);
    fh_text root = is_whole ? (fh_text){0} : fh_fix_torch_name(f);
    if (!is_whole)
        begin = start_of_name(f->text, end);
    fh_text name = fh_text_slice(f->text, begin, end);
    if (!is_whole && (!root.length || !fh_text_ends(name, ".allow_tf32"))) {
        fh_fix_leave(f, FH_FIX_UNEXPECTED, end - (uint32_t)strlen("allow_tf32"), path);
        return;
    }
    if (!has_npu_name(f, switches[index].needs)) {
        fh_fix_leave(f, FH_FIX_NOT_IN_RELEASE, begin, path);
        return;
    }
    fh_buffer text = {0};
    fh_buffer_add_format(&text, "%.*s%s", FH_TEXT_ARGS(root), switches[index].replacement);
    f->edits.failed |= text.failed;
    fh_fix_edit(f, FH_RULE_607, begin, name, fh_buffer_text(&text));
    fh_buffer_free(&text);
}

/* `allow_tf32` of `base` ends at `end` in the text. */
static void fix_switch(fh_fixer *f, fh_value_index base, uint32_t end)
{
    fh_meaning meaning;
    if (!fh_resolve_external(f->resolver, f->unit_index, base, &meaning) ||
        meaning.certainty < FH_LIKELY)
        return;
    fh_text path = fh_resolver_path(f->resolver, meaning.path);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (fh_text_is(path, switches[i].path))
            edit_switch(f, i, end);
}

/* Where the attribute that is stored to ends: the target begins at `offset`. */
static uint32_t end_of_target(fh_text text, uint32_t offset)
{
    size_t end = offset;
    while (end < text.length && !strchr("=\r\n,;:)", text.data[end]))
        end++;
    while (end > offset && strchr(" \t\\", text.data[end - 1]))
        end--;
    return (uint32_t)end;
}

/* torch.set_float32_matmul_precision("high") as a statement. torch_npu does not read that setting;
 * "high" and "medium" allow shorter mantissas, "highest" does not. */
static void fix_precision(fh_fixer *f, const fh_call *call)
{
    fh_meaning meaning;
    fh_text precision;
    fh_certainty certainty;
    if (!fh_resolve_external(f->resolver, f->unit_index, call->callee, &meaning) ||
        !fh_text_is(fh_resolver_path(f->resolver, meaning.path),
                    "torch.set_float32_matmul_precision"))
        return;
    fh_text source = fh_text_slice(f->text, call->offset, call->end);
    fh_text name = fh_text_slice(source, 0, fh_text_find(source, '('));
    fh_text root = fh_text_slice(name, 0, fh_text_find(name, '.'));
    fh_value_index argument = fh_call_argument(f->unit, call, 0, "precision");
    const fh_value *v = fh_unit_value(f->unit, argument);
    bool is_literal =
        v->kind == FH_VALUE_STRING && v->offset > call->offset && v->offset < call->end &&
        call->count == 1 &&
        fh_resolve_string(f->resolver, f->unit_index, argument, &precision, &certainty, NULL);
    if (!is_literal || root.length == name.length ||
        !fh_text_is(fh_text_slice(name, root.length, name.length),
                    ".set_float32_matmul_precision") ||
        !fh_python_is_statement(f->text, call->offset, call->end)) {
        fh_fix_leave(f, FH_FIX_UNEXPECTED, call->anchor,
                     FH_TEXT("torch.set_float32_matmul_precision"));
        return;
    }
    if (!has_npu_name(f, "torch_npu.npu.matmul")) {
        fh_fix_leave(f, FH_FIX_NOT_IN_RELEASE, call->anchor,
                     FH_TEXT("torch.set_float32_matmul_precision"));
        return;
    }
    fh_buffer statement = {0};
    fh_buffer_add_format(&statement, "%.*s.npu.matmul.allow_hf32 = %s", FH_TEXT_ARGS(root),
                         fh_text_is(precision, "highest") ? "False" : "True");
    f->edits.failed |= statement.failed;
    fh_fix_edit(f, FH_RULE_607, call->offset, source, fh_buffer_text(&statement));
    fh_buffer_free(&statement);
}

void fh_fix_switches(fh_fixer *f)
{
    const fh_unit *u = f->unit;
    fh_symbol name = fh_symbols_find(&u->symbols, FH_TEXT("allow_tf32"));
    for (uint32_t i = 1; name && i < u->stores.count; i++)
        if (u->stores.items[i].name == name)
            fix_switch(f, u->stores.items[i].base,
                       end_of_target(f->text, u->stores.items[i].offset));
    for (uint32_t i = 1; name && i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_ATTRIBUTE && v->b == name)
            fix_switch(f, v->a, v->offset + (uint32_t)strlen("allow_tf32"));
    }
    if (!fh_symbols_find(&u->symbols, FH_TEXT("set_float32_matmul_precision")))
        return;
    for (uint32_t i = 1; i < u->calls.count; i++)
        fix_precision(f, &u->calls.items[i]);
}
