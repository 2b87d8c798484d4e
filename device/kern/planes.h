/* planes.h: [samples, channels, space...] a piece at a time, as f32.
 *
 * Dimensions of space that lie together are one. Samples of rank 2 have a
 * space of one element; fh_planes_of makes the samples of
 * such views their space instead, so that pieces are long.
 */
#ifndef FH_KERN_PLANES_H
#define FH_KERN_PLANES_H

#include "device/kern/view.h"

enum { FH_PIECE = 1024 }; /* elements that a buffer for a piece has */

typedef struct {
    char *data;
    fh_dtype dtype;
    int64_t samples, channels, lines[2], width;
    int64_t sample, channel, line[2], element; /* strides */
} fh_planes;

/* Of `count` views of one shape, of rank 2 to 5: channels are the second dimension. All are cut
 * into the same lines. */
void fh_planes_of(const fh_view *const *views, fh_planes *const *planes, int count);

/* Of a view of rank 3 or 4 whose last two dimensions are space: lines[0] is 1, lines[1] rows. */
fh_planes fh_planes_of_image(const fh_view *view);

/* Elements [at, at + count) of a line (of lines[0] x lines[1]): as they lie or, at most FH_PIECE
 * of them, converted into `buffer`. */
const float *fh_planes_read(const fh_planes *p, int64_t sample, int64_t channel, int64_t line,
                            int64_t at, int64_t count, float *buffer);
void fh_planes_write(const fh_planes *p, int64_t sample, int64_t channel, int64_t line, int64_t at,
                     int64_t count, const float *from);

/* A whole image of rows x width. */
void fh_planes_read_image(const fh_planes *p, int64_t sample, int64_t channel, float *to);
void fh_planes_write_image(const fh_planes *p, int64_t sample, int64_t channel, const float *from);

/* Element i of a vector, as a double; `otherwise` when `view` is NULL. */
double fh_planes_vector(const fh_view *view, int64_t i, double otherwise);
void fh_planes_set_vector(const fh_view *view, int64_t i, double value);

#endif
