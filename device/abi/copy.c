/* Copies and fills of acl_rt.h. */
#include "device/abi/abi.h"
#include "device/rt/transfer.h"
#include "device/sched/engine.h"

/* What a kind of copy says of its two ends. */
static aclError request_of(const char *function, aclrtMemcpyKind kind, fh_copy_request *request)
{
    static const struct {
        fh_side to, from;
    } sides[] = {
        [ACL_MEMCPY_HOST_TO_HOST] = {FH_SIDE_HOST, FH_SIDE_HOST},
        [ACL_MEMCPY_HOST_TO_DEVICE] = {FH_SIDE_DEVICE, FH_SIDE_HOST},
        [ACL_MEMCPY_DEVICE_TO_HOST] = {FH_SIDE_HOST, FH_SIDE_DEVICE},
        [ACL_MEMCPY_DEVICE_TO_DEVICE] = {FH_SIDE_DEVICE, FH_SIDE_DEVICE},
        [ACL_MEMCPY_DEFAULT] = {FH_SIDE_ANY, FH_SIDE_ANY},
        [ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE] = {FH_SIDE_DEVICE, FH_SIDE_HOST},
        [ACL_MEMCPY_INNER_DEVICE_TO_DEVICE] = {FH_SIDE_DEVICE, FH_SIDE_DEVICE},
        [ACL_MEMCPY_INTER_DEVICE_TO_DEVICE] = {FH_SIDE_DEVICE, FH_SIDE_DEVICE},
    };
    if ((unsigned)kind >= sizeof sides / sizeof *sides)
        return fh_abi_fail(function, ACL_ERROR_RT_PARAM_INVALID, "kind %d of a copy is not known",
                           kind);
    request->to_side = sides[kind].to;
    request->from_side = sides[kind].from;
    return fh_abi_code(function, fh_transfer_check(request));
}

static aclError now(const char *function, fh_copy_request *request, aclrtMemcpyKind kind)
{
    fh_status status = fh_runtime_start();
    aclError error = status ? fh_abi_code(function, status) : request_of(function, kind, request);
    if (!error)
        fh_transfer_copy(request, fh_engine_team());
    return error;
}

static aclError later(const char *function, fh_copy_request *request, aclrtMemcpyKind kind,
                      aclrtStream stream)
{
    fh_client_stream *mine = NULL;
    aclError error = fh_abi_stream(function, stream, &mine);
    if (!error)
        error = request_of(function, kind, request);
    return error ? error : fh_abi_code(function, fh_transfer_append(request, mine->stream));
}

/* A plain copy; false, described, when it does not fit. */
static aclError plain(const char *function, void *dst, size_t destMax, const void *src,
                      size_t count, fh_copy_request *request)
{
    if (count > destMax)
        return fh_abi_fail(function, ACL_ERROR_RT_PARAM_INVALID,
                           "count %zu is more than destMax %zu", count, destMax);
    *request = (fh_copy_request){.to = dst, .from = src, .width = count, .height = 1};
    return ACL_SUCCESS;
}

FH_EXPORT aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
                               aclrtMemcpyKind kind)
{
    fh_copy_request request = {0};
    aclError error = plain(__func__, dst, destMax, src, count, &request);
    return error ? error : now(__func__, &request, kind);
}

FH_EXPORT aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                                    aclrtMemcpyKind kind, aclrtStream stream)
{
    fh_copy_request request = {0};
    aclError error = plain(__func__, dst, destMax, src, count, &request);
    return error ? error : later(__func__, &request, kind, stream);
}

/* In CANN this one is refused while capturing when the host memory is not pinned; else the same. */
FH_EXPORT aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src,
                                                 size_t count, aclrtMemcpyKind kind,
                                                 aclrtStream stream)
{
    fh_copy_request request = {0};
    aclError error = plain(__func__, dst, destMax, src, count, &request);
    return error ? error : later(__func__, &request, kind, stream);
}

FH_EXPORT aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch,
                                 size_t width, size_t height, aclrtMemcpyKind kind)
{
    fh_copy_request request = {.to = dst,
                               .from = src,
                               .to_pitch = dpitch,
                               .from_pitch = spitch,
                               .width = width,
                               .height = height};
    return now(__func__, &request, kind);
}

FH_EXPORT aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                      size_t width, size_t height, aclrtMemcpyKind kind,
                                      aclrtStream stream)
{
    fh_copy_request request = {.to = dst,
                               .from = src,
                               .to_pitch = dpitch,
                               .from_pitch = spitch,
                               .width = width,
                               .height = height};
    return later(__func__, &request, kind, stream);
}

FH_EXPORT aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    if (count > maxCount)
        return FH_FAIL(ACL_ERROR_RT_PARAM_INVALID, "count %zu is more than maxCount %zu", count,
                       maxCount);
    FH_TRY(fh_runtime_start());
    return FH_RESULT(fh_transfer_fill(devPtr, value, count, fh_engine_team()));
}

FH_EXPORT aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                                    aclrtStream stream)
{
    fh_client_stream *mine = NULL;
    if (count > maxCount)
        return FH_FAIL(ACL_ERROR_RT_PARAM_INVALID, "count %zu is more than maxCount %zu", count,
                       maxCount);
    aclError error = fh_abi_stream(__func__, stream, &mine);
    return error ? error : FH_RESULT(fh_transfer_append_fill(devPtr, value, count, mine->stream));
}
