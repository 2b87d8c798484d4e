/* philox.h: counter-based random numbers: Philox4x32-10 (Salmon and others, "Parallel random
 * numbers: as easy as 1, 2, 3", 2011).
 *
 * The stream of a call: block i is Philox of the counter {i, i >> 32, offset,
 * offset >> 32} under the key {seed, seed >> 32}, four words of 32 bits. Two
 * calls with the same seed share no block unless their offsets are equal.
 * What follows depends on nothing else, neither threads nor layout:
 *   uniform, 4 elements a block: the upper 24 bits of a word over 2^24 (f16 the
 *     upper 11 over 2^11, bf16 8 over 2^8); f64: 2 a block, 53 bits of two words;
 *   normal: pairs of words (pairs of pairs for f64) by Box and Muller: radius
 *     from the first, cosine then sine of the second's angle;
 *   bernoulli: whether the uniform f32 number is below p;
 *   integers: 2 a block, 64 bits modulo the range;
 *   dropout: 8 bits of the mask a block, one for 16 bits, lowest first: kept
 *     where these are not below p 2^16. */
#ifndef FH_KERN_PHILOX_H
#define FH_KERN_PHILOX_H

#include <stdint.h>

/* The words of blocks [first, first + count), four each. */
void fh_philox(uint64_t seed, uint64_t offset, uint64_t first, int64_t count, uint32_t *words);

#endif
