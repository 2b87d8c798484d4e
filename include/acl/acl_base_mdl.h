/* acl_base_mdl.h: descriptions of tensors for the operator path of acl_op.h.
 *
 * Only what a client needs to describe a tensor and to be told by name that its operator is not
 * served. Create returns NULL without host memory; the caller destroys.
 */
#ifndef FOOTHOLD_ACL_ACL_BASE_MDL_H
#define FOOTHOLD_ACL_ACL_BASE_MDL_H

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_TENSOR_SHAPE_RANGE_NUM 2
#define ACL_TENSOR_VALUE_RANGE_NUM 2
#define ACL_UNKNOWN_RANK 0xFFFFFFFFFFFFFFFE

typedef struct aclTensorDesc aclTensorDesc;

/* Life of a description. */
aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims,
                                   aclFormat format);
void aclDestroyTensorDesc(const aclTensorDesc *desc);

/* What a description says. Sizes are bytes, counts are elements; 0 or -1 for no answer. */
aclDataType aclGetTensorDescType(const aclTensorDesc *desc);
aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc);
size_t aclGetTensorDescSize(const aclTensorDesc *desc);
size_t aclGetTensorDescElementCount(const aclTensorDesc *desc);
size_t aclGetTensorDescNumDims(const aclTensorDesc *desc);
int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index);
aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize);
const char *aclGetTensorDescName(aclTensorDesc *desc);

/* What it says from here on; `name` and `dims` are copied. */
void aclSetTensorDescName(aclTensorDesc *desc, const char *name);
aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format);
aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims);
aclError aclSetTensorOriginFormat(aclTensorDesc *desc, aclFormat format);
aclError aclSetTensorOriginShape(aclTensorDesc *desc, int numDims, const int64_t *dims);
aclError aclSetTensorStorageFormat(aclTensorDesc *desc, aclFormat format);
aclError aclSetTensorStorageShape(aclTensorDesc *desc, int numDims, const int64_t *dims);
aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer, size_t length);
aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType);

#ifdef __cplusplus
}
#endif

#endif
