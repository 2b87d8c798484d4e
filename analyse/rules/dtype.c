/* Number types: float64 (FH220, FH222), complex numbers (FH221) and int64 (FH223), from where they
 * begin to an operator that does not take them.
 */
#include "analyse/rules/call_place.h"
#include "analyse/rules/host.h"

#include <stdio.h>
#include <string.h>

/* What is known of an operator and a type. */
typedef struct {
    bool known, refused;
    fh_text why;
} answer;

enum { TYPES = FH_NUMBERS_COMPLEX + 1 };

typedef struct {
    fh_host_unit *host;
    fh_rule_run *run;
    const fh_unit *unit;
    uint32_t *reaches;         /* by value where a type begins: 1 + the call that refuses it */
    fh_symbols names;          /* of operators that were asked about */
    FH_VECTOR(answer) answers; /* by symbol of names and type */
} check;

static const char *name_of(fh_numbers numbers)
{
    return numbers == FH_NUMBERS_FLOAT64   ? "float64"
           : numbers == FH_NUMBERS_COMPLEX ? "complex64"
                                           : "int64";
}

/* The answer for one spelling of an operator: torch.sin or torch.Tensor.sin. */
static fh_dtype_answer answer_of(const check *c, const char *prefix, fh_text name,
                                 const char *dtype, fh_text *why)
{
    char path[160];
    fh_support_query query = fh_rule_query(c->run->options);
    int length = snprintf(path, sizeof path, "%s%.*s", prefix, FH_TEXT_ARGS(name));
    if (length < 0 || (size_t)length >= sizeof path)
        return FH_DTYPE_UNKNOWN;
    fh_text text = {path, (size_t)length};
    return fh_support_takes(&query, text, fh_text_from(dtype), &c->host->arena, why);
}

/* Whether the operator refuses the type under each of its spellings. The support list often has
 * a type for the function and not for the method that does the same. */
static answer answer_for(const check *c, fh_text name, fh_numbers numbers)
{
    static const char *const prefixes[] = {"torch.", "torch.Tensor.", "torch.nn.functional."};
    answer found = {.known = true};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        fh_text reason = {0};
        fh_dtype_answer one = answer_of(c, prefixes[i], name, name_of(numbers), &reason);
        if (one == FH_DTYPE_TAKEN)
            return (answer){.known = true};
        if (one == FH_DTYPE_REFUSED && !found.refused) {
            found.why = reason;
            found.refused = true;
        }
    }
    return found;
}

/* The same, worked out once for each operator of the unit. */
static bool is_refused(check *c, const fh_callee *callee, fh_numbers numbers, fh_text *why)
{
    fh_symbol symbol = fh_symbols_add(&c->names, callee->name);
    uint32_t index = symbol * TYPES + (uint32_t)numbers;
    if (!symbol)
        return false;
    while (c->answers.count <= index)
        if (!fh_vector_push(&c->answers, (answer){0}))
            return false;
    answer *slot = &c->answers.items[index];
    if (!slot->known)
        *slot = answer_for(c, callee->name, numbers);
    *why = slot->why;
    return slot->refused;
}

/* Operators whose types the support list tells well enough: what moves, sorts, adds up or
 * multiplies elements. Single element-wise operators mostly have a kernel for float64 that runs on
 * the AI CPU, whatever the list says; outer is a product of two vectors by broadcasting. */
static bool is_judged(const fh_callee *callee, fh_numbers numbers)
{
    static const char *const classes[] = {"matmul",    "convolution",   "attention",
                                          "recurrent", "normalisation", NULL};
    static const char *const moved[] = {"shape", "indexing", "reduction", "pooling", NULL};
    static const char *const never[] = {
        "outer",   "ger",   "to",    "type",      "view",    "size",    "tolist",
        "reshape", "numpy", "item",  "embedding", "gather",  "scatter", "index_select",
        "nonzero", "cat",   "stack", "mean",      "argsort", "unique",  NULL};
    if (!callee->is_torch || !callee->api || callee->certainty < FH_LIKELY ||
        fh_text_is_any(callee->name, never) || fh_text_is(callee->api->forward, "none"))
        return false;
    if (fh_text_is_any(callee->api->class, classes))
        return numbers != FH_NUMBERS_INT64 || fh_text_is(callee->api->class, "matmul");
    return numbers != FH_NUMBERS_INT64 && fh_text_is_any(callee->api->class, moved);
}

/* True for a tensor that is made on the CPU by code that prepares data, or is said to stay there.
 */
