#include "analyse/scan/parse_text.h"
#include "os/interrupt.h"

/* tree-sitter 0.26.1 calls back after as many steps (parser.c,
 * OP_COUNT_PER_PARSER_CALLBACK_CHECK). */
enum { STEPS_OF_A_CALL = 100 };

typedef struct {
    fh_text text;
    uint64_t calls, most_calls;
} parse_input;

static bool is_enough(TSParseState *state)
{
    parse_input *input = state->payload;
    return ++input->calls > input->most_calls || fh_interrupted();
}

static const char *read_input(void *payload, uint32_t offset, TSPoint position, uint32_t *length)
{
    const parse_input *input = payload;
    (void)position;
    *length = offset < input->text.length ? (uint32_t)input->text.length - offset : 0;
    return *length ? input->text.data + offset : "";
}

TSTree *fh_parse_text(TSParser *parser, fh_text text, uint64_t most_steps)
{
    parse_input input = {
        .text = text,
        .most_calls = most_steps == FH_PARSE_NO_LIMIT ? UINT64_MAX : most_steps / STEPS_OF_A_CALL,
    };
    TSInput source = {.payload = &input, .read = read_input, .encoding = TSInputEncodingUTF8};
    TSParseOptions options = {.payload = &input, .progress_callback = is_enough};
    TSTree *tree = ts_parser_parse_with_options(parser, NULL, source, options);
    if (!tree)
        ts_parser_reset(parser); /* else it keeps the grammar's scanner, to go on with */
    return tree;
}
