#include "analyse/rules/host_place.h"
#include "analyse/rules/steps.h"

#include <string.h>

/* Words of a name, between underscores or before a capital letter; or whole starts of it. */
static bool has_word(fh_text name, const char *const *words)
{
    for (; *words; words++) {
        size_t length = strlen(*words);
        for (size_t i = 0; i + length <= name.length; i++) {
            bool begins = i == 0 || name.data[i - 1] == '_' || name.data[i - 1] == '.' ||
                          name.data[i - 1] == '/';
            if (begins && memcmp(name.data + i, *words, length) == 0)
                return true;
        }
    }
    return false;
}

static const char *const cold_names[] = {
    "__init__",      "init",        "reset",      "setup",    "load",          "save",
    "export",        "convert",     "dump",       "plot",     "show",          "draw",
    "visual",        "print",       "summar",     "log",      "debug",         "parse",
    "collate",       "__getitem__", "__len__",    "__repr__", "extra_repr",    "repr",
    "to_dict",       "state_dict",  "checkpoint", "download", "preprocess",    "tokeniz",
    "dataset",       "dataloader",  "config",     "write",    "test_",         "assert",
    "check",         "build",       "make_",      "create",   "report",        "render",
    "main_args",     "prune",       "fuse",       "merge",    "quantize",      "pack",
    "unpack_weight", "calibrat",    "verify",     "compare",  "validate_args", NULL};
static const char *const evaluation_names[] = {"eval",        "valid", "test",      "metric",
                                               "accuracy",    "score", "benchmark", "profile",
                                               "infer_speed", NULL};
static const char *const cold_files[] = {"test_",
                                         "tests",
                                         "convert_",
                                         "setup.py",
                                         "conftest",
                                         "dataset",
                                         "data",
                                         "tokenization_",
                                         "image_processing_",
                                         "processing_",
                                         "feature_extraction_",
                                         "video_processing_",
                                         "docs",
                                         "plot",
                                         "visual",
                                         "scripts/convert",
                                         NULL};
static const char *const cold_classes[] = {"torch.utils.data.Dataset",
                                           "torch.utils.data.IterableDataset",
                                           "torch.utils.data.Sampler",
                                           "torch.utils.data.BatchSampler",
                                           "torch.utils.data.sampler.Sampler",
                                           "unittest.TestCase",
                                           NULL};
/* Methods of a module that a training step runs, besides forward. */
static const char *const step_names[] = {
    "training_step",  "train_step",      "compute_loss", "loss", "get_loss",
    "train_one_step", "training_losses", "p_losses",     NULL};

static bool derives_from_any(const fh_rule_run *run, uint32_t class, const char *const *paths)
{
    for (; *paths; paths++)
        if (fh_resolve_derives(run->resolver, run->unit_index, class, *paths))
            return true;
    return false;
}

/* By class: what its methods are for. */
typedef struct {
    bool is_module, is_optimiser, is_function, is_cold, is_pipeline;
} class_role;

/* A pipeline of transformers: its postprocess gets what forward has moved to the CPU. Within
 * transformers itself a method tells. */
static bool is_pipeline(const fh_rule_run *run, uint32_t class)
{
    static const char *const paths[] = {"transformers.Pipeline", "transformers.pipelines.Pipeline",
                                        "transformers.pipelines.base.Pipeline",
                                        "transformers.pipelines.base.ChunkPipeline", NULL};
    fh_reference member;
    return fh_resolve_member(run->resolver, run->unit_index, class,
                             FH_TEXT("ensure_tensor_on_device"), &member) ||
           fh_resolve_base_among(run->resolver, run->unit_index, class, paths);
}

static class_role role_of_class(const fh_rule_run *run, uint32_t class)
{
    static const char *const cold_endings[] = {"Dataset",  "Sampler", "Tokenizer",
                                               "Collator", "Test",    "Processor",
                                               "Tests",    "Tester",  NULL};
    class_role role = {
        .is_module = fh_resolve_derives(run->resolver, run->unit_index, class, "torch.nn.Module"),
        .is_optimiser =
            fh_resolve_derives(run->resolver, run->unit_index, class, "torch.optim.Optimizer"),
        .is_function =
            fh_resolve_derives(run->resolver, run->unit_index, class, "torch.autograd.Function"),
        .is_cold = derives_from_any(run, class, cold_classes),
    };
    role.is_pipeline = is_pipeline(run, class);
    fh_text name = fh_unit_text(run->unit, run->unit->classes.items[class].name);
    for (const char *const *ending = cold_endings; *ending && !role.is_module; ending++)
        role.is_cold |= fh_text_ends(name, *ending);
    return role;
}

