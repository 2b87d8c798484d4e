#include "facts/overload.h"
#include "facts/table.h"
#include "facts/user.h"

#include <pthread.h>

/* Decomposition in the tables is two or three steps deep; this ends a circle. */
enum { DEEPEST = 6 };

typedef struct {
    const fh_support_query *query;
    bool is_traced;
    int depth;
} place;

/* Columns of the table that are read; a verdict reads hundreds of cells, so that their
 * places are looked up once. */
#define COLUMNS(X) \
    X(TORCH, "torch") \
    X(CLASS, "class") \
    X(OUT, "out") \
    X(OP_API, "op_api") \
    X(ACL_OP, "acl_op") \
    X(CORE, "core") \
    X(ACLNN, "aclnn") \
    X(LEAVES, "leaves") \
    X(NOTES, "notes")

#define X(name, text) name,
typedef enum { COLUMNS(X) COLUMN_COUNT } column;
#undef X

static int places[COLUMN_COUNT];

static void find_columns(void)
{
    static const char *const names[] = {
#define X(name, text) text,
        COLUMNS(X)
#undef X
    };
    for (unsigned i = 0; i < COLUMN_COUNT; i++)
        places[i] = fh_table_column_index(fh_facts_table(FH_TABLE_OVERLOAD), names[i]);
}

static fh_text field(fh_text row, column wanted)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_columns);
    return places[wanted] < 0 ? (fh_text){0} : fh_table_column(row, (unsigned)places[wanted]);
}

static bool find(fh_text name, fh_text *row)
{
    return fh_table_find(fh_facts_table(FH_TABLE_OVERLOAD), name, row);
}

bool fh_support_is_worse(fh_support a, fh_support b)
{
    static const char rank[FH_SUPPORT_COUNT] = {
        [FH_SUPPORT_NATIVE] = 0,  [FH_SUPPORT_DECOMPOSED] = 1, [FH_SUPPORT_LIMITED] = 2,
        [FH_SUPPORT_UNKNOWN] = 3, [FH_SUPPORT_FALLBACK] = 4,   [FH_SUPPORT_REFUSED] = 5,
    };
    return rank[a] > rank[b];
}

fh_text fh_overload_canonical(fh_text name, fh_buffer *scratch)
{
    static const char aten[] = "torch.ops.aten.", npu[] = "torch.ops.npu.";
    name = fh_text_trim(name);
    name = fh_text_slice(name, 0, fh_text_find(name, '(')); /* of a whole schema */
    if (fh_text_starts(name, "aten::"))
        name = fh_text_slice(name, 6, name.length);
    else if (fh_text_starts(name, aten))
        name = fh_text_slice(name, sizeof aten - 1, name.length);
    bool is_npu = fh_text_starts(name, npu);
    if (is_npu)
        name = fh_text_slice(name, sizeof npu - 1, name.length);
    if (fh_text_ends(name, ".default") && !fh_text_starts(name, "torch."))
        name = fh_text_slice(name, 0, name.length - 8);
    if (!is_npu)
        return name;
    fh_buffer_clear(scratch);
    fh_buffer_add_string(scratch, "npu::");
    fh_buffer_add(scratch, name);
    return fh_buffer_text(scratch);
}

typedef enum { NOT_REGISTERED, BY_OP_API, BY_ACL_OP, BY_CORE, REFUSED_BY_CHIP } registration;

static registration registered(const fh_support_query *query, fh_text row)
{
    if (query->soc->has_aclnn && fh_release_in(query->release, field(row, OP_API)))
        return BY_OP_API;
    if (fh_release_in(query->release, field(row, CORE)))
        return BY_CORE;
    if (!fh_release_in(query->release, field(row, ACL_OP)))
        return NOT_REGISTERED;
    return query->soc->has_acl_op ? BY_ACL_OP : REFUSED_BY_CHIP;
}

