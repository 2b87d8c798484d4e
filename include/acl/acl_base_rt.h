/* acl_base_rt.h: handles, error codes, data types and formats that all of AscendCL shares.
 *
 * Handles are opaque; every one is checked before use, so a stale or foreign one is an error, never
 * a crash. Functions that return aclError return ACL_SUCCESS or a code of this file or of
 * error_codes/; aclGetRecentErrMsg() tells the story. Names and values are those of CANN 9 as
 * torch_npu 2.13.0 ships them (read 2026-11-30).
 */
#ifndef FOOTHOLD_ACL_ACL_BASE_RT_H
#define FOOTHOLD_ACL_ACL_BASE_RT_H

#include <stddef.h>
#include <stdint.h>

#if defined(FUNC_VISIBILITY) && defined(__GNUC__)
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#else
#define ACL_FUNC_VISIBILITY
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclrtStream;
typedef void *aclmdlRITask;
typedef void *aclrtEvent;
typedef void *aclrtContext;
typedef void *aclrtNotify;
typedef void *aclrtCntNotify;
typedef void *aclrtLabel;
typedef void *aclrtLabelList;
typedef void *aclrtMbuf;
typedef int aclError;
typedef uint16_t aclFloat16;
typedef struct aclDataBuffer aclDataBuffer;
typedef void *aclrtAllocatorDesc;
typedef void *aclrtAllocator;
typedef void *aclrtAllocatorBlock;
typedef void *aclrtAllocatorAddr;
typedef void *aclrtTaskGrp;

/* Results of calls. Constants of type int: enumerators in C, so that they can stand in a case or
 * an initialiser, objects in C++ as CANN has them. */
#ifdef __cplusplus
#define ACL_ERROR_CODE(name, value) static const int name = value;
#else
#define ACL_ERROR_CODE(name, value) enum { name = value };
#endif
/* clang-format off */
ACL_ERROR_CODE(ACL_ERROR_NONE, 0)
ACL_ERROR_CODE(ACL_SUCCESS, 0)
ACL_ERROR_CODE(ACL_ERROR_INVALID_PARAM, 100000)
ACL_ERROR_CODE(ACL_ERROR_UNINITIALIZE, 100001)
ACL_ERROR_CODE(ACL_ERROR_REPEAT_INITIALIZE, 100002)
ACL_ERROR_CODE(ACL_ERROR_INVALID_FILE, 100003)
ACL_ERROR_CODE(ACL_ERROR_WRITE_FILE, 100004)
ACL_ERROR_CODE(ACL_ERROR_INVALID_FILE_SIZE, 100005)
ACL_ERROR_CODE(ACL_ERROR_PARSE_FILE, 100006)
ACL_ERROR_CODE(ACL_ERROR_FILE_MISSING_ATTR, 100007)
ACL_ERROR_CODE(ACL_ERROR_FILE_ATTR_INVALID, 100008)
ACL_ERROR_CODE(ACL_ERROR_INVALID_DUMP_CONFIG, 100009)
ACL_ERROR_CODE(ACL_ERROR_INVALID_PROFILING_CONFIG, 100010)
ACL_ERROR_CODE(ACL_ERROR_INVALID_MODEL_ID, 100011)
ACL_ERROR_CODE(ACL_ERROR_DESERIALIZE_MODEL, 100012)
ACL_ERROR_CODE(ACL_ERROR_PARSE_MODEL, 100013)
ACL_ERROR_CODE(ACL_ERROR_READ_MODEL_FAILURE, 100014)
ACL_ERROR_CODE(ACL_ERROR_MODEL_SIZE_INVALID, 100015)
ACL_ERROR_CODE(ACL_ERROR_MODEL_MISSING_ATTR, 100016)
ACL_ERROR_CODE(ACL_ERROR_MODEL_INPUT_NOT_MATCH, 100017)
ACL_ERROR_CODE(ACL_ERROR_MODEL_OUTPUT_NOT_MATCH, 100018)
ACL_ERROR_CODE(ACL_ERROR_MODEL_NOT_DYNAMIC, 100019)
ACL_ERROR_CODE(ACL_ERROR_OP_TYPE_NOT_MATCH, 100020)
ACL_ERROR_CODE(ACL_ERROR_OP_INPUT_NOT_MATCH, 100021)
ACL_ERROR_CODE(ACL_ERROR_OP_OUTPUT_NOT_MATCH, 100022)
ACL_ERROR_CODE(ACL_ERROR_OP_ATTR_NOT_MATCH, 100023)
ACL_ERROR_CODE(ACL_ERROR_OP_NOT_FOUND, 100024)
ACL_ERROR_CODE(ACL_ERROR_OP_LOAD_FAILED, 100025)
ACL_ERROR_CODE(ACL_ERROR_UNSUPPORTED_DATA_TYPE, 100026)
ACL_ERROR_CODE(ACL_ERROR_FORMAT_NOT_MATCH, 100027)
ACL_ERROR_CODE(ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED, 100028)
ACL_ERROR_CODE(ACL_ERROR_KERNEL_NOT_FOUND, 100029)
ACL_ERROR_CODE(ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED, 100030)
ACL_ERROR_CODE(ACL_ERROR_KERNEL_ALREADY_REGISTERED, 100031)
ACL_ERROR_CODE(ACL_ERROR_INVALID_QUEUE_ID, 100032)
ACL_ERROR_CODE(ACL_ERROR_REPEAT_SUBSCRIBE, 100033)
ACL_ERROR_CODE(ACL_ERROR_STREAM_NOT_SUBSCRIBE, 100034)
ACL_ERROR_CODE(ACL_ERROR_THREAD_NOT_SUBSCRIBE, 100035)
ACL_ERROR_CODE(ACL_ERROR_WAIT_CALLBACK_TIMEOUT, 100036)
ACL_ERROR_CODE(ACL_ERROR_REPEAT_FINALIZE, 100037)
ACL_ERROR_CODE(ACL_ERROR_NOT_STATIC_AIPP, 100038)
ACL_ERROR_CODE(ACL_ERROR_COMPILING_STUB_MODE, 100039)
ACL_ERROR_CODE(ACL_ERROR_GROUP_NOT_SET, 100040)
ACL_ERROR_CODE(ACL_ERROR_GROUP_NOT_CREATE, 100041)
ACL_ERROR_CODE(ACL_ERROR_PROF_ALREADY_RUN, 100042)
ACL_ERROR_CODE(ACL_ERROR_PROF_NOT_RUN, 100043)
ACL_ERROR_CODE(ACL_ERROR_DUMP_ALREADY_RUN, 100044)
ACL_ERROR_CODE(ACL_ERROR_DUMP_NOT_RUN, 100045)

