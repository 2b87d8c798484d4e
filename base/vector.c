#include "base/vector.h"

bool fh_vector_grow(void *vector, uint32_t more, size_t size)
{
    fh_vector_any *any = vector;
    uint64_t needed = (uint64_t)any->count + more;
    uint64_t capacity = any->capacity + any->capacity / 2;
    if (capacity < needed)
        capacity = needed;
    if (capacity < 8)
        capacity = 8;

    void *items = needed > INT32_MAX ? NULL : fh_resize(any->items, (size_t)capacity * size);
    if (!items) {
        any->failed = true;
        return false;
    }
    any->items = items;
    any->capacity = (uint32_t)capacity;
    return true;
}
