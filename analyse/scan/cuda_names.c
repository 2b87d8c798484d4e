#include "analyse/scan/cuda_names.h"

#include <string.h>

/* From the programming guide of CUDA C++ 13.0 (sections 10 and 3.2), the library references of
 * the same release and PyTorch 2.9's headers; read 2026-11-30.
 *
 * `rest` says what must follow the spelling: nothing, anything, or a capital letter, as in
 * cudaMalloc and cublasLtMatmul (but not in cuda_helper or cudart). */
typedef enum { WHOLE, ANYTHING, CAPITAL } rest;

static const struct {
    const char *spelling;
    uint8_t rest, kind, argument;
} names[] = {
    {"__global__", WHOLE, FH_CUDA_NAME_GLOBAL, 0},
    {"__shfl", ANYTHING, FH_CUDA_NAME_INTRINSIC, 0},
    {"__ballot", ANYTHING, FH_CUDA_NAME_INTRINSIC, 0},
    {"__any", WHOLE, FH_CUDA_NAME_INTRINSIC, 0},
    {"__any_sync", WHOLE, FH_CUDA_NAME_INTRINSIC, 0},
    {"__all", WHOLE, FH_CUDA_NAME_INTRINSIC, 0},
    {"__all_sync", WHOLE, FH_CUDA_NAME_INTRINSIC, 0},
    {"__uni_sync", WHOLE, FH_CUDA_NAME_INTRINSIC, 0},
    {"__activemask", WHOLE, FH_CUDA_NAME_INTRINSIC, 0},
    {"__syncwarp", WHOLE, FH_CUDA_NAME_INTRINSIC, 0},
    {"__match_", ANYTHING, FH_CUDA_NAME_INTRINSIC, 0},
    {"__reduce_", ANYTHING, FH_CUDA_NAME_INTRINSIC, 0},
    {"WARP_SHFL", ANYTHING, FH_CUDA_NAME_INTRINSIC, 0},
    {"WARP_BALLOT", WHOLE, FH_CUDA_NAME_INTRINSIC, 0},
    {"asm", WHOLE, FH_CUDA_NAME_ASSEMBLY, 0},
    {"__asm__", WHOLE, FH_CUDA_NAME_ASSEMBLY, 0},
    {"__asm", WHOLE, FH_CUDA_NAME_ASSEMBLY, 0},
    {"cudaLaunchKernel", WHOLE, FH_CUDA_NAME_LAUNCHER, 0},
    {"cudaLaunchCooperativeKernel", WHOLE, FH_CUDA_NAME_LAUNCHER, 0},
    {"cudaLaunchKernelEx", WHOLE, FH_CUDA_NAME_LAUNCHER, 1},
    {"cudaLaunchKernelExC", WHOLE, FH_CUDA_NAME_LAUNCHER, 1},
    {"hipLaunchKernelGGL", WHOLE, FH_CUDA_NAME_LAUNCHER, 0},
    {"cuda", WHOLE, FH_CUDA_NAME_DEVICE, 0},
    {"cuda", CAPITAL, FH_CUDA_NAME_FUNCTION, 0},
    {"cublas", CAPITAL, FH_CUDA_NAME_FUNCTION, 0},
    {"cudnn", CAPITAL, FH_CUDA_NAME_FUNCTION, 0},
    {"curand", CAPITAL, FH_CUDA_NAME_FUNCTION, 0},
    {"curand_", ANYTHING, FH_CUDA_NAME_FUNCTION, 0},
    {"cusparse", CAPITAL, FH_CUDA_NAME_FUNCTION, 0},
    {"cusolver", CAPITAL, FH_CUDA_NAME_FUNCTION, 0},
    {"cufft", CAPITAL, FH_CUDA_NAME_FUNCTION, 0},
    {"cuTensorMap", ANYTHING, FH_CUDA_NAME_FUNCTION, 0},
    {"cuLaunch", ANYTHING, FH_CUDA_NAME_FUNCTION, 0},
    {"cuModule", ANYTHING, FH_CUDA_NAME_FUNCTION, 0},
    {"cuMem", ANYTHING, FH_CUDA_NAME_FUNCTION, 0},
    {"cuCtx", ANYTHING, FH_CUDA_NAME_FUNCTION, 0},
    {"cuDevice", ANYTHING, FH_CUDA_NAME_FUNCTION, 0},
    {"cuStream", ANYTHING, FH_CUDA_NAME_FUNCTION, 0},
    {"cuEvent", ANYTHING, FH_CUDA_NAME_FUNCTION, 0},
    {"cuFunc", ANYTHING, FH_CUDA_NAME_FUNCTION, 0},
    {"cub", WHOLE, FH_CUDA_NAME_NAMESPACE, 0},
    {"nccl", CAPITAL, FH_CUDA_NAME_FUNCTION, 0},
    {"nvml", CAPITAL, FH_CUDA_NAME_FUNCTION, 0},
    {"nvrtc", CAPITAL, FH_CUDA_NAME_FUNCTION, 0},
    {"nvtx", CAPITAL, FH_CUDA_NAME_FUNCTION, 0},
    {"nvshmem", ANYTHING, FH_CUDA_NAME_FUNCTION, 0},
    {"thrust", WHOLE, FH_CUDA_NAME_NAMESPACE, 0},
    {"wmma", WHOLE, FH_CUDA_NAME_NAMESPACE, 0},
    {"AT_DISPATCH_", ANYTHING, FH_CUDA_NAME_DISPATCH, 0},
    {"TORCH_LIBRARY", WHOLE, FH_CUDA_NAME_LIBRARY, 0},
    {"TORCH_LIBRARY_IMPL", WHOLE, FH_CUDA_NAME_LIBRARY, 0},
    {"TORCH_LIBRARY_FRAGMENT", WHOLE, FH_CUDA_NAME_LIBRARY, 0},
    {"PYBIND11_MODULE", WHOLE, FH_CUDA_NAME_LIBRARY, 0},
    {"NB_MODULE", WHOLE, FH_CUDA_NAME_LIBRARY, 0},
    {"def", WHOLE, FH_CUDA_NAME_METHOD, 0},
    {"impl", WHOLE, FH_CUDA_NAME_METHOD, 0},
};

