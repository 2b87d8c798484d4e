/* Units: notes of any length, and the arguments of calls with stars. */
#include "analyse/scan/python.h"
#include "tests/test.h"

#include <string.h>

/* The whole message is kept: a path in it may be long, and is never cut inside a character. */
static void long_notes(void)
{
    fh_unit unit;
    fh_unit_init(&unit, FH_UNIT_PYTHON, FH_TEXT("a.py"));
    for (size_t length = 500; length < 530; length++) {
        char path[600] = "";
        for (size_t i = 0; i + 2 <= length; i += 2)
            memcpy(path + i, "\xc3\xa9", 3);
        fh_unit_note(&unit, FH_NO_OFFSET, "%sx %s", length % 2 ? "x" : "", path);
        fh_text message = fh_unit_text(&unit, fh_vector_last(&unit.notes).message);
        CHECK(message.length == length / 2 * 2 + 2 + length % 2);
        CHECK(fh_text_ends(message, path));
    }
    fh_unit_note(&unit, FH_NO_OFFSET, "%s", "");
    CHECK(fh_unit_text(&unit, fh_vector_last(&unit.notes).message).length == 0);
    CHECK(!fh_unit_failed(&unit));
    fh_unit_free(&unit);
}

/* The integer that is passed as argument `position`, or `name`, in the only call of `text`;
 * -1: none. */
static int64_t passed(const char *text, int position, const char *name)
{
    fh_unit unit;
    fh_parser *parser = fh_parser_create();
    fh_unit_init(&unit, FH_UNIT_PYTHON, FH_TEXT("a.py"));
    CHECK(parser && fh_python_read(parser, fh_text_from(text), &unit) == FH_OK);
    const fh_call *call = &unit.calls.items[unit.calls.count - 1];
    const fh_value *value = fh_unit_value(&unit, fh_call_argument(&unit, call, position, name));
    int64_t number = value->kind == FH_VALUE_INTEGER   ? fh_value_integer(value)
                     : value->kind == FH_VALUE_UNKNOWN ? -1
                                                       : -2;
    fh_unit_free(&unit);
    fh_parser_destroy(parser);
    return number;
}

/* As CPython's own f(*args, **kwargs) sees them. */
static void arguments_with_stars(void)
{
    CHECK(passed("f(1, 2, a=3)", 1, "b") == 2);
    CHECK(passed("f(1, 2, a=3)", 0, "a") == 3);
    CHECK(passed("f(*(1, 2), 3)", 2, NULL) == 3);
    CHECK(passed("f(0, *[1, 2], 3)", 2, NULL) == 2);
    CHECK(passed("t = (1, 2)\nf(*t, 3)", 1, NULL) == 2);
    CHECK(passed("f(*(), 3)", 0, NULL) == 3);
    CHECK(passed("f(*x, 3)", 1, NULL) == -1);
    CHECK(passed("f(*(1, *x, 2), 3)", 0, NULL) == 1);
    CHECK(passed("f(*(1, *x, 2), 3)", 2, NULL) == -1);
    CHECK(passed("f(**{'a': 1, 'b': 2})", -1, "b") == 2);
    CHECK(passed("d = dict(a=1)\nf(**d)", -1, "a") == 1);
    CHECK(passed("f(1, **{'a': 2})", 0, NULL) == 1);
    CHECK(passed("f(1, **{'a': 2, **x, 3: 4})", -1, "a") == 2);
    CHECK(passed("f(**x)", -1, "a") == -1);
    CHECK(passed("f(**{}, a=5)", -1, "a") == 5);
    CHECK(passed("f()", 0, "a") == -1);
}

int main(void)
{
    TEST(long_notes);
    TEST(arguments_with_stars);
    return test_report();
}
