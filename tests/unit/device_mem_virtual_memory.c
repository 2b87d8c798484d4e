#include "device/mem/lookup.h"
#include "device/mem/virtual_memory.h"
#include "os/thread.h"
#include "tests/unit/device_mem.h"
#include "tests/unit/sweep.h"

#include <unistd.h>

enum { UNIT = FH_GRANULARITY };

static char *plus(void *address, uint64_t units)
{
    return (char *)address + units * UNIT;
}

/* Whether the byte at a kernel address can be read, without reading it here. */
static bool readable(const void *kernel)
{
    int ends[2];
    bool yes = !pipe(ends) && write(ends[1], kernel, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return yes;
}

static void reservations(void)
{
    void *a = NULL, *b, *c;
    int host;
    CHECK(mem_start(2, 8 * MIB, true) == FH_OK);
    CHECK(fh_virtual_reserve(0, 0, NULL, &a) == FH_INVALID);
    CHECK(fh_virtual_reserve(1, 3, NULL, &a) == FH_INVALID);
    CHECK(fh_virtual_reserve(1, (uint64_t)1 << 63, NULL, &a) == FH_LIMIT);
    CHECK(fh_virtual_reserve(UINT64_MAX, 0, NULL, &a) == FH_LIMIT && mem_says("FOOTHOLD_MEMORY"));
    CHECK(fh_virtual_reserve(48 * MIB + 1, 0, NULL, &a) == FH_LIMIT && !a);
    CHECK(fh_virtual_reserve(48 * MIB, 0, NULL, &a) == FH_OK);
    CHECK(fh_virtual_reserve(512, 0, NULL, &b) == FH_LIMIT);
    CHECK(fh_virtual_release(plus(a, 1)) == FH_INVALID && mem_says("within"));
    CHECK(fh_virtual_release(&host) == FH_INVALID && fh_virtual_release(NULL) == FH_INVALID);
    CHECK(fh_virtual_release(a) == FH_OK && fh_virtual_release(a) == FH_INVALID);
    CHECK(fh_virtual_reserve(512, 0, NULL, &a) == FH_OK && (uintptr_t)a % UNIT == 0);
    CHECK(fh_virtual_reserve(1, 16 * MIB, NULL, &b) == FH_OK && (uintptr_t)b % (16 * MIB) == 0);
    CHECK(fh_virtual_reserve(UNIT, 0, a, &c) == FH_LIMIT && mem_says("reserved"));
    CHECK(fh_virtual_reserve(UNIT, 0, (char *)a + 512, &c) == FH_INVALID);
    CHECK(fh_virtual_reserve(UNIT, 0, (void *)fh_space_slot(0), &c) == FH_UNSUPPORTED);
    CHECK(fh_virtual_reserve(UNIT, 0, (void *)(uintptr_t)(16 << 20), &c) == FH_UNSUPPORTED);
    CHECK(fh_virtual_reserve(UNIT, 16 * MIB, plus(b, 1), &c) == FH_INVALID);
    CHECK(fh_virtual_reserve(3, 0, plus(b, 1), &c) == FH_OK && c == plus(b, 1));
    CHECK(fh_virtual_release(a) == FH_OK && fh_virtual_release(b) == FH_OK);
    CHECK(fh_virtual_release(c) == FH_OK);
    fh_memory_stop();
}

static void bad_pages(void)
{
    fh_pages *pages;
    CHECK(mem_start(1, 8 * MIB, true) == FH_OK);
    CHECK(fh_pages_create(0, 0, &pages) == FH_INVALID);
    CHECK(fh_pages_create(0, UNIT + 512, &pages) == FH_INVALID);
    CHECK(fh_pages_create(1, UNIT, &pages) == FH_INVALID);
    CHECK(fh_pages_create(0, 10 * MIB, &pages) == FH_NO_MEMORY && mem_says("largest"));
    CHECK(fh_pages_create(0, UINT64_MAX - UNIT + 1, &pages) == FH_NO_MEMORY);
    CHECK(mem_used(0) == 0);
    fh_memory_stop();
}

/* The same pages at two places are the same bytes; they go with the last that holds them. */
static void mapping(void)
{
    void *base;
    fh_pages *pages, *again;
    for (int isolation = 0; isolation < 2; isolation++) {
        CHECK(mem_start(1, 16 * MIB, isolation) == FH_OK);
        CHECK(fh_virtual_reserve(8 * UNIT, 0, NULL, &base) == FH_OK);
        CHECK(fh_pages_create(0, 2 * UNIT, &pages) == FH_OK && mem_used(0) == 2 * UNIT);
        CHECK(fh_virtual_map(base, 2 * UNIT, 0, pages) == FH_OK);
        CHECK(fh_virtual_map(plus(base, 4), UNIT, UNIT, pages) == FH_OK);
        *mem_byte(plus(base, 1) + 5) = 77;
        CHECK(*mem_byte(plus(base, 4) + 5) == 77);
        CHECK(readable(base) == !isolation && readable(fh_space_kernel(base)));
        fh_pages_drop(pages);
        CHECK(mem_used(0) == 2 * UNIT);
        CHECK(fh_virtual_unmap(plus(base, 1)) == FH_INVALID && mem_says("as a whole"));
        CHECK(fh_virtual_release(base) == FH_INVALID && mem_says("unmap"));
        CHECK(fh_virtual_unmap(base) == FH_OK && mem_used(0) == 2 * UNIT);
        CHECK(!readable(fh_space_kernel(base)));
        CHECK(fh_virtual_unmap(base) == FH_INVALID);
        CHECK(fh_pages_at(plus(base, 4) + 9, &again) == FH_OK && again == pages);
        CHECK(fh_pages_size(again) == 2 * UNIT && fh_pages_device(again) == 0);
        CHECK(fh_pages_at(base, &again) == FH_INVALID);
        CHECK(fh_virtual_unmap(plus(base, 4)) == FH_OK && mem_used(0) == 2 * UNIT);
        fh_pages_drop(pages);
        CHECK(mem_used(0) == 0);
        CHECK(fh_virtual_release(base) == FH_OK);
        fh_memory_stop();
    }
}

static void wrong_mappings(void)
{
    void *a, *b;
    fh_pages *pages;
    int host;
    CHECK(mem_start(2, 16 * MIB, true) == FH_OK);
    CHECK(fh_virtual_reserve(2 * UNIT, 0, NULL, &a) == FH_OK);
    CHECK(fh_virtual_reserve(2 * UNIT, 0, NULL, &b) == FH_OK && b == plus(a, 2));
    CHECK(fh_pages_create(1, 4 * UNIT, &pages) == FH_OK);
    CHECK(fh_virtual_map(a, 0, 0, pages) == FH_INVALID);
    CHECK(fh_virtual_map(a, 512, 0, pages) == FH_INVALID);
    CHECK(fh_virtual_map(a, UNIT, 512, pages) == FH_INVALID);
    CHECK(fh_virtual_map((char *)a + 4096, UNIT, 0, pages) == FH_INVALID);
    CHECK(fh_virtual_map(a, UNIT, 4 * UNIT, pages) == FH_INVALID &&
          mem_says("physical memory has"));
    CHECK(fh_virtual_map(a, UNIT, UINT64_MAX - UNIT + 1, pages) == FH_INVALID);
    CHECK(fh_virtual_map(a, UINT64_MAX - UNIT + 1, 0, pages) == FH_INVALID);
    CHECK(fh_virtual_map(a, 3 * UNIT, 0, pages) == FH_INVALID && mem_says("one range"));
    CHECK(fh_virtual_map(plus(b, 2), UNIT, 0, pages) == FH_INVALID);
    CHECK(fh_virtual_map((void *)fh_space_slot(0), UNIT, 0, pages) == FH_INVALID);
    CHECK(fh_virtual_map(NULL, UNIT, 0, pages) == FH_INVALID);
    CHECK(fh_virtual_map(plus(a, 1), UNIT, 0, pages) == FH_OK);
    CHECK(fh_virtual_map(plus(a, 1), UNIT, 0, pages) == FH_LIMIT && mem_says("is mapped from"));
    CHECK(fh_virtual_map(a, 2 * UNIT, 0, pages) == FH_LIMIT);
    CHECK(fh_virtual_map(a, UNIT, 0, pages) == FH_OK);
    CHECK(fh_virtual_unmap(&host) == FH_INVALID && fh_virtual_unmap(NULL) == FH_INVALID);
    CHECK(fh_virtual_unmap(b) == FH_INVALID);

    fh_access access;
    CHECK(fh_virtual_get_access(a, 1, &access) == FH_OK && access == FH_ACCESS_READ_WRITE);
    CHECK(fh_virtual_get_access((char *)a + 7, 0, &access) == FH_OK && access == FH_ACCESS_NONE);
    CHECK(fh_virtual_set_access(a, UNIT, 0, FH_ACCESS_READ) == FH_OK);
    CHECK(fh_virtual_set_access(a, UNIT, 1, FH_ACCESS_NONE) == FH_OK);
    CHECK(fh_virtual_get_access(a, 0, &access) == FH_OK && access == FH_ACCESS_READ);
    CHECK(fh_virtual_get_access(a, 1, &access) == FH_OK && access == FH_ACCESS_NONE);
    CHECK(fh_virtual_set_access(a, UNIT, 2, FH_ACCESS_READ) == FH_INVALID);
    CHECK(fh_virtual_set_access(a, UNIT, 0, (fh_access)3) == FH_INVALID);
    CHECK(fh_virtual_set_access(a, 2 * UNIT, 0, FH_ACCESS_READ) == FH_INVALID);
    CHECK(fh_virtual_set_access((char *)a + 512, UNIT, 0, FH_ACCESS_READ) == FH_INVALID);
    CHECK(fh_virtual_get_access(b, 0, &access) == FH_INVALID);
    /* A new mapping at the place begins with the usual access. */
    CHECK(fh_virtual_unmap(a) == FH_OK && fh_virtual_map(a, UNIT, 0, pages) == FH_OK);
    CHECK(fh_virtual_get_access(a, 1, &access) == FH_OK && access == FH_ACCESS_READ_WRITE);
    fh_pages_drop(pages);
    fh_memory_stop(); /* what is mapped goes, too */
}

static void looking_up(void)
{
    void *base;
    fh_pages *pages;
    CHECK(mem_start(3, 16 * MIB, true) == FH_OK);
    CHECK(fh_virtual_reserve(3 * UNIT, 0, NULL, &base) == FH_OK);
    CHECK(fh_pages_create(2, UNIT, &pages) == FH_OK);
    CHECK(fh_virtual_map(plus(base, 1), UNIT, 0, pages) == FH_OK);
    fh_place place = fh_lookup(plus(base, 1) + 100);
    CHECK(place.kind == FH_PLACE_MAPPED && place.device == 2 && place.offset == 100);
    CHECK(place.address == (uintptr_t)plus(base, 1) && place.size == UNIT);
    place = fh_lookup(plus(base, 2));
    CHECK(place.kind == FH_PLACE_RESERVED && place.address == (uintptr_t)base);
    CHECK(place.offset == 2 * UNIT && place.size == 3 * UNIT);
    CHECK(fh_lookup(plus(base, 3)).kind == FH_PLACE_UNUSED);
    CHECK(fh_lookup((void *)(fh_space_slot(2) + 15 * MIB)).kind == FH_PLACE_PAGES);
    CHECK(fh_lookup((void *)fh_space_slot(2)).kind == FH_PLACE_FREE);
    fh_pages_drop(pages);
    fh_memory_stop();
}

/* As PyTorch's expandable segments do: many small pages, in and out, in several threads. */
static void segments(void *context, size_t index, unsigned worker)
{
    atomic_int *wrong = context;
    void *base;
    fh_pages *pages[8];
    (void)worker;
    if (fh_virtual_reserve(8 * UNIT, 0, NULL, &base)) {
        atomic_fetch_add(wrong, 1);
        return;
    }
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 8; i++) {
            if (fh_pages_create(index % 2, UNIT, &pages[i]) ||
                fh_virtual_map(plus(base, (uint64_t)i), UNIT, 0, pages[i])) {
                atomic_fetch_add(wrong, 1);
                return;
            }
            *mem_byte(plus(base, (uint64_t)i)) = (unsigned char)index;
        }
        for (int i = 0; i < 8; i++) {
            if (*mem_byte(plus(base, (uint64_t)i)) != (unsigned char)index ||
                fh_virtual_unmap(plus(base, (uint64_t)i)))
                atomic_fetch_add(wrong, 1);
            fh_pages_drop(pages[i]);
        }
    }
    if (fh_virtual_release(base))
        atomic_fetch_add(wrong, 1);
}

