/* FH310: a program that trains or decodes, and nothing of it uses graph mode.
 *
 * Told once for each of the two: in the first unit, in the order of the program, that has such a
 * step. */
#include "analyse/rules/fusion.h"
#include "analyse/rules/steps.h"

static bool has_symbol(const fh_unit *u, const char *name)
{
    return fh_symbols_find(&u->symbols, fh_text_from(name)) != 0;
}

/* The call of backward in a function that also steps an optimiser. */
static uint32_t training_step(const fh_unit *u, fh_arena *arena)
{
    if (fh_fusion_is_test(u) || !has_symbol(u, "backward") || !has_symbol(u, "step"))
        return 0;
    const fh_step_facts *facts = fh_steps_find(u, arena);
    for (uint32_t i = 0; facts && i < u->functions.count; i++)
        if (fh_step_trains(&facts[i]))
            return facts[i].backward;
    return 0;
}

static bool generates(const fh_unit *u, uint32_t function)
{
    fh_text name = fh_unit_text(u, u->functions.items[function].name);
    return fh_text_contains(name, "generate") || fh_text_contains(name, "decode");
}

/* The call that picks the next token, in a loop that also joins tokens or is named for it. */
static uint32_t decoding_step(const fh_unit *u, fh_arena *arena)
{
    (void)arena;
    if (fh_fusion_is_test(u) || !(has_symbol(u, "multinomial") || has_symbol(u, "argmax")))
        return 0;
    uint32_t picks = 0;
    for (uint32_t i = 1; i < u->calls.count; i++) {
        const fh_call *call = &u->calls.items[i];
        const fh_value *callee = fh_unit_value(u, call->callee);
        if (callee->kind != FH_VALUE_ATTRIBUTE)
            continue;
        fh_text name = fh_unit_text(u, callee->b);
        bool in_loop = fh_block_inside(u, call->block, FH_BLOCK_FOR) ||
                       fh_block_inside(u, call->block, FH_BLOCK_WHILE);
        if (in_loop && (fh_text_is(name, "multinomial") || fh_text_is(name, "argmax"))) {
            if (generates(u, call->function))
                return i;
            picks = i;
        } else if (in_loop && picks && fh_text_is(name, "cat") &&
                   u->calls.items[picks].function == call->function) {
            return picks;
        }
    }
    return 0;
}

/* model.compile(), torch.compile, but not re.compile. */
static bool compiles(const fh_unit *u)
{
    fh_symbol compile = fh_symbols_find(&u->symbols, FH_TEXT("compile"));
    for (uint32_t i = 1; compile && i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind != FH_VALUE_ATTRIBUTE || v->b != compile)
            continue;
        const fh_value *base = fh_unit_value(u, v->a);
        if (base->kind != FH_VALUE_IMPORT || fh_text_is(fh_unit_text(u, base->a), "torch"))
            return true;
    }
    return false;
}

static bool uses_graphs(const fh_program *program)
{
    static const char *const names[] = {"make_graphed_callables", "CUDAGraph",  "NPUGraph",
                                        "torch.compile",          "torchair",   "torch_compile",
                                        "dynamo_backend",         "cuda_graph", NULL};
    for (uint32_t i = 0; i < program->units.count; i++) {
        const fh_unit *u = &program->units.items[i];
        for (const char *const *name = names; *name; name++)
            if (has_symbol(u, *name))
                return true;
        if (compiles(u))
            return true;
    }
    return false;
}

static bool may_run_torch(const fh_rule_run *run)
{
    return (run->unit->kind == FH_UNIT_PYTHON || run->unit->kind == FH_UNIT_NOTEBOOK) &&
           (fh_unit_uses(run, "torch") || fh_unit_uses(run, "torch_npu"));
}

/* Turns to the first unit that has such a step, and returns its call; 0: there is none. */
static uint32_t first_step(fh_rule_run *run, uint32_t (*step)(const fh_unit *, fh_arena *))
{
    uint32_t call = 0;
    fh_arena arena = {0};
    for (uint32_t i = 0; !call && i < run->program->units.count; i++) {
        run->unit_index = i;
        run->unit = &run->program->units.items[i];
        *run->memo = (fh_unit_memo){0};
        call = may_run_torch(run) ? step(run->unit, &arena) : 0;
    }
    fh_arena_free(&arena);
    return call;
}

void fh_rules_program(fh_rule_run *run)
{
    if (uses_graphs(run->program))
        return;
    uint32_t call = first_step(run, training_step);
    if (call)
        fh_rule_report(run, FH_RULE_310, FH_SEVERITY_NOTE, FH_LIKELY,
                       fh_spot_of_call(run->unit, &run->unit->calls.items[call]), FH_TEXT(""),
                       "the program trains in eager mode, and nothing of it compiles: try "
                       "torch.compile on the model");
    call = first_step(run, decoding_step);
    if (call)
        fh_rule_report(run, FH_RULE_310, FH_SEVERITY_NOTE, FH_LIKELY,
                       fh_spot_of_call(run->unit, &run->unit->calls.items[call]), FH_TEXT(""),
                       "decoding in eager mode, each token launches every operator of the model: "
                       "try torch.compile%s",
                       fh_fusion_has(&(fh_fusion){.run = run}, "torch_npu.npu.NPUGraph")
                           ? ", or capture a step of fixed size with torch.npu.graph"
                           : "");
}
