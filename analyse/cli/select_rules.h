/* select_rules.h: the rules that --rules names. */
#ifndef FH_CLI_SELECT_RULES_H
#define FH_CLI_SELECT_RULES_H

#include "analyse/cli/options.h"
#include "analyse/rules/rules.h"

/* Ids, beginnings of ids ("FH3"), or categories; all when the flag is not given. False, with a
 * message, when one names nothing. */
bool fh_select_rules(const fh_options *options, bool enabled[FH_RULE_COUNT]);

#endif
