/* rt.h: the few functions below AscendCL that launchers of generated kernels link.
 *
 * They load kernels built for a chip. A software device has none to run them on, so each returns
 * an error that aclGetRecentErrMsg() explains, except for host ELF objects (see acl_rt.h).
 * Types and prototypes: torch_npu/csrc/inductor/mlir/hacl_rt.h, Ascend/pytorch 9e73e708, read
 * 2026-11-30.
 */
#ifndef FOOTHOLD_RUNTIME_RT_H
#define FOOTHOLD_RUNTIME_RT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RT_DEV_BINARY_MAGIC_PLAIN 0xabceed50
#define RT_DEV_BINARY_MAGIC_PLAIN_AICPU 0xabceed51
#define RT_DEV_BINARY_MAGIC_PLAIN_AIVEC 0xabceed52
#define RT_DEV_BINARY_MAGIC_ELF 0x43554245
#define RT_DEV_BINARY_MAGIC_ELF_AICPU 0x41415243
#define RT_DEV_BINARY_MAGIC_ELF_AIVEC 0x41415246

typedef void *rtStream_t;

typedef enum tagRtError {
    RT_ERROR_NONE = 0x0,
    RT_ERROR_INVALID_VALUE = 0x1,
    RT_ERROR_MEMORY_ALLOCATION = 0x2,
    RT_ERROR_INVALID_RESOURCE_HANDLE = 0x3,
    RT_ERROR_INVALID_DEVICE_POINTER = 0x4,
    RT_ERROR_INVALID_DEVICE = 0x6,
    RT_ERROR_NO_DEVICE = 0x7,
    RT_ERROR_FEATURE_NOT_SUPPROT = 0x17,
    RT_ERROR_KERNEL_DUPLICATE = 0x18,
    RT_ERROR_RESERVED = 0x99
} rtError_t;

typedef struct tagRtDevBinary {
    uint32_t magic;
    uint32_t version;
    const void *data;
    uint64_t length;
} rtDevBinary_t;

typedef struct tagRtSmData {
    uint64_t L2_mirror_addr;
    uint32_t L2_data_section_size;
    uint8_t L2_preload;
    uint8_t modified;
    uint8_t priority;
    int8_t prev_L2_page_offset_base;
    uint8_t L2_page_offset_base;
    uint8_t L2_load_to_ddr;
    uint8_t reserved[2];
} rtSmData_t;

typedef struct tagRtSmCtrl {
    rtSmData_t data[8];
    uint64_t size;
    uint8_t remap[64];
    uint8_t l2_in_main;
    uint8_t reserved[3];
} rtSmDesc_t;

/* A binary, copied; `handle` stays valid until the process ends. */
rtError_t rtDevBinaryRegister(const rtDevBinary_t *bin, void **handle);

/* Makes `stubFunc`, any address, stand for the function `devFunc` of a binary. */
rtError_t rtFunctionRegister(void *binHandle, const void *stubFunc, const char *stubName,
                             const void *devFunc, uint32_t funcMode);

/* Runs it on `stream` with `argsSize` bytes of arguments, copied. `smDesc` may be NULL. */
rtError_t rtKernelLaunch(const void *stubFunc, uint32_t blockDim, void *args, uint32_t argsSize,
                         rtSmDesc_t *smDesc, rtStream_t stream);

/* Address and bytes of the words by which cores of a chip wait for each other. */
rtError_t rtGetC2cCtrlAddr(uint64_t *addr, uint32_t *len);

#ifdef __cplusplus
}
#endif

#endif
