/* One pass from the first value to the last; operands come before what is made of them. */
#include "analyse/rules/fusion_small.h"

typedef struct {
    fh_fusion *fusion;
    const fh_unit *unit;
    uint8_t *small; /* by value */
    uint8_t *names; /* by symbol: fh_fusion_names_for_numbers */
} search;

static bool is_small(const search *s, fh_value_index value)
{
    return value && s->small[value];
}

static fh_symbol name_of_parameter(const search *s, const fh_value *v)
{
    return s->unit->parameters.items[s->unit->functions.items[v->a].parameters + v->b].name;
}

/* A tensor for the resolver, whatever the certainty. */
static bool may_be_tensor(const search *s, fh_value_index value)
{
    fh_certainty ignored;
    return fh_resolve_is_tensor(s->fusion->run->resolver, s->fusion->run->unit_index, value,
                                &ignored);
}

static bool is_module_class(const search *s, uint32_t class)
{
    return fh_resolve_derives(s->fusion->run->resolver, s->fusion->run->unit_index, class,
                              "torch.nn.Module");
}

/* Norms, lengths, positions of tokens; outside of modules times and steps: of a schedule, for each
 * sample of a batch. */
static bool is_parameter_named_for_numbers(const search *s, const fh_value *v)
{
    static const char *const times[] = {"t", "h", "r", "s", NULL};
    uint32_t class = s->unit->functions.items[v->a].class;
    fh_symbol symbol = name_of_parameter(s, v);
    fh_text name = fh_unit_text(s->unit, symbol);
    if (s->names[symbol] || fh_fusion_is_named_for_one_each(name))
        return true;
    return fh_text_is_any(name, times) && class && !is_module_class(s, class);
}

/* The class whose method the value `self` is a parameter of; 0 when it is none. */
static uint32_t class_of_self(const search *s, fh_value_index value)
{
    const fh_value *v = fh_unit_value(s->unit, value);
    return v->kind == FH_VALUE_PARAMETER && v->b == 0 ? s->unit->functions.items[v->a].class : 0;
}

/* self.table, where the class's own methods make the table of something small. */
static bool is_small_attribute(const search *s, const fh_value *v)
{
    fh_reference member;
    fh_text name = fh_unit_text(s->unit, v->b);
    uint32_t class = class_of_self(s, v->a), unit = s->fusion->run->unit_index;
    if (s->names[v->b] || is_small(s, v->a))
        return true;
    return class && fh_resolve_member(s->fusion->run->resolver, unit, class, name, &member) &&
           member.unit == unit && is_small(s, member.value);
}

/* An index that takes one element: no slice, no mask. */
static bool is_single_index(const fh_value *index)
{
    return index->kind != FH_VALUE_SLICE && index->kind != FH_VALUE_TUPLE &&
           index->kind != FH_VALUE_NONE && index->kind != FH_VALUE_COMPARE;
}

/* weights[i] of weights = torch.as_tensor(schedule): data that come as a list are seldom of more
 * dimensions than one. */
static bool is_element_of_list(const search *s, const fh_value *v)
{
    static const uint32_t casts = FH_FLOW_SET(CAST);
    fh_certainty ignored = FH_CERTAIN;
    fh_value_index base = fh_flow_through(&s->fusion->flow, v->a, casts, &ignored);
    const fh_flow_op *op = fh_flow_at(&s->fusion->flow, base);
    return is_single_index(fh_unit_value(s->unit, v->b)) &&
           (fh_text_is(op->name, "torch.tensor") || fh_text_is(op->name, "torch.as_tensor"));
}

/* self.sigmas[i] in a class that is no module: a schedule is a table, an element one number. */
static bool is_element_of_table(const search *s, const fh_value *v)
{
    const fh_value *base = fh_unit_value(s->unit, v->a), *index = fh_unit_value(s->unit, v->b);
    if (base->kind != FH_VALUE_ATTRIBUTE || !is_single_index(index))
        return false;
    uint32_t class = class_of_self(s, base->a);
    return class && !is_module_class(s, class) && may_be_tensor(s, v->a);
}

/* What torch.tensor makes little of: numbers, lists that are written out, settings. Arrays that a
 * call gives may be images. */