static bool stays_on_host(const check *c, fh_value_index value)
{
    const fh_host_facts *facts = fh_host_at(c->host, value);
    return facts->is_kept_there ||
           (facts->is_host &&
            fh_host_place(&c->host->places, fh_unit_value(c->unit, value)->block) == FH_PLACE_COLD);
}

/* The operand of a call that has the type; of those the one that it began first. */
static fh_value_index operand_of(const check *c, const fh_call *call, const fh_callee *callee,
                                 fh_numbers *numbers)
{
    const fh_number_type *types = c->host->dtypes.types;
    fh_value_index operands[3] = {callee->self, 0, 0};
    if (fh_text_is(callee->api->class, "matmul"))
        operands[1] = fh_callee_argument(c->unit, call, callee, 0, "other");
    for (unsigned i = 0; i < 2; i++) {
        const fh_number_type *type = &types[operands[i]];
        if (operands[i] && type->certainty >= FH_LIKELY && !type->is_scalar && !type->is_numpy &&
            (type->numbers >= FH_NUMBERS_FLOAT64 || type->numbers == FH_NUMBERS_INT64) &&
            !stays_on_host(c, operands[i])) {
            *numbers = (fh_numbers)type->numbers;
            return operands[i];
        }
    }
    return 0;
}

static void check_operator(check *c, uint32_t index)
{
    const fh_call *call = &c->unit->calls.items[index];
    const fh_callee *callee = &c->host->callees[index];
    fh_numbers numbers;
    fh_text why = {0};
    if (!callee->is_torch || !callee->api)
        return;
    fh_value_index operand = operand_of(c, call, callee, &numbers);
    if (!operand || !is_judged(callee, numbers) || !is_refused(c, callee, numbers, &why))
        return;
    const fh_number_type *type = &c->host->dtypes.types[operand];
    fh_certainty certainty = (fh_certainty)type->certainty;
    if (certainty > FH_LIKELY)
        certainty = FH_LIKELY; /* where the tensor lies is not known */
    fh_spot spot = fh_spot_of_call(c->unit, call);
    if (numbers == FH_NUMBERS_INT64) {
        fh_rule_report(c->run, FH_RULE_223, FH_SEVERITY_WARNING, certainty, spot, callee->path,
                       "int64 reaches %.*s: %.*s", FH_TEXT_ARGS(callee->path), FH_TEXT_ARGS(why));
        return;
    }
    uint32_t line = fh_unit_place(c->unit, fh_unit_value(c->unit, type->origin)->offset).line;
    bool host = fh_call_runs_on_host(c->host, index);
    if (host)
        certainty = FH_POSSIBLE;
    else
        c->reaches[type->origin] = index + 1;
    fh_rule_report(c->run, numbers == FH_NUMBERS_FLOAT64 ? FH_RULE_220 : FH_RULE_221,
                   FH_SEVERITY_WARNING, certainty, spot, callee->path,
                   "%s from line %u reaches %.*s%s: %.*s",
                   numbers == FH_NUMBERS_FLOAT64 ? "float64" : "a complex tensor", line,
                   FH_TEXT_ARGS(callee->path), host ? ", which matters if it is on the device" : "",
                   FH_TEXT_ARGS(why));
}

/* True for a tensor that is made without a device: on the CPU, if nothing sets another default, and
 * what moves it from there may cast it as well. */
static bool begins_on_host(const check *c, fh_value_index value, const fh_callee *callee)
{
    const fh_call *call = &c->unit->calls.items[fh_unit_value(c->unit, value)->a];
    return fh_host_at(c->host, value)->is_host || (fh_text_is(callee->path, "torch.as_tensor") &&
                                                   !fh_call_argument(c->unit, call, -1, "device"));
}

/* True for device=x.device of an x that may lie anywhere, in a function that nothing speaks for. */
static bool follows_caller(const check *c, fh_value_index value)
{
    const fh_value *v = fh_unit_value(c->unit, value);
    fh_value_index device = fh_call_argument(c->unit, &c->unit->calls.items[v->a], -1, "device");
    const fh_value *d = fh_unit_value(c->unit, device);
    return device && d->kind == FH_VALUE_ATTRIBUTE &&
           fh_text_is(fh_unit_text(c->unit, d->b), "device") && fh_host_at(c->host, d->a)->tensor &&
           !fh_host_at(c->host, d->a)->is_placed &&
           fh_host_place(&c->host->places, v->block) == FH_PLACE_ORDINARY;
}

