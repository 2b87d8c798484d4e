#include "analyse/cli/complete_shell.h"

/* `      -o | --output)`: the pattern of a case for one flag. */
static void add_flag_pattern(fh_buffer *out, const fh_flag *flag)
{
    fh_buffer_add_string(out, "        ");
    if (flag->letter)
        fh_buffer_add_format(out, "-%c | ", flag->letter);
    fh_buffer_add_format(out, "--%s) ", flag->name);
}

/* Without an answer bash completes file names (complete -o default). */
static void add_flag_values(fh_buffer *out)
{
    for (unsigned i = 0; i < fh_flag_count; i++) {
        fh_place_of place = fh_place_of_flag(&fh_flags[i]);
        if (!fh_flag_takes_value(&fh_flags[i]))
            continue;
        add_flag_pattern(out, &fh_flags[i]);
        if (place.kind == FH_PLACE_WORDS) {
            fh_buffer_add_string(out, "COMPREPLY=($(compgen -W '");
            fh_place_add_words(out, &place);
            fh_buffer_add_string(out, "' -- \"$current\")); ");
        } else if (place.kind == FH_PLACE_DIRECTORIES) {
            fh_buffer_add_string(out, "compopt +o default -o dirnames; ");
        } else if (place.kind == FH_PLACE_NOTHING) {
            fh_buffer_add_string(out, "compopt +o default; ");
        }
        fh_buffer_add_string(out, "return ;;\n");
    }
}

static void add_words_of_command(fh_buffer *out, fh_command command)
{
    fh_place_of place = fh_place_of_arguments(command);
    fh_buffer_add_string(out, "        ");
    fh_complete_add_names(out, command, '|');
    fh_buffer_add_string(out, command ? ") flags='" : "'') flags='");
    bool first = true;
    for (unsigned i = 0; i < fh_flag_count; i++) {
        if (!fh_flag_belongs(&fh_flags[i], command))
            continue;
        fh_buffer_add_format(out, "%s--%s", first ? "" : " ", fh_flags[i].name);
        first = false;
    }
    fh_buffer_add_string(out, "' words='");
    if (place.kind == FH_PLACE_WORDS)
        fh_place_add_words(out, &place);
    fh_buffer_add_string(out, "'");
    if (place.kind == FH_PLACE_NOTHING || (place.kind == FH_PLACE_WORDS && !place.words_and_files))
        fh_buffer_add_string(out, "; [[ $current == -* ]] || compopt +o default");
    fh_buffer_add_string(out, " ;;\n");
}

void fh_complete_add_bash(fh_buffer *out)
{
    fh_buffer_add_string(
        out, "# bash completion for foothold, written by: foothold completion bash\n"
             "_foothold() {\n"
             "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
             "    local word command='' flags='' words=''\n"
             "    COMPREPLY=()\n"
             "    # bash makes three words of --flag=value.\n"
             "    if [[ $current == '=' ]]; then\n"
             "        current=''\n"
             "    elif [[ $previous == '=' ]]; then\n"
             "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
             "    fi\n"
             "    case $previous in\n");
    add_flag_values(out);
    fh_buffer_add_string(out, "    esac\n");
    fh_complete_add_command_loop(out, "${COMP_WORDS[@]:1:COMP_CWORD-1}");
    for (unsigned i = FH_COMMAND_NONE; i < FH_COMMAND_COUNT; i++)
        add_words_of_command(out, (fh_command)i);
    fh_buffer_add_string(out, "    esac\n"
                              "    [[ $current == -* ]] && words=$flags\n"
                              "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                              "}\n"
                              "complete -o default -F _foothold foothold\n");
}
