/* The first pass: what reaches a device, a backend or os.environ. */
#include "analyse/fix/fix_build.h"
#include "analyse/rules/sites.h"

#include <string.h>

typedef struct {
    fh_fixer *fixer;
    uint32_t index;
    const fh_unit *unit;
    bool failed;
} proposing;

static void propose(proposing *p, uint32_t unit, fh_value_index value, fh_fix_target target,
                    uint32_t rule)
{
    p->failed |=
        !fh_vector_push(&p->fixer->proposals, (fh_fix_proposal){unit, value, target, rule});
}

static bool is_string(const fh_value *value)
{
    return value->kind == FH_VALUE_STRING || value->kind == FH_VALUE_FORMAT;
}

/* Whether a literal is one that `target` changes. */
static bool is_candidate(const fh_unit *u, const fh_value *v, fh_fix_target target)
{
    if (v->kind == FH_VALUE_FORMAT)
        return target == FH_FIX_DEVICE;
    if (v->kind != FH_VALUE_STRING)
        return false;
    fh_text text = fh_unit_text(u, v->a);
    switch (target) {
    case FH_FIX_DEVICE:
        return fh_text_starts(text, "cuda");
    case FH_FIX_BACKEND:
        return fh_text_contains(text, "nccl") || fh_text_is(text, "NCCL");
    default:
        return text.length > 0;
    }
}

/* Every literal that `value`, used at offset `place`, can be, wherever it stands. */
static void propose_literals(proposing *p, fh_value_index value, fh_fix_target target,
                             uint32_t rule, uint32_t place)
{
    if (!value)
        return;
    const fh_value *v = fh_unit_value(p->unit, value);
    if (is_string(v)) {
        if (is_candidate(p->unit, v, target)) {
            propose(p, p->index, value, target, rule);
            fh_vector_push(&p->fixer->done, (fh_fix_done){p->index, place});
        }
        return;
    }
    fh_meanings all;
    bool found = false;
    fh_resolve(p->fixer->resolver, p->index, value, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        const fh_meaning *m = &all.items[i];
        if (m->kind != FH_MEANS_LITERAL || m->certainty < FH_LIKELY)
            continue;
        const fh_unit *u = &p->fixer->program->units.items[m->unit];
        if (!is_candidate(u, fh_unit_value(u, m->index), target))
            continue;
        propose(p, m->unit, m->index, target, rule);
        found = true;
    }
    /* A finding here is about a literal somewhere else, which is changed or left there. */
    if (found)
        fh_vector_push(&p->fixer->done, (fh_fix_done){p->index, place});
}

/* device_type or device of an AMP call; torch.cuda.amp's have none. */
static void propose_amp(proposing *p, const fh_call *call, fh_text callee)
{
    static const struct {
        const char *name, *keyword;
        uint32_t rule;
    } calls[] = {
        {"torch.autocast", "device_type", FH_RULE_401},
        {"torch.amp.autocast", "device_type", FH_RULE_401},
        {"torch.amp.GradScaler", "device", FH_RULE_402},
        {"torch.amp.custom_fwd", "device_type", FH_RULE_403},
        {"torch.amp.custom_bwd", "device_type", FH_RULE_403},
        {"torch.is_autocast_enabled", "device_type", FH_RULE_401},
        {"torch.get_autocast_dtype", "device_type", FH_RULE_401},
        {"torch.set_autocast_dtype", "device_type", FH_RULE_401},
        {"torch.set_autocast_enabled", "device_type", FH_RULE_401},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (!fh_text_is(callee, calls[i].name))
            continue;
        fh_value_index device = fh_call_argument(p->unit, call, 0, calls[i].keyword);
        if (device)
            propose_literals(p, device, FH_FIX_DEVICE, calls[i].rule, call->anchor);
        else if (calls[i].rule == FH_RULE_402)
            propose(p, p->index, call->value, FH_FIX_SCALER, FH_RULE_402);
    }
}

/* The positional argument that is a device, or -1. */
static int device_position(fh_text callee, fh_text method)
{
    static const char *const first[] = {"torch.device",
                                        "torch.Tensor.to",
                                        "torch.nn.Module.to",
                                        "torch.set_default_device",
                                        "torch.Generator",
                                        "torch.get_device_module",
                                        NULL};
    if (fh_text_is_any(callee, first) || (!callee.length && fh_text_is(method, "to")))
        return 0;
    return fh_text_is(callee, "torch.load") || fh_text_is(callee, "torch.jit.load") ? 1 : -1;
}

/* Whether an integer there can only be a device: x.to(0), torch.zeros(3, device=0). Functions of
 * torch.cuda take indices, and go on to do so. */
static bool is_device_number(fh_text callee, fh_text name, bool is_first)
{
    static const char *const first[] = {"torch.device", "torch.Tensor.to", "torch.nn.Module.to",
                                        NULL};
    if (name.length ? !fh_text_is(name, "device") : !is_first || !fh_text_is_any(callee, first))
        return false;
    return fh_text_starts(callee, "torch.") && !fh_text_starts(callee, "torch.cuda.");
}

static int backend_position(fh_text callee)
{
    return fh_text_is(callee, "torch.distributed.init_process_group") ? 0
           : fh_text_is(callee, "torch.distributed.new_group")        ? 2
                                                                      : -1;
}

static bool is_device_keyword(fh_text name)
{
    static const char *const names[] = {"device", "map_location", "device_type",
                                        "pin_memory_device", NULL};
    return fh_text_is_any(name, names);
}

static bool is_backend_keyword(fh_text name)
{
    static const char *const names[] = {"backend", "dist_backend", "ddp_backend",
                                        "process_group_backend", NULL};
    return fh_text_is_any(name, names);
}

