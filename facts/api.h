/* api.h: what is known of a public name of PyTorch.
 *
 * Names are dotted paths as written after import resolution: torch.nn.Linear,
 * torch.Tensor.softmax. The table comes from torch itself (tools/facts).
 */
#ifndef FH_FACTS_API_H
#define FH_FACTS_API_H

#include "base/text.h"

typedef enum {
    FH_API_MODULE,
    FH_API_CLASS,
    FH_API_FUNCTION,
    FH_API_METHOD,
    FH_API_PROPERTY,
    FH_API_ATTRIBUTE,
} fh_api_kind;

typedef enum {
    FH_RETURNS_UNKNOWN,
    FH_RETURNS_NONE,
    FH_RETURNS_TENSOR,
    FH_RETURNS_TENSORS, /* a tuple or list of them */
    FH_RETURNS_NUMBER,  /* int, float, bool, complex: a host value */
    FH_RETURNS_MODULE,  /* an nn.Module */
    FH_RETURNS_OTHER,
} fh_api_returns;

typedef struct {
    fh_text name; /* canonical */
    fh_api_kind kind;
    fh_api_returns returns;
    fh_text class;    /* matmul, convolution, ...; other */
    bool heavy;       /* compute-intensive */
    fh_text forward;  /* aten overloads that it runs, separated by ',' */
    fh_text backward; /* the same, of its gradient */
    fh_text row;      /* for further columns */
} fh_api;

/* Finds `name`, or what it is another name of; false when PyTorch has no such public name. */
bool fh_api_find(fh_text name, fh_api *api);

#endif
