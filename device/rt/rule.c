#include "device/rt/rule.h"

#include <stdio.h>

fh_status fh_rule_none(const fh_argument *arguments, unsigned count, fh_plan *plan)
{
    (void)arguments, (void)count, (void)plan;
    return FH_OK;
}

/* "[2, 3]", for messages. */
const char *fh_rule_shape(const fh_view *view, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "[");
    for (uint32_t i = 0; i < view->rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? ", " : "",
                                 (long long)view->sizes[i]);
    if (used < size)
        snprintf(text + used, size - used, "]");
    return text;
}

/* The last tensor among the arguments: the result, of operators that have one. */
const fh_view *fh_rule_result(const fh_argument *arguments, unsigned count)
{
    for (unsigned i = count; i-- > 0;)
        if (arguments[i].kind == FH_ARGUMENT_VIEW)
            return arguments[i].view;
    return NULL;
}

bool fh_rule_broadcasts(const fh_view *from, const fh_view *to)
{
    if (from->rank > to->rank)
        return false;
    for (uint32_t i = 1; i <= from->rank; i++) {
        int64_t size = from->sizes[from->rank - i];
        if (size != 1 && size != to->sizes[to->rank - i])
            return false;
    }
    return true;
}

static fh_status each_fits(const fh_argument *arguments, const fh_view *result, unsigned count,
                           bool (*fits)(const fh_view *, const fh_view *), const char *wanted)
{
    for (unsigned i = 0; i < count; i++) {
        char got[128], shape[128];
        if (arguments[i].kind == FH_ARGUMENT_VIEW && !fits(arguments[i].view, result))
            return fh_error(FH_INVALID, "the shape %s of argument %u %s %s of the result",
                            fh_rule_shape(arguments[i].view, got, sizeof got), i + 1, wanted,
                            fh_rule_shape(result, shape, sizeof shape));
    }
    return FH_OK;
}

fh_status fh_rule_broadcast(const fh_argument *arguments, unsigned count, fh_plan *plan)
{
    (void)plan;
    return each_fits(arguments, fh_rule_result(arguments, count), count, fh_rule_broadcasts,
                     "does not broadcast to");
}

fh_status fh_rule_into_first(const fh_argument *arguments, unsigned count, fh_plan *plan)
{
    (void)plan;
    return each_fits(arguments, arguments[0].view, count, fh_rule_broadcasts,
                     "does not broadcast to");
}

fh_status fh_rule_same(const fh_argument *arguments, unsigned count, fh_plan *plan)
{
    (void)plan;
    return each_fits(arguments, fh_rule_result(arguments, count), count, fh_view_same_shape,
                     "is not");
}
