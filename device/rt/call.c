#include "device/rt/call.h"
#include "base/memory.h"
#include "device/rt/transfer.h"
#include "device/sched/engine.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Bytes that one thread moves in a nanosecond, roughly: what an operator costs that says nothing
 * else. */
enum { BYTES_PER_NANOSECOND = 4 };

static const fh_argument_kind argument_kinds[] = {
#define X(kind, type, member, argument) [FH_PARAMETER_##kind] = argument,
    FH_PARAMETER_MAP(X)
#undef X
};

static bool may_be_absent(fh_parameter_kind kind)
{
    return kind == FH_PARAMETER_optional || kind == FH_PARAMETER_optional_out ||
           kind == FH_PARAMETER_optional_inout || kind == FH_PARAMETER_optional_list ||
           kind == FH_PARAMETER_optional_number || kind == FH_PARAMETER_optional_integers ||
           kind == FH_PARAMETER_bools || kind == FH_PARAMETER_text;
}

/* Where copies go: the next view, and the next 8 bytes for what else a list holds. */
typedef struct {
    fh_view *views;
    int64_t *words;
    uint64_t bytes; /* of all tensors */
} places;

enum { NUMBER_WORDS = sizeof(fh_number) / sizeof(int64_t) };

static fh_status wrong(const fh_op *op, unsigned at, const char *what, const char *got)
{
    return fh_error(FH_INVALID, "%s: argument %u (%s) %s%s", op->name, at + 1,
                    op->parameters[at].name, what, got);
}

/* What the handle of an argument must be, for messages. */
static const char *expected(fh_argument_kind kind)
{
    static const char *const names[] = {
        [FH_ARGUMENT_VIEW] = "must be an aclTensor, and is ",
        [FH_ARGUMENT_VIEWS] = "must be an aclTensorList, and is ",
        [FH_ARGUMENT_NUMBER] = "must be an aclScalar, and is ",
        [FH_ARGUMENT_NUMBERS] = "must be an aclScalarList, and is ",
        [FH_ARGUMENT_INTEGERS] = "must be an aclIntArray, and is ",
        [FH_ARGUMENT_DOUBLES] = "must be an aclFloatArray, and is ",
        [FH_ARGUMENT_BOOLS] = "must be an aclBoolArray, and is ",
    };
    return names[kind];
}

static bool is_what_it_must_be(fh_argument_kind kind, const void *handle)
{
    switch (kind) {
    case FH_ARGUMENT_VIEW:
        return fh_handle_is(FH_HANDLE_TENSOR, handle);
    case FH_ARGUMENT_NUMBER:
        return fh_handle_is(FH_HANDLE_SCALAR, handle);
    case FH_ARGUMENT_VIEWS:
        return fh_array_is(FH_ARRAY_TENSORS, handle);
    case FH_ARGUMENT_NUMBERS:
        return fh_array_is(FH_ARRAY_SCALARS, handle);
    case FH_ARGUMENT_INTEGERS:
        return fh_array_is(FH_ARRAY_INTEGERS, handle);
    case FH_ARGUMENT_DOUBLES:
        return fh_array_is(FH_ARRAY_FLOATS, handle);
    case FH_ARGUMENT_BOOLS:
        return fh_array_is(FH_ARRAY_BOOLS, handle);
    default:
        return true;
    }
}

/* That all elements, of which there are some, lie in one allocation: a kernel would write to those
 * beside it. */
static fh_status check_reach(const fh_op *op, unsigned at, const fh_view *view)
{
    int64_t before = 0, after = 1;
    for (uint32_t i = 0; i < view->rank; i++)
        *(view->strides[i] < 0 ? &before : &after) += (view->sizes[i] - 1) * view->strides[i];
    size_t size = fh_dtype_size((int)view->dtype);
    const void *low = (void *)((uintptr_t)view->data + (uintptr_t)before * size);
    fh_status status = fh_transfer_check_device("", low, (size_t)(after - before) * size);
    if (status) {
        char message[512];
        snprintf(message, sizeof message, "%s", fh_error_message());
        fh_error(status,
                 "%s: argument %u (%s):%s; check its sizes, strides and offset, and that its "
                 "memory was not freed",
                 op->name, at + 1, op->parameters[at].name, message);
    }
    return status;
}

