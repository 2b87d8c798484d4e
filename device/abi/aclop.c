/* Operators by name (acl_op.h, acl_op_compiler.h): the path before aclnn.
 *
 * No operator is served on this path, so the last call of a client's sequence is
 * refused by the operator's name. What comes before it, descriptions and options,
 * works, so that the client gets as far as that. Values of attributes are checked
 * and not kept: nothing would read them.
 */
#include "device/abi/abi.h"

#include <acl/acl_op_compiler.h>

#include <stdio.h>
#include <string.h>

enum { MOST_DIMENSIONS = 32 };

typedef struct {
    fh_handle head;
    aclDataType dtype;
    aclFormat format;
    int rank;
    int64_t dimensions[MOST_DIMENSIONS];
    char name[128];
} description;

typedef struct {
    fh_handle head;
    void *data;
    size_t size;
} buffer;

typedef struct {
    fh_handle head;
} attributes;

static description *description_of(const char *function, const aclTensorDesc *handle)
{
    if (fh_handle_is(FH_HANDLE_DESCRIPTION, handle))
        return (description *)(uintptr_t)handle;
    fh_abi_fail(function, ACL_ERROR_INVALID_PARAM, "%p is no aclTensorDesc: %s",
                (const void *)handle, fh_handle_name(handle));
    return NULL;
}

static aclError set_shape(const char *function, description *self, int rank,
                          const int64_t *dimensions)
{
    if (!self)
        return ACL_ERROR_INVALID_PARAM;
    if (rank < 0 || rank > MOST_DIMENSIONS || (rank && !dimensions))
        return fh_abi_fail(function, ACL_ERROR_INVALID_PARAM,
                           "%d dimensions; there are 0 to %d, at an address", rank,
                           MOST_DIMENSIONS);
    self->rank = rank;
    for (int i = 0; i < rank; i++)
        self->dimensions[i] = dimensions[i];
    return ACL_SUCCESS;
}

FH_EXPORT aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims,
                                             aclFormat format)
{
    description *self = fh_handle_take(FH_HANDLE_DESCRIPTION, sizeof *self);
    if (!self)
        return NULL;
    self->dtype = dataType;
    self->format = format;
    self->name[0] = 0;
    if (set_shape(__func__, self, numDims, dims)) {
        fh_handle_give(FH_HANDLE_DESCRIPTION, self);
        return NULL;
    }
    return (aclTensorDesc *)self;
}

FH_EXPORT void aclDestroyTensorDesc(const aclTensorDesc *desc)
{
    description *self = description_of(__func__, desc);
    if (self)
        fh_handle_give(FH_HANDLE_DESCRIPTION, self);
}

FH_EXPORT aclDataType aclGetTensorDescType(const aclTensorDesc *desc)
{
    description *self = description_of(__func__, desc);
    return self ? self->dtype : ACL_DT_UNDEFINED;
}

FH_EXPORT aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc)
{
    description *self = description_of(__func__, desc);
    return self ? self->format : ACL_FORMAT_UNDEFINED;
}

FH_EXPORT size_t aclGetTensorDescNumDims(const aclTensorDesc *desc)
{
    description *self = description_of(__func__, desc);
    return self ? (size_t)self->rank : 0;
}

FH_EXPORT aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize)
{
    FH_NEED(dimSize);
    description *self = description_of(__func__, desc);
    if (!self)
        return ACL_ERROR_INVALID_PARAM;
    if (index >= (size_t)self->rank)
        return FH_FAIL(ACL_ERROR_INVALID_PARAM, "dimension %zu of %d", index, self->rank);
    *dimSize = self->dimensions[index];
    return ACL_SUCCESS;
}

FH_EXPORT void aclSetTensorDescName(aclTensorDesc *desc, const char *name)
{
    description *self = description_of(__func__, desc);
    if (self && name)
        snprintf(self->name, sizeof self->name, "%s", name);
}

/* What is stored may differ from what is seen; neither reaches an operator here. */
FH_EXPORT aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format)
{
    (void)format;
    return description_of(__func__, desc) ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}

FH_EXPORT aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    description seen, *self = description_of(__func__, desc);
    return self ? set_shape(__func__, &seen, numDims, dims) : ACL_ERROR_INVALID_PARAM;
}

FH_EXPORT aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType)
{
    (void)memType;
    return description_of(__func__, desc) ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}

FH_EXPORT aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
    buffer *self = fh_handle_take(FH_HANDLE_BUFFER, sizeof *self);
    if (self) {
        self->data = data;
        self->size = size;
    }
    return (aclDataBuffer *)self;
}

FH_EXPORT aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
    if (!fh_handle_is(FH_HANDLE_BUFFER, dataBuffer) ||
        !fh_handle_give(FH_HANDLE_BUFFER, (void *)(uintptr_t)dataBuffer))
        return FH_FAIL(ACL_ERROR_INVALID_PARAM, "no aclDataBuffer given: %s",
                       fh_handle_name(dataBuffer));
    return ACL_SUCCESS;
}

FH_EXPORT aclopAttr *aclopCreateAttr(void)
{
    return fh_handle_take(FH_HANDLE_ATTRIBUTES, sizeof(attributes));
}

FH_EXPORT void aclopDestroyAttr(const aclopAttr *attr)
{
    if (fh_handle_is(FH_HANDLE_ATTRIBUTES, attr))
        fh_handle_give(FH_HANDLE_ATTRIBUTES, (void *)(uintptr_t)attr);
}

