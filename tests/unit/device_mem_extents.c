#include "base/memory.h"
#include "device/mem/extents.h"
#include "os/thread.h"
#include "tests/unit/sweep.h"

#include <stdatomic.h>

enum { UNITS = 512 }; /* granules of the small set that a plain map of granules checks */

static uint64_t seed = 1;

static uint64_t random_below(uint64_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % limit;
}

/* The oracle: an owner for each granule, 0 when it is free. */
static uint32_t owner[UNITS];

static void oracle_counts(fh_extents_counts *counts)
{
    *counts = (fh_extents_counts){0};
    uint64_t run = 0;
    for (unsigned i = 0; i < UNITS; i++) {
        bool head = owner[i] && (!i || owner[i - 1] != owner[i]);
        counts->count += head;
        counts->used += owner[i] ? 1 : 0;
        run = owner[i] ? 0 : run + 1;
        counts->largest = run > counts->largest ? run : counts->largest;
    }
    counts->free = UNITS - counts->used;
}

static bool oracle_has_room(uint64_t size, uint64_t alignment, uint64_t first)
{
    for (uint64_t i = 0; i + size <= UNITS; i++) {
        uint64_t free = 0;
        while (free < size && !owner[i + free])
            free++;
        if (free == size && (first + i) % alignment == 0)
            return true;
    }
    return false;
}

static bool same_counts(const fh_extents *set, uint64_t granule)
{
    fh_extents_counts got = fh_extents_count(set), want;
    oracle_counts(&want);
    return got.used == want.used * granule && got.free == want.free * granule &&
           got.largest == want.largest * granule && got.count == want.count;
}

/* Every extent of the set against the map; free neighbours are one. */
static bool same_extents(const fh_extents *set, uint64_t start, uint64_t granule)
{
    fh_extent e;
    bool before_free = false;
    for (uint64_t at = start; at < start + UNITS * granule; at = e.start + e.size) {
        fh_extent peeked;
        if (!fh_extents_find(set, at, &e) || e.start != at || !fh_extents_peek(set, at, &peeked) ||
            peeked.start != e.start || peeked.size != e.size || peeked.tag != e.tag)
            return false;
        if (!e.used && before_free)
            return false;
        before_free = !e.used;
        for (uint64_t i = (at - start) / granule; i < (at + e.size - start) / granule; i++)
            if (owner[i] != (e.used ? (uint32_t)e.tag : 0))
                return false;
    }
    return true;
}

static void mark(uint64_t first, uint64_t size, uint32_t who)
{
    for (uint64_t i = 0; i < size; i++)
        owner[first + i] = who;
}

static void against_a_map(uint64_t start, uint64_t granule)
{
    fh_extents *set;
    uint32_t next = 1;
    memset(owner, 0, sizeof owner);
    CHECK(fh_extents_create(start, UNITS * granule, granule, &set) == FH_OK);
    for (int step = 0; step < 20000 / TEST_EVERY; step++) {
        uint64_t size = 1 + random_below(random_below(4) ? 8 : 64), at;
        uint64_t unit = random_below(UNITS);
        switch (random_below(4)) {
        case 0:
        case 1: {
            uint64_t alignment = (uint64_t)1 << random_below(7);
            fh_extents_end end = random_below(2) ? FH_EXTENTS_LOW : FH_EXTENTS_HIGH;
            bool room = oracle_has_room(size, alignment, start / granule);
            fh_status status = fh_extents_allocate(set, size * granule - random_below(granule),
                                                   alignment * granule, end, next, &at);
            CHECK(status == (room ? FH_OK : FH_LIMIT));
            if (!status) {
                uint64_t first = (at - start) / granule;
                CHECK(at % (alignment * granule) == 0 && first + size <= UNITS);
                for (uint64_t i = 0; i < size; i++)
                    CHECK(!owner[first + i]);
                mark(first, size, next++);
            }
            break;
        }
        case 2: {
            bool clear = unit + size <= UNITS;
            for (uint64_t i = 0; clear && i < size; i++)
                clear = !owner[unit + i];
            fh_status want = clear ? FH_OK : unit + size <= UNITS ? FH_LIMIT : FH_INVALID;
            CHECK(fh_extents_take(set, start + unit * granule, size * granule, next) == want);
            if (clear)
                mark(unit, size, next++);
            break;
        }
        default: {
            bool head = owner[unit] && (!unit || owner[unit - 1] != owner[unit]);
            fh_status status = fh_extents_free(set, start + unit * granule);
            CHECK(status == (head ? FH_OK : FH_INVALID));
            for (uint64_t i = unit, who = owner[unit]; head && i < UNITS && owner[i] == who; i++)
                owner[i] = 0;
        }
        }
        if (!same_counts(set, granule) || (step % 16 == 0 && !same_extents(set, start, granule))) {
            CHECK(!"the set differs from the map");
            break;
        }
    }
    fh_extents_destroy(set);
}

