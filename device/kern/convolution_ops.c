/* The aclnn calls of convolution. */
#include "device/kern/convolution.h"
#include "device/kern/operators_nn.h"

static int64_t entry(const fh_argument *list, int64_t index, int64_t otherwise)
{
    if (list->kind != FH_ARGUMENT_INTEGERS || list->count == 0)
        return otherwise;
    return list->integers[list->count == 1 ? 0 : index];
}

/* Sizes and strides of the last dimensions, aligned to the last. */
static fh_image image_of(const fh_view *view, int64_t *sizes)
{
    fh_image image = {.data = view->data, .dtype = view->dtype};
    image.outer = view->strides[0], image.channel = view->strides[1];
    for (int i = 0; i < FH_SPACE; i++)
        sizes[i] = 1, image.space[i] = 0;
    for (uint32_t i = 2; i < view->rank; i++) {
        uint32_t at = i + FH_SPACE - view->rank;
        sizes[at] = view->sizes[i], image.space[at] = view->strides[i];
    }
    return image;
}

/* `x` is the tensor with the larger space of a convolution, which is the result of a transposed
 * one. `options`: stride, padding, dilation. */
static fh_status describe(fh_convolution *c, const fh_view *x, const fh_view *w, const fh_view *y,
                          const fh_argument *options, int64_t groups)
{
    const fh_view *views[] = {x, w, y};
    for (int i = 0; i < 3; i++)
        if (views[i]->dtype != FH_F32 && views[i]->dtype != FH_F16 && views[i]->dtype != FH_BF16)
            return fh_error(FH_UNSUPPORTED,
                            "a convolution of %s is not supported; use FLOAT, FLOAT16 or BFLOAT16",
                            fh_dtype_name(views[i]->dtype));
    uint32_t rank = x->rank;
    if (rank < 3 || rank > 2 + FH_SPACE || w->rank != rank || y->rank != rank || groups < 1)
        return fh_error(FH_UNSUPPORTED,
                        "a convolution of tensors of rank %u, %u and %u is not supported", rank,
                        w->rank, y->rank);
    for (int i = 0; i < 3; i++)
        if (options[i].kind == FH_ARGUMENT_INTEGERS && options[i].count > 1 &&
            options[i].count != rank - 2)
            return fh_error(FH_UNSUPPORTED,
                            "a convolution with %u paddings, strides or dilations for %u "
                            "dimensions is not supported",
                            options[i].count, rank - 2);
    *c = (fh_convolution){.samples = x->sizes[0],
                          .groups = groups,
                          .inputs = w->sizes[1],
                          .outputs = w->sizes[0] / groups};
    c->x = image_of(x, c->in), c->w = image_of(w, c->kernel), c->y = image_of(y, c->out);
    for (int i = 0; i < FH_SPACE; i++)
        c->stride[i] = c->dilation[i] = 1;
    for (uint32_t i = 0; i < rank - 2; i++) {
        uint32_t at = i + FH_SPACE + 2 - rank;
        c->stride[at] = entry(&options[0], i, 1);
        c->pad[at] = entry(&options[1], i, 0);
        c->dilation[at] = entry(&options[2], i, 1);
        if (c->stride[at] < 1 || c->dilation[at] < 1)
            return fh_error(FH_INVALID, "a convolution with a stride or dilation below 1");
    }
    return FH_OK;
}

static const fh_view *given(const fh_argument *argument)
{
    return argument->kind == FH_ARGUMENT_VIEW && fh_view_count(argument->view) ? argument->view
                                                                               : NULL;
}

fh_status fh_op_convolution(const fh_argument *x, const fh_team *team)
{
    const fh_view *input = x[0].view, *out = x[9].view, *bias = given(&x[2]);
    bool transposed = x[6].integer != 0;
    fh_convolution c;
    fh_status status = describe(&c, transposed ? out : input, x[1].view, transposed ? input : out,
                                &x[3], x[8].integer);
    if (status || fh_view_count(out) == 0)
        return status;
    return transposed ? fh_convolution_input(&c, bias, team)
                      : fh_convolution_forward(&c, bias, team);
}

fh_status fh_op_convolution_backward(const fh_argument *x, const fh_team *team)
{
    const fh_view *grad = x[0].view, *input = x[1].view, *weight = x[2].view;
    bool transposed = x[7].integer != 0;
    const bool *mask = x[10].bools;
    fh_convolution c;
    fh_status status = FH_OK;
    if (mask[0] && given(&x[12])) {
        const fh_view *to = x[12].view;
        status = describe(&c, transposed ? grad : to, weight, transposed ? to : grad, &x[4],
                          x[9].integer);
        if (!status)
            status = transposed ? fh_convolution_forward(&c, NULL, team)
                                : fh_convolution_input(&c, NULL, team);
    }
    if (!status && mask[1] && given(&x[13])) {
        status = describe(&c, transposed ? grad : input, x[13].view, transposed ? input : grad,
                          &x[4], x[9].integer);
        if (!status)
            status = fh_convolution_weight(&c, team);
    }
    if (!status && mask[2] && given(&x[14]))
        status = fh_convolution_bias(grad, x[14].view, team);
    return status;
}
