/* What computes a value: a call by its callee, a sign by its sides, the rest by its kind. */
#include "analyse/rules/flow_names.h"

#include <string.h>

/* Where a question is asked: unit `index` of the program. */
typedef struct {
    fh_resolver *resolver;
    const fh_program *program;
    uint32_t index;
    const fh_unit *unit;
} place;

static fh_flow_op nothing(void)
{
    return (fh_flow_op){.class = FH_FLOW_OTHER};
}

// clang-format off
/* PyTorch's own modules that a class of a program may derive from to change little. */
static const struct {
    const char *path;
    fh_flow_class class;
} bases[] = {
    {"torch.nn.Linear",      FH_FLOW_LINEAR},
    {"torch.nn.Conv2d",      FH_FLOW_CONVOLUTION},
    {"torch.nn.Conv1d",      FH_FLOW_CONVOLUTION},
    {"torch.nn.Conv3d",      FH_FLOW_CONVOLUTION},
    {"torch.nn.LayerNorm",   FH_FLOW_NORM},
    {"torch.nn.RMSNorm",     FH_FLOW_RMS_NORM},
    {"torch.nn.BatchNorm2d", FH_FLOW_BATCH_NORM},
    {"torch.nn.BatchNorm1d", FH_FLOW_BATCH_NORM},
    {"torch.nn.Softmax",     FH_FLOW_SOFTMAX},
};
// clang-format on

/* A class of the program: by its own name when it is a module, else by what it derives from. */
static fh_flow_class class_of_object(const place *at, const fh_meaning *m, fh_text *name)
{
    const fh_unit *u = fh_resolver_look(at->resolver, m->unit);
    *name = fh_unit_text(u, u->classes.items[m->index].name);
    if (!fh_resolve_derives(at->resolver, m->unit, m->index, "torch.nn.Module"))
        return FH_FLOW_OTHER;
    fh_flow_class class = fh_flow_class_of_own(*name);
    if (class != FH_FLOW_OTHER || fh_text_contains(*name, "Norm2d"))
        return class;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (fh_resolve_derives(at->resolver, m->unit, m->index, bases[i].path))
            return bases[i].class;
    return FH_FLOW_OTHER;
}

/* What calling one meaning of a callee runs. */
static fh_flow_op op_of_meaning(const place *at, const fh_meaning *m)
{
    fh_flow_op op = {.certainty = m->certainty};
    const fh_api *api;
    const fh_unit *u;
    switch ((fh_meaning_kind)m->kind) {
    case FH_MEANS_EXTERNAL:
        op.name = fh_resolver_path(at->resolver, m->path);
        api = fh_resolver_api(at->resolver, m->path);
        if (!api || api->kind != FH_API_CLASS)
            op.class = (uint8_t)fh_flow_class_of(op.name, api);
        return op;
    case FH_MEANS_INSTANCE:
        op.name = fh_resolver_path(at->resolver, m->path);
        op.class = (uint8_t)fh_flow_class_of(op.name, fh_resolver_api(at->resolver, m->path));
        op.is_module = true;
        op.made = (fh_reference){m->unit, m->index};
        return op;
    case FH_MEANS_OBJECT:
        op.class = (uint8_t)class_of_object(at, m, &op.name);
        op.is_module = true;
        return op;
    case FH_MEANS_FUNCTION:
    case FH_MEANS_METHOD:
        u = fh_resolver_look(at->resolver, m->unit);
        op.name = fh_unit_text(u, u->functions.items[m->index].name);
        op.class = (uint8_t)fh_flow_class_of_own(op.name);
        if (op.class == FH_FLOW_OTHER)
            op.class = FH_FLOW_FUNCTION;
        return op;
    default:
        return op;
    }
}

/* One answer for all meanings of a callee: they must agree, but for an Identity among them. Of
 * several activations (a table that the configuration indexes) none has a name. */
