/* What operators of aclnn take (aclnn/acl_meta.h): the C names of rt/tensor.h. */
#include "device/abi/aclnn.h"
#include "device/rt/call.h"
#include <aclnn/aclnn_base.h>

#include <stdlib.h>
#include <string.h>

/* Descriptions that could not be made are NULL; why is told by aclGetRecentErrMsg. */
#define MADE(type, call) \
    do { \
        void *made_ = (call); \
        if (!made_) \
            fh_aclnn_code(__func__, FH_INVALID); \
        return (type *)made_; \
    } while (0)

FH_EXPORT aclnnStatus aclnnInit(const char *configPath)
{
    (void)configPath;
    return fh_aclnn_code(__func__, fh_runtime_start());
}

FH_EXPORT aclnnStatus aclnnFinalize(void)
{
    return 0;
}

FH_EXPORT aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum,
                                     aclDataType dataType, const int64_t *stride, int64_t offset,
                                     aclFormat format, const int64_t *storageDims,
                                     uint64_t storageDimsNum, void *tensorData)
{
    (void)storageDims;
    MADE(aclTensor, fh_tensor_create(viewDims, viewDimsNum, (int)dataType, stride, offset,
                                     (int)format, storageDimsNum, tensorData));
}

FH_EXPORT aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
    return fh_aclnn_code(__func__, fh_tensor_destroy((const fh_tensor *)tensor));
}

static aclnnStatus tensor_of(const char *function, const aclTensor *handle, const void *result,
                             const fh_tensor **tensor)
{
    if (!result || !fh_handle_is(FH_HANDLE_TENSOR, handle)) {
        fh_error(FH_INVALID, "%s",
                 result ? "no aclTensor given" : "the address of a result is NULL");
        return fh_aclnn_code(function, FH_INVALID);
    }
    *tensor = (const fh_tensor *)handle;
    return 0;
}

/* The client frees the array with delete[], which in every C++ library that torch can be linked
 * with is free() for numbers. */
static aclnnStatus give_numbers(const char *function, const int64_t *from, uint32_t count,
                                int64_t **numbers, uint64_t *size)
{
    int64_t *copy = malloc((count ? count : 1) * sizeof *copy);
    if (!copy) {
        fh_error(FH_NO_MEMORY, "no host memory for %u numbers", count);
        return fh_aclnn_code(function, FH_NO_MEMORY);
    }
    memcpy(copy, from, count * sizeof *copy);
    *numbers = copy;
    *size = count;
    return 0;
}

FH_EXPORT aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims,
                                      uint64_t *viewDimsNum)
{
    const fh_tensor *mine = NULL;
    aclnnStatus error =
        tensor_of(__func__, tensor, viewDims && viewDimsNum ? viewDims : NULL, &mine);
    return error ? error
                 : give_numbers(__func__, mine->view.sizes, mine->view.rank, viewDims, viewDimsNum);
}

FH_EXPORT aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue,
                                        uint64_t *stridesNum)
{
    const fh_tensor *mine = NULL;
    aclnnStatus error =
        tensor_of(__func__, tensor, stridesValue && stridesNum ? stridesValue : NULL, &mine);
    return error ? error
                 : give_numbers(__func__, mine->view.strides, mine->view.rank, stridesValue,
                                stridesNum);
}

FH_EXPORT aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset)
{
    const fh_tensor *mine = NULL;
    aclnnStatus error = tensor_of(__func__, tensor, offset, &mine);
    if (!error)
        *offset = mine->offset;
    return error;
}

FH_EXPORT aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format)
{
    const fh_tensor *mine = NULL;
    aclnnStatus error = tensor_of(__func__, tensor, format, &mine);
    if (!error)
        *format = (aclFormat)mine->format;
    return error;
}

FH_EXPORT aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType)
{
    const fh_tensor *mine = NULL;
    aclnnStatus error = tensor_of(__func__, tensor, dataType, &mine);
    if (!error)
        *dataType = (aclDataType)mine->view.dtype;
    return error;
}

FH_EXPORT aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr)
{
    const fh_tensor *mine = NULL;
    aclnnStatus error = tensor_of(__func__, tensor, addr, &mine);
    if (!error)
        *addr = mine->storage;
    return error;
}

FH_EXPORT aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
    MADE(aclScalar, fh_scalar_create(value, (int)dataType));
}

FH_EXPORT aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
    return fh_aclnn_code(__func__, fh_scalar_destroy((const fh_scalar *)scalar));
}

/* Create, destroy and size of each kind of array and list. */
#define ARRAYS(X) \
    X(aclIntArray, aclCreateIntArray, aclDestroyIntArray, aclGetIntArraySize, const int64_t *, \
      FH_ARRAY_INTEGERS) \
    X(aclFloatArray, aclCreateFloatArray, aclDestroyFloatArray, aclGetFloatArraySize, \
      const float *, FH_ARRAY_FLOATS) \
    X(aclBoolArray, aclCreateBoolArray, aclDestroyBoolArray, aclGetBoolArraySize, const bool *, \
      FH_ARRAY_BOOLS) \
    X(aclTensorList, aclCreateTensorList, aclDestroyTensorList, aclGetTensorListSize, \
      const aclTensor *const *, FH_ARRAY_TENSORS) \
    X(aclScalarList, aclCreateScalarList, aclDestroyScalarList, aclGetScalarListSize, \
      const aclScalar *const *, FH_ARRAY_SCALARS)
#define X(type, create, destroy, count_of, items, kind) \
    FH_EXPORT type *create(items value, uint64_t size) \
    { \
        MADE(type, fh_array_create(kind, value, size)); \
    } \
    FH_EXPORT aclnnStatus destroy(const type *array) \
    { \
        return fh_aclnn_code(__func__, fh_array_destroy(kind, (const fh_array *)array)); \
    } \
    FH_EXPORT aclnnStatus count_of(const type *array, uint64_t *size) \
    { \
        if (!size || !fh_array_is(kind, array)) { \
            fh_error(FH_INVALID, size ? "no " #type " given" : "size is NULL"); \
            return fh_aclnn_code(__func__, FH_INVALID); \
        } \
        *size = ((const fh_array *)array)->count; \
        return 0; \
    }
ARRAYS(X)
#undef X

static aclnnStatus call_of(const char *function, aclOpExecutor *executor, fh_call **call)
{
    if (!fh_handle_is(FH_HANDLE_CALL, executor)) {
        fh_error(FH_INVALID, "no aclOpExecutor given: %s", fh_handle_name(executor));
        return fh_aclnn_code(function, FH_INVALID);
    }
    *call = (fh_call *)executor;
    return 0;
}

FH_EXPORT aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
    fh_call *call = NULL;
    aclnnStatus error = call_of(__func__, executor, &call);
    if (!error && atomic_load_explicit(&call->running, memory_order_acquire)) {
        fh_error(FH_INVALID, "the executor runs already; make it repeatable before");
        error = fh_aclnn_code(__func__, FH_INVALID);
    }
    if (!error)
        call->repeatable = true;
    return error;
}

FH_EXPORT aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
    fh_call *call = NULL;
    aclnnStatus error = call_of(__func__, executor, &call);
    return error ? error : fh_aclnn_code(__func__, fh_call_destroy(call));
}
