/* Combining single elements in place. */
#include "device/kern/walk.h"

#include "device/kern/convert.h"

void fh_walk_combine(fh_dtype dtype, void *to, const void *from, bool multiply)
{
    size_t size = fh_dtype_size(dtype);
    if (dtype == FH_F32) {
        float a, b;
        memcpy(&a, to, sizeof a);
        memcpy(&b, from, sizeof b);
        a = multiply ? a * b : a + b;
        memcpy(to, &a, sizeof a);
        return;
    }
    if (dtype == FH_F64 || dtype == FH_F16 || dtype == FH_BF16) {
        double a, b;
        fh_convert_between(dtype, FH_F64)(1, 1, to, 1, 1, &a, 1, 1);
        fh_convert_between(dtype, FH_F64)(1, 1, from, 1, 1, &b, 1, 1);
        a = multiply ? a * b : a + b;
        fh_convert_between(FH_F64, dtype)(1, 1, &a, 1, 1, to, 1, 1);
        return;
    }
    int64_t a, b;
    if (!fh_convert_between(dtype, FH_I64) || size > 8)
        return;
    fh_convert_between(dtype, FH_I64)(1, 1, to, 1, 1, &a, 1, 1);
    fh_convert_between(dtype, FH_I64)(1, 1, from, 1, 1, &b, 1, 1);
    a = multiply ? a * b : a + b;
    fh_convert_between(FH_I64, dtype)(1, 1, &a, 1, 1, to, 1, 1);
}
