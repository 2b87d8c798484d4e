/* soc.h: the chips that are known, and the GPUs they are compared with.
 *
 * The rows, their units and their sources are in soc.def. What differs between
 * chips is a field here; no other code asks for a chip's name. Everything
 * returned is static.
 */
#ifndef FH_FACTS_SOC_H
#define FH_FACTS_SOC_H

#include "base/status.h"
#include "base/text.h"

// clang-format off
/*    enumerator  name */
#define FH_VENDOR_MAP(X) \
    X(ASCEND, "Ascend") \
    X(NVIDIA, "NVIDIA") \
    X(AMD,    "AMD")

/*    enumerator  name      column of support lists, "" where they say nothing */
#define FH_FAMILY_MAP(X) \
    X(FIRST, "Ascend 910",  "") \
    X(INFER, "Ascend 310P", "") \
    X(A2,    "Atlas A2",    "A2") \
    X(A3,    "Atlas A3",    "A3") \
    X(A5,    "Ascend 950",  "950") \
    X(GPU,   "GPU",         "")

#define FH_CONFIDENCE_MAP(X) \
    X(HIGH,   "high") \
    X(MEDIUM, "medium") \
    X(LOW,    "low")
// clang-format on

#define X(name, text) FH_VENDOR_##name,
typedef enum { FH_VENDOR_MAP(X) FH_VENDOR_COUNT } fh_vendor;
#undef X
#define X(name, text, listed) FH_FAMILY_##name,
typedef enum { FH_FAMILY_MAP(X) FH_FAMILY_COUNT } fh_family;
#undef X
#define X(name, text) FH_CONFIDENCE_##name,
typedef enum { FH_CONFIDENCE_MAP(X) FH_CONFIDENCE_COUNT } fh_confidence;
#undef X

/* A row of soc.def, column by column; 0 where a number is not known. */
typedef struct {
    const char *name, *aliases;
    fh_vendor vendor;
    fh_family family;
    const char *product;
    double matrix16, derived16, bf16, matrix32, fast32, matrix8, fp8, fp4; /* 10^12 per second */
    double vector16, vector32, fp64;
    double memory; /* 10^9 bytes */
    const char *memory_type;
    double bandwidth; /* 10^9 bytes per second */
    double matrix_cores, vector_cores, clock, l2;
    double scale_up;
    const char *scale_up_link;
    double scale_out;
    const char *scale_out_link;
    bool has_bf16, has_fast32, has_fp8, has_fp4, has_double;
    bool has_aclnn, has_acl_op, has_infnan, has_triton, trains;
    fh_confidence confidence;
    const char *sources, *note;
} fh_soc;

unsigned fh_soc_count(void);

/* The chip at `index`, in the order of soc.def: Ascend by generation, then GPUs. */
const fh_soc *fh_soc_at(unsigned index);

/* The chip of that name or alias, or NULL. Case, blanks, '-', '_' and a vendor's
 * name at the front do not count: "910b3", "Ascend 910B3", "NVIDIA A100". */
const fh_soc *fh_soc_find(fh_text name);

/* The same with a message. Fails with FH_NOT_FOUND, naming the closest chips. */
fh_status fh_soc_get(fh_text name, const fh_soc **soc);

const fh_soc *fh_soc_default(void);  /* Ascend910B3 */
const fh_soc *fh_soc_baseline(void); /* A100, to compare with */

const char *fh_vendor_name(fh_vendor vendor);
const char *fh_family_name(fh_family family);
const char *fh_family_listed(fh_family family); /* as support lists call it, or "" */
const char *fh_confidence_name(fh_confidence confidence);

#endif
