#include "base/symbols.h"
#include "tests/test.h"
#include "tests/unit/sweep.h"

static void numbers_count_up(void)
{
    fh_symbols symbols;
    fh_symbols_init(&symbols);
    CHECK(fh_symbols_count(&symbols) == 1);
    CHECK(fh_symbols_add(&symbols, FH_TEXT("a")) == 1);
    CHECK(fh_symbols_add(&symbols, FH_TEXT("b")) == 2);
    CHECK(fh_symbols_add(&symbols, FH_TEXT("a")) == 1);
    CHECK(fh_symbols_add(&symbols, FH_TEXT("")) == 0);
    CHECK(fh_symbols_add(&symbols, (fh_text){"a\0", 2}) == 3);
    CHECK(fh_symbols_find(&symbols, FH_TEXT("b")) == 2);
    CHECK(fh_symbols_find(&symbols, FH_TEXT("c")) == 0);
    CHECK(fh_symbols_find(&symbols, FH_TEXT("")) == 0);
    CHECK_TEXT(fh_symbols_text(&symbols, 0), "");
    CHECK_TEXT(fh_symbols_text(&symbols, 2), "b");
    CHECK(fh_symbols_text(&symbols, 3).length == 2);
    CHECK_TEXT(fh_symbols_text(&symbols, 99), "");
    CHECK(fh_symbols_count(&symbols) == 4);
    fh_symbols_free(&symbols);
    CHECK(fh_symbols_count(&symbols) == 0 && fh_symbols_find(&symbols, FH_TEXT("a")) == 0);
}

/* Enough to grow the table many times; every one is found again. */
static void many_texts(void)
{
    enum { MANY = 50000 };
    fh_symbols symbols;
    char text[16];
    unsigned wrong = 0;
    fh_symbols_init(&symbols);
    for (unsigned i = 1; i <= MANY; i++) {
        snprintf(text, sizeof text, "name_%u", i);
        wrong += fh_symbols_add(&symbols, fh_text_from(text)) != i;
    }
    for (unsigned i = 1; i <= MANY; i++) {
        snprintf(text, sizeof text, "name_%u", i);
        wrong += fh_symbols_find(&symbols, fh_text_from(text)) != i;
        wrong += !fh_text_is(fh_symbols_text(&symbols, i), text);
    }
    CHECK(!wrong && !symbols.failed);
    fh_symbols_free(&symbols);
}

static void parts_of_texts(void)
{
    fh_symbols symbols;
    fh_symbols_init(&symbols);
    CHECK(fh_symbols_with(&symbols, FH_TEXT("npu"), 1) == 0);
    fh_symbols_add(&symbols, FH_TEXT("xn")); /* no text has "npu", but two in a row do */
    fh_symbols_add(&symbols, FH_TEXT("pu"));
    CHECK(fh_symbols_with(&symbols, FH_TEXT("npu"), 1) == 0);
    CHECK(fh_symbols_add(&symbols, FH_TEXT("input")) == 3);
    fh_symbols_add(&symbols, FH_TEXT("b"));
    CHECK(fh_symbols_add(&symbols, FH_TEXT("npu npu")) == 5);
    CHECK(fh_symbols_with(&symbols, FH_TEXT("npu"), 1) == 3);
    CHECK(fh_symbols_with(&symbols, FH_TEXT("npu"), 4) == 5);
    CHECK(fh_symbols_with(&symbols, FH_TEXT("npu"), 6) == 0);
    CHECK(fh_symbols_with(&symbols, FH_TEXT("npu"), 99) == 0);
    CHECK(fh_symbols_with(&symbols, FH_TEXT("b"), 1) == 4);
    CHECK(fh_symbols_with(&symbols, FH_TEXT(""), 1) == 0);
    fh_symbols_free(&symbols);
}

static fh_status add_some(void *context)
{
    fh_symbols symbols;
    char text[16];
    (void)context;
    fh_symbols_init(&symbols);
    for (unsigned i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "name_%u", i);
        fh_symbol symbol = fh_symbols_add(&symbols, fh_text_from(text));
        if (symbol)
            CHECK(fh_text_is(fh_symbols_text(&symbols, symbol), text));
    }
    fh_status status = symbols.failed ? FH_NO_MEMORY : FH_OK;
    fh_symbols_free(&symbols);
    return status;
}

static void memory_runs_out(void)
{
    CHECK(sweep(add_some, NULL) > 10);
}

int main(void)
{
    TEST(numbers_count_up);
    TEST(many_texts);
    TEST(parts_of_texts);
    TEST(memory_runs_out);
    return test_report();
}
