#include "facts/import_operators.h"
#include "base/symbols.h"
#include "facts/import_title.h"

#include <string.h>

enum {
    TITLE_IS_NEAR = 12, /* lines between a title and the heading of the products */
};

static const char workspace[] = "GetWorkspaceSize";

typedef enum { ELSEWHERE, IN_PRODUCTS, IN_PARAMETERS } place;

typedef struct {
    const fh_import_lines *lines;
    fh_import_operators *out;
    fh_symbols known;          /* names; symbol - 1 is the place in out->items */
    fh_import_title candidate; /* the last line that could be a title */
    uint32_t on_page[FH_IMPORT_MOST_ON_A_PAGE];
    unsigned on_page_count;
    place place;
    bool has_table;              /* the products stand in a table with marks */
    unsigned unmarked;           /* product lines of a row whose mark has not come yet */
    unsigned last_marked;        /* product lines of the last row that had a mark */
    uint32_t target;             /* operator whose parameters are read */
    bool in_tensor;              /* the parameter being read is a tensor */
    fh_dtypes parameter;         /* its data types so far */
    int dtype_cell, format_cell; /* columns of a table of parameters; -1 when there is none */
} recogniser;

static fh_import_operator *operator_at(recogniser *state, uint32_t index)
{
    return &state->out->items.items[index];
}

/* The operator of that name, which is added when it is new. */
static bool add_operator(recogniser *state, fh_text name, uint32_t line, uint32_t *index)
{
    fh_symbol symbol = fh_symbols_find(&state->known, name);
    if (!symbol || symbol > state->out->items.count) {
        symbol = fh_symbols_add(&state->known, name);
        const fh_import_line *at = &state->lines->lines.items[line];
        fh_import_operator added = {
            .name = fh_arena_copy(&state->out->names, name), .line = at->number, .page = at->page};
        if (!symbol || !fh_vector_push(&state->out->items, added))
            return false;
    }
    *index = symbol - 1;
    return *index < state->out->items.count;
}

static void begin_page(recogniser *state, const fh_import_title *names)
{
    state->on_page_count = 0;
    for (unsigned i = 0; i < names->count; i++) {
        uint32_t index;
        if (!add_operator(state, names->names[i], names->index, &index))
            continue;
        state->on_page[state->on_page_count++] = index;
        operator_at(state, index)->first = state->on_page[0];
    }
    state->place = ELSEWHERE;
}

static bool is_on_page(recogniser *state, fh_text name)
{
    for (unsigned i = 0; i < state->on_page_count; i++)
        if (fh_text_equal(operator_at(state, state->on_page[i])->name, name))
            return true;
    return false;
}

static unsigned size_of(const fh_dtypes *dtypes)
{
    unsigned size = 0;
    for (unsigned i = 0; i < FH_FAMILIES; i++)
        size += (unsigned)__builtin_popcount(dtypes->of[i]);
    return size;
}

/* The tensor that takes the most types tells what the operator computes in: masks and
 * indices take few. */
static void end_parameter(recogniser *state)
{
    if (state->place == IN_PARAMETERS && state->in_tensor) {
        fh_import_operator *target = operator_at(state, state->target);
        if (size_of(&state->parameter) > size_of(&target->dtypes))
            target->dtypes = state->parameter;
    }
    state->in_tensor = false;
    state->parameter = (fh_dtypes){0};
}

static bool is_products_heading(fh_text line)
{
    static const char *const headings[] = {"产品支持情况",       "支持的产品型号",
                                           "支持的产品",         "Supported Products",
                                           "Supported products", "Product Support"};
    line = fh_import_without_number(line);
    for (unsigned i = 0; i < sizeof headings / sizeof *headings; i++)
        if (fh_text_starts(line, headings[i]) && line.length < strlen(headings[i]) + 24)
            return true;
    return false;
}

static bool ends_section(fh_text line)
{
    static const char *const headings[] = {"功能说明", "功能描述",     "接口原型", "函数原型",
                                           "返回值",   "约束说明",     "调用示例", "每个算子分为",
                                           "Function", "Prototype",    "Returns",  "Constraints",
                                           "Example",  "Each operator"};
    if (fh_text_starts(line, "#"))
        return true;
    line = fh_import_without_number(line);
    while (line.length && (*line.data == '-' || *line.data == '*' || *line.data == ' '))
        line = fh_text_slice(line, 1, line.length);
    for (unsigned i = 0; i < sizeof headings / sizeof *headings; i++)
        if (fh_text_starts(line, headings[i]))
            return true;
    return false;
}

