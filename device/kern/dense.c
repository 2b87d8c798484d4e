/* Contiguous arrays from views, and back. */
#include "device/kern/dense.h"

#include "base/memory.h"

static fh_view plain_view(const fh_dense *dense)
{
    fh_view plain = *dense->view;
    int64_t stride = 1;
    plain.data = dense->data;
    plain.dtype = dense->dtype;
    for (uint32_t i = plain.rank; i-- > 0;) {
        plain.strides[i] = stride;
        stride *= plain.sizes[i];
    }
    return plain;
}

fh_status fh_dense_begin(fh_dense *dense, const fh_argument *argument, fh_dtype dtype, bool read,
                         const fh_team *team)
{
    *dense = (fh_dense){.dtype = dtype};
    if (argument->kind != FH_ARGUMENT_VIEW || !argument->view)
        return FH_OK;
    dense->view = argument->view;
    if (argument->view->dtype == dtype && fh_view_contiguous(argument->view)) {
        dense->data = argument->view->data;
        return FH_OK;
    }
    size_t bytes = (size_t)fh_view_count(argument->view) * fh_dtype_size(dtype);
    dense->data = dense->owned = fh_alloc(bytes ? bytes : 1);
    if (!dense->data)
        return fh_error(FH_NO_MEMORY, "no memory for a contiguous copy of %zu bytes", bytes);
    fh_view plain = plain_view(dense);
    return read ? fh_copy(&plain, argument->view, team) : FH_OK;
}

fh_status fh_dense_write(const fh_dense *dense, const fh_team *team)
{
    if (!dense->owned)
        return FH_OK;
    fh_view plain = plain_view(dense);
    return fh_copy(dense->view, &plain, team);
}

void fh_dense_end(fh_dense *dense, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fh_free(dense[i].owned);
}
