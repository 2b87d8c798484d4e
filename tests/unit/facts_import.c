#include "facts/import.h"
#include "facts/import_words.h"
#include "facts/support.h"
#include "facts/table.h"
#include "facts/user.h"
#include "os/file.h"
#include "os/process.h"
#include "tests/unit/sweep.h"

#include <unistd.h>

static char folder[] = "/tmp/foothold_facts_import_XXXXXX";

static bool row_is(fh_text table, const char *expected)
{
    fh_text rest = table, row;
    while (fh_text_next(&rest, '\n', &row))
        if (fh_text_is(row, expected))
            return true;
    printf("  no row \"%s\"\n", expected);
    return false;
}

static fh_buffer read_file(const char *path)
{
    fh_buffer content = {0};
    CHECK(fh_file_read(path, 1 << 24, &content) == FH_OK);
    return content;
}

/* The table that a file of tests/facts_data gives. */
static fh_buffer import(const char *name, fh_import_kind kind, fh_import_summary *summary)
{
    char path[200];
    fh_buffer table = {0};
    snprintf(path, sizeof path, "tests/facts_data/%s", name);
    fh_buffer content = read_file(path);
    CHECK(fh_facts_import_text(kind, fh_buffer_text(&content), fh_text_from(name), &table,
                               summary) == FH_OK);
    fh_buffer_free(&content);
    return table;
}

static void markdown(void)
{
    fh_import_summary summary;
    fh_buffer table = import("pages.md", FH_IMPORT_MARKDOWN, &summary);
    fh_text text = fh_buffer_text(&table);
    CHECK(summary.operators == 4 && summary.with_products == 4 && summary.with_dtypes == 4);
    /* Types of the mask and of scalars, of other sections and of code are not the operator's;
     * the in-place form has a table, and a denial for one product line. */
    CHECK(row_is(text, "aclnnFoo\t910,A2,A3,950\t310P\t910:float16,float32|A2,A3,950:bfloat16,"
                       "float16,float32\tpages.md\tline 1"));
    CHECK(row_is(text, "aclnnInplaceFoo\t910,A2,A3,950\t310P\t910:float16,float32|A2,A3,950:"
                       "bfloat16,float16,float32\tpages.md\tline 1"));
    /* A list instead of a table, and a remark that holds for one type. */
    CHECK(row_is(text, "aclnnOld\t310P,A2\t-\t910,310P,A3,950:float32|A2:bfloat16,float32\t"
                       "pages.md\tline 89"));
    CHECK(row_is(text, "aclnnEnglish\tA2,A3\t910,310P\tA2:bfloat16,float16,float32|A3,950:"
                       "bfloat16,float16,float32,float64\tpages.md\tline 102"));
    fh_buffer_free(&table);
}

static void html(void)
{
    fh_import_summary summary;
    fh_buffer table = import("page.html", FH_IMPORT_HTML, &summary);
    CHECK(summary.operators == 1); /* the list of links names others */
    CHECK(row_is(fh_buffer_text(&table), "aclnnBar\tA2,A3\t310P\tA2,A3:int8,hifloat8,"
                                         "float8_e4m3fn\tpage.html\tline 5"));
    fh_buffer_free(&table);
}

static void text_of_a_pdf(void)
{
    fh_import_summary summary;
    fh_buffer table = import("reference.txt", FH_IMPORT_PDF_TEXT, &summary);
    fh_text text = fh_buffer_text(&table);
    CHECK(summary.operators == 3);
    /* Contents are no titles; rows run over two lines, the mark before or after the rest. */
    CHECK(row_is(text, "aclnnAlpha\tA2,A3\t910,310P\tA2,A3,950:bfloat16,float16,float32\t"
                       "reference.txt\tpage 2"));
    CHECK(row_is(text, "aclnnBeta\t910,A2\t-\tfloat32,float64\treference.txt\tpage 3"));
    CHECK(row_is(text, "aclnnInplaceBeta\t910,A2\t-\tfloat32,float64\treference.txt\tpage 3"));
    fh_buffer_free(&table);
}

