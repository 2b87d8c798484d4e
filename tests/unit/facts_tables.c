#include "facts/environment.h"
#include "facts/nearest.h"
#include "facts/packages.h"
#include "facts/replacements.h"
#include "facts/sources.h"
#include "facts/support.h"
#include "facts/table.h"
#include "facts/versions.h"
#include "tests/test.h"

static bool package_is(const char *name, const char *row, fh_package_verdict verdict)
{
    fh_package package;
    return fh_package_find(fh_text_from(name), &package) && fh_text_is(package.name, row) &&
           package.verdict == verdict;
}

static void every_table_is_well_formed(void)
{
    for (unsigned i = 0; i < FH_TABLE_COUNT; i++) {
        const fh_table *table = fh_facts_table((fh_table_id)i);
        fh_buffer whole = {0};
        fh_table parsed;
        fh_text rest = table->rows, row, found;
        fh_buffer_add(&whole, table->comment);
        fh_buffer_add(&whole, table->header);
        fh_buffer_add_char(&whole, '\n');
        fh_buffer_add(&whole, table->rows);
        CHECK(fh_table_parse(fh_buffer_text(&whole), &parsed) == FH_OK);
        CHECK(fh_text_starts(table->comment, "# ") && table->rows.length);
        unsigned count = 0, missing = 0;
        while (fh_table_next(&rest, &row)) {
            fh_text key = fh_text_slice(row, 0, fh_text_find(row, '\t'));
            missing += !fh_table_find(table, key, &found) || found.data != row.data;
            count++;
        }
        CHECK(count && !missing);
        CHECK(!fh_table_find(table, FH_TEXT(""), &found));
        CHECK(!fh_table_find(table, FH_TEXT("\xFF"), &found));
        CHECK(fh_table_from(table, FH_TEXT("\xFF")).length == 0);
        CHECK(fh_table_from(table, FH_TEXT("")).length == table->rows.length);
        fh_buffer_free(&whole);
    }
}

static void damaged_tables(void)
{
    fh_table table;
    CHECK(fh_table_parse(FH_TEXT("# x\na\tb\nx\t1\ny\n"), &table) == FH_INVALID);
    CHECK(fh_table_parse(FH_TEXT("# x\na\nb\nb\n"), &table) == FH_INVALID);
    CHECK(fh_table_parse(FH_TEXT("# x\na\nc\nb\n"), &table) == FH_INVALID);
    CHECK(fh_table_parse(FH_TEXT(""), &table) == FH_OK && !table.rows.length);
    CHECK(fh_table_parse(FH_TEXT("#"), &table) == FH_OK);
    CHECK(fh_table_parse(FH_TEXT("a\tb\nx\t-"), &table) == FH_OK);
    fh_text row;
    CHECK(fh_table_find(&table, FH_TEXT("x"), &row));
    CHECK_TEXT(fh_table_field(&table, row, "b"), "");
    CHECK_TEXT(fh_table_field(&table, row, "a"), "x");
    CHECK_TEXT(fh_table_field(&table, row, "c"), "");
}

static void packages(void)
{
    fh_package package;
    CHECK(package_is("torchvision.ops.nms", "torchvision.ops.nms", FH_PACKAGE_PARTIAL));
    CHECK(package_is("torchvision.ops.nms.x.y", "torchvision.ops.nms", FH_PACKAGE_PARTIAL));
    CHECK(package_is("torchvision.nothing", "torchvision", FH_PACKAGE_PARTIAL));
    CHECK(package_is("DCNv2", "DCNv2", FH_PACKAGE_BLOCKS));
    CHECK(!fh_package_find(FH_TEXT("torchvisionx"), &package));
    CHECK(!fh_package_find(FH_TEXT(""), &package) && !fh_package_find(FH_TEXT("."), &package));
    CHECK(!fh_package_find(FH_TEXT("torch"), &package));
    CHECK(fh_package_find_project(FH_TEXT("Flash_Attn"), &package));
    CHECK_TEXT(package.name, "flash_attn");
    CHECK(fh_package_find_project(FH_TEXT("torchvision"), &package));
    CHECK_TEXT(package.name, "torchvision");
    CHECK(!fh_package_find_project(FH_TEXT(""), &package));
    CHECK(!fh_package_find_project(FH_TEXT("-"), &package));
    fh_text rest = {0}, ids, id, where, read;
    while (fh_package_next(&rest, &package)) {
        CHECK(package.what.length && package.source.length);
        for (ids = package.source; fh_text_next(&ids, ' ', &id);)
            CHECK(fh_text_is(id, "ours") || fh_source_find(id, &where, &read));
    }
}

