/* unit_index.h: what stands near some place of a unit, without a walk through all of it.
 *
 * A rule that asks something of each call, and goes through all calls to answer, takes a time that
 * grows with the square of the file. Here the tables of a unit are sorted by place, each when it
 * is first asked for, in the scratch arena of the run. Without memory nothing is found; the arena
 * remembers it, and the analysis fails.
 */
#ifndef FH_RULES_UNIT_INDEX_H
#define FH_RULES_UNIT_INDEX_H

#include "analyse/rules/run.h"

typedef struct {
    const uint32_t *items;
    uint32_t count;
} fh_slice;

/* Values whose offset is in [from, to), by offset. A bound below 0, as of the first bytes, is 0. */
fh_slice fh_values_near(const fh_rule_run *run, int64_t from, int64_t to);

/* The same of unit->tests: the values, by offset; of one offset in the order of the table. */
fh_slice fh_tests_near(const fh_rule_run *run, int64_t from, int64_t to);

/* Calls that stand in `block` itself, in the order of the table. */
fh_slice fh_calls_in(const fh_rule_run *run, uint32_t block);

/* Imports that stand in `block` itself, in the order of the table. */
fh_slice fh_imports_in(const fh_rule_run *run, uint32_t block);

/* Values that are an attribute of `base`, by index. */
fh_slice fh_attributes_of(const fh_rule_run *run, fh_value_index base);

/* Values `left and right`, by index. */
fh_slice fh_conjunctions_of(const fh_rule_run *run, fh_value_index left);

/* Blocks of kind IF with parent `parent` of which `offset` is within: those whose condition it
 * stands in. Begins as fh_ifs_at(run, parent, offset); each call of fh_ifs_next gives one of them,
 * in no order, and 0 at the end. */
typedef struct {
    const fh_rule_run *run;
    uint32_t parent, offset, next;
} fh_ifs_walk;

fh_ifs_walk fh_ifs_at(const fh_rule_run *run, uint32_t parent, uint32_t offset);
uint32_t fh_ifs_next(fh_ifs_walk *walk);

/* A question about a block whose answer takes a walk through it, so that it is remembered. */
typedef enum {
    FH_BLOCK_IS_FOR_PACKAGE,
    FH_BLOCK_NAMES_PACKAGE,
    FH_BLOCK_CHOOSES_FORMAT,
    FH_BLOCK_QUESTIONS,
} fh_block_question;

bool fh_block_answer(const fh_rule_run *run, uint32_t block, fh_block_question question,
                     bool (*ask)(const fh_rule_run *run, uint32_t block));

#endif
