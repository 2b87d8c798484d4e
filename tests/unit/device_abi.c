/* The software Ascend as a client of CANN's C interface sees it: only its headers are known here.
 */
#include "tests/test.h"

#include <acl/acl.h>
#include <aclnnop/aclnn_add.h>
#include <aclnnop/aclnn_index_select.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEBIBYTE = 1 << 20, GRANULARITY = 2 << 20, ACLNN_PARAMETER = 161002 };

/* Whether the last failure's message holds each of these words; it is told once. */
static bool told(const char *a, const char *b, const char *c)
{
    const char *message = aclGetRecentErrMsg();
    bool all = strstr(message, a) && strstr(message, b) && strstr(message, c);
    if (!all)
        printf("the message is \"%s\"\n", message);
    return all;
}

static void *device_memory(size_t size)
{
    void *address = NULL;
    CHECK(aclrtMalloc(&address, size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    return address;
}

static void *device_copy(const void *values, size_t size)
{
    void *address = device_memory(size);
    CHECK(!aclrtMemcpy(address, size, values, size, ACL_MEMCPY_HOST_TO_DEVICE));
    return address;
}

static aclTensor *tensor(void *data, aclDataType dtype, uint64_t rank, const int64_t *sizes,
                         const int64_t *strides, int64_t offset)
{
    return aclCreateTensor(sizes, rank, dtype, strides, offset, ACL_FORMAT_ND, sizes, rank, data);
}

/* ---- devices, streams, events ---- */

static void nothing_works_without_a_context(void)
{
    void *address = NULL;
    aclrtStream stream = NULL;
    CHECK(aclrtMalloc(&address, 512, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(told("aclrtMalloc", "no context", "aclrtSetDevice"));
    CHECK(aclrtCreateStream(&stream) == ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(aclrtSynchronizeDevice() == ACL_ERROR_RT_CONTEXT_NULL);
}

static void devices(void)
{
    uint32_t count = 0;
    int32_t device = -1;
    CHECK(!aclrtGetDeviceCount(&count) && count == 2);
    static const int32_t wrong[] = {-1, 2, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(aclrtSetDevice(wrong[i]) == ACL_ERROR_RT_INVALID_DEVICEID);
        CHECK(told("aclrtSetDevice", "there are 2", "FOOTHOLD_DEVICES"));
    }
    CHECK(!aclrtSetDevice(1) && !aclrtGetDevice(&device) && device == 1);
    CHECK(!aclrtSetDevice(0) && !aclrtGetDevice(&device) && device == 0);
    CHECK(aclrtGetDevice(NULL) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtGetDeviceCount(NULL) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(!strcmp((aclGetRecentErrMsg(), aclGetRecentErrMsg()), ""));
}

/* Calls of the client note their numbers here, in the order in which they are made. */
static int noted[200], noted_count;

static void note(void *number)
{
    noted[noted_count++] = *(int *)number;
}

static void streams_keep_their_order(void)
{
    aclrtStream stream = NULL;
    static int numbers[200];
    noted_count = 0;
    CHECK(!aclrtCreateStream(&stream));
    for (int i = 0; i < 200; i++) {
        numbers[i] = i;
        CHECK(!aclrtLaunchHostFunc(stream, note, &numbers[i]));
    }
    CHECK(!aclrtSynchronizeStream(stream) && noted_count == 200);
    CHECK(!memcmp(noted, numbers, sizeof noted));
    CHECK(aclrtLaunchHostFunc(stream, NULL, NULL) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(!aclrtDestroyStream(stream));
    CHECK(aclrtDestroyStream(stream) == ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(aclrtDestroyStream(NULL) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtCreateStreamWithConfig(&stream, 99, 0) == ACL_ERROR_RT_PARAM_INVALID);
}

static void wait_a_little(void *nothing)
{
    (void)nothing;
    usleep(20000);
}

static void events(void)
{
    aclrtStream first = NULL, second = NULL;
    aclrtEvent start = NULL, end = NULL;
    float elapsed = -1;
    CHECK(!aclrtCreateStream(&first) && !aclrtCreateStream(&second));
    CHECK(!aclrtCreateEvent(&start) && !aclrtCreateEvent(&end));
    CHECK(aclrtEventElapsedTime(&elapsed, start, end) == ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    CHECK(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID == 107006);
    CHECK(told("aclrtEventElapsedTime", "never recorded", ""));
    CHECK(!aclrtRecordEvent(start, first));
    CHECK(!aclrtLaunchHostFunc(first, wait_a_little, NULL));
    CHECK(!aclrtRecordEvent(end, first));
    aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
    CHECK(!aclrtQueryEvent(start, &status));
    /* What waits for the end runs after it, whatever stream it is on. */
    int number = 7;
    noted_count = 0;
    CHECK(!aclrtStreamWaitEvent(second, end));
    CHECK(!aclrtLaunchHostFunc(second, note, &number));
    CHECK(!aclrtSynchronizeStream(second) && noted_count == 1 && noted[0] == 7);
    CHECK(!aclrtQueryEvent(end, &status) && status == ACL_EVENT_STATUS_COMPLETE);
    CHECK(!aclrtEventElapsedTime(&elapsed, start, end) && elapsed >= 20 && elapsed < 20000);
    CHECK(!aclrtEventElapsedTime(&elapsed, end, start) && elapsed <= -20);
    CHECK(!aclrtDestroyEvent(end) && aclrtDestroyEvent(end) == ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(aclrtRecordEvent(end, first) == ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(aclrtRecordEvent(first, first) == ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(told("aclrtRecordEvent", "no event", "stream"));
    CHECK(!aclrtDestroyEvent(start) && !aclrtDestroyStream(first) && !aclrtDestroyStream(second));
}

/* ---- memory ---- */

static void allocation(void)
{
    void *address = NULL;
    int host = 0;
    CHECK(aclrtMalloc(NULL, 512, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtMalloc(&address, 0, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS);
    address = device_memory(1000);
    CHECK((uintptr_t)address % 512 == 0);
    CHECK(aclrtFree((char *)address + 8) != ACL_SUCCESS);
    CHECK(!aclrtFree(address));
    CHECK(aclrtFree(address) != ACL_SUCCESS && told("aclrtFree", "", ""));
    CHECK(aclrtFree(NULL) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtFree(&host) != ACL_SUCCESS);
    CHECK(aclrtFree((void *)(uintptr_t)0x1234567890) != ACL_SUCCESS);
    CHECK(aclrtFreeHost(&host) != ACL_SUCCESS);
}

static void memory_that_runs_out_comes_back(void)
{
    void *blocks[80] = {0}, *large = NULL;
    size_t count = 0, before = 0, after = 0, total = 0;
    CHECK(!aclrtGetMemInfo(ACL_HBM_MEM, &before, &total) && total == 64 * MEBIBYTE);
    CHECK(aclrtMalloc(&large, 65 * MEBIBYTE, ACL_MEM_MALLOC_HUGE_FIRST) ==
          ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK(aclrtMalloc(&large, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS);
    CHECK(aclrtMalloc(&large, SIZE_MAX - 700, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS);
    CHECK(!large);
    while (count < 80 && !aclrtMalloc(&blocks[count], MEBIBYTE, ACL_MEM_MALLOC_HUGE_FIRST))
        count++;
    CHECK(count >= 32 && count <= 64);
    CHECK(told("aclrtMalloc", "device 0", ""));
    for (size_t i = 0; i < count; i++)
        CHECK(!aclrtFree(blocks[i]));
    CHECK(!aclrtGetMemInfo(ACL_HBM_MEM, &after, &total) && after == before);
    CHECK(!aclrtFree(device_memory(48 * MEBIBYTE)));
}

static void copies(void)
{
    char from[1024], to[1024] = {0};
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (char)(i * 7);
    char *a = device_memory(1024), *b = device_memory(1024);
    CHECK(!aclrtMemcpy(a, 1024, from, 1024, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(!aclrtMemcpy(b, 1024, a, 1024, ACL_MEMCPY_DEVICE_TO_DEVICE));
    CHECK(!aclrtMemcpy(to, 1024, b, 1024, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(!memcmp(from, to, sizeof to));
    CHECK(!aclrtMemcpy(to, 1024, from, 1024, ACL_MEMCPY_HOST_TO_HOST));
    CHECK(!aclrtMemcpy(a, 0, from, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    static const struct {
        int to, from; /* 0 host, 1 device */
        aclrtMemcpyKind kind;
    } wrong[] = {
        {0, 0, ACL_MEMCPY_HOST_TO_DEVICE},   {1, 1, ACL_MEMCPY_HOST_TO_DEVICE},
        {1, 0, ACL_MEMCPY_DEVICE_TO_HOST},   {0, 0, ACL_MEMCPY_DEVICE_TO_HOST},
        {0, 1, ACL_MEMCPY_DEVICE_TO_DEVICE}, {1, 0, ACL_MEMCPY_HOST_TO_HOST},
        {1, 1, (aclrtMemcpyKind)77},         {1, 1, (aclrtMemcpyKind)-1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(aclrtMemcpy(wrong[i].to ? a : to, 1024, wrong[i].from ? b : from, 1024,
                          wrong[i].kind) == ACL_ERROR_RT_PARAM_INVALID);
        CHECK(told("aclrtMemcpy: ", "", "kind"));
    }
    CHECK(aclrtMemcpy(a, 1024, a + 8, 512, ACL_MEMCPY_DEVICE_TO_DEVICE) != ACL_SUCCESS);
    CHECK(told("aclrtMemcpy", "overlap", ""));
    CHECK(aclrtMemcpy(a, 100, from, 101, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS);
    CHECK(told("count 101", "destMax 100", ""));
    CHECK(aclrtMemcpy(a, SIZE_MAX, from, SIZE_MAX, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS);
    CHECK(aclrtMemcpy(a + 1000, 64 * MEBIBYTE, b, 64 * MEBIBYTE, ACL_MEMCPY_DEVICE_TO_DEVICE));
    CHECK(told("aclrtMemcpy", "leave their allocation", ""));
    CHECK(aclrtMemcpy(NULL, 8, a, 8, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS);
    CHECK(aclrtMemset(a, 10, 1, 11) != ACL_SUCCESS);
    CHECK(aclrtMemset(a, 64 * MEBIBYTE, 1, 64 * MEBIBYTE) != ACL_SUCCESS);
    CHECK(!aclrtFree(b));
    CHECK(aclrtMemcpy(to, 8, b, 8, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS);
    CHECK(told("aclrtMemcpy", "freed", ""));
    CHECK(!aclrtFree(a));
}

static void virtual_memory(void)
{
    const aclrtPhysicalMemProp prop = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    aclrtDrvMemHandle handle = NULL, none = &none;
    void *range = NULL;
    int value = 42, read = 0;
    CHECK(!aclrtReserveMemAddress(&range, 4 * GRANULARITY, 0, NULL, 1));
    CHECK(aclrtMallocPhysical(&handle, 5, &prop, 0) != ACL_SUCCESS);
    CHECK(!aclrtMallocPhysical(&handle, GRANULARITY, &prop, 0));
    CHECK(aclrtMapMem(range, GRANULARITY, 0, none, 0) == ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(told("aclrtMapMem", "no handle of physical memory", ""));
    CHECK(aclrtFreePhysical(none) == ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(aclrtMapMem((char *)range + 1, GRANULARITY, 0, handle, 0) != ACL_SUCCESS);
    CHECK(aclrtMapMem(range, 2 * GRANULARITY, 0, handle, 0) != ACL_SUCCESS);
    CHECK(!aclrtMapMem(range, GRANULARITY, 0, handle, 0));
    CHECK(aclrtMapMem(range, GRANULARITY, 0, handle, 0) != ACL_SUCCESS);
    CHECK(aclrtReleaseMemAddress(range) != ACL_SUCCESS);
    CHECK(!aclrtMemcpy(range, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(!aclrtMemcpy(&read, 4, range, 4, ACL_MEMCPY_DEVICE_TO_HOST) && read == 42);
    CHECK(aclrtMemcpy((char *)range + GRANULARITY, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(!aclrtFreePhysical(handle));
    CHECK(aclrtFreePhysical(handle) == ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(aclrtMapMem(range, GRANULARITY, 0, handle, 0) == ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(!aclrtUnmapMem(range) && aclrtUnmapMem(range) != ACL_SUCCESS);
    CHECK(!aclrtReleaseMemAddress(range) && aclrtReleaseMemAddress(range) != ACL_SUCCESS);
}

/* ---- operators ---- */

/* self + other on the default stream, waited for; the code of the first call that fails. */
static aclnnStatus add(const aclTensor *self, const aclTensor *other, aclTensor *out)
{
    float one = 1;
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    aclnnStatus status = aclnnAddGetWorkspaceSize(self, other, alpha, out, &size, &executor);
    CHECK(!aclDestroyScalar(alpha));
    if (!status)
        status = aclnnAdd(NULL, size, executor, NULL);
    return status ? status : aclrtSynchronizeStream(NULL);
}

static void addition_of_every_shape(void)
{
    const float values[6] = {1, 2, 3, 4, 5, 6};
    float got[6] = {0};
    const int64_t two_three[] = {2, 3}, turned[] = {1, 2}, three[] = {3}, none[] = {0, 3};
    void *a = device_copy(values, sizeof values), *c = device_memory(sizeof got);
    aclTensor *whole = tensor(a, ACL_FLOAT, 2, two_three, NULL, 0),
              *strided = tensor(a, ACL_FLOAT, 2, two_three, turned, 0),
              *row = tensor(a, ACL_FLOAT, 1, three, NULL, 3),
              *point = tensor(a, ACL_FLOAT, 0, NULL, NULL, 5),
              *empty = tensor(NULL, ACL_FLOAT, 2, none, NULL, 0),
              *out = tensor(c, ACL_FLOAT, 2, two_three, NULL, 0);
    const struct {
        const aclTensor *other;
        float expected[6];
    } cases[] = {
        {whole, {2, 4, 6, 8, 10, 12}},
        {strided, {2, 5, 8, 6, 9, 12}}, /* read as 1 3 5 / 2 4 6 */
        {row, {5, 7, 9, 8, 10, 12}},
        {point, {7, 8, 9, 10, 11, 12}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!add(whole, cases[i].other, out));
        CHECK(!aclrtMemcpy(got, sizeof got, c, sizeof got, ACL_MEMCPY_DEVICE_TO_HOST));
        CHECK(!memcmp(got, cases[i].expected, sizeof got));
    }
    CHECK(!add(empty, empty, empty));
    const aclTensor *all[] = {whole, strided, row, point, empty, out};
    for (size_t i = 0; i < 6; i++)
        CHECK(!aclDestroyTensor(all[i]));
    CHECK(aclDestroyTensor(out) == ACLNN_PARAMETER);
    CHECK(!aclrtFree(a) && !aclrtFree(c));
}

static void operators_say_what_is_wrong(void)
{
    const int64_t four[] = {4}, five[] = {5}, huge[] = {INT64_C(1) << 40}, backwards[] = {-1},
                  least[] = {INT64_MIN};
    int host[4] = {0};
    void *a = device_memory(16);
    aclTensor *good = tensor(a, ACL_FLOAT, 1, four, NULL, 0),
              *longer = tensor(a, ACL_INT8, 1, five, NULL, 0),
              *text = tensor(a, ACL_STRING, 1, four, NULL, 0),
              *outside = tensor(host, ACL_FLOAT, 1, four, NULL, 0),
              *beyond = tensor(a, ACL_FLOAT, 1, huge, NULL, 0),
              *shifted = tensor(a, ACL_FLOAT, 1, four, NULL, INT64_C(1) << 50),
              *before = tensor(a, ACL_FLOAT, 1, four, backwards, 0);
    CHECK(!text && !tensor(a, ACL_FLOAT, 1, backwards, NULL, 0) &&
          !tensor(a, ACL_FLOAT, 9, four, NULL, 0) && !tensor(a, ACL_FLOAT, 1, four, least, 0));
    CHECK(add(good, longer, good) == ACLNN_PARAMETER && told("aclnnAdd", "4", "5"));
    CHECK(add(NULL, good, good) == ACLNN_PARAMETER &&
          told("aclnnAdd", "argument 1 (self)", "NULL"));
    CHECK(add((aclTensor *)host, good, good) == ACLNN_PARAMETER && told("aclnnAdd", "(self)", ""));
    CHECK(add(good, outside, good) == ACLNN_PARAMETER);
    CHECK(told("aclnnAdd", "argument 2 (other)", "device memory"));
    aclTensor *const reach[] = {beyond, shifted, before};
    for (size_t i = 0; i < 3; i++) {
        CHECK(add(good, reach[i], good) == ACLNN_PARAMETER);
        CHECK(told("aclnnAdd", "argument 2 (other)", "check its sizes"));
    }
    CHECK(!aclrtFree(a));
    CHECK(add(good, good, good) == ACLNN_PARAMETER && told("aclnnAdd", "(self)", "freed"));
    CHECK(!aclDestroyTensor(good) && !aclDestroyTensor(longer) && !aclDestroyTensor(outside));
    for (size_t i = 0; i < 3; i++)
        CHECK(!aclDestroyTensor(reach[i]));
}

/* A call of aclnnIndexSelect(self of 4, index), not launched. */
static aclOpExecutor *selection(void *self, void *index, void *out)
{
    const int64_t four[] = {4}, one[] = {1};
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *from = tensor(self, ACL_FLOAT, 1, four, NULL, 0),
              *at = tensor(index, ACL_INT64, 1, one, NULL, 0),
              *to = tensor(out, ACL_FLOAT, 1, one, NULL, 0);
    CHECK(!aclnnIndexSelectGetWorkspaceSize(from, 0, at, to, &size, &executor));
    CHECK(!aclDestroyTensor(from) && !aclDestroyTensor(at) && !aclDestroyTensor(to));
    return executor;
}

static void an_executor_is_used_once_or_as_often_as_said(void)
{
    const float values[4] = {1, 2, 3, 4};
    const int64_t index = 2;
    float got = 0;
    aclrtStream stream = NULL;
    uint64_t size = 0;
    void *a = device_copy(values, 16), *i = device_copy(&index, 8), *c = device_memory(4);
    CHECK(!aclrtCreateStream(&stream));
    aclOpExecutor *once = selection(a, i, c);
    CHECK(aclnnAdd(NULL, size, once, stream) == ACLNN_PARAMETER); /* of another operator */
    CHECK(!aclnnIndexSelect(NULL, size, once, stream));
    CHECK(!aclrtSynchronizeStream(stream));
    CHECK(aclnnIndexSelect(NULL, size, once, stream) == ACLNN_PARAMETER);
    CHECK(told("aclnnIndexSelect", "no executor", ""));
    CHECK(aclDestroyAclOpExecutor(once) == ACLNN_PARAMETER);
    /* One that stands in its stream twice, and is not done when it is to be destroyed. */
    aclOpExecutor *often = selection(a, i, c);
    CHECK(!aclSetAclOpExecutorRepeatable(often));
    CHECK(!aclrtLaunchHostFunc(stream, wait_a_little, NULL));
    for (int run = 0; run < 100; run++)
        CHECK(!aclnnIndexSelect(NULL, size, often, stream));
    CHECK(aclDestroyAclOpExecutor(often) == ACLNN_PARAMETER && told("still running", "", ""));
    CHECK(!aclrtSynchronizeStream(stream));
    CHECK(!aclDestroyAclOpExecutor(often));
    CHECK(!aclrtMemcpy(&got, 4, c, 4, ACL_MEMCPY_DEVICE_TO_HOST) && got > 2.5f && got < 3.5f);
    CHECK(!aclDestroyAclOpExecutor(selection(a, i, c)));
    CHECK(!aclrtDestroyStream(stream) && !aclrtFree(a) && !aclrtFree(i) && !aclrtFree(c));
}

static void a_failed_task_is_its_streams_alone(void)
{
    const float values[4] = {1, 2, 3, 4};
    const int64_t index[] = {4, 3};
    float got = 0;
    aclrtStream bad = NULL, good = NULL;
    void *a = device_copy(values, 16), *i = device_copy(index, 16), *c = device_memory(4);
    CHECK(!aclrtCreateStream(&bad) && !aclrtCreateStream(&good));
    CHECK(!aclnnIndexSelect(NULL, 0, selection(a, i, c), bad));
    CHECK(aclrtSynchronizeStream(bad) == ACL_ERROR_RT_AICORE_EXCEPTION);
    CHECK(told("aclnnIndexSelect", "4", ""));
    CHECK(aclnnIndexSelect(NULL, 0, selection(a, i, c), bad) && told("failed before", "", ""));
    CHECK(!aclnnIndexSelect(NULL, 0, selection(a, (char *)i + 8, c), good));
    CHECK(!aclrtSynchronizeStream(good));
    CHECK(!aclrtMemcpy(&got, 4, c, 4, ACL_MEMCPY_DEVICE_TO_HOST) && got > 3.5f);
    CHECK(aclrtDestroyStream(bad) == ACL_ERROR_RT_AICORE_EXCEPTION);
    CHECK(!aclrtDestroyStream(good) && !aclrtFree(a) && !aclrtFree(i) && !aclrtFree(c));
}

/* ---- what is no handle ---- */

static void a_wild_pointer_is_refused(void *wild)
{
    int64_t *dims = NULL;
    uint64_t count = 0;
    int32_t id = 0;
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    aclrtEvent event = NULL;
    CHECK(!aclrtCreateEvent(&event));
    CHECK(aclrtSetCurrentContext(wild) && aclrtDestroyContext(wild));
    CHECK(aclrtDestroyStream(wild) && (!wild || aclrtSynchronizeStream(wild)));
    CHECK(!wild || (aclrtStreamGetId(wild, &id) && aclrtStreamQuery(wild, &status) &&
                    aclrtStreamAbort(wild) && aclrtRecordEvent(event, wild) &&
                    aclrtLaunchHostFunc(wild, wait_a_little, NULL)));
    CHECK(aclrtDestroyEvent(wild) && aclrtRecordEvent(wild, NULL) && aclrtSynchronizeEvent(wild));
    CHECK(aclrtStreamWaitEvent(NULL, wild));
    CHECK(aclrtFreePhysical(wild) && aclrtUnmapMem(wild) && aclrtReleaseMemAddress(wild));
    CHECK(aclrtFree(wild) && aclrtFreeHost(wild));
    CHECK(aclDestroyTensor(wild) && aclGetViewShape(wild, &dims, &count));
    CHECK(aclDestroyScalar(wild) && aclDestroyIntArray(wild) && aclDestroyFloatArray(wild));
    CHECK(aclDestroyBoolArray(wild) && aclDestroyTensorList(wild) && aclDestroyScalarList(wild));
    CHECK(aclGetIntArraySize(wild, &count) && aclGetTensorListSize(wild, &count));
    CHECK(aclDestroyAclOpExecutor(wild) && aclSetAclOpExecutorRepeatable(wild));
    CHECK(aclnnAdd(NULL, 0, wild, NULL) && add(wild, wild, wild));
    CHECK(!aclrtDestroyEvent(event));
}

static void wild_pointers(void)
{
    char inside[4096];
    uint64_t random = 88172645463325252;
    a_wild_pointer_is_refused(NULL);
    a_wild_pointer_is_refused(inside);
    a_wild_pointer_is_refused((void *)(uintptr_t)1);
    a_wild_pointer_is_refused((void *)UINTPTR_MAX);
    for (int i = 0; i < 1000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        a_wild_pointer_is_refused((void *)(uintptr_t)random);
    }
    /* Near a live handle, and one of another kind. */
    aclrtStream stream = NULL;
    float one = 1;
    CHECK(!aclrtCreateStream(&stream));
    aclScalar *scalar = aclCreateScalar(&one, ACL_FLOAT);
    CHECK(aclDestroyTensor((const aclTensor *)scalar) && aclrtDestroyEvent(stream));
    a_wild_pointer_is_refused((char *)stream + 8);
    a_wild_pointer_is_refused((char *)scalar + 64 * 1000);
    CHECK(!aclDestroyScalar(scalar) && !aclrtDestroyStream(stream));
}

/* ---- other processes ---- */

/* Runs `body` in a child, which exits by itself; its exit code, or -1 when a signal ended it. */
static int in_child(int (*body)(void *context), void *context)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(body(context));
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : -1;
}

static int use_after_fork(void *nothing)
{
    (void)nothing;
    void *address = NULL;
    bool refused = aclrtSetDevice(0) && told("aclrtSetDevice", "forked", "spawn") &&
                   aclrtMalloc(&address, 512, ACL_MEM_MALLOC_HUGE_FIRST) &&
                   aclrtSynchronizeDevice() && add(NULL, NULL, NULL);
    return refused ? 0 : 1;
}

static void a_forked_child_is_refused_by_name(void)
{
    /* Streams that are left would be the child's leak. */
    CHECK(!aclrtResetDeviceForce(0) && !aclrtResetDeviceForce(1));
    CHECK(in_child(use_after_fork, NULL) == 0);
    CHECK(!aclrtSetDevice(0) && !aclrtFree(device_memory(512)));
}

static int with_variable(void *context)
{
    const char *const *pair = context;
    uint32_t count = 0;
    setenv(pair[0], pair[1], 1);
    bool refused = aclrtGetDeviceCount(&count) && told("aclrtGetDeviceCount", pair[0], pair[1]) &&
                   aclInit(NULL) && aclrtSetDevice(0) && !count;
    return refused ? 0 : 1;
}

/* Runs before anything has read the variables. */
static void variables_that_make_no_sense(void)
{
    static const char *const bad[][2] = {
        {"FOOTHOLD_DEVICES", "0"},     {"FOOTHOLD_DEVICES", "many"},
        {"FOOTHOLD_MEMORY", "lots"},   {"FOOTHOLD_MEMORY", "-1"},
        {"FOOTHOLD_SOC", "H100"},      {"FOOTHOLD_ISOLATION", "2"},
        {"FOOTHOLD_WORKERS", "70000"}, {"FOOTHOLD_CANN", "a.version.that.is.much.longer.than.any"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(in_child(with_variable, (void *)(uintptr_t)bad[i]) == 0);
}

int main(void)
{
    setenv("FOOTHOLD_MEMORY", "64M", 1);
    setenv("FOOTHOLD_DEVICES", "2", 1);
    TEST(variables_that_make_no_sense);
    TEST(nothing_works_without_a_context);
    TEST(devices);
    TEST(streams_keep_their_order);
    TEST(events);
    TEST(allocation);
    TEST(memory_that_runs_out_comes_back);
    TEST(copies);
    TEST(virtual_memory);
    TEST(addition_of_every_shape);
    TEST(operators_say_what_is_wrong);
    TEST(an_executor_is_used_once_or_as_often_as_said);
    TEST(a_failed_task_is_its_streams_alone);
    TEST(wild_pointers);
    TEST(a_forked_child_is_refused_by_name);
    CHECK(!aclrtResetDeviceForce(0));
    return test_report();
}
