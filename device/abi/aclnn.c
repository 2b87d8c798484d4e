/* Every operator of facts/ops.def as CANN's two functions. */
#include "device/abi/aclnn.h"
#include "device/kern/operators.h"
#include "device/kern/operators_matrix.h"
#include "device/rt/call.h"
#include "device/rt/rule.h"

#include <string.h>

/* Codes of aclnn calls. */
enum {
    ACLNN_ERR_PARAM_INVALID = 161002,
    ACLNN_ERR_RUNTIME_ERROR = 361001,
    ACLNN_ERR_INNER = 561000,
};

aclnnStatus fh_aclnn_code(const char *function, fh_status status)
{
    if (!status)
        return 0;
    /* The message of an operator begins with its own name. */
    const char *text = fh_error_message();
    size_t name = strlen(function);
    if (strncmp(text, function, name) == 0 && text[name] == ':')
        text += name + 2;
    aclnnStatus code = status == FH_INVALID || status == FH_UNSUPPORTED ? ACLNN_ERR_PARAM_INVALID
                       : status == FH_NO_MEMORY ? ACL_ERROR_RT_MEMORY_ALLOCATION
                       : status == FH_LIMIT     ? ACLNN_ERR_INNER
                                                : ACLNN_ERR_RUNTIME_ERROR;
    return fh_abi_fail(function, code, "%s", text);
}

static aclnnStatus prepare(const fh_op *op, const fh_given *given, uint64_t *workspaceSize,
                           aclOpExecutor **executor)
{
    if (!workspaceSize || !executor)
        return fh_abi_fail(op->name, ACLNN_ERR_PARAM_INVALID, "workspaceSize or executor is NULL");
    fh_call *call = NULL;
    fh_status status = fh_call_prepare(op, given, &call);
    if (status)
        return fh_aclnn_code(op->name, status);
    *workspaceSize = 0;
    *executor = (aclOpExecutor *)call;
    return 0;
}

static aclnnStatus launch(const fh_op *op, aclOpExecutor *executor, aclrtStream stream)
{
    fh_client_stream *on = NULL;
    if (!fh_handle_is(FH_HANDLE_CALL, executor) || ((fh_call *)executor)->op != op)
        return fh_abi_fail(op->name, ACLNN_ERR_PARAM_INVALID,
                           "%p is no executor of this operator: %s", (void *)executor,
                           fh_handle_name(executor));
    aclError error = fh_abi_stream(op->name, stream, &on);
    if (error)
        return error;
    fh_status status = fh_call_launch((fh_call *)executor, on->stream);
    return status ? fh_aclnn_code(op->name, status) : 0;
}

/* A kind as its C type, and as what a call is given. */
#define X(kind, type, member, argument) \
    typedef type parameter_##kind; \
    __attribute__((unused)) static inline fh_given give_##kind(parameter_##kind value) \
    { \
        return (fh_given){.member = value}; \
    }
FH_PARAMETER_MAP(X)
#undef X

#define PARAMETERS_A(kind, name) parameter_##kind name, PARAMETERS_B
#define PARAMETERS_B(kind, name) parameter_##kind name, PARAMETERS_A
#define PARAMETERS_A_END
#define PARAMETERS_B_END

#define DESCRIBED_A(kind, name) {FH_PARAMETER_##kind, #name}, DESCRIBED_B
#define DESCRIBED_B(kind, name) {FH_PARAMETER_##kind, #name}, DESCRIBED_A
#define DESCRIBED_A_END
#define DESCRIBED_B_END

#define GIVEN_A(kind, name) give_##kind(name), GIVEN_B
#define GIVEN_B(kind, name) give_##kind(name), GIVEN_A
#define GIVEN_A_END
#define GIVEN_B_END

#define OP(aclnn, header, arguments, rule_, kernel_, dtypes_) \
    static const fh_parameter aclnn##_parameters[] = {FH_EACH(DESCRIBED, arguments)}; \
    static const fh_op aclnn##_op = { \
        .name = #aclnn, \
        .parameters = aclnn##_parameters, \
        .count = sizeof aclnn##_parameters / sizeof *aclnn##_parameters, \
        .rule = fh_rule_##rule_, \
        .kernel = fh_op_##kernel_, \
        .dtypes = FH_DTYPES_##dtypes_, \
    }; \
    FH_EXPORT aclnnStatus aclnn##GetWorkspaceSize( \
        FH_EACH(PARAMETERS, arguments) uint64_t *workspaceSize, aclOpExecutor **executor); \
    FH_EXPORT aclnnStatus aclnn(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, \
                                aclrtStream stream); \
    aclnnStatus aclnn##GetWorkspaceSize(FH_EACH(PARAMETERS, arguments) uint64_t *workspaceSize, \
                                        aclOpExecutor **executor) \
    { \
        const fh_given given[] = {FH_EACH(GIVEN, arguments)}; \
        return prepare(&aclnn##_op, given, workspaceSize, executor); \
    } \
    aclnnStatus aclnn(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, \
                      aclrtStream stream) \
    { \
        (void)workspace, (void)workspaceSize; /* kernels of ours need none */ \
        return launch(&aclnn##_op, executor, stream); \
    }
#include "facts/ops.def"
#undef OP