static void csv(void)
{
    fh_import_summary summary;
    fh_buffer table = import("operators.csv", FH_IMPORT_CSV, &summary);
    fh_text text = fh_buffer_text(&table);
    CHECK(summary.operators == 2);
    CHECK(row_is(text, "aclnnDelta\tA2\t310P\tbfloat16,float16\toperators.csv\tline 2"));
    CHECK(row_is(text, "aclnnEpsilon\tA2\t310P\tfloat32,int8\toperators.csv\tline 3"));
    fh_buffer_free(&table);
    static const char own[] = "name\tchips\tunsupported\tdtypes\naclnnX\tA2;A3\t310P\tint8\n";
    CHECK(fh_facts_import_text(FH_IMPORT_CSV, fh_text_from(own), FH_TEXT("own"), &table,
                               &summary) == FH_OK);
    CHECK(row_is(fh_buffer_text(&table), "aclnnX\tA2,A3\t310P\tint8\town\tline 2"));
    fh_buffer_free(&table);
    CHECK(fh_facts_import_text(FH_IMPORT_CSV, FH_TEXT("a,b\n1,2\n"), FH_TEXT("x"), &table,
                               &summary) == FH_INVALID);
    CHECK(strstr(fh_error_message(), "no column of operators"));
    fh_buffer_free(&table);
}

static void nothing_to_find(void)
{
    static const char *const texts[] = {"",
                                        "\n",
                                        "\xEF\xBB\xBF",
                                        "# aclnnFoo\n\nabout aclnnFoo\n",
                                        "<",
                                        "<!--",
                                        "<script>",
                                        "&#x110000;&#99999999;",
                                        "```",
                                        "aclnn",
                                        "# aclnn\n## 产品支持情况\nAtlas A2 √\n",
                                        "## 产品支持情况\nAtlas A2 √\n",
                                        "\xFF\xFE\0a"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int kind = FH_IMPORT_PDF_TEXT; kind <= FH_IMPORT_CSV; kind++) {
            fh_buffer table = {0};
            fh_import_summary summary;
            fh_status status = fh_facts_import_text((fh_import_kind)kind, fh_text_from(texts[i]),
                                                    FH_TEXT("x"), &table, &summary);
            CHECK(status == FH_INVALID || (kind == FH_IMPORT_CSV && status == FH_UNSUPPORTED));
            fh_buffer_free(&table);
        }
}

static void hostile_names(void)
{
    fh_buffer table = {0};
    fh_import_summary summary;
    fh_table parsed;
    static const char page[] = "# aclnnFoo\n## Supported Products\n- Atlas A2 training products\n";
    CHECK(fh_facts_import_text(FH_IMPORT_MARKDOWN, fh_text_from(page), FH_TEXT("a\tb\nc"), &table,
                               &summary) == FH_OK);
    CHECK(fh_table_parse(fh_buffer_text(&table), &parsed) == FH_OK);
    CHECK(row_is(fh_buffer_text(&table), "aclnnFoo\tA2\t-\t-\ta b c\tline 1"));
    fh_buffer_free(&table);
    /* A fence of code that is never closed does not hide the next page. */
    static const char open[] = "```\nx\n\n# aclnnBar\n## Supported Products\n- Atlas A3 training\n";
    CHECK(fh_facts_import_text(FH_IMPORT_MARKDOWN, fh_text_from(open), FH_TEXT("d"), &table,
                               &summary) == FH_OK);
    CHECK(row_is(fh_buffer_text(&table), "aclnnBar\tA3\t-\t-\td\tline 4"));
    fh_buffer_free(&table);
}

