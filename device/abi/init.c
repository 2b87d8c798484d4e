/* Start and end, versions, and what the chip and the library can do. */
#include "device/abi/abi.h"
#include "device/sched/engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    fh_lock lock;
    uint32_t references;
    bool initialized;
} library;

FH_EXPORT aclError aclInit(const char *configPath)
{
    (void)
        configPath; /* dumps and profiles that it could ask for are refused where they are begun */
    FH_TRY(fh_runtime_start());
    fh_lock_take(&library.lock);
    bool repeated = library.initialized;
    library.initialized = true;
    library.references++;
    fh_lock_release(&library.lock);
    return repeated ? FH_FAIL(ACL_ERROR_REPEAT_INITIALIZE, "the library was initialised before")
                    : ACL_SUCCESS;
}

FH_EXPORT aclError aclFinalize(void)
{
    fh_lock_take(&library.lock);
    bool was = library.initialized;
    library.initialized = false;
    library.references = 0;
    fh_lock_release(&library.lock);
    return was ? ACL_SUCCESS
               : FH_FAIL(ACL_ERROR_REPEAT_FINALIZE, "aclInit was not called, or it has ended");
}

FH_EXPORT aclError aclFinalizeReference(uint64_t *refCount)
{
    fh_lock_take(&library.lock);
    uint32_t left = library.references ? --library.references : 0;
    library.initialized = left > 0;
    fh_lock_release(&library.lock);
    if (refCount)
        *refCount = left;
    return ACL_SUCCESS;
}

/* ---- versions ---- */

/* "8.5.0" in its three parts; a release such as "8.5.RC1" counts as 0. */
static void split_version(int32_t parts[3])
{
    const char *text = fh_runtime_options()->cann;
    for (int i = 0; i < 3; i++) {
        char *end;
        parts[i] = (int32_t)strtol(text, &end, 10);
        text = *end == '.' ? end + 1 : end;
    }
}

FH_EXPORT aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
    FH_NEED(pkgName);
    FH_NEED(versionStr);
    FH_TRY(fh_runtime_start());
    /* The caller's array has ACL_PKG_VERSION_MAX_SIZE bytes; ours are fewer. */
    strcpy(versionStr, fh_runtime_options()->cann);
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum)
{
    int32_t parts[3];
    FH_NEED(pkgName);
    FH_NEED(versionNum);
    FH_TRY(fh_runtime_start());
    split_version(parts);
    *versionNum = parts[0] * 10000000 + parts[1] * 100000 + parts[2] * 1000;
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
{
    int32_t parts[3];
    (void)name;
    FH_NEED(version);
    FH_TRY(fh_runtime_start());
    split_version(parts);
    memset(version, 0, sizeof *version);
    snprintf(version->version, sizeof version->version, "%s", fh_runtime_options()->cann);
    snprintf(version->majorVersion, sizeof version->majorVersion, "%d", parts[0]);
    snprintf(version->minorVersion, sizeof version->minorVersion, "%d", parts[1]);
    snprintf(version->releaseVersion, sizeof version->releaseVersion, "%d", parts[2]);
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion,
                                   int32_t *patchVersion)
{
    FH_NEED(majorVersion);
    FH_NEED(minorVersion);
    FH_NEED(patchVersion);
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return ACL_SUCCESS;
}

/* ---- the chip ---- */

FH_EXPORT const char *aclrtGetSocName(void)
{
    return fh_runtime_start() ? NULL : fh_runtime_options()->soc->name;
}

static const aclCannAttr known_attributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16};

FH_EXPORT aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num)
{
    FH_NEED(cannAttrList);
    FH_NEED(num);
    *cannAttrList = known_attributes;
    *num = sizeof known_attributes / sizeof *known_attributes;
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value)
{
    FH_NEED(value);
    FH_TRY(fh_runtime_start());
    const fh_soc *soc = fh_runtime_options()->soc;
    switch (cannAttr) {
    case ACL_CANN_ATTR_INF_NAN:
        *value = soc->has_infnan;
        return ACL_SUCCESS;
    case ACL_CANN_ATTR_BF16:
        *value = soc->has_bf16;
        return ACL_SUCCESS;
    default:
        return FH_FAIL(ACL_ERROR_INVALID_PARAM, "attribute %d is not known", cannAttr);
    }
}