static fh_status copy_view(const fh_op *op, unsigned at, const fh_tensor *tensor, places *to)
{
    if (!fh_handle_is(FH_HANDLE_TENSOR, tensor))
        return wrong(op, at, "must be an aclTensor, and is ", fh_handle_name(tensor));
    fh_view *view = to->views++;
    *view = tensor->view;
    if (!fh_dtype_in((int)view->dtype, op->dtypes)) {
        char names[160];
        fh_dtype_names(op->dtypes, names, sizeof names);
        return fh_error(FH_UNSUPPORTED,
                        "%s: argument %u (%s): dtype %s is not supported (supported: %s); cast it",
                        op->name, at + 1, op->parameters[at].name, fh_dtype_name((int)view->dtype),
                        names);
    }
    int64_t count = fh_view_count(view);
    /* One whose offset leaves device memory is told below. */
    if (count && !fh_space_holds(view->data) && !fh_space_holds(tensor->storage)) {
        char address[32];
        snprintf(address, sizeof address, "%p", view->data);
        return wrong(op, at, "must lie in device memory, and is at host address ", address);
    }
    if (count) {
        fh_status status = check_reach(op, at, view);
        if (status)
            return status;
    }
    view->data = fh_space_kernel(view->data);
    to->bytes += (uint64_t)count * fh_dtype_size((int)view->dtype);
    return FH_OK;
}

static fh_status copy_list(const fh_op *op, unsigned at, const fh_array *list,
                           fh_argument *argument, places *to)
{
    fh_status status = FH_OK;
    argument->count = list->count;
    argument->view = to->views;
    for (uint32_t i = 0; i < list->count && !status; i++)
        status = copy_view(op, at, list->tensors[i], to);
    return status;
}

static fh_status copy_numbers(const fh_op *op, unsigned at, const fh_array *list,
                              fh_argument *argument, places *to)
{
    argument->count = list->count;
    argument->number = (fh_number *)to->words;
    for (uint32_t i = 0; i < list->count; i++, to->words += NUMBER_WORDS) {
        if (!fh_handle_is(FH_HANDLE_SCALAR, list->scalars[i]))
            return wrong(op, at, "holds what is no aclScalar: ", fh_handle_name(list->scalars[i]));
        argument->number[i] = list->scalars[i]->number;
    }
    return FH_OK;
}

static fh_status copy_argument(const fh_op *op, unsigned at, fh_given given, fh_argument *argument,
                               places *to)
{
    fh_parameter_kind parameter = op->parameters[at].kind;
    const fh_array *array = given.handle;
    argument->kind = argument_kinds[parameter];
    argument->count = 0;
    switch (argument->kind) {
    case FH_ARGUMENT_ABSENT:
        return FH_OK;
    case FH_ARGUMENT_INTEGER:
        argument->integer = given.integer;
        return FH_OK;
    case FH_ARGUMENT_DOUBLE:
        argument->real = given.real;
        return FH_OK;
    default:
        break;
    }
    if (!given.handle && may_be_absent(parameter)) {
        argument->kind = FH_ARGUMENT_ABSENT;
        return FH_OK;
    }
    if (!is_what_it_must_be(argument->kind, given.handle))
        return wrong(op, at, expected(argument->kind), fh_handle_name(given.handle));
    switch (argument->kind) {
    case FH_ARGUMENT_VIEW:
        argument->view = to->views;
        return copy_view(op, at, given.handle, to);
    case FH_ARGUMENT_VIEWS:
        return copy_list(op, at, array, argument, to);
    case FH_ARGUMENT_NUMBER:
        argument->number = (fh_number *)to->words;
        *argument->number = ((const fh_scalar *)given.handle)->number;
        to->words += NUMBER_WORDS;
        return FH_OK;
    case FH_ARGUMENT_NUMBERS:
        return copy_numbers(op, at, array, argument, to);
    case FH_ARGUMENT_DOUBLES: {
        double *reals = (double *)to->words;
        for (uint32_t i = 0; i < array->count; i++)
            reals[i] = (double)array->floats[i];
        argument->count = array->count;
        argument->reals = reals;
        to->words += array->count;
        return FH_OK;
    }
    case FH_ARGUMENT_INTEGERS:
    case FH_ARGUMENT_BOOLS: {
        size_t bytes = array->count * (argument->kind == FH_ARGUMENT_BOOLS ? 1 : sizeof(int64_t));
        argument->count = array->count;
        argument->integers = to->words;
        if (bytes)
            memcpy(to->words, array->items, bytes);
        to->words += (bytes + 7) / 8;
        return FH_OK;
    }
    case FH_ARGUMENT_TEXT:
        argument->text = given.text;
        return FH_OK;
    default:
        return FH_OK;
    }
}

