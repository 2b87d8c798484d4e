/* tensor.h: descriptions of operands, as clients build them for aclnn calls.
 *
 * Descriptions are handles that clients destroy as soon as a call has taken
 * them, so a call copies what it needs. Addresses in them are the client's.
 */
#ifndef FH_RT_TENSOR_H
#define FH_RT_TENSOR_H

#include "device/kern/argument.h"
#include "device/rt/handle.h"

typedef struct {
    fh_handle head;
    int32_t format; /* aclFormat */
    fh_view view;   /* its data is the client's address of the first element */
    int64_t offset; /* elements from the storage's start to the first element */
    void *storage;  /* client address */
    uint32_t storage_rank;
} fh_tensor;

typedef struct {
    fh_handle head;
    fh_number number;
} fh_scalar;

/* What an array or list holds. */
typedef enum {
    FH_ARRAY_INTEGERS,
    FH_ARRAY_FLOATS,
    FH_ARRAY_BOOLS,
    FH_ARRAY_TENSORS,
    FH_ARRAY_SCALARS,
} fh_array_kind;

enum { FH_ARRAY_INLINE = 56 };

typedef struct {
    fh_handle head;
    fh_array_kind kind;
    uint32_t count;
    union {
        void *items; /* `place`, or a block of its own */
        int64_t *integers;
        float *floats;
        bool *bools;
        fh_tensor **tensors;
        fh_scalar **scalars;
    };
    int64_t place[FH_ARRAY_INLINE];
} fh_array;

/* Describes a tensor; `strides` NULL means contiguous. Fails (NULL) with FH_INVALID when the rank
 * is above FH_MAX_RANK, a size is negative, a size or the dtype is unknown, FH_LIMIT, FH_NO_MEMORY.
 */
fh_tensor *fh_tensor_create(const int64_t *sizes, uint64_t rank, int dtype, const int64_t *strides,
                            int64_t offset, int format, uint64_t storage_rank, void *storage);
fh_status fh_tensor_destroy(const fh_tensor *tensor);

/* A number, read from `value` as `dtype` says. */
fh_scalar *fh_scalar_create(const void *value, int dtype);
fh_status fh_scalar_destroy(const fh_scalar *scalar);

/* A copy of `count` items; lists take their tensors or scalars over and destroy them. */
fh_array *fh_array_create(fh_array_kind kind, const void *items, uint64_t count);
fh_status fh_array_destroy(fh_array_kind kind, const fh_array *array);

/* Whether a pointer is an array of that kind. */
bool fh_array_is(fh_array_kind kind, const void *array);

#endif
