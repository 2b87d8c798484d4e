/* fusion_width.h: how wide a layer is, and how far that can be trusted.
 *
 * A number that stands in the call is the width. A default of the class that makes the layer is
 * one only where nobody passes another: of the numbers that the file passes by that name, the least
 * and the most are told. A default of a configuration holds for that one. */
#ifndef FH_RULES_FUSION_WIDTH_H
#define FH_RULES_FUSION_WIDTH_H

#include "analyse/rules/fusion.h"

typedef struct {
    int64_t least, most; /* 0 when it is not known */
    const char *said;    /* what to say behind the figure: "", " at the default width", ... */
} fh_width;

/* The argument at `position`, or called `name`, of the call that made the module of `op`. */
fh_width fh_fusion_width(fh_fusion *fusion, const fh_flow_op *op, int position, const char *name);

#endif
