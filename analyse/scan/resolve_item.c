/* x[i] and x["key"]: the one element of a literal that an index means, where the text says which
 * one that is. What cannot be told apart from it is given as well, with less certainty. */
#include "analyse/scan/resolve_build.h"

/* True when a key of a dict and an index are the same string or number. */
static bool same_key(fh_resolver *resolver, const fh_meaning *index, uint32_t unit,
                     fh_value_index key, bool *known)
{
    const fh_unit *u = fh_resolver_unit(resolver, index->unit);
    int64_t a, b;
    fh_text left, right;
    fh_certainty ignored;
    *known = true;
    if (fh_unit_value(u, index->index)->kind == FH_VALUE_INTEGER) {
        if (fh_resolve_integer(resolver, unit, key, &b)) {
            a = fh_value_integer(fh_unit_value(u, index->index));
            return a == b;
        }
        *known = fh_resolve_string(resolver, unit, key, &right, &ignored, NULL);
        return false;
    }
    if (fh_resolve_string(resolver, unit, key, &right, &ignored, NULL))
        return fh_resolve_string(resolver, index->unit, index->index, &left, &ignored, NULL) &&
               fh_text_equal(left, right);
    *known = fh_resolve_integer(resolver, unit, key, &b);
    return false;
}

enum { ABSENT, FOUND, UNSURE };

/* The element of a DICT under one key, into *out: of several with that key the last. UNSURE when
 * something that stands behind it may have the key as well, or when nothing is known. */
static int dict_item(fh_resolver *resolver, uint32_t unit, const fh_value *dict,
                     const fh_meaning *index, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    bool unsure = false, known;
    for (uint32_t i = dict->b & ~1u; i >= 2; i -= 2) {
        const fh_value_index *at = &u->lists.items[dict->a + i - 2];
        const fh_value *value = fh_unit_value(u, at[1]);
        if (at[0] && same_key(resolver, index, unit, at[0], &known)) {
            fh_meanings one;
            fh_resolve(resolver, unit, at[1], &one);
            fh_meanings_add_all(out, &one, unsure ? FH_LIKELY : FH_CERTAIN);
            return FOUND;
        }
        if (at[0]) {
            unsure |= !known;
            continue;
        }
        fh_meanings inner;
        fh_resolve(resolver, unit, value->kind == FH_VALUE_STAR ? value->a : at[1], &inner);
        const fh_meaning *m = &inner.items[0];
        const fh_value *spread = inner.count == 1 && m->kind == FH_MEANS_LITERAL
                                     ? fh_unit_value(fh_resolver_unit(resolver, m->unit), m->index)
                                     : NULL;
        if (!spread || spread->kind != FH_VALUE_DICT || !fh_resolver_descend(resolver)) {
            unsure = true;
            continue;
        }
        fh_meanings found = {0};
        int state = dict_item(resolver, m->unit, spread, index, &found);
        fh_resolver_ascend(resolver);
        fh_meanings_add_all(out, &found, unsure ? FH_LIKELY : FH_CERTAIN);
        if (state == FOUND)
            return FOUND;
        unsure |= state == UNSURE;
    }
    return unsure ? UNSURE : ABSENT;
}

/* A fill of a dict that spreads another one: whether that has the key. */
static int spread_item(fh_resolver *resolver, uint32_t unit, fh_value_index spread,
                       const fh_meaning *index, fh_meanings *out)
{
    fh_meanings all;
    fh_resolve(resolver, unit, spread, &all);
    if (all.count != 1 || all.items[0].kind != FH_MEANS_LITERAL)
        return UNSURE;
    const fh_meaning *m = &all.items[0];
    const fh_value *v = fh_unit_value(fh_resolver_unit(resolver, m->unit), m->index);
    return v->kind == FH_VALUE_DICT ? dict_item(resolver, m->unit, v, index, out) : UNSURE;
}

/* x["key"], where x["key"] = value stands somewhere. Of several such lines any of them. */
static int filled_item(fh_resolver *resolver, uint32_t unit, fh_value_index dict,
                       const fh_meaning *index, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    uint32_t found = 0, seen = 0;
    bool unsure = false;
    fh_meanings all = {0}, one;
    for (uint32_t i = fh_unit_fills(u, dict); i < u->fills.count && seen < FH_MOST_FILLS;
         i++, seen++) {
        const fh_fill *fill = &u->fills.items[i];
        const fh_value *value = fh_unit_value(u, fill->value);
        bool known = true;
        if (fill->base != dict)
            break;
        if (value->kind == FH_VALUE_STAR) {
            int state = spread_item(resolver, unit, value->a, index, &all);
            found += state == FOUND;
            known = state != UNSURE;
        } else if (!fill->index) {
            known = false;
        } else if (same_key(resolver, index, unit, fill->index, &known)) {
            fh_resolve(resolver, unit, fill->value, &one);
            fh_meanings_add_all(&all, &one, FH_CERTAIN);
            found++;
        }
        unsure |= !known;
    }
    fh_meanings_add_all(out, &all, found > 1 || unsure ? FH_LIKELY : FH_CERTAIN);
    return found ? FOUND : unsure ? UNSURE : ABSENT;
}