static void words(void)
{
    bool has;
    CHECK(fh_words_families(FH_TEXT("Atlas A2训练系列产品/Atlas 800I A2推理产品"), &has) ==
          1u << FH_FAMILY_A2);
    CHECK(fh_words_families(FH_TEXT("Atlas  A3 训练系列产品"), &has) == 1u << FH_FAMILY_A3);
    CHECK(fh_words_families(FH_TEXT("Atlas 训练系列产品"), &has) == 1u << FH_FAMILY_FIRST);
    CHECK(fh_words_families(FH_TEXT("Atlas 200I/500 A2 推理产品"), &has) == 0 && has);
    CHECK(fh_words_families(FH_TEXT("昇腾910 AI处理器、昇腾910B AI处理器"), &has) ==
          (1u << FH_FAMILY_FIRST | 1u << FH_FAMILY_A2));
    CHECK(fh_words_families(FH_TEXT("Atlas"), &has) == 0 && !has);
    CHECK(fh_words_mark(FH_TEXT("| Atlas A2 | √ |")) == FH_MARK_YES);
    CHECK(fh_words_mark(FH_TEXT("| Atlas A2 | x |")) == FH_MARK_NO);
    CHECK(fh_words_mark(FH_TEXT("Atlas A2   No")) == FH_MARK_NO);
    CHECK(fh_words_mark(FH_TEXT("不支持")) == FH_MARK_NO);
    CHECK(fh_words_mark(FH_TEXT("Note: Atlas A2 box")) == FH_MARK_NONE);
    fh_dtypes taken = {{0}}, denied = {{0}};
    fh_words_dtypes(FH_TEXT("HFLOAT32 FLOAT16_X float16 INT8。Atlas A2 训练系列产品：不支持INT8"),
                    false, &taken, &denied);
    CHECK(taken.of[FH_FAMILY_A3] == 1u << FH_DTYPE_INT8);
    CHECK(denied.of[FH_FAMILY_A2] == 1u << FH_DTYPE_INT8 && !denied.of[FH_FAMILY_A3]);
    CHECK_TEXT(fh_dtypes_cell(FH_TEXT("A2,A3:int8|310P:bool"), FH_FAMILY_INFER), "bool");
    CHECK_TEXT(fh_dtypes_cell(FH_TEXT("A2,A3:int8|310P:bool"), FH_FAMILY_A5), "");
    CHECK_TEXT(fh_dtypes_cell(FH_TEXT("int8,bool"), FH_FAMILY_A5), "int8,bool");
    CHECK_TEXT(fh_dtypes_cell(FH_TEXT("int8"), FH_FAMILY_GPU), "");
}

