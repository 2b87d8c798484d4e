/* The interface that tools report to (profiling/aprof_pub.h). Nothing profiles yet, so reports are
 * refused; their senders are told of no profile, and so have no reason to send any. */
#include "base/hash.h"
#include "device/abi/abi.h"
#include "os/clock.h"
#include <profiling/aprof_pub.h>

FH_EXPORT int32_t MsprofRegisterCallback(uint32_t moduleId, ProfCommandHandle handle)
{
    (void)moduleId, (void)handle; /* called when a profile begins, which none does */
    return MSPROF_ERROR_NONE;
}

FH_EXPORT int32_t MsprofReportApi(uint32_t nonPersistantFlag, const struct MsprofApi *api)
{
    (void)nonPersistantFlag, (void)api;
    return fh_abi_refuse(__func__);
}

FH_EXPORT int32_t MsprofReportCompactInfo(uint32_t nonPersistantFlag, const VOID_PTR data,
                                          uint32_t length)
{
    (void)nonPersistantFlag, (void)data, (void)length;
    return fh_abi_refuse(__func__);
}

FH_EXPORT int32_t MsprofReportAdditionalInfo(uint32_t nonPersistantFlag, const VOID_PTR data,
                                             uint32_t length)
{
    (void)nonPersistantFlag, (void)data, (void)length;
    return fh_abi_refuse(__func__);
}

FH_EXPORT uint64_t MsprofGetHashId(const char *hashInfo, size_t length)
{
    return hashInfo ? fh_hash(hashInfo, length) : 0;
}

FH_EXPORT uint64_t MsprofSysCycleTime(void)
{
    return fh_clock_now();
}
