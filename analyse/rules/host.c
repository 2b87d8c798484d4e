/* Host: where the program waits for the device. Here are values that are read back (FH701, and
 * FH702 for bool()); conditions on tensors are told by host_truth.c, what is printed by
 * host_print.c, sizes and loops by host_shape.c and host_loop.c, compiled code by stops_graph.c.
 */
#include "analyse/rules/host.h"

#include <string.h>

fh_severity fh_host_severity(fh_place_kind place)
{
    return place == FH_PLACE_FORWARD ? FH_SEVERITY_WARNING : FH_SEVERITY_NOTE;
}

static bool is_doubtful(const fh_host_unit *host, fh_place_kind place, fh_value_index value)
{
    return place == FH_PLACE_ORDINARY && !fh_host_at(host, value)->is_placed;
}

fh_certainty fh_host_certainty(const fh_host_unit *host, fh_place_kind place, fh_value_index value,
                               uint8_t known)
{
    if (place == FH_PLACE_EVALUATION || is_doubtful(host, place, value))
        return FH_POSSIBLE;
    return known > FH_LIKELY ? FH_LIKELY : (fh_certainty)known;
}

const char *fh_host_words(const fh_host_unit *host, uint32_t block, fh_value_index value)
{
    return is_doubtful(host, fh_host_place(&host->places, block), value)
               ? ", if the tensor lies on the device"
               : fh_host_place_words(&host->places, block);
}

/* A place of interest, as the checks below see it. */
typedef struct {
    fh_host_unit *host;
    const fh_call *call;
    const fh_callee *callee;
    fh_place_kind place;
    const uint8_t *leaves; /* by value: it goes straight to what runs on the host */
} visit;

/* A copy of a whole tensor, or of one number. */
static void report_read(const visit *v, fh_value_index value, uint8_t certainty, fh_stops stops,
                        const char *what)
{
    static const char needed[] = "; what follows runs on the host, so fewer or later copies help";
    fh_host_unit *host = v->host;
    bool is_needed = stops == FH_STOPS_COPY && v->leaves && v->leaves[v->call->value];
    fh_spot spot = fh_spot_of_call(host->unit, v->call);
    fh_rule_report(host->run, FH_RULE_701, fh_host_severity(v->place),
                   fh_host_certainty(host, v->place, value, certainty), spot, v->callee->path,
                   "%s waits for the device%s%s", what, fh_host_words(host, v->call->block, value),
                   is_needed ? needed : "");
    if (certainty >= FH_LIKELY)
        fh_stops_graph(host->run, &host->graphs, v->call->block, spot, v->callee->path, stops);
}

/* x.to("cpu"), x.to(device="cpu"). */
static bool moves_to_cpu(const fh_host_unit *host, const fh_call *call)
{
    fh_value_index target = fh_call_argument(host->unit, call, 0, "device");
    return target && fh_host_names_cpu(host->run, target);
}

/* The method of a tensor that a call reads it back with, as it is written; NULL: none. */
static const char *reading_method(const fh_host_unit *host, const fh_call *call,
                                  const fh_callee *callee)
{
    if (fh_text_is(callee->name, "item") && !call->count)
        return ".item()";
    if (fh_text_is(callee->name, "tolist") && !call->count)
        return ".tolist()";
    if (fh_text_is(callee->name, "cpu"))
        return ".cpu()";
    if (fh_text_is(callee->name, "to") && moves_to_cpu(host, call))
        return ".to(\"cpu\")";
    if (fh_text_is(callee->name, "is_nonzero"))
        return ".is_nonzero()";
    return NULL;
}

/* A receiver that is no array of NumPy and nothing else that is known. */
static bool may_be_tensor(const fh_host_unit *host, fh_value_index value)
{
    fh_meanings all;
    if (host->dtypes.types[value].is_numpy)
        return false;
    fh_resolve(host->run->resolver, host->run->unit_index, value, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        if (all.items[i].kind != FH_MEANS_INSTANCE)
            continue;
        fh_text path = fh_resolver_path(host->run->resolver, all.items[i].path);
        if (!fh_text_starts(path, "torch.Tensor") && !fh_text_starts(path, "builtins.sum"))
            return false;
    }
    return true;
}

