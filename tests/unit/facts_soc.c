#include "facts/soc.h"
#include "facts/sources.h"
#include "tests/test.h"

static const fh_soc *find(const char *name)
{
    return fh_soc_find(fh_text_from(name));
}

static bool is(const char *name, const char *canonical)
{
    const fh_soc *soc = find(name);
    if (!soc || strcmp(soc->name, canonical))
        printf("  \"%s\" gives %s\n", name, soc ? soc->name : "nothing");
    return soc && !strcmp(soc->name, canonical);
}

static void names_and_aliases(void)
{
    CHECK(is("Ascend910B3", "Ascend910B3"));
    CHECK(is("910b3", "Ascend910B3") && is("ASCEND910B3", "Ascend910B3"));
    CHECK(is(" Ascend 910B3 ", "Ascend910B3") && is("ascend-910b3", "Ascend910B3"));
    CHECK(is("910B", "Ascend910B3") && is("a2", "Ascend910B3"));
    CHECK(is("910B4-1", "Ascend910B4-1") && is("910B4", "Ascend910B4"));
    CHECK(is("910C", "Ascend910_9392") && is("910", "Ascend910A") && is("310p", "Ascend310P3"));
    CHECK(is("950DT", "Ascend950DT_9582"));
    CHECK(is("A100", "A100-80G") && is("NVIDIA A100", "A100-80G") && is("A10", "A10"));
    CHECK(is("NVIDIA GeForce RTX 4090", "RTX4090") && is("Tesla T4", "T4"));
}

static void what_is_no_chip(void)
{
    CHECK(!find("") && !find("   ") && !find("-_") && !find("910B33") && !find("B3"));
    CHECK(!find("NVIDIA") && !find("NVIDIA "));
    CHECK(!fh_soc_find((fh_text){"A100\0", 5})); /* a 0 byte is a character */
    char long_name[5000];
    memset(long_name, '9', sizeof long_name);
    CHECK(!fh_soc_find((fh_text){long_name, sizeof long_name}));
}

static void suggestions(void)
{
    const fh_soc *soc = NULL;
    CHECK(fh_soc_get(FH_TEXT("910B3"), &soc) == FH_OK && soc == find("910B3"));
    CHECK(fh_soc_get(FH_TEXT("Ascned910B3"), &soc) == FH_NOT_FOUND && soc == find("910B3"));
    CHECK(strstr(fh_error_message(), "\"Ascned910B3\""));
    CHECK(strstr(fh_error_message(), "did you mean Ascend910B3"));
    CHECK(fh_soc_get(FH_TEXT("A1000"), &soc) == FH_NOT_FOUND);
    CHECK(strstr(fh_error_message(), "A100"));
    CHECK(fh_soc_get(FH_TEXT("zzzzzzzz"), &soc) == FH_NOT_FOUND);
    CHECK(!strstr(fh_error_message(), "did you mean"));
}

static void defaults(void)
{
    CHECK(fh_soc_default() && !strcmp(fh_soc_default()->name, "Ascend910B3"));
    CHECK(fh_soc_baseline() && fh_soc_baseline()->vendor == FH_VENDOR_NVIDIA);
    CHECK(fh_soc_default()->has_acl_op && fh_soc_default()->has_bf16);
    CHECK(!find("950DT")->has_acl_op && !find("310P")->has_bf16 && !find("950DT")->has_double);
    CHECK(!strcmp(fh_vendor_name(FH_VENDOR_AMD), "AMD"));
    CHECK(!strcmp(fh_family_name(FH_FAMILY_A5), "Ascend 950"));
    CHECK(!strcmp(fh_family_listed(FH_FAMILY_A5), "950") && !*fh_family_listed(FH_FAMILY_GPU));
    CHECK(!strcmp(fh_confidence_name(FH_CONFIDENCE_LOW), "low"));
}

/* What soc.def promises of its rows. */
static void rows(void)
{
    CHECK(fh_soc_count() > 20);
    for (unsigned i = 0; i < fh_soc_count(); i++) {
        const fh_soc *soc = fh_soc_at(i);
        fh_text rest = fh_text_from(soc->aliases), alias, sources = fh_text_from(soc->sources), id;
        fh_text where, read;
        CHECK(find(soc->name) == soc);
        while (fh_text_next(&rest, ' ', &alias))
            CHECK(!alias.length || fh_soc_find(alias) == soc);
        while (fh_text_next(&sources, ' ', &id))
            CHECK(fh_source_find(id, &where, &read));
        bool is_ascend = soc->vendor == FH_VENDOR_ASCEND;
        CHECK(is_ascend == (soc->family != FH_FAMILY_GPU));
        CHECK(!is_ascend || soc->has_aclnn);
        CHECK(!is_ascend || !soc->has_double);
        CHECK(soc->matrix16 > 0 || soc->derived16 > 0);
        CHECK(soc->memory > 0 && soc->bandwidth > 0);
        CHECK(!soc->has_bf16 || soc->bf16 > 0);
        /* The vendor's figure and cores times clock are of the same size. */
        CHECK(!soc->matrix16 || !soc->derived16 ||
              (soc->derived16 / soc->matrix16 > 0.8 && soc->derived16 / soc->matrix16 < 1.2));
    }
}

int main(void)
{
    TEST(names_and_aliases);
    TEST(what_is_no_chip);
    TEST(suggestions);
    TEST(defaults);
    TEST(rows);
    return test_report();
}
