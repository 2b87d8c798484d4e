#include "analyse/cli/raw.h"
#include "facts/nearest.h"

#include <string.h>

/* What is left to read. */
typedef struct {
    char *const *next, *const *end;
} words;

/* `word` may end in "=VALUE". */
static fh_status unknown_flag(const char *word)
{
    fh_text typed = fh_text_from(word);
    fh_nearest nearest = {0};
    fh_buffer hint = {0};
    typed = fh_text_slice(typed, 0, fh_text_find(typed, '='));
    for (unsigned i = 0; i < fh_flag_count; i++)
        fh_nearest_offer(&nearest, typed, fh_text_from(fh_flags[i].written));
    fh_nearest_add(&hint, &nearest);
    fh_status status = fh_error(FH_INVALID, "there is no flag %.*s%.*s%s", FH_TEXT_ARGS(typed),
                                FH_TEXT_ARGS(fh_buffer_text(&hint)),
                                nearest.count ? "" : "; foothold --help shows those there are");
    fh_buffer_free(&hint);
    return status;
}

/* Whether a word is exactly a flag, so that it was hardly meant as the value of the one before. */
static bool is_flag(const char *word)
{
    return word[0] == '-' && word[1] == '-' && fh_flag_find(fh_text_from(word + 2));
}

static fh_status add(fh_raw *raw, const fh_flag *flag, const char *value, bool is_short)
{
    if (!fh_vector_push(&raw->flags, (fh_raw_flag){flag, value, is_short}))
        return fh_error(FH_NO_MEMORY, "out of memory while reading the command line");
    return FH_OK;
}

/* The flag's value is the next word. */
static fh_status add_with_next(fh_raw *raw, const fh_flag *flag, words *left, bool is_short)
{
    if (left->next == left->end)
        return fh_error(FH_INVALID, "--%s needs a value: --%s %s", flag->name, flag->name,
                        flag->argument);
    if (is_flag(*left->next))
        return fh_error(FH_INVALID,
                        "--%s needs a value, but %s follows, which is a flag; if it is the value, "
                        "write --%s=%s",
                        flag->name, *left->next, flag->name, *left->next);
    return add(raw, flag, *left->next++, is_short);
}

static fh_status read_long(fh_raw *raw, const char *word, words *left)
{
    fh_text name = fh_text_from(word + 2);
    size_t equal = fh_text_find(name, '=');
    const char *value = equal < name.length ? name.data + equal + 1 : NULL;
    name = fh_text_slice(name, 0, equal);
    const fh_flag *flag = fh_flag_find(name);
    if (!flag)
        return unknown_flag(word);
    if (!fh_flag_takes_value(flag)) {
        if (value)
            return fh_error(FH_INVALID, "--%s takes no value, but was given \"%s\"", flag->name,
                            value);
        return add(raw, flag, NULL, false);
    }
    return value ? add(raw, flag, value, false) : add_with_next(raw, flag, left, false);
}

static fh_status read_short(fh_raw *raw, const char *word, words *left)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const fh_flag *flag = fh_flag_find_letter(*letter);
        if (!flag)
            return unknown_flag(word);
        if (fh_flag_takes_value(flag)) {
            const char *value = letter[1] == '=' ? letter + 2 : letter + 1;
            return letter[1] ? add(raw, flag, value, true) : add_with_next(raw, flag, left, true);
        }
        fh_status status = add(raw, flag, NULL, true);
        if (status)
            return status;
    }
    return FH_OK;
}

static fh_status read_argument(fh_raw *raw, const char *word)
{
    if (!raw->command) {
        raw->command = word;
        return FH_OK;
    }
    if (!fh_vector_push(&raw->arguments, word))
        return fh_error(FH_NO_MEMORY, "out of memory while reading the command line");
    return FH_OK;
}

/* What follows the program that is to be run is its own. */
static bool has_program(const fh_raw *raw)
{
    return raw->arguments.count == 1 &&
           fh_command_find(fh_text_from(raw->command)) == FH_COMMAND_RUN;
}

fh_status fh_raw_read(int argc, char *const *argv, fh_raw *raw)
{
    words left = {argv + (argc > 0), argv + argc};
    bool only_arguments = false;
    fh_status status = FH_OK;
    while (!status && left.next < left.end) {
        const char *word = *left.next++;
        if (only_arguments || word[0] != '-' || !word[1]) {
            status = read_argument(raw, word);
            only_arguments |= has_program(raw);
        } else if (!strcmp(word, "--")) {
            only_arguments = true;
        } else if (word[1] == '-') {
            status = read_long(raw, word, &left);
        } else {
            status = read_short(raw, word, &left);
        }
    }
    return status;
}

void fh_raw_free(fh_raw *raw)
{
    fh_vector_free(&raw->arguments);
    fh_vector_free(&raw->flags);
}