static void check_method(const visit *v)
{
    fh_host_unit *host = v->host;
    fh_value_index receiver = v->callee->self;
    const char *what = reading_method(host, v->call, v->callee);
    if (!what)
        return;
    bool copy = fh_text_is(v->callee->name, "cpu") || fh_text_is(v->callee->name, "to");
    fh_stops stops = copy ? FH_STOPS_COPY : FH_STOPS_READ;
    const fh_host_facts *self = fh_host_at(host, receiver);
    if (self->is_host || fh_host_is_ruled_out(host, receiver, v->call->block))
        return;
    if (self->tensor >= FH_LIKELY)
        report_read(v, receiver, self->tensor, stops, what);
    else if (v->place >= FH_PLACE_LOOP && may_be_tensor(host, receiver))
        report_read(v, receiver, FH_POSSIBLE, stops, what);
}

/* loss.item(), where loss is a sum of what cannot be told: only a tensor or an array has it. */
static void check_unknown_item(const visit *v)
{
    const fh_value *target = fh_unit_value(v->host->unit, v->call->callee);
    if (target->kind == FH_VALUE_ATTRIBUTE && !v->call->count && v->place >= FH_PLACE_LOOP &&
        fh_text_is(fh_unit_text(v->host->unit, target->b), "item") &&
        may_be_tensor(v->host, target->a) && !fh_host_at(v->host, target->a)->is_host) {
        fh_callee item = {.path = FH_TEXT("torch.Tensor.item")};
        visit as_item = {v->host, v->call, &item, v->place, NULL};
        report_read(&as_item, target->a, FH_POSSIBLE, FH_STOPS_READ, ".item()");
    }
}

static bool compares_whole(fh_text path)
{
    return fh_text_is(path, "torch.equal") || fh_text_is(path, "torch.allclose") ||
           fh_text_is(path, "torch.Tensor.equal") || fh_text_is(path, "torch.Tensor.allclose");
}

/* One of the tensors that a function works on lies on the host, and so do the others. */
static bool has_host_operand(const visit *v)
{
    const fh_host_unit *host = v->host;
    for (uint32_t i = 0; i < v->call->count && i < 4; i++)
        if (fh_host_at(host, host->unit->arguments.items[v->call->arguments + i].value)->is_host)
            return true;
    return fh_host_at(host, v->callee->self)->is_host;
}

/* math.prod(shape[1:]): of several numbers, not of one tensor. */
static bool is_slice(const fh_unit *u, fh_value_index value)
{
    const fh_value *v = fh_unit_value(u, value);
    return v->kind == FH_VALUE_SUBSCRIPT && fh_unit_value(u, v->b)->kind == FH_VALUE_SLICE;
}

static void check_function(const visit *v)
{
    fh_host_unit *host = v->host;
    fh_text path = v->callee->path;
    if (compares_whole(path)) {
        if (v->callee->certainty >= FH_LIKELY && v->callee->self && !has_host_operand(v))
            report_read(v, v->call->value, FH_LIKELY, FH_STOPS_READ,
                        "comparing whole tensors to a bool");
        return;
    }
    fh_value_index first = fh_call_argument(host->unit, v->call, 0, NULL);
    if (!first || !fh_host_is_device_tensor(host, first) ||
        fh_host_is_ruled_out(host, first, v->call->block) ||
        fh_host_follows_test(host, v->call, first))
        return;
    uint8_t certainty = fh_host_at(host, first)->tensor;
    if (fh_text_is(path, "builtins.int")) {
        report_read(v, first, certainty, FH_STOPS_READ, "int() of a tensor");
    } else if (fh_text_is(path, "builtins.float")) {
        report_read(v, first, certainty, FH_STOPS_READ, "float() of a tensor");
    } else if (fh_text_starts(path, "math.") && !is_slice(host->unit, first)) {
        report_read(v, first, certainty, FH_STOPS_READ, "a function of math on a tensor");
    } else if (fh_text_is(path, "builtins.bool")) {
        fh_spot spot = fh_spot_of_call(host->unit, v->call);
        fh_rule_report(host->run, FH_RULE_702, fh_host_severity(v->place),
                       fh_host_certainty(host, v->place, first, certainty), spot, path,
                       "bool() of a tensor: the host waits for the device%s",
                       fh_host_words(host, v->call->block, first));
        fh_stops_graph(host->run, &host->graphs, v->call->block, spot, path, FH_STOPS_READ);
    }
}