/* Whether the notes say that the implementation on this path can compute on the CPU. */
static bool has_cpu_path(fh_text notes, registration path)
{
    fh_text note;
    while (fh_text_next(&notes, ',', &note))
        if (fh_text_starts(note, "cpu_path:"))
            return fh_text_contains(note, path == BY_OP_API ? "op_api" : "acl_op") &&
                   path != BY_CORE;
    return false;
}

/* Whether the user's documentation has some of the kernels, and none of those on this chip:
 * the implementation chooses between them, so that one that is there is enough. */
static bool refused_by_documents(const fh_support_query *query, fh_text kernels,
                                 fh_overload_verdict *verdict)
{
    fh_user_operator found;
    fh_text kernel;
    bool is_refused = false;
    while (fh_text_next(&kernels, ',', &kernel)) {
        if (!fh_user_facts_find(query->user, kernel, &found))
            continue;
        if (fh_user_operator_on(&found, query->soc->family) != FH_USER_REFUSED)
            return false;
        verdict->document = found.document;
        verdict->place = found.place;
        is_refused = true;
    }
    return is_refused;
}

/* Fills in what a registered row gives; false when nothing here serves the overload. */
static bool serve(const fh_support_query *query, fh_text row, fh_overload_verdict *verdict)
{
    registration path = registered(query, row);
    if (path == NOT_REGISTERED)
        return false;
    fh_text notes = field(row, NOTES);
    verdict->served = fh_table_column(row, 0);
    verdict->support = FH_SUPPORT_NATIVE;
    verdict->kernels = path == BY_OP_API ? field(row, ACLNN) : (fh_text){0};
    verdict->notes = notes;
    verdict->is_acl_op = path == BY_ACL_OP;
    verdict->has_cpu_path = has_cpu_path(notes, path);
    verdict->is_view = path == BY_CORE && fh_text_has_part(notes, ',', "view");
    if (path == REFUSED_BY_CHIP ||
        (path == BY_OP_API && refused_by_documents(query, verdict->kernels, verdict))) {
        verdict->support = FH_SUPPORT_REFUSED;
        verdict->blamed = verdict->served;
    } else if (verdict->has_cpu_path) {
        verdict->support = FH_SUPPORT_LIMITED;
        verdict->blamed = verdict->served;
    }
    return true;
}

/* The name before its overload: "gelu.out" gives "gelu"; "npu::x" has no dot before its own. */
static fh_text base_name(fh_text name)
{
    return fh_text_slice(name, 0, fh_text_find(name, '.'));
}

/* Another variant of an out overload that torch_npu registers in this release: the tables
 * name the overload that the newest one is asked for, older ones were asked for its twin. */
static bool serve_by_twin(const fh_support_query *query, fh_text name, fh_overload_verdict *verdict)
{
    fh_text row, twin = base_name(name);
    if (twin.length == name.length || !find(twin, &row))
        return false;
    fh_text out = fh_release_cell(query->release, field(row, OUT));
    return fh_text_equal(out, name) && serve(query, row, verdict);
}

static void decompose(place at, fh_overload_verdict *verdict);

static fh_overload_verdict verdict_of(place at, fh_text name)
{
    const fh_support_query *query = at.query;
    fh_overload_verdict verdict = {.name = name, .support = FH_SUPPORT_UNKNOWN, .blamed = name};
    fh_text row, out_row;
    if (!find(name, &row))
        return verdict;
    verdict.name = fh_table_column(row, 0);
    verdict.blamed = verdict.name;
    verdict.notes = field(row, NOTES);
    verdict.leaves = field(row, LEAVES);
    if (serve(query, row, &verdict))
        return verdict;
    fh_text kind = fh_release_cell(query->release, field(row, CLASS));
    verdict.is_absent =
        fh_text_is(kind, "custom") || !fh_release_in(query->release, field(row, TORCH));
    fh_text out = fh_release_cell(query->release, field(row, OUT));
    if (fh_text_is(kind, "via_out") && find(out, &out_row) && serve(query, out_row, &verdict))
        return verdict;
    if (at.is_traced && serve_by_twin(query, verdict.name, &verdict))
        return verdict;
    if (verdict.is_absent || !kind.length)
        return verdict;
    if (fh_text_is(kind, "composite") || fh_text_is(kind, "generic")) {
        decompose(at, &verdict);
    } else {
        verdict.support = FH_SUPPORT_FALLBACK;
        verdict.blamed = fh_text_is(kind, "via_out") && out.length ? out : verdict.name;
    }
    return verdict;
}

