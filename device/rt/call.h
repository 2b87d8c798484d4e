/* call.h: one call of an operator, from the client's descriptions to a task.
 *
 * A call is made by the aclnn function that ends in GetWorkspaceSize and is the
 * aclOpExecutor that it returns. It holds copies of all that it was given. The
 * second function appends it to a stream, which ends it when it has run.
 */
#ifndef FH_RT_CALL_H
#define FH_RT_CALL_H

#include "device/rt/device.h"
#include "device/rt/op.h"
#include "device/rt/tensor.h"

/* An argument as the client gave it; the row says which member counts. */
typedef union {
    const void *handle;
    int64_t integer;
    double real;
    const char *text;
} fh_given;

enum { FH_CALL_ARGUMENTS = 24, FH_CALL_VIEWS = 14 };

typedef struct fh_call {
    fh_handle head;
    const fh_op *op;
    bool repeatable;          /* the client ends it, and may run it several times */
    _Atomic uint32_t running; /* appended and not ended */
    fh_task task;
    fh_argument *arguments;
    void *block;       /* of what has no place here, or NULL */
    fh_tensor *sized;  /* the client's output whose size the kernel finds out, or NULL */
    unsigned sized_at; /* which argument it is */
    fh_argument argument_place[FH_CALL_ARGUMENTS];
    fh_view view_place[FH_CALL_VIEWS];
} fh_call;

/* Checks and copies what was given. Fails with FH_INVALID or FH_UNSUPPORTED (the message names the
 * operator, the argument's number and name, and what is wrong), FH_LIMIT, FH_NO_MEMORY. */
fh_status fh_call_prepare(const fh_op *op, const fh_given *given, fh_call **call);

/* Appends the call, which is the stream's from here on unless it is repeatable. */
fh_status fh_call_launch(fh_call *call, fh_stream *stream);

/* Ends a call that was not launched, or a repeatable one. */
fh_status fh_call_destroy(fh_call *call);

#endif
