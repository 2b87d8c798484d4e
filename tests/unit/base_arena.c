#include "base/arena.h"
#include "tests/test.h"
#include "tests/unit/sweep.h"

static void blocks_are_aligned_and_apart(void)
{
    static const size_t sizes[] = {0, 1, 15, 16, 17, 100, 16383, 16384, 16385, 65536, 200000};
    fh_arena arena = {0};
    char *blocks[44];
    for (size_t i = 0; i < 44; i++) {
        size_t size = sizes[i % 11];
        blocks[i] = fh_arena_alloc(&arena, size);
        CHECK(blocks[i] && (uintptr_t)blocks[i] % 16 == 0);
        memset(blocks[i], (int)i, size);
    }
    for (size_t i = 0; i < 44; i++)
        for (size_t j = 0; j < sizes[i % 11]; j++)
            if (blocks[i][j] != (char)i) {
                CHECK(!"overwritten");
                break;
            }
    CHECK(!arena.failed && arena.used >= 4 * 298000);
    fh_arena_free(&arena);
    CHECK(!arena.blocks && !arena.used);
    CHECK(fh_arena_alloc(&arena, 1) != NULL);
    fh_arena_free(&arena);
    fh_arena_free(&arena);
}

static void sizes_that_cannot_be(void)
{
    fh_arena arena = {0};
    CHECK(fh_arena_alloc(&arena, SIZE_MAX) == NULL && arena.failed);
    fh_arena_free(&arena);
    CHECK(!arena.failed);
}

static void copies_end_with_zero(void)
{
    fh_arena arena = {0};
    fh_text copy = fh_arena_copy(&arena, (fh_text){"a\0b", 3});
    CHECK(fh_text_equal(copy, (fh_text){"a\0b", 3}) && copy.data[3] == 0);
    copy = fh_arena_copy(&arena, (fh_text){0});
    CHECK(copy.data && copy.length == 0 && copy.data[0] == 0);
    fh_arena_free(&arena);
}

static fh_status fill(void *context)
{
    fh_arena arena = {0};
    (void)context;
    for (int i = 0; i < 3000; i++)
        fh_arena_copy(&arena, FH_TEXT("a text of some length, to fill more than one block with"));
    fh_status status = arena.failed ? FH_NO_MEMORY : FH_OK;
    fh_arena_free(&arena);
    return status;
}

static void memory_runs_out(void)
{
    CHECK(sweep(fill, NULL) >= 3);
}

int main(void)
{
    TEST(blocks_are_aligned_and_apart);
    TEST(sizes_that_cannot_be);
    TEST(copies_end_with_zero);
    TEST(memory_runs_out);
    return test_report();
}
