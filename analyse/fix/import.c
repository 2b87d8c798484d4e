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

void fh_fix_add_import(fh_fixer *f)
{
    const fh_unit *u = f->unit;
    const fh_import *last = NULL;
    if (!f->needs_torch_npu)
        return;
    for (uint32_t i = 1; i < u->imports.count; i++) {
        const fh_import *import = &u->imports.items[i];
        fh_text path = fh_unit_text(u, import->path);
        if (fh_text_is(path, "torch_npu") || fh_text_starts(path, "torch_npu."))
            return;
        if ((fh_text_is(path, "torch") || fh_text_starts(path, "torch.")) &&
            is_top_level(u, import) && (!last || import->offset > last->offset))
            last = import;
    }
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
