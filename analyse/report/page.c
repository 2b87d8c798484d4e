#include "analyse/report/page.h"

#include <stdarg.h>
#include <stdio.h>

static void span_scratch(fh_page *page, fh_ink ink)
{
    if (page->scratch.failed)
        page->out->failed = true;
    page->kind->span(page, ink, fh_buffer_text(&page->scratch));
    fh_buffer_clear(&page->scratch);
}

void fh_page_say(fh_page *page, fh_ink ink, const char *words)
{
    page->kind->span(page, ink, fh_text_from(words));
}

void fh_page_format(fh_page *page, fh_ink ink, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fh_page_say(page, ink, text);
}

void fh_page_count(fh_page *page, fh_ink ink, uint64_t count)
{
    fh_figure_count(&page->scratch, count);
    span_scratch(page, ink);
}

void fh_page_plural(fh_page *page, fh_ink ink, uint64_t count, const char *noun)
{
    fh_figure_plural(&page->scratch, count, noun);
    span_scratch(page, ink);
}

void fh_page_short(fh_page *page, fh_ink ink, double value)
{
    fh_figure_short(&page->scratch, value);
    span_scratch(page, ink);
}

void fh_page_bytes(fh_page *page, fh_ink ink, uint64_t bytes)
{
    fh_figure_bytes(&page->scratch, bytes);
    span_scratch(page, ink);
}

void fh_page_percent(fh_page *page, fh_ink ink, double share)
{
    fh_figure_percent(&page->scratch, share);
    span_scratch(page, ink);
}

void fh_page_range(fh_page *page, fh_ink ink, double low, double high)
{
    fh_figure_range(&page->scratch, low, high);
    span_scratch(page, ink);
}

void fh_page_place(fh_page *page, fh_text file, uint32_t line, uint32_t column)
{
    fh_buffer_add(&page->scratch, page->options->prefix);
    fh_figure_place(&page->scratch, file, line, column);
    span_scratch(page, FH_INK_PLACE);
}

void fh_page_cell(fh_page *page, fh_ink ink, fh_text text)
{
    page->kind->cell(page);
    page->kind->span(page, ink, text);
}

void fh_page_paragraph(fh_page *page, fh_ink ink, const char *words)
{
    page->kind->begin(page, 0);
    fh_page_say(page, ink, words);
    page->kind->end(page);
}
