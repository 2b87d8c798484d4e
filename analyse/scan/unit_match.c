#include "analyse/scan/unit_match.h"

#include <string.h>

typedef enum { VALUE, FUNCTION, CLASS, KINDS } item_kind;

/* Two items that are taken to match until something below them does not. */
typedef struct {
    item_kind kind;
    uint32_t before, after;
} pair;

struct fh_unit_match {
    const fh_unit *before, *after;
    uint32_t *there[KINDS], *back[KINDS]; /* by index; 0: matched with nothing */
    uint32_t *parameters, *parameters_back;
    FH_VECTOR(pair) pairs; /* all that match, in the order in which they were found */
    uint64_t left;         /* pairs that may still be looked at */
};

/* Walks over one large file, once for each of so many names: more are taken to differ. */
enum { MOST_WALKS = 64 };

fh_unit_match *fh_unit_match_create(const fh_unit *before, const fh_unit *after)
{
    fh_unit_match *m = fh_alloc_zero(1, sizeof *m);
    if (!m)
        return NULL;
    m->before = before;
    m->after = after;
    const uint32_t counts[KINDS][2] = {{before->values.count, after->values.count},
                                       {before->functions.count, after->functions.count},
                                       {before->classes.count, after->classes.count}};
    bool good = true;
    for (unsigned k = 0; k < KINDS; k++) {
        m->there[k] = fh_alloc_zero(counts[k][0] + 1, sizeof(uint32_t));
        m->back[k] = fh_alloc_zero(counts[k][1] + 1, sizeof(uint32_t));
        good &= m->there[k] && m->back[k];
    }
    m->parameters = fh_alloc_zero(before->parameters.count + 1, sizeof(uint32_t));
    m->parameters_back = fh_alloc_zero(after->parameters.count + 1, sizeof(uint32_t));
    m->left = (uint64_t)MOST_WALKS * (before->values.count + 1024);
    if (good && m->parameters && m->parameters_back)
        return m;
    fh_unit_match_destroy(m);
    return NULL;
}

void fh_unit_match_destroy(fh_unit_match *m)
{
    if (!m)
        return;
    for (unsigned k = 0; k < KINDS; k++) {
        fh_free(m->there[k]);
        fh_free(m->back[k]);
    }
    fh_free(m->parameters);
    fh_free(m->parameters_back);
    fh_vector_free(&m->pairs);
    fh_free(m);
}

/* Takes two items to match; false when either matches something else. */
static bool take(fh_unit_match *m, item_kind kind, uint32_t before, uint32_t after)
{
    if (!before || !after)
        return before == after;
    if (m->there[kind][before] || m->back[kind][after])
        return m->there[kind][before] == after;
    if (!m->left || !fh_vector_push(&m->pairs, (pair){kind, before, after}))
        return false;
    m->left--;
    m->there[kind][before] = after;
    m->back[kind][after] = before;
    return true;
}

static bool same_text(const fh_unit_match *m, fh_symbol before, fh_symbol after)
{
    return fh_text_equal(fh_unit_text(m->before, before), fh_unit_text(m->after, after));
}

static bool take_values(fh_unit_match *m, uint32_t before, uint32_t after, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!take(m, VALUE, m->before->lists.items[before + i], m->after->lists.items[after + i]))
            return false;
    return true;
}

static bool take_arguments(fh_unit_match *m, uint32_t before, uint32_t after, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const fh_argument *x = &m->before->arguments.items[before + i];
        const fh_argument *y = &m->after->arguments.items[after + i];
        if (!same_text(m, x->name, y->name) || !take(m, VALUE, x->value, y->value))
            return false;
    }
    return true;
}

/* Names are compared in the order of their symbols, in which they may be gone through. */
static bool take_bindings(fh_unit_match *m, uint32_t before, uint32_t after, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const fh_binding *x = &m->before->bindings.items[before + i];
        const fh_binding *y = &m->after->bindings.items[after + i];
        if (!same_text(m, x->name, y->name) || !take(m, VALUE, x->value, y->value))
            return false;
    }
    return true;
}

static bool take_parameters(fh_unit_match *m, uint32_t before, uint32_t after, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const fh_parameter *x = &m->before->parameters.items[before + i];
        const fh_parameter *y = &m->after->parameters.items[after + i];
        if (!same_text(m, x->name, y->name) || x->kind != y->kind ||
            !take(m, VALUE, x->default_value, y->default_value) ||
            !take(m, VALUE, x->annotation, y->annotation))
            return false;
        m->parameters[before + i] = after + i;
        m->parameters_back[after + i] = before + i;
    }
    return true;
}

