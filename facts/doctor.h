/* doctor.h: which versions fit together, and what is wrong with those that are here.
 *
 * Compares what a target asks for (its requirements) and what this machine has with
 * the table of releases (versions.tsv), and says for each thing that does not fit what
 * to do.
 */
#ifndef FH_FACTS_DOCTOR_H
#define FH_FACTS_DOCTOR_H

#include "facts/machine.h"
#include "facts/versions.h"

/* One requirement of a target, borrowed. */
typedef struct {
    fh_text package;    /* name on PyPI; "python" for the interpreter */
    fh_text specifiers; /* ">=2.1,<2.5"; "" for any */
    fh_text file;       /* where it stands */
    uint32_t line;
} fh_pin;

/* Adds what a requirement asks for in the words of PEP 440, which fh_pin has. Takes those of Poetry
 * (python-poetry.org/docs/dependency-specification, 2026-11-30: ^2.1, ~2.1, 2.1, 2.*) and conda
 * (=2.1, =2.1=build, 2.1) too; alternatives ("2.1|2.2") ask for nothing. What is none of these is
 * added as it is. */
void fh_doctor_add_specifiers(fh_buffer *out, fh_text written);

typedef enum { FH_PART_FITS, FH_PART_WRONG, FH_PART_MISSING, FH_PART_UNKNOWN } fh_part_state;

/* A row of the table: what is here, what is asked for, what fits. */
typedef struct {
    fh_text part; /* torch, torch_npu, CANN, driver, Python, triton-ascend */
    fh_text here, asked, fits;
    fh_part_state state;
    fh_text source; /* ids for fh_sources_add */
} fh_doctor_part;

typedef struct {
    fh_text problem, advice; /* sentences */
    fh_text source;          /* ids for fh_sources_add; may be empty */
    fh_text file;            /* empty: the machine */
    uint32_t line;
} fh_doctor_problem;

typedef struct {
    bool has_choice;
    fh_versions choice; /* the release of torch_npu that the parts are compared with */
    FH_VECTOR(fh_versions)
    fitting; /* what the target leaves open: newest torch first, the
                newest torch_npu for each */
    FH_VECTOR(fh_doctor_part) parts;
    FH_VECTOR(fh_doctor_problem) problems;
    fh_arena arena;
} fh_doctor;

/* Examines a target's pins and a machine; either may be missing (NULL). Texts are in the
 * arena, in the tables, or those of pins and machine, which must stay. The caller frees it.
 * Fails with FH_NO_MEMORY. */
fh_status fh_doctor_examine(const fh_machine *machine, const fh_pin *pins, uint32_t pin_count,
                            fh_doctor *doctor);
void fh_doctor_free(fh_doctor *doctor);

const char *fh_part_state_name(fh_part_state state); /* fits, wrong, missing, unknown */

#endif
