#include "analyse/rules/rules.h"

#include <string.h>
#include <strings.h>

static const fh_rule rules[] = {
#define RULE(id, category, about, severity, title, advice, description) \
    {"FH" #id,   FH_CATEGORY_##category, FH_ABOUT_##about, FH_SEVERITY_##severity, title, advice, \
     description},
#include "analyse/rules/rules.def"
#undef RULE
};

const fh_rule *fh_rules(uint32_t *count)
{
    *count = FH_RULE_COUNT;
    return rules;
}

const fh_rule *fh_rule_at(uint32_t index)
{
    return &rules[index];
}

const fh_rule *fh_rule_find(fh_text id)
{
    for (uint32_t i = 0; i < FH_RULE_COUNT; i++)
        if (id.length == strlen(rules[i].id) && strncasecmp(id.data, rules[i].id, id.length) == 0)
            return &rules[i];
    return NULL;
}
