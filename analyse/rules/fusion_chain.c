/* FH303: chains of element-wise operators.
 *
 * One pass from the first value to the last: the size of a value's chain is 1 and the sizes of the
 * chains of those operands that only it reads. Operands come before what is made of them, so that
 * each value is looked at once. What no other chain takes in is reported at its end. */
#include "analyse/rules/fusion.h"
#include "analyse/rules/text_match.h"

#include <stdio.h>

enum { LEAST_CHAIN = 3, MOST_NAMES = 5, MOST_DEPTH = 40, MOST_SIZE = 60000 };

/* The size of a chain whose result is a number. */
enum { OF_NUMBERS = UINT16_MAX };

typedef struct {
    uint16_t size;   /* operators; 0: not one; OF_NUMBERS */
    uint16_t passes; /* reads and writes of tensors that they make one by one */
    uint8_t certainty;
    uint8_t flags;
} chain;

enum { TAKEN = 1, SPOILT = 2 /* holds a claimed value */ };

static bool is_chain_class(const fh_flow_op *op)
{
    return op->class == FH_FLOW_ELEMENTWISE ||
           (op->class == FH_FLOW_ACTIVATION && op->certainty > FH_POSSIBLE);
}

/* Names of what is one number, or a few. */
static bool is_named_for_numbers(fh_text name)
{
    static const char *const parts[] = {"loss", "Loss", "scale", "eps", "size", "percent", NULL};
    for (const char *const *part = parts; *part; part++)
        if (fh_text_contains(name, *part))
            return true;
    return false;
}

/* What torch.tensor makes a tensor of one number of. */
static bool is_number(fh_fusion *fusion, fh_value_index value)
{
    const fh_unit *u = fusion->run->unit;
    const fh_value *v = fh_unit_value(u, value);
    if (v->kind == FH_VALUE_PARAMETER) {
        const fh_function *f = &u->functions.items[v->a];
        return is_named_for_numbers(
            fh_unit_text(u, u->parameters.items[f->parameters + v->b].name));
    }
    return v->kind == FH_VALUE_INTEGER || v->kind == FH_VALUE_FLOAT || v->kind == FH_VALUE_BINARY ||
           v->kind == FH_VALUE_UNARY;
}

/* One number, not a tensor's worth of them: a loss, a sum over everything. */
static bool is_one_number(fh_fusion *fusion, fh_value_index value)
{
    const fh_unit *u = fusion->run->unit;
    const fh_flow_op *op = fh_flow_at(&fusion->flow, value);
    const fh_value *v = fh_unit_value(u, value);
    if (op->class == FH_FLOW_SELECT && op->operand_count) {
        /* losses[0] */
        fh_text name = fh_flow_at(&fusion->flow, op->operands[0])->name;
        return fh_text_contains(name, "loss") || fh_text_contains(name, "Loss");
    }
    if (fh_text_is(op->name, "torch.tensor") || fh_text_is(op->name, "torch.as_tensor"))
        return op->operand_count && is_number(fusion, op->operands[0]);
    if (op->class == FH_FLOW_LOSS)
        return !fh_flow_argument(u, op, -1, "reduction");
    if (op->class == FH_FLOW_REDUCTION)
        return op->operand_count == 1 && !fh_flow_argument(u, op, 1, "dim");
    if (v->kind == FH_VALUE_PARAMETER) {
        const fh_function *f = &u->functions.items[v->a];
        return is_named_for_numbers(
            fh_unit_text(u, u->parameters.items[f->parameters + v->b].name));
    }
    if (v->kind == FH_VALUE_ATTRIBUTE)
        return is_named_for_numbers(fh_unit_text(u, v->b));
    return fh_text_contains(op->name, "loss") || fh_text_contains(op->name, "Loss");
}

/* The same, also where one path leads to such a number. */
static bool is_scalar(fh_fusion *fusion, fh_value_index value)
{
    const fh_unit *u = fusion->run->unit;
    const fh_value *v = fh_unit_value(u, value);
    if (v->kind != FH_VALUE_PHI)
        return is_one_number(fusion, value);
    for (uint32_t i = 0; i < v->b && i < 4; i++)
        if (is_one_number(fusion, u->lists.items[v->a + i]))
            return true;
    return false;
}

