#include "analyse/rules/sites.h"
#include "analyse/rules/run.h"

#include <string.h>

// clang-format off
/* First match wins: a name, or a prefix that ends in '.' or '*'. */
static const struct {
    const char *pattern;
    fh_category category;
} categories[] = {
    {"torch.cuda.amp.*",                          FH_CATEGORY_PRECISION},
    {"torch.amp.*",                               FH_CATEGORY_PRECISION},
    {"torch.autocast",                            FH_CATEGORY_PRECISION},
    {"torch.Tensor.half",                         FH_CATEGORY_PRECISION},
    {"torch.Tensor.bfloat16",                     FH_CATEGORY_PRECISION},
    {"torch.nn.Module.half",                      FH_CATEGORY_PRECISION},
    {"torch.nn.Module.bfloat16",                  FH_CATEGORY_PRECISION},
    {"torch.get_autocast_*",                      FH_CATEGORY_PRECISION},
    {"torch.set_autocast_*",                      FH_CATEGORY_PRECISION},
    {"torch.is_autocast_*",                       FH_CATEGORY_PRECISION},
    {"torch.set_float32_matmul_precision",        FH_CATEGORY_PRECISION},
    {"torch.backends.*",                          FH_CATEGORY_DEVICE},
    {"torch.cuda.*",                              FH_CATEGORY_DEVICE},
    {"torch.Tensor.cuda",                         FH_CATEGORY_DEVICE},
    {"torch.nn.Module.cuda",                      FH_CATEGORY_DEVICE},
    {"torch.Tensor.pin_memory",                   FH_CATEGORY_MEMORY},
    {"torch.nn.parallel.DistributedDataParallel", FH_CATEGORY_DISTRIBUTED},
    {"torch.nn.DataParallel",                     FH_CATEGORY_DISTRIBUTED},
    {"torch.nn.SyncBatchNorm.convert_sync_batchnorm", FH_CATEGORY_DISTRIBUTED},
    {"torch.distributed.*",                       FH_CATEGORY_DISTRIBUTED},
    {"torch.utils.data.*",                        FH_CATEGORY_MEMORY},
    {"torch.utils.checkpoint.*",                  FH_CATEGORY_MEMORY},
    {"torch.Tensor.item",                         FH_CATEGORY_HOST},
    {"torch.Tensor.tolist",                       FH_CATEGORY_HOST},
    {"torch.Tensor.cpu",                          FH_CATEGORY_HOST},
    {"torch.Tensor.numpy",                        FH_CATEGORY_HOST},
    {"torch.compile",                             FH_CATEGORY_FUSION},
    {"torch.jit.*",                               FH_CATEGORY_FUSION},
};
// clang-format on

static bool matches(fh_text name, const char *pattern)
{
    size_t length = strlen(pattern);
    if (pattern[length - 1] != '*')
        return fh_text_is(name, pattern);
    return name.length >= length - 1 && memcmp(name.data, pattern, length - 1) == 0;
}

bool fh_site_category(fh_text name, const fh_api *api, fh_category *category)
{
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (matches(name, categories[i].pattern)) {
            *category = categories[i].category;
            return true;
        }
    *category = FH_CATEGORY_COMPUTE;
    /* Of class "other" are also functions that run no operator at all. */
    return api && ((api->class.length && !fh_text_is(api->class, "other")) ||
                   (api->forward.length && !fh_text_is(api->forward, "none")));
}

/* try: from a import f; except ImportError: from b import f. The call is one of both. */
static void add_others(fh_resolver *resolver, const fh_site *first, const fh_meanings *callees,
                       fh_sites *sites)
{
    for (uint32_t i = 0; i < callees->count; i++) {
        const fh_meaning *m = &callees->items[i];
        fh_site site = *first;
        if (m->kind != FH_MEANS_EXTERNAL || m->certainty < FH_LIKELY)
            continue;
        site.name = fh_resolver_path(resolver, m->path);
        site.api = fh_resolver_api(resolver, m->path);
        site.certainty = (fh_certainty)m->certainty;
        if (site.api && (site.api->kind == FH_API_FUNCTION || site.api->kind == FH_API_CLASS) &&
            !fh_text_equal(site.name, first->name) &&
            fh_site_category(site.name, site.api, &site.category))
            fh_vector_push(&sites->others, site);
    }
}

/* What calls a function that it is handed, and where in the arguments that is. */
static const struct {
    const char *path;
    int position;
    const char *name;
} callers[] = {
    {"builtins.map", 0, NULL},
    {"builtins.reduce", 0, NULL}, /* Python 2 */
    {"functools.reduce", 0, "function"},
    {"itertools.starmap", 0, "function"},
    {"itertools.accumulate", 1, "func"},
    {"torch.utils.checkpoint.tree_map", 0, "func"}, /* _pytree.tree_map, by its public name */
};

/* map(torch.relu, xs): an operator in effect, for which there is no call of its own. */
static void add_handed(fh_resolver *resolver, uint32_t index, const fh_unit *unit,
                       const fh_call *call, fh_text callee, fh_sites *sites)
{
    size_t i = 0;
    while (i < sizeof callers / sizeof *callers && !fh_text_is(callee, callers[i].path))
        i++;
    if (i == sizeof callers / sizeof *callers)
        return;
    fh_meanings functions;
    fh_resolve(resolver, index, fh_call_argument(unit, call, callers[i].position, callers[i].name),
               &functions);
    for (uint32_t k = 0; k < functions.count; k++) {
        const fh_meaning *m = &functions.items[k];
        if (m->kind != FH_MEANS_EXTERNAL)
            continue;
        fh_site site = {
            .name = fh_resolver_path(resolver, m->path),
            .api = fh_resolver_api(resolver, m->path),
            .certainty = (fh_certainty)m->certainty,
            .value = call->value,
            .offset = call->anchor,
            .end = call->end,
            .function = call->function,
        };
        if (site.api && fh_site_category(site.name, site.api, &site.category))
            fh_vector_push(&sites->items, site);
    }
}