static bool take_call(fh_unit_match *m, uint32_t before, uint32_t after)
{
    const fh_call *x = &m->before->calls.items[before], *y = &m->after->calls.items[after];
    return x->count == y->count && take(m, VALUE, x->value, y->value) &&
           take(m, VALUE, x->callee, y->callee) && take(m, FUNCTION, x->function, y->function) &&
           take_arguments(m, x->arguments, y->arguments, x->count);
}

/* What is put into a container after it was made. */
static bool take_fills(fh_unit_match *m, uint32_t before, uint32_t after)
{
    const fh_unit *a = m->before, *b = m->after;
    uint32_t i = fh_unit_fills(a, before), k = fh_unit_fills(b, after);
    for (;; i++, k++) {
        bool x = i < a->fills.count && a->fills.items[i].base == before;
        bool y = k < b->fills.count && b->fills.items[k].base == after;
        if (!x || !y)
            return x == y;
        if (!take(m, VALUE, a->fills.items[i].index, b->fills.items[k].index) ||
            !take(m, VALUE, a->fills.items[i].value, b->fills.items[k].value))
            return false;
    }
}

static bool take_other(fh_unit_match *m, const fh_value *x, const fh_value *y)
{
    switch ((fh_value_kind)x->kind) {
    case FH_VALUE_ATTRIBUTE:
        return same_text(m, x->b, y->b) && take(m, VALUE, x->a, y->a);
    case FH_VALUE_CALL:
        return take_call(m, x->a, y->a) && take(m, VALUE, x->b, y->b);
    case FH_VALUE_PARAMETER:
        return x->b == y->b && take(m, FUNCTION, x->a, y->a);
    case FH_VALUE_FUNCTION:
        return take(m, FUNCTION, x->a, y->a);
    case FH_VALUE_CLASS:
        return take(m, CLASS, x->a, y->a);
    default:
        return false;
    }
}

static bool take_operands(fh_unit_match *m, const fh_value *x, const fh_value *y)
{
    switch (fh_value_holds(x)) {
    case FH_HOLDS_NUMBERS:
        return x->a == y->a && x->b == y->b;
    case FH_HOLDS_SYMBOL:
        return same_text(m, x->a, y->a) && x->b == y->b;
    case FH_HOLDS_VALUE:
        return take(m, VALUE, x->a, y->a) && x->b == y->b;
    case FH_HOLDS_VALUES:
        return take(m, VALUE, x->a, y->a) && take(m, VALUE, x->b, y->b);
    case FH_HOLDS_LIST:
        return x->b == y->b && take_values(m, x->a, y->a, x->b);
    case FH_HOLDS_OTHER:
        return take_other(m, x, y);
    }
    return false;
}

static bool take_value(fh_unit_match *m, uint32_t before, uint32_t after)
{
    const fh_value *x = fh_unit_value(m->before, before), *y = fh_unit_value(m->after, after);
    return x->kind == y->kind && x->op == y->op && x->flags == y->flags && take_operands(m, x, y) &&
           take_fills(m, before, after);
}

static bool take_function(fh_unit_match *m, uint32_t before, uint32_t after)
{
    const fh_function *x = &m->before->functions.items[before];
    const fh_function *y = &m->after->functions.items[after];
    return same_text(m, x->name, y->name) && same_text(m, x->qualified, y->qualified) &&
           x->flags == y->flags && x->parameter_count == y->parameter_count &&
           x->decorator_count == y->decorator_count && x->return_count == y->return_count &&
           take(m, CLASS, x->class, y->class) && take(m, FUNCTION, x->parent, y->parent) &&
           take_parameters(m, x->parameters, y->parameters, x->parameter_count) &&
           take_values(m, x->decorators, y->decorators, x->decorator_count) &&
           take_values(m, x->returns, y->returns, x->return_count);
}

static bool take_class(fh_unit_match *m, uint32_t before, uint32_t after)
{
    const fh_class *x = &m->before->classes.items[before], *y = &m->after->classes.items[after];
    return same_text(m, x->name, y->name) && same_text(m, x->qualified, y->qualified) &&
           x->is_record == y->is_record && x->base_count == y->base_count &&
           x->decorator_count == y->decorator_count && x->member_count == y->member_count &&
           x->attribute_count == y->attribute_count && x->field_count == y->field_count &&
           take(m, FUNCTION, x->parent, y->parent) &&
           take_arguments(m, x->bases, y->bases, x->base_count) &&
           take_values(m, x->decorators, y->decorators, x->decorator_count) &&
           take_bindings(m, x->members, y->members, x->member_count) &&
           take_bindings(m, x->attributes, y->attributes, x->attribute_count) &&
           take_parameters(m, x->fields, y->fields, x->field_count);
}

