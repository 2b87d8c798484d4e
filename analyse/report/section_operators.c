/* Computation-Intensive Operators, and the other calls that were found. */
#include "analyse/report/sections.h"
#include "analyse/report/words.h"

/* What flops of an operator count for, when all its sized locations agree. */
static fh_text common_unit(const fh_operator *op)
{
    fh_text unit = {0};
    for (uint32_t i = 0; i < op->locations.count; i++) {
        const fh_location *place = &op->locations.items[i];
        if (place->flops < 0 || !place->per.length)
            continue;
        if (unit.length && !fh_text_equal(unit, place->per))
            return (fh_text){0};
        unit = place->per;
    }
    return unit;
}

static void flops(fh_page *page, double value, fh_text per)
{
    if (value < 0)
        return;
    fh_page_short(page, FH_INK_PLAIN, value);
    if (per.length) {
        fh_page_say(page, FH_INK_PLAIN, "/");
        page->kind->span(page, FH_INK_PLAIN, per);
    }
}

static void row(fh_page *page, const fh_operator *op)
{
    fh_page_cell(page, FH_INK_CODE, op->name);
    fh_page_cell(page, FH_INK_PLAIN, fh_word_of_class(op->class));
    page->kind->cell(page);
    fh_page_say(page, fh_ink_of_support(op->support), fh_word_of_support(op->support).label);
    page->kind->cell(page);
    fh_page_count(page, FH_INK_PLAIN, op->count);
    page->kind->cell(page);
    if (op->parameters >= 0)
        fh_page_short(page, FH_INK_PLAIN, op->parameters);
    page->kind->cell(page);
    flops(page, op->flops, common_unit(op));
    page->kind->cell(page);
    if (op->locations.count) {
        const fh_location *first = op->locations.items;
        fh_page_place(page, first->file, first->line, first->column);
    }
}

static void location(fh_page *page, const fh_location *place)
{
    page->kind->begin(page, 2);
    fh_page_place(page, place->file, place->line, place->column);
    if (place->function.length) {
        fh_page_say(page, FH_INK_PLAIN, "  ");
        page->kind->span(page, FH_INK_CODE, place->function);
    }
    if (place->parameters >= 0) {
        fh_page_say(page, FH_INK_FAINT, "  ");
        fh_page_short(page, FH_INK_FAINT, place->parameters);
        fh_page_say(page, FH_INK_FAINT, " parameters");
    }
    if (place->flops >= 0) {
        fh_page_say(page, FH_INK_FAINT, "  ");
        fh_page_short(page, FH_INK_FAINT, place->flops);
        fh_page_say(page, FH_INK_FAINT, " FLOPs");
    }
    if (place->certainty.length && !fh_text_is(place->certainty, "certain")) {
        fh_page_say(page, FH_INK_FAINT, "  ");
        page->kind->span(page, FH_INK_FAINT, place->certainty);
    }
    page->kind->end(page);
}

static void locations(fh_page *page, const fh_operator *op)
{
    uint32_t listed = op->locations.count;
    if (page->most_places && listed > page->most_places)
        listed = page->most_places;
    page->kind->begin(page, 1);
    page->kind->span(page, FH_INK_CODE, op->name);
    fh_page_say(page, FH_INK_FAINT, "  ");
    fh_page_plural(page, FH_INK_FAINT, op->count, "site");
    if (op->sized && op->sized < op->count) {
        fh_page_say(page, FH_INK_FAINT, ", sizes known of ");
        fh_page_count(page, FH_INK_FAINT, op->sized);
    }
    page->kind->end(page);
    for (uint32_t i = 0; i < listed; i++)
        location(page, &op->locations.items[i]);
    fh_section_more(page, 2, listed, op->count);
}

/* The operators that are compute-heavy, or those that are not. */
static uint32_t operators_table(fh_page *page, const fh_result *r, bool heavy)
{
    static const fh_column columns[] = {
        {"Operator", false, FH_COLUMN_SHRINKS},     {"Class", false, FH_COLUMN_OPTIONAL},
        {"Support", false, FH_COLUMN_FIXED},        {"Sites", true, FH_COLUMN_FIXED},
        {"Parameters", true, FH_COLUMN_FIXED},      {"FLOPs", true, FH_COLUMN_FIXED},
        {"First place", false, FH_COLUMN_OPTIONAL},
    };
    uint32_t found = 0;
    for (uint32_t i = 0; i < r->operators.count; i++) {
        const fh_operator *op = &r->operators.items[i];
        if ((op->category == FH_CATEGORY_COMPUTE) != heavy)
            continue;
        if (!found)
            page->kind->table(page, columns, sizeof columns / sizeof *columns);
        if (found < page->most_rows)
            row(page, op);
        found++;
    }
    if (found)
        page->kind->table_end(page);
    fh_section_more(page, 0, page->most_rows, found);
    return found;
}

static void places(fh_page *page, const fh_result *r, bool heavy, uint32_t found)
{
    uint32_t shown = 0;
    page->kind->fold(page, heavy ? "Where each of them is" : "Where each of these is", found);
    for (uint32_t i = 0; i < r->operators.count && shown < page->most_rows; i++) {
        const fh_operator *op = &r->operators.items[i];
        if ((op->category == FH_CATEGORY_COMPUTE) == heavy && ++shown)
            locations(page, op);
    }
    page->kind->fold_end(page);
}

void fh_section_operators(fh_page *page, const fh_result *r)
{
    page->kind->heading(page, 2, "Computation-Intensive Operators");
    uint32_t heavy = operators_table(page, r, true);
    if (heavy)
        places(page, r, true, heavy);
    else
        fh_page_paragraph(page, FH_INK_PLAIN, "None found.");
    if (heavy == r->operators.count)
        return;
    page->kind->heading(page, 3, "Other calls of interest");
    places(page, r, false, operators_table(page, r, false));
}