static bool is_written_out(const search *s, fh_value_index value)
{
    const fh_value *v = fh_unit_value(s->unit, value);
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_INTEGER:
    case FH_VALUE_FLOAT:
    case FH_VALUE_BINARY:
    case FH_VALUE_UNARY:
    case FH_VALUE_LIST:
    case FH_VALUE_TUPLE:
    case FH_VALUE_ATTRIBUTE:
        return true;
    case FH_VALUE_PARAMETER:
        return is_parameter_named_for_numbers(s, v);
    default:
        return false;
    }
}

enum { MOST_DEPTH = 4, MOST_ELEMENTS = 16, WHOLE = FH_ITEM_REST };

/* True when something among the arguments and the receiver is small, and no tensor is not. Of long
 * lists the first elements tell. */
static bool has_only_small(const search *s, const fh_value_index *values, uint32_t count,
                           unsigned depth, bool *any)
{
    for (uint32_t i = 0; i < count && i < MOST_ELEMENTS; i++) {
        const fh_value *v = fh_unit_value(s->unit, values[i]);
        if (is_small(s, values[i]))
            *any = true;
        else if (v->kind == FH_VALUE_LIST || v->kind == FH_VALUE_TUPLE) {
            if (!depth || !has_only_small(s, s->unit->lists.items + v->a, v->b, depth - 1, any))
                return false;
        } else if (may_be_tensor(s, values[i]))
            return false;
    }
    return true;
}

static bool is_made_of_small(const search *s, const fh_flow_op *op)
{
    const fh_call *call = &s->unit->calls.items[op->call];
    bool any = false;
    if (!has_only_small(s, op->operands, op->operand_count, MOST_DEPTH, &any))
        return false;
    for (uint32_t i = 0; op->call && i < call->count; i++)
        if (!has_only_small(s, &s->unit->arguments.items[call->arguments + i].value, 1, MOST_DEPTH,
                            &any))
            return false;
    return any;
}

/* reduction="none" gives one loss for each element; a reduction that is not known gives one. */
static bool keeps_elements(const search *s, const fh_flow_op *op)
{
    fh_value_index reduction = fh_flow_argument(s->unit, op, -1, "reduction");
    fh_text text;
    fh_certainty ignored;
    return reduction &&
           fh_resolve_string(s->fusion->run->resolver, s->fusion->run->unit_index, reduction, &text,
                             &ignored, NULL) &&
           fh_text_is(text, "none");
}

/* (1,) * n, and the sum of such a tuple and another one: one number for each of the latter. */
static bool is_ones(const search *s, fh_value_index value, unsigned depth)
{
    int64_t one;
    const fh_value *v = fh_unit_value(s->unit, value);
    if (v->kind != FH_VALUE_BINARY || !depth)
        return false;
    if (v->op == FH_OP_ADD)
        return is_ones(s, v->a, depth - 1) || is_ones(s, v->b, depth - 1);
    const fh_value *sides[2] = {fh_unit_value(s->unit, v->a), fh_unit_value(s->unit, v->b)};
    for (unsigned i = 0; v->op == FH_OP_MULTIPLY && i < 2; i++)
        if ((sides[i]->kind == FH_VALUE_TUPLE || sides[i]->kind == FH_VALUE_LIST) &&
            sides[i]->b == 1 &&
            fh_resolve_integer(s->fusion->run->resolver, s->fusion->run->unit_index,
                               s->unit->lists.items[sides[i]->a], &one) &&
            one == 1)
            return true;
    return false;
}

/* torch.zeros(1), torch.empty(8, 4): sizes that are written out, and small; torch.rand((n,) + (1,)
 * * k). */
static bool is_created_small(const search *s, const fh_flow_op *op)
{
    static const char *const creators[] = {"torch.zeros", "torch.ones", "torch.empty", "torch.rand",
                                           "torch.randn", "torch.eye",  NULL};
    enum { MOST_NUMBERS = 4096 };
    const fh_call *call = &s->unit->calls.items[op->call];
    int64_t numbers = 1, size;
    if (!op->call || !call->count || !fh_text_is_any(op->name, creators))
        return false;
    for (uint32_t i = 0; i < call->count && numbers <= MOST_NUMBERS; i++) {
        const fh_argument *argument = &s->unit->arguments.items[call->arguments + i];
        if (argument->name)
            continue;
        if (is_ones(s, argument->value, MOST_DEPTH))
            return true;
        if (!fh_resolve_integer(s->fusion->run->resolver, s->fusion->run->unit_index,
                                argument->value, &size) ||
            size < 0 || size > MOST_NUMBERS)
            return false;
        numbers *= size;
    }
    return numbers <= MOST_NUMBERS;
}

