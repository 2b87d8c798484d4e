#include "analyse/scan/shell.h"
#include "analyse/scan/config_build.h"
#include "analyse/scan/shell_build.h"

#include <string.h>

/* Commands of one list: the text, a $(...) or a (...). */
typedef struct {
    uint32_t first;     /* of its words on the stack */
    uint32_t documents; /* here-documents of the current command begin here */
    unsigned groups;    /* "(" that are open in it */
    unsigned cases;     /* `case` that are open in it: their patterns end with ")" */
} command_list;

/* #SBATCH, #PBS and #BSUB lines are options of the scheduler. */
static void read_comment(fh_shell *sh)
{
    static const struct {
        const char *mark, *key;
    } schedulers[] = {{"#SBATCH", "sbatch"}, {"#PBS", "pbs"}, {"#BSUB", "bsub"}};
    size_t begin = sh->at;
    while (sh->at < sh->end && fh_shell_peek(sh, 0) != '\n')
        sh->at++;
    fh_text line = fh_text_slice(sh->text, begin, sh->at);
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        size_t length = strlen(schedulers[i].mark);
        if (!fh_text_starts(line, schedulers[i].mark) || line.length <= length ||
            !fh_shell_is_blank(line.data[length]))
            continue;
        fh_text options = fh_text_slice(line, length, line.length);
        for (size_t c = 1; c < options.length; c++)
            if (options.data[c] == '#' && fh_shell_is_blank(options.data[c - 1]))
                options.length = c;
        fh_setting_add(sh->unit, FH_SETTING_COMMAND, fh_text_from(schedulers[i].key),
                       fh_text_trim(options), sh->base + (sh->is_fixed ? 0 : (uint32_t)begin));
    }
}

/* << and <<-: the body begins on the next line. */
static void read_document_start(fh_shell *sh)
{
    fh_shell_document document = {.text = (uint32_t)sh->delimiters.length};
    sh->at += 2;
    document.strips_tabs = fh_shell_peek(sh, 0) == '-';
    sh->at += document.strips_tabs;
    fh_shell_skip_blanks(sh);
    if (sh->at >= sh->end || fh_shell_ends_word(fh_shell_peek(sh, 0)))
        return;
    uint32_t mark = sh->words.count;
    fh_shell_read_word(sh);
    if (sh->words.count > mark)
        fh_buffer_add(&sh->delimiters, fh_shell_text(sh, mark));
    fh_shell_drop_words(sh, mark);
    document.length = (uint32_t)sh->delimiters.length - document.text;
    if (!sh->delimiters.failed)
        fh_vector_push(&sh->documents, document);
}

/* A redirection with its target; digits right before it belong to it. */
static void read_redirection(fh_shell *sh, uint32_t first)
{
    if (sh->words.count > first && sh->words.items[sh->words.count - 1].end == sh->at) {
        fh_text word = fh_shell_text(sh, sh->words.count - 1);
        int64_t number;
        if (fh_text_to_integer(word, &number))
            fh_shell_drop_words(sh, sh->words.count - 1);
    }
    if (fh_shell_peek(sh, 0) == '<' && fh_shell_peek(sh, 1) == '<' && fh_shell_peek(sh, 2) != '<') {
        read_document_start(sh);
        return;
    }
    if (fh_shell_peek(sh, 1) == '(') { /* <(...) and >(...) */
        sh->at += 2;
        fh_shell_read_inner(sh, 0, SIZE_MAX);
        return;
    }
    while (fh_shell_peek(sh, 0) && strchr("<>&|", fh_shell_peek(sh, 0)))
        sh->at++;
    fh_shell_skip_blanks(sh);
    uint32_t mark = sh->words.count;
    if (sh->at < sh->end && !fh_shell_ends_word(fh_shell_peek(sh, 0)))
        fh_shell_read_word(sh);
    fh_shell_drop_words(sh, mark);
}

/* The body of one here-document, from the start of a line on. */
static void read_document(fh_shell *sh, fh_shell_document document)
{
    size_t begin = sh->at, body_end = sh->end;
    fh_text delimiter = fh_text_slice(fh_buffer_text(&sh->delimiters), document.text,
                                      document.text + document.length);
    while (sh->at < sh->end) {
        size_t line = sh->at;
        while (sh->at < sh->end && fh_shell_peek(sh, 0) != '\n')
            sh->at++;
        fh_text content = fh_text_slice(sh->text, line, sh->at);
        sh->at += sh->at < sh->end;
        if (fh_text_ends(content, "\r"))
            content.length--;
        while (document.strips_tabs && fh_text_starts(content, "\t"))
            content = fh_text_slice(content, 1, content.length);
        if (fh_text_equal(content, delimiter)) {
            body_end = line;
            break;
        }
    }
    if (document.is_script)
        fh_shell_read_inner(sh, begin, body_end);
}

static void finish_command(fh_shell *sh, command_list *list)
{
    bool has_script = false;
    for (uint32_t i = list->first; i < sh->words.count && i < list->first + 2; i++) {
        fh_text word = fh_shell_text(sh, i); /* "then case" is as good */
        list->cases += fh_text_is(word, "case");
        list->cases -= list->cases && fh_text_is(word, "esac");
    }
    if (sh->words.count > list->first) {
        fh_shell_command(sh, list->first, &has_script);
        fh_shell_drop_words(sh, list->first);
    }
    for (uint32_t i = list->documents; i < sh->documents.count; i++)
        sh->documents.items[i].is_script |= has_script;
    list->documents = sh->documents.count;
}

