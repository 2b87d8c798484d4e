/* Numbers as the client gave them, in the type that a kernel wants. */
#include "device/kern/argument.h"

#include <math.h>

static bool is_floating(fh_dtype dtype)
{
    return dtype == FH_F32 || dtype == FH_F64 || dtype == FH_F16 || dtype == FH_BF16;
}

static bool is_complex(fh_dtype dtype)
{
    return dtype == FH_C32 || dtype == FH_C64 || dtype == FH_C128;
}

double fh_number_double(const fh_number *number)
{
    if (is_complex(number->dtype))
        return number->complex_[0];
    if (is_floating(number->dtype))
        return number->f64;
    return number->dtype == FH_U64 ? (double)number->u64 : (double)number->i64;
}

int64_t fh_number_integer(const fh_number *number)
{
    if (number->dtype == FH_U64)
        return number->u64 > INT64_MAX ? INT64_MAX : (int64_t)number->u64;
    if (!is_floating(number->dtype) && !is_complex(number->dtype))
        return number->i64;
    double value = fh_number_double(number);
    if (isnan(value))
        return 0;
    if (value >= 0x1p63)
        return INT64_MAX;
    return value <= -0x1p63 ? INT64_MIN : (int64_t)value;
}
