#include "device/rt/options.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

static void clear(void)
{
#define X(name, variable, otherwise, what) unsetenv(variable);
    FH_OPTION_MAP(X)
#undef X
}

/* With one variable set; what is read stays as it was when that fails. */
static fh_status read_with(const char *variable, const char *value, fh_options *options)
{
    clear();
    setenv(variable, value, 1);
    fh_status status = fh_options_read(options);
    clear();
    return status;
}

static void what_is_not_set(void)
{
    fh_options options;
    clear();
    CHECK(fh_options_read(&options) == FH_OK);
    CHECK(options.devices == 8 && options.workers == 0 && options.isolation);
    CHECK(!strcmp(options.soc->name, "Ascend910B3") && options.memory == (uint64_t)64 << 30);
    CHECK(!strcmp(options.cann, "8.5.0"));
#define X(name, variable, otherwise, what) CHECK(read_with(variable, "", &options) == FH_OK);
    FH_OPTION_MAP(X)
#undef X
}

static void what_makes_no_sense_is_named(void)
{
    static const struct {
        const char *variable, *value;
    } bad[] = {
        {"FOOTHOLD_DEVICES", "0"},      {"FOOTHOLD_DEVICES", "65"},
        {"FOOTHOLD_DEVICES", "-1"},     {"FOOTHOLD_DEVICES", "2 "},
        {"FOOTHOLD_DEVICES", "x"},      {"FOOTHOLD_DEVICES", "99999999999999999999"},
        {"FOOTHOLD_WORKERS", "-1"},     {"FOOTHOLD_WORKERS", "257"},
        {"FOOTHOLD_SOC", "A100"},       {"FOOTHOLD_SOC", "Ascend"},
        {"FOOTHOLD_MEMORY", "0"},       {"FOOTHOLD_MEMORY", "G"},
        {"FOOTHOLD_MEMORY", "16T"},     {"FOOTHOLD_MEMORY", "17592186044416"},
        {"FOOTHOLD_MEMORY", "64GB"},    {"FOOTHOLD_MEMORY", "9223372036854775807G"},
        {"FOOTHOLD_ISOLATION", "2"},    {"FOOTHOLD_ISOLATION", "01"},
        {"FOOTHOLD_ISOLATION", "true"}, {"FOOTHOLD_CANN", "8.5.0.and.much.more.than.fits.in"},
    };
    fh_options options = {.devices = 77};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(read_with(bad[i].variable, bad[i].value, &options) == FH_INVALID);
        CHECK(strstr(fh_error_message(), bad[i].variable) != NULL);
        CHECK(strstr(fh_error_message(), bad[i].value) != NULL);
    }
    CHECK(options.devices == 77);
}

static void what_is_set(void)
{
    fh_options options;
    CHECK(read_with("FOOTHOLD_DEVICES", "64", &options) == FH_OK && options.devices == 64);
    CHECK(read_with("FOOTHOLD_WORKERS", "256", &options) == FH_OK && options.workers == 256);
    CHECK(read_with("FOOTHOLD_SOC", "310p", &options) == FH_OK);
    CHECK(!strcmp(options.soc->name, "Ascend310P3"));
    CHECK(read_with("FOOTHOLD_MEMORY", "512M", &options) == FH_OK);
    CHECK(options.memory == 512 << 20);
    CHECK(read_with("FOOTHOLD_MEMORY", "17592186044415", &options) == FH_OK);
    CHECK(options.memory == 17592186044415);
    CHECK(read_with("FOOTHOLD_ISOLATION", "0", &options) == FH_OK && !options.isolation);
    CHECK(read_with("FOOTHOLD_CANN", "8.0.RC1", &options) == FH_OK);
    CHECK(!strcmp(options.cann, "8.0.RC1"));
}

int main(void)
{
    TEST(what_is_not_set);
    TEST(what_makes_no_sense_is_named);
    TEST(what_is_set);
    return test_report();
}
