/* Choices between two tensors by a mask, and bounds. */
#include "device/kern/loops.h"

#define CHOICE(name, TYPE) \
    FH_SIMD static void name(int64_t n, const void *const *in, void *const *out, \
                             const fh_parameters *p) \
    { \
        const uint8_t *mask = in[0]; \
        const TYPE *yes = in[1], *no = in[2]; \
        TYPE *y = out[0]; \
        (void)p; \
        FH_IVDEP for (int64_t i = 0; i < n; i++) \
        { \
            TYPE a = yes[i], b = no[i]; \
            y[i] = mask[i] ? a : b; \
        } \
    }

typedef struct {
    uint64_t low, high;
} sixteen;
CHOICE(choose_1, uint8_t)
CHOICE(choose_2, uint16_t)
CHOICE(choose_4, uint32_t)
CHOICE(choose_8, uint64_t)

static void choose_16(int64_t n, const void *const *in, void *const *out, const fh_parameters *p)
{
    (void)p;
    for (int64_t i = 0; i < n; i++)
        ((sixteen *)out[0])[i] = ((const sixteen *)in[((const uint8_t *)in[0])[i] ? 1 : 2])[i];
}

static fh_loop *loop_of_size(size_t size)
{
    return size == 1   ? choose_1
           : size == 2 ? choose_2
           : size == 4 ? choose_4
           : size == 8 ? choose_8
                       : choose_16;
}

/* Elements are moved as they are when all have the output's dtype, else through what they promote
 * to. */
static fh_status choose(const fh_view *mask, const fh_argument *yes, const fh_argument *no,
                        const fh_view *out, const fh_team *team)
{
    const fh_argument *inputs[] = {yes, no};
    fh_view numbers[2];
    uint64_t storage[2][2];
    fh_dtype dtype = out->dtype;
    for (int i = 0; i < 2; i++)
        if (inputs[i]->kind == FH_ARGUMENT_VIEW && inputs[i]->view->dtype != out->dtype)
            dtype = fh_compute_dtype(fh_elementwise_promote(inputs, 2));
    fh_operand operands[4] = {{mask, FH_BOOL}, {NULL, dtype}, {NULL, dtype}, {out, dtype}};
    for (int i = 0; i < 2; i++) {
        if (inputs[i]->kind != FH_ARGUMENT_VIEW)
            numbers[i] = fh_view_of_number(inputs[i], dtype, storage[i]);
        operands[i + 1].view = inputs[i]->kind == FH_ARGUMENT_VIEW ? inputs[i]->view : &numbers[i];
    }
    return fh_elementwise_run(loop_of_size(fh_dtype_size(dtype)), NULL, 3, 1, operands, team);
}

fh_status fh_op_where(const fh_argument *arguments, const fh_team *team)
{
    return choose(arguments[0].view, &arguments[1], &arguments[2], arguments[3].view, team);
}

fh_status fh_op_inplace_masked_fill(const fh_argument *arguments, const fh_team *team)
{
    return choose(arguments[1].view, &arguments[2], &arguments[0], arguments[0].view, team);
}

/* Bounds: tensors or numbers, either may be absent. NaN stays; crossed bounds give the upper. */
FH_ANY_OPERATOR(clamp_min, 2, 0, a < b || b != b ? b : a, a < b ? b : a)
FH_ANY_OPERATOR(clamp_max, 2, 0, a > b || b != b ? b : a, a > b ? b : a)
FH_LOOP(clamp_f32, float, float, 3,
        (a < b || b != b ? b : a) > c || c != c ? c : (a < b || b != b ? b : a))
FH_LOOP(clamp_f64, double, double, 3,
        (a < b || b != b ? b : a) > c || c != c ? c : (a < b || b != b ? b : a))
FH_LOOP(clamp_i32, int32_t, int32_t, 3, (a < b ? b : a) > c ? c : (a < b ? b : a))
FH_LOOP(clamp_i64, int64_t, int64_t, 3, (a < b ? b : a) > c ? c : (a < b ? b : a))
static const fh_elementwise clamp_op = {{clamp_f32, clamp_f64, clamp_i32, clamp_i64}, false, 3, 0};

static fh_status clamp(const fh_argument *arguments, bool in_place, const fh_team *team)
{
    const fh_argument *out = &arguments[in_place ? 0 : 3];
    bool low = arguments[1].kind != FH_ARGUMENT_ABSENT,
         high = arguments[2].kind != FH_ARGUMENT_ABSENT;
    if (low && high)
        return fh_elementwise_call(&clamp_op, arguments, in_place, team);
    fh_argument simple[] = {arguments[0], arguments[low ? 1 : 2], *out};
    if (!low && !high)
        return fh_copy(out->view, arguments[0].view, team);
    return fh_elementwise_call(low ? &clamp_min_op : &clamp_max_op, simple, false, team);
}

fh_status fh_op_clamp(const fh_argument *arguments, const fh_team *team)
{
    return clamp(arguments, false, team);
}

fh_status fh_op_inplace_clamp(const fh_argument *arguments, const fh_team *team)
{
    return clamp(arguments, true, team);
}
