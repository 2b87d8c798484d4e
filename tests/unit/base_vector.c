#include "base/vector.h"
#include "tests/test.h"
#include "tests/unit/sweep.h"

static void items_are_kept_in_order(void)
{
    FH_VECTOR(int) numbers = {0};
    unsigned wrong = 0;
    for (int i = 0; i < 10000; i++)
        wrong += !fh_vector_push(&numbers, i);
    for (int i = 0; i < 10000; i++)
        wrong += numbers.items[i] != i;
    CHECK(!wrong && numbers.count == 10000 && fh_vector_last(&numbers) == 9999);
    CHECK(fh_vector_pop(&numbers) == 9999 && numbers.count == 9999);
    fh_vector_clear(&numbers);
    CHECK(numbers.count == 0 && numbers.capacity >= 10000);
    fh_vector_free(&numbers);
    CHECK(!numbers.items && !numbers.capacity);
    fh_vector_free(&numbers);
}

static void structures_with_commas(void)
{
    typedef struct {
        char name;
        double value;
    } pair;
    FH_VECTOR(pair) pairs = {0};
    CHECK(fh_vector_push(&pairs, (pair){'a', 1.5}));
    CHECK(fh_vector_push(&pairs, (pair){.name = 'b', .value = 2}));
    CHECK(pairs.items[0].value == 1.5 && pairs.items[1].name == 'b');
    fh_vector_free(&pairs);
}

static void sizes_that_cannot_be(void)
{
    FH_VECTOR(char) bytes = {0};
    CHECK(fh_vector_reserve(&bytes, 5) && bytes.capacity >= 5);
    bytes.count = 1;
    CHECK(!fh_vector_reserve(&bytes, UINT32_MAX));
    CHECK(bytes.failed && bytes.count == 1);
    fh_vector_free(&bytes);
    CHECK(!bytes.failed);
}

static fh_status push_many(void *context)
{
    FH_VECTOR(uint64_t) numbers = {0};
    uint32_t pushed = 0;
    (void)context;
    for (uint64_t i = 0; i < 100; i++)
        pushed += fh_vector_push(&numbers, i);
    CHECK(pushed == numbers.count && numbers.failed == (pushed < 100));
    fh_status status = numbers.failed ? FH_NO_MEMORY : FH_OK;
    fh_vector_free(&numbers);
    return status;
}

static void memory_runs_out(void)
{
    CHECK(sweep(push_many, NULL) > 2);
}

int main(void)
{
    TEST(items_are_kept_in_order);
    TEST(structures_with_commas);
    TEST(sizes_that_cannot_be);
    TEST(memory_runs_out);
    return test_report();
}
