/* import torch_npu, where a changed file needs it. */
#include "analyse/fix/fix_build.h"
#include "analyse/fix/python_text.h"

/* The line end that the file uses at `end`, else at its first line; LF when it has none. */
static fh_text line_end(fh_text text, size_t end)
{
    for (int round = 0; round < 2; round++, end = fh_text_find(text, '\n') + 1) {
        if (end == 0 || end > text.length)
            continue;
        if (text.data[end - 1] == '\n')
            return end > 1 && text.data[end - 2] == '\r' ? FH_TEXT("\r\n") : FH_TEXT("\n");
        if (text.data[end - 1] == '\r')
            return FH_TEXT("\r");
    }
    return FH_TEXT("\n");
}

static bool is_top_level(const fh_unit *u, const fh_import *import)
{
    return !import->guarded && u->blocks.items[import->block].kind == FH_BLOCK_MODULE;
}

static bool is_torch_npu(fh_text path)
{
    return fh_text_is(path, "torch_npu") || fh_text_starts(path, "torch_npu.");
}

/* Behind which import the one of torch_npu goes; NULL when there is none, or it is there already.
 */
static const fh_import *find_last(const fh_unit *u, bool *is_there)
{
    const fh_import *last = NULL;
    *is_there = false;
    for (uint32_t i = 1; i < u->imports.count; i++) {
        const fh_import *import = &u->imports.items[i];
        fh_text path = fh_unit_text(u, import->path);
        *is_there |= is_torch_npu(path);
        if ((fh_text_is(path, "torch") || fh_text_starts(path, "torch.")) &&
            is_top_level(u, import) && (!last || import->offset > last->offset))
            last = import;
    }
    return *is_there ? NULL : last;
}

/* Whether a name that the module binds by an import means the same in its functions. */
static bool is_bound_once(const fh_unit *u, fh_symbol name)
{
    fh_value_index bound = fh_unit_binding(u, u->members, u->member_count, name);
    bool once = fh_unit_value(u, bound)->kind == FH_VALUE_IMPORT;
    for (uint32_t i = 1; once && i < u->parameters.count; i++)
        once = u->parameters.items[i].name != name;
    return once;
}

fh_text fh_fix_torch_name(const fh_fixer *f)
{
    const fh_unit *u = f->unit;
    bool is_there;
    for (uint32_t i = 1; i < u->imports.count; i++) {
        const fh_import *import = &u->imports.items[i];
        if (import->name && is_top_level(u, import) &&
            fh_text_is(fh_unit_text(u, import->path), "torch") && is_bound_once(u, import->name))
            return fh_unit_text(u, import->name);
    }
    return find_last(u, &is_there) ? FH_TEXT("torch_npu") : (fh_text){0};
}

void fh_fix_add_import(fh_fixer *f)
{
    const fh_unit *u = f->unit;
    bool is_there;
    const fh_import *last = find_last(u, &is_there);
    if (!f->needs_torch_npu || is_there)
        return;
    if (!last) {
        fh_fix_leave(f, FH_FIX_NO_IMPORT, FH_NO_OFFSET, (fh_text){0});
        return;
    }
    size_t at = fh_python_line_end(f->text, last->offset);
    fh_text end = line_end(f->text, at);
    bool ends_line = at > 0 && (f->text.data[at - 1] == '\n' || f->text.data[at - 1] == '\r');
    fh_buffer line = {0};
    if (u->kind == FH_UNIT_NOTEBOOK) {
        /* Into the line before, so that it stays the same piece of JSON. */
        at -= ends_line;
        fh_buffer_add_string(&line, "\nimport torch_npu");
    } else if (ends_line) {
        fh_buffer_add_format(&line, "import torch_npu%.*s", FH_TEXT_ARGS(end));
    } else {
        fh_buffer_add_format(&line, "%.*simport torch_npu", FH_TEXT_ARGS(end));
    }
    fh_edit edit = {(uint32_t)at, (uint32_t)at, fh_arena_copy(&f->arena, fh_buffer_text(&line)),
                    FH_RULE_COUNT};
    f->edits.failed |= line.failed;
    fh_vector_push(&f->edits, edit);
    fh_buffer_free(&line);
}
