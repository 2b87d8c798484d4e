/* dtype.h: element types, with CANN's numbers (aclDataType, acl_base_rt.h of CANN 8.5 as the
 * torch_npu 2.13.0 wheel ships it) so that no table stands between the ABI and a kernel. */
#ifndef FH_KERN_DTYPE_H
#define FH_KERN_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*    enumerator      number  bytes  CANN's name */
#define FH_DTYPE_MAP(X) \
    X(FH_F32, 0, 4, "FLOAT") \
    X(FH_F16, 1, 2, "FLOAT16") \
    X(FH_I8, 2, 1, "INT8") \
    X(FH_I32, 3, 4, "INT32") \
    X(FH_U8, 4, 1, "UINT8") \
    X(FH_I16, 6, 2, "INT16") \
    X(FH_U16, 7, 2, "UINT16") \
    X(FH_U32, 8, 4, "UINT32") \
    X(FH_I64, 9, 8, "INT64") \
    X(FH_U64, 10, 8, "UINT64") \
    X(FH_F64, 11, 8, "DOUBLE") \
    X(FH_BOOL, 12, 1, "BOOL") \
    X(FH_C64, 16, 8, "COMPLEX64") \
    X(FH_C128, 17, 16, "COMPLEX128") \
    X(FH_BF16, 27, 2, "BFLOAT16") \
    X(FH_C32, 33, 4, "COMPLEX32")

typedef enum {
#define X(name, number, bytes, text) name = number,
    FH_DTYPE_MAP(X)
#undef X
} fh_dtype;

enum { FH_DTYPE_LIMIT = 34 }; /* above every number */

/* A set of dtypes, a bit each. */
typedef uint64_t fh_dtype_set;
#define FH_DTYPE_BIT(dtype) ((fh_dtype_set)1 << (dtype))

/* Bytes of an element; 0 for a number that is no dtype of ours. */
size_t fh_dtype_size(int dtype);

/* CANN's name of it ("FLOAT16"); "undefined" for a number that is no dtype of ours. */
const char *fh_dtype_name(int dtype);

/* "FLOAT, FLOAT16, INT32": the names of a set, for messages; cut at `size` bytes. */
void fh_dtype_names(fh_dtype_set set, char *text, size_t size);

static inline bool fh_dtype_in(int dtype, fh_dtype_set set)
{
    return dtype >= 0 && dtype < FH_DTYPE_LIMIT && (set >> dtype & 1);
}

#endif