static fh_flow_op op_of_meanings(const place *at, const fh_meanings *all)
{
    fh_flow_op op = nothing();
    bool chosen = false, differ = false;
    for (uint32_t i = 0; i < all->count; i++) {
        fh_flow_op one = op_of_meaning(at, &all->items[i]);
        bool identity = fh_text_ends(one.name, ".Identity");
        if (!chosen || (fh_text_ends(op.name, ".Identity") && !identity))
            op = one;
        else if (!identity && one.class != op.class)
            return nothing();
        else if (!identity)
            differ |= !fh_text_equal(fh_text_last_part(one.name), fh_text_last_part(op.name));
        chosen = true;
    }
    if (differ && op.class == FH_FLOW_ACTIVATION) {
        op.name = FH_TEXT("activation");
        op.certainty = FH_POSSIBLE;
    }
    if (all->count > 1) {
        op.certainty = (uint8_t)fh_certainty_least(op.certainty, FH_LIKELY);
        op.made.value = 0; /* which of them made it is not known */
    }
    return op;
}

/* Keywords that tensors are passed under. */
static const char *const tensor_keywords[] = {"input",  "x",      "other", "tensor",
                                              "mat2",   "query",  "key",   "hidden_states",
                                              "batch1", "batch2", "self",  NULL};

static void add_operand(fh_flow_op *op, fh_value_index value)
{
    if (op->operand_count < FH_FLOW_OPERANDS)
        op->operands[op->operand_count++] = value;
}

/* The tensors a call works on: its receiver when it is a method of one, then its arguments. */
static void find_operands(const place *at, const fh_call *call, fh_value_index receiver,
                          fh_flow_op *op)
{
    if (receiver)
        add_operand(op, receiver);
    uint32_t skip = 0;
    if (!receiver && (fh_flow_is(op, "einsum") || fh_flow_is(op, "where")))
        skip = 1; /* the equation, the condition */
    if (receiver && fh_flow_is(op, "where"))
        skip = 1;
    for (uint32_t i = skip; i < call->count; i++) {
        const fh_argument *argument = &at->unit->arguments.items[call->arguments + i];
        if (fh_unit_value(at->unit, argument->value)->kind == FH_VALUE_STAR)
            return;
        if (!argument->name ||
            fh_text_is_any(fh_unit_text(at->unit, argument->name), tensor_keywords))
            add_operand(op, argument->value);
    }
}

/* torch.baddbmm(bias, a, b): the product is of the last two. */
static void put_product_first(fh_flow_op *op)
{
    if (op->operand_count == 3 &&
        (fh_flow_is(op, "baddbmm") || fh_flow_is(op, "addmm") || fh_flow_is(op, "addbmm"))) {
        fh_value_index bias = op->operands[0];
        op->operands[0] = op->operands[1];
        op->operands[1] = op->operands[2];
        op->operands[2] = bias;
    }
}

/* A callee that nothing is known of, by its name alone. */
static fh_flow_op op_of_unknown(const place *at, const fh_value *callee, fh_value_index *receiver)
{
    fh_flow_op op = {.certainty = FH_POSSIBLE};
    if (callee->kind != FH_VALUE_ATTRIBUTE)
        return op;
    fh_text name = fh_unit_text(at->unit, callee->b);
    const fh_value *base = fh_unit_value(at->unit, callee->a);
    bool of_self = base->kind == FH_VALUE_PARAMETER && base->b == 0 &&
                   at->unit->functions.items[base->a].class;
    op.name = name;
    op.class =
        (uint8_t)(of_self ? fh_flow_class_of_attribute(name) : fh_flow_class_of_method(name));
    if (!of_self && op.class != FH_FLOW_OTHER)
        *receiver = callee->a;
    op.is_module = of_self;
    return op;
}

/* self.act(x) where act comes from a table that the configuration indexes. */
static bool says_nothing(const place *at, const fh_meanings *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const fh_meaning *m = &all->items[i];
        if (m->kind == FH_MEANS_LITERAL)
            continue;
        fh_text path = fh_resolver_path(at->resolver, m->path);
        if (m->kind == FH_MEANS_EXTERNAL && !fh_resolver_api(at->resolver, m->path) &&
            !fh_text_starts(path, "einops."))
            continue;
        return false;
    }
    return true;
}

