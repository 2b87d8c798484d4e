/* Host: loops of Python over tensors (FH706), and tensors that each step makes on the CPU and
 * copies to the device (FH707).
 */
#include "analyse/rules/host.h"

#include <string.h>

/* True when the text leaves little doubt that `value` is one tensor: an operator gives it. A list
 * of tensors is walked over in the same way, and what a dictionary, a parameter without an
 * annotation or a module of the program gives is a list as often as a tensor. */
static bool is_one_tensor(const fh_host_unit *host, fh_value_index value, unsigned depth)
{
    const fh_unit *u = host->unit;
    const fh_value *v = fh_unit_value(u, value);
    if (!depth || !fh_host_is_device_tensor(host, value))
        return false;
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_PARAMETER:
        return fh_host_at(host, value)->tensor == FH_CERTAIN;
    case FH_VALUE_CALL:
        return host->callees[v->a].is_torch;
    case FH_VALUE_ATTRIBUTE:
    case FH_VALUE_UNARY:
        return is_one_tensor(host, v->a, depth - 1);
    case FH_VALUE_BINARY:
    case FH_VALUE_COMPARE:
        return is_one_tensor(host, v->a, depth - 1) || is_one_tensor(host, v->b, depth - 1);
    case FH_VALUE_SUBSCRIPT:
    case FH_VALUE_ITEM:
    case FH_VALUE_ELEMENT:
        return is_one_tensor(host, v->a, depth - 1);
    case FH_VALUE_PHI:
        for (uint32_t i = 0; i < v->b; i++) {
            fh_value_index one = u->lists.items[v->a + i];
            if (fh_unit_value(u, one)->kind != FH_VALUE_NONE &&
                !is_one_tensor(host, one, depth - 1))
                return false;
        }
        return v->b > 0;
    default:
        return false;
    }
}

static bool is_module_list(const fh_host_unit *host, fh_value_index value)
{
    static const char *const lists[] = {"torch.nn.ModuleList", "torch.nn.Sequential",
                                        "torch.nn.ParameterList", NULL};
    for (const char *const *path = lists; *path; path++)
        if (fh_resolve_is_instance(host->run->resolver, host->run->unit_index, value, *path))
            return true;
    return false;
}

/* What a loop walks over: behind enumerate, reversed and zip the thing itself; of zip, whichever is
 * a tensor. Beside a list of modules stands a list of what they work on. */
static bool walks_tensor(const fh_host_unit *host, fh_value_index value, uint32_t block,
                         unsigned depth)
{
    static const char *const wrappers[] = {"builtins.enumerate", "builtins.reversed",
                                           "builtins.zip", "tqdm.tqdm", NULL};
    const fh_value *v = fh_unit_value(host->unit, value);
    if (v->kind != FH_VALUE_CALL || !depth || !fh_text_is_any(host->callees[v->a].path, wrappers))
        return is_one_tensor(host, value, 6) && !fh_host_is_ruled_out(host, value, block);
    const fh_call *call = &host->unit->calls.items[v->a];
    bool any = false;
    for (uint32_t i = 0; i < call->count && i < 8; i++) {
        const fh_argument *argument = &host->unit->arguments.items[call->arguments + i];
        if (argument->name)
            continue;
        if (is_module_list(host, argument->value))
            return false;
        any |= walks_tensor(host, argument->value, block, depth - 1);
    }
    return any;
}

/* x.unbind(): the rows of one tensor, which a loop then takes one by one. */
static bool walks_rows(const fh_host_unit *host, fh_value_index value, uint32_t block)
{
    const fh_value *v = fh_unit_value(host->unit, value);
    if (v->kind != FH_VALUE_CALL || !host->callees[v->a].is_torch ||
        !fh_text_is(host->callees[v->a].name, "unbind"))
        return false;
    /* Along another dimension than the first it mostly takes apart a few coordinates. */
    const fh_callee *callee = &host->callees[v->a];
    fh_value_index dim =
        fh_callee_argument(host->unit, &host->unit->calls.items[v->a], callee, 0, "dim");
    int64_t number = 0;
    if (dim && (!fh_resolve_integer(host->run->resolver, host->run->unit_index, dim, &number) ||
                number != 0))
        return false;
    fh_value_index self = callee->self;
    return fh_host_is_device_tensor(host, self) && !fh_host_is_ruled_out(host, self, block);
}

static void report_loop(fh_host_unit *host, uint32_t block, fh_value_index walked, fh_spot spot)
{
    fh_place_kind place = fh_host_place(&host->places, block);
    if (place == FH_PLACE_COLD || fh_host_is_occasional(host->unit, block) ||
        (host->places.loops[block] && place < FH_PLACE_FORWARD))
        return; /* nor a loop over steps, each of which runs a model */
    fh_rule_report(host->run, FH_RULE_706, FH_SEVERITY_NOTE,
                   fh_host_certainty(host, place, walked, FH_LIKELY), spot, (fh_text){0},
                   "Python loop over a tensor: each iteration launches its own operators");
}