static bool is_environment(fh_text callee)
{
    static const char *const names[] = {
        "os.getenv",      "os.putenv", "os.unsetenv", "os.environ.get", "os.environ.setdefault",
        "os.environ.pop", NULL};
    return fh_text_is_any(callee, names);
}

static void propose_call(proposing *p, const fh_call *call)
{
    const fh_unit *u = p->unit;
    fh_meaning meaning;
    fh_text callee = {0}, method = {0};
    const fh_value *callee_value = fh_unit_value(u, call->callee);
    if (fh_resolve_external(p->fixer->resolver, p->index, call->callee, &meaning) &&
        meaning.certainty >= FH_LIKELY)
        callee = fh_resolver_path(p->fixer->resolver, meaning.path);
    if (callee_value->kind == FH_VALUE_ATTRIBUTE)
        method = fh_unit_text(u, callee_value->b);

    if (is_environment(callee)) {
        propose_literals(p, fh_call_argument(u, call, 0, "key"), FH_FIX_VARIABLE, 0, call->anchor);
        return;
    }
    propose_amp(p, call, callee);
    int device = device_position(callee, method), backend = backend_position(callee);
    for (uint32_t i = 0; i < call->count; i++) {
        const fh_argument *argument = &u->arguments.items[call->arguments + i];
        fh_text name = fh_unit_text(u, argument->name);
        const fh_value *v = fh_unit_value(u, argument->value);
        if (v->kind == FH_VALUE_INTEGER && v->offset >= call->offset && v->offset < call->end &&
            is_device_number(callee, name, i == 0))
            propose(p, p->index, argument->value, FH_FIX_NUMBER, FH_RULE_603);
        else if (v->kind == FH_VALUE_INTEGER && !callee.length && i == 0 && call->count == 1 &&
                 fh_text_is(method, "to"))
            fh_vector_push(&p->fixer->left, (fh_fix_left){p->index, call->anchor,
                                                          FH_FIX_UNSURE_OBJECT, FH_TEXT("to")});
        else if (is_device_keyword(name) || (!argument->name && (int)i == device))
            propose_literals(p, argument->value, FH_FIX_DEVICE,
                             fh_text_is(name, "pin_memory_device") ? FH_RULE_610 : FH_RULE_604,
                             call->anchor);
        else if (is_backend_keyword(name) || (!argument->name && (int)i == backend))
            propose_literals(p, argument->value, FH_FIX_BACKEND, FH_RULE_501, call->anchor);
    }
}

/* x.cuda() of tensors and modules. */
static void propose_methods(proposing *p, const fh_sites *sites)
{
    static const char *const names[] = {"torch.Tensor.cuda",
                                        "torch.nn.Module.cuda",
                                        "torch.nn.utils.rnn.PackedSequence.cuda",
                                        "torch.TypedStorage.cuda",
                                        "torch.UntypedStorage.cuda",
                                        NULL};
    for (uint32_t i = 0; i < sites->items.count; i++) {
        const fh_site *site = &sites->items.items[i];
        if (!site->call || !fh_text_is_any(site->name, names))
            continue;
        const fh_call *call = &p->unit->calls.items[site->call];
        const fh_value *callee = fh_unit_value(p->unit, call->callee);
        if (site->certainty < FH_LIKELY) {
            fh_vector_push(&p->fixer->left,
                           (fh_fix_left){p->index, call->anchor, FH_FIX_UNSURE_OBJECT, {0}});
        } else if (callee->kind == FH_VALUE_ATTRIBUTE &&
                   fh_text_is(fh_unit_text(p->unit, callee->b), "cuda")) {
            propose(p, p->index, call->callee, FH_FIX_METHOD, FH_RULE_601);
        }
    }
}

static bool is_environ(proposing *p, fh_value_index value)
{
    fh_meaning meaning;
    return fh_resolve_external(p->fixer->resolver, p->index, value, &meaning) &&
           fh_text_is(fh_resolver_path(p->fixer->resolver, meaning.path), "os.environ");
}

/* os.environ["NAME"], read, written, deleted or looked for. */
static void propose_variables(proposing *p)
{
    const fh_unit *u = p->unit;
    if (!fh_symbols_find(&u->symbols, FH_TEXT("environ")))
        return;
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_SUBSCRIPT && is_environ(p, v->a))
            propose_literals(p, v->b, FH_FIX_VARIABLE, 0, v->offset);
        else if (v->kind == FH_VALUE_COMPARE && (v->op == FH_OP_IN || v->op == FH_OP_NOT_IN) &&
                 is_environ(p, v->b))
            propose_literals(p, v->a, FH_FIX_VARIABLE, 0, v->offset);
    }
    for (uint32_t i = 1; i < u->stores.count; i++)
        if (u->stores.items[i].index && is_environ(p, u->stores.items[i].base))
            propose_literals(p, u->stores.items[i].index, FH_FIX_VARIABLE, 0,
                             u->stores.items[i].offset);
}

bool fh_fix_propose(fh_fixer *fixer, uint32_t unit)
{
    proposing p = {fixer, unit, &fixer->program->units.items[unit], false};
    fh_sites sites = {0};
    if (p.unit->kind != FH_UNIT_PYTHON && p.unit->kind != FH_UNIT_NOTEBOOK)
        return true;
    fh_resolver_enter(fixer->resolver, unit);
    bool good = fh_sites_collect(fixer->resolver, fixer->program, unit, &sites);
    if (good) {
        propose_methods(&p, &sites);
        for (uint32_t i = 1; i < p.unit->calls.count; i++)
            propose_call(&p, &p.unit->calls.items[i]);
        propose_variables(&p);
    }
    fh_sites_free(&sites);
    return good && !p.failed;
}