static void add(uint16_t *sum, unsigned more)
{
    *sum = (uint16_t)(*sum + more > MOST_SIZE ? MOST_SIZE : *sum + more);
}

/* Works out the chain that ends in `value`. */
static void extend(fh_fusion *fusion, chain *chains, fh_value_index value)
{
    const fh_flow_op *op = fh_flow_at(&fusion->flow, value);
    if (!is_chain_class(op) || op->is_module)
        return;
    chain own = {.size = 1, .passes = 1, .certainty = op->certainty};
    own.flags = fh_fusion_is_claimed(fusion, value) ? SPOILT : 0;
    bool tensors = false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        fh_value_index operand = op->operands[i];
        fh_certainty certainty;
        if (!fh_resolve_is_tensor(fusion->run->resolver, fusion->run->unit_index, operand,
                                  &certainty))
            continue;
        if (is_scalar(fusion, operand) ||
            (i && fh_flow_same(fusion->run->unit, operand, op->operands[0])))
            continue;
        chain *inner = &chains[operand];
        if (inner->size == OF_NUMBERS)
            continue;
        tensors = true;
        own.certainty = (uint8_t)fh_certainty_least((fh_certainty)own.certainty, certainty);
        own.passes++;
        if (inner->size && fh_flow_uses(&fusion->flow, operand) == 1) {
            add(&own.size, inner->size);
            add(&own.passes, inner->passes);
            own.certainty = (uint8_t)fh_certainty_least((fh_certainty)own.certainty,
                                                        (fh_certainty)inner->certainty);
            own.flags |= inner->flags & SPOILT;
            inner->flags |= TAKEN;
        }
    }
    if (!tensors)
        own.size = OF_NUMBERS;
    chains[value] = own;
}

/* Names of the chain's operators in the order in which they run; of a very long one, from the
 * middle on. */
static unsigned collect(fh_fusion *fusion, const chain *chains, fh_value_index value,
                        fh_text names[MOST_NAMES], unsigned count, unsigned depth)
{
    const fh_flow_op *op = fh_flow_at(&fusion->flow, value);
    for (uint32_t i = 0; depth && i < op->operand_count && count < MOST_NAMES; i++) {
        const chain *inner = &chains[op->operands[i]];
        if (inner->size && inner->size != OF_NUMBERS && inner->flags & TAKEN &&
            fh_flow_uses(&fusion->flow, op->operands[i]) == 1)
            count = collect(fusion, chains, op->operands[i], names, count, depth - 1);
    }
    if (count < MOST_NAMES)
        names[count++] = fh_fusion_short(op);
    return count;
}

/* Tensors that come into the chain from outside, each once however often it is read. */
enum { MOST_LEAVES = 64 };

static unsigned collect_leaves(fh_fusion *fusion, const chain *chains, fh_value_index value,
                               fh_value_index leaves[MOST_LEAVES], unsigned count, unsigned depth)
{
    const fh_flow_op *op = fh_flow_at(&fusion->flow, value);
    for (uint32_t i = 0; depth && i < op->operand_count && count < MOST_LEAVES; i++) {
        fh_value_index operand = op->operands[i];
        const chain *inner = &chains[operand];
        fh_certainty certainty;
        if (!fh_resolve_is_tensor(fusion->run->resolver, fusion->run->unit_index, operand,
                                  &certainty) ||
            is_scalar(fusion, operand) || inner->size == OF_NUMBERS)
            continue;
        if (inner->size && fh_flow_uses(&fusion->flow, operand) == 1) {
            count = collect_leaves(fusion, chains, operand, leaves, count, depth - 1);
            continue;
        }
        bool known = false;
        for (unsigned k = 0; k < count; k++)
            known |= leaves[k] == operand || fh_flow_same(fusion->run->unit, leaves[k], operand);
        if (!known)
            leaves[count++] = operand;
    }
    return count;
}

