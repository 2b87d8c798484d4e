/* resolve_build.h: what the files resolve*.c share. */
#ifndef FH_SCAN_RESOLVE_BUILD_H
#define FH_SCAN_RESOLVE_BUILD_H

#include "analyse/scan/resolve.h"

/* A path and what the tables say of it; in the resolver's arena, so that it stays where it is. */
typedef struct {
    fh_text text;
    bool known; /* false: PyTorch has no such public name */
    fh_api api;
} fh_path_facts;

/* One remembered answer; key 0 is free. */
typedef struct {
    uint64_t key;
    uint32_t first; /* into meanings */
    uint32_t count; /* IN_PROGRESS while it is being worked out */
} fh_answer;

struct fh_resolver {
    const fh_program *program;
    fh_symbols paths;
    FH_VECTOR(fh_path_facts *) facts; /* by symbol of paths; 0 is NULL */
    fh_arena arena;
    fh_answer *answers;
    uint32_t answer_slots, answer_count;
    FH_VECTOR(fh_meaning) meanings;
    uint32_t depth;
    fh_symbol tensor, tensors, number, module; /* paths that are met often */
};

enum { FH_MEANS_IN_PROGRESS = 0xffffffffu };

static inline const fh_unit *fh_resolver_unit(const fh_resolver *resolver, uint32_t unit)
{
    return &resolver->program->units.items[unit];
}

/* Adds one meaning, unless it is there already; of two that differ in certainty the lower stays. */
void fh_meanings_add(fh_meanings *meanings, fh_meaning meaning);
void fh_meanings_add_all(fh_meanings *meanings, const fh_meanings *more, fh_certainty at_most);

static inline fh_meaning fh_meaning_of(fh_meaning_kind kind, fh_certainty certainty, fh_symbol path,
                                       uint32_t unit, uint32_t index)
{
    return (fh_meaning){(uint8_t)kind, (uint8_t)certainty, path, unit, index};
}

/* What attribute `name` of `base` means (resolve_attribute.c). */
void fh_resolve_attribute(fh_resolver *resolver, const fh_meaning *base, fh_text name,
                          fh_meanings *out);

/* Attribute `name` of an object nothing is known of: a tensor's, when only tensors have it, or
 * when a file that uses PyTorch hardly has anything else with that name. */
void fh_resolve_unknown_attribute(fh_resolver *resolver, uint32_t unit, fh_text name,
                                  fh_meanings *out);

/* What a call of `callee` gives (resolve_call.c). */
void fh_resolve_call(fh_resolver *resolver, uint32_t unit, uint32_t call, fh_meanings *out);

/* What one element of `value` can be: an item of a container, a row of a tensor. */
void fh_resolve_element(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                        fh_meanings *out);

/* What the elements of a container can be. */
void fh_resolve_container(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                          fh_meanings *out);

/* The name bound in module `unit`, through its own imports and star imports. */
bool fh_resolve_module_name(fh_resolver *resolver, uint32_t unit, fh_text name, fh_meanings *out);

/* A dotted path as an import in `unit` sees it. */
void fh_resolve_import(fh_resolver *resolver, uint32_t unit, fh_text path, fh_meanings *out);

/* An object of the class that an annotation names. */
void fh_resolve_annotation(fh_resolver *resolver, uint32_t unit, fh_value_index annotation,
                           fh_meanings *out);

#endif
