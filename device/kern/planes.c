/* Pieces of images and channels, converted. */
#include "device/kern/planes.h"

#include "device/kern/convert.h"

static fh_planes planes_of(const fh_view *view, bool merge)
{
    fh_planes p = {.data = view->data,
                   .dtype = view->dtype,
                   .samples = view->sizes[0],
                   .channels = view->sizes[1],
                   .lines = {1, 1},
                   .width = 1,
                   .sample = view->strides[0],
                   .channel = view->strides[1],
                   .element = 1};
    if (view->rank == 2) {
        p.width = p.samples, p.element = p.sample;
        p.samples = 1, p.sample = 0;
        return p;
    }
    uint32_t last = view->rank - 1;
    p.width = view->sizes[last], p.element = view->strides[last];
    for (uint32_t i = last; i-- > 2;) {
        bool together = merge && view->strides[i] == p.width * p.element;
        if (p.lines[1] == 1 && together) {
            p.width *= view->sizes[i];
            continue;
        }
        int at = p.lines[1] == 1 ? 1 : 0;
        p.lines[at] = view->sizes[i], p.line[at] = view->strides[i];
    }
    return p;
}

void fh_planes_of(const fh_view *const *views, fh_planes *const *planes, int count)
{
    bool same = true;
    for (int i = 0; i < count; i++) {
        *planes[i] = planes_of(views[i], true);
        same &= planes[i]->width == planes[0]->width &&
                planes[i]->lines[0] == planes[0]->lines[0] &&
                planes[i]->lines[1] == planes[0]->lines[1];
    }
    for (int i = 0; i < count && !same; i++)
        *planes[i] = planes_of(views[i], false);
}

fh_planes fh_planes_of_image(const fh_view *view)
{
    uint32_t rank = view->rank, last = rank - 1;
    fh_planes p = {.data = view->data, .dtype = view->dtype, .samples = 1, .lines = {1, 1}};
    p.channels = view->sizes[last - 2], p.channel = view->strides[last - 2];
    p.lines[1] = view->sizes[last - 1], p.line[1] = view->strides[last - 1];
    p.width = view->sizes[last], p.element = view->strides[last];
    if (rank == 4)
        p.samples = view->sizes[0], p.sample = view->strides[0];
    return p;
}

static char *address(const fh_planes *p, int64_t sample, int64_t channel, int64_t line, int64_t at)
{
    int64_t offset = sample * p->sample + channel * p->channel + line / p->lines[1] * p->line[0] +
                     line % p->lines[1] * p->line[1] + at * p->element;
    return p->data + offset * (int64_t)fh_dtype_size(p->dtype);
}

const float *fh_planes_read(const fh_planes *p, int64_t sample, int64_t channel, int64_t line,
                            int64_t at, int64_t count, float *buffer)
{
    const char *from = address(p, sample, channel, line, at);
    if (p->dtype == FH_F32 && p->element == 1)
        return (const float *)from;
    fh_convert_between(p->dtype, FH_F32)(1, count, from, 0, p->element, buffer, 0, 1);
    return buffer;
}

void fh_planes_write(const fh_planes *p, int64_t sample, int64_t channel, int64_t line, int64_t at,
                     int64_t count, const float *from)
{
    fh_convert_between(FH_F32, p->dtype)(1, count, from, 0, 1,
                                         address(p, sample, channel, line, at), 0, p->element);
}

void fh_planes_read_image(const fh_planes *p, int64_t sample, int64_t channel, float *to)
{
    fh_convert_between(p->dtype, FH_F32)(p->lines[1], p->width, address(p, sample, channel, 0, 0),
                                         p->line[1], p->element, to, p->width, 1);
}

void fh_planes_write_image(const fh_planes *p, int64_t sample, int64_t channel, const float *from)
{
    fh_convert_between(FH_F32, p->dtype)(p->lines[1], p->width, from, p->width, 1,
                                         address(p, sample, channel, 0, 0), p->line[1], p->element);
}

double fh_planes_vector(const fh_view *view, int64_t i, double otherwise)
{
    double value = otherwise;
    if (view)
        fh_convert_between(view->dtype, FH_F64)(
            1, 1, (char *)view->data + i * view->strides[0] * (int64_t)fh_dtype_size(view->dtype),
            0, 1, &value, 0, 1);
    return value;
}

void fh_planes_set_vector(const fh_view *view, int64_t i, double value)
{
    if (view)
        fh_convert_between(FH_F64, view->dtype)(
            1, 1, &value, 0, 1,
            (char *)view->data + i * view->strides[0] * (int64_t)fh_dtype_size(view->dtype), 0, 1);
}