static void add_call(fh_resolver *resolver, uint32_t index, const fh_unit *unit,
                     uint32_t call_index, fh_sites *sites)
{
    const fh_call *call = &unit->calls.items[call_index];
    fh_meanings callees;
    fh_meaning callee;
    if (!fh_resolve_external(resolver, index, call->callee, &callee))
        return;
    fh_site site = {
        .name = fh_resolver_path(resolver, callee.path),
        .api = fh_resolver_api(resolver, callee.path),
        .certainty = (fh_certainty)callee.certainty,
        .call = call_index,
        .value = call->value,
        .offset = call->anchor,
        .end = call->end,
        .function = call->function,
    };
    bool torch = fh_text_starts(site.name, "torch.");
    add_handed(resolver, index, unit, call, site.name, sites);
    if (torch ? !fh_site_category(site.name, site.api, &site.category) : true)
        return;
    if (!site.api && fh_text_find(site.name, '(') < site.name.length)
        return; /* an attribute of whatever some call returned */
    if (!fh_vector_push(&sites->items, site))
        return;
    sites->of_call.items[call_index] = sites->items.count;
    fh_resolve(resolver, index, call->callee, &callees);
    if (callees.count > 1)
        add_others(resolver, &site, &callees, sites);
}

/* a @ b is torch.matmul when one side is a tensor, or nothing speaks against it. */
static void add_matmul(fh_resolver *resolver, uint32_t index, const fh_unit *unit,
                       fh_value_index value, fh_sites *sites)
{
    const fh_value *v = fh_unit_value(unit, value);
    fh_certainty certainty = FH_POSSIBLE, other = FH_POSSIBLE;
    fh_meanings left, right;
    fh_resolve(resolver, index, v->a, &left);
    fh_resolve(resolver, index, v->b, &right);
    bool tensor = fh_resolve_is_tensor(resolver, index, v->a, &certainty);
    if (fh_resolve_is_tensor(resolver, index, v->b, &other)) {
        tensor = true;
        certainty = certainty > other ? certainty : other;
    }
    if (!tensor && (left.count || right.count))
        return;
    fh_symbol path = fh_resolver_intern(resolver, FH_TEXT("torch.matmul"));
    fh_site site = {
        .name = fh_resolver_path(resolver, path),
        .api = fh_resolver_api(resolver, path),
        .category = FH_CATEGORY_COMPUTE,
        .certainty = certainty,
        .value = value,
        .offset = v->offset,
        .end = v->offset + 1,
        .function = unit->blocks.items[v->block].function,
    };
    fh_vector_push(&sites->items, site);
}

/* A decorator without a call is one in effect: @custom_fwd. */
static void add_decorators(fh_resolver *resolver, uint32_t index, const fh_unit *unit,
                           const fh_function *function, fh_sites *sites)
{
    for (uint32_t i = 0; i < function->decorator_count; i++) {
        fh_value_index value = unit->lists.items[function->decorators + i];
        fh_meaning meaning;
        if (fh_unit_value(unit, value)->kind == FH_VALUE_CALL ||
            !fh_resolve_external(resolver, index, value, &meaning))
            continue;
        fh_site site = {
            .name = fh_resolver_path(resolver, meaning.path),
            .api = fh_resolver_api(resolver, meaning.path),
            .certainty = (fh_certainty)meaning.certainty,
            .value = value,
            .offset = unit->lists.items[function->decorators + function->decorator_count + i],
            .function = function->parent,
        };
        if (fh_text_starts(site.name, "torch.") &&
            fh_site_category(site.name, site.api, &site.category))
            fh_vector_push(&sites->items, site);
    }
}

bool fh_sites_collect(fh_resolver *resolver, const fh_program *program, uint32_t index,
                      fh_sites *sites)
{
    const fh_unit *unit = &program->units.items[index];
    if (!fh_vector_reserve(&sites->of_call, unit->calls.count))
        return false;
    memset(sites->of_call.items, 0, unit->calls.count * sizeof *sites->of_call.items);
    sites->of_call.count = unit->calls.count;
    for (uint32_t i = 1; i < unit->calls.count && !fh_rules_stop(i); i++)
        add_call(resolver, index, unit, i, sites);
    for (uint32_t i = 1; i < unit->values.count; i++)
        if (unit->values.items[i].kind == FH_VALUE_BINARY &&
            unit->values.items[i].op == FH_OP_MATMUL)
            add_matmul(resolver, index, unit, i, sites);
    for (uint32_t i = 1; i < unit->functions.count; i++)
        add_decorators(resolver, index, unit, &unit->functions.items[i], sites);
    return !sites->items.failed && !sites->others.failed;
}

void fh_sites_free(fh_sites *sites)
{
    fh_vector_free(&sites->items);
    fh_vector_free(&sites->others);
    fh_vector_free(&sites->of_call);
}

const fh_site *fh_sites_of_call(const fh_sites *sites, uint32_t call)
{
    uint32_t index = call < sites->of_call.count ? sites->of_call.items[call] : 0;
    return index ? &sites->items.items[index - 1] : NULL;
}
