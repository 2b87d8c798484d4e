/* What the first pass found to be changed where it stands; strings see strings.c. */
#include "analyse/fix/fix_build.h"
#include "analyse/fix/python_text.h"

#include <string.h>

/* torch.amp.GradScaler(...) is for CUDA when nothing else is said. */
static void edit_scaler(fh_fixer *f, const fh_fix_proposal *proposal)
{
    const fh_unit *u = f->unit;
    const fh_call *call = &u->calls.items[fh_unit_value(u, proposal->value)->a];
    fh_text source = fh_text_slice(f->text, call->offset, call->end);
    size_t open = fh_text_find(source, '(');
    const fh_argument *first = &u->arguments.items[call->arguments];
    bool is_star =
        call->count && !first->name && fh_unit_value(u, first->value)->kind == FH_VALUE_STAR;
    for (size_t k = 0; k < open && k < source.length; k++)
        if (strchr("[{\"'#", source.data[k]))
            open = source.length;
    if (open >= source.length || is_star)
        fh_fix_leave(f, FH_FIX_UNEXPECTED, call->offset, FH_TEXT("torch.amp.GradScaler"));
    else
        fh_fix_edit(f, FH_RULE_402, (uint32_t)(call->offset + open), FH_TEXT("("),
                    call->count ? FH_TEXT("(\"npu\", ") : FH_TEXT("(\"npu\""));
}

/* x.to(0), device=0: a string names the same device, and needs no torch in scope. */
static void edit_number(fh_fixer *f, const fh_fix_proposal *proposal)
{
    uint32_t at = fh_unit_value(f->unit, proposal->value)->offset, end = at;
    while (end < f->text.length && f->text.data[end] >= '0' && f->text.data[end] <= '9')
        end++;
    fh_text digits = fh_text_slice(f->text, at, end);
    bool is_plain = digits.length && (digits.length == 1 || *digits.data != '0') &&
                    fh_python_word_after(f->text, at).length == digits.length;
    char quote = fh_python_quote_at(f->text, at);
    fh_buffer name = {0};
    fh_buffer_add_format(&name, "%cnpu:%.*s%c", quote, FH_TEXT_ARGS(digits), quote);
    f->edits.failed |= name.failed;
    if (is_plain)
        fh_fix_edit(f, FH_RULE_603, at, digits, fh_buffer_text(&name));
    else
        fh_fix_leave(f, FH_FIX_UNEXPECTED, at, fh_python_word_after(f->text, at));
    fh_buffer_free(&name);
}

void fh_fix_proposed(fh_fixer *f)
{
    for (uint32_t i = 0; i < f->own_count; i++) {
        const fh_fix_proposal *proposal = &f->own[i];
        switch (proposal->target) {
        case FH_FIX_METHOD:
            fh_fix_edit(f, proposal->rule, fh_unit_value(f->unit, proposal->value)->offset,
                        FH_TEXT("cuda"), FH_TEXT("npu"));
            break;
        case FH_FIX_SCALER:
            edit_scaler(f, proposal);
            break;
        case FH_FIX_NUMBER:
            edit_number(f, proposal);
            break;
        default:
            break;
        }
    }
}
