/* What is told of a package: by which rule, and in which words. */
#include "analyse/rules/support.h"

#include <stdio.h>
#include <string.h>

bool fh_package_rule(const fh_package *package, fh_rule_index *rule)
{
    switch (package->verdict) {
    case FH_PACKAGE_BLOCKS:
        *rule = FH_RULE_204;
        return true;
    case FH_PACKAGE_COUNTERPART:
        *rule = FH_RULE_205;
        return true;
    case FH_PACKAGE_PARTIAL:
        *rule = FH_RULE_206;
        return true;
    case FH_PACKAGE_UNKNOWN:
        *rule = FH_RULE_207;
        return true;
    default:
        return false;
    }
}

static bool names(fh_text text, fh_text part)
{
    return text.length && memmem(text.data, text.length, part.data, part.length);
}

/* The counterpart of a package that has one, where what is told names it by no part of its name. */
static fh_text unnamed_counterpart(const fh_package *package)
{
    fh_text name = fh_text_slice(package->counterpart, 0, fh_text_find(package->counterpart, ' '));
    fh_text last = fh_text_last_part(name);
    if (package->verdict != FH_PACKAGE_COUNTERPART || !last.length || names(package->what, last) ||
        names(package->advice, last))
        return (fh_text){0};
    return package->counterpart;
}

fh_text fh_package_words(fh_rule_run *run, const fh_package *package)
{
    char words[1024];
    fh_text instead = unnamed_counterpart(package);
    int length = snprintf(words, sizeof words, "%.*s%s%.*s%s%s%.*s", FH_TEXT_ARGS(package->what),
                          instead.length ? " Instead: " : "", FH_TEXT_ARGS(instead),
                          instead.length ? "." : "", package->advice.length ? " " : "",
                          FH_TEXT_ARGS(package->advice));
    if (length < 0 || (size_t)length >= sizeof words)
        return package->what;
    return fh_arena_copy(run->scratch, (fh_text){words, (size_t)length});
}