/* An operator, or a call that may run some: not what only counts, converts or pairs up. */
static bool is_work(const fh_host_unit *host, const fh_value *v)
{
    if (v->kind == FH_VALUE_CALL) {
        const fh_callee *callee = &host->callees[v->a];
        return !fh_text_starts(callee->path, "builtins.") &&
               !fh_text_starts(callee->path, "math.") && !callee->is_numpy;
    }
    return (v->kind == FH_VALUE_BINARY || v->kind == FH_VALUE_COMPARE) &&
           (fh_host_at(host, v->a)->tensor || fh_host_at(host, v->b)->tensor);
}

/* By block: 1 when something is computed in it. */
static uint8_t *find_work(fh_host_unit *host)
{
    const fh_unit *u = host->unit;
    uint8_t *work = fh_arena_alloc(&host->arena, u->blocks.count);
    if (!work)
        return NULL;
    memset(work, 0, u->blocks.count);
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (!is_work(host, v))
            continue;
        for (uint32_t block = v->block; block && !work[block];
             block = u->blocks.items[block].parent)
            work[block] = 1;
    }
    return work;
}

static fh_spot spot_of_block(const fh_host_unit *host, uint32_t block)
{
    const fh_block *b = &host->unit->blocks.items[block];
    return (fh_spot){b->offset, 0, b->function};
}

/* The tensor whose size a range(...) counts: range(x.shape[0]), range(x.size(1)), range(len(x));
 * 0: none. */
static fh_value_index counted_tensor(const fh_host_unit *host, fh_value_index range)
{
    const fh_unit *u = host->unit;
    const fh_value *v = fh_unit_value(u, range);
    if (v->kind != FH_VALUE_CALL || !fh_text_is(host->callees[v->a].path, "builtins.range"))
        return 0;
    const fh_call *call = &u->calls.items[v->a];
    const fh_value *count = call->count == 1
                                ? fh_unit_value(u, u->arguments.items[call->arguments].value)
                                : fh_unit_value(u, 0);
    if (count->kind == FH_VALUE_SUBSCRIPT) {
        const fh_value *shape = fh_unit_value(u, count->a);
        if (shape->kind == FH_VALUE_ATTRIBUTE && fh_text_is(fh_unit_text(u, shape->b), "shape"))
            return shape->a;
    }
    if (count->kind == FH_VALUE_CALL) {
        const fh_call *size = &u->calls.items[count->a];
        const fh_value *callee = fh_unit_value(u, size->callee);
        if (fh_text_is(host->callees[count->a].path, "builtins.len") && size->count == 1)
            return u->arguments.items[size->arguments].value;
        if (callee->kind == FH_VALUE_ATTRIBUTE && size->count == 1 &&
            fh_text_is(fh_unit_text(u, callee->b), "size"))
            return callee->a;
    }
    return 0;
}

/* Marks the loops whose counter picks a module: self.layers[i](x[:, i]). Each iteration runs
 * another one, so that they cannot run as one. */
static void mark_modules(const fh_host_unit *host, uint8_t *done)
{
    const fh_unit *u = host->unit;
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_CALL)
            v = fh_unit_value(u, u->calls.items[v->a].callee);
        else if (v->kind == FH_VALUE_SUBSCRIPT && !is_module_list(host, v->a))
            continue;
        if (v->kind != FH_VALUE_SUBSCRIPT)
            continue;
        const fh_value *counter = fh_unit_value(u, v->b);
        if (counter->kind == FH_VALUE_ITEM && !counter->b)
            counter = fh_unit_value(u, counter->a);
        if (counter->kind == FH_VALUE_ELEMENT)
            done[counter->a] = 1;
    }
}

/* The element of a range among the parts of an index; 0: none. */
static fh_value_index counter_of(const fh_unit *u, fh_value_index index)
{
    const fh_value *v = fh_unit_value(u, index);
    for (uint32_t i = 0; v->kind == FH_VALUE_TUPLE && i < v->b && i < 4; i++) {
        fh_value_index part = u->lists.items[v->a + i];
        if (fh_unit_value(u, part)->kind == FH_VALUE_ELEMENT)
            return part;
    }
    return v->kind == FH_VALUE_ELEMENT ? index : 0;
}

/* True for a parameter of forward that range(x.size(1)) counts: nothing but a tensor has a size()
 * of one dimension. */
static bool is_sized_parameter(const fh_host_unit *host, fh_value_index range, fh_value_index value,
                               uint32_t block)
{
    const fh_unit *u = host->unit;
    const fh_call *call = &u->calls.items[fh_unit_value(u, range)->a];
    const fh_value *count = fh_unit_value(u, u->arguments.items[call->arguments].value);
    if (count->kind != FH_VALUE_CALL || fh_unit_value(u, value)->kind != FH_VALUE_PARAMETER ||
        fh_host_place(&host->places, block) != FH_PLACE_FORWARD)
        return false;
    const fh_value *callee = fh_unit_value(u, u->calls.items[count->a].callee);
    return callee->kind == FH_VALUE_ATTRIBUTE && callee->a == value &&
           !fh_host_at(host, value)->is_host;
}

