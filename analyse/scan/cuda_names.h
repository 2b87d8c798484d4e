/* cuda_names.h: names that CUDA, its libraries and PyTorch's C++ side give a meaning; for cuda*.c
 * only. */
#ifndef FH_SCAN_CUDA_NAMES_H
#define FH_SCAN_CUDA_NAMES_H

#include "base/text.h"

typedef enum {
    FH_CUDA_NAME_OTHER,
    FH_CUDA_NAME_GLOBAL,    /* __global__ */
    FH_CUDA_NAME_FUNCTION,  /* of the runtime, the driver or a library, when it is called */
    FH_CUDA_NAME_NAMESPACE, /* thrust, cub: when :: and a name follow */
    FH_CUDA_NAME_DEVICE,    /* cuda, as in at::cuda and c10::cuda */
    FH_CUDA_NAME_INTRINSIC, /* works on a whole warp, when it is called */
    FH_CUDA_NAME_ASSEMBLY,  /* asm */
    FH_CUDA_NAME_LAUNCHER,  /* a function or macro that starts the kernel it is given */
    FH_CUDA_NAME_DISPATCH,  /* AT_DISPATCH_... */
    FH_CUDA_NAME_LIBRARY,   /* TORCH_LIBRARY..., PYBIND11_MODULE */
    FH_CUDA_NAME_METHOD,    /* def, impl: of such a library */
} fh_cuda_name_kind;

typedef struct {
    fh_cuda_name_kind kind;
    unsigned argument; /* LAUNCHER: which one is the kernel, from 0 */
} fh_cuda_name;

fh_cuda_name fh_cuda_name_of(fh_text name);

/* Whether a header is one of CUDA, of a library of NVIDIA's, or of PyTorch's CUDA part.
 * `angled`: written with <>, so that it cannot be a file beside this one. */
bool fh_cuda_is_header(fh_text path, bool angled);

/* Whether a group in parentheses behind `name` belongs to an attribute, as in
 * __launch_bounds__(256), and not to the function being declared. */
bool fh_cuda_is_attribute(fh_text name);

#endif