/* The files through the whole way, and what verdicts then say. */
static void files_and_verdicts(void)
{
    static const char page[] =
        "# aclnnConvolution\n\n## 产品支持情况\n\n| 产品 | 是否支持 |\n|---|---|\n"
        "| <term>Atlas A2 训练系列产品</term> | √ |\n| <term>Atlas A3 训练系列产品</term> | × |\n\n"
        "## aclnnConvolutionGetWorkspaceSize\n\n- "
        "input（aclTensor*，计算输入）：数据类型支持FLOAT16。\n";
    char path[100];
    fh_buffer written = {0};
    fh_import_summary summary;
    fh_user_facts *facts = NULL;
    fh_arena arena = {0};
    fh_text why;
    snprintf(path, sizeof path, "%s/my 8.5 <ref>.md", folder);
    CHECK(fh_file_write_atomic(path, fh_text_from(page)) == FH_OK);
    CHECK(fh_facts_import(path, FH_IMPORT_AUTO, folder, &written, &summary) == FH_OK);
    CHECK(fh_text_ends(fh_buffer_text(&written), "/operators-my_8.5__ref_.md.tsv"));
    CHECK(fh_user_facts_load(folder, &facts) == FH_OK);
    CHECK(fh_user_facts_documents(facts) == 1 && fh_user_facts_operators(facts) == 1);
    fh_support_query query = {.user = facts};
    fh_verdict verdict = fh_support_of(&query, FH_TEXT("torch.nn.Conv2d"), &arena);
    CHECK(verdict.support == FH_SUPPORT_NATIVE);
    CHECK(fh_text_starts(verdict.source, "my 8.5 <ref>.md, line 1 (aclnnConvolution); "));
    CHECK(fh_text_contains(verdict.limits,
                           "aclnnConvolution takes float16 (my 8.5 <ref>.md, line 1)"));
    CHECK(fh_support_takes(&query, FH_TEXT("torch.nn.Conv2d"), FH_TEXT("half"), &arena, &why) ==
          FH_DTYPE_TAKEN);
    CHECK(fh_support_takes(&query, FH_TEXT("torch.nn.Conv2d"), FH_TEXT("bfloat16"), &arena, &why) ==
          FH_DTYPE_REFUSED);
    CHECK(fh_text_contains(why, "line 1"));
    query.soc = fh_soc_find(FH_TEXT("910C")); /* the document says no */
    verdict = fh_support_of(&query, FH_TEXT("torch.nn.Conv2d"), &arena);
    CHECK(verdict.support == FH_SUPPORT_REFUSED);
    CHECK(fh_text_contains(verdict.reason, "my 8.5 <ref>.md, line 1, says that"));
    query.soc = fh_soc_find(FH_TEXT("950DT")); /* the document says nothing */
    CHECK(fh_support_of(&query, FH_TEXT("torch.nn.Conv2d"), &arena).support == FH_SUPPORT_NATIVE);
    fh_user_facts_free(facts);

    /* A second document that sorts later counts; importing again replaces. */
    snprintf(path, sizeof path, "%s/z.csv", folder);
    CHECK(fh_file_write_atomic(path, FH_TEXT("operator,A3\naclnnConvolution,1\n")) == FH_OK);
    CHECK(fh_facts_import(path, FH_IMPORT_AUTO, folder, NULL, &summary) == FH_OK);
    CHECK(fh_facts_import(path, FH_IMPORT_AUTO, folder, NULL, &summary) == FH_OK);
    CHECK(fh_user_facts_load(folder, &facts) == FH_OK && fh_user_facts_documents(facts) == 2);
    query = (fh_support_query){.user = facts, .soc = fh_soc_find(FH_TEXT("910C"))};
    CHECK(fh_support_of(&query, FH_TEXT("torch.nn.Conv2d"), &arena).support == FH_SUPPORT_NATIVE);
    fh_user_facts_free(facts);
    fh_buffer_free(&written);
    fh_arena_free(&arena);
}

static void a_pdf(void)
{
    fh_buffer written = {0}, version = {0};
    fh_import_summary summary;
    int exit_code;
    if (fh_process_run((const char *const[]){"pdftotext", "-v", NULL}, 1000, 10000, &version,
                       &exit_code) == FH_NOT_FOUND) {
        CHECK(fh_facts_import("tests/facts_data/reference.pdf", FH_IMPORT_AUTO, folder, NULL,
                              &summary) == FH_NOT_FOUND);
        CHECK(strstr(fh_error_message(), "install poppler-utils"));
        printf("  pdftotext is not here: only the message was tested\n");
        return;
    }
    CHECK(fh_facts_import("tests/facts_data/reference.pdf", FH_IMPORT_AUTO, folder, &written,
                          &summary) == FH_OK);
    fh_buffer_add_char(&written, 0);
    fh_buffer table = read_file(written.data);
    CHECK(row_is(fh_buffer_text(&table), "aclnnGamma\tA2,A3\t310P\t910,A2,A3,950:bfloat16,float16,"
                                         "float32\treference.pdf\tpage 2"));
    fh_buffer_free(&table);
    CHECK(fh_facts_import("tests/facts_data/pages.md", FH_IMPORT_PDF, folder, NULL, &summary) ==
          FH_INVALID);
    CHECK(strstr(fh_error_message(), "is it a PDF?"));
    fh_buffer_free(&written);
    fh_buffer_free(&version);
}

