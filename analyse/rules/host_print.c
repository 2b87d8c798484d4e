/* Tensors that are printed or logged: each is copied to the host (FH705). */
#include "analyse/rules/host.h"

/* self.logger, log, get_logger(__name__) */
static bool is_logger(const fh_unit *u, fh_value_index value)
{
    const fh_value *v = fh_unit_value(u, value);
    if (v->kind == FH_VALUE_CALL)
        v = fh_unit_value(u, u->calls.items[v->a].callee);
    fh_text name = v->kind == FH_VALUE_ATTRIBUTE ? fh_unit_text(u, v->b)
                   : v->kind == FH_VALUE_NAME || v->kind == FH_VALUE_IMPORT
                       ? fh_text_last_part(fh_unit_text(u, v->a))
                       : (fh_text){0};
    return fh_text_contains(name, "log");
}

/* print(loss), logger.info("%s", loss), bar.set_postfix(loss=loss). */
static bool writes_text(const fh_host_unit *host, const fh_call *call, const fh_callee *callee)
{
    static const char *const methods[] = {
        "info",        "debug",           "warning",         "log", "write",
        "set_postfix", "set_description", "set_postfix_str", NULL};
    if (fh_text_is(callee->path, "builtins.print"))
        return true;
    if (fh_text_starts(callee->path, "logging."))
        return fh_text_is_any(callee->name, methods);
    const fh_value *target = fh_unit_value(host->unit, call->callee);
    if (target->kind != FH_VALUE_ATTRIBUTE)
        return false;
    fh_text method = fh_unit_text(host->unit, target->b);
    if (!fh_text_is_any(method, methods))
        return false;
    return fh_text_starts(method, "set_") || is_logger(host->unit, target->a);
}

/* A tensor among what is printed: itself, or in an f-string or the right side of "..." % x. */
static bool shows_tensor(const fh_host_unit *host, fh_value_index value, unsigned depth)
{
    const fh_value *v = fh_unit_value(host->unit, value);
    if (fh_host_is_device_tensor(host, value))
        return v->kind != FH_VALUE_PARAMETER || fh_host_at(host, value)->tensor == FH_CERTAIN;
    if (!depth)
        return false;
    if (v->kind == FH_VALUE_FORMAT || v->kind == FH_VALUE_TUPLE) {
        for (uint32_t i = 0; i < v->b && i < 32; i++)
            if (shows_tensor(host, host->unit->lists.items[v->a + i], depth - 1))
                return true;
    } else if (v->kind == FH_VALUE_BINARY && v->op == FH_OP_MODULO) {
        fh_value_kind left = (fh_value_kind)fh_unit_value(host->unit, v->a)->kind;
        return (left == FH_VALUE_STRING || left == FH_VALUE_FORMAT) &&
               shows_tensor(host, v->b, depth - 1);
    } else if (v->kind == FH_VALUE_CALL) {
        /* "...".format(x) */
        const fh_call *call = &host->unit->calls.items[v->a];
        const fh_value *callee = fh_unit_value(host->unit, call->callee);
        if (callee->kind == FH_VALUE_ATTRIBUTE &&
            fh_text_is(fh_unit_text(host->unit, callee->b), "format"))
            for (uint32_t i = 0; i < call->count && i < 32; i++)
                if (shows_tensor(host, host->unit->arguments.items[call->arguments + i].value,
                                 depth - 1))
                    return true;
    }
    return false;
}

void fh_host_check_print(fh_host_unit *host, const fh_call *call, const fh_callee *callee,
                         fh_place_kind place)
{
    bool in_graph = fh_graph_of(&host->graphs, call->block) != FH_GRAPH_NONE;
    if ((place < FH_PLACE_LOOP && !in_graph) || !writes_text(host, call, callee))
        return;
    fh_spot spot = fh_spot_of_call(host->unit, call);
    for (uint32_t i = 0; i < call->count && i < 32; i++) {
        fh_value_index shown = host->unit->arguments.items[call->arguments + i].value;
        if (!shows_tensor(host, shown, 3))
            continue;
        fh_rule_report(host->run, FH_RULE_705, FH_SEVERITY_NOTE, FH_LIKELY, spot, callee->path,
                       "printing a tensor copies it to the host and waits for it%s",
                       fh_host_place_words(&host->places, call->block));
        fh_stops_graph(host->run, &host->graphs, call->block, spot, callee->path, FH_STOPS_PRINT);
        return;
    }
}
