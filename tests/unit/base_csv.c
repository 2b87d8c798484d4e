#include "base/csv.h"
#include "os/file.h"
#include "tests/test.h"
#include "tests/unit/shared.h"
#include "tests/unit/sweep.h"

/* All rows of a text as "a|b;c|d;", fields between bars, rows ended by semicolons. */
static fh_status rows_of(fh_text text, const fh_csv_options *options, fh_buffer *out)
{
    fh_csv csv;
    bool has_row = true;
    fh_csv_open_text(&csv, "t.csv", text, options);
    fh_status status = fh_csv_next(&csv, &has_row);
    while (!status && has_row) {
        for (uint32_t i = 0; i < csv.fields.count; i++) {
            if (i)
                fh_buffer_add_char(out, '|');
            fh_buffer_add(out, csv.fields.items[i]);
        }
        fh_buffer_add_char(out, ';');
        status = fh_csv_next(&csv, &has_row);
    }
    fh_csv_close(&csv);
    return status;
}

static void check_rows(fh_text text, const char *expected)
{
    fh_buffer out = {0};
    CHECK(rows_of(text, NULL, &out) == FH_OK);
    CHECK_TEXT(fh_buffer_text(&out), expected);
    fh_buffer_free(&out);
}

/* The expectations are what Python's csv.reader gives, without its empty rows. */
static void rows_as_python_reads_them(void)
{
    check_rows(FH_TEXT(""), "");
    check_rows((fh_text){0}, "");
    check_rows(FH_TEXT("\n\r\n\r"), "");
    check_rows(FH_TEXT("a"), "a;");
    check_rows(FH_TEXT("a,b\nc,d"), "a|b;c|d;");
    check_rows(FH_TEXT("a,b\r\nc,d\r\n"), "a|b;c|d;");
    check_rows(FH_TEXT("a\rb\r\n\nc"), "a;b;c;");
    check_rows(FH_TEXT(","), "|;");
    check_rows(FH_TEXT("a,\n,b"), "a|;|b;");
    check_rows(FH_TEXT("\"\""), ";");
    check_rows(FH_TEXT("\"a,b\",\"c\"\"d\""), "a,b|c\"d;");
    check_rows(FH_TEXT("\"a\nb\r\nc\",d"), "a\nb\r\nc|d;");
    check_rows(FH_TEXT("a\"b,\"c\"d\"e,f"), "a\"b|cd\"e|f;");
    check_rows(FH_TEXT("\"a\"\"\""), "a\";");
    check_rows(FH_TEXT(" \"a\",b "), " \"a\"|b ;");
}

static void byte_order_mark_goes(void)
{
    check_rows(FH_TEXT("\xEF\xBB\xBF"
                       "a,b"),
               "a|b;");
    check_rows(FH_TEXT("\xEF\xBB\xBF"), "");
    fh_buffer out = {0};
    CHECK(rows_of((fh_text){"\xFF\xFE"
                            "a\0",
                            4},
                  NULL, &out) == FH_UNSUPPORTED);
    fh_buffer_free(&out);
}

static void open_quote_is_an_error_with_its_line(void)
{
    fh_buffer out = {0};
    CHECK(rows_of(FH_TEXT("a,b\r\n\r\nc,\"x\ny\",\"d\ne\n"), NULL, &out) == FH_INVALID);
    CHECK_TEXT(fh_text_from(fh_error_message()),
               "t.csv:4: the quoted field that begins here does not end");
    CHECK_TEXT(fh_buffer_text(&out), "a|b;");
    fh_buffer_free(&out);
}

static void long_rows_are_refused(void)
{
    fh_buffer text = {0}, out = {0};
    fh_csv_options options = {.max_row_bytes = 1000};
    fh_buffer_add_string(&text, "a\n\"");
    for (int i = 0; i < 2000; i++)
        fh_buffer_add_char(&text, i % 10 ? 'x' : '\n');
    CHECK(rows_of(fh_buffer_text(&text), &options, &out) == FH_LIMIT);
    CHECK_TEXT(fh_text_from(fh_error_message()), "t.csv:2: the row that begins here has over 1000 "
                                                 "bytes; is a quote not closed?");
    fh_buffer_free(&text);
    fh_buffer_free(&out);
}

