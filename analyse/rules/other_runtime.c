#include "analyse/rules/other_runtime.h"
#include "base/path.h"

#include <ctype.h>
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

/* Whether what row `row` says of an import goes for `offset` in `function`, a function of `class`.
 */
static bool is_of(const fh_unit *u, unsigned row, const fh_import *import, uint32_t function,
                  uint32_t class, uint32_t offset)
{
    uint32_t importer = u->blocks.items[import->block].function;
    if (!importer && !import->guarded && runtimes[row].needs_gpu)
        return true;
    if (is_named_for(fh_path_name(u->path), runtimes[row].word))
        return true;
    return reaches(u, import, function, offset) ||
           (class && (!importer || class_of(u, importer) == class) &&
            is_named_for(fh_unit_text(u, u->classes.items[class].name), runtimes[row].word));
}

/* An import of such a package, and its row; row RUNTIMES ends a list. */
struct fh_runtime_import {
    uint32_t import, row;
};

/* Of all imports of the unit, in their order, those of such packages. */
static const fh_runtime_import *find_imports(const fh_rule_run *run)
{
    static const fh_runtime_import nothing = {0, RUNTIMES};
    FH_VECTOR(fh_runtime_import) found = {0};
    const fh_unit *u = run->unit;
    for (uint32_t i = 1; i < u->imports.count; i++) {
        fh_text root = root_of(u, &u->imports.items[i]);
        for (uint32_t row = 0; row < RUNTIMES; row++)
            if (fh_text_is(root, runtimes[row].root))
                fh_vector_push(&found, (fh_runtime_import){i, row});
    }
    fh_runtime_import *list = NULL;
    if (found.count && (list = fh_arena_alloc(run->scratch, (found.count + 1) * sizeof *list))) {
        memcpy(list, found.items, found.count * sizeof *list);
        list[found.count] = nothing;
    }
    run->scratch->failed |= found.failed;
    fh_vector_free(&found);
    return list ? list : &nothing;
}

fh_other_runtime fh_other_runtime_of(const fh_rule_run *run, uint32_t function, uint32_t offset)
{
    const fh_unit *u = run->unit;
    if (!run->memo->runtimes)
        run->memo->runtimes = find_imports(run);
    const fh_runtime_import *list = run->memo->runtimes;
    uint32_t class = list->row < RUNTIMES ? class_of(u, function) : 0;
    for (; list->row < RUNTIMES; list++)
        if (is_of(u, list->row, &u->imports.items[list->import], function, class, offset))
            return runtimes[list->row].runtime;
    return FH_RUNTIME_NONE;
}
