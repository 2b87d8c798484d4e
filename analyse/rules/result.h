/* result.h: what an analysis found; everything the reports show and nothing else.
 *
 * All texts and arrays live in the result's arena, or are static. Lists are in
 * their final order: operators by weight then name, findings by severity, file,
 * line, column, rule. docs/json.md describes the same data for users; a field
 * there has the same name here. Numbers that are not known are negative.
 */
#ifndef FH_RULES_RESULT_H
#define FH_RULES_RESULT_H

#include "analyse/model/intensity.h"
#include "base/arena.h"
#include "base/vector.h"
#include "facts/support.h"

// clang-format off
/*    enumerator   name in reports */
#define FH_CATEGORY_MAP(X) \
    X(COMPUTE,     "compute") \
    X(SUPPORT,     "support") \
    X(FUSION,      "fusion") \
    X(PRECISION,   "precision") \
    X(DISTRIBUTED, "distributed") \
    X(DEVICE,      "device") \
    X(HOST,        "host") \
    X(MEMORY,      "memory")

#define FH_SEVERITY_MAP(X) \
    X(NOTE,    "note") \
    X(WARNING, "warning") \
    X(ERROR,   "error")

// clang-format on

#define X(name, text) FH_CATEGORY_##name,
typedef enum { FH_CATEGORY_MAP(X) FH_CATEGORY_COUNT } fh_category;
#undef X
#define X(name, text) FH_SEVERITY_##name,
typedef enum { FH_SEVERITY_MAP(X) FH_SEVERITY_COUNT } fh_severity;
#undef X

const char *fh_category_name(fh_category category);
const char *fh_severity_name(fh_severity severity);

typedef struct {
    fh_text file;
    uint32_t line, column; /* from 1; line 0: the whole file */
    uint32_t end_line, end_column;
    fh_text function; /* qualified name; "" at module level; of a notebook also the cell */
    fh_text certainty;
    double parameters, flops; /* < 0: not known */
    fh_text per;              /* what flops counts for: "token", "pixel", "sample" */
    /* The same place in the program that was analysed; of a result that was read from JSON 0. */
    uint32_t unit, offset, end; /* end 0: not known */
} fh_location;

typedef struct {
    fh_text name;
    fh_category category;
    fh_text class; /* matmul, convolution, ... */
    fh_support support;
    fh_text kernels, overloads; /* separated by ',' */
    fh_text limits, reason, workaround, source;
    uint32_t count;           /* exact, also when locations are capped */
    uint32_t sized;           /* locations whose sizes are known, of all */
    double parameters, flops; /* sums over those; < 0 when there are none */
    /* Sums for the intensity, over `balanced` locations; not in reports. */
    fh_work work;
    fh_text per;
    uint32_t balanced;
    FH_VECTOR(fh_location) locations;
} fh_operator;

typedef struct {
    fh_text rule; /* "FH101" */
    fh_text title;
    fh_category category;
    fh_severity severity;
    fh_text message, advice, operator;
    fh_location place;
    uint32_t excerpt_line; /* number of the first line of excerpt; 0: there is none */
    fh_text excerpt;       /* source lines, each with '\n' */
    uint32_t count;        /* equal findings that this one stands for */
} fh_finding;

/* The source line that a finding points at, borrowed from its excerpt; false when that does not
 * have it. */
bool fh_finding_line(const fh_finding *finding, fh_text *line);

typedef struct {
    fh_text path, reason; /* skipped files; notes: reason is the message */
    uint32_t line;        /* notes: 0 for the whole file */
} fh_file_note;

typedef struct {
    fh_text file, function, kind; /* kind: training, inference */
    uint32_t line;
} fh_step;

/* One thing to do when profiling; code may be empty. */
typedef struct {
    fh_text title, text, language, code, file;
    uint32_t line;
} fh_plan_item;

/* A chip or GPU as the report shows it. */
typedef struct {
    fh_text name, source;
    double fp16_tflops, fp32_tflops, memory_gbps, memory_gb;
    double ridge, ridge32, ridge8, ridge_vector; /* FLOP per byte: 16 bits, FP32, INT8, vectors */
} fh_chip_summary;

typedef struct {
    fh_text class, bound, reason; /* bound: compute, memory, host, communication */
    uint32_t count;
    double share, low, high; /* share of known FLOPs; speed as a multiple of the baseline's */
    /* FLOP per byte in 16 bits: least and most, < 0 where it is not known or has no end. */
    double intensity_low, intensity_high;
    /* Size of the batch from which on the matrix units are the limit, in 16 bits and in FP32; < 0
     * where it is not known, or never. */
    double turns, turns32;
    fh_text per;     /* what the batch counts: token, pixel, query */
    fh_text formula; /* how the intensity is counted */
    uint32_t sized;  /* sites that it was counted from; 0: holds for the class */
} fh_class_expectation;

typedef struct {
    fh_text rule, title, reason;
    uint32_t rank, count;
} fh_priority;

typedef struct {
    fh_text kind; /* "python" */
    uint32_t count;
} fh_kind_count;

typedef struct {
    fh_text target; /* the first one */
    FH_VECTOR(fh_text) targets;
    fh_text torch, soc, baseline;
    bool partial; /* interrupted */

    uint32_t scanned;
    uint64_t bytes;
    FH_VECTOR(fh_kind_count) kinds;
    FH_VECTOR(fh_file_note) skipped;
    FH_VECTOR(fh_file_note) notes;

    FH_VECTOR(fh_operator) operators;
    FH_VECTOR(fh_finding) findings;

    FH_VECTOR(fh_step) steps;
    FH_VECTOR(fh_plan_item) plan;

    fh_chip_summary chip, reference;
    FH_VECTOR(fh_class_expectation) classes;
    FH_VECTOR(fh_priority) priorities;
    double host_tflops, host_gbps; /* what the CPU is assumed to reach; < 0: not known */
    double range_low, range_high;  /* < 0: not known */
    fh_text range_reason;
    FH_VECTOR(fh_text) unknown;

    uint32_t operator_sites;
    uint32_t by_support[FH_SUPPORT_COUNT];   /* operator sites */
    uint32_t by_severity[FH_SEVERITY_COUNT]; /* findings, grouped ones counted in full */
    FH_VECTOR(fh_priority) by_rule;          /* rule and count */
    fh_arena arena;
} fh_result;

void fh_result_free(fh_result *result);

#endif
