/* Philox4x32-10, block by block: ten rounds without a branch, which the compiler makes vectors of.
 */
#include "device/kern/philox.h"

#include "device/kern/simd.h"

/* Multipliers and key increments of the paper. */
#define M0 UINT32_C(0xD2511F53)
#define M1 UINT32_C(0xCD9E8D57)
#define W0 UINT32_C(0x9E3779B9)
#define W1 UINT32_C(0xBB67AE85)

FH_SIMD static void fill(uint64_t seed, uint64_t offset, uint64_t first, int64_t count,
                         uint32_t *words)
{
    FH_IVDEP for (int64_t i = 0; i < count; i++)
    {
        uint64_t index = first + (uint64_t)i;
        uint32_t c0 = (uint32_t)index, c1 = (uint32_t)(index >> 32);
        uint32_t c2 = (uint32_t)offset, c3 = (uint32_t)(offset >> 32);
        uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
        for (int round = 0; round < 10; round++) {
            uint64_t p0 = (uint64_t)M0 * c0, p1 = (uint64_t)M1 * c2;
            uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
            c1 = (uint32_t)p1;
            c3 = (uint32_t)p0;
            c0 = n0;
            c2 = n2;
            k0 += W0;
            k1 += W1;
        }
        words[4 * i] = c0;
        words[4 * i + 1] = c1;
        words[4 * i + 2] = c2;
        words[4 * i + 3] = c3;
    }
}

/* Not one of several versions itself: gcc exports those even when they are hidden. */
void fh_philox(uint64_t seed, uint64_t offset, uint64_t first, int64_t count, uint32_t *words)
{
    fill(seed, offset, first, count, words);
}
