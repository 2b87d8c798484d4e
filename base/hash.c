#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t fh_hash(const void *data, size_t length)
{
    return XXH3_64bits(data, length);
}

fh_hash128 fh_hash_content(const void *data, size_t length)
{
    XXH128_hash_t hash = XXH3_128bits(data, length);
    return (fh_hash128){hash.low64, hash.high64};
}
