/* shell_build.h: what shell.c (lists of commands), shell_word.c (words) and shell_command.c (what
 * commands mean) share. */
#ifndef FH_SCAN_SHELL_BUILD_H
#define FH_SCAN_SHELL_BUILD_H

#include "analyse/scan/program.h"

#include <string.h>

typedef struct {
    uint32_t offset, end;  /* in the text, quotes included */
    uint32_t text, length; /* in `decoded`: without quotes */
    bool is_quoted;        /* some of it was */
    bool is_whole_string;  /* all of it is one string in quotes */
} fh_shell_word;

typedef struct {
    uint32_t text, length; /* the delimiter, in `decoded_delimiters` */
    bool strips_tabs;
    bool is_script; /* its body is a shell script */
} fh_shell_document;

typedef struct {
    fh_unit *unit;
    fh_text text;
    size_t at, end; /* what is left to read */
    uint32_t base;
    bool is_fixed;
    bool exports_all;    /* after `set -a` */
    bool in_script;      /* inside a string that is a script; one in there is not looked into */
    size_t script_bytes; /* what may still be read a second time, as a script in a string */
    unsigned depth;
    fh_buffer decoded;              /* of the words on the stack */
    FH_VECTOR(fh_shell_word) words; /* a stack: of the commands that are open */
    fh_buffer delimiters;
    FH_VECTOR(fh_shell_document) documents; /* that begin on the next line */
    fh_buffer scratch;
} fh_shell;

enum { FH_SHELL_DEPTH = 32, FH_SHELL_SCRIPT_COST = 64 };

static inline fh_text fh_shell_text(const fh_shell *sh, uint32_t word)
{
    const fh_shell_word *w = &sh->words.items[word];
    return (fh_text){sh->decoded.data ? sh->decoded.data + w->text : "", w->length};
}

/* The character `ahead` of the next one; 0 behind the end. */
static inline char fh_shell_peek(const fh_shell *sh, size_t ahead)
{
    return sh->end - sh->at > ahead ? sh->text.data[sh->at + ahead] : 0;
}

static inline bool fh_shell_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline bool fh_shell_ends_word(char c)
{
    return fh_shell_is_blank(c) || c == '\n' || strchr(";&|()<>", c) != NULL;
}

void fh_shell_skip_blanks(fh_shell *sh);

/* From a bracket to behind the one that closes it, quotes in between passed over. */
void fh_shell_skip_balanced(fh_shell *sh, char open, char close);

/* Reads one word onto the stack; there must be one. fh_shell_drop_words takes words[first..] off
 * it. */
void fh_shell_read_word(fh_shell *sh);
void fh_shell_drop_words(fh_shell *sh, uint32_t first);

/* Adds what the command in words[first..] says. `has_script`: out, whether a here-document of
 * it is a script. */
void fh_shell_command(fh_shell *sh, uint32_t first, bool *has_script);

/* Reads the commands in [begin, end) of the text. */
void fh_shell_read_range(fh_shell *sh, size_t begin, size_t end);

/* The same for commands inside of a word, whose text stays on the stack; when `end` is SIZE_MAX,
 * those from here to behind the bracket that closes them. */
void fh_shell_read_inner(fh_shell *sh, size_t begin, size_t end);

#endif
