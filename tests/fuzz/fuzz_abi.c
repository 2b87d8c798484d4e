/* A program of calls to the software Ascend: three bytes are one call, what it is given, and to
 * which of the objects that there were. Handles are live, destroyed or wild; in the end everything
 * is released, and what a device has is what it had. */
#include <acl/acl.h>
#include <aclnnop/aclnn_add.h>
#include <aclnnop/aclnn_index_select.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLOTS = 8, DEVICES = 2, GRANULARITY = 2 << 20, HOST_BYTES = 8192, CALLS_MOST = 400 };

/* What the last calls of each kind gave; never cleared, so that destroyed ones come again. */
static struct {
    void *stream[SLOTS], *event[SLOTS], *memory[SLOTS], *pages[SLOTS], *range[SLOTS];
    void *tensor[SLOTS], *scalar[SLOTS], *list[SLOTS], *executor[SLOTS], *context[SLOTS];
} made;
static unsigned char host[HOST_BYTES];
static float ticks;

static void tick(void *nothing)
{
    (void)nothing;
}

/* One in eight is of another kind, or no handle at all. */
static void *pick(void *const *slots, unsigned b)
{
    static const uintptr_t wild[] = {0, 1, 8, 0x7f0000000000, 0xdeadbeefdeadbee8, UINTPTR_MAX};
    if (b < 224)
        return slots[b % SLOTS];
    if (b < 240)
        return ((void **)&made)[b * 7 % (sizeof made / sizeof(void *))];
    return b < 248 ? (void *)wild[b % 6] : (void *)((uintptr_t)slots[b % SLOTS] + (b % 8) * 32);
}

static size_t a_size(unsigned b)
{
    static const size_t sizes[] = {0,
                                   1,
                                   4,
                                   511,
                                   512,
                                   4096,
                                   8192,
                                   1 << 20,
                                   2 << 20,
                                   5 << 20,
                                   (size_t)1 << 40,
                                   SIZE_MAX,
                                   SIZE_MAX - 600};
    return sizes[b % (sizeof sizes / sizeof *sizes)];
}

static void *a_tensor(unsigned a, unsigned b)
{
    static const int64_t sizes[][3] = {{1, 1, 1}, {2, 3, 4},    {4, 1, 1},         {0, 3, 2},
                                       {1, 3, 4}, {16, 16, 16}, {INT64_MAX, 2, 2}, {-1, 2, 3}};
    static const int64_t strides[][3] = {{12, 4, 1},    {0, 0, 0},         {1, 2, 6},
                                         {-1, -4, -12}, {INT64_MIN, 1, 1}, {1 << 20, 1 << 10, 1}};
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT, ACL_FLOAT16, ACL_INT64,
                                         ACL_INT8,  ACL_BOOL,  ACL_STRING,  (aclDataType)99};
    static const int64_t offsets[] = {0, 0, 1, 100, -1, INT64_MAX, INT64_MIN, 1 << 16};
    static const uint64_t ranks[] = {0, 1, 2, 3, 9}; /* 9 is refused unread */
    const int64_t *stride = a & 64 ? strides[b % 6] : NULL;
    return aclCreateTensor(sizes[a % 8], ranks[(a >> 3) % 5], dtypes[b % 8], stride,
                           a & 128 ? offsets[b / 8 % 8] : 0, ACL_FORMAT_ND, sizes[a % 8], 3,
                           pick(made.memory, b));
}

/* The host's end of a copy is ours: no device can tell a wild host address. */
static void copy(unsigned a, unsigned b, void *stream)
{
    void *ends[] = {pick(made.memory, b), made.memory[a % SLOTS], host, made.range[b % SLOTS]};
    void *to = ends[a / 8 % 4], *from = ends[a / 32 % 4];
    size_t count = b & 1 ? a_size(b) : b;
    if ((to == host || from == host) && count > HOST_BYTES)
        count = HOST_BYTES;
    /* So that a wild pick is not taken for memory of the host. */
    aclrtMemcpyKind kind = to == host
                               ? from == host ? ACL_MEMCPY_HOST_TO_HOST : ACL_MEMCPY_DEVICE_TO_HOST
                           : from == host ? ACL_MEMCPY_HOST_TO_DEVICE
                                          : ACL_MEMCPY_DEVICE_TO_DEVICE;
    if (b % 3 == 0)
        aclrtMemcpy(to, count, from, count, kind);
    else
        aclrtMemcpyAsync(to, count, from, count, kind, stream);
}

