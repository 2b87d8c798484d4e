#include "analyse/rules/stops_graph.h"

#include <string.h>

typedef struct {
    const fh_rule_run *run;
    const fh_unit *unit;
    fh_graphs *graphs;
    uint32_t *stack, count; /* functions to go through */
} search;

static void mark_function(search *s, uint32_t function, fh_graph_kind kind)
{
    if (s->graphs->functions[function])
        return;
    s->graphs->functions[function] = (uint8_t)kind;
    s->stack[s->count++] = function;
}

/* The functions of this unit that calling `value` runs. */
static void mark_callable(search *s, fh_value_index value, fh_graph_kind kind)
{
    fh_meanings all;
    uint32_t unit = s->run->unit_index;
    fh_resolve(s->run->resolver, unit, value, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        const fh_meaning *m = &all.items[i];
        fh_reference member;
        if (m->unit != unit)
            continue;
        if (m->kind == FH_MEANS_FUNCTION || m->kind == FH_MEANS_METHOD) {
            mark_function(s, m->index, kind);
        } else if (m->kind == FH_MEANS_OBJECT &&
                   fh_resolve_member(s->run->resolver, unit, m->index, FH_TEXT("forward"),
                                     &member) &&
                   member.unit == unit) {
            const fh_value *v = fh_unit_value(s->unit, member.value);
            if (v->kind == FH_VALUE_FUNCTION)
                mark_function(s, v->a, kind);
        }
    }
}

static bool is_external(const fh_rule_run *run, fh_value_index value, const char *const *paths)
{
    const fh_value *v = fh_unit_value(run->unit, value);
    fh_meaning meaning;
    if (v->kind == FH_VALUE_CALL)
        value = run->unit->calls.items[v->a].callee;
    return fh_resolve_external(run->resolver, run->unit_index, value, &meaning) &&
           fh_text_is_any(fh_resolver_path(run->resolver, meaning.path), paths);
}

static const char *const compiles[] = {"torch.compile", NULL};
static const char *const leaves_out[] = {"torch.compiler.disable", "torch._dynamo.disable", NULL};
static const char *const captures[] = {"torch.cuda.graph", "torch.npu.graph", "torch_npu.npu.graph",
                                       NULL};
static const char *const graphs_callable[] = {"torch.cuda.make_graphed_callables",
                                              "torch.npu.make_graphed_callables", NULL};

static bool is_decorated(const fh_rule_run *run, const fh_function *function,
                         const char *const *paths)
{
    for (uint32_t i = 0; i < function->decorator_count; i++)
        if (is_external(run, run->unit->lists.items[function->decorators + i], paths))
            return true;
    return false;
}

static void find_roots(search *s, const fh_callee *callees)
{
    const fh_unit *u = s->unit;
    for (uint32_t i = 1; i < u->functions.count; i++)
        if (is_decorated(s->run, &u->functions.items[i], compiles))
            mark_function(s, i, FH_GRAPH_COMPILED);
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        if (fh_text_is_any(callees[i].path, compiles))
            mark_callable(s, fh_call_argument(u, call, 0, "model"), FH_GRAPH_COMPILED);
        else if (fh_text_is_any(callees[i].path, graphs_callable))
            mark_callable(s, fh_call_argument(u, call, 0, "callables"), FH_GRAPH_CAPTURED);
    }
    for (uint32_t i = 1; i < u->blocks.count; i++)
        if (u->blocks.items[i].kind == FH_BLOCK_WITH &&
            is_external(s->run, u->blocks.items[i].value, captures))
            s->graphs->blocks[i] = FH_GRAPH_CAPTURED;
}

/* Lists of calls by caller. */
typedef struct {
    uint32_t *first, *next;
} call_lists;

static bool list_calls(const fh_unit *u, fh_arena *arena, call_lists *lists)
{
    lists->first = fh_arena_alloc(arena, u->functions.count * sizeof *lists->first);
    lists->next = fh_arena_alloc(arena, u->calls.count * sizeof *lists->next);
    if (!lists->first || !lists->next)
        return false;
    memset(lists->first, 0, u->functions.count * sizeof *lists->first);
    for (uint32_t i = 1; i < u->calls.count; i++) {
        uint32_t function = u->calls.items[i].function;
        lists->next[i] = lists->first[function];
        lists->first[function] = i;
    }
    return true;
}