static fh_overloads_verdict list_verdict(place at, fh_text list, fh_overload_visit *visit,
                                         void *context);

static void decompose(place at, fh_overload_verdict *verdict)
{
    verdict->support = FH_SUPPORT_DECOMPOSED;
    verdict->is_view = fh_text_is(verdict->leaves, "none") ||
                       (!verdict->leaves.length && fh_text_has_part(verdict->notes, ',', "view"));
    if (verdict->is_view) {
        verdict->support = FH_SUPPORT_NATIVE;
        return;
    }
    if (!verdict->leaves.length || at.depth >= DEEPEST) {
        verdict->has_unchecked = true;
        return;
    }
    at.depth++;
    at.is_traced = true;
    fh_overloads_verdict leaves = list_verdict(at, verdict->leaves, NULL, NULL);
    verdict->has_unchecked = leaves.has_unchecked;
    if (fh_support_is_worse(leaves.support, FH_SUPPORT_DECOMPOSED)) {
        verdict->support = leaves.support;
        verdict->blamed = leaves.blamed;
    }
}

static void blame(fh_overloads_verdict *all, const fh_overload_verdict *leaf)
{
    all->blamed = leaf->blamed;
    all->blamed_for = leaf->name;
    all->is_absent = leaf->is_absent;
    all->document = leaf->document;
    all->place = leaf->place;
}

/* The mildest and the worst of the leaves that are reached with some arguments only. */
typedef struct {
    fh_overload_verdict best, worst;
    bool has_any;
} possible_leaves;

static void add_possible(possible_leaves *possible, const fh_overload_verdict *leaf)
{
    if (!possible->has_any || fh_support_is_worse(possible->best.support, leaf->support))
        possible->best = *leaf;
    if (!possible->has_any || fh_support_is_worse(leaf->support, possible->worst.support))
        possible->worst = *leaf;
    possible->has_any = true;
}

static fh_overloads_verdict list_verdict(place at, fh_text list, fh_overload_visit *visit,
                                         void *context)
{
    fh_overloads_verdict all = {.support = FH_SUPPORT_NATIVE, .is_certain = true};
    possible_leaves possible = {.has_any = false};
    bool has_certain = false;
    fh_text part;
    while (fh_text_next(&list, ',', &part)) {
        bool is_possible = fh_text_ends(part, "?");
        fh_overload_verdict leaf =
            verdict_of(at, fh_text_slice(part, 0, part.length - is_possible));
        if (visit)
            visit(context, &leaf);
        all.has_unchecked |= leaf.has_unchecked;
        if (is_possible) {
            add_possible(&possible, &leaf);
        } else if (!has_certain || fh_support_is_worse(leaf.support, all.support)) {
            all.support = leaf.support;
            blame(&all, &leaf);
            has_certain = true;
        }
    }
    if (!possible.has_any)
        return all;
    if (!has_certain) {
        all.support = possible.best.support;
        blame(&all, &possible.best);
    }
    if (possible.worst.support != FH_SUPPORT_UNKNOWN &&
        fh_support_is_worse(possible.worst.support, FH_SUPPORT_DECOMPOSED) &&
        fh_support_is_worse(FH_SUPPORT_LIMITED, all.support)) {
        all.support = FH_SUPPORT_LIMITED;
        all.is_certain = false;
        blame(&all, &possible.worst);
    }
    return all;
}

fh_overloads_verdict fh_overloads_verdict_of(const fh_support_query *query, fh_text list,
                                             bool is_traced, fh_overload_visit *visit,
                                             void *context)
{
    return list_verdict((place){query, is_traced, 0}, list, visit, context);
}
