#include "analyse/scan/cuda_lex.h"

#include <string.h>

/* What a conditional of the preprocessor lets through. */
typedef struct {
    uint32_t offset;
    bool outer_off;  /* what is around it is off already */
    bool taken;      /* a branch that is always on was there: all others are off */
    bool is_literal; /* begins with #if 0 or #if 1: leaves no marks */
} conditional;

typedef struct {
    fh_cuda_source *source;
    const char *begin, *end, *at;
    bool off;       /* inside a branch that is never compiled */
    bool in_macro;  /* inside #define */
    bool line_head; /* nothing but blanks since the line began */
    FH_VECTOR(conditional) conditionals;
} lexer;

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 128;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_part(char c)
{
    return is_name_start(c) || is_digit(c);
}

static char peek(const lexer *l, size_t ahead)
{
    return (size_t)(l->end - l->at) > ahead ? l->at[ahead] : 0;
}

static void emit(lexer *l, unsigned kind, const char *begin, const char *end)
{
    fh_cuda_source *source = l->source;
    if (l->off)
        return;
    if (source->tokens.count + source->macro_tokens.count >= FH_CUDA_MOST_TOKENS) {
        source->cut = true;
        return;
    }
    size_t length = (size_t)(end - begin);
    fh_cuda_token token = {.offset = (uint32_t)(begin - l->begin),
                           .kind = (uint8_t)kind,
                           .length = length < FH_CUDA_LONGEST ? (uint32_t)length : FH_CUDA_LONGEST};
    if (l->in_macro)
        fh_vector_push(&source->macro_tokens, token);
    else
        fh_vector_push(&source->tokens, token);
}

/* Length of a line end at `at`: 0, 1, or 2 for CR LF. */
static size_t line_end(const lexer *l, const char *at)
{
    if (at >= l->end || (*at != '\n' && *at != '\r'))
        return 0;
    return *at == '\r' && at + 1 < l->end && at[1] == '\n' ? 2 : 1;
}

/* Passes over a backslash and line end; false when there is none. */
static bool skip_splice(lexer *l)
{
    size_t length = peek(l, 0) == '\\' ? line_end(l, l->at + 1) : 0;
    l->at += length ? length + 1 : 0;
    return length > 0;
}

static void skip_block_comment(lexer *l)
{
    const char *begin = l->at;
    for (l->at += 2; l->at < l->end; l->at++)
        if (*l->at == '*' && peek(l, 1) == '/') {
            l->at += 2;
            return;
        }
    l->source->unfinished = (uint32_t)(begin - l->begin);
}

/* To the line end, which stays. */
static void skip_line(lexer *l)
{
    while (l->at < l->end && !line_end(l, l->at))
        if (!skip_splice(l))
            l->at++;
}

/* Blanks, comments and splices inside a line. */
static void skip_blanks(lexer *l)
{
    while (l->at < l->end) {
        char c = *l->at;
        if (c == '/' && peek(l, 1) == '*')
            skip_block_comment(l);
        else if (c == '/' && peek(l, 1) == '/')
            skip_line(l);
        else if (c == ' ' || c == '\t' || c == '\v' || c == '\f')
            l->at++;
        else if (!skip_splice(l))
            return;
    }
}

/* A literal in quotes; without the second one it ends with the line. */
static void read_quoted(lexer *l, unsigned kind)
{
    char quote = *l->at++;
    const char *begin = l->at;
    while (l->at < l->end && *l->at != quote && !line_end(l, l->at))
        if (!skip_splice(l))
            l->at += *l->at == '\\' && l->at + 1 < l->end ? 2 : 1;
    emit(l, kind, begin, l->at);
    l->at += l->at < l->end && *l->at == quote;
}

