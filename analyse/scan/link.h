/* link.h: all units of one analysis, and how they find each other.
 *
 * A program owns its units. fh_program_link indexes them by module path, after
 * which the program is read by any number of threads at once.
 */
#ifndef FH_SCAN_LINK_H
#define FH_SCAN_LINK_H

#include "analyse/scan/program.h"

enum { FH_NO_UNIT = 0xffffffffu };

/* A value of some unit. */
typedef struct {
    uint32_t unit;
    fh_value_index value;
} fh_reference;

/* An argument that some call passes to a parameter. */
typedef struct {
    uint64_t parameter; /* fh_parameter_key */
    fh_reference argument;
    uint64_t inherited; /* 1: a class hands it on to the one it derives from, by super(); of this
                           width, no byte is without a value: it is written to a file as it is */
} fh_binding_argument;

static inline uint64_t fh_parameter_key(uint32_t unit, uint32_t parameter)
{
    return (uint64_t)unit << 32 | parameter;
}

typedef struct {
    FH_VECTOR(fh_unit) units;
    fh_text name;            /* last component of the target: absolute imports may start with it */
    fh_symbols module_paths; /* "pkg/models/layer", "pkg" for pkg/__init__.py */
    fh_symbols module_names; /* the components of module_paths: "pkg", "models", "layer" */
    FH_VECTOR(uint32_t) module_units;        /* unit of each symbol of module_paths */
    FH_VECTOR(fh_binding_argument) passed;   /* sorted by parameter; see bind.h */
    fh_symbols option_names;                 /* of command-line options: dist_backend */
    FH_VECTOR(fh_reference) option_defaults; /* by symbol of option_names */
    FH_VECTOR(uint64_t) tensors; /* keys of parameters that are used as tensors, sorted */
} fh_program;

/* Indexes the units, which the program owns from here on. Fails with FH_NO_MEMORY. */
fh_status fh_program_link(fh_program *program);
void fh_program_free(fh_program *program);

/* The unit that `path` ("a.b.c", or ".a.b" relative) leads to when it is imported in unit `from`.
 * *rest is what is left of the path behind the module's own name ("c"); the result is FH_NO_UNIT
 * when the module is not part of the program. */
uint32_t fh_program_module(const fh_program *program, uint32_t from, fh_text path, fh_text *rest);

#endif