ACL_ERROR_CODE(ACL_ERROR_PROF_REPEAT_SUBSCRIBE, 148046)
ACL_ERROR_CODE(ACL_ERROR_PROF_API_CONFLICT, 148047)
ACL_ERROR_CODE(ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG, 148048)
ACL_ERROR_CODE(ACL_ERROR_INVALID_OPP_PATH, 148049)
ACL_ERROR_CODE(ACL_ERROR_OP_UNSUPPORTED_DYNAMIC, 148050)
ACL_ERROR_CODE(ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED, 148051)
ACL_ERROR_CODE(ACL_ERROR_UNSUPPORTED_JPEG, 148052)
ACL_ERROR_CODE(ACL_ERROR_INVALID_BUNDLE_MODEL_ID, 148053)

ACL_ERROR_CODE(ACL_ERROR_BAD_ALLOC, 200000)
ACL_ERROR_CODE(ACL_ERROR_API_NOT_SUPPORT, 200001)
ACL_ERROR_CODE(ACL_ERROR_INVALID_DEVICE, 200002)
ACL_ERROR_CODE(ACL_ERROR_MEMORY_ADDRESS_UNALIGNED, 200003)
ACL_ERROR_CODE(ACL_ERROR_RESOURCE_NOT_MATCH, 200004)
ACL_ERROR_CODE(ACL_ERROR_INVALID_RESOURCE_HANDLE, 200005)
ACL_ERROR_CODE(ACL_ERROR_FEATURE_UNSUPPORTED, 200006)
ACL_ERROR_CODE(ACL_ERROR_PROF_MODULES_UNSUPPORTED, 200007)

ACL_ERROR_CODE(ACL_ERROR_STORAGE_OVER_LIMIT, 300000)

