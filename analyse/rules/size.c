#include "analyse/rules/size.h"

/* Arguments of the call, as the formulas below want them. */
typedef struct {
    fh_resolver *resolver;
    uint32_t unit;
    const fh_unit *u;
    const fh_call *call;
} arguments;

/* Argument `name` or at `position` as a number; `otherwise` when it is not given, -1 when it
 * is given but not known. A tuple counts as the product of its numbers. */
static double number(const arguments *a, int position, const char *name, double otherwise)
{
    fh_value_index value = fh_call_argument(a->u, a->call, position, name);
    if (!value)
        return otherwise;
    int64_t integer;
    if (fh_resolve_integer(a->resolver, a->unit, value, &integer))
        return (double)integer;
    fh_meanings all;
    fh_resolve(a->resolver, a->unit, value, &all);
    if (all.count != 1 || all.items[0].kind != FH_MEANS_LITERAL)
        return -1;
    const fh_unit *owner = a->unit == all.items[0].unit ? a->u : NULL;
    const fh_value *v = owner ? fh_unit_value(owner, all.items[0].index) : NULL;
    if (!v || (v->kind != FH_VALUE_TUPLE && v->kind != FH_VALUE_LIST) || !v->b)
        return -1;
    double product = 1;
    for (uint32_t i = 0; i < v->b; i++) {
        if (!fh_resolve_integer(a->resolver, a->unit, owner->lists.items[v->a + i], &integer))
            return -1;
        product *= (double)integer;
    }
    return product;
}

/* A kernel size or stride of `dimensions` dimensions: a single number stands for all of them. */
static double volume(const arguments *a, unsigned dimensions, int position, const char *name,
                     double otherwise)
{
    fh_value_index value = fh_call_argument(a->u, a->call, position, name);
    int64_t side;
    if (!fh_resolve_integer(a->resolver, a->unit, value, &side))
        return number(a, position, name, otherwise);
    double all = 1;
    for (unsigned i = 0; i < dimensions; i++)
        all *= (double)side;
    return all;
}

/* 1 unless bias=False. */
static double has_bias(const arguments *a, int position, const char *name)
{
    bool truth;
    fh_value_index value = fh_call_argument(a->u, a->call, position, name);
    return !(value && fh_resolve_bool(a->resolver, a->unit, value, &truth) && !truth);
}

const fh_size fh_size_unknown = {-1, -1, "", 0};

/* y = x W^T + b: in * out multiplications and additions for each token. */
static fh_size linear(const arguments *a)
{
    double in = number(a, 0, "in_features", -1), out = number(a, 1, "out_features", -1);
    if (in <= 0 || out <= 0)
        return fh_size_unknown;
    return (fh_size){in * out + has_bias(a, 2, "bias") * out, 2 * in * out, "token", in + out};
}

static fh_size convolution(const arguments *a, unsigned dimensions, bool is_transposed)
{
    double in = number(a, 0, "in_channels", -1), out = number(a, 1, "out_channels", -1);
    double area = volume(a, dimensions, 2, "kernel_size", -1), groups = number(a, 6, "groups", 1);
    double stride = volume(a, dimensions, 3, "stride", 1);
    if (in <= 0 || out <= 0 || area <= 0 || groups <= 0)
        return fh_size_unknown;
    double weights = in * out * area / groups;
    /* Groups and bias stand at the same positions in both forms. Work counts for one pixel of a
     * convolution's output, or of a transposed convolution's input; the other side has `stride`
     * times as many, of which each is read or written once. */
    double moved = is_transposed ? in + stride * out : stride * in + out;
    return (fh_size){weights + has_bias(a, 7, "bias") * out, 2 * weights, "pixel",
                     stride > 0 ? moved : 0};
}

static fh_size embedding(const arguments *a)
{
    double rows = number(a, 0, "num_embeddings", -1), width = number(a, 1, "embedding_dim", -1);
    if (rows <= 0 || width <= 0)
        return fh_size_unknown;
    return (fh_size){rows * width, 0, "token", 2 * width};
}

/* Four projections of width x width; what softmax(QK)V costs depends on the length. */
static fh_size attention(const arguments *a)
{
    double width = number(a, 0, "embed_dim", -1);
    if (width <= 0)
        return fh_size_unknown;
    return (fh_size){4 * width * width + has_bias(a, 3, "bias") * 4 * width, 8 * width * width,
                     "token", 0};
}

static fh_size normalisation(const arguments *a, const char *name, double vectors)
{
    double width = number(a, 0, name, -1);
    return width > 0 ? (fh_size){vectors * width, -1, "", 0} : fh_size_unknown;
}

/* `gates` gates, each with an input and a state matrix and two bias vectors, per layer. */
static fh_size recurrent(const arguments *a, double gates)
{
    double in = number(a, 0, "input_size", -1), state = number(a, 1, "hidden_size", -1);
    double layers = number(a, 2, "num_layers", 1);
    if (in <= 0 || state <= 0 || layers <= 0)
        return fh_size_unknown;
    double weights =
        gates * (in * state + state * state) + (layers - 1) * gates * 2 * state * state;
    return (fh_size){weights + layers * gates * 2 * state, 2 * weights, "token", 0};
}

fh_size fh_size_of(fh_resolver *resolver, uint32_t unit, const fh_unit *u, const fh_site *site)
{
    if (!site->call || !fh_text_starts(site->name, "torch.nn."))
        return fh_size_unknown;
    arguments a = {resolver, unit, u, &u->calls.items[site->call]};
    fh_text name = fh_text_slice(site->name, sizeof "torch.nn." - 1, site->name.length);
    if (fh_text_is(name, "Linear"))
        return linear(&a);
    if (fh_text_is(name, "Conv1d") || fh_text_is(name, "Conv2d") || fh_text_is(name, "Conv3d"))
        return convolution(&a, (unsigned)(name.data[4] - '0'), false);
    if (fh_text_starts(name, "ConvTranspose") && name.length == sizeof "ConvTranspose2d" - 1)
        return convolution(&a, (unsigned)(name.data[13] - '0'), true);
    if (fh_text_is(name, "Embedding"))
        return embedding(&a);
    if (fh_text_is(name, "MultiheadAttention"))
        return attention(&a);
    if (fh_text_is(name, "LayerNorm"))
        return normalisation(&a, "normalized_shape", 2);
    if (fh_text_is(name, "RMSNorm"))
        return normalisation(&a, "normalized_shape", 1);
    if (fh_text_starts(name, "BatchNorm"))
        return normalisation(&a, "num_features", 2);
    if (fh_text_is(name, "LSTM"))
        return recurrent(&a, 4);
    if (fh_text_is(name, "GRU"))
        return recurrent(&a, 3);
    if (fh_text_is(name, "RNN"))
        return recurrent(&a, 1);
    return fh_size_unknown;
}

const char *fh_size_per(fh_text name)
{
    static const char *const all[] = {"", "token", "pixel", NULL};
    for (const char *const *per = all; *per; per++)
        if (fh_text_is(name, *per))
            return *per;
    return NULL;
}