static fh_place_kind kind_of_function(const fh_rule_run *run, const class_role *classes,
                                      uint32_t index)
{
    const fh_function *f = &run->unit->functions.items[index];
    fh_text name = fh_unit_text(run->unit, f->name);
    const class_role *role = &classes[f->class];
    if (f->class && (role->is_cold || (role->is_pipeline && fh_text_is(name, "postprocess"))))
        return FH_PLACE_COLD;
    if (f->class && role->is_optimiser && fh_text_is(name, "step"))
        return FH_PLACE_STEP;
    if (f->class &&
        ((role->is_module && fh_text_starts(name, "forward")) ||
         (role->is_function && (fh_text_is(name, "forward") || fh_text_is(name, "backward")))))
        return FH_PLACE_FORWARD;
    if (fh_text_is_any(name, step_names))
        return FH_PLACE_STEP;
    if (has_word(name, cold_names))
        return FH_PLACE_COLD;
    if (has_word(name, evaluation_names))
        return FH_PLACE_EVALUATION;
    return FH_PLACE_ORDINARY;
}

/* Marks the loops around a block, up to its function. */
static bool mark_loops(const fh_unit *u, bool *loops, uint32_t block)
{
    bool any = false;
    for (; block; block = u->blocks.items[block].parent) {
        fh_block_kind kind = (fh_block_kind)u->blocks.items[block].kind;
        if (kind == FH_BLOCK_FUNCTION)
            break;
        if (kind != FH_BLOCK_FOR && kind != FH_BLOCK_WHILE)
            continue;
        any = true;
        if (loops[block])
            break; /* and so are those around it */
        loops[block] = true;
    }
    return any;
}

static fh_text name_of_callee(const fh_unit *u, const fh_call *call)
{
    const fh_value *v = fh_unit_value(u, call->callee);
    if (v->kind == FH_VALUE_ATTRIBUTE)
        return fh_unit_text(u, v->b);
    if (v->kind == FH_VALUE_PARAMETER) {
        const fh_function *f = &u->functions.items[v->a];
        return fh_unit_text(u, u->parameters.items[f->parameters + v->b].name);
    }
    return (fh_text){0};
}

/* True when the call runs a model, by what its callee is or is called. */
static bool runs_model(const fh_rule_run *run, const fh_call *call, const fh_meanings *callees,
                       fh_text name)
{
    static const char *const models[] = {"model",    "net",    "network",   "unet",   "transformer",
                                         "denoiser", "module", "generator", "policy", NULL};
    for (uint32_t i = 0; i < callees->count; i++) {
        const fh_meaning *m = &callees->items[i];
        if (m->kind == FH_MEANS_OBJECT &&
            fh_resolve_derives(run->resolver, m->unit, m->index, "torch.nn.Module"))
            return true;
    }
    return call->count && fh_text_is_any(name, models);
}

/* Who calls what within the unit: edges by caller, as lists in two arrays. */
typedef struct {
    uint32_t *first, *next, *target;
} call_edges;

static bool find_edges(const fh_rule_run *run, fh_arena *arena, call_edges *edges)
{
    const fh_unit *u = run->unit;
    edges->first = fh_arena_alloc(arena, u->functions.count * sizeof *edges->first);
    edges->next = fh_arena_alloc(arena, u->calls.count * sizeof *edges->next);
    edges->target = fh_arena_alloc(arena, u->calls.count * sizeof *edges->target);
    if (!edges->first || !edges->next || !edges->target)
        return false;
    memset(edges->first, 0, u->functions.count * sizeof *edges->first);
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        uint32_t target = 0;
        fh_meanings callees;
        fh_resolve(run->resolver, run->unit_index, call->callee, &callees);
        for (uint32_t k = 0; k < callees.count && !target; k++)
            if ((callees.items[k].kind == FH_MEANS_FUNCTION ||
                 callees.items[k].kind == FH_MEANS_METHOD) &&
                callees.items[k].unit == run->unit_index)
                target = callees.items[k].index;
        edges->target[i] = target;
        edges->next[i] = 0;
        if (target) {
            edges->next[i] = edges->first[call->function];
            edges->first[call->function] = i;
        }
    }
    return true;
}

