/* What can be said of a view without touching its elements. */
#include "device/kern/view.h"

bool fh_view_contiguous(const fh_view *view)
{
    int64_t expected = 1;
    for (uint32_t i = view->rank; i-- > 0;) {
        if (view->sizes[i] == 0)
            return true;
        if (view->sizes[i] != 1 && view->strides[i] != expected)
            return false;
        expected *= view->sizes[i];
    }
    return true;
}

bool fh_view_same_shape(const fh_view *a, const fh_view *b)
{
    if (a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->sizes[i] != b->sizes[i])
            return false;
    return true;
}