static void replacements(void)
{
    fh_replacement found;
    CHECK(fh_replacement_find(FH_TEXT("torch.cuda.synchronize"), &found));
    CHECK_TEXT(found.replacement, "torch.npu.synchronize");
    CHECK(fh_replacement_find(FH_TEXT("pynvml.nvmlInit"), &found) &&
          found.kind == FH_REPLACES_MODULE);
    CHECK(!fh_replacement_find(FH_TEXT("torch.matmul"), &found));
    CHECK(!fh_replacement_find(FH_TEXT("\"cuda\""), &found));
    CHECK(!fh_replacement_find(FH_TEXT(""), &found));
    CHECK(fh_replacement_find_string(FH_TEXT("cuda"), &found));
    CHECK_TEXT(found.replacement, "\"npu\"");
    CHECK(fh_replacement_find_string(FH_TEXT("cuda:3"), &found));
    CHECK_TEXT(found.replacement, "\"npu:N\"");
    CHECK(fh_replacement_find_string(FH_TEXT("cuda:12"), &found));
    CHECK(fh_replacement_find_string(FH_TEXT("nccl"), &found));
    CHECK(fh_replacement_find_string(FH_TEXT("flash_attention_2"), &found));
    static const char *const none[] = {"", "cuda:", ":3", "3", "cuda:x", "cpu:0", "cuda3", "cudaN"};
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
        CHECK(!fh_replacement_find_string(fh_text_from(none[i]), &found));
    char long_text[300];
    memset(long_text, 'x', sizeof long_text);
    CHECK(!fh_replacement_find_string((fh_text){long_text, sizeof long_text}, &found));
    fh_text rest = {0};
    fh_release newest = fh_release_default();
    unsigned count = 0, there = 0;
    while (fh_replacement_next(&rest, &found)) {
        count++;
        there += fh_replacement_in(&found, newest);
    }
    CHECK(count > 250 && there > 100 && there < count);
}

/* What replacements.tsv promises: names of torch.npu are there in the releases it says. */
static void replacements_exist(void)
{
    fh_replacement found;
    fh_arena arena = {0};
    fh_text rest = {0};
    unsigned looked_at = 0;
    while (fh_replacement_next(&rest, &found)) {
        bool is_npu = fh_text_starts(found.replacement, "torch.npu.") ||
                      fh_text_starts(found.replacement, "torch_npu.");
        if (found.kind != FH_REPLACES_API || !is_npu || fh_text_contains(found.replacement, "._C"))
            continue;
        for (unsigned i = 0; i < fh_release_count(); i++) {
            fh_support_query query = {.release = fh_release_at(i)};
            if (!found.releases.length && i + 2 < fh_release_count())
                continue; /* not looked up for older ones */
            fh_verdict verdict = fh_support_of(&query, found.replacement, &arena);
            bool is_there = verdict.support == FH_SUPPORT_NATIVE;
            looked_at++;
            if (verdict.support != FH_SUPPORT_UNKNOWN &&
                is_there != fh_replacement_in(&found, query.release)) {
                printf("  %.*s in 2.%u: %s\n", FH_TEXT_ARGS(found.replacement), query.release.minor,
                       fh_support_name(verdict.support));
                CHECK(!"the tables disagree");
            }
        }
    }
    CHECK(looked_at > 100);
    fh_arena_free(&arena);
}

static void environment(void)
{
    fh_environment found;
    CHECK(fh_environment_find(FH_TEXT("CUDA_LAUNCH_BLOCKING"), &found) && found.mechanical);
    CHECK_TEXT(found.replacement, "ASCEND_LAUNCH_BLOCKING");
    CHECK(fh_environment_find(FH_TEXT("NCCL_NO_SUCH_VARIABLE"), &found));
    CHECK(!found.replacement.length && found.note.length);
    CHECK(!fh_environment_find(FH_TEXT("NCCL_"), &found));
    CHECK(!fh_environment_find(FH_TEXT("PATH"), &found) &&
          !fh_environment_find(FH_TEXT(""), &found));
    fh_text rest = {0};
    unsigned count = 0;
    while (fh_environment_next(&rest, &found))
        count += found.name.length > 0;
    CHECK(count > 100);
}

