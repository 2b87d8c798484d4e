/* other_runtime.h: code that hands a model to another vendor's runtime, which no NPU runs.
 *
 * A function that imports TensorRT or Core ML prepares what only their devices take: "cuda" in it
 * is right, and a name of the NPU in its place would not help, nor do its tensors lie on an NPU. An
 * import under a condition speaks for what stands under that condition only. Classes count whose
 * name says so as well, since a class of all exports holds other code besides; of a file, an import
 * that its module makes without a guard does, where the runtime needs a GPU. */
#ifndef FH_RULES_OTHER_RUNTIME_H
#define FH_RULES_OTHER_RUNTIME_H

#include "analyse/rules/run.h"

typedef enum {
    FH_RUNTIME_NONE,
    FH_RUNTIME_OTHER,    /* of a runtime that has devices of its own: no NPU has its tensors */
    FH_RUNTIME_TENSORRT, /* the same, and takes CUDA's devices only */
    FH_RUNTIME_DEVICES,  /* of one that knows CUDA by that name, and may have an NPU as another */
} fh_other_runtime;

/* Whose code `offset` in `function` of the run's unit (0: the module) is. */
fh_other_runtime fh_other_runtime_of(const fh_rule_run *run, uint32_t function, uint32_t offset);

#endif
