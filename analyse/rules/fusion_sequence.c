/* FH301, FH302 in modules that are made one after the other: arguments of nn.Sequential, lists
 * that hold layers, layers.append(...), add_module(...). */
#include "analyse/rules/fusion.h"

/* The last layers of a sequence that is being read. */
typedef struct {
    fh_value_index value[2]; /* the one before, and the one before that */
    fh_flow_op op[2];
} window;

/* The module of an element: the element, or the second half of ("name", module). */
static fh_value_index module_of(const fh_unit *u, fh_value_index element)
{
    const fh_value *v = fh_unit_value(u, element);
    if (v->kind == FH_VALUE_TUPLE && v->b == 2 &&
        fh_unit_value(u, u->lists.items[v->a])->kind == FH_VALUE_STRING)
        element = u->lists.items[v->a + 1];
    return element;
}

static void clear(window *w)
{
    *w = (window){{0}, {{0}}};
}

static bool comes_later(const fh_unit *u, fh_value_index value, fh_value_index than)
{
    return fh_spot_of_value(u, value).offset > fh_spot_of_value(u, than).offset;
}

/* Takes in the next layer. */
static void add(fh_fusion *fusion, window *w, fh_value_index value, fh_certainty at_most)
{
    fh_rule_run *run = fusion->run;
    fh_flow_op op = {0};
    if (fh_unit_value(run->unit, value)->kind == FH_VALUE_CALL)
        op = fh_flow_module(run->resolver, run->program, run->unit_index, value);
    if (op.made.unit != run->unit_index || op.made.value != value)
        op.made.value = 0;
    bool after_norm = w->op[0].class == FH_FLOW_BATCH_NORM && w->op[1].class == FH_FLOW_CONVOLUTION;
    if (op.class == FH_FLOW_ACTIVATION && w->op[0].class == FH_FLOW_LINEAR)
        /* An activation made before, self.act, is told at the linear layer. */
        fh_fusion_report_activation(
            fusion, comes_later(run->unit, value, w->value[0]) ? value : w->value[0], &w->op[0],
            &op, at_most);
    if (after_norm)
        fh_fusion_report_conv(fusion, w->value[0], &w->op[1], &w->op[0],
                              op.class == FH_FLOW_ACTIVATION ? &op : NULL, at_most);
    w->value[1] = w->value[0];
    w->op[1] = w->op[0];
    w->value[0] = value;
    w->op[0] = op;
}

static void finish(fh_fusion *fusion, window *w, fh_certainty at_most)
{
    if (w->op[0].class == FH_FLOW_BATCH_NORM && w->op[1].class == FH_FLOW_CONVOLUTION)
        fh_fusion_report_conv(fusion, w->value[0], &w->op[1], &w->op[0], NULL, at_most);
    clear(w);
}

/* A list or tuple of layers: what else would put them beside each other? */
static void check_list(fh_fusion *fusion, const fh_value *list)
{
    const fh_unit *u = fusion->run->unit;
    window w = {{0}, {{0}}};
    for (uint32_t i = 0; i < list->b; i++)
        add(fusion, &w, module_of(u, u->lists.items[list->a + i]), FH_LIKELY);
    finish(fusion, &w, FH_LIKELY);
}

/* super().__init__(conv, norm, act) of a class that derives from Sequential. */
static bool is_super_init(fh_fusion *fusion, const fh_call *call)
{
    const fh_unit *u = fusion->run->unit;
    const fh_value *callee = fh_unit_value(u, call->callee);
    uint32_t class = u->functions.items[call->function].class;
    if (!class || callee->kind != FH_VALUE_ATTRIBUTE ||
        !fh_text_is(fh_unit_text(u, callee->b), "__init__"))
        return false;
    const fh_value *base = fh_unit_value(u, callee->a);
    if (base->kind != FH_VALUE_CALL)
        return false;
    const fh_value *super = fh_unit_value(u, u->calls.items[base->a].callee);
    return super->kind == FH_VALUE_NAME && fh_text_is(fh_unit_text(u, super->a), "super") &&
           fh_resolve_derives(fusion->run->resolver, fusion->run->unit_index, class,
                              "torch.nn.Sequential");
}

static bool is_sequential(fh_fusion *fusion, const fh_call *call)
{
    fh_meaning callee;
    return fh_resolve_external(fusion->run->resolver, fusion->run->unit_index, call->callee,
                               &callee) &&
           fh_text_is(fh_resolver_path(fusion->run->resolver, callee.path), "torch.nn.Sequential");
}

static void check_arguments(fh_fusion *fusion, const fh_call *call)
{
    const fh_unit *u = fusion->run->unit;
    window w = {{0}, {{0}}};
    for (uint32_t i = 0; i < call->count; i++)
        add(fusion, &w, u->arguments.items[call->arguments + i].value, FH_CERTAIN);
    finish(fusion, &w, FH_CERTAIN);
}

/* The layer that layers.append(...) or net.add_module(name, ...) adds; 0 for other calls. */
static fh_value_index added_layer(const fh_unit *u, const fh_call *call, fh_value_index *to)
{
    const fh_value *callee = fh_unit_value(u, call->callee);
    if (callee->kind != FH_VALUE_ATTRIBUTE)
        return 0;
    fh_text name = fh_unit_text(u, callee->b);
    *to = callee->a;
    if (fh_text_is(name, "append") && call->count == 1)
        return u->arguments.items[call->arguments].value;
    if (fh_text_is(name, "add_module") && call->count == 2)
        return u->arguments.items[call->arguments + 1].value;
    return 0;
}

/* Calls that add to the same container, one right after the other, in one block. */
static void check_appends(fh_fusion *fusion)
{
    const fh_unit *u = fusion->run->unit;
    window w = {{0}, {{0}}};
    fh_value_index container = 0, to = 0;
    uint32_t block = 0;
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        fh_value_index layer = added_layer(u, call, &to);
        if (!layer)
            continue;
        if (!fh_flow_same(u, to, container) || call->block != block)
            finish(fusion, &w, FH_LIKELY);
        container = to;
        block = call->block;
        add(fusion, &w, layer, FH_LIKELY);
    }
    finish(fusion, &w, FH_LIKELY);
}

void fh_fusion_sequences(fh_fusion *fusion)
{
    const fh_unit *u = fusion->run->unit;
    for (uint32_t i = 1; i < u->calls.count; i++)
        if (u->calls.items[i].count > 1 && (is_sequential(fusion, &u->calls.items[i]) ||
                                            is_super_init(fusion, &u->calls.items[i])))
            check_arguments(fusion, &u->calls.items[i]);
    for (uint32_t i = 1; i < u->values.count; i++)
        if (u->values.items[i].kind == FH_VALUE_LIST && u->values.items[i].b > 1)
            check_list(fusion, &u->values.items[i]);
    check_appends(fusion);
}
