/* Literals: the string, number or truth value that something is known to be. */
#include "analyse/scan/resolve_build.h"

#include <ctype.h>
#include <stdio.h>

enum { LONGEST_TEXT = 1024 };

static bool fold_text(fh_resolver *resolver, uint32_t unit, fh_value_index index, fh_buffer *text,
                      fh_certainty *certainty);

/* Appends the string, or the decimal form of the integer, that a value is known to be. */
static bool add_text(fh_resolver *resolver, uint32_t unit, fh_value_index value, fh_buffer *text,
                     fh_certainty *certainty)
{
    int64_t number;
    fh_text part;
    fh_certainty how;
    if (fh_resolve_integer(resolver, unit, value, &number)) {
        fh_buffer_add_format(text, "%lld", (long long)number);
        return true;
    }
    if (!fh_resolve_string(resolver, unit, value, &part, &how, NULL))
        return false;
    fh_buffer_add(text, part);
    *certainty = how < *certainty ? how : *certainty;
    return text->length <= LONGEST_TEXT;
}

/* f"conv{d}d": parts that are known, without conversions and formats. */
static bool fold_format(fh_resolver *resolver, uint32_t unit, const fh_value *format,
                        fh_buffer *text, fh_certainty *certainty)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    if (format->flags & FH_VALUE_SPECIFIED)
        return false;
    for (uint32_t i = 0; i < format->b; i++) {
        fh_value_index part = u->lists.items[format->a + i];
        const fh_value *v = fh_unit_value(u, part);
        if (v->kind == FH_VALUE_STRING && (fh_text_contains(fh_unit_text(u, v->a), "{{") ||
                                           fh_text_contains(fh_unit_text(u, v->a), "}}")))
            return false;
        if (!add_text(resolver, unit, part, text, certainty))
            return false;
    }
    return true;
}

/* "conv%dd" % n: %s and %d only. */
static bool fold_percent(fh_resolver *resolver, uint32_t unit, const fh_value *value,
                         fh_buffer *text, fh_certainty *certainty)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *right = fh_unit_value(u, value->b);
    bool tuple = right->kind == FH_VALUE_TUPLE;
    uint32_t count = tuple ? right->b : 1, used = 0;
    fh_text pattern;
    fh_certainty how;
    if (!fh_resolve_string(resolver, unit, value->a, &pattern, &how, NULL))
        return false;
    *certainty = how < *certainty ? how : *certainty;
    for (size_t i = 0; i < pattern.length; i++) {
        if (pattern.data[i] != '%') {
            fh_buffer_add_char(text, pattern.data[i]);
            continue;
        }
        char kind = ++i < pattern.length ? pattern.data[i] : 0;
        if (kind == '%') {
            fh_buffer_add_char(text, '%');
            continue;
        }
        if ((kind != 's' && kind != 'd') || used == count)
            return false;
        fh_value_index part = tuple ? u->lists.items[right->a + used] : value->b;
        if (!add_text(resolver, unit, part, text, certainty))
            return false;
        used++;
    }
    return used == count;
}

/* "conv{}d".format(n): {} and {0} only. */
static bool fold_format_call(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                             fh_text pattern, fh_buffer *text, fh_certainty *certainty)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    int next = 0;
    for (size_t i = 0; i < pattern.length; i++) {
        char c = pattern.data[i];
        if (c != '{' && c != '}') {
            fh_buffer_add_char(text, c);
            continue;
        }
        if (i + 1 < pattern.length && pattern.data[i + 1] == c) {
            fh_buffer_add_char(text, c);
            i++;
            continue;
        }
        fh_text rest = fh_text_slice(pattern, i + 1, pattern.length);
        fh_text field = fh_text_slice(rest, 0, fh_text_find(rest, '}'));
        int64_t number;
        char name[64];
        fh_value_index part = 0;
        if (c == '}' || field.length == rest.length || field.length >= sizeof name)
            return false;
        snprintf(name, sizeof name, "%.*s", FH_TEXT_ARGS(field));
        if (!field.length)
            part = fh_call_argument(u, call, next++, NULL);
        else if (fh_text_to_integer(field, &number) && number >= 0 && number < 100)
            part = fh_call_argument(u, call, (int)number, NULL);
        else
            part = fh_call_argument(u, call, -1, name);
        if (!part || !add_text(resolver, unit, part, text, certainty))
            return false;
        i += field.length + 1;
    }
    return true;
}

static bool fold_join(fh_resolver *resolver, uint32_t unit, fh_value_index list, fh_text separator,
                      fh_buffer *text, fh_certainty *certainty)
{
    fh_meanings all;
    fh_resolve(resolver, unit, list, &all);
    if (all.count != 1 || all.items[0].kind != FH_MEANS_LITERAL)
        return false;
    uint32_t owner = all.items[0].unit;
    const fh_unit *u = fh_resolver_unit(resolver, owner);
    const fh_value v = *fh_unit_value(u, all.items[0].index);
    if (v.kind != FH_VALUE_LIST && v.kind != FH_VALUE_TUPLE)
        return false;
    for (uint32_t i = 0; i < v.b; i++) {
        fh_text part;
        fh_certainty how;
        if (!fh_resolve_string(resolver, owner, u->lists.items[v.a + i], &part, &how, NULL))
            return false;
        *certainty = how < *certainty ? how : *certainty;
        if (i)
            fh_buffer_add(text, separator);
        fh_buffer_add(text, part);
    }
    return text->length <= LONGEST_TEXT;
}