static fh_flow_op op_of_call(const place *at, uint32_t index)
{
    const fh_call *call = &at->unit->calls.items[index];
    const fh_value *callee = fh_unit_value(at->unit, call->callee);
    fh_value_index receiver = 0;
    fh_meanings all;
    fh_resolve(at->resolver, at->index, call->callee, &all);
    fh_flow_op op = op_of_meanings(at, &all);
    if (op.class == FH_FLOW_OTHER && says_nothing(at, &all)) {
        op = op_of_unknown(at, callee, &receiver);
    } else if (fh_text_starts(op.name, "torch.Tensor.") && callee->kind == FH_VALUE_ATTRIBUTE) {
        receiver = callee->a;
    } else if (fh_text_starts(op.name, "torch.Tensor.")) {
        return nothing(); /* a method that was given another name: its object is not at hand */
    }
    if (op.class == FH_FLOW_OTHER && !op.name.length)
        return op;
    op.call = index;
    find_operands(at, call, receiver, &op);
    put_product_first(&op);
    return op;
}

static const char *sign_name(fh_op op)
{
    switch (op) {
    case FH_OP_ADD:
        return "torch.add";
    case FH_OP_SUBTRACT:
        return "torch.sub";
    case FH_OP_MULTIPLY:
        return "torch.mul";
    case FH_OP_DIVIDE:
        return "torch.div";
    case FH_OP_POWER:
        return "torch.pow";
    default:
        return NULL;
    }
}

/* a + b, -a: of tensors, when one side is one. */
static fh_flow_op op_of_sign(const place *at, fh_value_index index, const fh_value *v)
{
    fh_certainty certainty;
    bool unary = v->kind == FH_VALUE_UNARY;
    if (!unary && v->op == FH_OP_MATMUL) {
        fh_flow_op op = {.class = FH_FLOW_MATMUL,
                         .certainty = FH_LIKELY,
                         .operand_count = 2,
                         .operands = {v->a, v->b},
                         .name = FH_TEXT("torch.matmul")};
        if (fh_resolve_is_tensor(at->resolver, at->index, index, &certainty))
            op.certainty = (uint8_t)certainty;
        else
            op.certainty = FH_POSSIBLE;
        return op;
    }
    const char *name =
        unary ? (v->op == FH_OP_SUBTRACT ? "torch.neg" : NULL) : sign_name((fh_op)v->op);
    if (!name || !fh_resolve_is_tensor(at->resolver, at->index, index, &certainty))
        return nothing();
    return (fh_flow_op){.class = FH_FLOW_ELEMENTWISE,
                        .certainty = (uint8_t)certainty,
                        .operand_count = unary ? 1 : 2,
                        .operands = {v->a, unary ? 0 : v->b},
                        .name = fh_text_from(name)};
}

fh_flow_op fh_flow_of(fh_resolver *resolver, const fh_program *program, uint32_t unit,
                      fh_value_index value)
{
    const place at = {resolver, program, unit, &program->units.items[unit]};
    const fh_value *v = fh_unit_value(at.unit, value);
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_CALL:
        return op_of_call(&at, v->a);
    case FH_VALUE_BINARY:
    case FH_VALUE_UNARY:
        return op_of_sign(&at, value, v);
    case FH_VALUE_SUBSCRIPT:
    case FH_VALUE_ITEM:
        return (fh_flow_op){.class = FH_FLOW_SELECT,
                            .certainty = FH_CERTAIN,
                            .operand_count = 1,
                            .operands = {v->a}};
    case FH_VALUE_PHI:
        return (fh_flow_op){.class = FH_FLOW_CHOICE, .certainty = FH_LIKELY};
    default:
        return nothing();
    }
}

fh_flow_op fh_flow_module(fh_resolver *resolver, const fh_program *program, uint32_t unit,
                          fh_value_index value)
{
    const place at = {resolver, program, unit, &program->units.items[unit]};
    fh_meanings all;
    fh_resolve(resolver, unit, value, &all);
    for (uint32_t i = 0; i < all.count; i++)
        if (all.items[i].kind != FH_MEANS_INSTANCE && all.items[i].kind != FH_MEANS_OBJECT)
            return nothing();
    return op_of_meanings(&at, &all);
}