/* How many of each the arguments need; what is no handle is found later. */
static void count_places(const fh_op *op, const fh_given *given, size_t *views, size_t *words)
{
    *views = *words = 0;
    for (unsigned i = 0; i < op->count; i++) {
        fh_argument_kind kind = argument_kinds[op->parameters[i].kind];
        if (kind == FH_ARGUMENT_VIEW)
            ++*views;
        else if (kind == FH_ARGUMENT_NUMBER)
            *words += NUMBER_WORDS;
        else if (kind >= FH_ARGUMENT_VIEWS && kind != FH_ARGUMENT_INTEGER &&
                 kind != FH_ARGUMENT_DOUBLE && kind != FH_ARGUMENT_TEXT && given[i].handle &&
                 is_what_it_must_be(kind, given[i].handle)) {
            size_t count = ((const fh_array *)given[i].handle)->count;
            if (kind == FH_ARGUMENT_VIEWS)
                *views += count;
            else
                *words += count * (kind == FH_ARGUMENT_NUMBERS ? NUMBER_WORDS : 1);
        }
    }
}

static fh_call *call_of(fh_task *task)
{
    return (fh_call *)((char *)task - offsetof(fh_call, task));
}

static void end(fh_call *call)
{
    void *block = call->block;
    if (fh_handle_give(FH_HANDLE_CALL, call))
        fh_free(block);
}

static fh_status run(fh_task *task, const fh_team *team)
{
    fh_call *call = call_of(task);
    fh_status status = call->op->kernel(call->arguments, team);
    if (status || !call->sized)
        return status;
    /* The client asks its own description for the size (aclGetViewShape), after it has waited. */
    const fh_view *view = call->arguments[call->sized_at].view;
    fh_tensor *tensor = call->sized;
    if (fh_handle_is(FH_HANDLE_TENSOR, tensor)) {
        tensor->view.rank = view->rank;
        memcpy(tensor->view.sizes, view->sizes, sizeof view->sizes);
    }
    return FH_OK;
}

static void release(fh_task *task)
{
    fh_call *call = call_of(task);
    /* Once it does not run, a repeatable one may be ended by its owner. */
    bool ours = !call->repeatable;
    atomic_fetch_sub_explicit(&call->running, 1, memory_order_release);
    if (ours)
        end(call);
}

/* One run of a repeatable call: a task stands in one list, and several runs may wait. */
typedef struct {
    fh_task task;
    fh_call *call;
} repetition;

static fh_status run_again(fh_task *task, const fh_team *team)
{
    return run(&((repetition *)task)->call->task, team);
}

static void release_again(fh_task *task)
{
    release(&((repetition *)task)->call->task);
    fh_free(task);
}