static void versions(void)
{
    fh_versions row;
    fh_version version;
    CHECK(fh_versions_find(FH_TEXT("2.7.1.post11"), &row));
    CHECK_TEXT(row.torch, "2.7.1");
    CHECK(fh_versions_find(FH_TEXT("2.7.1-11"), &row)); /* the same release */
    CHECK(!fh_versions_find(FH_TEXT("2.7.9"), &row) && !fh_versions_find(FH_TEXT("x"), &row));
    CHECK(fh_version_parse(FH_TEXT("2.7.1+cpu"), &version) &&
          fh_versions_for_torch(&version, &row));
    CHECK_TEXT(row.torch_npu, "2.7.1.post11");
    CHECK(fh_version_parse(FH_TEXT("2.13"), &version) && fh_versions_for_torch(&version, &row));
    CHECK_TEXT(row.torch_npu, "2.13.0");
    CHECK(fh_version_parse(FH_TEXT("2.0.1"), &version) && !fh_versions_for_torch(&version, &row));
    CHECK(fh_versions_list_has(FH_TEXT("8.5.X 9.0.X"), FH_TEXT("8.5.1")));
    CHECK(fh_versions_list_has(FH_TEXT("8.5.X 9.0.X"), FH_TEXT("9.0.0-beta.1")));
    CHECK(fh_versions_list_has(FH_TEXT("8.5.X"), FH_TEXT("8.5")));
    CHECK(!fh_versions_list_has(FH_TEXT("8.5.X"), FH_TEXT("8.50.1")));
    CHECK(!fh_versions_list_has(FH_TEXT("8.5.X"), FH_TEXT("8")));
    CHECK(fh_versions_list_has(FH_TEXT("24.1.RC3"), FH_TEXT("24.1.rc3")));
    CHECK(!fh_versions_list_has(FH_TEXT("24.1.RC3"), FH_TEXT("24.1.RC3.1")));
    CHECK(!fh_versions_list_has(FH_TEXT("unknown"), FH_TEXT("unknown")));
    CHECK(!fh_versions_list_has(FH_TEXT("3.8 3.9"), FH_TEXT("")));
    fh_text rest = {0};
    unsigned count = 0;
    while (fh_versions_next(&rest, &row)) {
        CHECK(fh_version_parse(row.torch_npu, &version) && fh_version_parse(row.torch, &version));
        fh_version must;
        /* What the wheel asks for is the torch that the row says. */
        if (row.requires_torch.length && fh_version_parse(row.torch, &must) &&
            fh_text_ends(row.requires_torch, "+cpu"))
            must.local = FH_TEXT("cpu");
        CHECK(!row.requires_torch.length ||
              fh_specifier_contains(row.requires_torch, &must) == FH_SPECIFIER_YES);
        count++;
    }
    CHECK(count > 70);
}

static void nearest(void)
{
    fh_nearest nearest = {.count = 0};
    fh_buffer text = {0};
    fh_nearest_offer(&nearest, FH_TEXT("linaer"), FH_TEXT("Linear"));
    fh_nearest_offer(&nearest, FH_TEXT("linaer"), FH_TEXT("Bilinear"));
    fh_nearest_offer(&nearest, FH_TEXT("linaer"), FH_TEXT("Conv2d"));
    fh_nearest_offer(&nearest, FH_TEXT("linaer"), FH_TEXT("liner"));
    fh_nearest_offer(&nearest, FH_TEXT("linaer"), FH_TEXT("linaer"));
    fh_nearest_offer(&nearest, FH_TEXT(""), FH_TEXT("x"));
    fh_nearest_offer(&nearest, FH_TEXT("x"), FH_TEXT(""));
    CHECK(nearest.count == 3);
    CHECK_TEXT(nearest.names[0], "linaer");
    fh_nearest_add(&text, &nearest);
    CHECK_TEXT(fh_buffer_text(&text), "; did you mean linaer, Linear or liner?");
    fh_buffer_free(&text);
}

static void sources(void)
{
    fh_buffer text = {0};
    fh_sources_add(&text, FH_TEXT("ours nobody"));
    CHECK(!text.length);
    fh_sources_add(&text, FH_TEXT("tnpu-compat ours pypi-torch-npu"));
    CHECK(fh_text_contains(fh_buffer_text(&text), "; "));
    fh_buffer_free(&text);
}

int main(void)
{
    TEST(every_table_is_well_formed);
    TEST(damaged_tables);
    TEST(packages);
    TEST(replacements);
    TEST(replacements_exist);
    TEST(environment);
    TEST(versions);
    TEST(nearest);
    TEST(sources);
    return test_report();
}
