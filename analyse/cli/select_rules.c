#include "analyse/cli/select_rules.h"

#include <strings.h>

bool fh_select_rules(const fh_options *options, bool enabled[FH_RULE_COUNT])
{
    uint32_t count;
    const fh_rule *rules = fh_rules(&count);
    for (uint32_t i = 0; i < count; i++)
        enabled[i] = options->rules.count == 0;
    for (uint32_t k = 0; k < options->rules.count; k++) {
        fh_text wanted = options->rules.items[k];
        bool found = false;
        for (uint32_t i = 0; i < count; i++) {
            bool matches =
                (wanted.length <= 5 && strncasecmp(rules[i].id, wanted.data, wanted.length) == 0) ||
                fh_text_is(wanted, fh_category_name(rules[i].category));
            enabled[i] |= matches;
            found |= matches;
        }
        if (!found) {
            fh_message(
                "--rules: there is no rule or category \"%.*s\"; `foothold rules` lists them",
                FH_TEXT_ARGS(wanted));
            return false;
        }
    }
    return true;
}