static fh_status launch_again(fh_call *call, fh_stream *stream)
{
    repetition *self = fh_alloc(sizeof *self);
    if (!self)
        return fh_error(FH_NO_MEMORY, "%s: no host memory for a task", call->op->name);
    self->task = call->task;
    self->task.run = run_again;
    self->task.release = release_again;
    self->call = call;
    atomic_fetch_add_explicit(&call->running, 1, memory_order_acquire);
    return fh_stream_append(stream, &self->task);
}

/* Room for everything: in the call, or for long lists in one block behind it. */
static fh_status make_room(const fh_op *op, fh_call *call, size_t views, size_t words, places *to)
{
    call->block = NULL;
    call->arguments = call->argument_place;
    fh_view *room = call->view_place;
    if (op->count > FH_CALL_ARGUMENTS ||
        views * sizeof(fh_view) + words * sizeof(int64_t) > sizeof call->view_place) {
        size_t arguments = op->count * sizeof(fh_argument);
        call->block = fh_alloc(arguments + views * sizeof(fh_view) + words * 8);
        if (!call->block)
            return fh_error(FH_NO_MEMORY, "%s: no host memory for a list of %zu tensors", op->name,
                            views);
        call->arguments = call->block;
        room = (fh_view *)((char *)call->block + arguments);
    }
    to->views = room;
    to->words = (int64_t *)(room + views);
    return FH_OK;
}

fh_status fh_call_prepare(const fh_op *op, const fh_given *given, fh_call **out)
{
    fh_status status = fh_runtime_start();
    if (status)
        return status;
    fh_call *call = fh_handle_take(FH_HANDLE_CALL, sizeof *call);
    if (!call)
        return FH_LIMIT;
    size_t views, words;
    count_places(op, given, &views, &words);
    places to = {0};
    status = make_room(op, call, views, words, &to);
    fh_plan plan = {0};
    call->op = op;
    call->sized = NULL;
    call->repeatable = false;
    atomic_store_explicit(&call->running, 0, memory_order_relaxed);
    for (unsigned i = 0; i < op->count && !status; i++) {
        status = copy_argument(op, i, given[i], &call->arguments[i], &to);
        if (op->parameters[i].kind == FH_PARAMETER_sized) {
            call->sized = (fh_tensor *)(uintptr_t)given[i].handle;
            call->sized_at = i;
        }
    }
    if (!status && op->rule && (status = op->rule(call->arguments, op->count, &plan)) != FH_OK) {
        char message[512];
        snprintf(message, sizeof message, "%s", fh_error_message());
        fh_error(status, "%s: %s", op->name, message);
    }
    if (status) {
        end(call);
        return status;
    }
    uint64_t cost = plan.cost ? plan.cost : to.bytes / BYTES_PER_NANOSECOND;
    call->task = (fh_task){.name = op->name,
                           .run = run,
                           .release = release,
                           .place = FH_TASK_ANYWHERE,
                           .cost = cost > UINT32_MAX ? UINT32_MAX : (uint32_t)cost};
    *out = call;
    return FH_OK;
}

fh_status fh_call_launch(fh_call *call, fh_stream *stream)
{
    if (call->repeatable)
        return launch_again(call, stream);
    if (atomic_fetch_add_explicit(&call->running, 1, memory_order_acquire)) {
        atomic_fetch_sub_explicit(&call->running, 1, memory_order_relaxed);
        return fh_error(FH_INVALID,
                        "%s: the executor is running; make it repeatable "
                        "(aclSetAclOpExecutorRepeatable), or a new one for each call",
                        call->op->name);
    }
    return fh_stream_append(stream, &call->task);
}

fh_status fh_call_destroy(fh_call *call)
{
    if (atomic_load_explicit(&call->running, memory_order_acquire))
        return fh_error(FH_INVALID,
                        "%s: the executor is still running; synchronise its stream first",
                        call->op->name);
    end(call);
    return FH_OK;
}