/* R"delimiter( ... )delimiter", from its quote on. */
static void read_raw_string(lexer *l)
{
    enum { LONGEST_DELIMITER = 16 };
    const char *delimiter = l->at + 1, *at = delimiter;
    while (at < l->end && *at != '(' && at - delimiter <= LONGEST_DELIMITER)
        at++;
    if (at >= l->end || *at != '(') {
        read_quoted(l, FH_CUDA_STRING);
        return;
    }
    size_t length = (size_t)(at - delimiter);
    const char *begin = at + 1;
    for (at = begin; at < l->end; at++)
        if (*at == ')' && (size_t)(l->end - at) >= length + 2 &&
            memcmp(at + 1, delimiter, length) == 0 && at[1 + length] == '"')
            break;
    emit(l, FH_CUDA_STRING, begin, at);
    l->at = at < l->end ? at + length + 2 : l->end;
}

static fh_text read_word(lexer *l)
{
    const char *begin = l->at;
    while (l->at < l->end && is_name_part(*l->at))
        l->at++;
    return (fh_text){begin, (size_t)(l->at - begin)};
}

static void read_name(lexer *l)
{
    static const char *const prefixes[] = {"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"};
    fh_text word = read_word(l);
    if (peek(l, 0) == '"')
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (fh_text_is(word, prefixes[i])) {
                if (fh_text_ends(word, "R"))
                    read_raw_string(l);
                return;
            }
    emit(l, FH_CUDA_NAME, word.data, l->at);
}

static void read_number(lexer *l)
{
    const char *begin = l->at;
    while (l->at < l->end) {
        char c = *l->at, next = peek(l, 1);
        bool is_exponent =
            (c == 'e' || c == 'E' || c == 'p' || c == 'P') && (next == '+' || next == '-');
        bool is_separator = c == '\'' && is_name_part(next);
        if (!is_name_part(c) && c != '.' && !is_separator)
            break;
        l->at += is_exponent || is_separator ? 2 : 1;
    }
    emit(l, FH_CUDA_NUMBER, begin, l->at);
}

/* One token that is not blank, comment or line end. */
static void read_token(lexer *l)
{
    char c = *l->at;
    if (is_name_start(c)) {
        read_name(l);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(l, 1)))) {
        read_number(l);
    } else if (c == '"') {
        read_quoted(l, FH_CUDA_STRING);
    } else if (c == '\'') {
        read_quoted(l, FH_CUDA_CHARACTER);
    } else if (c == ':' && peek(l, 1) == ':') {
        l->at += 2;
        emit(l, FH_CUDA_SCOPE, l->at - 2, l->at);
    } else {
        l->at++;
        if (c > ' ' && c < 127)
            emit(l, (unsigned)c, l->at - 1, l->at);
    }
}

static void read_parameters(lexer *l)
{
    l->at++;
    while (l->at < l->end && *l->at != ')' && !line_end(l, l->at)) {
        fh_text word = read_word(l);
        if (word.length)
            emit(l, FH_CUDA_NAME, word.data, l->at);
        else
            l->at++;
        skip_blanks(l);
    }
    l->at += peek(l, 0) == ')';
}

static void read_define(lexer *l)
{
    fh_cuda_source *source = l->source;
    l->in_macro = true;
    fh_cuda_macro macro = {.name = source->macro_tokens.count};
    fh_text word = read_word(l);
    emit(l, FH_CUDA_NAME, word.data, l->at);
    macro.parameters = source->macro_tokens.count;
    macro.is_function = peek(l, 0) == '(';
    if (macro.is_function)
        read_parameters(l);
    macro.parameter_count = source->macro_tokens.count - macro.parameters;
    macro.begin = source->macro_tokens.count;
    for (skip_blanks(l); l->at < l->end && !line_end(l, l->at); skip_blanks(l))
        read_token(l);
    macro.end = source->macro_tokens.count;
    l->in_macro = false;
    if (word.length && macro.begin > macro.name)
        fh_vector_push(&source->macros, macro);
}

static void read_include(lexer *l)
{
    char open = peek(l, 0);
    if (open != '<' && open != '"')
        return;
    const char *begin = ++l->at;
    while (l->at < l->end && *l->at != (open == '<' ? '>' : '"') && !line_end(l, l->at))
        l->at++;
    emit(l, FH_CUDA_INCLUDE, begin, l->at);
}