static void threads(void)
{
    atomic_int wrong = 0;
    CHECK(mem_start(2, 256 * MIB, true) == FH_OK);
    CHECK(fh_parallel_for(8, 16, segments, &wrong) == FH_OK);
    CHECK(wrong == 0 && mem_used(0) == 0 && mem_used(1) == 0);
    fh_memory_stop();
}

static fh_status use(void *context)
{
    (void)context;
    void *base = NULL;
    fh_pages *pages = NULL;
    fh_status status = mem_start(2, 24 * MIB, true);
    if (status)
        return status;
    status = fh_virtual_reserve(70 * UNIT, 0, NULL, &base);
    if (!status)
        status = fh_pages_create(0, UNIT, &pages);
    for (uint64_t i = 0; !status && i < 70; i++) { /* more than a first chunk of nodes */
        status = fh_virtual_map(plus(base, i), UNIT, 0, pages);
        if (!status)
            status = fh_virtual_set_access(plus(base, i), UNIT, 1, FH_ACCESS_READ);
    }
    if (pages)
        fh_pages_drop(pages);
    fh_memory_stop();
    return status;
}

static void allocation_failures(void)
{
    CHECK(sweep(use, NULL) > 70);
}

int main(void)
{
    TEST(reservations);
    TEST(bad_pages);
    TEST(mapping);
    TEST(wrong_mappings);
    TEST(looking_up);
    TEST(threads);
    TEST(allocation_failures);
    return test_report();
}
