#include "analyse/rules/other_runtime.h"

#include <ctype.h>
#include <string.h>

/* Packages by the name that they are imported by. */
static const struct {
    const char *root, *word; /* in lower case: what a class of it is named for */
    bool needs_gpu;
} runtimes[] = {
    {"tensorrt", "tensorrt", true},
    {"tensorrt_llm", "tensorrt", true},
    {"torch_tensorrt", "tensorrt", true},
    {"coremltools", "coreml", false},
    {"coreai", "coreai", false},
    {"coreai_torch", "coreai", false},
    {"openvino", "openvino", false},
    {"paddle", "paddle", false},
    {"x2paddle", "paddle", false},
    {"paddle2onnx", "paddle", false},
    {"qai_hub", "qnn", false},
    {"rknn", "rknn", false},
    {"rknnlite", "rknn", false},
};
enum { RUNTIMES = sizeof runtimes / sizeof *runtimes };

/* The row of the package that an import names; RUNTIMES: none. */
static unsigned runtime_of(const fh_unit *u, const fh_import *import)
{
    fh_text path = fh_unit_text(u, import->path);
    fh_text root = fh_text_slice(path, 0, fh_text_find(path, '.'));
    unsigned i = 0;
    while (i < RUNTIMES && !fh_text_is(root, runtimes[i].root))
        i++;
    return i;
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

/* True when `inner` is `outer` or stands in it. */
static bool is_within(const fh_unit *u, uint32_t inner, uint32_t outer)
{
    while (inner && inner != outer)
        inner = u->functions.items[inner].parent;
    return inner == outer;
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

/* The function of an import, before it and behind it; of one under a condition, what stands there.
 */
static bool reaches(const fh_unit *u, const fh_import *import, uint32_t function, uint32_t offset)
{
    uint32_t importer = u->blocks.items[import->block].function;
    uint32_t condition = condition_around(u, import->block);
    const fh_block *block = &u->blocks.items[condition];
    return importer && function && is_within(u, function, importer) &&
           (!condition || (offset >= block->offset && offset < block->end));
}

static uint32_t class_of(const fh_unit *u, uint32_t function)
{
    while (function && !u->functions.items[function].class)
        function = u->functions.items[function].parent;
    return function ? u->functions.items[function].class : 0;
}

fh_other_runtime fh_other_runtime_of(const fh_unit *unit, uint32_t function, uint32_t offset)
{
    uint32_t class = class_of(unit, function);
    for (uint32_t i = 1; i < unit->imports.count; i++) {
        const fh_import *import = &unit->imports.items[i];
        unsigned runtime = runtime_of(unit, import);
        if (runtime == RUNTIMES)
            continue;
        fh_other_runtime found =
            runtimes[runtime].needs_gpu ? FH_RUNTIME_TENSORRT : FH_RUNTIME_OTHER;
        uint32_t importer = unit->blocks.items[import->block].function;
        if (!importer && !import->guarded && runtimes[runtime].needs_gpu)
            return found;
        if (reaches(unit, import, function, offset))
            return found;
        if (class && (!importer || class_of(unit, importer) == class) &&
            is_named_for(fh_unit_text(unit, unit->classes.items[class].name),
                         runtimes[runtime].word))
            return found;
    }
    return FH_RUNTIME_NONE;
}
