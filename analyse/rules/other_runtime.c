#include "analyse/rules/other_runtime.h"
#include "base/path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Packages by the name that they are imported by. What a class of one is named for is in lower
 * case. A runtime that has a build for Ascend, or only tells of devices, says nothing of where
 * tensors lie. */
static const struct {
    const char *root, *word;
    fh_other_runtime runtime;
    bool needs_gpu;
} runtimes[] = {
    {"tensorrt", "tensorrt", FH_RUNTIME_TENSORRT, true},
    {"tensorrt_llm", "tensorrt", FH_RUNTIME_TENSORRT, true},
    {"torch_tensorrt", "tensorrt", FH_RUNTIME_TENSORRT, true},
    {"coremltools", "coreml", FH_RUNTIME_OTHER, false},
    {"coreai", "coreai", FH_RUNTIME_OTHER, false},
    {"coreai_torch", "coreai", FH_RUNTIME_OTHER, false},
    {"openvino", "openvino", FH_RUNTIME_OTHER, false},
    {"paddle", "paddle", FH_RUNTIME_OTHER, false},
    {"x2paddle", "paddle", FH_RUNTIME_OTHER, false},
    {"paddle2onnx", "paddle", FH_RUNTIME_OTHER, false},
    {"qai_hub", "qnn", FH_RUNTIME_OTHER, false},
    {"onnxruntime", "qnn", FH_RUNTIME_OTHER, false}, /* with Qualcomm's provider */
    {"onnxruntime", "onnx", FH_RUNTIME_DEVICES, false},
    {"rknn", "rknn", FH_RUNTIME_OTHER, false},
    {"rknnlite", "rknn", FH_RUNTIME_OTHER, false},
    {"ai_edge_litert", "litert", FH_RUNTIME_OTHER, false},
    {"tflite_runtime", "tflite", FH_RUNTIME_OTHER, false},
    {"axelera", "axelera", FH_RUNTIME_OTHER, false},
    {"dx_engine", "deepx", FH_RUNTIME_OTHER, false},
    {"hailo_platform", "hailo", FH_RUNTIME_OTHER, false},
    {"ncnn", "ncnn", FH_RUNTIME_OTHER, false},
    {"executorch", "executorch", FH_RUNTIME_OTHER, false},
    {"MNN", "mnn", FH_RUNTIME_OTHER, false},
    {"pynvml", "nvml", FH_RUNTIME_DEVICES, false},
};
enum { RUNTIMES = sizeof runtimes / sizeof *runtimes };

/* The first part of the path that an import names. */
static fh_text root_of(const fh_unit *u, const fh_import *import)
{
    fh_text path = fh_unit_text(u, import->path);
    return fh_text_slice(path, 0, fh_text_find(path, '.'));
}

/* TensorRTBackend is named for "tensorrt". */
static bool is_named_for(fh_text name, const char *word)
{
    size_t length = strlen(word), same;
    for (size_t i = 0; i + length <= name.length; i++) {
        for (same = 0; same < length; same++)
            if (tolower((unsigned char)name.data[i + same]) != word[same])
                break;
        if (same == length)
            return true;
    }
    return false;
}

/* The condition in its function under which an import stands, the outermost; 0: none. */
static uint32_t condition_around(const fh_unit *u, uint32_t block)
{
    uint32_t found = 0;
    for (; block; block = u->blocks.items[block].parent) {
        fh_block_kind kind = (fh_block_kind)u->blocks.items[block].kind;
        if (kind == FH_BLOCK_FUNCTION)
            break;
        if (kind == FH_BLOCK_IF || kind == FH_BLOCK_ELSE)
            found = block;
    }
    return found;
}

static uint32_t class_of(const fh_unit *u, uint32_t function)
{
    while (function && !u->functions.items[function].class)
        function = u->functions.items[function].parent;
    return function ? u->functions.items[function].class : 0;
}

/* A part of a function, or some row of a class, of which an import of such a package says
 * something. Of several that speak for a place the one of the lowest rank counts: ranks are in the
 * order of the imports, and of the rows for each. */
typedef struct {
    uint32_t owner;      /* the function, or the class */
    uint32_t begin, end; /* offsets, or the row and the next one */
    uint32_t rank;
    uint32_t furthest; /* the last end of this one and those of the owner before it */
} claim;

/* Sorted by owner and begin. */
typedef struct {
    const claim *items;
    uint32_t count;
} claim_list;

enum { NO_RANK = UINT32_MAX };

/* In the scratch arena of the run, as its lists are. */
struct fh_runtime_claims {
    const uint8_t *rows;  /* by rank */
    uint32_t count;       /* of ranks */
    uint32_t everywhere;  /* the lowest rank that goes for the whole unit; NO_RANK: none does */
    uint64_t used;        /* a bit for each row that has a rank */
    claim_list functions; /* of an import: the whole function, before it and behind it */
    claim_list parts;     /* of one under a condition: what stands there */
    claim_list classes;   /* rows by the class that has the function; class 0: by the module */
};

/* The claims while they are collected. */
typedef struct {
    FH_VECTOR(uint8_t) rows;
    FH_VECTOR(claim) functions, parts, classes;
} collection;