/* One key of a DICT, of {...} | {...}, or of what was put into one later. */
static bool any_dict_item(fh_resolver *resolver, uint32_t unit, fh_value_index dict,
                          const fh_meaning *index, fh_meanings *out)
{
    const fh_value *v = fh_unit_value(fh_resolver_unit(resolver, unit), dict);
    if (v->kind == FH_VALUE_BINARY && v->op == FH_OP_BIT_OR && fh_resolver_descend(resolver)) {
        bool found = false;
        for (int side = 0; side < 2 && !found; side++) {
            fh_meanings bases;
            fh_resolve(resolver, unit, side ? v->a : v->b, &bases);
            if (bases.count != 1 || bases.items[0].kind != FH_MEANS_LITERAL)
                break;
            found = any_dict_item(resolver, bases.items[0].unit, bases.items[0].index, index, out);
        }
        fh_resolver_ascend(resolver);
        return found;
    }
    if (v->kind != FH_VALUE_DICT)
        return false;
    fh_meanings written = {0}, later = {0};
    int state = dict_item(resolver, unit, v, index, &written);
    int filled = filled_item(resolver, unit, dict, index, &later);
    bool both = state != ABSENT && filled != ABSENT;
    fh_meanings_add_all(out, &later, both ? FH_LIKELY : FH_CERTAIN);
    fh_meanings_add_all(out, &written, both ? FH_LIKELY : FH_CERTAIN);
    return state == FOUND || filled == FOUND;
}

/* x[i] of one list or tuple; false when it is not known which element that is. */
static bool list_item(fh_resolver *resolver, uint32_t unit, fh_value_index index, int64_t position,
                      fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *list = fh_unit_value(u, index);
    bool from_end = position < 0;
    uint32_t fills = fh_unit_fills(u, index);
    if (from_end && fills < u->fills.count && u->fills.items[fills].base == index)
        return false;
    if (from_end)
        position += list->b;
    if (position < 0 || position >= (int64_t)list->b)
        return false;
    /* No *more of unknown length may stand between the element and the end that is counted from. */
    uint32_t first = from_end ? (uint32_t)position : 0;
    uint32_t end = from_end ? list->b : (uint32_t)position + 1;
    for (uint32_t i = first; i < end; i++)
        if (fh_unit_value(u, u->lists.items[list->a + i])->kind == FH_VALUE_STAR)
            return false;
    fh_meanings one;
    fh_resolve(resolver, unit, u->lists.items[list->a + (uint32_t)position], &one);
    fh_meanings_add_all(out, &one, FH_CERTAIN);
    return true;
}

/* How many elements the literal that `value` is has; -1 when that is not known. */
static int64_t length_of(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                         fh_meaning *literal)
{
    fh_meanings all;
    fh_resolve(resolver, unit, value, &all);
    if (all.count != 1 || all.items[0].kind != FH_MEANS_LITERAL)
        return -1;
    *literal = all.items[0];
    const fh_unit *u = fh_resolver_unit(resolver, literal->unit);
    const fh_value *v = fh_unit_value(u, literal->index);
    if (v->kind != FH_VALUE_TUPLE && v->kind != FH_VALUE_LIST)
        return -1;
    for (uint32_t i = 0; i < v->b; i++)
        if (fh_unit_value(u, u->lists.items[v->a + i])->kind == FH_VALUE_STAR)
            return -1;
    return v->b;
}

/* (a, b) + more at a position that is counted from the front. */
static bool joined_item(fh_resolver *resolver, uint32_t unit, const fh_value *sum, int64_t position,
                        fh_meanings *out)
{
    fh_meaning part;
    int64_t length = length_of(resolver, unit, sum->a, &part);
    if (length >= 0 && position < length)
        return position >= 0 && list_item(resolver, part.unit, part.index, position, out);
    if (length < 0 || length_of(resolver, unit, sum->b, &part) < 0)
        return false;
    return list_item(resolver, part.unit, part.index, position - length, out);
}

/* x[index] of one literal x; index 0: the element at `position`. */
static bool item_of(fh_resolver *resolver, const fh_meaning *base, uint32_t unit,
                    fh_value_index index, int64_t position, fh_meanings *out)
{
    const fh_value *v = fh_unit_value(fh_resolver_unit(resolver, base->unit), base->index);
    if (v->kind == FH_VALUE_LIST || v->kind == FH_VALUE_TUPLE)
        return (!index || fh_resolve_integer(resolver, unit, index, &position)) &&
               list_item(resolver, base->unit, base->index, position, out);
    if (v->kind == FH_VALUE_BINARY && v->op == FH_OP_ADD)
        return (!index || fh_resolve_integer(resolver, unit, index, &position)) &&
               joined_item(resolver, base->unit, v, position, out);
    if ((v->kind != FH_VALUE_DICT && v->kind != FH_VALUE_BINARY) || !index)
        return false;
    fh_meanings keys, all = {0};
    fh_resolve(resolver, unit, index, &keys);
    bool found = false;
    for (uint32_t i = 0; i < keys.count; i++) {
        fh_meanings one = {0};
        if (keys.items[i].kind != FH_MEANS_LITERAL)
            return false;
        found |= any_dict_item(resolver, base->unit, base->index, &keys.items[i], &one);
        fh_meanings_add_all(&all, &one, (fh_certainty)keys.items[i].certainty);
    }
    if (found)
        fh_meanings_add_all(out, &all, keys.count > 1 ? FH_LIKELY : FH_CERTAIN);
    return found;
}

bool fh_resolve_item(fh_resolver *resolver, uint32_t unit, fh_value_index base,
                     fh_value_index index, int64_t position, fh_meanings *out)
{
    fh_meanings bases, all = {0};
    fh_resolve(resolver, unit, base, &bases);
    for (uint32_t i = 0; i < bases.count; i++) {
        fh_meanings one = {0};
        if (bases.items[i].kind != FH_MEANS_LITERAL ||
            !item_of(resolver, &bases.items[i], unit, index, position, &one))
            return false;
        fh_meanings_add_all(&all, &one, (fh_certainty)bases.items[i].certainty);
    }
    fh_meanings_add_all(out, &all, bases.count > 1 ? FH_LIKELY : FH_CERTAIN);
    return bases.count > 0;
}