static void lines_and_rows_are_counted(void)
{
    fh_csv csv;
    bool has_row;
    static const uint64_t lines[] = {1, 3, 6, 7};
    fh_csv_open_text(&csv, "t", FH_TEXT("a\r\n\r\n\"x\r\ny\rz\"\nb\r\"\"\r\n"), NULL);
    for (size_t i = 0; i < 4; i++) {
        CHECK(fh_csv_next(&csv, &has_row) == FH_OK && has_row);
        CHECK(csv.row == i + 1 && csv.line == lines[i]);
    }
    CHECK(fh_csv_next(&csv, &has_row) == FH_OK && !has_row);
    CHECK(fh_csv_next(&csv, &has_row) == FH_OK && !has_row);
    fh_csv_close(&csv);
}

static void gbk_after_utf8_fails(void)
{
    fh_csv csv;
    bool has_row;
    /* U+6570 U+636E is CA FD BE DD in GBK; the last row holds what is neither. */
    fh_csv_open_text(&csv, "t", FH_TEXT("\xE6\x95\xB0,a\n\xCA\xFD\xBE\xDD,b\nc,d\n\xFF,\xCA\xFD\n"),
                     NULL);
    CHECK(fh_csv_next(&csv, &has_row) == FH_OK && !csv.is_gbk);
    CHECK_TEXT(csv.fields.items[0], "\xE6\x95\xB0");
    CHECK(fh_csv_next(&csv, &has_row) == FH_OK && csv.is_gbk);
    CHECK_TEXT(csv.fields.items[0], "\xE6\x95\xB0\xE6\x8D\xAE");
    CHECK_TEXT(csv.fields.items[1], "b");
    CHECK(fh_csv_next(&csv, &has_row) == FH_OK && csv.fields.count == 2);
    CHECK(fh_csv_next(&csv, &has_row) == FH_OK && csv.damaged == 1);
    CHECK_TEXT(csv.fields.items[0], "\xEF\xBF\xBD");
    CHECK_TEXT(csv.fields.items[1], "\xE6\x95\xB0");
    fh_csv_close(&csv);
}

static void header_names_columns(void)
{
    fh_csv csv;
    bool has_row;
    fh_csv_options options = {.trim_tabs = true};
    fh_csv_open_text(&csv, "t", FH_TEXT("Name, Start(us) \t,Name\nx,1.5\t\t,\t\ny\n"), &options);
    CHECK(fh_csv_read_header(&csv) == FH_OK);
    CHECK(fh_csv_column(&csv, "Name") == 0 && fh_csv_column(&csv, "Start(us)") == 1);
    CHECK(fh_csv_column(&csv, "none") == -1);
    CHECK(fh_csv_next(&csv, &has_row) == FH_OK && has_row);
    CHECK_TEXT(fh_csv_field(&csv, 1), "1.5");
    CHECK_TEXT(fh_csv_field(&csv, 2), "");
    CHECK_TEXT(fh_csv_field(&csv, -1), "");
    CHECK(fh_csv_next(&csv, &has_row) == FH_OK && has_row);
    CHECK_TEXT(fh_csv_field(&csv, 1), "");
    fh_csv_close(&csv);

    fh_csv_open_text(&csv, "t", FH_TEXT("\n"), NULL);
    CHECK(fh_csv_read_header(&csv) == FH_INVALID);
    fh_csv_close(&csv);
}

/* A source that gives its text one byte at a time, then fails or ends. */
typedef struct {
    fh_text left;
    fh_status at_end;
} dripping;

static fh_status drip(void *context, char *data, size_t capacity, size_t *got)
{
    dripping *source = context;
    if (!source->left.length || !capacity) {
        *got = 0;
        return source->at_end;
    }
    *data = source->left.data[0];
    source->left = fh_text_slice(source->left, 1, source->left.length);
    *got = 1;
    return FH_OK;
}

static void any_pieces_give_the_same_rows(void)
{
    dripping source = {FH_TEXT("\xEF\xBB\xBF"
                               "a,\"b\"\"\r\nc\"\r\n\xE6\x95\xB0"),
                       FH_OK};
    fh_csv csv;
    bool has_row;
    fh_csv_open(&csv, "t", drip, &source, NULL);
    CHECK(fh_csv_next(&csv, &has_row) == FH_OK && has_row && csv.fields.count == 2);
    CHECK_TEXT(csv.fields.items[0], "a");
    CHECK_TEXT(csv.fields.items[1], "b\"\r\nc");
    CHECK(fh_csv_next(&csv, &has_row) == FH_OK && has_row && csv.line == 3);
    CHECK_TEXT(csv.fields.items[0], "\xE6\x95\xB0");
    CHECK(fh_csv_next(&csv, &has_row) == FH_OK && !has_row);
    fh_csv_close(&csv);

    source = (dripping){FH_TEXT("abc,d"), FH_IO};
    fh_csv_open(&csv, "t", drip, &source, NULL);
    CHECK(fh_csv_next(&csv, &has_row) == FH_IO);
    CHECK(fh_csv_next(&csv, &has_row) == FH_OK && !has_row);
    fh_csv_close(&csv);
}

