/* Calls: whether what they give lies on the host, or was read back from the device. */
#include "analyse/rules/host_flow_build.h"

bool fh_host_names_cpu(const fh_rule_run *run, fh_value_index value)
{
    fh_text text;
    fh_certainty certainty;
    const fh_value *v = fh_unit_value(run->unit, value);
    if (v->kind == FH_VALUE_CALL) {
        const fh_call *call = &run->unit->calls.items[v->a];
        fh_meaning callee;
        if (fh_resolve_external(run->resolver, run->unit_index, call->callee, &callee) &&
            fh_text_is(fh_resolver_path(run->resolver, callee.path), "torch.device"))
            value = fh_call_argument(run->unit, call, 0, "type");
    }
    fh_meanings all;
    fh_resolve(run->resolver, run->unit_index, value, &all);
    return all.count == 1 &&
           fh_resolve_string(run->resolver, run->unit_index, value, &text, &certainty, NULL) &&
           fh_text_is(text, "cpu");
}

static bool is_number(const fh_host_walk *w, fh_value_index value)
{
    fh_value_kind kind = (fh_value_kind)fh_unit_value(w->unit, value)->kind;
    return kind == FH_VALUE_INTEGER || kind == FH_VALUE_FLOAT || kind == FH_VALUE_BOOL ||
           kind == FH_VALUE_NONE || kind == FH_VALUE_STRING ||
           fh_host_walked(w, value)->is_read_back;
}

/* Every tensor among the operands lies on the host, and there is one. What is not known to be a
 * tensor is a number, most likely. */
static bool operands_on_host(const fh_host_walk *w, const fh_call *call, const fh_callee *callee)
{
    const fh_host_facts *self = fh_host_walked(w, callee->self);
    bool any = callee->self && self->is_host;
    if (callee->is_method && !any)
        return false;
    for (uint32_t i = 0; i < call->count && i < 8; i++) {
        const fh_host_facts *one =
            fh_host_walked(w, w->unit->arguments.items[call->arguments + i].value);
        if (one->is_host)
            any = true;
        else if (one->tensor >= FH_LIKELY || one->is_placed)
            return false;
    }
    return any;
}

/* True when `device` names a device of some sort that is not known to be the CPU. */
static bool names_device(const fh_host_walk *w, fh_value_index device)
{
    const fh_value *v = fh_unit_value(w->unit, device);
    if (!device || v->kind == FH_VALUE_NONE || fh_host_names_cpu(w->run, device))
        return false;
    /* x.device of a tensor on the CPU. */
    return v->kind != FH_VALUE_ATTRIBUTE || !fh_host_walked(w, v->a)->is_host;
}

/* x.dtype, a parameter of that name, or what is handed on as dtype= elsewhere. */
static bool names_dtype(const fh_host_walk *w, fh_value_index value)
{
    const fh_value *v = fh_unit_value(w->unit, value);
    if (w->is_dtype[value])
        return true;
    if (v->kind == FH_VALUE_ATTRIBUTE)
        return fh_text_ends(fh_unit_text(w->unit, v->b), "dtype");
    if (v->kind != FH_VALUE_PARAMETER)
        return false;
    const fh_function *f = &w->unit->functions.items[v->a];
    return fh_text_ends(fh_unit_text(w->unit, w->unit->parameters.items[f->parameters + v->b].name),
                        "dtype");
}

/* .to(torch.float16), .to(x.dtype), .to(dtype=t): it stays where it is. */
static bool only_casts(const fh_host_walk *w, const fh_call *call, const fh_callee *callee)
{
    bool is_cast;
    return call->count == 1 && (fh_call_argument(w->unit, call, -1, "dtype") ||
                                fh_numbers_of_cast(w->run, call, callee, &is_cast) ||
                                names_dtype(w, fh_call_argument(w->unit, call, 0, "device")));
}

/* device=x.device, where x is a tensor that nothing places: it goes where the caller's lies. */
static bool follows_unplaced(const fh_host_walk *w, fh_value_index device)
{
    const fh_value *v = fh_unit_value(w->unit, device);
    return v->kind == FH_VALUE_ATTRIBUTE && fh_text_is(fh_unit_text(w->unit, v->b), "device") &&
           fh_host_walked(w, v->a)->tensor && !fh_host_walked(w, v->a)->is_placed;
}

static bool places(const fh_host_walk *w, fh_value_index device)
{
    return names_device(w, device) && !follows_unplaced(w, device);
}

