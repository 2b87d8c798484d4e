/* hash.h: XXH3, the one hash of this project: fast, well mixed, not secret. */
#ifndef FH_BASE_HASH_H
#define FH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t low, high;
} fh_hash128;

/* 64 bits, for tables in memory. */
uint64_t fh_hash(const void *data, size_t length);

/* 128 bits, to stand for the content of a file. */
fh_hash128 fh_hash_content(const void *data, size_t length);

#endif
