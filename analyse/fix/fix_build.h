/* fix_build.h: what the parts of this layer share.
 *
 * Two passes. The first goes over all units with the resolver and collects the literals that reach
 * a device, a backend or os.environ, in whatever unit they stand, and the calls to be renamed. The
 * second takes one unit after the other, with its text, and makes edits.
 */
#ifndef FH_FIX_FIX_BUILD_H
#define FH_FIX_FIX_BUILD_H

#include "analyse/fix/fix.h"
#include "analyse/scan/resolve.h"

typedef enum {
    FH_FIX_DEVICE,   /* value: a string that is a device or device type */
    FH_FIX_BACKEND,  /* value: a string that is a backend of torch.distributed */
    FH_FIX_VARIABLE, /* value: a string that names an environment variable */
    FH_FIX_METHOD,   /* value: the ATTRIBUTE of x.cuda in x.cuda() */
    FH_FIX_SCALER,   /* value: a call of torch.amp.GradScaler without a device */
} fh_fix_target;

typedef struct {
    uint32_t unit;
    fh_value_index value;
    fh_fix_target target;
    uint32_t rule;
} fh_fix_proposal;

typedef struct {
    const fh_load *load;
    const fh_program *program;
    const fh_fix_options *options;
    fh_resolver *resolver;
    fh_fix *fix;
    FH_VECTOR(fh_fix_proposal) proposals; /* sorted by unit and value after the first pass */

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

/* Second pass, for the unit at hand. */
void fh_fix_names(fh_fixer *fixer);      /* .cuda(), torch.cuda.X, imports from torch.cuda */
void fh_fix_strings(fh_fixer *fixer);    /* devices, backends, variables in Python */
void fh_fix_settings(fh_fixer *fixer);   /* variables in scripts and files of settings */
void fh_fix_add_import(fh_fixer *fixer); /* import torch_npu, after all others */

/* Replaces the `expected` text at `offset`; when something else stands there, it is left out as
 * unexpected. Nothing happens when the rule is off or a comment says to ignore it there. */
bool fh_fix_edit(fh_fixer *fixer, uint32_t rule, uint32_t offset, fh_text expected, fh_text text);

/* The rule that speaks of an environment variable. */
uint32_t fh_fix_rule_of_variable(fh_text name);

/* Records that something was left as it is. */
void fh_fix_leave(fh_fixer *fixer, fh_fix_reason reason, uint32_t offset, fh_text what);

/* Turns edits of a notebook's joined text into edits of its file `json`; what cannot be placed
 * is left out. */
void fh_fix_notebook(fh_fixer *fixer, fh_text json);

#endif
