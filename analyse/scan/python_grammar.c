/* Two things make the generated parser slow, and both can be had otherwise from outside. The
 * actions of most parser states stand in lists that are searched: here each state gets a row of
 * its own, as the busiest have. And each character goes through the general way of the lexer
 * (included ranges, chunks, encodings): here an ASCII character inside the text does not. */
#include "analyse/scan/python_grammar.h"

#include <pthread.h>
#include <src/lexer.h>
#include <src/parser.h>
#include <string.h>

const TSLanguage *tree_sitter_python(void);

enum { MOST_STATES = 3000, MOST_SYMBOLS = 288 }; /* tree-sitter-python 0.25.0 has 2,786 and 272 */

static TSLanguage grammar;
static bool (*generated_lex)(TSLexer *, TSStateId);
static void (*general_advance)(TSLexer *, bool);

/* As ts_lexer__advance of lexer.c; what is not one plain step is left to that. */
static void advance(TSLexer *lexer, bool skip)
{
    Lexer *self = (Lexer *)lexer;
    uint32_t next = self->current_position.bytes + 1;
    uint32_t in_chunk = next - self->chunk_start;
    if (self->lookahead_size != 1 || !self->chunk || in_chunk >= self->chunk_size ||
        (uint8_t)self->chunk[in_chunk] >= 0x80 || self->logger.log ||
        self->current_included_range_index >= self->included_range_count ||
        next >= self->included_ranges[self->current_included_range_index].end_byte) {
        general_advance(lexer, skip);
        return;
    }
    if (lexer->lookahead == '\n') {
        self->current_position.extent.row++;
        self->current_position.extent.column = 0;
        self->column_data = (ColumnData){.value = 0, .valid = true};
    } else {
        self->current_position.extent.column++;
        self->column_data.value += self->column_data.valid;
    }
    self->current_position.bytes = next;
    if (skip)
        self->token_start_position = self->current_position;
    lexer->lookahead = self->chunk[in_chunk];
}

static bool lex(TSLexer *lexer, TSStateId state)
{
    lexer->advance = advance;
    return generated_lex(lexer, state);
}

/* A row of the table for every state. A short list is groups of (value, number of symbols, the
 * symbols), as ts_language_lookup of language.h reads them. */
static void widen_table(TSLanguage *language)
{
    static uint16_t table[MOST_STATES * MOST_SYMBOLS];
    size_t width = language->symbol_count;
    if (width > MOST_SYMBOLS || language->state_count > MOST_STATES)
        return; /* slower, and as right */
    memcpy(table, language->parse_table, language->large_state_count * width * sizeof *table);
    for (uint32_t s = language->large_state_count; s < language->state_count; s++) {
        const uint16_t *list = language->small_parse_table +
                               language->small_parse_table_map[s - language->large_state_count];
        for (uint16_t groups = *list++; groups; groups--) {
            uint16_t value = *list++;
            for (uint16_t symbols = *list++; symbols; symbols--)
                table[s * width + *list++] = value;
        }
    }
    language->parse_table = table;
    language->large_state_count = language->state_count;
}

static void prepare(void)
{
    Lexer any;
    ts_lexer_init(&any);
    general_advance = any.data.advance;
    ts_lexer_delete(&any);

    grammar = *tree_sitter_python();
    generated_lex = grammar.lex_fn;
    grammar.lex_fn = lex;
    widen_table(&grammar);
}

const TSLanguage *fh_python_grammar(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    return &grammar;
}