ACL_ERROR_CODE(ACL_ERROR_INTERNAL_ERROR, 500000)
ACL_ERROR_CODE(ACL_ERROR_FAILURE, 500001)
ACL_ERROR_CODE(ACL_ERROR_GE_FAILURE, 500002)
ACL_ERROR_CODE(ACL_ERROR_RT_FAILURE, 500003)
ACL_ERROR_CODE(ACL_ERROR_DRV_FAILURE, 500004)
ACL_ERROR_CODE(ACL_ERROR_PROFILING_FAILURE, 500005)
/* clang-format on */
#undef ACL_ERROR_CODE

typedef enum {
    ACL_DT_UNDEFINED = -1,
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12,
    ACL_STRING = 13,
    ACL_COMPLEX64 = 16,
    ACL_COMPLEX128 = 17,
    ACL_BF16 = 27,
    ACL_INT4 = 29,
    ACL_UINT1 = 30,
    ACL_COMPLEX32 = 33,
    ACL_HIFLOAT8 = 34,
    ACL_FLOAT8_E5M2 = 35,
    ACL_FLOAT8_E4M3FN = 36,
    ACL_FLOAT8_E8M0 = 37,
    ACL_FLOAT6_E3M2 = 38,
    ACL_FLOAT6_E2M3 = 39,
    ACL_FLOAT4_E2M1 = 40,
    ACL_FLOAT4_E1M2 = 41
} aclDataType;

typedef enum {
    ACL_FORMAT_UNDEFINED = -1,
    ACL_FORMAT_NCHW = 0,
    ACL_FORMAT_NHWC = 1,
    ACL_FORMAT_ND = 2,
    ACL_FORMAT_NC1HWC0 = 3,
    ACL_FORMAT_FRACTAL_Z = 4,
    ACL_FORMAT_NC1HWC0_C04 = 12,
    ACL_FORMAT_HWCN = 16,
    ACL_FORMAT_NDHWC = 27,
    ACL_FORMAT_FRACTAL_NZ = 29,
    ACL_FORMAT_NCDHW = 30,
    ACL_FORMAT_NDC1HWC0 = 32,
    ACL_FRACTAL_Z_3D = 33,
    ACL_FORMAT_NC = 35,
    ACL_FORMAT_NCL = 47,
    ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
    ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
    ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
    ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
    ACL_FORMAT_FRACTAL_NZ_C0_8 = 54
} aclFormat;

typedef enum { ACL_DEBUG = 0, ACL_INFO = 1, ACL_WARNING = 2, ACL_ERROR = 3 } aclLogLevel;

typedef enum {
    ACL_MEMTYPE_DEVICE = 0,
    ACL_MEMTYPE_HOST = 1,
    ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2
} aclMemType;

typedef enum {
    ACL_OPT_DETERMINISTIC = 0,
    ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
    ACL_OPT_STRONG_CONSISTENCY = 2
} aclSysParamOpt;

typedef enum {
    ACL_CANN_ATTR_UNDEFINED = -1,
    ACL_CANN_ATTR_INF_NAN = 0,
    ACL_CANN_ATTR_BF16 = 1,
    ACL_CANN_ATTR_JIT_COMPILE = 2
} aclCannAttr;

typedef enum {
    ACL_DEVICE_INFO_UNDEFINED = -1,
    ACL_DEVICE_INFO_AI_CORE_NUM = 0,
    ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
    ACL_DEVICE_INFO_L2_SIZE = 2
} aclDeviceInfo;

/* 16-bit floats. aclFloat16 holds the bits of an IEEE binary16. */
float aclFloat16ToFloat(aclFloat16 value);
aclFloat16 aclFloatToFloat16(float value);

/* A data buffer is an address and a size for the operator path of acl_op.h; it owns no memory.
 * Create returns NULL without host memory; the caller destroys it. */
aclDataBuffer *aclCreateDataBuffer(void *data, size_t size);
aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer);
aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size);
void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer);
uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer);
size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer);

/* Bytes of one element; 0 for types without a size of whole bytes and for unknown ones. */
size_t aclDataTypeSize(aclDataType dataType);

/* Writes a line of the program into our log (`fmt` as for printf). */
void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line,
               const char *fmt, ...);
#define ACL_APP_LOG(level, fmt, ...) \
    aclAppLog(level, __FUNCTION__, __FILE__, __LINE__, fmt, ##__VA_ARGS__)

/* Name of the chip, such as "Ascend910B3"; NULL before a device is set. The string is ours. */
const char *aclrtGetSocName(void);

/* What the chip and this library can do. The list is ours and stays valid. */
aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num);
aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value);
aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value);

#ifdef __cplusplus
}
#endif

#endif
