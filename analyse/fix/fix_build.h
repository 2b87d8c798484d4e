/* fix_build.h: what the parts of this layer share.
 *
 * Two passes. The first goes over all units with the resolver and collects the literals that reach
 * a device, a backend or os.environ, in whatever unit they stand, and the calls to be renamed. The
 * second takes one unit after the other, with its text, and makes edits.
 */
#ifndef FH_FIX_FIX_BUILD_H
#define FH_FIX_FIX_BUILD_H

#include "analyse/fix/fix.h"
#include "analyse/rules/result.h"
#include "analyse/scan/resolve.h"

typedef enum {
    FH_FIX_DEVICE,   /* value: a string that is a device or device type */
    FH_FIX_BACKEND,  /* value: a string that is a backend of torch.distributed */
    FH_FIX_VARIABLE, /* value: a string that names an environment variable */
    FH_FIX_METHOD,   /* value: the ATTRIBUTE of x.cuda in x.cuda() */
    FH_FIX_SCALER,   /* value: a call of torch.amp.GradScaler without a device */
    FH_FIX_NUMBER,   /* value: an integer that is a device */
} fh_fix_target;

typedef struct {
    uint32_t unit;
    fh_value_index value;
    fh_fix_target target;
    uint32_t rule;
} fh_fix_proposal;

typedef FH_VECTOR(fh_fix_proposal) fh_fix_proposals;

/* What one thread works with. */
typedef struct {
    const fh_load *load;
    const fh_program *program;
    const fh_fix_options *options;
    fh_resolver *resolver;
    fh_arena arena;
    FH_VECTOR(fh_fix_file) files;
    FH_VECTOR(fh_fix_left) left;
    FH_VECTOR(fh_fix_done) done;
    fh_fix_proposals proposals; /* of the first pass */

    /* The unit at hand. */
    uint32_t unit_index;
    const fh_unit *unit;
    fh_text text;
    const fh_fix_proposal *own; /* its proposals */
    uint32_t own_count;
    fh_edits edits;
    bool needs_torch_npu; /* an edit makes the unit use torch_npu */
} fh_fixer;

/* First pass, for one unit. False when memory ran out. */
bool fh_fix_propose(fh_fixer *fixer, uint32_t unit);

/* Second pass, for the unit at hand: reads its file, and keeps the edits that it can take. */
void fh_fix_unit(fh_fixer *fixer, fh_buffer storage[4]);

/* The parts of that. */
void fh_fix_proposed(fh_fixer *fixer); /* .cuda(), gradient scalers, devices that are numbers */
void fh_fix_names(fh_fixer *fixer);    /* torch.cuda.X, imports from torch.cuda */
void fh_fix_switches(fh_fixer *fixer); /* TF32 */
void fh_fix_tests(fh_fixer *fixer);    /* x.is_cuda; after the names */
void fh_fix_strings(fh_fixer *fixer);  /* devices, backends, variables in Python; after the names */
void fh_fix_settings(fh_fixer *fixer); /* scripts and files of settings */
void fh_fix_add_import(fh_fixer *fixer); /* import torch_npu, after all others */

/* The name by which the whole unit has torch, or by which it will have torch_npu: what ".npu" can
 * be written behind. Empty: there is none. */
fh_text fh_fix_torch_name(const fh_fixer *fixer);

/* Replaces the `expected` text at `offset`; when something else stands there, it is left out as
 * unexpected. Nothing happens when the rule is off or a comment says to ignore it there. */
bool fh_fix_edit(fh_fixer *fixer, uint32_t rule, uint32_t offset, fh_text expected, fh_text text);

/* Whether a name says that its value is a device (device, local_dev, map_location), a backend. */
bool fh_fix_is_device_name(fh_text name);
bool fh_fix_is_backend_name(fh_text name);

/* Whether an expression, as written, is a device or backend by its name: `x.device.type`,
 * `str(self.device)`, `args["device"]`, `dist.get_backend()`. */
bool fh_fix_is_named(fh_text operand, bool (*is_name)(fh_text name));

/* Whether a test for CUDA at a value may become one for NPU: not where the function speaks of
 * NPUs already, or goes on with code for CUDA. The edits of names must be made before. */
bool fh_fix_may_test(const fh_fixer *fixer, const fh_value *value, fh_fix_reason *reason);

/* The rule that speaks of an environment variable. */
uint32_t fh_fix_rule_of_variable(fh_text name);

/* Records that something was left as it is. */
void fh_fix_leave(fh_fixer *fixer, fh_fix_reason reason, uint32_t offset, fh_text what);

/* Turns edits of a notebook's joined text into edits of its file `json`; what cannot be placed
 * is left out. */
void fh_fix_notebook(fh_fixer *fixer, fh_text json);

/* Adds the findings of the analysis that neither an edit nor something left accounts for; both
 * must be sorted. False when memory ran out. */
bool fh_fix_add_findings(const fh_load *load, const fh_result *result, fh_fix *fix);

#endif
