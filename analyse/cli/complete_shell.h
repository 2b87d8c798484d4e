/* complete_shell.h: what the completion scripts of all shells have in common; for complete*.c only.
 */
#ifndef FH_CLI_COMPLETE_SHELL_H
#define FH_CLI_COMPLETE_SHELL_H

#include "analyse/cli/flags.h"

/* What can stand in one place of the command line. */
typedef enum {
    FH_PLACE_NOTHING, /* nothing that could be guessed */
    FH_PLACE_WORDS,   /* some of a known list: fh_place_add_words */
    FH_PLACE_FILES,
    FH_PLACE_DIRECTORIES,
} fh_place_kind;

typedef struct {
    fh_place_kind kind;
    bool words_and_files; /* WORDS, or a file */
    const fh_flag *flag;  /* the place is the value of a flag ... */
    fh_command command;   /* ... or an argument of a command; of FH_COMMAND_NONE the command */
} fh_place_of;

fh_place_of fh_place_of_flag(const fh_flag *flag);
fh_place_of fh_place_of_arguments(fh_command command);

/* Appends the words that may stand there, separated by one blank. */
void fh_place_add_words(fh_buffer *out, const fh_place_of *place);

/* Appends the names of a command, separated by `separator`. */
void fh_complete_add_names(fh_buffer *out, fh_command command, char separator);

/* Appends the loop over words, in bash and zsh the same, that sets $command to the first one that
 * is a command, and opens `case $command in`; `words` is the list of the words before the cursor.
 */
void fh_complete_add_command_loop(fh_buffer *out, const char *words);

/* Appends `text` with a backslash before each of `special`, and each ' as '\''; the caller puts the
 * outer quotes. */
void fh_complete_add_quoted(fh_buffer *out, const char *text, const char *special);

void fh_complete_add_bash(fh_buffer *out);
void fh_complete_add_zsh(fh_buffer *out);
void fh_complete_add_fish(fh_buffer *out);

#endif
