#include "analyse/cli/commands.h"
#include "analyse/rules/rules.h"

static void describe(const fh_rule *rule, fh_buffer *out)
{
    fh_buffer_add_format(out, "%s  %s (%s, %s)\n\n%s\n\nWhat to do: %s\n", rule->id, rule->title,
                         fh_category_name(rule->category), fh_severity_name(rule->severity),
                         rule->description, rule->advice);
}

int fh_command_rules(const fh_options *options)
{
    fh_buffer out = {0};
    uint32_t count;
    const fh_rule *rules = fh_rules(&count);
    for (uint32_t i = 0; i < options->arguments.count; i++) {
        const fh_rule *rule = fh_rule_find(fh_text_from(options->arguments.items[i]));
        if (!rule) {
            fh_message("there is no rule %s; `foothold rules` lists them",
                       options->arguments.items[i]);
            fh_buffer_free(&out);
            return FH_EXIT_ERROR;
        }
        if (i)
            fh_buffer_add_char(&out, '\n');
        describe(rule, &out);
    }
    for (uint32_t i = 0; !options->arguments.count && i < count; i++)
        fh_buffer_add_format(&out, "%s  %-7s  %-11s  %s\n", rules[i].id,
                             fh_severity_name(rules[i].severity),
                             fh_category_name(rules[i].category), rules[i].title);
    int code = fh_command_print(fh_buffer_text(&out));
    fh_buffer_free(&out);
    return code;
}