/* .to(device), .to(x), .to(torch.float16): only the first two say where. */
static bool moves(const fh_host_walk *w, const fh_call *call, const fh_callee *callee)
{
    fh_value_index target = fh_call_argument(w->unit, call, 0, "device");
    if (!target || fh_host_names_cpu(w->run, target) || only_casts(w, call, callee))
        return false;
    return places(w, target);
}

/* The text puts the result on the device, or something that it is computed from. */
static bool is_placed(const fh_host_walk *w, const fh_call *call, const fh_callee *callee)
{
    static const char *const moving[] = {"cuda", "npu", NULL};
    const fh_value *target = fh_unit_value(w->unit, call->callee);
    fh_text method =
        target->kind == FH_VALUE_ATTRIBUTE ? fh_unit_text(w->unit, target->b) : (fh_text){0};
    if (fh_text_is_any(method, moving) || places(w, fh_call_argument(w->unit, call, -1, "device")))
        return true;
    if (fh_text_is(method, "to"))
        return moves(w, call, callee) || fh_host_walked(w, target->a)->is_placed;
    if (fh_resolve_is_instance(w->run->resolver, w->run->unit_index, call->callee,
                               "torch.nn.Module"))
        return true;
    if (target->kind == FH_VALUE_ATTRIBUTE && fh_host_walked(w, target->a)->is_placed)
        return true;
    for (uint32_t i = 0; i < call->count && i < 8; i++)
        if (fh_host_walked(w, w->unit->arguments.items[call->arguments + i].value)->is_placed)
            return true;
    return false;
}

/* torch.tensor(data): on the host, unless the data is a tensor or cannot be told. */
static bool holds_host_data(const fh_host_walk *w, fh_value_index value)
{
    const fh_value *v = fh_unit_value(w->unit, value);
    if (v->kind == FH_VALUE_COMPREHENSION)
        return fh_host_walked(w, v->a)->tensor == 0;
    if (v->kind == FH_VALUE_LIST || v->kind == FH_VALUE_TUPLE) {
        for (uint32_t i = 0; i < v->b && i < 8; i++)
            if (fh_host_walked(w, w->unit->lists.items[v->a + i])->tensor)
                return false;
        return true;
    }
    if (is_number(w, value) || w->host->dtypes.types[value].is_numpy)
        return true;
    if (v->kind == FH_VALUE_CALL)
        return w->host->callees[v->a].is_numpy ||
               fh_text_starts(w->host->callees[v->a].path, "builtins.");
    return false;
}

static bool made_on_host(const fh_host_walk *w, const fh_call *call, const fh_callee *callee)
{
    fh_value_index device = fh_call_argument(w->unit, call, -1, "device");
    fh_value_index data = fh_call_argument(w->unit, call, 0, "data");
    if (device && fh_unit_value(w->unit, device)->kind != FH_VALUE_NONE)
        return !names_device(w, device);
    if (fh_text_is(callee->path, "torch.from_numpy") || fh_text_is(callee->path, "torch.load"))
        return true;
    /* torch.tensor of a tensor is rare, and PyTorch warns of it. */
    if (fh_text_is(callee->path, "torch.tensor"))
        return !w->device_by_default &&
               (!fh_host_walked(w, data)->tensor || holds_host_data(w, data));
    if (fh_text_is(callee->path, "torch.as_tensor"))
        return !w->device_by_default && holds_host_data(w, data);
    return !w->device_by_default && fh_callee_creates(callee);
}

/* tokenizer(text, return_tensors="pt"): a batch of tensors on the CPU, until it is moved. */
static bool makes_batch(const fh_host_walk *w, const fh_call *call)
{
    return fh_call_argument(w->unit, call, -1, "return_tensors") &&
           !fh_call_argument(w->unit, call, -1, "device");
}

/* What is taken out of such a batch, or walked over, lies where it lies. */
static bool takes_from_host(const fh_host_walk *w, const fh_call *call, const fh_callee *callee)
{
    static const char *const methods[] = {"items", "values", "keys", "get", "pop", "copy", NULL};
    static const char *const walks[] = {"builtins.enumerate", "builtins.reversed", "builtins.list",
                                        "builtins.tuple",     "builtins.sorted",   "builtins.iter",
                                        "builtins.next",      "builtins.zip",      NULL};
    const fh_value *target = fh_unit_value(w->unit, call->callee);
    if (target->kind == FH_VALUE_ATTRIBUTE && fh_host_walked(w, target->a)->is_host &&
        !fh_host_walked(w, target->a)->tensor)
        return fh_text_is_any(fh_unit_text(w->unit, target->b), methods);
    if (!fh_text_is_any(callee->path, walks))
        return false;
    for (uint32_t i = 0; i < call->count && i < 8; i++)
        if (!fh_host_walked(w, w->unit->arguments.items[call->arguments + i].value)->is_host)
            return false;
    return call->count > 0;
}