/* What is reached from forward or a step matters as they do. */
static void spread(const fh_unit *u, const call_edges *edges, uint8_t *kinds, fh_arena *arena)
{
    uint32_t *stack = fh_arena_alloc(arena, u->functions.count * sizeof *stack);
    if (!stack)
        return;
    uint32_t count = 0;
    for (uint32_t i = 1; i < u->functions.count; i++)
        if (kinds[i] >= FH_PLACE_STEP)
            stack[count++] = i;
    while (count) {
        uint32_t function = stack[--count];
        for (uint32_t call = edges->first[function]; call; call = edges->next[call])
            if (kinds[edges->target[call]] == FH_PLACE_ORDINARY) {
                kinds[edges->target[call]] = kinds[function];
                stack[count++] = edges->target[call];
            }
    }
}

/* Of a pipeline, or inside such a method. */
static bool is_of_pipeline(const fh_unit *u, const class_role *classes, uint32_t function)
{
    while (!u->functions.items[function].class && u->functions.items[function].parent)
        function = u->functions.items[function].parent;
    return classes[u->functions.items[function].class].is_pipeline;
}

/* What only cold methods of a pipeline call is cold as well: postprocess takes its boxes apart with
 * methods of its own. */
static void cool_pipelines(const fh_unit *u, const class_role *classes, const call_edges *edges,
                           uint8_t *kinds, fh_arena *arena)
{
    enum { CALLED_COLD = 1, CALLED_ELSEWHERE = 2 };
    uint8_t *called = fh_arena_alloc(arena, u->functions.count);
    if (!called)
        return;
    memset(called, 0, u->functions.count);
    for (uint32_t i = 1; i < u->calls.count; i++) {
        uint32_t caller = u->calls.items[i].function;
        bool cold = kinds[caller] == FH_PLACE_COLD && is_of_pipeline(u, classes, caller);
        called[edges->target[i]] |= cold ? CALLED_COLD : CALLED_ELSEWHERE;
    }
    for (uint32_t i = 1; i < u->functions.count; i++)
        if (kinds[i] == FH_PLACE_ORDINARY && called[i] == CALLED_COLD)
            kinds[i] = FH_PLACE_COLD;
}

fh_host_places fh_host_places_find(const fh_rule_run *run, fh_arena *arena)
{
    const fh_unit *u = run->unit;
    fh_host_places places = {.unit = u};
    uint8_t *kinds = fh_arena_alloc(arena, u->functions.count);
    class_role *classes = fh_arena_alloc(arena, u->classes.count * sizeof *classes);
    places.loops = fh_arena_alloc(arena, u->blocks.count * sizeof *places.loops);
    if (!kinds || !classes || !places.loops)
        return places;
    memset(places.loops, 0, u->blocks.count * sizeof *places.loops);
    classes[0] = (class_role){0};
    for (uint32_t i = 1; i < u->classes.count; i++)
        classes[i] = role_of_class(run, i);
    places.functions = kinds;
    kinds[0] = FH_PLACE_COLD;
    if (has_word(u->path, cold_files)) {
        memset(kinds, FH_PLACE_COLD, u->functions.count);
        return places;
    }
    for (uint32_t i = 1; i < u->functions.count; i++) {
        const fh_function *f = &u->functions.items[i];
        kinds[i] = (uint8_t)kind_of_function(run, classes, i);
        if (f->parent && kinds[i] == FH_PLACE_ORDINARY)
            kinds[i] = kinds[f->parent];
    }
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        fh_text name = name_of_callee(u, call);
        bool backward = fh_text_is(name, "backward");
        fh_meanings callees;
        fh_resolve(run->resolver, run->unit_index, call->callee, &callees);
        if (!backward && !runs_model(run, call, &callees, name))
            continue;
        bool in_loop = mark_loops(u, places.loops, call->block);
        if (backward && !in_loop && kinds[call->function] != FH_PLACE_COLD)
            kinds[call->function] = FH_PLACE_STEP;
    }
    call_edges edges;
    if (find_edges(run, arena, &edges)) {
        spread(u, &edges, kinds, arena);
        cool_pipelines(u, classes, &edges, kinds, arena);
    }
    return places;
}