/* True in a function with a parameter device="cpu": the spectrograms of feature extractors. */
static bool is_on_host_by_default(const check *c, uint32_t block)
{
    const fh_function *f = &c->unit->functions.items[fh_block_function(c->unit, block)];
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        const fh_parameter *p = &c->unit->parameters.items[f->parameters + i];
        const fh_value *v = fh_unit_value(c->unit, p->default_value);
        if (fh_text_is(fh_unit_text(c->unit, p->name), "device") && v->kind == FH_VALUE_STRING &&
            fh_text_is(fh_unit_text(c->unit, v->a), "cpu"))
            return true;
    }
    return false;
}

/* Where a type begins on a tensor: the call that makes it, a cast, a sign between it and 1j. */
static void check_origin(check *c, fh_value_index index)
{
    const fh_number_type *type = &c->host->dtypes.types[index];
    const fh_value *v = fh_unit_value(c->unit, index);
    if (type->origin != index || type->certainty < FH_LIKELY || type->is_numpy || type->is_scalar ||
        (v->kind != FH_VALUE_CALL && v->kind != FH_VALUE_BINARY) || stays_on_host(c, index))
        return;
    static const fh_callee sign = {.certainty = FH_CERTAIN};
    const fh_callee *callee = v->kind == FH_VALUE_CALL ? &c->host->callees[v->a] : &sign;
    fh_spot spot = fh_spot_of_value(c->unit, index);
    fh_certainty certainty = (fh_certainty)type->certainty;
    uint32_t call = c->reaches[index];
    if (type->numbers == FH_NUMBERS_COMPLEX) {
        bool host = fh_text_is(callee->name, "stft") && is_on_host_by_default(c, v->block);
        fh_rule_report(c->run, FH_RULE_221, FH_SEVERITY_WARNING, host ? FH_POSSIBLE : certainty,
                       spot, callee->path,
                       "complex numbers begin here: few operators have kernels for them%s",
                       host ? ", should it get to the device" : "");
    } else if (call) {
        fh_text reached = c->host->callees[call - 1].path;
        uint32_t line = fh_unit_place(c->unit, c->unit->calls.items[call - 1].anchor).line;
        fh_rule_report(c->run, FH_RULE_222, FH_SEVERITY_WARNING, certainty, spot, callee->path,
                       "float64 begins here and reaches %.*s in line %u", FH_TEXT_ARGS(reached),
                       line);
    } else {
        bool host = begins_on_host(c, index, callee) || follows_caller(c, index);
        fh_rule_report(c->run, FH_RULE_222, FH_SEVERITY_NOTE, host ? FH_POSSIBLE : certainty, spot,
                       callee->path, "float64 tensor: no Ascend chip computes it on its cores%s",
                       host ? ", should it get there" : "");
    }
}

/* torch.set_default_dtype(torch.float64), model.double(). */
static void check_default(check *c, uint32_t index)
{
    const fh_call *call = &c->unit->calls.items[index];
    const fh_callee *callee = &c->host->callees[index];
    if (fh_text_is(callee->path, "torch.set_default_dtype") &&
        fh_numbers_named(c->run, fh_call_argument(c->unit, call, 0, "d")) == FH_NUMBERS_FLOAT64)
        fh_rule_report(c->run, FH_RULE_222, FH_SEVERITY_WARNING, FH_CERTAIN,
                       fh_spot_of_call(c->unit, call), callee->path,
                       "float64 becomes the type of every tensor that is made without one");
    else if (fh_text_is(callee->path, "torch.nn.Module.double") && callee->certainty >= FH_LIKELY)
        fh_rule_report(c->run, FH_RULE_222, FH_SEVERITY_WARNING, (fh_certainty)callee->certainty,
                       fh_spot_of_call(c->unit, call), callee->path,
                       "the whole module becomes float64");
}

void fh_dtype_check(fh_host_unit *host)
{
    const fh_unit *u = host->unit;
    check c = {.host = host, .run = host->run, .unit = u};
    size_t size = u->values.count * sizeof *c.reaches;
    c.reaches = fh_arena_alloc(&host->arena, size);
    if (!c.reaches)
        return;
    memset(c.reaches, 0, size);
    fh_symbols_init(&c.names);
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++) {
        check_operator(&c, i);
        check_default(&c, i);
    }
    for (uint32_t i = 1; i < u->values.count && !fh_rules_stop(i); i++)
        check_origin(&c, i);
    fh_symbols_free(&c.names);
    fh_vector_free(&c.answers);
}
