/* fix.h: the mechanical changes to a program: cuda to npu, nccl to hccl, mixed precision, TF32,
 * names of environment variables.
 *
 * Only what is certain or likely is changed, and only where the text at the place is what it
 * should be. What was seen and left as it is comes with a reason; so does each finding of a rule
 * whose findings are mechanical that no change took care of.
 */
#ifndef FH_FIX_FIX_H
#define FH_FIX_FIX_H

#include "analyse/fix/edit.h"
#include "analyse/rules/rules.h"
#include "analyse/scan/load.h"
#include "base/arena.h"
#include "facts/release.h"

// clang-format off
/*    enumerator       what a summary says */
#define FH_FIX_REASON_MAP(X) \
    X(COMPARED,        "comparison with a device or backend name, of something that may be neither") \
    X(GUARDS_CUDA,     "test for CUDA in a function that goes on to call code for CUDA: decide which way an NPU takes") \
    X(HAS_NPU,         "\"cuda\" where \"npu\" is spoken of already: look whether both are meant") \
    X(KEY,             "\"cuda\" as a key or a word: rename it together with what looks it up") \
    X(UNSURE_STRING,   "\"cuda\" that may not be a device") \
    X(UNSURE_OBJECT,   ".cuda(), .is_cuda or .to(number) of something that may not be a tensor or module") \
    X(NO_COUNTERPART,  "name of CUDA without a mechanical replacement") \
    X(NOT_IN_RELEASE,  "name whose replacement is not in this release of torch_npu") \
    X(MODULE_VALUE,    "torch.cuda used as a value") \
    X(IMPORT,          "import from torch.cuda with names that cannot all be replaced") \
    X(NO_VARIABLE,     "environment variable without a mechanical replacement") \
    X(VARIABLE_READ,   "environment variable that the script reads again under its old name") \
    X(UNSURE_SETTING,  "setting that may not be a device or a backend of torch.distributed") \
    X(NO_IMPORT,       "no torch import at the top level: add `import torch_npu` yourself") \
    X(UNEXPECTED,      "place where the source is written in a way that is not changed mechanically") \
    X(NOTEBOOK,        "line of a notebook that cannot be placed in its file for certain") \
    X(SYNTAX,          "file with a syntax error: what its places mean is not certain") \
    X(ENCODING,        "file in an encoding that is not edited (UTF-16), or that a new name would have to be written in") \
    X(ARCHIVE,         "file inside an archive") \
    X(CHANGED,         "file that changed while it was read") \
    X(FOUND,           "finding that needs thought; foothold rules ID says more")
// clang-format on

#define X(name, text) FH_FIX_##name,
typedef enum { FH_FIX_REASON_MAP(X) FH_FIX_REASONS } fh_fix_reason;
#undef X

const char *fh_fix_reason_text(fh_fix_reason reason);

typedef struct {
    uint32_t unit;
    uint32_t offset; /* in the unit's text; FH_NO_OFFSET: the whole file */
    fh_fix_reason reason;
    fh_text what; /* the name it is about; may be empty */
} fh_fix_left;

/* A place in a unit's text that a change takes care of. */
typedef struct {
    uint32_t unit, offset;
} fh_fix_done;

typedef struct {
    uint32_t unit;
    uint32_t changes; /* edits but for an added import */
    fh_edits edits;   /* sorted; offsets count bytes of the file on disk */
} fh_fix_file;

typedef struct {
    FH_VECTOR(fh_fix_file) files; /* with edits, in the order of units */
    FH_VECTOR(fh_fix_left) left;  /* by unit and place */
    FH_VECTOR(fh_fix_done) done;  /* by unit and place */
    FH_VECTOR(fh_arena) arenas;   /* texts of both */
} fh_fix;

typedef struct {
    fh_release release;
    const bool *enabled; /* by fh_rule_index; NULL: all */
    unsigned jobs;       /* threads; 0: as many as there are processors */
} fh_fix_options;

/* Finds all changes; `fix` must be zero, and the caller frees it, also on failure. The answer does
 * not depend on the number of threads. Fails with FH_NO_MEMORY, FH_INTERRUPTED. */
fh_status fh_fix_find(fh_load *load, const fh_fix_options *options, fh_fix *fix);
void fh_fix_free(fh_fix *fix);

/* The bytes of the file of a unit, read into `storage`. Fails with FH_INVALID when they are not
 * those that the unit was made of, and as fh_walk_read. */
fh_status fh_fix_read(const fh_load *load, uint32_t unit, fh_buffer *storage, fh_text *bytes);

#endif
