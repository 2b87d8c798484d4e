/* resolve_build.h: what the files resolve*.c share. */
#ifndef FH_SCAN_RESOLVE_BUILD_H
#define FH_SCAN_RESOLVE_BUILD_H

#include "analyse/scan/resolve.h"

/* A path and what the tables say of it; in the resolver's arena, so that it stays where it is. */
typedef struct {
    fh_text text;
    bool known;     /* false: PyTorch has no such public name */
    bool is_module; /* of another package: fh_known_module */
    fh_api api;
    const fh_package *package; /* NULL: no row of its own */
} fh_path_facts;

enum { FH_NO_STAR = 0xffffffffu };

typedef struct {
    uint32_t unit;     /* FH_NO_UNIT: outside */
    fh_symbol outside; /* a module of PyTorch */
} fh_star;

typedef struct {
    uint32_t hash;
    uint32_t star; /* the first that may bind a name with that hash; FH_NO_STAR: a free slot */
} fh_star_name;

/* Where a unit's star imports lead, the last one first: it hides the others. Depends on nothing but
 * the program. */
typedef struct {
    fh_star_name *names; /* see resolve_stars.c; NULL: not asked for yet, or not worth it */
    uint32_t name_mask;
    bool is_asked;
    uint32_t outside; /* the first star that leads to PyTorch, over any number of steps */
    uint32_t package; /* the first that leads to a package with an __all__ */
    uint32_t count;
    fh_star items[];
} fh_star_imports;

/* The __all__ of a unit. */
typedef struct {
    fh_value_index list; /* 0: there is none */
    uint32_t state;      /* in resolve_module.c */
} fh_exports;

/* One remembered answer; key 0 is free.
 *
 * A value may depend on itself: a function that calls itself, a list that is put into another. Then
 * the one that was asked for first, the head of the cycle, is worked out again and again, each time
 * with what was found the last time, until nothing changes. What was found on the way is incomplete
 * up to then. So an answer does not depend on what was asked before, or on which thread asks. */
typedef struct {
    uint64_t key;
    uint32_t first; /* into meanings */
    uint8_t count;
    uint8_t state; /* fh_answer_state */
    uint16_t low;  /* the depth of the outermost answer in progress that it asked for, its own while
                      it is in progress; FH_LOW_NONE: complete */
} fh_answer;

typedef enum {
    FH_ANSWER_DONE,
    FH_ANSWER_IN_PROGRESS, /* the meanings are those of the last time */
    FH_ANSWER_OUTDATED,    /* the same, to be worked out again */
} fh_answer_state;

/* What was looked up in other units since the last fh_resolver_enter (resolve_looks.c). */
typedef struct {
    bool tracks; /* false: nothing is noted */
    fh_symbols names;
    FH_VECTOR(fh_look) items;
    uint32_t *slots; /* a table of items: 1 + index, or 0 */
    uint32_t slot_count;
} fh_looks;

void fh_looks_add(fh_looks *looks, uint32_t unit, fh_text name);
void fh_looks_clear(fh_looks *looks);
void fh_looks_free(fh_looks *looks);

struct fh_resolver {
    const fh_program *program;
    fh_symbols paths;
    FH_VECTOR(fh_path_facts *) facts; /* by symbol of paths; 0 is NULL */
    fh_arena arena;
    fh_answer *own; /* answers of the unit that was entered, by value */
    uint32_t own_unit, own_count, own_capacity;
    fh_answer *answers; /* all others, by key */
    uint32_t answer_slots, answer_count;
    FH_VECTOR(fh_meaning) meanings;
    uint32_t depth;
    uint32_t entered, budget;       /* fh_resolver_descend */
    uint32_t low;                   /* as in fh_answer, of what is being worked out */
    FH_VECTOR(uint64_t) incomplete; /* keys of answers that are */
    bool changed;                   /* some answer of the cycle is another one than the last time */
    fh_symbol tensor, tensors, number, module, super; /* paths that are met often */
    uint8_t *looked_at; /* by unit: since the last fh_resolver_enter */
    fh_looks looks;
    FH_VECTOR(uint32_t) ahead; /* units to be looked at */
    fh_exports *exports;       /* by unit */
    fh_star_imports **stars;   /* by unit; NULL: not asked for yet */
    uint32_t star_names;       /* in all tables of names */
};

enum { FH_LOW_NONE = 0xffff };
enum { FH_LOOKED = 1, FH_LOOKED_BELOW = 2 }; /* at all that its star imports lead to as well */

