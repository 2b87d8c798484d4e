#include "analyse/cli/flags.h"
#include "analyse/cli/options.h"

#include <stddef.h>

_Static_assert(FH_COMMAND_COUNT <= 32, "fh_flag.commands has a bit for each command");

#define ANY FH_ANY_NUMBER
static const fh_command_record commands[FH_COMMAND_COUNT] = {
    [FH_COMMAND_NONE] = {"", "", "", 0, 0, "", ""},
#define COMMAND(id, name, other, arguments, least, most, summary, text) \
    [FH_COMMAND_##id] = {name, other, arguments, least, most, summary, text},
#define FLAG(...)
#include "analyse/cli/flags.def"
#undef COMMAND
#undef FLAG
};

#define ON(id) (1u << FH_COMMAND_##id)
#define ALL UINT32_MAX
#define SCANS (ON(ANALYZE) | ON(FIX) | ON(DUMP_CALLS))
const fh_flag fh_flags[] = {
#define COMMAND(...)
// clang-format off
#define FLAG(name, letter, kind, field, argument, initial, environment, category, on, summary, text) \
    {name, "--" name, letter, FH_FLAG_##kind, offsetof(fh_options, field), argument, initial, \
     environment, FH_FLAGS_##category, on, summary, text},
// clang-format on
#include "analyse/cli/flags.def"
#undef COMMAND
#undef FLAG
};
const unsigned fh_flag_count = sizeof fh_flags / sizeof *fh_flags;

const fh_command_record *fh_command_of(fh_command command)
{
    return &commands[command];
}

fh_command fh_command_find(fh_text name)
{
    for (unsigned i = FH_COMMAND_NONE + 1; name.length && i < FH_COMMAND_COUNT; i++)
        if (fh_text_is(name, commands[i].name) || fh_text_is(name, commands[i].other_name))
            return (fh_command)i;
    return FH_COMMAND_NONE;
}

const fh_flag *fh_flag_find(fh_text name)
{
    for (unsigned i = 0; i < fh_flag_count; i++)
        if (fh_text_is(name, fh_flags[i].name))
            return &fh_flags[i];
    return NULL;
}

const fh_flag *fh_flag_find_letter(char letter)
{
    for (unsigned i = 0; letter && i < fh_flag_count; i++)
        if (fh_flags[i].letter == letter)
            return &fh_flags[i];
    return NULL;
}

bool fh_flag_takes_value(const fh_flag *flag)
{
    return flag->kind != FH_FLAG_SWITCH && flag->kind != FH_FLAG_SWITCH_OFF &&
           flag->kind != FH_FLAG_HELP;
}

bool fh_flag_belongs(const fh_flag *flag, fh_command command)
{
    if (command == FH_COMMAND_NONE)
        return flag->commands == ALL;
    return flag->commands >> command & 1;
}

const char *fh_flag_category_heading(fh_flag_category category)
{
    static const char *const headings[] = {
#define X(name, heading) heading,
        FH_FLAG_CATEGORY_MAP(X)
#undef X
    };
    return headings[category];
}

bool fh_flag_next_choice(fh_text *rest, fh_text *word)
{
    return fh_text_next(rest, '|', word);
}