static void what_cannot_be_imported(void)
{
    fh_import_summary summary;
    char path[100];
    CHECK(fh_facts_import("/no/such/file.md", FH_IMPORT_AUTO, folder, NULL, &summary) ==
          FH_NOT_FOUND);
    CHECK(fh_facts_import("/no/such/file.pdf", FH_IMPORT_AUTO, folder, NULL, &summary) ==
          FH_NOT_FOUND);
    CHECK(fh_facts_import("/no/such/file.doc", FH_IMPORT_AUTO, folder, NULL, &summary) ==
          FH_UNSUPPORTED);
    CHECK(fh_facts_import("tests/facts_data", FH_IMPORT_MARKDOWN, folder, NULL, &summary) ==
          FH_UNSUPPORTED);
    CHECK(fh_facts_import("tests/test.h", FH_IMPORT_MARKDOWN, folder, NULL, &summary) ==
          FH_INVALID);
    CHECK(strstr(fh_error_message(), "describes no aclnn operators"));
    snprintf(path, sizeof path, "%s/file", folder);
    CHECK(fh_file_write_atomic(path, FH_TEXT("x")) == FH_OK);
    CHECK(fh_facts_import("tests/facts_data/page.html", FH_IMPORT_AUTO, path, NULL, &summary) !=
          FH_OK);
    CHECK(strstr(fh_error_message(), path));
}

static void damaged_tables(void)
{
    char path[100];
    fh_user_facts *facts = NULL;
    CHECK(fh_user_facts_load("/no/such/folder", &facts) == FH_OK &&
          !fh_user_facts_operators(facts));
    fh_user_operator found;
    CHECK(!fh_user_facts_find(facts, FH_TEXT("aclnnAdd"), &found));
    CHECK(!fh_user_facts_find(NULL, FH_TEXT("aclnnAdd"), &found));
    fh_user_facts_free(facts);
    fh_user_facts_free(NULL);
    snprintf(path, sizeof path, "%s/operators-bad.tsv", folder);
    CHECK(fh_file_write_atomic(path, FH_TEXT("# x\noperator\tchips\nb\t1\na\t1\n")) == FH_OK);
    CHECK(fh_user_facts_load(folder, &facts) == FH_INVALID);
    CHECK(strstr(fh_error_message(), "operators-bad.tsv is damaged"));
    CHECK(fh_file_write_atomic(path, FH_TEXT("name\nx\n")) == FH_OK);
    CHECK(fh_user_facts_load(folder, &facts) == FH_INVALID);
    CHECK(fh_file_write_atomic(path, FH_TEXT("operator\nx\n")) == FH_OK); /* columns are missing */
    CHECK(fh_user_facts_load(folder, &facts) == FH_OK);
    CHECK(fh_user_facts_find(facts, FH_TEXT("x"), &found) && !found.chips.length);
    CHECK(fh_user_operator_on(&found, FH_FAMILY_A2) == FH_USER_UNSAID);
    fh_user_facts_free(facts);
    CHECK(fh_file_remove(path) == FH_OK);
}

/* Bytes of the samples changed, doubled and cut at random, the same on every run: no crash
 * (the sanitizers look), and a table that reads back. */
