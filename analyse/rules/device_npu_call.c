/* Calls of torch.npu, and of what asks for an NPU, by the function that they stand in. */
#include "analyse/rules/device_branch.h"
#include "analyse/rules/device_guard.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t function;
    fh_text name; /* the last part: synchronize */
} npu_call;

struct fh_npu_calls {
    npu_call *calls; /* sorted */
    uint32_t count;
    bool *asks;    /* by function: it asks whether there is an NPU */
    bool is_named; /* the file names npu by itself, or imports torch_npu */
};

/* is_torch_npu_available(), npu.is_available(): the name says what it asks. */
static bool asks_for_npu(const fh_unit *u, const fh_call *call)
{
    const fh_value *v = fh_unit_value(u, call->callee);
    fh_text name = {0};
    if (v->kind == FH_VALUE_FUNCTION)
        name = fh_unit_text(u, u->functions.items[v->a].name);
    else if (v->kind == FH_VALUE_IMPORT || v->kind == FH_VALUE_NAME)
        name = fh_text_last_part(fh_unit_text(u, v->a));
    else if (v->kind == FH_VALUE_ATTRIBUTE)
        name = fh_unit_text(u, v->b);
    return fh_text_contains(name, "available") && fh_text_means_npu(name);
}

/* The last part of what of torch.npu is called; an attribute by another name does not count. */
static fh_text name_called(const fh_rule_run *run, const fh_call *call)
{
    fh_meaning callee;
    if (!fh_resolve_external(run->resolver, run->unit_index, call->callee, &callee))
        return (fh_text){0};
    fh_text path = fh_resolver_path(run->resolver, callee.path);
    if (!fh_text_starts(path, "torch.npu.") && !fh_text_starts(path, "torch_npu.npu."))
        return (fh_text){0};
    const fh_value *v = fh_unit_value(run->unit, call->callee);
    fh_text last = fh_text_last_part(path);
    if (v->kind == FH_VALUE_ATTRIBUTE && !fh_text_equal(fh_unit_text(run->unit, v->b), last))
        return (fh_text){0};
    return last;
}

static int by_function(const void *left, const void *right)
{
    const npu_call *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return fh_text_compare(a->name, b->name);
}

static bool find(const fh_rule_run *run, fh_npu_calls *all)
{
    const fh_unit *u = run->unit;
    size_t functions = u->functions.count * sizeof *all->asks;
    *all = (fh_npu_calls){
        .calls = fh_arena_alloc(run->scratch, u->calls.count * sizeof *all->calls),
        .asks = fh_arena_alloc(run->scratch, functions),
        .is_named = fh_symbols_find(&u->symbols, FH_TEXT("npu")) || fh_unit_uses(run, "torch_npu"),
    };
    if (!all->calls || !all->asks)
        return false;
    memset(all->asks, 0, functions);
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        fh_text name = name_called(run, call);
        all->asks[call->function] |= asks_for_npu(u, call);
        if (name.length)
            all->calls[all->count++] = (npu_call){call->function, name};
    }
    qsort(all->calls, all->count, sizeof *all->calls, by_function);
    return true;
}

bool fh_device_has_npu_call(const fh_rule_run *run, uint32_t function, fh_text path)
{
    static const fh_npu_calls nothing = {0};
    if (!fh_text_starts(path, "torch.cuda."))
        return false;
    if (!run->memo->npu_calls) {
        fh_npu_calls *made = fh_arena_alloc(run->scratch, sizeof *made);
        run->memo->npu_calls = made && find(run, made) ? made : &nothing;
    }
    const fh_npu_calls *all = run->memo->npu_calls;
    bool availability = fh_text_is(path, "torch.cuda.is_available");
    if (!all->asks || !(availability || all->is_named))
        return false;
    npu_call wanted = {function, fh_text_last_part(path)};
    return (availability && all->asks[function]) ||
           (all->count &&
            bsearch(&wanted, all->calls, all->count, sizeof wanted, by_function) != NULL);
}