static void end_line(fh_shell *sh, command_list *list)
{
    finish_command(sh, list);
    sh->at++;
    /* A here-document that began in an outer list waits for a line end too: all are read. */
    for (uint32_t i = 0; i < sh->documents.count; i++)
        read_document(sh, sh->documents.items[i]);
    fh_vector_clear(&sh->documents);
    fh_buffer_clear(&sh->delimiters);
    list->documents = 0;
}

/* In [[ ... ]] brackets and < > are no operators. */
static void skip_test(fh_shell *sh, command_list *list)
{
    while (sh->at < sh->end && fh_shell_peek(sh, 0) != '\n') {
        fh_shell_skip_blanks(sh);
        if (fh_shell_peek(sh, 0) == ']' && fh_shell_peek(sh, 1) == ']') {
            sh->at += 2;
            break;
        }
        if (sh->at < sh->end && fh_shell_peek(sh, 0) != '\n' &&
            fh_shell_ends_word(fh_shell_peek(sh, 0)))
            sh->at++;
        else if (fh_shell_peek(sh, 0) && fh_shell_peek(sh, 0) != '\n')
            fh_shell_read_word(sh);
    }
    fh_shell_drop_words(sh, list->first);
}

/* One operator or word; false at the end of the list. */
static bool read_part(fh_shell *sh, command_list *list, bool until_bracket)
{
    char c = fh_shell_peek(sh, 0), next = fh_shell_peek(sh, 1);
    bool is_first = sh->words.count == list->first;
    if (c == '\n') {
        end_line(sh, list);
    } else if (c == '#') {
        read_comment(sh);
    } else if (c == ';' || c == '|' || (c == '&' && next != '>')) {
        finish_command(sh, list);
        sh->at++;
    } else if (c == '<' || c == '>' || c == '&') {
        sh->at += c == '&';
        read_redirection(sh, list->first);
    } else if (c == '(' && is_first && next == '(') {
        fh_shell_skip_balanced(sh, '(', ')');
    } else if (c == '(') {
        finish_command(sh, list);
        list->groups++;
        sh->at++;
    } else if (c == ')') {
        finish_command(sh, list);
        if (!list->groups && !list->cases && until_bracket) {
            sh->at++;
            return false;
        }
        list->groups -= list->groups > 0;
        sh->at++;
    } else if (is_first && c == '[' && next == '[') {
        skip_test(sh, list);
    } else {
        size_t before = sh->at;
        fh_shell_read_word(sh);
        sh->at += sh->at == before;
    }
    return true;
}

static void read_list(fh_shell *sh, bool until_bracket)
{
    command_list list = {.first = sh->words.count, .documents = sh->documents.count};
    if (sh->depth >= FH_SHELL_DEPTH)
        return;
    sh->depth++;
    for (;;) {
        fh_shell_skip_blanks(sh);
        if (sh->at >= sh->end || !read_part(sh, &list, until_bracket))
            break;
    }
    finish_command(sh, &list);
    sh->depth--;
}

void fh_shell_read_range(fh_shell *sh, size_t begin, size_t end)
{
    size_t at = sh->at, outer_end = sh->end;
    uint32_t documents = sh->documents.count;
    sh->at = begin;
    sh->end = end < outer_end ? end : outer_end;
    /* Here-documents of the line around it are not looked for in here. */
    fh_shell inner = *sh;
    memset(&inner.documents, 0, sizeof inner.documents);
    memset(&inner.delimiters, 0, sizeof inner.delimiters);
    read_list(&inner, false);
    inner.words.failed |= inner.documents.failed || inner.delimiters.failed;
    fh_vector_free(&inner.documents);
    fh_buffer_free(&inner.delimiters);
    sh->decoded = inner.decoded;
    sh->words.items = inner.words.items;
    sh->words.count = inner.words.count;
    sh->words.capacity = inner.words.capacity;
    sh->words.failed = inner.words.failed;
    sh->scratch = inner.scratch;
    sh->script_bytes = inner.script_bytes;
    sh->documents.count = documents;
    sh->at = at;
    sh->end = outer_end;
}

void fh_shell_read_inner(fh_shell *sh, size_t begin, size_t end)
{
    size_t length = sh->decoded.length;
    if (end == SIZE_MAX)
        read_list(sh, true);
    else
        fh_shell_read_range(sh, begin, end);
    sh->decoded.length = length;
}

fh_status fh_shell_settings(fh_text text, uint32_t base, bool is_fixed, fh_unit *unit)
{
    fh_shell sh = {
        .unit = unit, .text = text, .end = text.length, .base = base, .is_fixed = is_fixed};
    if (text.length >= UINT32_MAX)
        return fh_error(FH_LIMIT, "larger than 4 GiB");
    sh.script_bytes = 4096 + 2 * text.length;
    read_list(&sh, false);
    bool failed = sh.decoded.failed || sh.words.failed || sh.delimiters.failed ||
                  sh.documents.failed || sh.scratch.failed || fh_unit_failed(unit);
    fh_buffer_free(&sh.decoded);
    fh_vector_free(&sh.words);
    fh_buffer_free(&sh.delimiters);
    fh_vector_free(&sh.documents);
    fh_buffer_free(&sh.scratch);
    return failed ? fh_error(FH_NO_MEMORY, "out of memory while reading a shell script") : FH_OK;
}