fh_place_kind fh_host_place(const fh_host_places *places, uint32_t block)
{
    const fh_unit *u = places->unit;
    fh_place_kind kind = (fh_place_kind)places->functions[u->blocks.items[block].function];
    bool module = !u->blocks.items[block].function;
    if (kind >= FH_PLACE_STEP || (kind == FH_PLACE_COLD && !module))
        return kind;
    for (; block; block = u->blocks.items[block].parent) {
        if (u->blocks.items[block].kind == FH_BLOCK_FUNCTION)
            break;
        if (places->loops[block])
            return kind == FH_PLACE_EVALUATION ? kind : FH_PLACE_LOOP;
    }
    return kind == FH_PLACE_EVALUATION ? FH_PLACE_COLD : kind;
}

/* True when some iterations of the loop that matters around `block` may pass it by. */
static bool is_conditional(const fh_host_places *places, uint32_t block)
{
    const fh_unit *u = places->unit;
    for (; block && !places->loops[block]; block = u->blocks.items[block].parent) {
        uint32_t kind = u->blocks.items[block].kind;
        if (kind == FH_BLOCK_IF || kind == FH_BLOCK_ELSE || kind == FH_BLOCK_EXCEPT)
            return true;
        if (kind == FH_BLOCK_FUNCTION)
            return false;
    }
    return false;
}

const char *fh_host_place_words(const fh_host_places *places, uint32_t block)
{
    fh_place_kind place = fh_host_place(places, block);
    if ((place == FH_PLACE_LOOP || place == FH_PLACE_EVALUATION) && is_conditional(places, block))
        return " in each iteration of the loop that comes there";
    return place == FH_PLACE_FORWARD ? " in forward"
           : place == FH_PLACE_STEP  ? " in the training step"
           : place == FH_PLACE_LOOP || place == FH_PLACE_EVALUATION
               ? " in each iteration of the loop"
               : "";
}

/* A condition that seldom holds, or is about something else than the computation. */
static bool is_occasional(const fh_unit *u, fh_value_index condition, unsigned depth)
{
    static const char *const words[] = {
        "log",    "verbose", "debug",    "print",      "rank",         "main_process",
        "master", "save",    "eval",     "plot",       "report",       "wandb",
        "every",  "freq",    "interval", "is_tracing", "exporting",    "scripting",
        "NaN",    "nan",     "is_main",  "DEBUG",      "isEnabledFor", NULL};
    const fh_value *v = fh_unit_value(u, condition);
    if (depth == 0)
        return false;
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_BINARY:
        if (v->op == FH_OP_MODULO)
            return true;
        return is_occasional(u, v->a, depth - 1) || is_occasional(u, v->b, depth - 1);
    case FH_VALUE_COMPARE:
        return is_occasional(u, v->a, depth - 1) || is_occasional(u, v->b, depth - 1);
    case FH_VALUE_UNARY:
        return is_occasional(u, v->a, depth - 1);
    case FH_VALUE_ATTRIBUTE:
        return has_word(fh_unit_text(u, v->b), words);
    case FH_VALUE_NAME:
        return has_word(fh_unit_text(u, v->a), words);
    case FH_VALUE_CALL:
        return is_occasional(u, u->calls.items[v->a].callee, depth - 1);
    case FH_VALUE_PARAMETER: {
        const fh_function *f = &u->functions.items[v->a];
        return has_word(fh_unit_text(u, u->parameters.items[f->parameters + v->b].name), words);
    }
    default:
        return false;
    }
}

bool fh_host_is_occasional(const fh_unit *unit, uint32_t block)
{
    for (; block; block = unit->blocks.items[block].parent) {
        const fh_block *b = &unit->blocks.items[block];
        if (b->kind == FH_BLOCK_FUNCTION)
            return false;
        if (b->kind == FH_BLOCK_EXCEPT || b->leaves == FH_LEAVES_BY_RAISE)
            return true;
        if (b->kind == FH_BLOCK_IF && is_occasional(unit, b->value, 6))
            return true;
    }
    return false;
}