/* nn.Parameter(torch.ones(n)): a weight for each channel. */
static bool is_vector_of_module(const search *s, const fh_flow_op *op)
{
    static const char *const holders[] = {"torch.nn.Parameter", "torch.nn.parameter.Parameter",
                                          "torch.nn.Buffer", "torch.nn.parameter.Buffer", NULL};
    static const char *const creators[] = {"torch.zeros", "torch.ones", "torch.empty", NULL};
    if (!op->call || !op->operand_count || !fh_text_is_any(op->name, holders))
        return false;
    const fh_flow_op *maker = fh_flow_at(&s->fusion->flow, op->operands[0]);
    if (!maker->call || !fh_text_is_any(maker->name, creators))
        return false;
    const fh_call *call = &s->unit->calls.items[maker->call];
    uint32_t sizes = 0;
    for (uint32_t i = 0; i < call->count; i++)
        sizes += !s->unit->arguments.items[call->arguments + i].name;
    const fh_value *size = fh_unit_value(s->unit, s->unit->arguments.items[call->arguments].value);
    if (sizes != 1 || size->kind == FH_VALUE_STAR)
        return false;
    if (size->kind == FH_VALUE_TUPLE || size->kind == FH_VALUE_LIST)
        return size->b == 1;
    fh_symbol name = size->kind == FH_VALUE_ATTRIBUTE   ? size->b
                     : size->kind == FH_VALUE_PARAMETER ? name_of_parameter(s, size)
                                                        : 0;
    return !fh_text_contains(fh_unit_text(s->unit, name), "shape");
}

/* A sum, a mean, a norm: of everything or along a dimension it is so much smaller than what it is
 * of. What the class holds besides keeps its operand's size. */
static bool is_statistic(const fh_flow_op *op)
{
    static const char *const keep[] = {"log_softmax",  "LogSoftmax",     "softmin", "Softmin",
                                       "Softmax2d",    "gumbel_softmax", "cumsum",  "cumprod",
                                       "logcumsumexp", "cummax",         "cummin",  "sort",
                                       "argsort",      "topk",           NULL};
    return op->class == FH_FLOW_REDUCTION && op->operand_count &&
           !fh_text_is_any(fh_text_last_part(op->name), keep);
}

/* A sum over everything, a loss, a table of numbers in order. */
static bool is_small_result(const search *s, const fh_flow_op *op)
{
    static const char *const tables[] = {
        "torch.arange",          "torch.linspace",        "torch.logspace",
        "torch.scalar_tensor",   "torch.fft.fftfreq",     "torch.fft.rfftfreq",
        "torch.hann_window",     "torch.hamming_window",  "torch.kaiser_window",
        "torch.blackman_window", "torch.bartlett_window", NULL};
    if (fh_text_is(op->name, "torch.tensor") || fh_text_is(op->name, "torch.as_tensor"))
        return op->operand_count && is_written_out(s, op->operands[0]);
    if (fh_text_is(op->name, "torch.Tensor") || fh_text_is(op->name, "torch.FloatTensor"))
        return op->operand_count && fh_unit_value(s->unit, op->operands[0])->kind == FH_VALUE_LIST;
    if (fh_text_is_any(op->name, tables))
        return true;
    if (op->class == FH_FLOW_LOSS)
        return !keeps_elements(s, op);
    if (is_statistic(op) || is_created_small(s, op))
        return true;
    if (op->class == FH_FLOW_FUNCTION || op->class == FH_FLOW_OTHER)
        return fh_fusion_is_named_for_loss(op->name) && !keeps_elements(s, op);
    return false;
}

/* Arithmetic of which no side is known to be a tensor's worth. */
static bool is_arithmetic_of_numbers(const search *s, const fh_flow_op *op)
{
    if (op->is_module || (op->class != FH_FLOW_ELEMENTWISE && op->class != FH_FLOW_ACTIVATION))
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!is_small(s, op->operands[i]) && may_be_tensor(s, op->operands[i]))
            return false;
    return true;
}

/* True when all that a function of the unit returns is small, or position `item` of the tuples that
 * it returns. Functions further down are not known yet. */