/* x[i] with `for i in range(x.shape[0])` around it. */
static void check_counted(fh_host_unit *host, uint8_t *done, fh_value_index index)
{
    const fh_unit *u = host->unit;
    const fh_value *v = fh_unit_value(u, index);
    fh_value_index counter = counter_of(u, v->b);
    fh_value_index range = counter ? fh_unit_value(u, counter)->a : 0;
    if (!range || done[range] || counted_tensor(host, range) != v->a ||
        (!is_one_tensor(host, v->a, 6) && !is_sized_parameter(host, range, v->a, v->block)) ||
        fh_host_is_ruled_out(host, v->a, v->block))
        return;
    for (uint32_t block = v->block; block; block = u->blocks.items[block].parent) {
        if (u->blocks.items[block].value == range &&
            (u->blocks.items[block].kind == FH_BLOCK_FOR ||
             u->blocks.items[block].kind == FH_BLOCK_COMPREHENSION)) {
            done[range] = 1;
            report_loop(host, block, v->a, spot_of_block(host, block));
            return;
        }
    }
}

/* True when `value` names a device: a name of it, or another tensor. */
static bool is_device(const fh_host_unit *host, fh_value_index value, bool *of_tensor)
{
    const fh_unit *u = host->unit;
    const fh_value *v = fh_unit_value(u, value);
    fh_text name = {0};
    fh_certainty certainty;
    *of_tensor = false;
    if (v->kind == FH_VALUE_ATTRIBUTE) {
        name = fh_unit_text(u, v->b);
        *of_tensor = fh_host_at(host, v->a)->tensor >= FH_LIKELY && fh_text_is(name, "device");
        return fh_text_ends(name, "device");
    }
    if (v->kind == FH_VALUE_PARAMETER) {
        const fh_function *f = &u->functions.items[v->a];
        name = fh_unit_text(u, u->parameters.items[f->parameters + v->b].name);
        if (fh_text_ends(name, "device"))
            return true;
    }
    if (fh_resolve_string(host->run->resolver, host->run->unit_index, value, &name, &certainty,
                          NULL))
        return fh_text_starts(name, "cuda") || fh_text_starts(name, "npu");
    *of_tensor = fh_host_is_device_tensor(host, value);
    return *of_tensor;
}

/* torch.zeros(...).to(x.device): made without a device, then moved. */
static void check_creation(fh_host_unit *host, uint32_t index)
{
    const fh_unit *u = host->unit;
    const fh_call *call = &u->calls.items[index];
    const fh_callee *callee = &host->callees[index];
    const fh_value *made = fh_unit_value(u, callee->self);
    if (!callee->is_method || made->kind != FH_VALUE_CALL)
        return;
    const fh_callee *maker = &host->callees[made->a];
    const fh_call *making = &u->calls.items[made->a];
    if (!fh_callee_creates(maker) || !fh_host_at(host, callee->self)->is_host ||
        fh_call_argument(u, making, -1, "generator") || making->function != call->function)
        return;
    bool moves = fh_text_is(callee->name, "cuda") || fh_text_is(callee->name, "npu");
    bool of_tensor = false;
    if (fh_text_is(callee->name, "to")) {
        fh_value_index target = fh_call_argument(u, call, 0, "device");
        moves = target && is_device(host, target, &of_tensor);
    } else if (fh_text_is(callee->name, "type_as")) {
        moves = of_tensor = true;
    }
    fh_place_kind place = fh_host_place(&host->places, call->block);
    if (!moves || place == FH_PLACE_COLD || place == FH_PLACE_EVALUATION ||
        (place == FH_PLACE_ORDINARY && !of_tensor) || fh_host_is_occasional(u, call->block))
        return;
    bool data = fh_text_is(maker->name, "tensor");
    fh_rule_report(host->run, FH_RULE_707, FH_SEVERITY_NOTE, FH_LIKELY, fh_spot_of_call(u, making),
                   maker->path,
                   data ? "made on the CPU and copied to the device%s: if it is always the same, "
                          "make it once, outside"
                        : "made on the CPU and copied to the device%s: pass device= instead",
                   fh_host_place_words(&host->places, call->block));
}

void fh_host_check_loops(fh_host_unit *host)
{
    const fh_unit *u = host->unit;
    uint8_t *done = fh_arena_alloc(&host->arena, u->values.count), *work = find_work(host);
    if (!done || !work)
        return;
    memset(done, 0, u->values.count);
    mark_modules(host, done);
    for (uint32_t i = 1; i < u->blocks.count && !fh_rules_stop(i); i++) {
        const fh_block *b = &u->blocks.items[i];
        if ((b->kind == FH_BLOCK_FOR || b->kind == FH_BLOCK_COMPREHENSION) && work[i] &&
            !done[b->value] &&
            (walks_tensor(host, b->value, b->parent, 2) || walks_rows(host, b->value, b->parent)))
            report_loop(host, i, b->value, spot_of_block(host, i));
    }
    for (uint32_t i = 1; i < u->values.count; i++)
        if (u->values.items[i].kind == FH_VALUE_SUBSCRIPT)
            check_counted(host, done, i);
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++)
        check_creation(host, i);
}
