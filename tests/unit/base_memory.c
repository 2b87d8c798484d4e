#include "base/memory.h"
#include "tests/test.h"
#include "tests/unit/sweep.h"

#include <stdint.h>

static size_t resizes, releases;

static void *counted_resize(void *block, size_t size)
{
    resizes++;
    return realloc(block, size);
}

static void counted_release(void *block)
{
    releases++;
    free(block);
}

static void allocator_is_replaced_and_restored(void)
{
    static const fh_allocator counting = {counted_resize, counted_release};
    fh_memory_set_allocator(&counting);
    char *block = fh_alloc(3);
    CHECK(block != NULL && resizes == 1);
    block = fh_resize(block, 300000);
    CHECK(block != NULL && resizes == 2);
    memset(block, 1, 300000);
    fh_free(block);
    fh_free(NULL);
    CHECK(releases == 1);
    fh_memory_set_allocator(NULL);
    fh_free(fh_alloc(1));
    CHECK(resizes == 2 && releases == 1);
}

static void sizes_at_the_edges(void)
{
    void *a = fh_alloc(0), *b = fh_alloc(0);
    CHECK(a && b && a != b);
    a = fh_resize(a, 0);
    CHECK(a != NULL);
    fh_free(a);
    fh_free(b);
    CHECK(fh_alloc_zero(SIZE_MAX, 2) == NULL);
    CHECK(fh_alloc_zero(SIZE_MAX / 2 + 2, 2) == NULL);
    char *zero = fh_alloc_zero(100, 3);
    size_t set = 0;
    for (size_t i = 0; zero && i < 300; i++)
        set += zero[i] != 0;
    CHECK(zero && !set);
    fh_free(zero);
    void *none = fh_alloc_zero(0, 8);
    CHECK(none != NULL);
    fh_free(none);
}

static fh_status leaks_nothing(void *context)
{
    void *a = fh_alloc(8), *b = a ? fh_alloc(8) : NULL;
    (void)context;
    fh_free(a);
    fh_free(b);
    return a && b ? FH_OK : FH_NO_MEMORY;
}

static void the_sweep_itself_counts(void)
{
    CHECK(sweep(leaks_nothing, NULL) == 2);
}

static void messages_are_cut_and_kept(void)
{
    char longer[3000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    CHECK(fh_error(FH_LIMIT, "%s", longer) == FH_LIMIT);
    CHECK(strlen(fh_error_message()) == 1023);
    CHECK(fh_error(FH_IO, "short %d", 1) == FH_IO);
    CHECK(!strcmp(fh_error_message(), "short 1"));
    CHECK(!strcmp(fh_status_text(FH_OK), "success"));
    CHECK(!strcmp(fh_status_text((fh_status)99), "unknown status"));
    CHECK(!strcmp(fh_status_text((fh_status)-1), "unknown status"));
}

int main(void)
{
    TEST(allocator_is_replaced_and_restored);
    TEST(sizes_at_the_edges);
    TEST(the_sweep_itself_counts);
    TEST(messages_are_cut_and_kept);
    return test_report();
}
