#include "analyse/scan/config_build.h"
#include "analyse/scan/parse_memory.h"
#include "analyse/scan/parse_text.h"
#include "analyse/scan/requirements.h"
#include "base/utf8.h"

#include <string.h>
#include <tree_sitter/api.h>

/* TOML: pyproject.toml, Pipfile and others, through tree-sitter's grammar, so that what stands
 * around an error is read. */

const TSLanguage *tree_sitter_toml(void);

typedef struct {
    fh_config_builder path;
    fh_text text;
    fh_buffer value; /* of the string at hand */
    unsigned errors;
    FH_VECTOR(uint32_t) tables; /* symbol of each [[table]], once for each time it came */
} toml_reader;

static bool is_type(TSNode node, const char *type)
{
    return strcmp(ts_node_type(node), type) == 0;
}

static fh_text text_of(const toml_reader *r, TSNode node)
{
    return fh_text_slice(r->text, ts_node_start_byte(node), ts_node_end_byte(node));
}

/* Appends what an escape of a basic string stands for; returns its length, 0 when it is none. */
static size_t add_escape(fh_buffer *out, fh_text text)
{
    static const char letters[] = "btnfr\"\\e", characters[] = "\b\t\n\f\r\"\\\033";
    char kind = text.length > 1 ? text.data[1] : 0;
    const char *found = kind ? strchr(letters, kind) : NULL;
    size_t digits = kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    if (found) {
        fh_buffer_add_char(out, characters[found - letters]);
        return 2;
    }
    uint32_t code = 0;
    for (size_t i = 2; i < 2 + digits; i++) {
        char c = i < text.length ? text.data[i] : 0;
        int digit = c >= '0' && c <= '9'                 ? c - '0'
                    : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                         : -1;
        if (digit < 0)
            return 0;
        code = code << 4 | (uint32_t)digit;
    }
    if (digits)
        fh_utf8_add(out, code);
    return digits ? digits + 2 : 0;
}

/* The content of a string literal, quotes included, appended to `out`. */
static void add_string(fh_buffer *out, fh_text literal)
{
    bool is_long = fh_text_starts(literal, "\"\"\"") || fh_text_starts(literal, "'''");
    bool is_basic = fh_text_starts(literal, "\"");
    size_t quotes = is_long ? 3 : 1;
    if (literal.length < 2 * quotes)
        return;
    fh_text inside = fh_text_slice(literal, quotes, literal.length - quotes);
    if (is_long && fh_text_starts(inside, "\n"))
        inside = fh_text_slice(inside, 1, inside.length);
    for (size_t i = 0; i < inside.length; i++) {
        fh_text rest = fh_text_slice(inside, i, inside.length);
        size_t escape = is_basic && rest.data[0] == '\\' ? add_escape(out, rest) : 0;
        if (escape) {
            i += escape - 1;
            continue;
        }
        if (is_basic && rest.length > 1 && rest.data[0] == '\\' &&
            strchr(" \t\r\n", rest.data[1])) {
            while (i + 1 < inside.length && strchr(" \t\r\n", inside.data[i + 1]))
                i++;
            continue;
        }
        fh_buffer_add_char(out, rest.data[0]);
    }
}

static fh_text string_of(toml_reader *r, TSNode node)
{
    fh_buffer_clear(&r->value);
    add_string(&r->value, text_of(r, node));
    return fh_buffer_text(&r->value);
}

/* Appends a key, bare, quoted or dotted, to the path. */
static void enter_key(toml_reader *r, TSNode node, unsigned depth)
{
    if (is_type(node, "dotted_key") && depth < FH_CONFIG_DEPTH) {
        for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
            enter_key(r, ts_node_named_child(node, i), depth + 1);
    } else if (is_type(node, "quoted_key")) {
        (void)fh_config_enter(&r->path, string_of(r, node));
    } else {
        (void)fh_config_enter(&r->path, text_of(r, node));
    }
}

static bool is_key(TSNode node)
{
    return is_type(node, "bare_key") || is_type(node, "quoted_key") || is_type(node, "dotted_key");
}

/* Whether `path` is `begin`, or begins with it and a dot. */
static bool is_below(fh_text path, const char *begin)
{
    size_t length = strlen(begin);
    return fh_text_starts(path, begin) && (path.length == length || path.data[length] == '.');
}

