#include "analyse/rules/flow.h"
#include "analyse/rules/flow_names.h"

#include <string.h>

enum { MOST_STEPS = 24, MOST_CHOICES = 8 };

/* Reading these of a tensor reads none of its numbers. */
static const char *const metadata[] = {"shape",  "size",    "dtype",         "device", "ndim",
                                       "dim",    "is_cuda", "requires_grad", "numel",  "type",
                                       "layout", "stride",  "data",          "grad",   NULL};

static void use(fh_flow *flow, fh_value_index value)
{
    if (value < flow->unit->values.count)
        flow->uses[value]++;
}

static void use_list(fh_flow *flow, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        use(flow, flow->unit->lists.items[first + i]);
}

static void use_operands(fh_flow *flow, const fh_value *v)
{
    if (v->kind == FH_VALUE_COMPARE && (v->op == FH_OP_IS || v->op == FH_OP_IS_NOT))
        return;
    switch (fh_value_holds(v)) {
    case FH_HOLDS_VALUES:
        use(flow, v->b);
        /* fall through */
    case FH_HOLDS_VALUE:
        use(flow, v->a);
        return;
    case FH_HOLDS_LIST:
        use_list(flow, v->a, v->b);
        return;
    default:
        if (v->kind == FH_VALUE_ATTRIBUTE &&
            !fh_text_is_any(fh_unit_text(flow->unit, v->b), metadata))
            use(flow, v->a);
        return;
    }
}

/* What is not a value of an expression comes first, then values from the last to the first, so
 * that a meeting of paths that nothing reads is known as such before it is looked into. */
static void count_uses(fh_flow *flow)
{
    const fh_unit *u = flow->unit;
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        use(flow, call->callee);
        for (uint32_t k = 0; k < call->count; k++)
            use(flow, u->arguments.items[call->arguments + k].value);
    }
    for (uint32_t i = 1; i < u->stores.count; i++) {
        use(flow, u->stores.items[i].base);
        use(flow, u->stores.items[i].index);
        use(flow, u->stores.items[i].value);
    }
    for (uint32_t i = 1; i < u->functions.count; i++)
        use_list(flow, u->functions.items[i].returns, u->functions.items[i].return_count);
    for (uint32_t i = 1; i < u->blocks.count; i++)
        if (u->blocks.items[i].kind == FH_BLOCK_FOR || u->blocks.items[i].kind == FH_BLOCK_WITH ||
            u->blocks.items[i].kind == FH_BLOCK_COMPREHENSION)
            use(flow, u->blocks.items[i].value);
    for (uint32_t i = 1; i < u->tests.count; i++)
        use(flow, u->tests.items[i]);
    for (uint32_t i = u->values.count; i-- > 1;)
        if (u->values.items[i].kind != FH_VALUE_PHI || flow->uses[i])
            use_operands(flow, &u->values.items[i]);
}

bool fh_flow_open(fh_flow *flow, fh_resolver *resolver, const fh_program *program, uint32_t unit)
{
    const fh_unit *u = &program->units.items[unit];
    *flow = (fh_flow){.resolver = resolver, .program = program, .unit_index = unit, .unit = u};
    flow->uses = fh_alloc_zero(u->values.count + 1, sizeof *flow->uses);
    flow->known = fh_alloc_zero(u->values.count + 1, sizeof *flow->known);
    if (!flow->uses || !flow->known)
        return false;
    count_uses(flow);
    return true;
}

void fh_flow_close(fh_flow *flow)
{
    fh_free(flow->uses);
    fh_free((void *)flow->known);
    fh_arena_free(&flow->arena);
}

uint32_t fh_flow_uses(const fh_flow *flow, fh_value_index value)
{
    return flow->uses[value];
}

const fh_flow_op *fh_flow_at(fh_flow *flow, fh_value_index value)
{
    static const fh_flow_op nothing = {.class = FH_FLOW_OTHER};
    if (!value || value >= flow->unit->values.count)
        return &nothing;
    if (flow->known[value])
        return flow->known[value];
    fh_flow_op op = fh_flow_of(flow->resolver, flow->program, flow->unit_index, value);
    flow->known[value] = &nothing;
    if (op.class != FH_FLOW_OTHER || op.name.length) {
        fh_flow_op *kept = fh_arena_alloc(&flow->arena, sizeof *kept);
        if (kept) {
            *kept = op;
            flow->known[value] = kept;
        }
    }
    return flow->known[value];
}

