#include "device/rt/transfer.h"
#include "base/memory.h"
#include "device/mem/lookup.h"
#include "device/mem/space.h"

#include <string.h>

/* Bytes that one part of a team copies at least: a smaller one is not worth another thread. */
enum { PART = 512 << 10 };

/* Bytes that one thread copies in a nanosecond, roughly. */
enum { BYTES_PER_NANOSECOND = 8 };

fh_status fh_transfer_check_device(const char *what, const void *address, size_t size)
{
    fh_place place = fh_lookup(address);
    if (place.kind != FH_PLACE_BLOCK && place.kind != FH_PLACE_MAPPED &&
        place.kind != FH_PLACE_IMPORTED)
        return fh_error(FH_INVALID, "%s %p is %s", what, address, fh_place_name(place.kind));
    uint64_t length = place.size;
    /* What is mapped right behind it belongs to it: clients map a range in pieces. */
    while (place.kind == FH_PLACE_MAPPED && length - place.offset < size) {
        fh_place next = fh_lookup((const void *)(place.address + length));
        if (next.kind != FH_PLACE_MAPPED || next.offset)
            break;
        length += next.size;
    }
    if (length - place.offset < size)
        return fh_error(FH_INVALID, "%s: %zu bytes at %p leave their allocation, %llu bytes at %p",
                        what, size, address, (unsigned long long)length, (void *)place.address);
    return FH_OK;
}

static fh_status check_side(const char *what, const void *address, size_t size, fh_side side)
{
    bool device = fh_space_holds(address);
    if (!address)
        return fh_error(FH_INVALID, "%s is NULL", what);
    if (side == FH_SIDE_DEVICE && !device)
        return fh_error(FH_INVALID, "%s %p is host memory, and the kind of copy says device memory",
                        what, address);
    if (side == FH_SIDE_HOST && device)
        return fh_error(FH_INVALID, "%s %p is device memory, and the kind of copy says host memory",
                        what, address);
    return device ? fh_transfer_check_device(what, address, size) : FH_OK;
}

/* Bytes from the first to the last of a rectangle; false when they cannot be counted. */
static bool extent(size_t pitch, size_t width, size_t height, size_t *bytes)
{
    return !__builtin_mul_overflow(pitch, height - 1, bytes) &&
           !__builtin_add_overflow(*bytes, width, bytes);
}

fh_status fh_transfer_check(const fh_copy_request *request)
{
    size_t to = 0, from = 0;
    if (!request->width || !request->height)
        return FH_OK;
    if (request->height > 1 &&
        (request->to_pitch < request->width || request->from_pitch < request->width))
        return fh_error(FH_INVALID, "a pitch is less than the width of %zu bytes", request->width);
    if (!extent(request->to_pitch, request->width, request->height, &to) ||
        !extent(request->from_pitch, request->width, request->height, &from))
        return fh_error(FH_INVALID, "%zu rows of %zu bytes are too large", request->height,
                        request->width);
    fh_status status = check_side("dst", request->to, to, request->to_side);
    if (!status)
        status = check_side("src", request->from, from, request->from_side);
    uintptr_t a = (uintptr_t)request->to, b = (uintptr_t)request->from;
    if (!status && a < b + from && b < a + to && a != b)
        status = fh_error(FH_INVALID, "dst %p and src %p overlap", request->to, request->from);
    return status;
}

static void copy_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const fh_copy_request *request = context;
    (void)slot;
    memcpy((char *)fh_space_kernel(request->to) + begin,
           (const char *)fh_space_kernel(request->from) + begin, (size_t)(end - begin));
}

static void copy_rows(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const fh_copy_request *request = context;
    (void)slot;
    char *to = fh_space_kernel(request->to);
    const char *from = fh_space_kernel(request->from);
    for (int64_t row = begin; row < end; row++)
        memcpy(to + (size_t)row * request->to_pitch, from + (size_t)row * request->from_pitch,
               request->width);
}

void fh_transfer_copy(const fh_copy_request *request, const fh_team *team)
{
    fh_copy_request copy = *request;
    if (!copy.width || !copy.height || copy.to == copy.from)
        return;
    if (copy.height == 1)
        fh_team_split(team, (int64_t)copy.width, PART, copy_part, &copy);
    else
        fh_team_split(team, (int64_t)copy.height, (int64_t)(PART / copy.width + 1), copy_rows,
                      &copy);
}

typedef struct {
    fh_task task;
    fh_copy_request request;
    int value;
} transfer_task;

static fh_status run_copy(fh_task *task, const fh_team *team)
{
    fh_transfer_copy(&((transfer_task *)task)->request, team);
    return FH_OK;
}

static void release(fh_task *task)
{
    fh_free(task);
}

static void fill_part(void *context, int64_t begin, int64_t end, unsigned slot)
{
    const transfer_task *self = context;
    (void)slot;
    memset((char *)fh_space_kernel(self->request.to) + begin, self->value, (size_t)(end - begin));
}

static fh_status run_fill(fh_task *task, const fh_team *team)
{
    transfer_task *self = (transfer_task *)task;
    fh_team_split(team, (int64_t)self->request.width, PART, fill_part, self);
    return FH_OK;
}

static fh_status append(const transfer_task *given, const char *name,
                        fh_status (*run)(fh_task *, const fh_team *), fh_stream *stream)
{
    transfer_task *self = fh_alloc(sizeof *self);
    if (!self)
        return fh_error(FH_NO_MEMORY, "no host memory for a task");
    *self = *given;
    size_t cost = given->request.width * given->request.height / BYTES_PER_NANOSECOND;
    self->task = (fh_task){.name = name,
                           .run = run,
                           .release = release,
                           .place = FH_TASK_ANYWHERE,
                           .cost = cost > UINT32_MAX ? UINT32_MAX : (uint32_t)cost};
    return fh_stream_append(stream, &self->task);
}

fh_status fh_transfer_append(const fh_copy_request *request, fh_stream *stream)
{
    return append(&(transfer_task){.request = *request}, "copy", run_copy, stream);
}

static fh_status check_fill(const void *to, size_t count)
{
    return count ? check_side("devPtr", to, count, FH_SIDE_ANY) : FH_OK;
}

fh_status fh_transfer_fill(void *to, int value, size_t count, const fh_team *team)
{
    transfer_task self = {.request = {.to = to, .width = count}, .value = value};
    fh_status status = check_fill(to, count);
    return status ? status : run_fill(&self.task, team);
}

fh_status fh_transfer_append_fill(void *to, int value, size_t count, fh_stream *stream)
{
    transfer_task self = {.request = {.to = to, .width = count, .height = 1}, .value = value};
    fh_status status = check_fill(to, count);
    return status ? status : append(&self, "fill", run_fill, stream);
}
