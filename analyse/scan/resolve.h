/* resolve.h: what a value can be when the program runs.
 *
 * The resolver follows values through calls, classes and files, without running
 * anything. The answer is a small set of meanings, each with how sure it is:
 * CERTAIN where the text leaves no choice, LIKELY where a usual reading is taken
 * (a parameter of forward is a tensor, one of several branches), POSSIBLE where
 * only a name speaks for it.
 *
 * One resolver belongs to one thread. Answers are remembered, and do not depend on what was asked
 * before. Whoever works on one unit after the other tells it at which one: answers are forgotten
 * then, so that what is remembered stays small and near, and where a chain of values is too long to
 * follow it is cut at the same place however many threads there are.
 */
#ifndef FH_SCAN_RESOLVE_H
#define FH_SCAN_RESOLVE_H

#include "analyse/scan/link.h"
#include "facts/api.h"
#include "facts/packages.h"

typedef enum { FH_POSSIBLE = 1, FH_LIKELY, FH_CERTAIN } fh_certainty;

const char *fh_certainty_name(fh_certainty certainty);

typedef enum {
    FH_MEANS_EXTERNAL, /* path: a module, class or function outside the program, or a method of
                          an external class ("torch.Tensor.cuda") */
    FH_MEANS_INSTANCE, /* path: an object of that external class; unit, index: the CALL value
                          that makes it, 0 when there is none */
    FH_MEANS_MODULE,   /* unit */
    FH_MEANS_CLASS,    /* unit, index: class */
    FH_MEANS_FUNCTION, /* unit, index: function */
    FH_MEANS_METHOD,   /* the same, called on an object; path: as of OBJECT */
    FH_MEANS_OBJECT,   /* unit, index: class it is an object of; path: 0, or of super() not 0:
                          its attributes are those of what stands behind the class */
    FH_MEANS_LITERAL,  /* unit, index: value that says itself what it is */
} fh_meaning_kind;

typedef struct {
    uint8_t kind;      /* fh_meaning_kind */
    uint8_t certainty; /* fh_certainty */
    fh_symbol path;
    uint32_t unit, index;
} fh_meaning;

enum { FH_MOST_MEANINGS = 6 };

typedef struct {
    uint32_t count;
    fh_meaning items[FH_MOST_MEANINGS];
} fh_meanings;

typedef struct fh_resolver fh_resolver;

/* `program` must be linked and outlive the resolver. NULL when memory ran out. */
fh_resolver *fh_resolver_create(const fh_program *program);
void fh_resolver_destroy(fh_resolver *resolver);

/* Begins with the values of `unit`: forgets all answers. Paths stay. */
void fh_resolver_enter(fh_resolver *resolver, uint32_t unit);

/* A unit, which counts as looked at from then on. The resolver's own answers count the units that
 * they come from. Only what meanings and references lead to may be read there: for more than that
 * there is fh_resolver_look_whole. */
const fh_unit *fh_resolver_look(fh_resolver *resolver, uint32_t unit);

/* A unit of which anything may be read, positions too. */
const fh_unit *fh_resolver_look_whole(fh_resolver *resolver, uint32_t unit);

/* True when something of `unit` was looked at since the last fh_resolver_enter: what was found
 * since depends on no other unit. */
bool fh_resolver_has_looked(const fh_resolver *resolver, uint32_t unit);

/* A name that was looked up in the module of another unit; 0 where all of it was looked at. */
typedef struct {
    uint32_t unit;  /* FH_NO_UNIT: each that was looked at, for what star imports could bring */
    fh_symbol name; /* fh_resolver_looked_name */
} fh_look;

/* From now on the resolver remembers names that it looks up in other units. What it reads there
 * begins at these names, at arguments that calls pass, and at defaults of options; unit_match.h
 * compares what they lead to. */
void fh_resolver_track(fh_resolver *resolver);

/* Those since the last fh_resolver_enter, each once; *looks is borrowed until the next look. False
 * when memory ran out and some are missing. */
bool fh_resolver_looks(const fh_resolver *resolver, const fh_look **looks, uint32_t *count);
fh_text fh_resolver_looked_name(const fh_resolver *resolver, fh_symbol name);

/* What value `value` of unit `unit` can be; count 0 when nothing is known. */
void fh_resolve(fh_resolver *resolver, uint32_t unit, fh_value_index value, fh_meanings *meanings);

/* The symbol of a dotted path, other names of one thing made canonical. */
fh_symbol fh_resolver_intern(fh_resolver *resolver, fh_text path);

/* "path.name", interned. */
fh_symbol fh_resolver_join(fh_resolver *resolver, fh_symbol path, fh_text name);

/* The canonical dotted path behind a symbol of this resolver: borrowed for its lifetime. */
fh_text fh_resolver_path(const fh_resolver *resolver, fh_symbol path);

/* What PyTorch's tables say of that path; NULL when it is no public name of PyTorch. */
const fh_api *fh_resolver_api(const fh_resolver *resolver, fh_symbol path);

/* The row of packages.tsv for exactly that path; NULL when there is none, or PyTorch has it. */
const fh_package *fh_resolver_package(const fh_resolver *resolver, fh_symbol path);

/* The first meaning of `value` that is EXTERNAL; false when there is none. */
bool fh_resolve_external(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                         fh_meaning *meaning);

/* True when `value` is (or may be, see *certainty) a tensor. */
bool fh_resolve_is_tensor(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                          fh_certainty *certainty);

/* True when `value` is an object of external class `path`, or of a class of the program
 * that derives from it. */
bool fh_resolve_is_instance(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                            const char *path);

/* True when class `class` of `unit` derives from external class `path`, over any number of steps.
 */
bool fh_resolve_derives(fh_resolver *resolver, uint32_t unit, uint32_t class, const char *path);

/* The first of the NULL-terminated `paths` that it derives from, else NULL. */
const char *fh_resolve_base_among(fh_resolver *resolver, uint32_t unit, uint32_t class,
                                  const char *const *paths);

/* The one string that `value` is known to be (of several alternatives the first; *certainty
 * says so), with the literal's place in *where (may be NULL). */
bool fh_resolve_string(fh_resolver *resolver, uint32_t unit, fh_value_index value, fh_text *text,
                       fh_certainty *certainty, fh_reference *where);

/* Integers, folded through arithmetic; floats likewise. */
bool fh_resolve_integer(fh_resolver *resolver, uint32_t unit, fh_value_index value,
                        int64_t *number);

/* True or false when `value` is a literal bool (or None: false). */
bool fh_resolve_bool(fh_resolver *resolver, uint32_t unit, fh_value_index value, bool *truth);

/* How many arguments calls of the program are known to pass to a parameter (its number in
 * unit->parameters), the first in *first, the others behind it; FH_BIND_MOST: perhaps more.
 * Borrowed from the program. */
uint32_t fh_resolve_passed(const fh_resolver *resolver, uint32_t unit, uint32_t parameter,
                           const fh_binding_argument **first);

/* Attribute `name` of an object of class `class`: what its body, its methods and its bases bind.
 * False when nothing does. The member's value goes to *member. */
bool fh_resolve_member(fh_resolver *resolver, uint32_t unit, uint32_t class, fh_text name,
                       fh_reference *member);

#endif
