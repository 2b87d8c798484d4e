/* Environment variables: of CUDA, of NCCL, of the allocator; set in Python, scripts and files. */
#include "analyse/rules/device_branch.h"
#include "analyse/rules/device_guard.h"

#include "facts/environment.h"

#include <string.h>

/* Which rule speaks of a variable. */
static fh_rule_index rule_of(fh_text name)
{
    if (fh_text_starts(name, "NCCL_") || fh_text_starts(name, "TORCH_NCCL_"))
        return FH_RULE_506;
    if (fh_text_contains(name, "ALLOC_CONF"))
        return FH_RULE_805;
    return FH_RULE_606;
}

void fh_report_environment(fh_rule_run *run, fh_text name, fh_spot spot)
{
    fh_environment row;
    if (!fh_environment_find(name, &row) || fh_text_equal(row.replacement, name))
        return;
    /* The file sets both already. */
    if (row.replacement.length && fh_symbols_find(&run->unit->symbols, row.replacement))
        return;
    fh_rule_index rule = rule_of(name);
    if (row.replacement.length)
        fh_rule_report(run, rule, FH_SEVERITY_NOTE, FH_CERTAIN, spot, (fh_text){0},
                       "%.*s is not read on Ascend: use %.*s", FH_TEXT_ARGS(name),
                       FH_TEXT_ARGS(row.replacement));
    else
        fh_rule_report(run, rule, FH_SEVERITY_NOTE, FH_CERTAIN, spot, (fh_text){0},
                       "%.*s is not read on Ascend: %.*s", FH_TEXT_ARGS(name),
                       FH_TEXT_ARGS(row.note));
}

/* os.environ, also after `os.environ |= ...`. */
static bool is_environ(fh_rule_run *run, fh_value_index value)
{
    fh_meaning meaning;
    const fh_value *v = fh_unit_value(run->unit, value);
    for (int steps = 0; v->kind == FH_VALUE_BINARY && v->op == FH_OP_BIT_OR && steps < 16;
         steps++) {
        value = v->a;
        v = fh_unit_value(run->unit, value);
    }
    if (!fh_resolve_external(run->resolver, run->unit_index, value, &meaning))
        return false;
    fh_text path = fh_resolver_path(run->resolver, meaning.path);
    return fh_text_is(path, "os.environ");
}

/* A copy of it, for a child process: os.environ.copy(), dict(os.environ). */
static bool is_copy(fh_rule_run *run, fh_value_index value)
{
    const fh_value *v = fh_unit_value(run->unit, value);
    if (v->kind != FH_VALUE_CALL)
        return false;
    const fh_call *call = &run->unit->calls.items[v->a];
    const fh_value *callee = fh_unit_value(run->unit, call->callee);
    if (callee->kind == FH_VALUE_NAME && fh_text_is(fh_unit_text(run->unit, callee->a), "dict"))
        return is_environ(run, fh_call_argument(run->unit, call, 0, NULL));
    return callee->kind == FH_VALUE_ATTRIBUTE &&
           fh_text_is(fh_unit_text(run->unit, callee->b), "copy") && is_environ(run, callee->a);
}

static void report_name(fh_rule_run *run, fh_value_index name)
{
    fh_text text;
    fh_certainty certainty;
    fh_environment row;
    if (!name ||
        !fh_resolve_string(run->resolver, run->unit_index, name, &text, &certainty, NULL) ||
        !fh_environment_find(text, &row))
        return;
    const fh_value *v = fh_unit_value(run->unit, name);
    if (!fh_device_has_branch(fh_device_branches_find(run), v->block, v->offset) &&
        !fh_device_is_branch_of_cuda(run, v->block))
        fh_report_environment(run, text, fh_spot_of_value(run->unit, name));
}

static void report_table(fh_rule_run *run, fh_value_index table)
{
    const fh_value *v = fh_unit_value(run->unit, table);
    for (uint32_t k = 0; v->kind == FH_VALUE_DICT && k + 1 < v->b; k += 2)
        report_name(run, run->unit->lists.items[v->a + k]);
}

/* os.environ.update(NAME=..., ...), os.environ.update({"NAME": ...}) */
static void report_update(fh_rule_run *run, const fh_call *call)
{
    const fh_unit *u = run->unit;
    for (uint32_t i = 0; i < call->count; i++) {
        const fh_argument *argument = &u->arguments.items[call->arguments + i];
        if (argument->name)
            fh_report_environment(run, fh_unit_text(u, argument->name),
                                  fh_spot_of_value(u, argument->value));
        report_table(run, argument->value);
    }
}

/* {**os.environ, "NAME": ...}: the environment of a child process. */
static void report_copy(fh_rule_run *run, const fh_value *table)
{
    const fh_unit *u = run->unit;
    bool copies = false;
    for (uint32_t k = 0; k + 1 < table->b; k += 2) {
        const fh_value *value = fh_unit_value(u, u->lists.items[table->a + k + 1]);
        copies |= !u->lists.items[table->a + k] && value->kind == FH_VALUE_STAR &&
                  is_environ(run, value->a);
    }
    for (uint32_t k = 0; copies && k + 1 < table->b; k += 2)
        report_name(run, u->lists.items[table->a + k]);
}

void fh_rules_environment(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    /* os.environ["NAME"], read or written */
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_SUBSCRIPT && fh_unit_value(u, v->b)->kind == FH_VALUE_STRING &&
            (is_environ(run, v->a) || is_copy(run, v->a)))
            report_name(run, v->b);
        else if (v->kind == FH_VALUE_BINARY && v->op == FH_OP_BIT_OR &&
                 fh_unit_value(u, v->b)->kind == FH_VALUE_DICT && is_environ(run, v->a))
            report_table(run, v->b);
        else if (v->kind == FH_VALUE_COMPARE && (v->op == FH_OP_IN || v->op == FH_OP_NOT_IN) &&
                 is_environ(run, v->b))
            report_name(run, v->a);
        else if (v->kind == FH_VALUE_DICT)
            report_copy(run, v);
    }
    /* os.environ.get("NAME"), os.getenv("NAME"), os.environ.setdefault("NAME", ...) */
    for (uint32_t i = 1; i < u->calls.count; i++) {
        fh_meaning meaning;
        const fh_call *call = &u->calls.items[i];
        if (!fh_resolve_external(run->resolver, run->unit_index, call->callee, &meaning))
            continue;
        fh_text path = fh_resolver_path(run->resolver, meaning.path);
        if (fh_text_starts(path, "subprocess."))
            report_table(run, fh_call_argument(u, call, -1, "env"));
        else if (fh_text_is(path, "os.getenv") || fh_text_is(path, "os.putenv") ||
                 fh_text_is(path, "os.environ.get") || fh_text_is(path, "os.environ.setdefault") ||
                 fh_text_is(path, "os.environ.pop"))
            report_name(run, fh_call_argument(u, call, 0, "key"));
        else if (fh_text_is(path, "os.environ.update"))
            report_update(run, call);
    }
}