static void prepare(unsigned a, unsigned b)
{
    aclOpExecutor *executor = NULL;
    uint64_t bytes = 0;
    const aclTensor *x = pick(made.tensor, a), *y = pick(made.tensor, b),
                    *z = pick(made.tensor, a ^ b);
    if (b & 1)
        aclnnAddGetWorkspaceSize(x, y, pick(made.scalar, b), (aclTensor *)(uintptr_t)z, &bytes,
                                 &executor);
    else
        aclnnIndexSelectGetWorkspaceSize(x, (int64_t)(a % 5) - 2, y, (aclTensor *)(uintptr_t)z,
                                         &bytes, &executor);
    if (!executor)
        return;
    if (b & 2)
        aclSetAclOpExecutorRepeatable(executor);
    aclDestroyAclOpExecutor((aclOpExecutor *)made.executor[a % SLOTS]);
    made.executor[a % SLOTS] = executor;
}

static void make_list(unsigned a, unsigned b)
{
    /* A list owns its members, so these are not in the table when it is made. */
    const aclTensor *members[2] = {a_tensor(a, b), a_tensor(b, a)};
    void *list = aclCreateTensorList(members, a % 3);
    for (unsigned i = list ? a % 3 : 0; i < 2; i++)
        aclDestroyTensor(members[i]);
    aclDestroyTensorList(made.list[b % SLOTS]);
    made.list[b % SLOTS] = list;
}

static void renew(void **slot, void *with, aclError (*end)(void *))
{
    end(*slot);
    *slot = with;
}

/* Host functions and copies run on our memory, so work is waited for where memory goes. */
static aclError unmap(void *range)
{
    for (int32_t i = 0; i < DEVICES; i++) {
        aclrtSetDevice(i);
        aclrtSynchronizeDevice();
    }
    return aclrtUnmapMem(range);
}

static aclError end_tensor(void *tensor)
{
    return aclDestroyTensor(tensor);
}

static aclError end_scalar(void *scalar)
{
    return aclDestroyScalar(scalar);
}

static aclError end_range(void *range)
{
    unmap(range);
    return aclrtReleaseMemAddress(range);
}

