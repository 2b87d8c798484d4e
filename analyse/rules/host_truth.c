/* Conditions on tensors: the host waits for their truth (FH702). */
#include "analyse/rules/host.h"

#include <string.h>

/* Whether the truth of `value` is the truth of a tensor. A name alone does not count: its value
 * is often None or a flag. */
static bool is_tensor_truth(const fh_host_unit *host, fh_value_index value)
{
    const fh_value *v = fh_unit_value(host->unit, value);
    if (!fh_host_is_device_tensor(host, value))
        return false;
    if ((v->kind == FH_VALUE_COMPARE || v->kind == FH_VALUE_BINARY) &&
        (fh_host_is_ruled_out(host, v->a, v->block) || fh_host_is_ruled_out(host, v->b, v->block)))
        return false;
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_CALL:
        return host->callees[v->a].is_torch && host->callees[v->a].certainty >= FH_LIKELY;
    case FH_VALUE_COMPARE:
    case FH_VALUE_BINARY:
    case FH_VALUE_SUBSCRIPT:
        return true;
    case FH_VALUE_UNARY:
        return v->op == FH_OP_INVERT || v->op == FH_OP_SUBTRACT;
    default:
        return false;
    }
}

static const char *words_of_test(const fh_unit *u, fh_value_index value)
{
    return fh_unit_value(u, value)->kind == FH_VALUE_COMPARE ? "a comparison of tensors is tested"
                                                             : "a tensor is tested";
}

/* Reports the tensors whose truth `value` depends on, at the tensor or, when it was computed
 * before the statement, at the statement. */
static void check_test(fh_host_unit *host, uint8_t *done, fh_value_index value, uint32_t block,
                       uint32_t statement, unsigned depth)
{
    const fh_unit *u = host->unit;
    const fh_value *v = fh_unit_value(u, value);
    if (!depth || done[value])
        return;
    if (v->kind == FH_VALUE_UNARY && v->op == FH_OP_NOT) {
        check_test(host, done, v->a, block, statement, depth - 1);
        return;
    }
    if (v->kind == FH_VALUE_BINARY && (v->op == FH_OP_AND || v->op == FH_OP_OR)) {
        check_test(host, done, v->a, block, statement, depth - 1);
        check_test(host, done, v->b, block, statement, depth - 1);
        return;
    }
    fh_place_kind place = fh_host_place(&host->places, block);
    if (place == FH_PLACE_COLD || !is_tensor_truth(host, value))
        return;
    done[value] = 1;
    if (fh_host_is_occasional(u, block))
        return;
    fh_spot spot = fh_spot_of_value(u, value);
    if (v->offset < statement)
        spot = (fh_spot){statement, 0, u->blocks.items[block].function};
    fh_text operator= v->kind == FH_VALUE_CALL ? host->callees[v->a].path : (fh_text){0};
    fh_rule_report(host->run, FH_RULE_702, fh_host_severity(place),
                   fh_host_certainty(host, place, value, fh_host_at(host, value)->tensor),
                   spot, operator, "%s: the host waits for the device%s", words_of_test(u, value),
                   fh_host_words(host, block, value));
    fh_stops_graph(host->run, &host->graphs, block, spot, operator,
                   statement ? FH_STOPS_TEST : FH_STOPS_TRUTH);
}

void fh_host_check_truths(fh_host_unit *host)
{
    const fh_unit *u = host->unit;
    uint8_t *done = fh_arena_alloc(&host->arena, u->values.count);
    if (!done)
        return;
    memset(done, 0, u->values.count);
    for (uint32_t i = 1; i < u->blocks.count; i++) {
        const fh_block *b = &u->blocks.items[i];
        if (b->kind == FH_BLOCK_IF || b->kind == FH_BLOCK_WHILE)
            check_test(host, done, b->value, b->kind == FH_BLOCK_WHILE ? i : b->parent, b->offset,
                       16);
    }
    for (uint32_t i = 1; i < u->tests.count; i++)
        check_test(host, done, u->tests.items[i], fh_unit_value(u, u->tests.items[i])->block, 0,
                   16);
}