fh_cuda_name fh_cuda_name_of(fh_text name)
{
    /* Nearly all names of a text are none of these: their first letter says so. */
    if (!name.length || !memchr("_Wacdhintw"
                                "ATPN",
                                name.data[0], 14))
        return (fh_cuda_name){FH_CUDA_NAME_OTHER, 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *spelling = names[i].spelling;
        if (name.data[0] != spelling[0] || !fh_text_starts(name, spelling))
            continue;
        size_t length = strlen(spelling);
        char next = name.length > length ? name.data[length] : 0;
        bool fits = names[i].rest == WHOLE     ? !next
                    : names[i].rest == CAPITAL ? next >= 'A' && next <= 'Z'
                                               : true;
        if (fits)
            return (fh_cuda_name){(fh_cuda_name_kind)names[i].kind, names[i].argument};
    }
    return (fh_cuda_name){FH_CUDA_NAME_OTHER, 0};
}

/* Headers; a '/' at the end stands for all below that folder, a '*' for any end of the name.
 * ANGLED: only in <>, since projects have folders and files of that name too. */
static const struct {
    const char *pattern;
    bool angled;
} headers[] = {
    {"cuda.h", false},
    {"cuda_runtime.h", false},
    {"cuda_runtime_api.h", false},
    {"cuda_device_runtime_api.h", false},
    {"cuda_fp*", false},
    {"cuda_bf16.*", false},
    {"cuda_pipeline*", false},
    {"cuda_awbarrier*", false},
    {"cuda_profiler_api.h", false},
    {"cuda_occupancy.h", false},
    {"cudaTypedefs.h", false},
    {"cudaProfiler.h", false},
    {"cuda_gl_interop.h", false},
    {"cuda/", true},
    {"device_launch_parameters.h", false},
    {"device_functions.h", false},
    {"cooperative_groups.h", false},
    {"cooperative_groups/", false},
    {"mma.h", true},
    {"nvfunctional", true},
    {"nv/target", true},
    {"ATen/cuda/", false},
    {"ATen/cudnn/", false},
    {"ATen/native/cuda/", false},
    {"ATen/native/cudnn/", false},
    {"c10/cuda/", false},
    {"torch/csrc/cuda/", false},
    {"torch/csrc/distributed/c10d/NCCL*", false},
    {"torch/csrc/distributed/c10d/ProcessGroupNCCL*", false},
    {"THC/", false},
    {"cub/", false},
    {"thrust/", false},
    {"cutlass/", false},
    {"cute/", true},
    {"nccl.h", false},
    {"nccl_device.h", false},
    {"cudnn*", true},
    {"cudnn.h", false},
    {"cudnn_frontend.h", false},
    {"cublas*", true},
    {"cublas_v2.h", false},
    {"cublasLt.h", false},
    {"cusparse*", true},
    {"cusolver*", true},
    {"cufft*", true},
    {"curand*", true},
    {"cutensor*", true},
    {"nvrtc.h", false},
    {"nvml.h", false},
    {"nvshmem*", true},
    {"nvToolsExt.h", false},
    {"nvtx3/", false},
};

bool fh_cuda_is_header(fh_text path, bool angled)
{
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        const char *pattern = headers[i].pattern;
        size_t length = strlen(pattern);
        bool is_open = pattern[length - 1] == '/' || pattern[length - 1] == '*';
        size_t fixed = length - (pattern[length - 1] == '*');
        if ((headers[i].angled && !angled) || path.length < fixed ||
            memcmp(path.data, pattern, fixed) != 0)
            continue;
        if (is_open || path.length == length)
            return true;
    }
    return false;
}

bool fh_cuda_is_attribute(fh_text name)
{
    static const char *const words[] = {"alignas",  "decltype", "noexcept",  "requires",
                                        "explicit", "__asm",    "__declspec"};
    if (fh_text_contains(name, "LAUNCH_BOUNDS"))
        return true;
    if (name.length > 4 && fh_text_starts(name, "__") && fh_text_ends(name, "__"))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (fh_text_is(name, words[i]))
            return true;
    return false;
}