static void one_call(unsigned what, unsigned a, unsigned b)
{
    const aclrtPhysicalMemProp prop = {.location = {b % 3, ACL_MEM_LOCATION_TYPE_DEVICE}};
    void *stream = pick(made.stream, a), *event = pick(made.event, b), *fresh = NULL;
    aclrtStreamStatus status;
    aclrtEventStatus done;
    switch (what % 28) {
    case 0:
        aclrtSetDevice((int32_t)(a % 4) - 1);
        break;
    case 1:
        if (!aclrtCreateStreamWithConfig(&fresh, b % 10, 0))
            renew(&made.stream[a % SLOTS], fresh, aclrtDestroyStream);
        break;
    case 2:
        if (!aclrtCreateEventWithFlag(&fresh, b))
            renew(&made.event[a % SLOTS], fresh, aclrtDestroyEvent);
        break;
    case 3:
        if (!aclrtMalloc(&fresh, a_size(b), ACL_MEM_MALLOC_HUGE_FIRST))
            renew(&made.memory[a % SLOTS], fresh, aclrtFree);
        break;
    case 4:
        if (!aclrtMallocPhysical(&fresh, a_size(b), &prop, 0))
            renew(&made.pages[a % SLOTS], fresh, aclrtFreePhysical);
        break;
    case 5:
        if (!aclrtReserveMemAddress(&fresh, a_size(b), b & 128 ? a : 0, NULL, 0))
            renew(&made.range[a % SLOTS], fresh, end_range);
        break;
    case 6:
        aclrtMapMem(pick(made.range, a), b & 128 ? a_size(b) : GRANULARITY, 0, pick(made.pages, b),
                    0);
        break;
    case 7:
        unmap(pick(made.range, a));
        break;
    case 8:
        aclrtDestroyStream(stream);
        break;
    case 9:
        aclrtDestroyEvent(event);
        break;
    case 10:
        aclrtFree(pick(made.memory, a));
        break;
    case 11:
        aclrtFreePhysical(pick(made.pages, a));
        break;
    case 12:
        aclrtReleaseMemAddress(pick(made.range, a));
        break;
    case 13:
        aclrtRecordEvent(event, stream);
        break;
    case 14:
        aclrtStreamWaitEvent(stream, event);
        break;
    case 15:
        aclrtEventElapsedTime(&ticks, event, pick(made.event, a));
        aclrtQueryEvent(event, &done);
        break;
    case 16:
        aclrtSynchronizeStreamWithTimeout(stream, 1);
        aclrtStreamQuery(stream, &status);
        break;
    case 17:
        aclrtLaunchHostFunc(stream, tick, NULL);
        break;
    case 18:
        copy(a, b, stream);
        break;
    case 19:
        aclrtMemsetAsync(made.memory[b % SLOTS], a_size(b), (int)a, a_size(a), stream);
        break;
    case 20:
        renew(&made.tensor[a % SLOTS], a_tensor(a, b), end_tensor);
        break;
    case 21:
        end_tensor(pick(made.tensor, a));
        break;
    case 22:
        renew(&made.scalar[a % SLOTS], aclCreateScalar(host, (aclDataType)(b % 40)), end_scalar);
        break;
    case 23:
        make_list(a, b);
        break;
    case 24:
        prepare(a, b);
        break;
    case 25:
        (a & 1 ? aclnnAdd : aclnnIndexSelect)(NULL, 0, pick(made.executor, b), stream);
        break;
    case 26:
        if (a < 64)
            aclrtStreamAbort(stream);
        else if (a < 128)
            aclDestroyAclOpExecutor(pick(made.executor, b));
        else if (!aclrtCreateContext(&fresh, (int32_t)(b % 3)))
            renew(&made.context[a % SLOTS], fresh, aclrtDestroyContext);
        break;
    case 27:
        if (a < 128)
            aclrtSetCurrentContext(pick(made.context, b));
        else
            aclrtDestroyContext(pick(made.context, b));
        break;
    }
}

static void release_all(void)
{
    for (int32_t i = 0; i < DEVICES; i++) {
        aclrtSetDevice(i);
        aclrtSynchronizeDevice();
    }
    for (int i = 0; i < SLOTS; i++) {
        aclDestroyAclOpExecutor((aclOpExecutor *)made.executor[i]);
        aclDestroyTensorList(made.list[i]);
        end_tensor(made.tensor[i]);
        end_scalar(made.scalar[i]);
        aclrtDestroyStream(made.stream[i]);
        aclrtDestroyEvent(made.event[i]);
        end_range(made.range[i]);
        aclrtFreePhysical(made.pages[i]);
        aclrtFree(made.memory[i]);
        aclrtDestroyContext(made.context[i]);
    }
    memset(&made, 0, sizeof made);
}

/* Resets both devices; aborts when one lost memory by what was done. */
static void check_devices(void)
{
    for (int32_t i = 0; i < DEVICES; i++) {
        size_t free_bytes = 0, total = 1;
        if (aclrtSetDevice(i) || aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total) ||
            free_bytes != total)
            abort();
        if (aclrtResetDeviceForce(i))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    setenv("FOOTHOLD_MEMORY", "64M", 0);
    setenv("FOOTHOLD_DEVICES", "2", 0);
    setenv("FOOTHOLD_WORKERS", "2", 0);
    aclrtSetDevice(0);
    for (size_t i = 0; i + 3 <= size && i < 3 * (size_t)CALLS_MOST; i += 3)
        one_call(data[i], data[i + 1], data[i + 2]);
    release_all();
    check_devices();
    return 0;
}