/* One of the tensors that a function of the program gets lies on the host, and none elsewhere. */
static bool gets_host(const fh_host_walk *w, const fh_call *call)
{
    bool any = false;
    for (uint32_t i = 0; i < call->count && i < 8; i++) {
        const fh_host_facts *one =
            fh_host_walked(w, w->unit->arguments.items[call->arguments + i].value);
        if (one->is_placed || (one->tensor && !one->is_host))
            return false;
        any |= one->is_host;
    }
    return any;
}

/* What a function gives lies on the host, or is computed from its parameters, which do. */
static bool gives_back(const fh_host_walk *w, const fh_function *f, fh_value_index value)
{
    const fh_value *v = fh_unit_value(w->unit, value);
    if (value >= w->at)
        *w->looked_ahead = true;
    if (fh_host_is_kept(w, value))
        return true;
    if (fh_host_walked(w, value)->is_placed || fh_host_walked(w, value)->is_read_back)
        return false;
    if (v->kind == FH_VALUE_PARAMETER)
        return &w->unit->functions.items[v->a] == f;
    if (v->kind == FH_VALUE_TUPLE) {
        for (uint32_t i = 0; i < v->b && i < 8; i++)
            if (!gives_back(w, f, w->unit->lists.items[v->a + i]))
                return false;
        return v->b > 0;
    }
    return fh_host_walked(w, value)->tensor;
}

/* A function of another file: x.cpu(), and casts of such, tell it by themselves. */
static bool is_copied(const fh_unit *u, fh_value_index value, unsigned depth)
{
    static const char *const copies[] = {"cpu", "numpy", "tolist", "item", NULL};
    static const char *const keeps[] = {"float", "double", "long",    "int",     "bool",    "half",
                                        "clone", "detach", "squeeze", "reshape", "flatten", NULL};
    const fh_value *v = fh_unit_value(u, value);
    if (!depth)
        return false;
    if (v->kind == FH_VALUE_TUPLE || v->kind == FH_VALUE_PHI || v->kind == FH_VALUE_LIST) {
        for (uint32_t i = 0; i < v->b; i++)
            if (!is_copied(u, u->lists.items[v->a + i], depth - 1))
                return false;
        return v->b > 0;
    }
    if (v->kind == FH_VALUE_COMPREHENSION)
        return is_copied(u, v->a, depth - 1);
    if (v->kind != FH_VALUE_CALL)
        return false;
    const fh_value *callee = fh_unit_value(u, u->calls.items[v->a].callee);
    if (callee->kind != FH_VALUE_ATTRIBUTE)
        return false;
    fh_text name = fh_unit_text(u, callee->b);
    return fh_text_is_any(name, copies) ||
           (fh_text_is_any(name, keeps) && is_copied(u, callee->a, depth - 1));
}

static bool function_gives_host(const fh_host_walk *w, const fh_call *call, const fh_meaning *m)
{
    const fh_unit *u = fh_resolver_look(w->run->resolver, m->unit);
    const fh_function *f = &u->functions.items[m->index];
    bool own = m->unit == w->run->unit_index;
    bool given = own && m->kind == FH_MEANS_FUNCTION && gets_host(w, call);
    if (!f->return_count || f->flags & FH_FUNCTION_GENERATOR)
        return false;
    for (uint32_t k = 0; k < f->return_count; k++) {
        fh_value_index value = u->lists.items[f->returns + k];
        if (!(own ? (given ? gives_back(w, f, value) : fh_host_is_kept(w, value))
                  : is_copied(u, value, 6)))
            return false;
    }
    return true;
}

/* A function of the program all of whose results lie on the host. */
static bool gives_host(const fh_host_walk *w, const fh_call *call)
{
    fh_meanings all;
    fh_resolve(w->run->resolver, w->run->unit_index, call->callee, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        const fh_meaning *m = &all.items[i];
        if ((m->kind != FH_MEANS_FUNCTION && m->kind != FH_MEANS_METHOD) ||
            !function_gives_host(w, call, m))
            return false;
    }
    return all.count > 0;
}

