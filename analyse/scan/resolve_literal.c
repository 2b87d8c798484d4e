/* Literals: the string, number or truth value that something is known to be. */
#include "analyse/scan/resolve_build.h"

bool fh_resolve_string(fh_resolver *resolver, uint32_t unit, fh_value_index value, fh_text *text,
                       fh_certainty *certainty, fh_reference *where)
{
    fh_meanings all;
    fh_resolve(resolver, unit, value, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        const fh_meaning *m = &all.items[i];
        if (m->kind != FH_MEANS_LITERAL)
            continue;
        const fh_unit *u = fh_resolver_unit(resolver, m->unit);
        const fh_value *v = fh_unit_value(u, m->index);
        if (v->kind != FH_VALUE_STRING)
            continue;
        *text = fh_unit_text(u, v->a);
        *certainty = all.count > 1 && m->certainty > FH_LIKELY ? FH_LIKELY : m->certainty;
        if (where)
            *where = (fh_reference){m->unit, m->index};
        return true;
    }
    return false;
}

/* The only literal that `value` can be; NULL when there is none or several. */
static const fh_value *only_literal(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                                    uint32_t *owner)
{
    fh_meanings all;
    fh_resolve(resolver, unit, value, &all);
    if (all.count != 1 || all.items[0].kind != FH_MEANS_LITERAL)
        return NULL;
    *owner = all.items[0].unit;
    return fh_unit_value(fh_resolver_unit(resolver, *owner), all.items[0].index);
}

static bool fold(fh_op op, int64_t a, int64_t b, int64_t *result)
{
    switch (op) {
    case FH_OP_ADD:
        return !__builtin_add_overflow(a, b, result);
    case FH_OP_SUBTRACT:
        return !__builtin_sub_overflow(a, b, result);
    case FH_OP_MULTIPLY:
        return !__builtin_mul_overflow(a, b, result);
    case FH_OP_FLOOR_DIVIDE:
        if (!b || (a == INT64_MIN && b == -1))
            return false;
        *result = a / b - (a % b != 0 && (a < 0) != (b < 0));
        return true;
    case FH_OP_MODULO:
        if (!b || (a == INT64_MIN && b == -1))
            return false;
        *result = a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
        return true;
    case FH_OP_POWER:
        if (b < 0 || b > 62)
            return false;
        for (*result = 1; b > 0; b--)
            if (__builtin_mul_overflow(*result, a, result))
                return false;
        return true;
    case FH_OP_LEFT_SHIFT:
        if (a < 0 || b < 0 || b > 40 || a > INT32_MAX)
            return false;
        *result = a << b;
        return true;
    default:
        return false;
    }
}

bool fh_resolve_integer(fh_resolver *resolver, uint32_t unit, fh_value_index value, int64_t *number)
{
    uint32_t owner = 0;
    const fh_value *v = only_literal(resolver, unit, value, &owner);
    if (!v || resolver->depth > 60)
        return false;
    if (v->kind == FH_VALUE_INTEGER) {
        *number = fh_value_integer(v);
        return true;
    }
    if (v->kind != FH_VALUE_BINARY)
        return false;
    int64_t a, b;
    resolver->depth++;
    bool known = fh_resolve_integer(resolver, owner, v->a, &a) &&
                 fh_resolve_integer(resolver, owner, v->b, &b);
    resolver->depth--;
    return known && fold((fh_op)v->op, a, b, number);
}

bool fh_resolve_bool(fh_resolver *resolver, uint32_t unit, fh_value_index value, bool *truth)
{
    uint32_t owner = 0;
    const fh_value *v = only_literal(resolver, unit, value, &owner);
    if (!v || (v->kind != FH_VALUE_BOOL && v->kind != FH_VALUE_NONE))
        return false;
    *truth = v->kind == FH_VALUE_BOOL && v->a;
    return true;
}
