/* search.h: a place in what is sorted.
 *
 *     uint32_t at;
 *     FH_BISECT(at, 0, numbers.count, numbers.items[at] < 7);
 *
 * is the first place in [first, end) for which `is_before`, an expression of that place, is false,
 * or `end` when there is none. It must hold for all places in front of one for which it holds.
 */
#ifndef FH_BASE_SEARCH_H
#define FH_BASE_SEARCH_H

#include <stdint.h>

#define FH_BISECT(at, first, end, is_before) \
    do { \
        uint32_t low_ = (first), high_ = (end); \
        while (low_ < high_) { \
            (at) = low_ + (high_ - low_) / 2; \
            if (is_before) \
                low_ = (at) + 1; \
            else \
                high_ = (at); \
        } \
        (at) = low_; \
    } while (0)

#endif