static void damaged_documents(void)
{
    static const char *const names[] = {"pages.md", "page.html", "reference.txt", "operators.csv"};
    static const fh_import_kind kinds[] = {FH_IMPORT_MARKDOWN, FH_IMPORT_HTML, FH_IMPORT_PDF_TEXT,
                                           FH_IMPORT_CSV};
    unsigned random = 12345, accepted = 0;
    for (unsigned n = 0; n < 4; n++)
        for (unsigned round = 0; round < 400; round++) {
            char path[100];
            snprintf(path, sizeof path, "tests/facts_data/%s", names[n]);
            fh_buffer content = read_file(path), table = {0};
            fh_import_summary summary;
            fh_table parsed;
            for (unsigned i = 0; i < 1 + round % 40; i++) {
                random = random * 1103515245u + 12345u;
                size_t at = (random >> 8) % content.length;
                content.data[at] = "<>|&#\n\f\"`*[](),:;\xE4x9\0"[random % 21];
            }
            random = random * 1103515245u + 12345u;
            fh_text text =
                fh_text_slice(fh_buffer_text(&content), 0,
                              round % 3 ? content.length : (random >> 8) % content.length);
            if (fh_facts_import_text(kinds[(n + (round % 10 == 0)) % 4], text, FH_TEXT("d"), &table,
                                     &summary) == FH_OK) {
                accepted++;
                if (fh_table_parse(fh_buffer_text(&table), &parsed))
                    CHECK(!"a table that does not read back");
            }
            fh_buffer_free(&content);
            fh_buffer_free(&table);
        }
    CHECK(accepted > 400);
}

/* Time grows with the size, whatever is in it. */
static void large_documents(void)
{
    static const char *const pieces[] = {"<",     "](",         "&#x",      "<!--",   "<a ",
                                         "|",     "# aclnnA\n", "aclnnA&",  "Atlas ", "(",
                                         "```\n", "FLOAT16（",  "<script>", "\n\f"};
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++)
        for (int kind = FH_IMPORT_PDF_TEXT; kind <= FH_IMPORT_CSV; kind++) {
            fh_buffer text = {0}, table = {0};
            fh_import_summary summary;
            while (text.length < 300000)
                fh_buffer_add_string(&text, pieces[i]);
            fh_facts_import_text((fh_import_kind)kind, fh_buffer_text(&text), FH_TEXT("large"),
                                 &table, &summary);
            fh_buffer_free(&text);
            fh_buffer_free(&table);
        }
    CHECK(true);
}

static fh_status import_sample(void *context)
{
    fh_buffer table = {0};
    fh_import_summary summary;
    const fh_buffer *content = context;
    fh_status status = fh_facts_import_text(FH_IMPORT_MARKDOWN, fh_buffer_text(content),
                                            FH_TEXT("x"), &table, &summary);
    if (!status && summary.operators != 4)
        status = FH_INVALID;
    fh_buffer_free(&table);
    return status;
}

static fh_status import_csv_sample(void *context)
{
    fh_buffer table = {0};
    fh_import_summary summary;
    fh_status status =
        fh_facts_import_text(FH_IMPORT_CSV, fh_text_from(context), FH_TEXT("x"), &table, &summary);
    fh_buffer_free(&table);
    return status;
}

static fh_status load_sample(void *context)
{
    fh_user_facts *facts = NULL;
    fh_status status = fh_user_facts_load(context, &facts);
    if (!status)
        fh_user_facts_free(facts);
    return status;
}

static void out_of_memory(void)
{
    char csv_text[] = "operator,A2\naclnnX,1\naclnnY,0\n";
    fh_buffer content = read_file("tests/facts_data/pages.md");
    sweep(import_sample, &content);
    sweep(import_csv_sample, csv_text);
    sweep(load_sample, folder);
    fh_buffer_free(&content);
}

static void remove_folder(void)
{
    fh_directory listed;
    char path[400];
    if (fh_directory_list(folder, &listed))
        return;
    for (uint32_t i = 0; i < listed.entries.count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, listed.entries.items[i].name);
        fh_file_remove(path);
    }
    fh_directory_free(&listed);
    rmdir(folder);
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    TEST(markdown);
    TEST(html);
    TEST(text_of_a_pdf);
    TEST(csv);
    TEST(nothing_to_find);
    TEST(hostile_names);
    TEST(words);
    TEST(files_and_verdicts);
    TEST(a_pdf);
    TEST(what_cannot_be_imported);
    TEST(damaged_tables);
    TEST(damaged_documents);
    TEST(large_documents);
    TEST(out_of_memory);
    remove_folder();
    return test_report();
}
