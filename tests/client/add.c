/* A client of CANN as anybody writes one: adds two tensors on the last device, and prints what it
 * is told of the machine. Argument "touch": reads device memory from the host instead. */
#include <acl/acl.h>
#include <aclnnop/aclnn_add.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASK(call) \
    do { \
        int code = (int)(call); \
        if (code) { \
            const char *why = aclGetRecentErrMsg(); \
            fprintf(stderr, "%s gives %d: %s\n", #call, code, why ? why : ""); \
            exit(3); \
        } \
    } while (0)

enum { COUNT = 6 };

static aclTensor *tensor(const void *data)
{
    int64_t shape[] = {2, 3}, strides[] = {3, 1};
    return aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 2,
                           (void *)(size_t)data);
}

int main(int argc, char **argv)
{
    uint32_t devices;
    size_t free_bytes, total;
    ASK(aclInit(NULL));
    ASK(aclrtGetDeviceCount(&devices));
    ASK(aclrtSetDevice((int32_t)devices - 1));
    ASK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    printf("%u %s %zu\n", devices, aclrtGetSocName(), total);

    float a[COUNT] = {1, 2, 3, 4, 5, 6}, b[COUNT] = {10, 20, 30, 40, 50, 60}, sum[COUNT];
    void *on_device[3];
    for (int i = 0; i < 3; i++)
        ASK(aclrtMalloc(&on_device[i], sizeof a, ACL_MEM_MALLOC_HUGE_FIRST));
    ASK(aclrtMemcpy(on_device[0], sizeof a, a, sizeof a, ACL_MEMCPY_HOST_TO_DEVICE));
    ASK(aclrtMemcpy(on_device[1], sizeof b, b, sizeof b, ACL_MEMCPY_HOST_TO_DEVICE));
    if (argc > 1 && !strcmp(argv[1], "touch")) {
        printf("%g\n", (double)((volatile float *)on_device[0])[1]);
        return 0;
    }

    aclrtStream stream;
    ASK(aclrtCreateStream(&stream));
    float alpha = 2;
    aclTensor *x = tensor(on_device[0]), *y = tensor(on_device[1]), *out = tensor(on_device[2]);
    aclScalar *scale = aclCreateScalar(&alpha, ACL_FLOAT);
    uint64_t workspace;
    aclOpExecutor *executor;
    ASK(aclnnAddGetWorkspaceSize(x, y, scale, out, &workspace, &executor));
    ASK(aclnnAdd(NULL, workspace, executor, stream));
    ASK(aclrtSynchronizeStream(stream));
    ASK(aclrtMemcpy(sum, sizeof sum, on_device[2], sizeof sum, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < COUNT; i++)
        printf("%g%c", (double)sum[i], i + 1 < COUNT ? ' ' : '\n');

    ASK(aclDestroyScalar(scale));
    ASK(aclDestroyTensor(x));
    ASK(aclDestroyTensor(y));
    ASK(aclDestroyTensor(out));
    ASK(aclrtDestroyStream(stream));
    for (int i = 0; i < 3; i++)
        ASK(aclrtFree(on_device[i]));
    ASK(aclrtResetDevice((int32_t)devices - 1));
    ASK(aclFinalize());
    return 0;
}
