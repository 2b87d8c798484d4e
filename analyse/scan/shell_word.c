/* Words: quotes, substitutions, arrays; commands inside of a word are read on the way. */
#include "analyse/scan/shell_build.h"

#include <string.h>

/* Length of backslash and line end here, 0 when there is none. */
static size_t splice(const fh_shell *sh)
{
    if (fh_shell_peek(sh, 0) != '\\')
        return 0;
    return fh_shell_peek(sh, 1) == '\n'                                   ? 2
           : fh_shell_peek(sh, 1) == '\r' && fh_shell_peek(sh, 2) == '\n' ? 3
                                                                          : 0;
}

static void copy(fh_shell *sh, size_t begin, size_t end)
{
    fh_buffer_add(&sh->decoded, fh_text_slice(sh->text, begin, end));
}

void fh_shell_skip_balanced(fh_shell *sh, char open, char close)
{
    unsigned depth = 0;
    while (sh->at < sh->end) {
        char c = sh->text.data[sh->at++];
        if (c == '\\' && sh->at < sh->end) {
            sh->at++;
        } else if (c == '\'' || c == '"') {
            while (sh->at < sh->end && sh->text.data[sh->at] != c)
                sh->at += c == '"' && sh->text.data[sh->at] == '\\' && sh->at + 1 < sh->end ? 2 : 1;
            sh->at += sh->at < sh->end;
        } else if (c == open) {
            depth++;
        } else if (c == close && --depth == 0) {
            return;
        }
    }
}

/* $(...), $((...)), ${...}, `...`, <(...), at its first character; copied as it is written. */
static void read_substitution(fh_shell *sh)
{
    size_t begin = sh->at;
    if (fh_shell_peek(sh, 0) == '`') {
        for (sh->at++; sh->at < sh->end && fh_shell_peek(sh, 0) != '`'; sh->at++)
            sh->at += fh_shell_peek(sh, 0) == '\\' && sh->at + 1 < sh->end;
        fh_shell_read_inner(sh, begin + 1, sh->at);
        sh->at += sh->at < sh->end;
    } else if (fh_shell_peek(sh, 1) == '{') {
        sh->at++;
        fh_shell_skip_balanced(sh, '{', '}');
    } else if (fh_shell_peek(sh, 1) == '(' && fh_shell_peek(sh, 2) == '(') {
        sh->at++;
        fh_shell_skip_balanced(sh, '(', ')');
    } else {
        sh->at += 2;
        fh_shell_read_inner(sh, 0, SIZE_MAX);
    }
    copy(sh, begin, sh->at);
}

static bool starts_substitution(const fh_shell *sh)
{
    return fh_shell_peek(sh, 0) == '`' ||
           (fh_shell_peek(sh, 0) == '$' &&
            (fh_shell_peek(sh, 1) == '(' || fh_shell_peek(sh, 1) == '{'));
}

static void read_double_quotes(fh_shell *sh)
{
    for (sh->at++; sh->at < sh->end && fh_shell_peek(sh, 0) != '"';) {
        char c = fh_shell_peek(sh, 0), next = fh_shell_peek(sh, 1);
        if (starts_substitution(sh)) {
            read_substitution(sh);
        } else if (splice(sh)) {
            sh->at += splice(sh);
        } else {
            sh->at += c == '\\' && next && strchr("$`\"\\", next);
            fh_buffer_add_char(&sh->decoded, sh->text.data[sh->at++]);
        }
    }
    sh->at += sh->at < sh->end;
}

static void read_single_quotes(fh_shell *sh)
{
    bool has_escapes = sh->at && sh->text.data[sh->at - 1] == '$';
    size_t begin = ++sh->at;
    while (sh->at < sh->end && fh_shell_peek(sh, 0) != '\'')
        sh->at += has_escapes && fh_shell_peek(sh, 0) == '\\' && sh->at + 1 < sh->end ? 2 : 1;
    copy(sh, begin, sh->at);
    sh->at += sh->at < sh->end;
}

/* name=( ... ): elements as they are written. */
static bool starts_array(const fh_shell *sh, uint32_t word)
{
    return fh_shell_peek(sh, 0) == '(' && sh->decoded.length > word && !sh->decoded.failed &&
           sh->decoded.data[sh->decoded.length - 1] == '=';
}

void fh_shell_read_word(fh_shell *sh)
{
    uint32_t begin = (uint32_t)sh->at, text = (uint32_t)sh->decoded.length;
    unsigned strings = 0, others = 0;
    while (sh->at < sh->end) {
        char c = fh_shell_peek(sh, 0);
        size_t spliced = splice(sh);
        if (spliced) {
            sh->at += spliced;
            continue;
        }
        if (starts_array(sh, text)) {
            size_t open = sh->at;
            fh_shell_skip_balanced(sh, '(', ')');
            copy(sh, open, sh->at);
            others++;
            continue;
        }
        if (fh_shell_ends_word(c))
            break;
        strings += c == '"' || c == '\'';
        others += c != '"' && c != '\'';
        if (c == '"') {
            read_double_quotes(sh);
        } else if (c == '\'') {
            read_single_quotes(sh);
        } else if (starts_substitution(sh)) {
            read_substitution(sh);
        } else if (c == '$' && (fh_shell_peek(sh, 1) == '\'' || fh_shell_peek(sh, 1) == '"')) {
            sh->at++;
        } else {
            sh->at += c == '\\' && sh->at + 1 < sh->end;
            fh_buffer_add_char(&sh->decoded, sh->text.data[sh->at++]);
        }
    }
    fh_shell_word word = {.offset = begin,
                          .end = (uint32_t)sh->at,
                          .text = text,
                          .length = (uint32_t)sh->decoded.length - text,
                          .is_quoted = strings > 0,
                          .is_whole_string = strings == 1 && !others};
    if (sh->decoded.failed)
        word.text = word.length = 0;
    fh_vector_push(&sh->words, word);
}

void fh_shell_drop_words(fh_shell *sh, uint32_t first)
{
    if (first < sh->words.count) {
        sh->decoded.length = sh->words.items[first].text;
        sh->words.count = first;
    }
}

void fh_shell_skip_blanks(fh_shell *sh)
{
    for (size_t spliced; (spliced = splice(sh)) || fh_shell_is_blank(fh_shell_peek(sh, 0));)
        sh->at += spliced ? spliced : 1;
}
