/* FH303: chains of element-wise operators.
 *
 * One pass from the first value to the last: the size of a value's chain is 1 and the sizes of the
 * chains of those operands that only it reads. Operands come before what is made of them, so that
 * each value is looked at once. What no other chain takes in is reported at its end.
 *
 * How much memory the operands from outside take is seldom known (one of them may be a number, or
 * as wide as one channel), so that only the results between the operators are counted: each is
 * written and read again, and need not be when they are one. Results that are thin (fusion_thin.h)
 * beside what they meet are left out, and where tensors of different origin meet, the message says
 * that it counts as if they were of one size. */
#include "analyse/rules/fusion_small.h"
#include "analyse/rules/fusion_thin.h"

#include <stdio.h>

enum { LEAST_CHAIN = 3, MOST_NAMES = 5, MOST_DEPTH = 40, MOST_SIZE = 60000 };

typedef struct {
    uint16_t size; /* operators; 0: not one, or of something small */
    uint8_t certainty;
    uint8_t flags;
    uint16_t kept;         /* results between the operators that are written all the same */
    fh_value_index origin; /* the one tensor from outside that all is made of; 0: several */
} chain;

enum { TAKEN = 1, SPOILT = 2 /* holds a claimed value */ };

typedef struct {
    fh_fusion *fusion;
    const uint8_t *small; /* by value */
    chain *chains;        /* by value */
    uint32_t *thin;       /* by value, as in fusion_thin.h */
} search;

static bool is_chain_class(const fh_flow_op *op)
{
    return op->class == FH_FLOW_ELEMENTWISE ||
           (op->class == FH_FLOW_ACTIVATION && op->certainty > FH_POSSIBLE);
}

/* The innermost block around `value` that may run more often, or at another time, than what is
 * outside of it: a loop, a comprehension, a function. */
static uint32_t loop_of(const fh_unit *u, fh_value_index value)
{
    static const uint32_t repeated = 1u << FH_BLOCK_FOR | 1u << FH_BLOCK_WHILE |
                                     1u << FH_BLOCK_COMPREHENSION | 1u << FH_BLOCK_FUNCTION;
    uint32_t block = fh_unit_value(u, value)->block;
    while (block && !(repeated >> u->blocks.items[block].kind & 1))
        block = u->blocks.items[block].parent;
    return block;
}

/* True when the result of the operator behind `operand` takes part in the one at `value`. */
static bool meets(const search *s, fh_value_index operand, fh_value_index value)
{
    const fh_unit *u = s->fusion->run->unit;
    return s->chains[operand].size && fh_flow_uses(&s->fusion->flow, operand) == 1 &&
           loop_of(u, operand) == loop_of(u, value);
}

/* True when both can become one operator, which saves a pass over something as large as the result.
 */
static bool joins(const search *s, fh_value_index operand, fh_value_index value)
{
    return meets(s, operand, value) && s->thin[operand] == s->thin[value];
}

static bool is_tensor(const search *s, fh_value_index value, fh_certainty *certainty)
{
    return !s->small[value] && fh_resolve_is_tensor(s->fusion->run->resolver,
                                                    s->fusion->run->unit_index, value, certainty);
}

/* torch.finfo(x.dtype).min, math.sqrt(n), math.pi, float(n) */
static bool is_number_by_name(const search *s, fh_value_index value)
{
    static const char *const functions[] = {"float", "int", "len", "min", "max", "abs", NULL};
    static const char *const paths[] = {"math.", "numpy.", "torch.finfo", "torch.iinfo", NULL};
    const fh_unit *u = s->fusion->run->unit;
    const fh_value *v = fh_unit_value(u, value);
    fh_meaning meaning;
    if (v->kind == FH_VALUE_ATTRIBUTE && fh_unit_value(u, v->a)->kind == FH_VALUE_CALL)
        v = fh_unit_value(u, value = v->a);
    if (v->kind == FH_VALUE_CALL)
        v = fh_unit_value(u, value = u->calls.items[v->a].callee);
    if (v->kind == FH_VALUE_NAME)
        return fh_text_is_any(fh_unit_text(u, v->a), functions);
    if (!fh_resolve_external(s->fusion->run->resolver, s->fusion->run->unit_index, value, &meaning))
        return false;
    fh_text path = fh_resolver_path(s->fusion->run->resolver, meaning.path);
    for (const char *const *start = paths; *start; start++)
        if (fh_text_starts(path, *start))
            return true;
    return false;
}

/* A number, and what is small: it does not make a result larger. */
static bool is_number(const search *s, fh_value_index value)
{
    int64_t number;
    fh_value_kind kind = (fh_value_kind)fh_unit_value(s->fusion->run->unit, value)->kind;
    return s->small[value] || kind == FH_VALUE_FLOAT || kind == FH_VALUE_INTEGER ||
           fh_resolve_integer(s->fusion->run->resolver, s->fusion->run->unit_index, value,
                              &number) ||
           is_number_by_name(s, value);
}

