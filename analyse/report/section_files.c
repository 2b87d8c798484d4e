/* Files: what was read, what was not, and what was odd. */
#include "analyse/report/sections.h"

static void scanned(fh_page *page, const fh_result *r)
{
    page->kind->begin(page, 0);
    fh_page_plural(page, FH_INK_PLAIN, r->scanned, "file");
    fh_page_say(page, FH_INK_PLAIN, " read");
    if (r->bytes) {
        fh_page_say(page, FH_INK_PLAIN, " (");
        fh_page_bytes(page, FH_INK_PLAIN, r->bytes);
        fh_page_say(page, FH_INK_PLAIN, ")");
    }
    for (uint32_t i = 0; i < r->kinds.count; i++) {
        fh_page_say(page, FH_INK_PLAIN, i ? ", " : ": ");
        fh_page_count(page, FH_INK_PLAIN, r->kinds.items[i].count);
        fh_page_say(page, FH_INK_PLAIN, " ");
        page->kind->span(page, FH_INK_PLAIN, r->kinds.items[i].kind);
    }
    fh_page_say(page, FH_INK_PLAIN, ".");
    page->kind->end(page);
}

static void file_notes(fh_page *page, const char *title, const fh_file_note *notes, uint32_t count)
{
    uint32_t shown = count < page->most_rows ? count : page->most_rows;
    if (!count)
        return;
    page->kind->fold(page, title, count);
    for (uint32_t i = 0; i < shown; i++) {
        page->kind->begin(page, 1);
        fh_page_place(page, notes[i].path, notes[i].line, 0);
        fh_page_say(page, FH_INK_PLAIN, "  ");
        page->kind->span(page, FH_INK_PLAIN, notes[i].reason);
        page->kind->end(page);
    }
    fh_section_more(page, 1, shown, count);
    page->kind->fold_end(page);
}

void fh_section_files(fh_page *page, const fh_result *r)
{
    page->kind->heading(page, 2, "Files");
    scanned(page, r);
    file_notes(page, "Notes", r->notes.items, r->notes.count);
    file_notes(page, "Skipped", r->skipped.items, r->skipped.count);
}