static void random_operations(void)
{
    against_a_map(0, 1);
    against_a_map(1 << 21, 512);
    against_a_map(UINT64_MAX - UNITS * 4096 + 1 - 4096, 4096);
}

static void edges(void)
{
    fh_extents *set;
    uint64_t at = 77;
    CHECK(fh_extents_create(0, 0, 512, &set) == FH_INVALID);
    CHECK(fh_extents_create(0, 1000, 512, &set) == FH_INVALID);
    CHECK(fh_extents_create(100, 1024, 512, &set) == FH_INVALID);
    CHECK(fh_extents_create(0, 1024, 0, &set) == FH_INVALID);
    CHECK(fh_extents_create(0, 1024, 3, &set) == FH_INVALID);
    CHECK(fh_extents_create(UINT64_MAX - 1023, 2048, 1024, &set) == FH_INVALID);
    CHECK(fh_extents_create(1 << 20, 8192, 512, &set) == FH_OK);
    CHECK(fh_extents_allocate(set, 0, 512, FH_EXTENTS_LOW, 0, &at) == FH_INVALID);
    CHECK(fh_extents_allocate(set, 1, 0, FH_EXTENTS_LOW, 0, &at) == FH_INVALID);
    CHECK(fh_extents_allocate(set, 1, 768, FH_EXTENTS_LOW, 0, &at) == FH_INVALID);
    CHECK(fh_extents_allocate(set, UINT64_MAX, 512, FH_EXTENTS_LOW, 0, &at) == FH_LIMIT);
    CHECK(fh_extents_allocate(set, 8193, 512, FH_EXTENTS_LOW, 0, &at) == FH_LIMIT);
    CHECK(fh_extents_allocate(set, 1, (uint64_t)1 << 63, FH_EXTENTS_LOW, 0, &at) == FH_LIMIT);
    CHECK(fh_extents_allocate(set, 1, (uint64_t)1 << 63, FH_EXTENTS_HIGH, 0, &at) == FH_LIMIT);
    CHECK(at == 77);
    CHECK(fh_extents_allocate(set, 8192, 1 << 20, FH_EXTENTS_LOW, 5, &at) == FH_OK);
    CHECK(at == 1 << 20);
    CHECK(fh_extents_allocate(set, 1, 1, FH_EXTENTS_LOW, 0, &at) == FH_LIMIT);
    CHECK(strstr(fh_error_message(), "largest: 0"));
    CHECK(fh_extents_free(set, at + 512) == FH_INVALID);
    CHECK(fh_extents_free(set, 0) == FH_INVALID);
    CHECK(fh_extents_free(set, at + 8192) == FH_INVALID);
    CHECK(fh_extents_set_tag(set, at, 9) && !fh_extents_set_tag(set, at + 512, 9));
    fh_extent e;
    CHECK(fh_extents_peek(set, at + 8191, &e) && e.tag == 9 && e.start == at && e.used);
    CHECK(!fh_extents_peek(set, at + 8192, &e) && !fh_extents_peek(set, at - 1, &e));
    CHECK(fh_extents_free(set, at) == FH_OK);
    CHECK(fh_extents_free(set, at) == FH_INVALID);
    CHECK(fh_extents_take(set, at, 0, 0) == FH_INVALID);
    CHECK(fh_extents_take(set, at, UINT64_MAX - 511, 0) == FH_INVALID);
    CHECK(fh_extents_take(set, UINT64_MAX - 511, 512, 0) == FH_INVALID);
    CHECK(fh_extents_take(set, at + 1, 512, 0) == FH_INVALID);
    CHECK(fh_extents_count(set).count == 0 && fh_extents_count(set).largest == 8192);
    fh_extents_destroy(set);
    fh_extents_destroy(NULL);
}