/* Work that goes down both sides of an expression (strings that are put together, numbers,
 * annotations) may be asked for the same thing again and again: it has a budget. False when that
 * is spent, or the nesting too deep; else fh_resolver_ascend must follow. */
static inline bool fh_resolver_descend(fh_resolver *resolver)
{
    enum { BUDGET = 4096, DEEPEST = 100 };
    if (!resolver->entered)
        resolver->budget = BUDGET;
    if (resolver->depth > DEEPEST || !resolver->budget) {
        resolver->low = 0;
        return false;
    }
    resolver->budget--;
    resolver->entered++;
    resolver->depth++;
    return true;
}

static inline void fh_resolver_ascend(fh_resolver *resolver)
{
    resolver->entered--;
    resolver->depth--;
}

/* True when calls are nested deeper than `most`: what is cut off there is not remembered. */
static inline bool fh_resolver_is_deep(fh_resolver *resolver, uint32_t most)
{
    if (resolver->depth <= most)
        return false;
    resolver->low = 0;
    return true;
}

static inline const fh_unit *fh_resolver_unit(const fh_resolver *resolver, uint32_t unit)
{
    resolver->looked_at[unit] |= FH_LOOKED;
    return &resolver->program->units.items[unit];
}

/* Notes that `name` is looked up in module `unit`; FH_NO_UNIT: in every unit that was looked at. */
static inline void fh_resolver_note(fh_resolver *resolver, uint32_t unit, fh_text name)
{
    if (resolver->looks.tracks && unit != resolver->own_unit)
        fh_looks_add(&resolver->looks, unit, name);
}

/* Adds one meaning, unless it is there already; of two that differ in certainty the lower stays. */
void fh_meanings_add(fh_meanings *meanings, fh_meaning meaning);
void fh_meanings_add_all(fh_meanings *meanings, const fh_meanings *more, fh_certainty at_most);

/* The same, without None: as a default it says that there may be something else. */
void fh_meanings_add_but_none(const fh_resolver *resolver, fh_meanings *meanings,
                              const fh_meanings *more, fh_certainty at_most);

static inline fh_meaning fh_meaning_of(fh_meaning_kind kind, fh_certainty certainty, fh_symbol path,
                                       uint32_t unit, uint32_t index)
{
    return (fh_meaning){(uint8_t)kind, (uint8_t)certainty, path, unit, index};
}

/* What a value means, worked out anew (resolve_value.c): fh_resolve remembers it. */
void fh_resolve_new(fh_resolver *resolver, uint32_t unit, fh_value_index value, fh_meanings *out);

/* What a class of the program, or the first of those that it derives from, has under a name
 * (resolve_class.c). */
typedef struct {
    fh_reference member; /* value 0: nothing of the program */
    fh_reference field;  /* a parameter, where a record has a field of that name; its default is
                            `member` */
    fh_symbol external;  /* its path, where PyTorch's class comes first that has it; else 0 */
} fh_class_member;

/* `inherited`: of what the class derives from only, as super() sees it. */
fh_class_member fh_resolve_class_member(fh_resolver *resolver, uint32_t unit, uint32_t class,
                                        fh_text name, bool inherited);

/* What attribute `name` of `base` means (resolve_attribute.c). */
void fh_resolve_attribute(fh_resolver *resolver, const fh_meaning *base, fh_text name,
                          fh_meanings *out);

/* Attribute `name` of an object nothing is known of: a tensor's, when only tensors have it, or
 * when a file that uses PyTorch hardly has anything else with that name. */
void fh_resolve_unknown_attribute(fh_resolver *resolver, uint32_t unit, fh_text name,
                                  fh_meanings *out);

/* What a call of `callee` gives (resolve_call.c). */
void fh_resolve_call(fh_resolver *resolver, uint32_t unit, uint32_t call, fh_meanings *out);

/* What calling one of `callees` gives, where `call` is the call. */
void fh_resolve_callees(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                        const fh_meanings *callees, fh_meanings *out);

/* A PARAMETER value (resolve_parameter.c): an object of the class, or a parameter as below, or what
 * it is used as. */
void fh_resolve_parameter_value(fh_resolver *resolver, uint32_t unit, const fh_value *value,
                                fh_meanings *out);

/* A parameter of the unit, or a field of a record: its default, its annotation, and what calls
 * pass to it. */