static int by_place(const void *left, const void *right)
{
    const claim *a = left, *b = right;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Sorts `claims` into the scratch arena; of those for one place the first stays. */
static claim_list sorted(const fh_rule_run *run, claim *claims, uint32_t count)
{
    claim *list = count ? fh_arena_alloc(run->scratch, count * sizeof *list) : NULL;
    uint32_t kept = 0;
    if (!list)
        return (claim_list){0};
    qsort(claims, count, sizeof *claims, by_place);
    for (uint32_t i = 0; i < count; i++) {
        const claim *last = kept ? &list[kept - 1] : NULL;
        bool follows = last && last->owner == claims[i].owner;
        if (follows && last->begin == claims[i].begin && last->end == claims[i].end)
            continue;
        list[kept] = claims[i];
        list[kept].furthest =
            follows && last->furthest > claims[i].end ? last->furthest : claims[i].end;
        kept++;
    }
    return (claim_list){list, kept};
}

/* The lowest rank of those of `owner` that `at` is within; NO_RANK: there is none. */
static uint32_t rank_at(claim_list list, uint32_t owner, uint32_t at)
{
    uint32_t low = 0, high = list.count, rank = NO_RANK;
    while (low < high) { /* behind the last that begins at `at` or before */
        uint32_t middle = low + (high - low) / 2;
        const claim *c = &list.items[middle];
        if (c->owner < owner || (c->owner == owner && c->begin <= at))
            low = middle + 1;
        else
            high = middle;
    }
    for (; low && list.items[low - 1].owner == owner && list.items[low - 1].furthest > at; low--)
        if (list.items[low - 1].end > at && list.items[low - 1].rank < rank)
            rank = list.items[low - 1].rank;
    return rank;
}

/* Notes what row `row` says of an import. */
static void collect(collection *c, fh_runtime_claims *claims, const fh_unit *u,
                    const fh_import *import, uint32_t row)
{
    uint32_t importer = u->blocks.items[import->block].function, rank = c->rows.count;
    uint32_t condition = condition_around(u, import->block), class = class_of(u, importer);
    const fh_block *block = &u->blocks.items[condition];
    fh_vector_push(&c->rows, (uint8_t)row);
    claims->used |= (uint64_t)1 << row;
    if ((!importer && !import->guarded && runtimes[row].needs_gpu) ||
        is_named_for(fh_path_name(u->path), runtimes[row].word)) {
        if (claims->everywhere == NO_RANK)
            claims->everywhere = rank;
        return;
    }
    if (importer && condition)
        fh_vector_push(&c->parts, (claim){importer, block->offset, block->end, rank, 0});
    else if (importer)
        fh_vector_push(&c->functions, (claim){importer, 0, UINT32_MAX, rank, 0});
    if (class || !importer)
        fh_vector_push(&c->classes, (claim){class, row, row + 1, rank, 0});
}

static void keep(const fh_rule_run *run, collection *c, fh_runtime_claims *claims)
{
    uint8_t *rows = fh_arena_alloc(run->scratch, c->rows.count + 1);
    run->scratch->failed |=
        c->rows.failed || c->functions.failed || c->parts.failed || c->classes.failed;
    if (!rows || run->scratch->failed)
        return;
    if (c->rows.count)
        memcpy(rows, c->rows.items, c->rows.count);
    claims->functions = sorted(run, c->functions.items, c->functions.count);
    claims->parts = sorted(run, c->parts.items, c->parts.count);
    claims->classes = sorted(run, c->classes.items, c->classes.count);
    claims->rows = rows;
    claims->count = c->rows.count;
}

/* Once for each unit. NULL when memory ran out. */
static const fh_runtime_claims *find_claims(const fh_rule_run *run)
{
    _Static_assert(RUNTIMES < 64, "a bit for each row");
    const fh_unit *u = run->unit;
    fh_runtime_claims *claims = fh_arena_alloc(run->scratch, sizeof *claims);
    collection c = {0};
    if (!claims)
        return NULL;
    *claims = (fh_runtime_claims){.everywhere = NO_RANK};
    for (uint32_t i = 1; i < u->imports.count; i++) {
        fh_text root = root_of(u, &u->imports.items[i]);
        for (uint32_t row = 0; row < RUNTIMES; row++)
            if (fh_text_is(root, runtimes[row].root))
                collect(&c, claims, u, &u->imports.items[i], row);
    }
    keep(run, &c, claims);
    fh_vector_free(&c.rows);
    fh_vector_free(&c.functions);
    fh_vector_free(&c.parts);
    fh_vector_free(&c.classes);
    return claims;
}

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The same of what a class is named for. */
static uint32_t rank_of_class(const fh_unit *u, const fh_runtime_claims *claims, uint32_t class)
{
    fh_text name = fh_unit_text(u, u->classes.items[class].name);
    uint32_t rank = NO_RANK;
    for (uint32_t row = 0; class && row < RUNTIMES; row++)
        if (claims->used >> row & 1 && is_named_for(name, runtimes[row].word)) {
            rank = lower(rank, rank_at(claims->classes, 0, row));
            rank = lower(rank, rank_at(claims->classes, class, row));
        }
    return rank;
}

fh_other_runtime fh_other_runtime_of(const fh_rule_run *run, uint32_t function, uint32_t offset)
{
    const fh_unit *u = run->unit;
    if (!run->memo->runtimes)
        run->memo->runtimes = find_claims(run);
    const fh_runtime_claims *claims = run->memo->runtimes;
    if (!claims || !claims->count)
        return FH_RUNTIME_NONE;
    uint32_t rank = lower(claims->everywhere, rank_of_class(u, claims, class_of(u, function)));
    for (uint32_t f = function; f; f = u->functions.items[f].parent) {
        rank = lower(rank, rank_at(claims->functions, f, offset));
        rank = lower(rank, rank_at(claims->parts, f, offset));
    }
    return rank == NO_RANK ? FH_RUNTIME_NONE : runtimes[claims->rows[rank]].runtime;
}