fh_graphs fh_graphs_find(const fh_rule_run *run, const fh_callee *callees, fh_arena *arena)
{
    const fh_unit *u = run->unit;
    fh_graphs graphs = {.unit = u};
    search s = {run, u, &graphs, NULL, 0};
    call_lists lists;
    if (!fh_symbols_find(&u->symbols, FH_TEXT("compile")) &&
        !fh_symbols_find(&u->symbols, FH_TEXT("torch.compile")) &&
        !fh_symbols_find(&u->symbols, FH_TEXT("graph")) &&
        !fh_symbols_find(&u->symbols, FH_TEXT("make_graphed_callables")))
        return graphs;
    graphs.functions = fh_arena_alloc(arena, u->functions.count);
    graphs.blocks = fh_arena_alloc(arena, u->blocks.count);
    s.stack = fh_arena_alloc(arena, u->functions.count * sizeof *s.stack);
    if (!graphs.functions || !graphs.blocks || !s.stack || !list_calls(u, arena, &lists))
        return (fh_graphs){.unit = u};
    memset(graphs.functions, 0, u->functions.count);
    memset(graphs.blocks, 0, u->blocks.count);
    find_roots(&s, callees);
    /* What is left out stays out, also when a compiled function calls it. */
    for (uint32_t i = 1; i < u->functions.count; i++)
        if (!graphs.functions[i] && is_decorated(run, &u->functions.items[i], leaves_out))
            graphs.functions[i] = UINT8_MAX;
    while (s.count) {
        uint32_t function = s.stack[--s.count];
        for (uint32_t call = lists.first[function]; call; call = lists.next[call])
            mark_callable(&s, u->calls.items[call].callee,
                          (fh_graph_kind)graphs.functions[function]);
    }
    for (uint32_t i = 0; i < u->functions.count; i++)
        if (graphs.functions[i] == UINT8_MAX)
            graphs.functions[i] = FH_GRAPH_NONE;
    return graphs;
}

/* True for `if torch.compiler.is_compiling()` and `if not ...`: what is under it is not known to
 * be part of the graph. */
static bool asks_for_compiler(const fh_unit *u, fh_value_index condition)
{
    const fh_value *v = fh_unit_value(u, condition);
    if (v->kind == FH_VALUE_UNARY)
        v = fh_unit_value(u, v->a);
    if (v->kind != FH_VALUE_CALL)
        return false;
    v = fh_unit_value(u, u->calls.items[v->a].callee);
    fh_text name = v->kind == FH_VALUE_ATTRIBUTE                            ? fh_unit_text(u, v->b)
                   : v->kind == FH_VALUE_NAME || v->kind == FH_VALUE_IMPORT ? fh_unit_text(u, v->a)
                                                                            : (fh_text){0};
    return fh_text_contains(name, "compiling") || fh_text_contains(name, "tracing") ||
           fh_text_contains(name, "capturing");
}

fh_graph_kind fh_graph_of(const fh_graphs *graphs, uint32_t block)
{
    const fh_unit *u = graphs->unit;
    if (!graphs->functions)
        return FH_GRAPH_NONE;
    fh_graph_kind kind = (fh_graph_kind)graphs->functions[u->blocks.items[block].function];
    for (; block; block = u->blocks.items[block].parent) {
        const fh_block *b = &u->blocks.items[block];
        if (b->kind == FH_BLOCK_FUNCTION)
            break;
        if (b->kind == FH_BLOCK_EXCEPT || ((b->kind == FH_BLOCK_IF || b->kind == FH_BLOCK_ELSE) &&
                                           asks_for_compiler(u, b->value)))
            return FH_GRAPH_NONE;
        if (graphs->blocks[block])
            kind = (fh_graph_kind)graphs->blocks[block];
    }
    return kind;
}

// clang-format off
/* By fh_stops and fh_graph_kind - 1; NULL: it does no harm. */
static const char *const words[][2] = {
    [FH_STOPS_READ]  = {"reading a number back breaks the graph of torch.compile",
                        "a number cannot be read back while a graph is captured"},
    [FH_STOPS_COPY]  = {NULL,
                        "nothing can be copied to the host while a graph is captured"},
    [FH_STOPS_TEST]  = {"a branch that depends on data breaks the graph of torch.compile",
                        "a branch cannot depend on data while a graph is captured"},
    [FH_STOPS_TRUTH] = {NULL,
                        "the truth of a tensor cannot be known while a graph is captured"},
    [FH_STOPS_SIZE]  = {"a size that depends on data breaks the graph of torch.compile",
                        "a size cannot depend on data while a graph is captured"},
    [FH_STOPS_WRITE] = {NULL,
                        "positions cannot be looked up through a mask while a graph is captured"},
    [FH_STOPS_PRINT] = {"print breaks the graph of torch.compile",
                        "a tensor cannot be printed while a graph is captured"},
};
// clang-format on

void fh_stops_graph(fh_rule_run *run, const fh_graphs *graphs, uint32_t block, fh_spot spot,
                    fh_text operator, fh_stops what)
{
    fh_graph_kind kind = fh_graph_of(graphs, block);
    if (kind == FH_GRAPH_NONE || !words[what][kind - 1])
        return;
    fh_rule_report(run, FH_RULE_708, FH_SEVERITY_WARNING, FH_LIKELY, spot, operator, "%s",
                   words[what][kind - 1]);
}
