/* loops.h: how an operator's row becomes loops and kernels.
 *
 * In an expression, a, b and c are the inputs' elements and s0 to s3 the numbers,
 * all of the type T that is computed in. FH_KERNEL makes of a row fh_op_NAME
 * (inputs, numbers, output) and fh_op_inplace_NAME (inputs, numbers; the first
 * input is the output).
 */
#ifndef FH_KERN_LOOPS_H
#define FH_KERN_LOOPS_H

#include "device/kern/elementwise.h"
#include "device/kern/operators.h"
#include "device/kern/vecmath.h"

#define FH_NUMBER_OF(T, k) (T) _Generic((T)0, float : p->f[k], double : p->f[k], default : p->i[k])

#define FH_LOOP(name, TYPE, R, arrays, expression) \
    FH_SIMD static void name(int64_t n, const void *const *in, void *const *out, \
                             const fh_parameters *p) \
    { \
        typedef TYPE T; \
        const T s0 = FH_NUMBER_OF(T, 0), s1 = FH_NUMBER_OF(T, 1); \
        const T s2 = FH_NUMBER_OF(T, 2), s3 = FH_NUMBER_OF(T, 3); \
        const T *a_ = in[0]; \
        const T *b_ = arrays > 1 ? in[1] : in[0]; \
        const T *c_ = arrays > 2 ? in[2] : in[0]; \
        R *y_ = out[0]; \
        FH_IVDEP for (int64_t i = 0; i < n; i++) \
        { \
            const T a = a_[i], b = arrays > 1 ? b_[i] : a, c = arrays > 2 ? c_[i] : a; \
            (void)b, (void)c, (void)s0, (void)s1, (void)s2, (void)s3; \
            y_[i] = (R)(expression); \
        } \
    }

#define FH_KERNEL(name) \
    fh_status fh_op_##name(const fh_argument *arguments, const fh_team *team) \
    { \
        return fh_elementwise_call(&name##_op, arguments, false, team); \
    } \
    fh_status fh_op_inplace_##name(const fh_argument *arguments, const fh_team *team) \
    { \
        return fh_elementwise_call(&name##_op, arguments, true, team); \
    }

/* Operators of floating types, which integers are converted to. */
#define FH_FLOAT_OPERATOR(name, arrays, numbers, expression32, expression64) \
    FH_LOOP(name##_f32, float, float, arrays, expression32) \
    FH_LOOP(name##_f64, double, double, arrays, expression64) \
    static const fh_elementwise name##_op = { \
        {name##_f32, name##_f64, NULL, NULL}, false, arrays, numbers}; \
    FH_KERNEL(name)

/* Operators of all types, with one expression for floats and one for integers. */
#define FH_ANY_OPERATOR(name, arrays, numbers, expression, integers) \
    FH_LOOP(name##_f32, float, float, arrays, expression) \
    FH_LOOP(name##_f64, double, double, arrays, expression) \
    FH_LOOP(name##_i32, int32_t, int32_t, arrays, integers) \
    FH_LOOP(name##_i64, int64_t, int64_t, arrays, integers) \
    static const fh_elementwise name##_op = { \
        {name##_f32, name##_f64, name##_i32, name##_i64}, false, arrays, numbers}; \
    FH_KERNEL(name)

#define FH_INTEGER_OPERATOR(name, arrays, numbers, expression) \
    FH_LOOP(name##_i32, int32_t, int32_t, arrays, expression) \
    FH_LOOP(name##_i64, int64_t, int64_t, arrays, expression) \
    static const fh_elementwise name##_op = { \
        {NULL, NULL, name##_i32, name##_i64}, false, arrays, numbers}; \
    FH_KERNEL(name)

/* Operators whose result is bool. */
#define FH_PREDICATE(name, arrays, numbers, expression) \
    FH_LOOP(name##_f32, float, uint8_t, arrays, expression) \
    FH_LOOP(name##_f64, double, uint8_t, arrays, expression) \
    FH_LOOP(name##_i32, int32_t, uint8_t, arrays, expression) \
    FH_LOOP(name##_i64, int64_t, uint8_t, arrays, expression) \
    static const fh_elementwise name##_op = { \
        {name##_f32, name##_f64, name##_i32, name##_i64}, true, arrays, numbers}; \
    FH_KERNEL(name)

#endif
