/* acl_op.h: attributes for the operator path that compiles kernels.
 *
 * Attributes are kept, so that a refused operator can be named with them; strings and lists are
 * copied. Create returns NULL without host memory; the caller destroys.
 */
#ifndef FOOTHOLD_ACL_ACL_OP_H
#define FOOTHOLD_ACL_ACL_OP_H

#include "acl/acl_base.h"
#include "acl/acl_dump.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclopAttr aclopAttr;

typedef enum aclEngineType { ACL_ENGINE_SYS, ACL_ENGINE_AICORE, ACL_ENGINE_VECTOR } aclopEngineType;

/* Life of a set of attributes. */
aclopAttr *aclopCreateAttr(void);
void aclopDestroyAttr(const aclopAttr *attr);

/* One attribute by name; a second value replaces the first. */
aclError aclopSetAttrBool(aclopAttr *attr, const char *attrName, uint8_t attrValue);
aclError aclopSetAttrInt(aclopAttr *attr, const char *attrName, int64_t attrValue);
aclError aclopSetAttrFloat(aclopAttr *attr, const char *attrName, float attrValue);
aclError aclopSetAttrString(aclopAttr *attr, const char *attrName, const char *attrValue);
aclError aclopSetAttrDataType(aclopAttr *attr, const char *attrName, aclDataType attrValue);
aclError aclopSetAttrListDataType(aclopAttr *attr, const char *attrName, int numValues,
                                  const aclDataType values[]);
aclError aclopSetAttrListBool(aclopAttr *attr, const char *attrName, int numValues,
                              const uint8_t *values);
aclError aclopSetAttrListInt(aclopAttr *attr, const char *attrName, int numValues,
                             const int64_t *values);
aclError aclopSetAttrListFloat(aclopAttr *attr, const char *attrName, int numValues,
                               const float *values);
aclError aclopSetAttrListString(aclopAttr *attr, const char *attrName, int numValues,
                                const char **values);
aclError aclopSetAttrListListInt(aclopAttr *attr, const char *attrName, int numLists,
                                 const int *numValues, const int64_t *const values[]);

#ifdef __cplusplus
}
#endif

#endif