static bool open_shared(const char *name, fh_buffer *bytes, fh_csv *csv)
{
    static const fh_csv_options options = {.trim_tabs = true};
    fh_buffer path = {0};
    bool found = shared_path(name, &path);
    if (found)
        CHECK(fh_file_read(path.data, 1 << 24, bytes) == FH_OK);
    fh_csv_open_text(csv, name, fh_buffer_text(bytes), &options);
    fh_buffer_free(&path);
    return found;
}

/* CASES.md, case 34: GBK after UTF-8 fails; one row; a quoted field spans lines. */
static void shared_case_34(void)
{
    fh_buffer bytes = {0};
    fh_csv csv;
    bool has_row;
    if (open_shared("cases/34_gbk_ops.csv", &bytes, &csv)) {
        CHECK(fh_csv_read_header(&csv) == FH_OK && csv.header.count == 9);
        CHECK(fh_csv_next(&csv, &has_row) == FH_OK && has_row && csv.is_gbk && !csv.damaged);
        CHECK_TEXT(fh_csv_field(&csv, fh_csv_column(&csv, "Input Shapes")), "4,4;4,4");
        /* "/数据/训练.py(12): 前向;" CR LF "/a.py(3): main" */
        CHECK_TEXT(fh_csv_field(&csv, fh_csv_column(&csv, "Call Stack")),
                   "/\xE6\x95\xB0\xE6\x8D\xAE/\xE8\xAE\xAD\xE7\xBB\x83.py(12): "
                   "\xE5\x89\x8D\xE5\x90\x91;\r\n/a.py(3): main");
        CHECK(fh_csv_next(&csv, &has_row) == FH_OK && !has_row);
    }
    fh_csv_close(&csv);
    fh_buffer_free(&bytes);
}

/* Case 27: CRLF, start times that end in a tab. */
static void shared_case_27(void)
{
    fh_buffer bytes = {0};
    fh_csv csv;
    bool has_row = false;
    if (open_shared("cases/27_kernel_level0.csv", &bytes, &csv)) {
        CHECK(fh_csv_read_header(&csv) == FH_OK);
        int start = fh_csv_column(&csv, "Start Time(us)");
        CHECK(fh_csv_next(&csv, &has_row) == FH_OK && has_row);
        CHECK_TEXT(fh_csv_field(&csv, start), "1780000000000001.000");
        CHECK_TEXT(fh_csv_field(&csv, 7), "0");
    }
    fh_csv_close(&csv);
    fh_buffer_free(&bytes);
}

static fh_status read_all(void *context)
{
    fh_buffer out = {0};
    fh_csv csv;
    bool has_row = true;
    fh_csv_open_text(&csv, "t", *(fh_text *)context, NULL);
    fh_status status = fh_csv_read_header(&csv);
    while (!status && has_row)
        status = fh_csv_next(&csv, &has_row);
    fh_csv_close(&csv);
    fh_buffer_free(&out);
    return status;
}

static void memory_runs_out(void)
{
    fh_text text =
        FH_TEXT("a,b,c,d,e,f,g,h,i,j\n\"x\ny\",\xCA\xFD\nlong and longer than before, as "
                "fields are that must make buffers grow,,,,,,,,,,,,,\n");
    CHECK(sweep(read_all, &text) > 5);
}

int main(void)
{
    TEST(rows_as_python_reads_them);
    TEST(byte_order_mark_goes);
    TEST(open_quote_is_an_error_with_its_line);
    TEST(long_rows_are_refused);
    TEST(lines_and_rows_are_counted);
    TEST(gbk_after_utf8_fails);
    TEST(header_names_columns);
    TEST(any_pieces_give_the_same_rows);
    TEST(shared_case_34);
    TEST(shared_case_27);
    TEST(memory_runs_out);
    return test_report();
}
