/* kept_build.h: what the files kept*.c share. */
#ifndef FH_RULES_KEPT_BUILD_H
#define FH_RULES_KEPT_BUILD_H

#include "analyse/rules/kept.h"
#include "analyse/scan/unit_match.h"
#include "os/lock.h"

/* What the file says of the program as it was. */
typedef struct {
    fh_hash128 *contents; /* by unit */
    FH_VECTOR(fh_binding_argument) passed;
    FH_VECTOR(uint64_t) tensors;
    FH_VECTOR(fh_reference) options;
} kept_program;

/* A unit whose file has another content now. */
typedef struct {
    uint32_t unit;
    fh_unit before;
    fh_unit_match *match; /* NULL: taken to differ in all */
    bool same_file;       /* fh_unit_match_file */
    uint8_t *names;       /* by symbol of kept->names: a kept_answer */
} kept_change;

typedef enum { KEPT_NOT_ASKED, KEPT_SAME, KEPT_OTHER } kept_answer;

struct fh_kept {
    fh_buffer path, file;
    const fh_load *load;
    const fh_program *program;
    fh_hash128 choices, identity; /* of the paths and options of the program */
    kept_program before;
    fh_symbols names; /* that records speak of */
    fh_lock lock;     /* guards `names` while records are added */
    fh_text *found;   /* by unit: the record in `file`, or empty */
    uint8_t *current; /* by unit: the record holds */
    fh_buffer *added; /* by unit: the new record, or empty */
};

/* In front of what was found in one unit: then come the units it depends on, the names that were
 * looked up everywhere, the sites and the findings, each with its texts behind it. */
typedef struct {
    uint32_t unit, bytes; /* of all that belongs to it, this head included */
    uint32_t depends, everywhere, sites, findings;
} kept_head;

/* The units that were looked at, in their order, stand as small numbers (fh_kept_take_number): how
 * far a unit is behind the one before, how many names were looked up in it, and of these, in order,
 * how far each is behind the one before (symbols of kept->names; 0: all of the unit counts). */
typedef struct {
    uint32_t unit, names;
} kept_depend;

/* The next unit that a record depends on: *depend is the one before, or zero. False where the
 * record ends. */
bool fh_kept_take_depend(fh_text *rest, kept_depend *depend);

/* Takes a number off the front of *rest: 7 bits a byte, the lowest first, 128 added to all bytes
 * but the last. False when there is none. */
bool fh_kept_take_number(fh_text *rest, uint32_t *number);

/* Takes `size` bytes off the front of *rest; false when there are not so many. */
bool fh_kept_take_bytes(fh_text *rest, void *out, size_t size);
bool fh_kept_take_text(fh_text *rest, size_t length, fh_text *out);

/* Bytes as fh_kept_take_bytes takes them. */
void fh_kept_add_bytes(fh_buffer *out, const void *data, size_t size);

/* Fills kept->current from kept->before, kept->found and the program as it is (kept_compare.c).
 * Running out of memory only means that less holds. */
void fh_kept_compare(fh_kept *kept);

#endif