/* Of several alternatives the one that an operator computes: the other is often what came in. */
static fh_value_index computed(fh_flow *flow, const fh_value *v)
{
    fh_value_index first = 0;
    for (uint32_t i = 0; i < v->b && i < MOST_CHOICES; i++) {
        fh_value_index one = flow->unit->lists.items[v->a + i];
        if (!first)
            first = one;
        if (fh_flow_at(flow, one)->class != FH_FLOW_OTHER)
            return one;
    }
    return first;
}

fh_value_index fh_flow_through(fh_flow *flow, fh_value_index value, uint32_t set,
                               fh_certainty *certainty)
{
    for (unsigned step = 0; step < MOST_STEPS; step++) {
        const fh_flow_op *op = fh_flow_at(flow, value);
        if (!(set >> op->class & 1) || (!op->operand_count && op->class != FH_FLOW_CHOICE))
            return value;
        *certainty = fh_certainty_least(*certainty, (fh_certainty)op->certainty);
        value = op->class == FH_FLOW_CHOICE ? computed(flow, fh_unit_value(flow->unit, value))
                                            : op->operands[0];
    }
    return value;
}

static bool same(const fh_unit *unit, fh_value_index a, fh_value_index b, unsigned depth)
{
    if (a == b)
        return true;
    if (!a || !b || !depth)
        return false;
    const fh_value *x = fh_unit_value(unit, a), *y = fh_unit_value(unit, b);
    if (x->kind != y->kind || x->op != y->op)
        return false;
    switch ((fh_value_kind)x->kind) {
    case FH_VALUE_NONE:
        return true;
    case FH_VALUE_BOOL:
    case FH_VALUE_INTEGER:
    case FH_VALUE_FLOAT:
    case FH_VALUE_STRING:
    case FH_VALUE_NAME:
    case FH_VALUE_IMPORT:
    case FH_VALUE_PARAMETER:
        return x->a == y->a && x->b == y->b;
    case FH_VALUE_ATTRIBUTE:
    case FH_VALUE_ITEM:
        return x->b == y->b && same(unit, x->a, y->a, depth - 1);
    case FH_VALUE_UNARY:
    case FH_VALUE_ELEMENT:
        return same(unit, x->a, y->a, depth - 1);
    case FH_VALUE_BINARY:
    case FH_VALUE_SUBSCRIPT:
        return same(unit, x->a, y->a, depth - 1) && same(unit, x->b, y->b, depth - 1);
    case FH_VALUE_TUPLE:
    case FH_VALUE_SLICE:
        if (x->b != y->b || x->b > 6)
            return false;
        for (uint32_t i = 0; i < x->b; i++) {
            fh_value_index p = unit->lists.items[x->a + i], q = unit->lists.items[y->a + i];
            if ((p || q) && !same(unit, p, q, depth - 1))
                return false;
        }
        return true;
    default:
        return false; /* two calls may give two results */
    }
}

bool fh_flow_same(const fh_unit *unit, fh_value_index a, fh_value_index b)
{
    return a && same(unit, a, b, 5);
}

bool fh_flow_is(const fh_flow_op *op, const char *name)
{
    fh_text last = fh_text_last_part(op->name);
    size_t length = strlen(name);
    return fh_text_starts(last, name) &&
           (last.length == length || (last.length == length + 1 && last.data[length] == '_'));
}

fh_value_index fh_flow_argument(const fh_unit *unit, const fh_flow_op *op, int position,
                                const char *name)
{
    if (!op->call)
        return 0;
    bool method = fh_text_starts(op->name, "torch.Tensor.");
    return fh_call_argument(unit, &unit->calls.items[op->call], position - (method ? 1 : 0), name);
}

int64_t fh_flow_made_with(fh_resolver *resolver, const fh_flow_op *op, int position,
                          const char *name)
{
    if (!op->made.value)
        return -1;
    const fh_unit *u = fh_resolver_look(resolver, op->made.unit);
    const fh_value *v = fh_unit_value(u, op->made.value);
    int64_t number;
    if (v->kind != FH_VALUE_CALL)
        return -1;
    fh_value_index argument = fh_call_argument(u, &u->calls.items[v->a], position, name);
    if (!argument || !fh_resolve_integer(resolver, op->made.unit, argument, &number) || number <= 0)
        return -1;
    return number;
}