/* A hundred thousand blocks: the tree stays shallow, and everything comes back as one. */
static void many_blocks(void)
{
    enum { BLOCKS = 100000 / TEST_EVERY };
    fh_extents *set;
    uint64_t *starts = fh_alloc(BLOCKS * sizeof *starts), at;
    CHECK(fh_extents_create(0, (uint64_t)BLOCKS * 1024, 512, &set) == FH_OK);
    for (unsigned i = 0; i < BLOCKS; i++)
        CHECK(fh_extents_allocate(set, 512, 1024, FH_EXTENTS_LOW, i, &starts[i]) == FH_OK);
    CHECK(fh_extents_count(set).largest == 512 && fh_extents_count(set).count == BLOCKS);
    CHECK(fh_extents_allocate(set, 512, 1024, FH_EXTENTS_LOW, 0, &at) == FH_LIMIT);
    for (unsigned i = BLOCKS; i-- > 1;) {
        unsigned j = (unsigned)random_below(i + 1);
        uint64_t kept = starts[i];
        starts[i] = starts[j];
        starts[j] = kept;
    }
    for (unsigned i = 0; i < BLOCKS; i++)
        CHECK(fh_extents_free(set, starts[i]) == FH_OK);
    CHECK(fh_extents_count(set).largest == (uint64_t)BLOCKS * 1024);
    fh_extents_destroy(set);
    fh_free(starts);
}

static fh_status fill(void *context)
{
    (void)context;
    fh_extents *set;
    uint64_t at;
    fh_status status = fh_extents_create(0, 1 << 20, 512, &set);
    if (status)
        return status;
    for (unsigned i = 0; !status && i < 1000; i++)
        status = fh_extents_allocate(set, 512, 1024, FH_EXTENTS_LOW, 0, &at);
    /* What failed has changed nothing, and freeing needs no memory. */
    uint64_t count = fh_extents_count(set).count;
    for (uint64_t i = 0; i < count; i++)
        CHECK(fh_extents_free(set, i * 1024) == FH_OK);
    CHECK(fh_extents_count(set).largest == 1 << 20);
    fh_extents_destroy(set);
    return status;
}

static void allocation_failures(void)
{
    CHECK(sweep(fill, NULL) > 3);
}

static fh_extents *shared;
static atomic_bool stop;

/* Worker 0 changes the set, the others peek: what they see was true at some time. */
static void change_or_peek(void *context, size_t index, unsigned worker)
{
    atomic_long *seen = context;
    (void)worker;
    if (index == 0) {
        for (int i = 0; i < 30000 / TEST_EVERY; i++) {
            uint64_t at;
            if (!fh_extents_allocate(shared, 512 + 512 * (unsigned)(i % 7), 512, FH_EXTENTS_LOW, 0,
                                     &at))
                fh_extents_set_tag(shared, at, at + 1);
            if (i % 3)
                fh_extents_free(shared, (uint64_t)(i % 128) * 512);
        }
        atomic_store(&stop, true);
        return;
    }
    for (uint64_t at = 0; !atomic_load(&stop); at = (at + 512) % (128 * 512)) {
        fh_extent e;
        if (!fh_extents_peek(shared, at, &e))
            continue;
        atomic_fetch_add(seen, 1);
        if (at < e.start || at - e.start >= e.size || e.size > 128 * 512 ||
            (e.tag && e.tag != e.start + 1))
            atomic_store(seen, -1000000000);
    }
}

static void peeking_while_it_changes(void)
{
    atomic_long seen = 0;
    CHECK(fh_extents_create(0, 128 * 512, 512, &shared) == FH_OK);
    CHECK(fh_parallel_for(4, 4, change_or_peek, &seen) == FH_OK);
    CHECK(seen >= 0);
    fh_extents_destroy(shared);
}

int main(void)
{
    TEST(edges);
    TEST(random_operations);
    TEST(many_blocks);
    TEST(allocation_failures);
    TEST(peeking_while_it_changes);
    return test_report();
}