/* Objects that are moved to a device where they are made: X(t.cpu()).to(device); by value. */
static void mark_moved(const fh_host_unit *host, const fh_call *call, uint8_t *moved)
{
    static const char *const moves[] = {"to", "cuda", "npu", NULL};
    const fh_unit *u = host->unit;
    const fh_value *target = fh_unit_value(u, call->callee);
    if (target->kind == FH_VALUE_ATTRIBUTE && fh_text_is_any(fh_unit_text(u, target->b), moves) &&
        !moves_to_cpu(host, call))
        moved[target->a] = 1;
}

/* A parameter of bitsandbytes: it is quantised when it is moved to a device, for which it takes its
 * numbers from the host. */
static bool waits_for_move(const fh_callee *callee)
{
    return fh_text_is(callee->name, "Params4bit") || fh_text_is(callee->name, "Int8Params");
}

/* Which values go to NumPy, Pillow and other libraries that know no device, or are turned into an
 * array by .numpy(), casts on the way passed over; by value, in the arena. NULL: no memory. */
static uint8_t *find_leaving(fh_host_unit *host)
{
    static const char *const casts[] = {"float", "double", "long", "int", "detach", NULL};
    const fh_unit *u = host->unit;
    uint8_t *leaves = fh_arena_alloc(&host->arena, u->values.count);
    uint8_t *moved = fh_arena_alloc(&host->arena, u->values.count);
    if (!leaves || !moved)
        return NULL;
    memset(leaves, 0, u->values.count);
    memset(moved, 0, u->values.count);
    for (uint32_t i = (uint32_t)u->calls.count; i-- > 1;) {
        const fh_call *call = &u->calls.items[i];
        const fh_callee *callee = &host->callees[i];
        const fh_value *target = fh_unit_value(u, call->callee);
        fh_text method =
            target->kind == FH_VALUE_ATTRIBUTE ? fh_unit_text(u, target->b) : (fh_text){0};
        if (target->kind == FH_VALUE_ATTRIBUTE &&
            (fh_text_is(method, "numpy") || (leaves[call->value] && fh_text_is_any(method, casts))))
            leaves[target->a] = 1;
        mark_moved(host, call, moved);
        if (callee->path.length && !callee->is_torch && !moved[call->value] &&
            !waits_for_move(callee) && !fh_text_starts(callee->path, "builtins."))
            for (uint32_t k = 0; k < call->count && k < 8; k++)
                leaves[u->arguments.items[call->arguments + k].value] = 1;
    }
    return leaves;
}

static void check_call(fh_host_unit *host, uint32_t index, const uint8_t *leaves)
{
    const fh_call *call = &host->unit->calls.items[index];
    const visit v = {host, call, &host->callees[index], fh_host_place(&host->places, call->block),
                     leaves};
    if (v.place == FH_PLACE_COLD || fh_host_is_occasional(host->unit, call->block))
        return;
    if (v.callee->is_method)
        check_method(&v);
    else if (!v.callee->is_torch && fh_text_ends(v.callee->path, ".item"))
        check_unknown_item(&v);
    if (v.callee->path.length)
        check_function(&v);
    fh_host_check_print(host, call, v.callee, v.place);
}

void fh_rules_host(fh_rule_run *run)
{
    fh_host_unit host;
    if (!fh_unit_uses(run, "torch"))
        return;
    if (fh_host_open(&host, run)) {
        const uint8_t *leaves = find_leaving(&host);
        for (uint32_t i = 1; i < run->unit->calls.count && !fh_rules_stop(i); i++)
            check_call(&host, i, leaves);
        fh_host_check_truths(&host);
        fh_host_check_shapes(&host);
        fh_host_check_loops(&host);
        fh_dtype_check(&host);
    }
    fh_host_close(&host);
}
