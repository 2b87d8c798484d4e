/* support.h: what the files support*.c share. */
#ifndef FH_RULES_SUPPORT_H
#define FH_RULES_SUPPORT_H

#include "analyse/rules/call_place.h"
#include "facts/packages.h"

/* The rule that reports a package of that verdict; false when none does. */
bool fh_package_rule(const fh_package *package, fh_rule_index *rule);

/* What is told of a package: what it is, what stands in for it where that is not named anyway, and
 * advice. In the run's arena. */
fh_text fh_package_words(fh_rule_run *run, const fh_package *package);

/* Packages that are not simply there on Ascend: their imports, and uses of those of their parts
 * that have a row of their own in facts/packages.tsv. */
void fh_packages_check_imports(fh_rule_run *run);
void fh_packages_check_uses(fh_rule_run *run, fh_call_places *places);

#endif