static void mark_products(recogniser *state, unsigned families, fh_mark mark)
{
    for (unsigned i = 0; i < state->on_page_count; i++) {
        fh_import_operator *item = operator_at(state, state->on_page[i]);
        if (mark == FH_MARK_NO)
            item->refused |= families;
        else
            item->taken |= families;
    }
}

static void read_product(recogniser *state, fh_text line)
{
    bool has_product;
    unsigned families = fh_words_families(line, &has_product);
    fh_mark mark = fh_words_mark(line);
    if (!has_product) {
        /* The head of the table, or the mark of a row whose text runs over two lines. */
        state->has_table |=
            fh_text_contains(line, "是否支持") || fh_text_contains(line, "Supported");
        if (state->unmarked && mark && !fh_text_contains(line, "是否支持")) {
            mark_products(state, state->unmarked, mark);
            state->unmarked = 0;
        }
        return;
    }
    if (mark) {
        mark_products(state, families | state->unmarked, mark);
        state->unmarked = 0;
        state->last_marked = families;
    } else if (!state->has_table) {
        mark_products(state, families, FH_MARK_YES);
    } else if (families & ~state->last_marked) {
        state->unmarked |= families; /* else the second line of the row before */
    }
}

static bool contains_any(fh_text line, const char *const *words)
{
    for (; *words; words++)
        if (fh_text_contains(line, *words))
            return true;
    return false;
}

/* Cell `index` of a row with '|' before its cells; false when the row is too short. */
static bool cell_of(fh_text row, int index, fh_text *cell)
{
    fh_text part = {0};
    if (fh_text_starts(row, "|"))
        row = fh_text_slice(row, 1, row.length);
    for (int i = 0; i <= index; i++)
        if (!fh_text_next(&row, '|', &part))
            return false;
    *cell = fh_text_trim(part);
    return index >= 0;
}

/* Learns from the head of a table which cell holds data types, and which the format: only
 * tensors have one. */
static bool read_table_head(recogniser *state, fh_text line)
{
    static const char *const dtypes[] = {"数据类型", "Data Type", "Data type", NULL};
    static const char *const formats[] = {"数据格式", "Data Format", "Data format", NULL};
    static const char *const names[] = {"参数名", "Name", "Parameter", NULL};
    fh_text cell;
    if (!fh_text_starts(line, "|") || !contains_any(line, names))
        return false;
    state->dtype_cell = state->format_cell = -1;
    for (int i = 0; cell_of(line, i, &cell); i++) {
        if (contains_any(cell, dtypes))
            state->dtype_cell = i;
        else if (contains_any(cell, formats))
            state->format_cell = i;
    }
    return true;
}

/* A row of such a table is a parameter; a short one, where cells span rows, goes on with
 * the one before. */
static bool read_table_row(recogniser *state, fh_text line)
{
    fh_text dtypes, format = {0};
    fh_dtypes elsewhere = {0};
    if (!fh_text_starts(line, "|") || state->dtype_cell < 0)
        return false;
    bool is_whole = cell_of(line, state->dtype_cell, &dtypes);
    bool has_format = state->format_cell < 0 || cell_of(line, state->format_cell, &format);
    if (is_whole && has_format) {
        end_parameter(state);
        state->in_tensor =
            fh_text_contains(line, "aclTensor") ||
            (!fh_text_contains(line, "aclScalar") &&
             (state->format_cell < 0 || (format.length && !fh_text_is(format, "-"))));
    } else {
        dtypes = line;
    }
    fh_words_dtypes(dtypes, false, state->in_tensor ? &state->parameter : &elsewhere, &elsewhere);
    return true;
}

static void read_parameter(recogniser *state, fh_text line)
{
    static const char *const tensors[] = {"aclTensor", "Device侧的", NULL};
    static const char *const others[] = {"aclScalar",    "aclIntArray", "aclFloatArray", "int64_t",
                                         "int8_t",       "uint64_t",    "aclOpExecutor", "int32_t",
                                         "aclBoolArray", "Host侧的",    "aclDataType",   "(bool",
                                         "（bool",       "(double",     "（double",      "(char",
                                         "（char",       "(float",      "（float",       NULL};
    if (read_table_head(state, line) || read_table_row(state, line))
        return;
    bool is_tensor = contains_any(line, tensors);
    if (is_tensor || contains_any(line, others)) {
        end_parameter(state);
        state->in_tensor = is_tensor;
    }
    fh_dtypes elsewhere = {0};
    fh_words_dtypes(line, false, state->in_tensor ? &state->parameter : &elsewhere,
                    &operator_at(state, state->target)->denied);
}

