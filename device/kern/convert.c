/* Conversions between all pairs of types that kernels need, each a vectorisable loop. */
#include "device/kern/convert.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

enum { TILE = 16 };

/* Reading: what an element in memory is worth, as a C number. */
#define GET_F32(x) (x)
#define GET_F64(x) (x)
#define GET_F16(x) fh_f16_float(x)
#define GET_BF16(x) fh_bf16_float(x)
#define GET_I8(x) (x)
#define GET_I16(x) (x)
#define GET_I32(x) (x)
#define GET_I64(x) (x)
#define GET_U8(x) (x)
#define GET_U16(x) (x)
#define GET_U32(x) (x)
#define GET_U64(x) (x)
#define GET_BOOL(x) ((x) != 0)

FH_INLINE int32_t integer_i32(int64_t x)
{
    return (int32_t)x;
}
FH_INLINE int64_t integer_i64(int64_t x)
{
    return x;
}
FH_INLINE uint64_t integer_u64(int64_t x)
{
    return (uint64_t)x;
}
FH_INLINE uint64_t float_u64(float x)
{
    return fh_double_u64(x);
}
#define TO_I32(x) \
    _Generic((x), float : fh_float_i32, double : fh_double_i32, default : integer_i32)(x)
#define TO_I64(x) \
    _Generic((x), float : fh_float_i64, double : fh_double_i64, default : integer_i64)(x)
#define TO_U64(x) _Generic((x), float : float_u64, double : fh_double_u64, default : integer_u64)(x)

/* Writing: a C number as an element in memory. */
#define PUT_F32(x) (float)(x)
#define PUT_F64(x) (double)(x)
#define PUT_F16(x) fh_float_f16((float)(x))
#define PUT_BF16(x) fh_float_bf16((float)(x))
#define PUT_I8(x) (int8_t) TO_I32(x)
#define PUT_I16(x) (int16_t) TO_I32(x)
#define PUT_I32(x) TO_I32(x)
#define PUT_I64(x) TO_I64(x)
#define PUT_U8(x) (uint8_t) TO_I64(x)
#define PUT_U16(x) (uint16_t) TO_I32(x)
#define PUT_U32(x) (uint32_t) TO_I64(x)
#define PUT_U64(x) TO_U64(x)
#define PUT_BOOL(x) ((x) != 0)

/* A transposition goes through small tiles, so that whole cache lines are read at a time: lines
 * whose addresses differ by a power of two would push each other out. */
#define RECTANGLE(S, D, expression) \
    if (from_row == 1 && from_col != 1 && to_col == 1 && rows >= 4 && cols >= 4) { \
        for (int64_t r0 = 0; r0 < rows; r0 += TILE) \
            for (int64_t c0 = 0; c0 < cols; c0 += TILE) { \
                int64_t high = rows - r0 < TILE ? rows - r0 : TILE; \
                int64_t wide = cols - c0 < TILE ? cols - c0 : TILE; \
                D tile[TILE][TILE + 1]; \
                for (int64_t c = 0; c < wide; c++) { \
                    const S *s = (const S *)from + r0 + (c0 + c) * from_col; \
                    for (int64_t r = 0; r < high; r++) { \
                        S x = s[r]; \
                        tile[c][r] = expression; \
                    } \
                } \
                for (int64_t r = 0; r < high; r++) { \
                    D *d = (D *)to + (r0 + r) * to_row + c0; \
                    for (int64_t c = 0; c < wide; c++) \
                        d[c] = tile[c][r]; \
                } \
            } \
        return; \
    } \
    for (int64_t r = 0; r < rows; r++) { \
        const S *s = (const S *)from + r * from_row; \
        D *d = (D *)to + r * to_row; \
        if (from_col == 1 && to_col == 1) { \
            FH_IVDEP for (int64_t c = 0; c < cols; c++) \
            { \
                S x = s[c]; \
                d[c] = expression; \
            } \
        } else { \
            for (int64_t c = 0; c < cols; c++) { \
                S x = s[c * from_col]; \
                d[c * to_col] = expression; \
            } \
        } \
    }

#define CONVERSION(name, S, D, expression) \
    FH_SIMD static void name(int64_t rows, int64_t cols, const void *from, int64_t from_row, \
                             int64_t from_col, void *to, int64_t to_row, int64_t to_col) \
    { \
        RECTANGLE(S, D, expression) \
    }

/*    type   C type */
#define TYPES(X) \
    X(F32, float) \
    X(F64, double) \
    X(F16, uint16_t) \
    X(BF16, uint16_t) \
    X(I8, int8_t) \
    X(I16, int16_t) \
    X(I32, int32_t) \
    X(I64, int64_t) \
    X(U8, uint8_t) \
    X(U16, uint16_t) \
    X(U32, uint32_t) \
    X(U64, uint64_t) \
    X(BOOL, uint8_t)