/* The setters differ in the values alone. */
#define SETTER(name, ...) \
    FH_EXPORT aclError name(aclopAttr *attr, const char *attrName, __VA_ARGS__) \
    { \
        FH_NEED(attrName); \
        if (!fh_handle_is(FH_HANDLE_ATTRIBUTES, attr)) \
            return FH_FAIL(ACL_ERROR_INVALID_PARAM, "no aclopAttr given: %s", \
                           fh_handle_name(attr)); \
        return ACL_SUCCESS; \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SETTER(aclopSetAttrBool, uint8_t attrValue)
SETTER(aclopSetAttrInt, int64_t attrValue)
SETTER(aclopSetAttrFloat, float attrValue)
SETTER(aclopSetAttrString, const char *attrValue)
SETTER(aclopSetAttrDataType, aclDataType attrValue)
SETTER(aclopSetAttrListBool, int numValues, const uint8_t *values)
SETTER(aclopSetAttrListInt, int numValues, const int64_t *values)
SETTER(aclopSetAttrListFloat, int numValues, const float *values)
SETTER(aclopSetAttrListListInt, int numLists, const int *numValues, const int64_t *const values[])
#pragma GCC diagnostic pop

static aclError refuse(const char *function, const char *type)
{
    aclError error =
        fh_abi_fail(function, ACL_ERROR_OP_NOT_FOUND,
                    "operator %s is not served: this device has no operators by name (aclop), only "
                    "aclnn ones; the aclnn "
                    "operator that the client would have called first is probably not built",
                    type ? type : "(NULL)");
    fprintf(stderr, "foothold: operator %s is not served (aclop)\n", type ? type : "(NULL)");
    return error;
}

FH_EXPORT aclError aclopCompileAndExecute(const char *opType, int numInputs,
                                          const aclTensorDesc *const inputDesc[],
                                          const aclDataBuffer *const inputs[], int numOutputs,
                                          const aclTensorDesc *const outputDesc[],
                                          aclDataBuffer *const outputs[], const aclopAttr *attr,
                                          aclopEngineType engineType, aclopCompileType compileFlag,
                                          const char *opPath, aclrtStream stream)
{
    (void)numInputs, (void)inputDesc, (void)inputs, (void)numOutputs, (void)outputDesc,
        (void)outputs;
    (void)attr, (void)engineType, (void)compileFlag, (void)opPath, (void)stream;
    return refuse(__func__, opType);
}

FH_EXPORT aclError aclopCompileAndExecuteV2(const char *opType, int numInputs,
                                            aclTensorDesc *inputDesc[], aclDataBuffer *inputs[],
                                            int numOutputs, aclTensorDesc *outputDesc[],
                                            aclDataBuffer *outputs[], aclopAttr *attr,
                                            aclopEngineType engineType,
                                            aclopCompileType compileFlag, const char *opPath,
                                            aclrtStream stream)
{
    (void)numInputs, (void)inputDesc, (void)inputs, (void)numOutputs, (void)outputDesc,
        (void)outputs;
    (void)attr, (void)engineType, (void)compileFlag, (void)opPath, (void)stream;
    return refuse(__func__, opType);
}

/* ---- options of the compiler: kept, and told when asked ---- */

enum { OPTIONS = ACL_OP_DEBUG_OPTION + 1, OPTION_BYTES = 256 };
static struct {
    fh_lock lock;
    char values[OPTIONS][OPTION_BYTES];
} compiler = {.values = {[ACL_OP_JIT_COMPILE] = "disable", [ACL_OP_DETERMINISTIC] = "0"}};

static aclError option_of(const char *function, aclCompileOpt opt)
{
    return (unsigned)opt < OPTIONS
               ? ACL_SUCCESS
               : fh_abi_fail(function, ACL_ERROR_INVALID_PARAM, "option %d is not known", opt);
}

FH_EXPORT aclError aclSetCompileopt(aclCompileOpt opt, const char *value)
{
    FH_NEED(value);
    aclError error = option_of(__func__, opt);
    if (error)
        return error;
    if (strlen(value) >= OPTION_BYTES)
        return FH_FAIL(ACL_ERROR_INVALID_PARAM, "the value of option %d has more than %d bytes",
                       opt, OPTION_BYTES - 1);
    fh_lock_take(&compiler.lock);
    strcpy(compiler.values[opt], value);
    fh_lock_release(&compiler.lock);
    return ACL_SUCCESS;
}

FH_EXPORT size_t aclGetCompileoptSize(aclCompileOpt opt)
{
    return option_of(__func__, opt) ? 0 : OPTION_BYTES;
}

FH_EXPORT aclError aclGetCompileopt(aclCompileOpt opt, char *value, size_t length)
{
    FH_NEED(value);
    aclError error = option_of(__func__, opt);
    if (error)
        return error;
    if (length < OPTION_BYTES)
        return FH_FAIL(ACL_ERROR_INVALID_PARAM,
                       "%zu bytes; aclGetCompileoptSize tells how many are needed", length);
    fh_lock_take(&compiler.lock);
    strcpy(value, compiler.values[opt]);
    fh_lock_release(&compiler.lock);
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclopSetCompileFlag(aclOpCompileFlag flag)
{
    if (flag != ACL_OP_COMPILE_DEFAULT && flag != ACL_OP_COMPILE_FUZZ)
        return FH_FAIL(ACL_ERROR_INVALID_PARAM, "flag %d is not known", flag);
    return ACL_SUCCESS; /* nothing is compiled either way */
}
