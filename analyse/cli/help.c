#include "analyse/cli/help.h"
#include "base/utf8.h"

enum {
    WIDTH_LEAST = 60, /* narrower terminals wrap by themselves */
    WIDTH_MOST = 100, /* longer lines are hard to read */
    LABEL = 26,       /* column of summaries behind commands and flags */
    INDENT = 8,       /* column of texts below a flag */
};

typedef struct {
    fh_buffer *out;
    unsigned width, column;
} help_page;

static void add(help_page *page, fh_text text)
{
    fh_buffer_add(page->out, text);
    page->column += (unsigned)fh_utf8_count(text);
}

static void end_line(help_page *page)
{
    fh_buffer_add_char(page->out, '\n');
    page->column = 0;
}

/* Goes to `column`, on a new line when this one is already that far. */
static void go_to(help_page *page, unsigned column)
{
    if (page->column && page->column + 2 > column)
        end_line(page);
    while (page->column < column)
        add(page, FH_TEXT(" "));
}

/* One paragraph, wrapped, each line from `column` on. */
static void add_paragraph(help_page *page, fh_text text, unsigned column)
{
    fh_text word;
    bool first = true;
    go_to(page, column);
    while (fh_text_next(&text, ' ', &word)) {
        if (!first && page->column + 1 + fh_utf8_count(word) > page->width) {
            end_line(page);
            go_to(page, column);
        } else if (!first) {
            add(page, FH_TEXT(" "));
        }
        add(page, word);
        first = false;
    }
    end_line(page);
}

static void add_paragraphs(help_page *page, const char *texts, unsigned column)
{
    fh_text rest = fh_text_from(texts), line;
    while (fh_text_next(&rest, '\n', &line)) {
        if (line.length)
            add_paragraph(page, line, column);
        else
            end_line(page);
    }
}

static void add_flag_label(help_page *page, const fh_flag *flag)
{
    fh_buffer label = {0};
    if (flag->letter)
        fh_buffer_add_format(&label, "  -%c, --%s", flag->letter, flag->name);
    else
        fh_buffer_add_format(&label, "      --%s", flag->name);
    if (*flag->argument)
        fh_buffer_add_format(&label, " %s", flag->argument);
    add(page, fh_buffer_text(&label));
    fh_buffer_free(&label);
}

/* "[default: 200; variable FOOTHOLD_X]", or nothing. */
static void add_default(fh_buffer *text, const fh_flag *flag)
{
    if (*flag->initial)
        fh_buffer_add_format(text, " [default: %s", flag->initial);
    if (*flag->environment)
        fh_buffer_add_format(text, "%s%s",
                             *flag->initial ? "; variable: " : " [variable: ", flag->environment);
    if (*flag->initial || *flag->environment)
        fh_buffer_add_char(text, ']');
}

static void add_flag(help_page *page, const fh_flag *flag, bool is_long)
{
    fh_buffer text = {0};
    fh_buffer_add_string(&text, flag->summary);
    if (is_long && *flag->text)
        fh_buffer_add_format(&text, ". %s", flag->text);
    add_default(&text, flag);
    add_flag_label(page, flag);
    if (is_long)
        end_line(page);
    add_paragraph(page, fh_buffer_text(&text), is_long ? INDENT + 2 : LABEL);
    fh_buffer_free(&text);
}

static void add_flags(help_page *page, fh_command command, bool is_long)
{
    for (unsigned category = 0; category < FH_FLAG_CATEGORIES; category++) {
        bool first = true;
        for (unsigned i = 0; i < fh_flag_count; i++) {
            const fh_flag *flag = &fh_flags[i];
            if (flag->category != category || !fh_flag_belongs(flag, command))
                continue;
            if (first) {
                end_line(page);
                add(page, fh_text_from(fh_flag_category_heading(category)));
                add(page, FH_TEXT(":"));
                end_line(page);
            }
            add_flag(page, flag, is_long);
            first = false;
        }
    }
}

static void add_program(help_page *page, bool is_long)
{
    add_paragraphs(page,
                   "Foothold says how PyTorch code will run on Ascend NPUs, before you have one."
                   "\n\nUsage: foothold COMMAND [flags] [arguments]\n\nCommands:",
                   0);
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++) {
        const fh_command_record *command = fh_command_of((fh_command)i);
        fh_buffer label = {0};
        fh_buffer_add_format(&label, "  %s %s", command->name, command->arguments);
        add(page, fh_buffer_text(&label));
        fh_buffer_free(&label);
        add_paragraph(page, fh_text_from(command->summary), LABEL);
    }
    add_flags(page, FH_COMMAND_NONE, is_long);
    add_paragraphs(
        page, "\nfoothold help COMMAND says more about one. Start with: foothold analyze .", 0);
    if (is_long)
        add_paragraphs(page,
                       "\nIt exits with 0; with 1 when there are findings at or above --fail-on; "
                       "with 2 when the command line or the input cannot be used; with 130 "
                       "after Ctrl-C, when the report covers what was read by then.",
                       0);
}

void fh_help_add(fh_buffer *out, fh_command command, bool is_long, unsigned width)
{
    help_page page = {.out = out, .width = width};
    const fh_command_record *record = fh_command_of(command);
    if (page.width < WIDTH_LEAST)
        page.width = WIDTH_LEAST;
    if (page.width > WIDTH_MOST)
        page.width = WIDTH_MOST;
    if (command == FH_COMMAND_NONE) {
        add_program(&page, is_long);
        return;
    }
    add_paragraphs(&page, record->summary, 0);
    end_line(&page);
    fh_buffer_add_format(out, "Usage: foothold %s [flags]%s%s\n", record->name,
                         *record->arguments ? " " : "", record->arguments);
    if (*record->other_name)
        fh_buffer_add_format(out, "Also called: foothold %s\n", record->other_name);
    if (*record->text && is_long) {
        end_line(&page);
        add_paragraphs(&page, record->text, 0);
    }
    add_flags(&page, command, is_long);
}
