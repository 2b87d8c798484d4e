/* Operators on lists of tensors: each row names the operator on one tensor and how its arguments
 * come from the list's: a digit is an argument (its i-th element where it is a list), a letter the
 * same as a number (a is argument 0), and - an absent one. The last argument of a call tells how
 * many there are. */
#include "device/kern/convert.h"
#include "device/kern/elementwise.h"
#include "device/kern/operators.h"

enum { MOST = 8 };

/* A tensor of scalars, as older calls pass it, read at `index`. */
static double read_number(const fh_view *view, uint32_t index)
{
    double value = 0;
    fh_view element = {.data = view->data, .dtype = view->dtype};
    fh_view to = {.data = &value, .dtype = FH_F64};
    if (view->rank && index < view->sizes[0])
        element.data =
            (char *)view->data + index * view->strides[0] * (int64_t)fh_dtype_size(view->dtype);
    fh_copy(&to, &element, &fh_team_alone);
    return value;
}

static fh_argument element_of(const fh_argument *argument, uint32_t i, bool number)
{
    fh_argument element = *argument;
    if (argument->kind == FH_ARGUMENT_VIEWS) {
        element.kind = FH_ARGUMENT_VIEW;
        element.view = argument->view + i;
    } else if (argument->kind == FH_ARGUMENT_NUMBERS) {
        element.kind = FH_ARGUMENT_NUMBER;
        element.number = argument->number + i;
    } else if (argument->kind == FH_ARGUMENT_VIEW && number) {
        element.kind = FH_ARGUMENT_DOUBLE;
        element.real = read_number(argument->view, i);
    }
    return element;
}

static fh_status each(fh_kernel *kernel, const char *form, const fh_argument *arguments,
                      const fh_team *team)
{
    unsigned last = 0;
    for (const char *c = form; *c; c++) {
        unsigned k = *c >= 'a' ? (unsigned)(*c - 'a') : *c == '-' ? 0 : (unsigned)(*c - '0');
        last = k > last ? k : last;
    }
    fh_status status = FH_OK;
    for (uint32_t i = 0; i < arguments[last].count && !status; i++) {
        fh_argument own[MOST] = {{.kind = FH_ARGUMENT_ABSENT}};
        for (unsigned k = 0; form[k]; k++) {
            own[k].kind = FH_ARGUMENT_ABSENT;
            if (form[k] >= 'a')
                own[k] = element_of(&arguments[form[k] - 'a'], i, true);
            else if (form[k] != '-')
                own[k] = element_of(&arguments[form[k] - '0'], i, false);
        }
        status = kernel(own, team);
    }
    return status;
}

/*    name              on one tensor   arguments */
#define ROWS(X) \
    X(add_list, fh_op_add, "01c3") \
    X(add_scalar, fh_op_add, "0b-2") \
    X(add_scalars, fh_op_add, "0b-2") \
    X(sub_list, fh_op_sub, "01c3") \
    X(sub_scalar, fh_op_sub, "0b-2") \
    X(sub_scalars, fh_op_sub, "0b-2") \
    X(mul_list, fh_op_mul, "012") \
    X(mul_scalar, fh_op_mul, "0b2") \
    X(mul_scalars, fh_op_mul, "0b2") \
    X(div_list, fh_op_div, "012") \
    X(div_scalar, fh_op_div, "0b2") \
    X(div_scalars, fh_op_div, "0b2") \
    X(maximum_list, fh_op_maximum, "012") \
    X(maximum_scalar, fh_op_maximum, "0b2") \
    X(maximum_scalars, fh_op_maximum, "0b2") \
    X(minimum_list, fh_op_minimum, "012") \
    X(minimum_scalar, fh_op_minimum, "0b2") \
    X(minimum_scalars, fh_op_minimum, "0b2") \
    X(pow_list, fh_op_pow, "012") \
    X(pow_scalar, fh_op_pow, "0b2") \
    X(pow_scalars, fh_op_pow, "0b2") \
    X(pow_base, fh_op_pow, "a12") \
    X(addcmul_scalar, fh_op_addcmul, "012d4") \
    X(addcmul_scalars, fh_op_addcmul, "012d4") \
    X(addcdiv_scalar, fh_op_addcdiv, "012d4") \
    X(addcdiv_scalars, fh_op_addcdiv, "012d4") \
    X(lerp_list, fh_op_lerp, "0123") \
    X(lerp_scalar, fh_op_lerp, "01c3") \
    X(abs, fh_op_abs, "01") \
    X(neg, fh_op_neg, "01") \
    X(sqrt, fh_op_sqrt, "01") \
    X(reciprocal, fh_op_reciprocal, "01") \
    X(exp, fh_op_exp, "01") \
    X(expm1, fh_op_expm1, "01") \
    X(log, fh_op_log, "01") \
    X(log2, fh_op_log2, "01") \
    X(log10, fh_op_log10, "01") \
    X(log1p, fh_op_log1p, "01") \
    X(sigmoid, fh_op_sigmoid, "01") \
    X(tanh, fh_op_tanh, "01") \
    X(sin, fh_op_sin, "01") \
    X(cos, fh_op_cos, "01") \
    X(tan, fh_op_tan, "01") \
    X(asin, fh_op_asin, "01") \
    X(acos, fh_op_acos, "01") \
    X(atan, fh_op_atan, "01") \
    X(sinh, fh_op_sinh, "01") \
    X(cosh, fh_op_cosh, "01") \
    X(erf, fh_op_erf, "01") \
    X(erfc, fh_op_erfc, "01") \
    X(sign, fh_op_sign, "01") \
    X(copy, fh_op_inplace_copy, "10") \
    X(norm, fh_op_norm, "0b--2")

#define X(name, kernel, form) \
    fh_status fh_op_foreach_##name(const fh_argument *arguments, const fh_team *team) \
    { \
        return each(kernel, form, arguments, team); \
    }
ROWS(X)
#undef X