#define X(T, C) \
    CONVERSION(T##_to_F32, C, float, PUT_F32(GET_##T(x))) \
    CONVERSION(T##_to_F64, C, double, PUT_F64(GET_##T(x))) \
    CONVERSION(T##_to_I32, C, int32_t, PUT_I32(GET_##T(x))) \
    CONVERSION(T##_to_I64, C, int64_t, PUT_I64(GET_##T(x))) \
    CONVERSION(T##_of_F32, float, C, PUT_##T(x)) \
    CONVERSION(T##_of_F64, double, C, PUT_##T(x)) \
    CONVERSION(T##_of_I32, int32_t, C, PUT_##T(x)) \
    CONVERSION(T##_of_I64, int64_t, C, PUT_##T(x)) \
    CONVERSION(T##_of_BOOL, uint8_t, C, PUT_##T(x != 0))
TYPES(X)
#undef X

/* f16 by the processor's own instructions, where it has them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define HARDWARE_F16
__attribute__((target("avx,f16c"))) static void f16_to_f32_row(int64_t n, const uint16_t *x,
                                                               float *y)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i))));
    for (; i < n; i++)
        y[i] = fh_f16_float(x[i]);
}

__attribute__((target("avx,f16c"))) static void f32_to_f16_row(int64_t n, const float *x,
                                                               uint16_t *y)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(y + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
    for (; i < n; i++)
        y[i] = fh_float_f16(x[i]);
}

static void f16_to_f32(int64_t rows, int64_t cols, const void *from, int64_t from_row,
                       int64_t from_col, void *to, int64_t to_row, int64_t to_col)
{
    if (from_col != 1 || to_col != 1 || cols < 8) {
        F16_to_F32(rows, cols, from, from_row, from_col, to, to_row, to_col);
        return;
    }
    for (int64_t r = 0; r < rows; r++)
        f16_to_f32_row(cols, (const uint16_t *)from + r * from_row, (float *)to + r * to_row);
}

static void f32_to_f16(int64_t rows, int64_t cols, const void *from, int64_t from_row,
                       int64_t from_col, void *to, int64_t to_row, int64_t to_col)
{
    if (from_col != 1 || to_col != 1 || cols < 8) {
        F16_of_F32(rows, cols, from, from_row, from_col, to, to_row, to_col);
        return;
    }
    for (int64_t r = 0; r < rows; r++)
        f32_to_f16_row(cols, (const float *)from + r * from_row, (uint16_t *)to + r * to_row);
}
#endif

typedef struct {
    uint64_t low, high;
} sixteen;
CONVERSION(move_1, uint8_t, uint8_t, x)
CONVERSION(move_2, uint16_t, uint16_t, x)
CONVERSION(move_4, uint32_t, uint32_t, x)
CONVERSION(move_8, uint64_t, uint64_t, x)
CONVERSION(move_16, sixteen, sixteen, x)

fh_convert *fh_convert_move(size_t size)
{
    switch (size) {
    case 1:
        return move_1;
    case 2:
        return move_2;
    case 4:
        return move_4;
    case 8:
        return move_8;
    default:
        return size == 16 ? move_16 : NULL;
    }
}

typedef struct {
    fh_convert *to_f32, *to_f64, *to_i32, *to_i64;
    fh_convert *of_f32, *of_f64, *of_i32, *of_i64, *of_bool;
} conversions;

static const conversions table[FH_DTYPE_LIMIT] = {
#define X(T, C) \
    [FH_##T] = {T##_to_F32, T##_to_F64, T##_to_I32, T##_to_I64, T##_of_F32, \
                T##_of_F64, T##_of_I32, T##_of_I64, T##_of_BOOL},
    TYPES(X)
#undef X
};

fh_convert *fh_convert_between(fh_dtype from, fh_dtype to)
{
    if (from == to && from != FH_BOOL)
        return fh_convert_move(fh_dtype_size(from));
#ifdef HARDWARE_F16
    if (from == FH_F16 && to == FH_F32 && __builtin_cpu_supports("f16c"))
        return f16_to_f32;
    if (from == FH_F32 && to == FH_F16 && __builtin_cpu_supports("f16c"))
        return f32_to_f16;
#endif
    switch (to) {
    case FH_F32:
        return table[from].to_f32;
    case FH_F64:
        return table[from].to_f64;
    case FH_I32:
        return table[from].to_i32;
    case FH_I64:
        return table[from].to_i64;
    default:
        break;
    }
    switch (from) {
    case FH_F32:
        return table[to].of_f32;
    case FH_F64:
        return table[to].of_f64;
    case FH_I32:
        return table[to].of_i32;
    case FH_I64:
        return table[to].of_i64;
    case FH_BOOL:
        return table[to].of_bool;
    default:
        return from == FH_U8 && to == FH_BOOL ? table[FH_BOOL].of_bool : NULL;
    }
}

void fh_convert_stream(void *to, const void *from, size_t bytes)
{
#ifdef __SSE2__
    char *target = to;
    const char *source = from;
    size_t head = -(uintptr_t)target & 15;
    if (bytes < 64 + head) {
        memcpy(target, source, bytes);
        return;
    }
    memcpy(target, source, head);
    size_t done = head;
    for (; done + 64 <= bytes; done += 64) {
        __m128i a = _mm_loadu_si128((const __m128i *)(source + done));
        __m128i b = _mm_loadu_si128((const __m128i *)(source + done + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(source + done + 32));
        __m128i d = _mm_loadu_si128((const __m128i *)(source + done + 48));
        _mm_stream_si128((__m128i *)(target + done), a);
        _mm_stream_si128((__m128i *)(target + done + 16), b);
        _mm_stream_si128((__m128i *)(target + done + 32), c);
        _mm_stream_si128((__m128i *)(target + done + 48), d);
    }
    memcpy(target + done, source + done, bytes - done);
    _mm_sfence();
#else
    memcpy(to, from, bytes);
#endif
}