static bool call_on_host(const fh_host_walk *w, const fh_call *call, const fh_callee *callee)
{
    static const char *const always[] = {"cpu", "numpy", "pin_memory", NULL};
    static const char *const legacy[] = {
        "torch.FloatTensor", "torch.LongTensor",   "torch.ByteTensor",
        "torch.IntTensor",   "torch.DoubleTensor", "torch.BoolTensor",
        "torch.HalfTensor",  "torch.Tensor",       NULL};
    if (makes_batch(w, call) || takes_from_host(w, call, callee))
        return true;
    if (!callee->path.length)
        return gives_host(w, call);
    /* Parameters and buffers move with their module. */
    if (!callee->is_torch || fh_text_ends(callee->name, "Parameter") ||
        fh_text_ends(callee->name, "Buffer"))
        return false;
    if (callee->is_method) {
        if (fh_text_is_any(callee->name, always))
            return true;
        if (fh_text_is(callee->name, "cuda") || fh_text_is(callee->name, "npu"))
            return false;
        if (fh_text_is(callee->name, "to")) {
            fh_value_index target = fh_call_argument(w->unit, call, 0, "device");
            if (target && fh_host_names_cpu(w->run, target))
                return true;
            return only_casts(w, call, callee) && fh_host_walked(w, callee->self)->is_host;
        }
        if (fh_text_starts(callee->name, "new_"))
            return fh_host_walked(w, callee->self)->is_host &&
                   !fh_call_argument(w->unit, call, -1, "device");
        return operands_on_host(w, call, callee);
    }
    if (fh_text_is_any(callee->path, legacy) || made_on_host(w, call, callee))
        return true;
    if (fh_callee_creates(callee) || fh_text_is(callee->path, "torch.as_tensor") ||
        fh_call_argument(w->unit, call, -1, "device"))
        return false;
    return operands_on_host(w, call, callee);
}

/* Whether the text says that the result stays on the CPU. What is made without a device is often
 * moved later. */
static bool is_kept_there(const fh_host_walk *w, const fh_call *call, const fh_callee *callee)
{
    if (fh_text_is(callee->name, "cpu") || fh_text_is(callee->name, "numpy") ||
        makes_batch(w, call) || takes_from_host(w, call, callee) ||
        (fh_text_is(callee->name, "to") && !fh_host_walked(w, callee->self)->is_host) ||
        fh_call_argument(w->unit, call, -1, "device"))
        return true;
    for (uint32_t i = 0; !callee->path.length && i < call->count && i < 8; i++)
        if (fh_host_walked(w, w->unit->arguments.items[call->arguments + i].value)->is_kept_there)
            return true; /* a function of the program */
    return fh_host_walked(w, callee->self)->is_kept_there;
}

/* A number or list of numbers that device data decides. */
static bool call_reads_back(const fh_host_walk *w, const fh_call *call, const fh_callee *callee)
{
    static const char *const casts[] = {"builtins.int", "builtins.float", "builtins.bool", NULL};
    static const char *const keeps[] = {
        "builtins.min", "builtins.max", "builtins.round", "builtins.abs",
        "builtins.sum", "math.ceil",    "math.floor",     NULL};
    if (callee->is_method &&
        (fh_text_is(callee->name, "item") || fh_text_is(callee->name, "tolist")))
        return fh_host_is_device_tensor(w->host, callee->self);
    fh_value_index first = fh_call_argument(w->unit, call, 0, NULL);
    if (fh_text_is_any(callee->path, casts))
        return fh_host_is_device_tensor(w->host, first) || fh_host_walked(w, first)->is_read_back;
    if (fh_text_is_any(callee->path, keeps))
        for (uint32_t i = 0; i < call->count && i < 4; i++)
            if (fh_host_walked(w, w->unit->arguments.items[call->arguments + i].value)
                    ->is_read_back)
                return true;
    return false;
}

void fh_host_call_facts(const fh_host_walk *w, const fh_call *call, const fh_callee *callee,
                        fh_host_facts *facts)
{
    facts->is_host = call_on_host(w, call, callee);
    facts->is_kept_there = facts->is_host && is_kept_there(w, call, callee);
    facts->is_many = facts->is_host && fh_callee_creates(callee) &&
                     !fh_text_is(callee->name, "tensor") &&
                     !fh_text_is(callee->name, "scalar_tensor");
    facts->is_placed = !facts->is_host && is_placed(w, call, callee);
    facts->is_read_back = call_reads_back(w, call, callee);
}
