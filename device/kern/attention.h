/* attention.h: what forward and backward of attention share.
 *
 *     out = dropout(softmax(mask(scale (q k' + pse)))) v
 *
 * Every tensor is seen as [batch, head, token, element] with strides of its
 * own, so that layouts are no concern of the loops. Work is cut into blocks of
 * queries and keys whose products the libraries compute in f32.
 */
#ifndef FH_KERN_ATTENTION_H
#define FH_KERN_ATTENTION_H

#include "base/status.h"
#include "device/kern/team.h"
#include "device/kern/view.h"

enum { FH_QUERY_BLOCK = 64, FH_KEY_BLOCK = 256 };

typedef struct {
    void *data; /* NULL: absent */
    fh_dtype dtype;
    int64_t batch, head, token, element;
} fh_heads;

typedef struct {
    int64_t batches, heads, kv_heads, queries, keys, depth, value_depth;
    fh_heads q, k, v, out;
    fh_heads mask; /* bool or u8, not 0 hides; head, token and element strides may be 0 */
    fh_heads pse;
    fh_heads max, sum;        /* f32, 8 times each value; absent for inference */
    fh_heads lse;             /* f32 [batch, head, token]; absent mostly */
    const uint8_t *drop_bits; /* NULL: none; bit ((b heads + h) queries + i) keys + j: kept */
    const int64_t *query_lengths, *key_lengths; /* per batch; NULL: all */
    double scale, keep;
    bool band; /* keys from i - before to i + after + (lower right: keys - queries) only */
    bool lower_right;
    int64_t before, after;
} fh_attention;

/* The keys that query `i` may see, as far as lengths and band say: [*begin, *end). */
void fh_attention_range(const fh_attention *a, int64_t batch, int64_t i, int64_t *begin,
                        int64_t *end);

/* Where rows of a tensor are, as f32: as they lie, or copied into `copy`. */
typedef struct {
    const float *data;
    int64_t stride;
} fh_rows;
fh_rows fh_attention_rows(const fh_heads *tensor, int64_t batch, int64_t head, int64_t token,
                          int64_t tokens, int64_t depth, float *copy);

/* Makes of products the logits of queries [i, i + rows) and keys [j, j + columns): scaled, with
 * pse, and -infinity where hidden. `stride` is FH_KEY_BLOCK. */
void fh_attention_logits(const fh_attention *a, int64_t batch, int64_t head, int64_t i,
                         int64_t rows, int64_t j, int64_t columns, float *s);

/* Multiplies what dropout keeps by 1 / keep, and the rest by 0. */
void fh_attention_drop(const fh_attention *a, int64_t batch, int64_t head, int64_t i, int64_t rows,
                       int64_t j, int64_t columns, float *p);

fh_status fh_attention_forward(const fh_attention *a, const fh_team *team);

typedef struct {
    fh_attention forward;
    fh_heads dout, dq, dk, dv;
} fh_attention_gradients;
fh_status fh_attention_backward(const fh_attention_gradients *g, const fh_team *team);

#endif
