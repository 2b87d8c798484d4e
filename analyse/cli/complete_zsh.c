#include "analyse/cli/complete_shell.h"

static void add_action(fh_buffer *out, const fh_place_of *place)
{
    switch (place->kind) {
    case FH_PLACE_NOTHING:
        fh_buffer_add_string(out, " ");
        break;
    case FH_PLACE_WORDS:
        /* Files as a second alternative are left to the user's own file completion. */
        fh_buffer_add_string(out, "(");
        fh_place_add_words(out, place);
        fh_buffer_add_string(out, ")");
        break;
    case FH_PLACE_FILES:
        fh_buffer_add_string(out, "_files");
        break;
    case FH_PLACE_DIRECTORIES:
        fh_buffer_add_string(out, "_files -/");
        break;
    }
}

static bool is_repeatable(const fh_flag *flag)
{
    return flag->kind == FH_FLAG_RULES || flag->kind == FH_FLAG_PATTERN ||
           flag->kind == FH_FLAG_OUTPUT;
}

/* One specification for _arguments: '*'{-o+,--output=}'[summary]:FILE:_files' */
static void add_flag(fh_buffer *out, const fh_flag *flag)
{
    fh_place_of place = fh_place_of_flag(flag);
    bool value = fh_flag_takes_value(flag);
    fh_buffer_add_string(out, " \\\n                ");
    if (flag->letter)
        fh_buffer_add_format(out, is_repeatable(flag) ? "'*'" : "'(-%c --%s)'", flag->letter,
                             flag->name);
    if (flag->letter)
        fh_buffer_add_format(out, "{-%c%s,--%s%s}'", flag->letter, value ? "+" : "", flag->name,
                             value ? "=" : "");
    else
        fh_buffer_add_format(out, "'%s--%s%s", is_repeatable(flag) ? "*" : "", flag->name,
                             value ? "=" : "");
    fh_buffer_add_char(out, '[');
    fh_complete_add_quoted(out, flag->summary, "[]:\\");
    fh_buffer_add_char(out, ']');
    if (value) {
        fh_buffer_add_char(out, ':');
        fh_complete_add_quoted(out, flag->argument, ":\\");
        fh_buffer_add_char(out, ':');
        add_action(out, &place);
    }
    fh_buffer_add_char(out, '\'');
}

static void add_command(fh_buffer *out, fh_command command)
{
    fh_place_of place = fh_place_of_arguments(command);
    fh_buffer_add_string(out, "        ");
    fh_complete_add_names(out, command, '|');
    fh_buffer_add_string(out, command ? ")\n            _arguments -s -S '1: : '"
                                      : "*)\n            _arguments -s -S");
    for (unsigned i = 0; i < fh_flag_count; i++)
        if (fh_flag_belongs(&fh_flags[i], command))
            add_flag(out, &fh_flags[i]);
    fh_buffer_add_string(out, " \\\n                ");
    if (command == FH_COMMAND_NONE) {
        fh_buffer_add_string(out, "'1:command:{_describe command commands}'");
    } else if (place.words_and_files) {
        fh_buffer_add_string(out, "'2:what:(");
        fh_place_add_words(out, &place);
        fh_buffer_add_string(out, ")' '*:file:_files'");
    } else {
        fh_buffer_add_string(out, "'*:argument:");
        add_action(out, &place);
        fh_buffer_add_string(out, "'");
    }
    fh_buffer_add_string(out, "\n            ;;\n");
}

void fh_complete_add_zsh(fh_buffer *out)
{
    fh_buffer_add_string(out, "#compdef foothold\n"
                              "# zsh completion for foothold, written by: foothold completion zsh\n"
                              "_foothold() {\n"
                              "    local word command=''\n"
                              "    local -a commands=(\n");
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++) {
        const fh_command_record *record = fh_command_of((fh_command)i);
        fh_buffer_add_format(out, "        '%s:", record->name);
        fh_complete_add_quoted(out, record->summary, ":\\");
        fh_buffer_add_string(out, "'\n");
    }
    fh_buffer_add_string(out, "    )\n");
    fh_complete_add_command_loop(out, "${(@)words[2,CURRENT-1]}");
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++)
        add_command(out, (fh_command)i);
    add_command(out, FH_COMMAND_NONE);
    fh_buffer_add_string(out, "    esac\n"
                              "}\n"
                              "if [[ $funcstack[1] == _foothold ]]; then\n"
                              "    _foothold \"$@\"\n"
                              "else\n"
                              "    compdef _foothold foothold\n"
                              "fi\n");
}