/* Forgets pairs[mark..]. What they say of parameters goes with them. */
static void undo(fh_unit_match *m, uint32_t mark)
{
    while (m->pairs.count > mark) {
        pair last = fh_vector_pop(&m->pairs);
        m->there[last.kind][last.before] = 0;
        m->back[last.kind][last.after] = 0;
        uint32_t first = 0, count = 0;
        if (last.kind == FUNCTION) {
            first = m->before->functions.items[last.before].parameters;
            count = m->before->functions.items[last.before].parameter_count;
        } else if (last.kind == CLASS) {
            first = m->before->classes.items[last.before].fields;
            count = m->before->classes.items[last.before].field_count;
        }
        for (uint32_t i = first; i < first + count; i++) {
            m->parameters_back[m->parameters[i]] = 0;
            m->parameters[i] = 0;
        }
    }
}

bool fh_unit_match_value(fh_unit_match *m, fh_value_index before, fh_value_index after)
{
    uint32_t mark = m->pairs.count;
    if (before >= m->before->values.count || after >= m->after->values.count)
        return false;
    bool good = take(m, VALUE, before, after);
    for (uint32_t i = mark; good && i < m->pairs.count; i++) {
        pair next = m->pairs.items[i];
        if (next.kind == VALUE)
            good = take_value(m, next.before, next.after);
        else if (next.kind == FUNCTION)
            good = take_function(m, next.before, next.after);
        else
            good = take_class(m, next.before, next.after);
    }
    if (!good)
        undo(m, mark);
    return good;
}

static fh_value_index bound(const fh_unit *unit, fh_text name)
{
    fh_symbol symbol = fh_symbols_find(&unit->symbols, name);
    return symbol ? fh_unit_binding(unit, unit->members, unit->member_count, symbol) : 0;
}

bool fh_unit_match_name(fh_unit_match *m, fh_text name)
{
    return fh_unit_match_value(m, bound(m->before, name), bound(m->after, name));
}

uint32_t fh_unit_match_parameter(const fh_unit_match *m, uint32_t before)
{
    return before < m->before->parameters.count ? m->parameters[before] : 0;
}

uint32_t fh_unit_match_parameter_before(const fh_unit_match *m, uint32_t after)
{
    return after < m->after->parameters.count ? m->parameters_back[after] : 0;
}

uint32_t fh_unit_match_count(const fh_unit_match *m)
{
    return m->pairs.count;
}

/* An import that says something of the file as a whole. */
static bool is_for_all(const fh_unit *unit, const fh_import *import)
{
    return !import->name || fh_text_starts(fh_unit_text(unit, import->path), "torch_npu");
}

static uint32_t next_for_all(const fh_unit *unit, uint32_t at)
{
    while (at < unit->imports.count && !is_for_all(unit, &unit->imports.items[at]))
        at++;
    return at;
}

static bool same_imports(const fh_unit_match *m)
{
    const fh_unit *a = m->before, *b = m->after;
    uint32_t i = next_for_all(a, 1), k = next_for_all(b, 1);
    while (i < a->imports.count && k < b->imports.count) {
        const fh_import *x = &a->imports.items[i], *y = &b->imports.items[k];
        if (!x->name != !y->name || !same_text(m, x->path, y->path))
            return false;
        i = next_for_all(a, i + 1);
        k = next_for_all(b, k + 1);
    }
    return i == a->imports.count && k == b->imports.count;
}

/* True when a method of the list __all__ is called. */
static bool changes_exports(const fh_unit *unit)
{
    fh_value_index list = bound(unit, FH_TEXT("__all__"));
    for (uint32_t i = 1; list && i < unit->calls.count; i++) {
        const fh_value *callee = fh_unit_value(unit, unit->calls.items[i].callee);
        if (callee->kind == FH_VALUE_ATTRIBUTE && callee->a == list)
            return true;
    }
    return false;
}

static bool mentions_torch(const fh_unit *unit)
{
    return fh_symbols_find(&unit->symbols, FH_TEXT("torch")) != 0;
}

bool fh_unit_match_file(const fh_unit_match *m)
{
    return m->before->kind == m->after->kind && m->before->is_package == m->after->is_package &&
           mentions_torch(m->before) == mentions_torch(m->after) && same_imports(m) &&
           changes_exports(m->before) == changes_exports(m->after);
}
