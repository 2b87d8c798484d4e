/* Copies, casts and fills: the engine without arithmetic. */
#include "device/kern/convert.h"
#include "device/kern/elementwise.h"
#include "device/kern/operators.h"

static void move_8(int64_t n, const void *const *in, void *const *out, const fh_parameters *p)
{
    (void)p;
    memmove(out[0], in[0], (size_t)n * 8);
}

static void move_4(int64_t n, const void *const *in, void *const *out, const fh_parameters *p)
{
    (void)p;
    memmove(out[0], in[0], (size_t)n * 4);
}

/* Where no conversion leads from one to the other at once: through a type that holds both. */
static fh_dtype between(fh_dtype from, fh_dtype to)
{
    fh_view views[] = {{.dtype = from, .rank = 1}, {.dtype = to, .rank = 1}};
    fh_argument arguments[] = {{.kind = FH_ARGUMENT_VIEW, .view = &views[0]},
                               {.kind = FH_ARGUMENT_VIEW, .view = &views[1]}};
    const fh_argument *list[] = {&arguments[0], &arguments[1]};
    return fh_compute_dtype(fh_elementwise_promote(list, 2));
}

fh_status fh_copy(const fh_view *to, const fh_view *from, const fh_team *team)
{
    fh_operand operands[] = {{from, from->dtype}, {to, to->dtype}};
    if (fh_convert_between(from->dtype, to->dtype)) {
        fh_loop *none = NULL;
        return fh_elementwise_run(none, NULL, 1, 1, operands, team);
    }
    operands[0].dtype = operands[1].dtype = between(from->dtype, to->dtype);
    bool wide = fh_dtype_size(operands[0].dtype) == 8;
    return fh_elementwise_run(wide ? move_8 : move_4, NULL, 1, 1, operands, team);
}

fh_status fh_fill(const fh_view *to, const fh_argument *number, const fh_team *team)
{
    uint64_t storage[2];
    fh_view view = fh_view_of_number(number, to->dtype, storage);
    return fh_copy(to, &view, team);
}

fh_status fh_fill_zero(const fh_view *to, const fh_team *team)
{
    const fh_argument zero = {.kind = FH_ARGUMENT_INTEGER, .integer = 0};
    return fh_fill(to, &zero, team);
}

fh_status fh_op_inplace_copy(const fh_argument *arguments, const fh_team *team)
{
    return fh_copy(arguments[0].view, arguments[1].view, team);
}

fh_status fh_op_cast(const fh_argument *arguments, const fh_team *team)
{
    return fh_copy(arguments[2].view, arguments[0].view, team);
}

fh_status fh_op_inplace_fill(const fh_argument *arguments, const fh_team *team)
{
    if (arguments[1].kind == FH_ARGUMENT_VIEW)
        return fh_copy(arguments[0].view, arguments[1].view, team);
    return fh_fill(arguments[0].view, &arguments[1], team);
}

fh_status fh_op_inplace_zero(const fh_argument *arguments, const fh_team *team)
{
    return fh_fill_zero(arguments[0].view, team);
}

fh_status fh_op_inplace_one(const fh_argument *arguments, const fh_team *team)
{
    const fh_argument one = {.kind = FH_ARGUMENT_INTEGER, .integer = 1};
    return fh_fill(arguments[0].view, &one, team);
}
