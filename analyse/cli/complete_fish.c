#include "analyse/cli/complete_shell.h"

/* The condition that one of the commands of a flag was given. */
static void add_condition(fh_buffer *out, const fh_flag *flag)
{
    if (fh_flag_belongs(flag, FH_COMMAND_NONE))
        return;
    fh_buffer_add_string(out, " -n '__fish_seen_subcommand_from");
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++) {
        if (!fh_flag_belongs(flag, (fh_command)i))
            continue;
        fh_buffer_add_char(out, ' ');
        fh_complete_add_names(out, (fh_command)i, ' ');
    }
    fh_buffer_add_char(out, '\'');
}

static void add_flag(fh_buffer *out, const fh_flag *flag)
{
    fh_place_of place = fh_place_of_flag(flag);
    fh_buffer_add_string(out, "complete -c foothold");
    add_condition(out, flag);
    if (flag->letter)
        fh_buffer_add_format(out, " -s %c", flag->letter);
    fh_buffer_add_format(out, " -l %s", flag->name);
    if (fh_flag_takes_value(flag))
        fh_buffer_add_string(out, place.kind == FH_PLACE_FILES ? " -r -F" : " -x");
    if (place.kind == FH_PLACE_DIRECTORIES)
        fh_buffer_add_string(out, " -a '(__fish_complete_directories)'");
    if (place.kind == FH_PLACE_WORDS) {
        fh_buffer_add_string(out, " -a '");
        fh_place_add_words(out, &place);
        fh_buffer_add_char(out, '\'');
    }
    fh_buffer_add_string(out, " -d '");
    fh_complete_add_quoted(out, flag->summary, "\\");
    fh_buffer_add_string(out, "'\n");
}

static void add_arguments(fh_buffer *out, fh_command command)
{
    fh_place_of place = fh_place_of_arguments(command);
    if (place.kind == FH_PLACE_NOTHING)
        return;
    fh_buffer_add_string(out, "complete -c foothold -n '__fish_seen_subcommand_from ");
    fh_complete_add_names(out, command, ' ');
    fh_buffer_add_char(out, '\'');
    if (place.kind == FH_PLACE_FILES || place.words_and_files)
        fh_buffer_add_string(out, " -F");
    if (place.kind == FH_PLACE_WORDS) {
        fh_buffer_add_string(out, " -a '");
        fh_place_add_words(out, &place);
        fh_buffer_add_char(out, '\'');
    }
    fh_buffer_add_char(out, '\n');
}

void fh_complete_add_fish(fh_buffer *out)
{
    fh_buffer_add_string(out,
                         "# fish completion for foothold, written by: foothold completion fish\n"
                         "complete -c foothold -f\n");
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++) {
        const fh_command_record *record = fh_command_of((fh_command)i);
        fh_buffer_add_format(out, "complete -c foothold -n __fish_use_subcommand -a %s -d '",
                             record->name);
        fh_complete_add_quoted(out, record->summary, "\\");
        fh_buffer_add_string(out, "'\n");
    }
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++)
        add_arguments(out, (fh_command)i);
    for (unsigned i = 0; i < fh_flag_count; i++)
        add_flag(out, &fh_flags[i]);
}