static bool returns_small(const search *s, const fh_call *call, uint32_t item)
{
    fh_meanings all;
    fh_resolve(s->fusion->run->resolver, s->fusion->run->unit_index, call->callee, &all);
    if (all.count != 1 || all.items[0].unit != s->fusion->run->unit_index ||
        (all.items[0].kind != FH_MEANS_FUNCTION && all.items[0].kind != FH_MEANS_METHOD))
        return false;
    const fh_function *f = &s->unit->functions.items[all.items[0].index];
    for (uint32_t i = 0; i < f->return_count && i < MOST_ELEMENTS; i++) {
        fh_value_index value = s->unit->lists.items[f->returns + i];
        const fh_value *v = fh_unit_value(s->unit, value);
        if (item != WHOLE && (v->kind != FH_VALUE_TUPLE || item >= v->b))
            return false;
        if (!is_small(s, item == WHOLE ? value : s->unit->lists.items[v->a + item]))
            return false;
    }
    return f->return_count && f->return_count <= MOST_ELEMENTS;
}

/* Signs that are no operator of the flow: table // 2, table > 0. */
static bool is_sign_of_small(const search *s, const fh_value *v)
{
    fh_value_index sides[2] = {v->a, v->b};
    bool any = false;
    return v->kind != FH_VALUE_CALL &&
           has_only_small(s, sides, v->kind == FH_VALUE_UNARY ? 1 : 2, 0, &any) && any;
}

static bool is_small_operator(const search *s, fh_value_index value)
{
    const fh_flow_op *op = fh_flow_at(&s->fusion->flow, value);
    if (op->class == FH_FLOW_OTHER && !op->name.length)
        return is_sign_of_small(s, fh_unit_value(s->unit, value));
    return is_small_result(s, op) || is_vector_of_module(s, op) ||
           is_arithmetic_of_numbers(s, op) || (!op->is_module && is_made_of_small(s, op)) ||
           (op->class == FH_FLOW_FUNCTION &&
            returns_small(s, &s->unit->calls.items[op->call], WHOLE));
}

/* An item of a tuple that is written out, or of what is small as a whole; losses[0]. */
static bool is_small_item(const search *s, const fh_value *v)
{
    const fh_value *whole = fh_unit_value(s->unit, v->a);
    if (v->kind == FH_VALUE_ITEM &&
        (whole->kind == FH_VALUE_TUPLE || whole->kind == FH_VALUE_LIST) && v->b < whole->b)
        return is_small(s, s->unit->lists.items[whole->a + v->b]);
    if (v->kind == FH_VALUE_ITEM && whole->kind == FH_VALUE_CALL &&
        returns_small(s, &s->unit->calls.items[whole->a], v->b))
        return true;
    return is_small(s, v->a);
}

/* Where one path leads to a number, the others do. */
static bool is_small_choice(const search *s, const fh_value *v)
{
    for (uint32_t i = 0; i < v->b && i < 4; i++)
        if (is_small(s, s->unit->lists.items[v->a + i]))
            return true;
    return false;
}

static bool find(const search *s, fh_value_index value)
{
    const fh_value *v = fh_unit_value(s->unit, value);
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_PARAMETER:
        return is_parameter_named_for_numbers(s, v);
    case FH_VALUE_ATTRIBUTE:
        return is_small_attribute(s, v);
    case FH_VALUE_SUBSCRIPT:
        return is_element_of_table(s, v) || is_element_of_list(s, v) || is_small_item(s, v);
    case FH_VALUE_ITEM:
    case FH_VALUE_ELEMENT:
        return is_small_item(s, v);
    case FH_VALUE_PHI:
        return is_small_choice(s, v);
    case FH_VALUE_CALL:
    case FH_VALUE_BINARY:
    case FH_VALUE_UNARY:
    case FH_VALUE_COMPARE:
        return is_small_operator(s, value);
    default:
        return false;
    }
}

uint8_t *fh_fusion_small(fh_fusion *fusion)
{
    const fh_unit *u = fusion->run->unit;
    search s = {fusion, u, fh_alloc_zero(u->values.count + 1, 1),
                fh_fusion_names_for_numbers(&u->symbols)};
    if (!s.names) {
        fh_free(s.small);
        return NULL;
    }
    for (uint32_t i = 1; s.small && i < u->values.count; i++)
        s.small[i] = find(&s, i);
    fh_free(s.names);
    return s.small;
}
