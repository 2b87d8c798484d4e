#include "analyse/rules/steps.h"

#include <ctype.h>
#include <string.h>

/* The last part of the name a value is reached by: "backward" of loss.backward, "autocast" of
 * an imported torch.cuda.amp.autocast. */
static fh_text name_of(const fh_unit *unit, fh_value_index value)
{
    const fh_value *v = fh_unit_value(unit, value);
    if (v->kind == FH_VALUE_ATTRIBUTE)
        return fh_unit_text(unit, v->b);
    if (v->kind == FH_VALUE_IMPORT || v->kind == FH_VALUE_NAME)
        return fh_text_last_part(fh_unit_text(unit, v->a));
    if (v->kind == FH_VALUE_PARAMETER)
        return fh_unit_text(
            unit, unit->parameters.items[unit->functions.items[v->a].parameters + v->b].name);
    return (fh_text){0};
}

static bool turns_gradients_off(fh_text name)
{
    return fh_text_is(name, "no_grad") || fh_text_is(name, "inference_mode");
}

/* no_grad() or no_grad, as a context manager or a decorator. */
static bool is_no_grad(const fh_unit *unit, fh_value_index value)
{
    const fh_value *v = fh_unit_value(unit, value);
    if (v->kind == FH_VALUE_TUPLE) {
        for (uint32_t i = 0; i < v->b; i++)
            if (is_no_grad(unit, unit->lists.items[v->a + i]))
                return true;
        return false;
    }
    if (v->kind == FH_VALUE_CALL)
        value = unit->calls.items[v->a].callee;
    return turns_gradients_off(name_of(unit, value));
}

bool fh_step_no_grad(const fh_unit *unit, uint32_t block)
{
    for (; block; block = unit->blocks.items[block].parent) {
        if (unit->blocks.items[block].kind == FH_BLOCK_WITH &&
            is_no_grad(unit, unit->blocks.items[block].value))
            return true;
        if (unit->blocks.items[block].kind == FH_BLOCK_FUNCTION)
            return false;
    }
    return false;
}

static bool has_positional(const fh_unit *unit, const fh_call *call)
{
    for (uint32_t i = 0; i < call->count; i++)
        if (!unit->arguments.items[call->arguments + i].name)
            return true;
    return false;
}

/* optimizer.step(), step(closure), scaler.step(optimizer); a scheduler's step, of learning rates or
 * of a diffusion model (which takes the model's output, a time and a sample), trains nothing. */
static bool steps_optimiser(const fh_unit *unit, const fh_call *call)
{
    const fh_value *callee = fh_unit_value(unit, call->callee);
    if (call->count > 1)
        return false;
    return callee->kind != FH_VALUE_ATTRIBUTE ||
           !fh_text_contains(name_of(unit, callee->a), "sched");
}

static bool is_in_loop(const fh_unit *unit, uint32_t block)
{
    for (; block && unit->blocks.items[block].kind != FH_BLOCK_FUNCTION;
         block = unit->blocks.items[block].parent)
        if (unit->blocks.items[block].kind == FH_BLOCK_FOR ||
            unit->blocks.items[block].kind == FH_BLOCK_WHILE)
            return true;
    return false;
}

/* self.model, ema_model, unet, generate; not Model, which makes one, nor load_model. */
static bool names_model(fh_text name)
{
    static const char *const endings[] = {"model",       "net",     "encoder",  "decoder",
                                          "transformer", "pipe",    "pipeline", "generator",
                                          "generate",    "predict", "infer",    "forward"};
    static const char *const verbs[] = {"load", "build", "create", "get",  "make",   "init",
                                        "save", "wrap",  "export", "fuse", "prepare"};
    while (name.length && name.data[0] == '_')
        name = fh_text_slice(name, 1, name.length);
    if (!name.length || isupper((unsigned char)name.data[0]))
        return false;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (fh_text_starts(name, verbs[i]))
            return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (fh_text_ends(name, endings[i]))
            return true;
    return false;
}

static void note_forward(const fh_unit *unit, uint32_t index, fh_text name, fh_step_facts *facts)
{
    bool loops = is_in_loop(unit, unit->calls.items[index].block);
    if (!facts->forward)
        facts->forward = index;
    if (names_model(name) && (!facts->model || (loops && !facts->model_in_loop))) {
        facts->model = index;
        facts->model_in_loop = loops;
    }
}

static void note_call(const fh_unit *unit, uint32_t index, fh_step_facts *facts)
{
    const fh_call *call = &unit->calls.items[index];
    fh_text name = name_of(unit, call->callee);
    if (fh_text_is(name, "backward")) {
        facts->backward = index;
        facts->backward_in_loop |= is_in_loop(unit, call->block);
        facts->framework_decides |= has_positional(unit, call);
    }
    facts->step |= fh_text_is(name, "step") && steps_optimiser(unit, call);
    facts->autocast |= fh_text_ends(name, "autocast") || fh_text_is(name, "accumulate");
    facts->low_precision |= fh_text_is(name, "half") || fh_text_is(name, "bfloat16") ||
                            fh_text_is(name, "scale") ||
                            fh_text_is(name, "scale_loss"); /* Apex's loss scaler */
    if (!turns_gradients_off(name) && (facts->no_grad || fh_step_no_grad(unit, call->block)))
        note_forward(unit, index, name, facts);
}

fh_step_facts *fh_steps_find(const fh_unit *unit, fh_arena *arena)
{
    fh_step_facts *facts = fh_arena_alloc(arena, unit->functions.count * sizeof *facts);
    if (!facts)
        return NULL;
    memset(facts, 0, unit->functions.count * sizeof *facts);
    for (uint32_t i = 1; i < unit->functions.count; i++) {
        const fh_function *function = &unit->functions.items[i];
        for (uint32_t d = 0; d < function->decorator_count; d++)
            facts[i].no_grad |= is_no_grad(unit, unit->lists.items[function->decorators + d]);
    }
    for (uint32_t i = 1; i < unit->calls.count; i++)
        note_call(unit, i, &facts[unit->calls.items[i].function]);
    return facts;
}