/* Lists of requirements in the form of PEP 508: PEP 517, 621, 735; Hatch, PDM, uv. */
static bool is_requirement_list(fh_text path)
{
    static const char *const lists[] = {
        "build-system.requires",           "project.dependencies",
        "project.optional-dependencies",   "dependency-groups",
        "tool.pdm.dev-dependencies",       "tool.uv.dev-dependencies",
        "tool.uv.constraint-dependencies", "tool.uv.override-dependencies"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (is_below(path, lists[i]))
            return true;
    return false;
}

/* Tables of name = version: Poetry, Pipfile. The number of dots that the path has for one entry; 0
 * when it is in no such table. */
static unsigned package_table(fh_text path)
{
    static const char *const tables[] = {"tool.poetry.dependencies", "tool.poetry.dev-dependencies",
                                         "packages", "dev-packages"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (is_below(path, tables[i]) && path.length > strlen(tables[i]))
            return i < 2 ? 3 : 1;
    if (is_below(path, "tool.poetry.group") && fh_text_contains(path, ".dependencies."))
        return 5;
    return 0;
}

static unsigned count_dots(fh_text path)
{
    unsigned dots = 0;
    for (size_t i = 0; i < path.length; i++)
        dots += path.data[i] == '.';
    return dots;
}

/* torch = "^2.1", or torch.version = "^2.1" and the like under {}. */
static void read_package(toml_reader *r, fh_text value, uint32_t offset)
{
    fh_text path = fh_buffer_text(&r->path.path), name = fh_config_last(&r->path);
    unsigned dots = package_table(path), have = count_dots(path);
    fh_buffer text = {0};
    if (!dots || have < dots)
        return;
    if (have == dots + 1) {
        fh_text outer = fh_text_slice(path, 0, path.length - name.length - 1);
        size_t dot = fh_text_find_last(outer, '.');
        fh_text package = fh_text_slice(outer, dot < outer.length ? dot + 1 : 0, outer.length);
        if (fh_text_is(name, "git") || fh_text_is(name, "url") || fh_text_is(name, "path") ||
            fh_text_is(name, "file")) {
            fh_buffer_add_string(&text, "@");
            fh_buffer_add(&text, value);
            fh_requirement_add_version(r->path.unit, package, fh_buffer_text(&text), offset);
        } else if (fh_text_is(name, "version")) {
            fh_requirement_add_version(r->path.unit, package, value, offset);
        }
    } else if (have == dots) {
        fh_requirement_add_version(r->path.unit, name, value, offset);
    }
    r->path.unit->settings.failed |= text.failed;
    fh_buffer_free(&text);
}

static void read_pairs(toml_reader *r, TSNode node, unsigned depth);

static void read_value(toml_reader *r, TSNode node, unsigned depth, bool in_requirements)
{
    uint32_t offset = ts_node_start_byte(node);
    if (depth >= FH_CONFIG_DEPTH)
        return;
    if (is_type(node, "array")) {
        bool is_list = in_requirements || is_requirement_list(fh_buffer_text(&r->path.path));
        TSTreeCursor cursor = ts_tree_cursor_new(node);
        uint32_t number = 0;
        for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
             more = ts_tree_cursor_goto_next_sibling(&cursor)) {
            TSNode element = ts_tree_cursor_current_node(&cursor);
            if (!ts_node_is_named(element) || is_type(element, "comment") ||
                ts_node_is_error(element))
                continue;
            if (number >= FH_CONFIG_MOST_ELEMENTS && !is_list)
                break;
            size_t mark = fh_config_enter_element(&r->path, number++);
            read_value(r, element, depth + 1, is_list);
            fh_config_leave(&r->path, mark);
        }
        ts_tree_cursor_delete(&cursor);
    } else if (is_type(node, "inline_table")) {
        read_pairs(r, node, depth + 1);
    } else if (is_type(node, "string")) {
        fh_text value = string_of(r, node);
        fh_config_add(&r->path, value, offset);
        if (in_requirements)
            (void)fh_requirement_add(r->path.unit, value, offset);
        read_package(r, value, offset);
    } else {
        fh_config_add(&r->path, text_of(r, node), offset);
    }
}

/* name = value */
static void read_pair(toml_reader *r, TSNode node, unsigned depth)
{
    uint32_t count = ts_node_named_child_count(node);
    size_t mark = r->path.path.length;
    bool has_key = false;
    for (uint32_t i = 0; i < count; i++) {
        TSNode child = ts_node_named_child(node, i);
        if (is_type(child, "comment") || ts_node_is_error(child))
            continue;
        if (!has_key && is_key(child)) {
            enter_key(r, child, 0);
            has_key = true;
        } else if (has_key) {
            read_value(r, child, depth, false);
            break;
        }
    }
    fh_config_leave(&r->path, mark);
}

/* How many [[tables]] of the name at the path came before. */
static uint32_t table_number(toml_reader *r)
{
    fh_symbol name = fh_symbols_add(&r->path.unit->symbols, fh_buffer_text(&r->path.path));
    uint32_t number = 0;
    for (uint32_t i = 0; i < r->tables.count && r->tables.count <= FH_CONFIG_MOST_ELEMENTS; i++)
        number += r->tables.items[i] == name;
    if (r->tables.count <= FH_CONFIG_MOST_ELEMENTS)
        fh_vector_push(&r->tables, name);
    return number;
}

/* A document, a table or an inline table: its pairs, in order. */
static void read_pairs(toml_reader *r, TSNode node, unsigned depth)
{
    enum { MOST_NOTES = 5 };
    TSTreeCursor cursor = ts_tree_cursor_new(node);
    bool is_list = is_type(node, "table_array_element"), has_name = false;
    bool is_table = is_list || is_type(node, "table");
    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
         more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        if (ts_node_is_error(child) || ts_node_is_missing(child)) {
            if (r->errors++ < MOST_NOTES)
                fh_unit_note(r->path.unit, ts_node_start_byte(child),
                             "broken TOML: this part is not understood");
        } else if (is_table && !has_name && is_key(child)) {
            enter_key(r, child, 0);
            if (is_list)
                (void)fh_config_enter_element(&r->path, table_number(r));
            has_name = true;
        } else if (is_type(child, "pair")) {
            read_pair(r, child, depth);
        } else if (is_type(child, "table") || is_type(child, "table_array_element")) {
            fh_config_leave(&r->path, 0);
            if (depth < FH_CONFIG_DEPTH)
                read_pairs(r, child, depth + 1);
            fh_config_leave(&r->path, 0);
        }
    }
    ts_tree_cursor_delete(&cursor);
}

