/* rule.h: what operators ask of their arguments beyond kind and dtype.
 *
 * A rule is one of a few that many rows of facts/ops.def share. The dtypes of a
 * row are one of the sets here.
 */
#ifndef FH_RT_RULE_H
#define FH_RT_RULE_H

#include "device/rt/op.h"

/* The sets of dtypes that rows name. */
#define FH_DTYPES_FLOAT (FH_DTYPE_BIT(FH_F32) | FH_DTYPE_BIT(FH_F16) | FH_DTYPE_BIT(FH_BF16))
#define FH_DTYPES_INTEGER \
    (FH_DTYPE_BIT(FH_I8) | FH_DTYPE_BIT(FH_I16) | FH_DTYPE_BIT(FH_I32) | FH_DTYPE_BIT(FH_I64) | \
     FH_DTYPE_BIT(FH_U8) | FH_DTYPE_BIT(FH_BOOL))
/* What CANN's element-wise and index operators take, DOUBLE on the AI CPU. */
#define FH_DTYPES_NUMBER (FH_DTYPES_FLOAT | FH_DTYPES_INTEGER | FH_DTYPE_BIT(FH_F64))
/* What is moved and not computed with. */
#define FH_DTYPES_ANY \
    (FH_DTYPES_NUMBER | FH_DTYPE_BIT(FH_U16) | FH_DTYPE_BIT(FH_U32) | FH_DTYPE_BIT(FH_U64) | \
     FH_DTYPE_BIT(FH_C32) | FH_DTYPE_BIT(FH_C64) | FH_DTYPE_BIT(FH_C128))

fh_rule fh_rule_none; /* the kernel checks what there is */
fh_rule
    fh_rule_broadcast; /* the other tensors broadcast to the last one; one alone has any shape */
fh_rule fh_rule_same;  /* all tensors have one shape */
fh_rule fh_rule_into_first; /* the other tensors broadcast to the first one */

/* rule_product.c */
fh_rule fh_rule_product;      /* a, b, the result of a @ b */
fh_rule fh_rule_add_product;  /* self, a, b, numbers, the result */
fh_rule fh_rule_into_product; /* self, to which a @ b is added, a, b */
fh_rule fh_rule_add_products; /* the same, summed over batches */
fh_rule fh_rule_into_products;

/* For rules: "[2, 3]"; the last tensor, which is the result of most operators; whether a shape
 * broadcasts to another. */
const char *fh_rule_shape(const fh_view *view, char *text, size_t size);
const fh_view *fh_rule_result(const fh_argument *arguments, unsigned count);
bool fh_rule_broadcasts(const fh_view *from, const fh_view *to);

fh_rule fh_rule_same; /* all tensors have one shape */

#endif