/* What all operands that are no numbers come from; 0 when it is not one tensor. */
static fh_value_index origin_of(const search *s, const fh_flow_op *op)
{
    fh_value_index origin = 0;
    fh_certainty ignored;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        fh_value_index operand = op->operands[i];
        if (is_number(s, operand))
            continue;
        if (!is_tensor(s, operand, &ignored))
            return 0;
        fh_value_index own = s->chains[operand].size ? s->chains[operand].origin : operand;
        if (!own || (origin && own != origin))
            return 0;
        origin = own;
    }
    return origin;
}

/* The mark that all operands share that may have more elements than one. */
static uint32_t thin_of(search *s, const fh_flow_op *op)
{
    fh_flow *flow = &s->fusion->flow;
    fh_value_index tensors[FH_FLOW_OPERANDS];
    uint32_t marks[FH_FLOW_OPERANDS], count = 0;
    fh_certainty ignored;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        fh_value_index operand = op->operands[i];
        bool tensor = fh_resolve_is_tensor(s->fusion->run->resolver, s->fusion->run->unit_index,
                                           operand, &ignored);
        if (!tensor && is_number(s, operand))
            continue;
        tensors[count] = operand;
        marks[count++] = s->small[operand] ? fh_fusion_held() : s->thin[operand];
    }
    return fh_fusion_thin_result(flow, op, tensors, marks, count);
}

/* True when `op` writes into what it is given, and that was there before: state of an optimiser, a
 * parameter, a row of a table. Its result is read later, so that the write stays. */
static bool writes_outside(const search *s, const fh_flow_op *op)
{
    static const uint32_t views = FH_FLOW_SET(SHAPE) | FH_FLOW_SET(SELECT);
    fh_certainty ignored = FH_CERTAIN;
    while (op->operand_count && op->name.length && op->name.data[op->name.length - 1] == '_') {
        fh_value_index into = fh_flow_through(&s->fusion->flow, op->operands[0], views, &ignored);
        fh_value_kind kind = (fh_value_kind)fh_unit_value(s->fusion->run->unit, into)->kind;
        if (kind != FH_VALUE_CALL && kind != FH_VALUE_BINARY && kind != FH_VALUE_UNARY)
            return true;
        op = fh_flow_at(&s->fusion->flow, into);
    }
    return false;
}

/* Works out the chain that ends in `value`. */
static void extend(search *s, fh_value_index value)
{
    fh_fusion *fusion = s->fusion;
    const fh_flow_op *op = fh_flow_at(&fusion->flow, value);
    if (!is_chain_class(op) || op->is_module || s->small[value])
        return;
    chain own = {.size = 1, .certainty = op->certainty};
    own.flags = fh_fusion_is_claimed(fusion, value) ? SPOILT : 0;
    own.origin = origin_of(s, op);
    s->thin[value] = thin_of(s, op);
    bool tensors = false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        fh_value_index operand = op->operands[i];
        fh_certainty certainty;
        if (!is_tensor(s, operand, &certainty))
            continue;
        tensors = true;
        own.certainty = (uint8_t)fh_certainty_least((fh_certainty)own.certainty, certainty);
        if (!meets(s, operand, value))
            continue;
        chain *inner = &s->chains[operand];
        inner->flags |= TAKEN;
        if (s->thin[operand] != s->thin[value])
            continue;
        own.kept = (uint16_t)(own.kept + inner->kept +
                              writes_outside(s, fh_flow_at(&fusion->flow, operand)));
        own.size =
            (uint16_t)(own.size + inner->size > MOST_SIZE ? MOST_SIZE : own.size + inner->size);
        own.certainty = (uint8_t)fh_certainty_least((fh_certainty)own.certainty,
                                                    (fh_certainty)inner->certainty);
        own.flags |= inner->flags & SPOILT;
    }
    if (tensors)
        s->chains[value] = own;
}

/* Names of the chain's operators in the order in which they run; of a very long one, from the
 * middle on. */
static unsigned collect(const search *s, fh_value_index value, fh_text names[MOST_NAMES],
                        unsigned count, unsigned depth)
{
    const fh_flow_op *op = fh_flow_at(&s->fusion->flow, value);
    for (uint32_t i = 0; depth && i < op->operand_count && count < MOST_NAMES; i++)
        if (joins(s, op->operands[i], value))
            count = collect(s, op->operands[i], names, count, depth - 1);
    if (count < MOST_NAMES)
        names[count++] = fh_fusion_short(op);
    return count;
}