typedef struct {
    toml_reader reader;
    bool is_ready;
} toml_work;

static void read_all(void *data)
{
    toml_work *work = data;
    toml_reader *r = &work->reader;
    fh_unit *unit = r->path.unit;
    TSParser *parser = ts_parser_new();
    work->is_ready = ts_parser_set_language(parser, tree_sitter_toml());
    /* Broken text can cost the parser time that grows with its square: it is stopped then. */
    uint64_t most_steps = 100 * (1000 + r->text.length / 16);
    TSTree *tree = work->is_ready ? fh_parse_text(parser, r->text, most_steps) : NULL;
    if (!tree) {
        fh_unit_note(unit, FH_NO_OFFSET, "broken TOML, not read");
        return;
    }
    TSNode root = ts_tree_root_node(tree);
    read_pairs(r, root, 0);
    if (ts_node_has_error(root) && !r->errors)
        fh_unit_note(unit, FH_NO_OFFSET, "broken TOML: some of it is not understood");
}

fh_status fh_toml_settings(fh_text text, fh_unit *unit)
{
    toml_work work = {.reader = {.path = {.unit = unit}, .text = text}};
    toml_reader *r = &work.reader;
    enum { MOST_BYTES = 512 << 10 }; /* settings are small, and broken text is slow to parse */
    if (text.length > MOST_BYTES) {
        fh_unit_note(unit, FH_NO_OFFSET, "larger than %d KB: taken as data, not as settings",
                     MOST_BYTES >> 10);
        return FH_OK;
    }
    fh_parse_memory *memory = fh_parse_memory_create();
    bool failed = !memory || !fh_parse_memory_run(memory, read_all, &work) || !work.is_ready ||
                  r->path.path.failed || r->value.failed || r->tables.failed ||
                  fh_unit_failed(unit);
    fh_parse_memory_destroy(memory);
    fh_vector_free(&r->tables);
    fh_buffer_free(&r->value);
    fh_config_free(&r->path);
    return failed ? fh_error(FH_NO_MEMORY, "out of memory while reading TOML") : FH_OK;
}