void fh_resolve_parameter(fh_resolver *resolver, uint32_t unit, uint32_t parameter,
                          fh_meanings *out);

/* What a function of the program returns, whatever it is called with. */
void fh_resolve_returned(fh_resolver *resolver, const fh_meaning *function, fh_meanings *out);

/* Calls of Python's own functions (resolve_builtin.c); false when `callee` is none of them. */
bool fh_resolve_builtin_call(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                             const fh_meaning *callee, fh_meanings *out);

/* What an ELEMENT, ITEM or SUBSCRIPT value can be (resolve_element.c). */
void fh_resolve_element(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                        fh_meanings *out);

/* What a container holds (resolve_elements.c): all that it can be, added to *out. */
typedef enum {
    FH_ELEMENT_KEY,   /* what iterating over it yields: of a dict the keys */
    FH_ELEMENT_VALUE, /* what x[...] gives: of a dict the values */
} fh_element_kind;

void fh_resolve_elements(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                         fh_element_kind kind, fh_meanings *out);

/* The same, worked out anew: fh_resolve_elements remembers what it gives. */
void fh_resolve_new_elements(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                             fh_element_kind kind, fh_meanings *out);

enum { FH_MOST_FILLS = 64 }; /* of one container: what is put in later is not looked at */

/* What is put into the container that value `base` makes, after it was made: adds it to *out and
 * returns how many there are. */
uint32_t fh_resolve_fills(fh_resolver *resolver, uint32_t unit, fh_value_index base,
                          fh_element_kind kind, fh_meanings *out);

/* x.values(), x.keys() and x.items(): the container x, and in *method which of them it is; else 0.
 */
fh_value_index fh_resolve_view(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                               fh_text *method);

/* What the keys or the values of `viewed` are. */
void fh_resolve_view_elements(fh_resolver *resolver, uint32_t unit, fh_value_index viewed,
                              fh_element_kind kind, fh_meanings *out);

/* (resolve_item.c) base[index], or with index 0 the element at `position`, where it is known which
 * one that is; else false. */
bool fh_resolve_item(fh_resolver *resolver, uint32_t unit, fh_value_index base,
                     fh_value_index index, int64_t position, fh_meanings *out);

/* What the tables do not say (resolve_known.c).
 * True when a path outside PyTorch is a class, or the result of a function, that is an nn.Module.
 */
bool fh_known_module(fh_text path);

/* Attributes that are tensors: values of a topk, probs of a distribution. False: nothing known. */
bool fh_known_attribute(fh_resolver *resolver, const fh_meaning *base, fh_text name,
                        fh_meanings *out);

/* What a call of `path` gives an object of. */
bool fh_known_result(fh_resolver *resolver, fh_text path, fh_symbol *of);

/* What iterating over an object of `path`, parameters() of a module for example, yields an object
 * of: in position `position` of the tuples that it yields, where it yields tuples; else 0. */
bool fh_known_elements(const fh_resolver *resolver, fh_text path, uint32_t position,
                       fh_element_kind kind, fh_symbol *of);

/* True when an object of external class `path` is an nn.Module. */
bool fh_resolver_is_module(const fh_resolver *resolver, fh_symbol path);

/* A copy of `text` that lives as long as the resolver; empty when memory ran out. */
fh_text fh_resolver_keep(fh_resolver *resolver, fh_text text);

/* The name bound in module `unit`, through its own imports and star imports. */
bool fh_resolve_module_name(fh_resolver *resolver, uint32_t unit, fh_text name, fh_meanings *out);

/* Where the star imports of a unit lead; NULL when memory ran out. */
const fh_star_imports *fh_resolver_stars(fh_resolver *resolver, uint32_t unit);

/* The number of the first of them that may bind `name`, their count when none does; what stands
 * before it counts as looked at. */
uint32_t fh_resolver_first_star(fh_resolver *resolver, uint32_t unit, fh_text name);

/* pkg.layers, where layers is a file of package `unit` that some import has loaded. */
void fh_resolve_submodule(fh_resolver *resolver, uint32_t unit, fh_text name, fh_meanings *out);

/* A dotted path as an import in `unit` sees it. */
void fh_resolve_import(fh_resolver *resolver, uint32_t unit, fh_text path, fh_meanings *out);

/* An object of the class that an annotation names (resolve_annotation.c). */
void fh_resolve_annotation(fh_resolver *resolver, uint32_t unit, fh_value_index annotation,
                           fh_meanings *out);

#endif