/* What a condition says by itself: 0 never, 1 always, 2 it depends. */
static int literal_condition(lexer *l)
{
    fh_text word = read_word(l);
    skip_blanks(l);
    bool is_zero = fh_text_is(word, "0") || fh_text_is(word, "false");
    bool is_one = fh_text_is(word, "1") || fh_text_is(word, "true");
    if (l->at >= l->end || line_end(l, l->at))
        return is_zero ? 0 : is_one ? 1 : 2;
    if (is_zero && *l->at == '&')
        return 0;
    return is_one && *l->at == '|' ? 1 : 2;
}

static void open_conditional(lexer *l, const char *at, int condition)
{
    conditional entry = {(uint32_t)(at - l->begin), l->off, condition == 1, condition != 2};
    if (condition == 2)
        emit(l, FH_CUDA_IF, at, at);
    fh_vector_push(&l->conditionals, entry);
    l->off |= condition == 0;
}

static void next_branch(lexer *l, const char *at, int condition)
{
    if (!l->conditionals.count)
        return;
    conditional *entry = &fh_vector_last(&l->conditionals);
    l->off = entry->outer_off || entry->taken || condition == 0;
    entry->taken |= condition == 1;
    if (!entry->is_literal)
        emit(l, FH_CUDA_ELSE, at, at);
}

static void close_conditional(lexer *l, const char *at)
{
    if (!l->conditionals.count)
        return;
    conditional entry = fh_vector_pop(&l->conditionals);
    l->off = entry.outer_off;
    if (!entry.is_literal)
        emit(l, FH_CUDA_ENDIF, at, at);
}

static void read_directive(lexer *l)
{
    const char *begin = l->at++;
    skip_blanks(l);
    fh_text name = read_word(l);
    skip_blanks(l);
    if (fh_text_is(name, "define") && !l->off)
        read_define(l);
    else if (fh_text_is(name, "include") || fh_text_is(name, "include_next"))
        read_include(l);
    else if (fh_text_is(name, "if"))
        open_conditional(l, begin, literal_condition(l));
    else if (fh_text_is(name, "ifdef") || fh_text_is(name, "ifndef"))
        open_conditional(l, begin, 2);
    else if (fh_text_is(name, "elif"))
        next_branch(l, begin, literal_condition(l));
    else if (fh_text_is(name, "else") || fh_text_starts(name, "elif"))
        next_branch(l, begin, 2);
    else if (fh_text_is(name, "endif"))
        close_conditional(l, begin);
    for (skip_blanks(l); l->at < l->end && !line_end(l, l->at); skip_blanks(l))
        l->at++;
}

static void read_all(lexer *l)
{
    l->line_head = true;
    while (!l->source->cut) {
        skip_blanks(l);
        size_t ends = line_end(l, l->at);
        if (l->at >= l->end)
            return;
        if (ends)
            l->at += ends;
        else if (l->line_head && *l->at == '#')
            read_directive(l);
        else
            read_token(l);
        l->line_head = ends > 0;
    }
}

fh_status fh_cuda_lex(fh_text text, fh_cuda_source *source)
{
    *source = (fh_cuda_source){.text = text, .unfinished = UINT32_MAX};
    if (text.length >= UINT32_MAX)
        return fh_error(FH_LIMIT, "larger than 4 GiB");
    if (!text.length)
        return FH_OK;
    lexer l = {.source = source, .begin = text.data, .end = text.data + text.length};
    l.at = l.begin;
    read_all(&l);
    if (l.conditionals.count && source->unfinished == UINT32_MAX && !source->cut)
        source->unfinished = fh_vector_last(&l.conditionals).offset;
    bool failed = l.conditionals.failed || source->tokens.failed || source->macro_tokens.failed ||
                  source->macros.failed;
    fh_vector_free(&l.conditionals);
    return failed ? fh_error(FH_NO_MEMORY, "out of memory while reading CUDA or C++") : FH_OK;
}

void fh_cuda_source_free(fh_cuda_source *source)
{
    fh_vector_free(&source->tokens);
    fh_vector_free(&source->macro_tokens);
    fh_vector_free(&source->macros);
}