static void report(const search *s, fh_value_index value)
{
    const chain *own = &s->chains[value];
    fh_text names[MOST_NAMES];
    unsigned count = collect(s, value, names, 0, MOST_DEPTH);
    char list[128];
    size_t length = 0;
    for (unsigned i = 0; i < count && length < sizeof list - 24; i++)
        length +=
            (size_t)snprintf(list + length, sizeof list - length, "%s%.*s", i ? ", " : "",
                             (int)(names[i].length < 20 ? names[i].length : 20), names[i].data);
    fh_rule_report(s->fusion->run, FH_RULE_303, FH_SEVERITY_NOTE, (fh_certainty)own->certainty,
                   fh_spot_of_value(s->fusion->run->unit, value), FH_TEXT(""),
                   "at least %u element-wise operators in a row (%s%s): compiled into one, at "
                   "most %d passes over memory less, a write and a read of each result between "
                   "them%s",
                   own->size, list, own->size > count ? ", ..." : "",
                   FH_FUSION_PASSES * (own->size - 1) - own->kept,
                   own->origin ? "" : ", fewer where one of them is smaller than the last");
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

/* Code that runs once, or works out a few numbers, where speed does not matter. */
static bool runs_once(const fh_unit *u, uint32_t function)
{
    static const char *const parts[] = {
        "init",     "reset_param", "precompute", "rope_param",  "slopes",   "plot",  "convert",
        "register", "build_",      "create_",    "make_",       "visuali",  "test_", "inv_freq",
        "sincos",   "timesteps",   "coeff",      "_parameters", "schedule", "betas", NULL};
    if (!function)
        return true;
    fh_text name = fh_unit_text(u, u->functions.items[function].name);
    for (const char *const *part = parts; *part; part++)
        if (fh_text_contains(name, *part))
            return true;
    /* fuse, fuse_convs: of weights, before inference; but fused_gelu runs in each step */
    return fh_text_contains(name, "fuse") && !fh_text_contains(name, "fused");
}

/* Files that hand a model to another runtime, prepare its data, or draw: they run on the host, or
 * once for an image. */
static bool is_for_host(const fh_unit *u)
{
    static const char *const parts[] = {
        "/export",      "/data/",      "/dataset",  "/image_processing",   "/video_processing",
        "/processing_", "/preprocess", "/plotting", "/feature_extraction", NULL};
    for (const char *const *part = parts; *part; part++)
        if (fh_text_contains(u->path, *part) || fh_text_starts(u->path, *part + 1))
            return true;
    return false;
}

static bool prepares_data(const fh_fusion *fusion, uint32_t function)
{
    static const char *const bases[] = {
        "torch.utils.data.Dataset",      "torch.utils.data.IterableDataset",
        "torch.utils.data.Sampler",      "torch.utils.data.sampler.Sampler",
        "torch.utils.data.BatchSampler", NULL};
    uint32_t class = fusion->run->unit->functions.items[function].class;
    for (const char *const *base = bases; class && *base; base++)
        if (fh_resolve_derives(fusion->run->resolver, fusion->run->unit_index, class, *base))
            return true;
    return false;
}

/* True when the function's chains are worth a word. */
static bool is_of_interest(fh_fusion *fusion, uint32_t function)
{
    return !runs_once(fusion->run->unit, function) && !is_compiled(fusion, function) &&
           !prepares_data(fusion, function);
}

void fh_fusion_chains(fh_fusion *fusion)
{
    const fh_unit *u = fusion->run->unit;
    if (fh_fusion_is_test(u) || is_for_host(u))
        return;
    uint8_t *small = fh_fusion_small(fusion);
    search s = {fusion, small, fh_alloc_zero(u->values.count + 1, sizeof(chain)),
                fh_alloc_zero(u->values.count + 1, sizeof(uint32_t))};
    bool found = small && s.chains && s.thin;
    for (uint32_t i = 1; found && i < u->values.count && !fh_rules_stop(i); i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_CALL || v->kind == FH_VALUE_BINARY || v->kind == FH_VALUE_UNARY)
            extend(&s, i);
        bool is_sign =
            v->kind == FH_VALUE_COMPARE || (v->kind == FH_VALUE_BINARY && v->op == FH_OP_MODULO);
        if (is_sign && !s.chains[i].size)
            s.thin[i] = thin_of(&s, &(fh_flow_op){.operands = {v->a, v->b}, .operand_count = 2});
        else if (!s.chains[i].size)
            s.thin[i] = fh_fusion_thin(&fusion->flow, s.thin, i);
    }
    for (uint32_t i = 1; found && i < u->values.count; i++)
        if (s.chains[i].size >= LEAST_CHAIN && !s.chains[i].flags &&
            !fh_fusion_is_vector(s.thin[i]) && s.chains[i].certainty > FH_POSSIBLE &&
            is_of_interest(fusion, fh_fusion_function(fusion, i)))
            report(&s, i);
    fh_free(s.chains);
    fh_free(s.thin);
    fh_free(small);
}
