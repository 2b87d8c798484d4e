#include "analyse/scan/python_backticks.h"

static bool is_quoted(const fh_syntax *syntax, uint32_t node)
{
    const fh_syntax_node *n = &syntax->nodes.items[node];
    const char *data = syntax->text.data;
    return n->kind == FH_SYNTAX_string && n->end - n->begin > 2 && data[n->begin] == '`' &&
           data[n->end - 1] == '`';
}

/* The text with parentheses for backticks; nothing when there are none. */
static void replace(const fh_syntax *syntax, fh_buffer *text)
{
    for (uint32_t i = 1; i < syntax->nodes.count && !text->failed; i++) {
        const fh_syntax_node *n = &syntax->nodes.items[i];
        if (!is_quoted(syntax, i))
            continue;
        if (!text->length)
            fh_buffer_add(text, syntax->text);
        if (text->failed)
            return;
        text->data[n->begin] = '(';
        text->data[n->end - 1] = ')';
    }
}

/* What stands in parentheses now becomes a part of unknown meaning, the calls in it kept. */
static void forget_values(fh_syntax *syntax, fh_text before)
{
    for (uint32_t i = 1; i < syntax->nodes.count; i++) {
        fh_syntax_node *n = &syntax->nodes.items[i];
        if ((n->kind == FH_SYNTAX_parenthesized_expression || n->kind == FH_SYNTAX_tuple) &&
            n->end > n->begin && before.data[n->begin] == '`' && before.data[n->end - 1] == '`')
            n->kind = FH_SYNTAX_ERROR;
    }
}

fh_status fh_python_read_backticks(fh_parser *parser, fh_syntax *syntax, fh_buffer *text)
{
    fh_syntax again = {0};
    replace(syntax, text);
    if (text->failed)
        return fh_error(FH_NO_MEMORY, "out of memory while reading it");
    if (!text->length)
        return FH_OK;
    fh_status status = fh_syntax_parse(parser, fh_buffer_text(text), &again);
    if (status || again.errors.count > syntax->errors.count) {
        fh_syntax_free(&again);
        return status;
    }
    forget_values(&again, syntax->text);
    fh_syntax_free(syntax);
    *syntax = again;
    return FH_OK;
}