static void report(fh_fusion *fusion, const chain *chains, fh_value_index value)
{
    fh_value_index leaves[MOST_LEAVES];
    unsigned leaf_count = collect_leaves(fusion, chains, value, leaves, 0, MOST_DEPTH);
    const chain *own = &chains[value];
    fh_text names[MOST_NAMES];
    unsigned count = collect(fusion, chains, value, names, 0, MOST_DEPTH);
    char list[128];
    size_t length = 0;
    for (unsigned i = 0; i < count && length < sizeof list - 24; i++)
        length +=
            (size_t)snprintf(list + length, sizeof list - length, "%s%.*s", i ? ", " : "",
                             (int)(names[i].length < 20 ? names[i].length : 20), names[i].data);
    fh_rule_report(fusion->run, FH_RULE_303, FH_SEVERITY_NOTE, (fh_certainty)own->certainty,
                   fh_spot_of_value(fusion->run->unit, value), FH_TEXT(""),
                   "at least %u element-wise operators in a row (%s%s): about %u passes over "
                   "memory in eager mode, about %u when compiled into one",
                   own->size, list, own->size > count ? ", ..." : "", own->passes, leaf_count + 1);
}

/* Decorators whose functions are no PyTorch code in eager mode: kernels in Triton and its kin, and
 * what torch.compile compiles already. */
static bool is_compiled(fh_fusion *fusion, uint32_t function)
{
    static const char *const packages[] = {"triton", "tilelang", "cutlass", "numba",  "jax",
                                           "cute",   "tvm",      "warp",    "taichi", NULL};
    const fh_unit *u = fusion->run->unit;
    for (; function; function = u->functions.items[function].parent) {
        const fh_function *f = &u->functions.items[function];
        for (uint32_t i = 0; i < f->decorator_count; i++) {
            fh_value_index value = u->lists.items[f->decorators + i];
            if (fh_unit_value(u, value)->kind == FH_VALUE_CALL)
                value = u->calls.items[fh_unit_value(u, value)->a].callee;
            fh_meaning meaning;
            if (!fh_resolve_external(fusion->run->resolver, fusion->run->unit_index, value,
                                     &meaning))
                continue;
            fh_text path = fh_resolver_path(fusion->run->resolver, meaning.path);
            fh_text root = fh_text_slice(path, 0, fh_text_find(path, '.'));
            if (fh_text_is_any(root, packages) || fh_text_is(path, "torch.compile"))
                return true;
        }
    }
    return false;
}

/* Code that runs once, where speed does not matter. */
static bool runs_once(const fh_unit *u, uint32_t function)
{
    static const char *const parts[] = {"init",   "reset_param", "precompute", "rope_param",
                                        "slopes", "plot",        "convert",    "register",
                                        "build_", "create_",     "make_",      "visuali",
                                        "test_",  "inv_freq",    "sincos",     NULL};
    if (!function)
        return true;
    fh_text name = fh_unit_text(u, u->functions.items[function].name);
    for (const char *const *part = parts; *part; part++)
        if (fh_text_contains(name, *part))
            return true;
    return false;
}

void fh_fusion_chains(fh_fusion *fusion)
{
    const fh_unit *u = fusion->run->unit;
    if (fh_fusion_is_test(u))
        return;
    chain *chains = fh_alloc_zero(u->values.count + 1, sizeof *chains);
    if (!chains)
        return;
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_CALL || v->kind == FH_VALUE_BINARY || v->kind == FH_VALUE_UNARY)
            extend(fusion, chains, i);
    }
    for (uint32_t i = 1; i < u->values.count; i++)
        if (chains[i].size >= LEAST_CHAIN && chains[i].size != OF_NUMBERS && !chains[i].flags &&
            chains[i].certainty > FH_POSSIBLE && !runs_once(u, fh_fusion_function(fusion, i)) &&
            !is_compiled(fusion, fh_fusion_function(fusion, i)))
            report(fusion, chains, i);
    fh_free(chains);
}