/* "...".lower() and the other methods that resolve_call.c takes for a literal. */
static bool fold_call(fh_resolver *resolver, uint32_t unit, const fh_call *call, fh_buffer *text,
                      fh_certainty *certainty)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *callee = fh_unit_value(u, call->callee);
    fh_text method = fh_unit_text(u, callee->b), of;
    fh_certainty how;
    if (callee->kind != FH_VALUE_ATTRIBUTE ||
        !fh_resolve_string(resolver, unit, callee->a, &of, &how, NULL))
        return false;
    *certainty = how < *certainty ? how : *certainty;
    if (fh_text_is(method, "format"))
        return fold_format_call(resolver, unit, call, of, text, certainty);
    if (fh_text_is(method, "join"))
        return fold_join(resolver, unit, fh_call_argument(u, call, 0, NULL), of, text, certainty);
    if (call->count)
        return false; /* strip("x") */
    if (fh_text_is(method, "strip"))
        of = fh_text_trim(of);
    for (size_t i = 0; i < of.length; i++) {
        unsigned char c = (unsigned char)of.data[i];
        if (c >= 0x80)
            return false;
        fh_buffer_add_char(text, (char)(fh_text_is(method, "lower")   ? tolower(c)
                                        : fh_text_is(method, "upper") ? toupper(c)
                                                                      : c));
    }
    return fh_text_is(method, "strip") || fh_text_is(method, "lower") ||
           fh_text_is(method, "upper");
}

/* A string that is put together from known ones. */
static bool fold_text(fh_resolver *resolver, uint32_t unit, fh_value_index index, fh_buffer *text,
                      fh_certainty *certainty)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value v = *fh_unit_value(u, index);
    if (v.kind == FH_VALUE_FORMAT)
        return fold_format(resolver, unit, &v, text, certainty);
    if (v.kind == FH_VALUE_CALL)
        return fold_call(resolver, unit, &u->calls.items[v.a], text, certainty);
    if (v.kind != FH_VALUE_BINARY)
        return false;
    if (v.op == FH_OP_MODULO)
        return fold_percent(resolver, unit, &v, text, certainty);
    fh_text left, right;
    fh_certainty first, second;
    if (v.op != FH_OP_ADD || !fh_resolve_string(resolver, unit, v.a, &left, &first, NULL) ||
        !fh_resolve_string(resolver, unit, v.b, &right, &second, NULL))
        return false;
    first = first < second ? first : second;
    *certainty = first < *certainty ? first : *certainty;
    fh_buffer_add(text, left);
    fh_buffer_add(text, right);
    return text->length <= LONGEST_TEXT;
}

/* The string a literal is, put together where it is not written in one piece. */
static bool literal_text(fh_resolver *resolver, uint32_t unit, fh_value_index index, fh_text *text,
                         fh_certainty *certainty)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *v = fh_unit_value(u, index);
    if (v->kind == FH_VALUE_STRING) {
        *text = fh_unit_text(u, v->a);
        return true;
    }
    if ((v->kind != FH_VALUE_BINARY && v->kind != FH_VALUE_FORMAT && v->kind != FH_VALUE_CALL) ||
        !fh_resolver_descend(resolver))
        return false;
    fh_buffer folded = {0};
    bool known = fold_text(resolver, unit, index, &folded, certainty) && !folded.failed;
    fh_resolver_ascend(resolver);
    if (known)
        *text = fh_resolver_keep(resolver, fh_buffer_text(&folded));
    fh_buffer_free(&folded);
    return known;
}

bool fh_resolve_string(fh_resolver *resolver, uint32_t unit, fh_value_index value, fh_text *text,
                       fh_certainty *certainty, fh_reference *where)
{
    fh_meanings all;
    fh_resolve(resolver, unit, value, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        const fh_meaning *m = &all.items[i];
        if (m->kind != FH_MEANS_LITERAL)
            continue;
        *certainty = all.count > 1 && m->certainty > FH_LIKELY ? FH_LIKELY : m->certainty;
        if (!literal_text(resolver, m->unit, m->index, text, certainty))
            continue;
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
    if (!v)
        return false;
    if (v->kind == FH_VALUE_INTEGER) {
        *number = fh_value_integer(v);
        return true;
    }
    if (v->kind != FH_VALUE_BINARY || !fh_resolver_descend(resolver))
        return false;
    int64_t a, b;
    bool known = fh_resolve_integer(resolver, owner, v->a, &a) &&
                 fh_resolve_integer(resolver, owner, v->b, &b);
    fh_resolver_ascend(resolver);
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
