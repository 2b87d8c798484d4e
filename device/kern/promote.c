/* From an operator's arguments to the engine's operands. */
#include "device/kern/convert.h"
#include "device/kern/elementwise.h"

fh_dtype fh_compute_dtype(fh_compute compute)
{
    static const fh_dtype dtypes[] = {FH_F32, FH_F64, FH_I32, FH_I64};
    return dtypes[compute];
}

static fh_compute of_dtype(fh_dtype dtype)
{
    switch (dtype) {
    case FH_F64:
        return FH_IN_F64;
    case FH_I64:
    case FH_U32:
    case FH_U64:
        return FH_IN_I64;
    case FH_F32:
    case FH_F16:
    case FH_BF16:
        return FH_IN_F32;
    default:
        return FH_IN_I32;
    }
}

static bool is_float(fh_compute compute)
{
    return compute == FH_IN_F32 || compute == FH_IN_F64;
}

/* 0 nothing, 1 bool, 2 integer, 3 floating: a lower priority counts only with a higher class. */
static int class_of(fh_dtype dtype)
{
    return is_float(of_dtype(dtype)) ? 3 : dtype == FH_BOOL ? 1 : 2;
}

static fh_compute wider(fh_compute a, fh_compute b)
{
    if (is_float(a) != is_float(b))
        return is_float(a) ? a : b;
    return a > b ? a : b; /* within a class, the enumerators rise with the width */
}

fh_compute fh_elementwise_promote(const fh_argument *const *inputs, unsigned count)
{
    fh_compute result = FH_IN_I32;
    int highest = 0;
    for (int priority = 0; priority < 3; priority++) {
        fh_compute here = FH_IN_I32;
        int class = 0;
        for (unsigned i = 0; i < count; i++) {
            bool number = inputs[i]->kind != FH_ARGUMENT_VIEW;
            int own = number ? 2 : inputs[i]->view->rank ? 0 : 1;
            if (own != priority || inputs[i]->kind == FH_ARGUMENT_ABSENT)
                continue;
            fh_dtype dtype = !number                                 ? inputs[i]->view->dtype
                             : inputs[i]->kind == FH_ARGUMENT_NUMBER ? inputs[i]->number->dtype
                             : inputs[i]->kind == FH_ARGUMENT_DOUBLE ? FH_F32
                                                                     : FH_I64;
            fh_compute compute = of_dtype(dtype);
            if (number && compute == FH_IN_F64)
                compute = FH_IN_F32; /* a Python float takes the default dtype */
            here = class ? wider(here, compute) : compute;
            class = class_of(dtype) > class ? class_of(dtype) : class;
        }
        if (class > highest) {
            result = highest ? wider(result, here) : here;
            highest = class;
        }
    }
    return result;
}

double fh_argument_double(const fh_argument *argument, double otherwise)
{
    switch (argument->kind) {
    case FH_ARGUMENT_NUMBER:
        return fh_number_double(argument->number);
    case FH_ARGUMENT_DOUBLE:
        return argument->real;
    case FH_ARGUMENT_INTEGER:
        return (double)argument->integer;
    default:
        return otherwise;
    }
}

int64_t fh_argument_integer(const fh_argument *argument, int64_t otherwise)
{
    switch (argument->kind) {
    case FH_ARGUMENT_NUMBER:
        return fh_number_integer(argument->number);
    case FH_ARGUMENT_DOUBLE:
        return fh_double_i64(argument->real);
    case FH_ARGUMENT_INTEGER:
        return argument->integer;
    default:
        return otherwise;
    }
}

fh_view fh_view_of_number(const fh_argument *number, fh_dtype dtype, uint64_t *storage)
{
    fh_view view = {.data = storage, .dtype = dtype};
    if (dtype == FH_C32 || dtype == FH_C64 || dtype == FH_C128) {
        double parts[2] = {fh_argument_double(number, 0), 0};
        if (number->kind == FH_ARGUMENT_NUMBER &&
            (number->number->dtype == FH_C64 || number->number->dtype == FH_C128))
            parts[1] = number->number->complex_[1];
        fh_dtype part = dtype == FH_C32 ? FH_F16 : dtype == FH_C64 ? FH_F32 : FH_F64;
        fh_convert_between(FH_F64, part)(1, 2, parts, 2, 1, storage, 2, 1);
        return view;
    }
    if (dtype == FH_F32 || dtype == FH_F64 || dtype == FH_F16 || dtype == FH_BF16) {
        double value = fh_argument_double(number, 0);
        fh_convert_between(FH_F64, dtype)(1, 1, &value, 1, 1, storage, 1, 1);
    } else {
        int64_t value = fh_argument_integer(number, 0);
        if (dtype == FH_BOOL)
            value = fh_argument_double(number, 0) != 0;
        fh_convert_between(FH_I64, dtype)(1, 1, &value, 1, 1, storage, 1, 1);
    }
    return view;
}

fh_status fh_elementwise_apply(const fh_elementwise *op, const fh_argument *const *inputs,
                               unsigned count, const fh_view *out, const fh_parameters *parameters,
                               const fh_team *team)
{
    fh_view numbers[FH_OPERANDS];
    uint64_t storage[FH_OPERANDS][2];
    fh_operand operands[FH_OPERANDS];
    fh_compute compute = fh_elementwise_promote(inputs, count);
    if (!op->loops[compute])
        compute = out->dtype == FH_F64 && op->loops[FH_IN_F64] ? FH_IN_F64 : FH_IN_F32;
    if (!op->loops[compute])
        return fh_error(FH_UNSUPPORTED, "floating dtypes are not supported here: cast to integers");
    fh_dtype dtype = fh_compute_dtype(compute);
    for (unsigned i = 0; i < count; i++) {
        operands[i] = (fh_operand){inputs[i]->view, dtype};
        if (inputs[i]->kind == FH_ARGUMENT_VIEW)
            continue;
        numbers[i] = fh_view_of_number(inputs[i], dtype, storage[i]);
        operands[i].view = &numbers[i];
    }
    operands[count] = (fh_operand){out, op->predicate ? FH_BOOL : dtype};
    return fh_elementwise_run(op->loops[compute], parameters, count, 1, operands, team);
}

fh_status fh_elementwise_call(const fh_elementwise *op, const fh_argument *arguments, bool in_place,
                              const fh_team *team)
{
    const fh_argument *inputs[FH_OPERANDS];
    int failed = 0;
    fh_parameters parameters = {.failed = &failed};
    for (unsigned i = 0; i < op->inputs; i++)
        inputs[i] = &arguments[i];
    for (unsigned i = 0; i < op->numbers; i++) {
        parameters.f[i] = fh_argument_double(&arguments[op->inputs + i], 1);
        parameters.i[i] = fh_argument_integer(&arguments[op->inputs + i], 1);
    }
    const fh_view *out = arguments[in_place ? 0 : op->inputs + op->numbers].view;
    fh_status status = fh_elementwise_apply(op, inputs, op->inputs, out, &parameters, team);
    if (!status && failed)
        return fh_error(FH_INVALID, "integer division by zero, or an integer to a negative power");
    return status;
}