FH_EXPORT aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo,
                                          int64_t *value)
{
    fh_device *device = NULL;
    FH_NEED(value);
    aclError error = fh_abi_device(__func__, deviceId, &device);
    if (error)
        return error;
    const fh_soc *soc = fh_runtime_options()->soc;
    switch (deviceInfo) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
        *value = (int64_t)soc->matrix_cores;
        return ACL_SUCCESS;
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
        *value = (int64_t)soc->vector_cores;
        return ACL_SUCCESS;
    case ACL_DEVICE_INFO_L2_SIZE:
        *value = (int64_t)soc->l2 << 20;
        return ACL_SUCCESS;
    default:
        return FH_FAIL(ACL_ERROR_INVALID_PARAM, "device information %d is not known", deviceInfo);
    }
}

FH_EXPORT aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
    fh_context *context = NULL;
    aclError error = fh_abi_context(__func__, &context);
    if (error || mode == ACL_RT_OVERFLOW_MODE_INFNAN)
        return error;
    return FH_FAIL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "overflow mode %d: results that saturate are not built; use a chip with INF_NAN",
                   mode);
}

/* ---- options that change nothing here: kept and given back ---- */

enum { SYSTEM_OPTIONS = 3 };
static _Atomic int64_t system_options[SYSTEM_OPTIONS];

static aclError get_option(const char *function, aclSysParamOpt opt, int64_t *value)
{
    if (!value || (unsigned)opt >= SYSTEM_OPTIONS)
        return fh_abi_fail(function, ACL_ERROR_INVALID_PARAM,
                           value ? "option %d is not known" : "value is NULL (option %d)", opt);
    *value = system_options[opt];
    return ACL_SUCCESS;
}

static aclError set_option(const char *function, aclSysParamOpt opt, int64_t value)
{
    if ((unsigned)opt >= SYSTEM_OPTIONS)
        return fh_abi_fail(function, ACL_ERROR_INVALID_PARAM, "option %d is not known", opt);
    system_options[opt] = value;
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    return get_option(__func__, opt, value);
}

FH_EXPORT aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    return set_option(__func__, opt, value);
}

FH_EXPORT aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    return get_option(__func__, opt, value);
}

FH_EXPORT aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    return set_option(__func__, opt, value);
}

/* Time-outs of tasks, for tasks that hang: kernels here end by themselves, so these are kept and
 * told. */
static _Atomic uint32_t execute_seconds;

FH_EXPORT aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
    execute_seconds = timeout;
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs)
{
    FH_NEED(timeoutMs);
    *timeoutMs = execute_seconds * 1000;
    return ACL_SUCCESS;
}

/* ---- the log of the client ---- */

/* Lines at or above ASCEND_GLOBAL_LOG_LEVEL (0 debug, 1 info, 2 warning, 3 error; default: 3, as in
 * CANN) go to standard error when ASCEND_SLOG_PRINT_TO_STDOUT is 1. */
FH_EXPORT void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line,
                         const char *fmt, ...)
{
    static const char *const names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    const char *level = getenv("ASCEND_GLOBAL_LOG_LEVEL"),
               *print = getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
    if (!print || *print != '1' || (int)logLevel < (level && *level ? atoi(level) : ACL_ERROR))
        return;
    char text[2048];
    va_list arguments;
    va_start(arguments, fmt);
    vsnprintf(text, sizeof text, fmt, arguments);
    va_end(arguments);
    fprintf(stderr, "[%s] %s:%u %s: %s\n", (unsigned)logLevel < 4 ? names[logLevel] : "?",
            file ? file : "?", line, func ? func : "?", text);
}
