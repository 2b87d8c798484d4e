/* convert.h: elements from one type and layout to another, a rectangle at a time.
 *
 * Strides are in elements. Values convert as PyTorch on x86-64 does: to f16 and
 * bf16 to nearest even, from f64 through f32; integers wrap; a float that an
 * i32 or i64 cannot hold, NaN too, becomes its lowest value, and narrower
 * integers are cut from that (u8 and u32 from an i64); bool is "not zero".
 */
#ifndef FH_KERN_CONVERT_H
#define FH_KERN_CONVERT_H

#include "device/kern/dtype.h"
#include "device/kern/simd.h"

#include <string.h>

typedef void fh_convert(int64_t rows, int64_t cols, const void *from, int64_t from_row,
                        int64_t from_col, void *to, int64_t to_row, int64_t to_col);

/* The conversion between two types of which one is F32, F64, I32 or I64, or the
 * first is BOOL, or both are the same; NULL for others. */
fh_convert *fh_convert_between(fh_dtype from, fh_dtype to);

/* Copies elements of `size` bytes (1, 2, 4, 8 or 16) as they are. */
fh_convert *fh_convert_move(size_t size);

/* Results of more bytes than this stay in no last-level cache of a common size. */
enum { FH_STREAM_BYTES = 48 << 20 };

/* Copies bytes past the caches: for results that are bigger than they are. */
void fh_convert_stream(void *to, const void *from, size_t bytes);

FH_INLINE float fh_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

FH_INLINE uint32_t fh_bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

FH_INLINE float fh_bf16_float(uint16_t bits)
{
    return fh_float_of_bits((uint32_t)bits << 16);
}

FH_INLINE uint16_t fh_float_bf16(float value)
{
    uint32_t bits = fh_bits_of_float(value);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return value != value ? (uint16_t)0x7fc0 : (uint16_t)rounded;
}

/* The exponent is moved by a multiplication, which also normalises denormals. */
FH_INLINE float fh_f16_float(uint16_t half)
{
    uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
    float scaled = fh_float_of_bits(magnitude) * 0x1p112f;
    uint32_t special = magnitude >= 0x0f800000 ? 0x7f800000 : 0; /* inf and NaN */
    return fh_float_of_bits(fh_bits_of_float(scaled) | special | (uint32_t)(half & 0x8000) << 16);
}

FH_INLINE uint16_t fh_float_f16(float value)
{
    uint32_t bits = fh_bits_of_float(value), sign = bits >> 16 & 0x8000;
    uint32_t magnitude = bits & 0x7fffffff;
    uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    /* Below 2^-14, adding 0.5 leaves the denormal's bits, rounded, at the end of the fraction. */
    uint32_t tiny = fh_bits_of_float(fh_float_of_bits(magnitude) + 0.5f) - 0x3f000000;
    uint32_t result = magnitude < 0x38800000 ? tiny : normal;
    result = magnitude >= 0x47800000 ? 0x7c00 : result;
    result = magnitude > 0x7f800000 ? 0x7e00 : result;
    return (uint16_t)(result | sign);
}

FH_INLINE int32_t fh_float_i32(float value)
{
    bool held = value >= -0x1p31f && value < 0x1p31f;
    int32_t cut = (int32_t)(held ? value : 0.0f);
    return held ? cut : INT32_MIN;
}

FH_INLINE int32_t fh_double_i32(double value)
{
    bool held = value > -0x1p31 - 1 && value < 0x1p31;
    int32_t cut = (int32_t)(held ? value : 0.0);
    return held ? cut : INT32_MIN;
}

FH_INLINE int64_t fh_float_i64(float value)
{
    bool held = value >= -0x1p63f && value < 0x1p63f;
    int64_t cut = (int64_t)(held ? value : 0.0f);
    return held ? cut : INT64_MIN;
}

FH_INLINE int64_t fh_double_i64(double value)
{
    bool held = value >= -0x1p63 && value < 0x1p63;
    int64_t cut = (int64_t)(held ? value : 0.0);
    return held ? cut : INT64_MIN;
}

FH_INLINE uint64_t fh_double_u64(double value)
{
    bool high = value >= 0x1p63 && value < 0x1p64;
    uint64_t above = (uint64_t)(high ? value - 0x1p63 : 0.0) + (UINT64_C(1) << 63);
    return high ? above : (uint64_t)fh_double_i64(value);
}

#endif
