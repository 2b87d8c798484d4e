#include "device/rt/tensor.h"
#include "base/memory.h"
#include "device/kern/convert.h"

#include <string.h>

/* Bytes from the lowest to the highest element must be countable. */
static bool fits(const fh_view *view)
{
    int64_t reach = 1, step, size = (int64_t)fh_dtype_size((int)view->dtype);
    for (uint32_t i = 0; i < view->rank; i++) {
        if (view->sizes[i] < 0)
            return false;
        if (view->sizes[i] < 2)
            continue;
        int64_t stride = view->strides[i];
        if (stride == INT64_MIN)
            return false;
        stride = stride < 0 ? -stride : stride;
        if (__builtin_mul_overflow(view->sizes[i] - 1, stride, &step) ||
            __builtin_add_overflow(reach, step, &reach))
            return false;
    }
    int64_t count = 1;
    for (uint32_t i = 0; i < view->rank; i++)
        if (__builtin_mul_overflow(count, view->sizes[i] ? view->sizes[i] : 1, &count))
            return false;
    return !__builtin_mul_overflow(reach, size, &reach) &&
           !__builtin_mul_overflow(count, size, &count);
}

static fh_status describe(fh_view *view, const int64_t *sizes, uint64_t rank, int dtype,
                          const int64_t *strides)
{
    if (!fh_dtype_size(dtype))
        return fh_error(FH_UNSUPPORTED, "aclCreateTensor: dtype %d is none that this device has",
                        dtype);
    if (rank > FH_MAX_RANK)
        return fh_error(FH_INVALID, "aclCreateTensor: %llu dimensions; a tensor has at most %d",
                        (unsigned long long)rank, FH_MAX_RANK);
    if (rank && !sizes)
        return fh_error(FH_INVALID, "aclCreateTensor: viewDims is NULL for %llu dimensions",
                        (unsigned long long)rank);
    view->dtype = (fh_dtype)dtype;
    view->rank = (uint32_t)rank;
    int64_t stride = 1;
    for (uint32_t i = (uint32_t)rank; i-- > 0;) {
        view->sizes[i] = sizes[i];
        view->strides[i] = strides ? strides[i] : stride;
        if (!strides && sizes[i] > 1 && __builtin_mul_overflow(stride, sizes[i], &stride))
            stride = INT64_MAX;
    }
    return fits(view) ? FH_OK
                      : fh_error(FH_INVALID,
                                 "aclCreateTensor: the sizes are negative or too large to count");
}

fh_tensor *fh_tensor_create(const int64_t *sizes, uint64_t rank, int dtype, const int64_t *strides,
                            int64_t offset, int format, uint64_t storage_rank, void *storage)
{
    fh_tensor *tensor = fh_handle_take(FH_HANDLE_TENSOR, sizeof *tensor);
    if (!tensor)
        return NULL;
    if (describe(&tensor->view, sizes, rank, dtype, strides)) {
        fh_handle_give(FH_HANDLE_TENSOR, tensor);
        return NULL;
    }
    tensor->format = format;
    tensor->offset = offset;
    tensor->storage = storage;
    tensor->storage_rank = (uint32_t)storage_rank;
    /* As numbers: an empty tensor may have no storage, and arithmetic on NULL is not C. */
    tensor->view.data = (void *)((uintptr_t)storage + (uintptr_t)offset * fh_dtype_size(dtype));
    return tensor;
}

fh_status fh_tensor_destroy(const fh_tensor *tensor)
{
    if (!fh_handle_is(FH_HANDLE_TENSOR, tensor) ||
        !fh_handle_give(FH_HANDLE_TENSOR, (void *)(uintptr_t)tensor))
        return fh_error(FH_INVALID, "aclDestroyTensor: %s given", fh_handle_name(tensor));
    return FH_OK;
}