/* A heading aclnnXGetWorkspaceSize: the parameters of X follow. */
static void begin_parameters(recogniser *state, const fh_import_title *heading)
{
    fh_text name = heading->names[0];
    name = fh_text_slice(name, 0, name.length - (sizeof workspace - 1));
    if (!is_on_page(state, name)) {
        fh_import_title page = {.names = {name}, .count = 1, .index = heading->index};
        begin_page(state, &page);
    }
    uint32_t index;
    if (!add_operator(state, name, heading->index, &index))
        return;
    state->target = index;
    state->place = IN_PARAMETERS;
    state->dtype_cell = state->format_cell = -1;
    state->in_tensor = false;
}

static void read_heading(recogniser *state, const fh_import_title *heading, bool is_marked)
{
    end_parameter(state);
    bool is_workspace = fh_text_ends(heading->names[0], workspace);
    bool is_known = true;
    for (unsigned i = 0; i < heading->count; i++)
        is_known &= is_on_page(state, heading->names[i]);
    if (heading->count == 1 && is_workspace) {
        begin_parameters(state, heading);
    } else if (is_known) {
        state->place = ELSEWHERE;
    } else if (!is_workspace) {
        state->candidate = *heading;
        if (is_marked)
            begin_page(state, heading);
    }
}

static void read_line(recogniser *state, uint32_t index)
{
    fh_text line = fh_import_line_text(state->lines, index);
    fh_import_title heading;
    if (fh_import_title_read(line, index, &heading)) {
        read_heading(state, &heading, fh_text_starts(line, "#"));
    } else if (is_products_heading(line)) {
        end_parameter(state);
        if (state->candidate.count && index - state->candidate.index <= TITLE_IS_NEAR)
            begin_page(state, &state->candidate);
        state->candidate.count = 0;
        state->place = state->on_page_count ? IN_PRODUCTS : ELSEWHERE;
        state->has_table = false;
        state->unmarked = 0;
        state->last_marked = 0;
    } else if (ends_section(line)) {
        end_parameter(state);
        state->place = ELSEWHERE;
    } else if (state->place == IN_PRODUCTS) {
        read_product(state, line);
    } else if (state->place == IN_PARAMETERS) {
        read_parameter(state, line);
    }
}

/* Data types count for product lines that have the operator. An in-place form of which
 * nothing is said takes what the operator takes. */
static void settle_dtypes(fh_import_operators *operators)
{
    for (uint32_t i = 0; i < operators->items.count; i++) {
        fh_import_operator *item = &operators->items.items[i];
        item->refused &= ~item->taken;
        if (!size_of(&item->dtypes) && item->first < i)
            item->dtypes = operators->items.items[item->first].dtypes;
        for (unsigned family = 0; family < FH_FAMILIES; family++)
            item->dtypes.of[family] &= item->refused & 1u << family ? 0 : ~item->denied.of[family];
    }
}

static void leave_out_empty(fh_import_operators *operators)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < operators->items.count; i++) {
        fh_import_operator item = operators->items.items[i];
        if (item.taken || item.refused || size_of(&item.dtypes))
            operators->items.items[kept++] = item;
    }
    operators->items.count = kept;
}

fh_status fh_import_operators_of_lines(const fh_import_lines *lines, fh_import_operators *operators)
{
    fh_import_operators found = {0};
    recogniser state = {.lines = lines, .out = &found};
    fh_symbols_init(&state.known);
    for (uint32_t i = 0; i < lines->lines.count; i++)
        read_line(&state, i);
    end_parameter(&state);
    bool failed = state.known.failed || found.items.failed || found.names.failed;
    fh_symbols_free(&state.known);
    if (failed) {
        fh_import_operators_free(&found);
        return fh_error(FH_NO_MEMORY, "out of memory while reading operator documentation");
    }
    settle_dtypes(&found);
    leave_out_empty(&found);
    *operators = found;
    return FH_OK;
}

void fh_import_operators_free(fh_import_operators *operators)
{
    fh_vector_free(&operators->items);
    fh_arena_free(&operators->names);
    *operators = (fh_import_operators){0};
}
