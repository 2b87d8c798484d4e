#include "analyse/cli/complete.h"
#include "analyse/cli/complete_shell.h"
#include "facts/soc.h"

#include <string.h>

fh_place_of fh_place_of_flag(const fh_flag *flag)
{
    fh_place_of place = {.flag = flag};
    switch (flag->kind) {
    case FH_FLAG_CHOICE:
    case FH_FLAG_TOGGLE:
    case FH_FLAG_ASCEND:
    case FH_FLAG_CHIP:
        place.kind = FH_PLACE_WORDS;
        break;
    case FH_FLAG_FILE:
    case FH_FLAG_OUTPUT:
        place.kind = FH_PLACE_FILES;
        break;
    case FH_FLAG_DIRECTORY:
        place.kind = FH_PLACE_DIRECTORIES;
        break;
    default:
        place.kind = FH_PLACE_NOTHING;
    }
    return place;
}

/* The words in lower case of what a record says about arguments are meant literally. */
static bool next_literal(const char **rest, fh_text *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    *rest += strcspn(*rest, letters);
    *word = (fh_text){*rest, strspn(*rest, letters)};
    *rest += word->length;
    return word->length > 0;
}

fh_place_of fh_place_of_arguments(fh_command command)
{
    fh_place_of place = {.command = command};
    const char *rest = fh_command_of(command)->arguments;
    fh_text arguments = fh_text_from(rest), word;
    bool files = fh_text_contains(arguments, "PATH") || fh_text_contains(arguments, "FILE") ||
                 fh_text_contains(arguments, "PROGRAM");
    bool words = command == FH_COMMAND_NONE || fh_text_contains(arguments, "CHIP") ||
                 fh_text_contains(arguments, "COMMAND") || next_literal(&rest, &word);
    place.kind = words ? FH_PLACE_WORDS : files ? FH_PLACE_FILES : FH_PLACE_NOTHING;
    place.words_and_files = words && files;
    return place;
}

static void add_word(fh_buffer *out, fh_text word, size_t start)
{
    if (!word.length)
        return;
    if (out->length > start)
        fh_buffer_add_char(out, ' ');
    fh_buffer_add(out, word);
}

static void add_chips(fh_buffer *out, size_t start, bool only_ascend)
{
    for (unsigned i = 0; i < fh_soc_count(); i++)
        if (fh_soc_at(i)->vendor == FH_VENDOR_ASCEND || !only_ascend)
            add_word(out, fh_text_from(fh_soc_at(i)->name), start);
}

static void add_commands(fh_buffer *out, size_t start)
{
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++)
        add_word(out, fh_text_from(fh_command_of((fh_command)i)->name), start);
}

void fh_place_add_words(fh_buffer *out, const fh_place_of *place)
{
    size_t start = out->length;
    fh_text word;
    if (place->flag &&
        (place->flag->kind == FH_FLAG_CHOICE || place->flag->kind == FH_FLAG_TOGGLE)) {
        fh_text rest = fh_text_from(place->flag->argument);
        while (fh_flag_next_choice(&rest, &word))
            add_word(out, word, start);
        return;
    }
    if (place->flag) {
        add_chips(out, start, place->flag->kind == FH_FLAG_ASCEND);
        return;
    }
    const char *rest = fh_command_of(place->command)->arguments;
    fh_text arguments = fh_text_from(rest);
    if (place->command == FH_COMMAND_NONE || fh_text_contains(arguments, "COMMAND"))
        add_commands(out, start);
    if (fh_text_contains(arguments, "CHIP"))
        add_chips(out, start, false);
    while (next_literal(&rest, &word))
        add_word(out, word, start);
}

void fh_complete_add_names(fh_buffer *out, fh_command command, char separator)
{
    const fh_command_record *record = fh_command_of(command);
    fh_buffer_add_string(out, record->name);
    if (*record->other_name) {
        fh_buffer_add_char(out, separator);
        fh_buffer_add_string(out, record->other_name);
    }
}

void fh_complete_add_command_loop(fh_buffer *out, const char *words)
{
    fh_buffer_add_format(out,
                         "    for word in \"%s\"; do\n"
                         "        case $word in\n            ",
                         words);
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++) {
        fh_buffer_add_string(out, i > FH_COMMAND_NONE + 1 ? "|" : "");
        fh_complete_add_names(out, (fh_command)i, '|');
    }
    fh_buffer_add_string(out, ") command=$word; break ;;\n"
                              "        esac\n"
                              "    done\n"
                              "    case $command in\n");
}

void fh_complete_add_quoted(fh_buffer *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fh_buffer_add_string(out, "'\\''");
            continue;
        }
        if (strchr(special, *text))
            fh_buffer_add_char(out, '\\');
        fh_buffer_add_char(out, *text);
    }
}

void fh_complete_add(fh_buffer *out, fh_text shell)
{
    if (fh_text_is(shell, "bash"))
        fh_complete_add_bash(out);
    else if (fh_text_is(shell, "zsh"))
        fh_complete_add_zsh(out);
    else if (fh_text_is(shell, "fish"))
        fh_complete_add_fish(out);
}