static fh_number read_number(const void *value, fh_dtype dtype)
{
    fh_number number = {.dtype = dtype};
    union {
        float f32;
        double f64;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        int64_t i64;
        float c64[2];
        double c128[2];
        uint16_t c32[2];
        uint8_t u8;
        int8_t i8;
    } as;
    memcpy(&as, value, fh_dtype_size((int)dtype));
    switch (dtype) {
    case FH_F32:
        number.f64 = (double)as.f32;
        break;
    case FH_F64:
        number.f64 = as.f64;
        break;
    case FH_F16:
        number.f64 = (double)fh_f16_float(as.u16);
        break;
    case FH_BF16:
        number.f64 = (double)fh_bf16_float(as.u16);
        break;
    case FH_I8:
        number.i64 = as.i8;
        break;
    case FH_U8:
        number.i64 = as.u8;
        break;
    case FH_BOOL:
        number.i64 = as.u8 != 0;
        break;
    case FH_I16:
        number.i64 = as.i16;
        break;
    case FH_U16:
        number.i64 = as.u16;
        break;
    case FH_I32:
        number.i64 = as.i32;
        break;
    case FH_U32:
        number.i64 = as.u32;
        break;
    case FH_I64:
        number.i64 = as.i64;
        break;
    case FH_U64:
        number.u64 = as.u64;
        break;
    case FH_C32:
    case FH_C64:
    case FH_C128:
        for (int i = 0; i < 2; i++)
            number.complex_[i] = dtype == FH_C128  ? as.c128[i]
                                 : dtype == FH_C64 ? (double)as.c64[i]
                                                   : (double)fh_f16_float(as.c32[i]);
        break;
    }
    return number;
}

fh_scalar *fh_scalar_create(const void *value, int dtype)
{
    if (!value || !fh_dtype_size(dtype)) {
        fh_error(FH_INVALID, "aclCreateScalar: %s", value ? "an unknown dtype" : "value is NULL");
        return NULL;
    }
    fh_scalar *scalar = fh_handle_take(FH_HANDLE_SCALAR, sizeof *scalar);
    if (scalar)
        scalar->number = read_number(value, (fh_dtype)dtype);
    return scalar;
}

fh_status fh_scalar_destroy(const fh_scalar *scalar)
{
    if (!fh_handle_is(FH_HANDLE_SCALAR, scalar) ||
        !fh_handle_give(FH_HANDLE_SCALAR, (void *)(uintptr_t)scalar))
        return fh_error(FH_INVALID, "aclDestroyScalar: %s given", fh_handle_name(scalar));
    return FH_OK;
}

/* Bytes of an item. */
static size_t item_size(fh_array_kind kind)
{
    static const uint8_t sizes[] = {[FH_ARRAY_INTEGERS] = sizeof(int64_t),
                                    [FH_ARRAY_FLOATS] = sizeof(float),
                                    [FH_ARRAY_BOOLS] = sizeof(bool),
                                    [FH_ARRAY_TENSORS] = sizeof(fh_tensor *),
                                    [FH_ARRAY_SCALARS] = sizeof(fh_scalar *)};
    return sizes[kind];
}

fh_array *fh_array_create(fh_array_kind kind, const void *items, uint64_t count)
{
    if (count > INT32_MAX || (count && !items)) {
        fh_error(FH_INVALID, "an array or list of %llu items: %s", (unsigned long long)count,
                 items ? "too many" : "their address is NULL");
        return NULL;
    }
    fh_array *array = fh_handle_take(FH_HANDLE_ARRAY, sizeof *array);
    if (!array)
        return NULL;
    size_t bytes = (size_t)count * item_size(kind);
    array->kind = kind;
    array->count = (uint32_t)count;
    array->items = bytes <= sizeof array->place ? array->place : fh_alloc(bytes);
    if (!array->items) {
        fh_error(FH_NO_MEMORY, "no host memory for a list of %llu items",
                 (unsigned long long)count);
        fh_handle_give(FH_HANDLE_ARRAY, array);
        return NULL;
    }
    if (bytes)
        memcpy(array->items, items, bytes);
    return array;
}

bool fh_array_is(fh_array_kind kind, const void *array)
{
    return fh_handle_is(FH_HANDLE_ARRAY, array) && ((const fh_array *)array)->kind == kind;
}

fh_status fh_array_destroy(fh_array_kind kind, const fh_array *array)
{
    if (!fh_array_is(kind, array))
        return fh_error(FH_INVALID, "%s given where an array or list is to be destroyed",
                        fh_handle_name(array));
    fh_array *self = (fh_array *)(uintptr_t)array;
    void *items = self->items == self->place ? NULL : self->items;
    for (uint32_t i = 0; i < self->count; i++)
        if (kind == FH_ARRAY_TENSORS && self->tensors[i])
            fh_tensor_destroy(self->tensors[i]);
        else if (kind == FH_ARRAY_SCALARS && self->scalars[i])
            fh_scalar_destroy(self->scalars[i]);
    if (!fh_handle_give(FH_HANDLE_ARRAY, self))
        return fh_error(FH_INVALID, "an array or list was destroyed twice");
    fh_free(items);
    return FH_OK;
}
