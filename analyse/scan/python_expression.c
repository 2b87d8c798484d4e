/* Expressions: one function per kind of node, each returns the value it made. */
#include "analyse/scan/python_build.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const fh_syntax_node *node_of(const fh_builder *b, uint32_t node)
{
    return &b->syntax->nodes.items[node];
}

static uint32_t child(const fh_builder *b, uint32_t node, fh_syntax_field field)
{
    return fh_syntax_child(b->syntax, node, field);
}

static fh_value_index unknown(fh_builder *b, uint32_t node)
{
    return fh_build_value(b, FH_VALUE_UNKNOWN, FH_OP_OTHER, 0, 0, node_of(b, node)->begin);
}

/* Evaluates the named children with no field, or all when `all`; comments are no expressions. */
void fh_build_children(fh_builder *b, uint32_t node)
{
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c))
        if (node_of(b, c)->is_named)
            fh_build_expression(b, c);
}

static fh_value_index name_value(fh_builder *b, uint32_t node)
{
    fh_symbol name = fh_build_symbol(b, node);
    fh_value_index value = fh_scope_lookup(&b->scopes, b->scope, name);
    return value ? value
                 : fh_build_value(b, FH_VALUE_NAME, FH_OP_OTHER, name, 0, node_of(b, node)->begin);
}

static fh_value_index integer_value(fh_builder *b, uint32_t node)
{
    char digits[80];
    size_t length = 0;
    fh_text text = fh_syntax_text(b->syntax, node);
    for (size_t i = 0; i < text.length && length + 1 < sizeof digits; i++)
        if (text.data[i] != '_')
            digits[length++] = text.data[i];
    digits[length] = 0;
    if (length && (digits[length - 1] == 'j' || digits[length - 1] == 'J'))
        return fh_build_value(b, FH_VALUE_FLOAT, FH_OP_OTHER, 0, 0, node_of(b, node)->begin);
    const char *start = digits;
    int base = 10;
    if (start[0] == '0' && start[1]) {
        char kind = (char)tolower((unsigned char)start[1]);
        base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
        start += kind == 'x' || kind == 'b' || kind == 'o' ? 2 : 1;
    }
    errno = 0;
    long long number = strtoll(start, NULL, base);
    if (errno)
        return unknown(b, node);
    return fh_build_value(b, FH_VALUE_INTEGER, FH_OP_OTHER, (uint32_t)number,
                          (uint32_t)((uint64_t)number >> 32), node_of(b, node)->begin);
}

static fh_value_index float_value(fh_builder *b, uint32_t node)
{
    char digits[80];
    size_t length = 0;
    fh_text text = fh_syntax_text(b->syntax, node);
    for (size_t i = 0; i < text.length && length + 1 < sizeof digits; i++)
        if (text.data[i] != '_')
            digits[length++] = text.data[i];
    digits[length] = 0;
    bool imaginary = length && tolower((unsigned char)digits[length - 1]) == 'j';
    double number = strtod(digits, NULL);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    fh_value_index value = fh_build_value(b, FH_VALUE_FLOAT, FH_OP_OTHER, (uint32_t)bits,
                                          (uint32_t)(bits >> 32), node_of(b, node)->begin);
    if (imaginary)
        b->unit->values.items[value].flags |= FH_VALUE_IMAGINARY;
    return value;
}

/* Text is kept up to this many bytes: enough for names, shapes and options. */
enum { LONGEST_STRING = 1024 };

static fh_symbol string_symbol(fh_builder *b, uint32_t begin, uint32_t end)
{
    if (end - begin > LONGEST_STRING) {
        end = begin + LONGEST_STRING;
        while (end > begin && ((unsigned char)b->syntax->text.data[end] & 0xc0) == 0x80)
            end--;
    }
    return fh_symbols_add(&b->unit->symbols, (fh_text){b->syntax->text.data + begin, end - begin});
}

/* The inside of a string node: [begin, end) between its quotes. */
static void string_bounds(const fh_builder *b, uint32_t node, uint32_t *begin, uint32_t *end)
{
    *begin = node_of(b, node)->begin;
    *end = node_of(b, node)->end;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (node_of(b, c)->kind == FH_SYNTAX_string_start)
            *begin = node_of(b, c)->end;
        else if (node_of(b, c)->kind == FH_SYNTAX_string_end)
            *end = node_of(b, c)->begin;
    }
    if (*end < *begin)
        *end = *begin;
}

/* Device code in one string, or in several that are joined: from the inside of the string node
 * `first` to that of `last`. */
static void scan_device_code(fh_builder *b, uint32_t first, uint32_t last)
{
    uint32_t begin, end, ignored;
    string_bounds(b, first, &begin, &end);
    if (last != first)
        string_bounds(b, last, &ignored, &end);
    fh_text text = {b->syntax->text.data + begin, end - begin};
    if (text.length > strlen("__global__") && fh_text_contains(text, "__global__"))
        fh_vector_push(&b->unit->kernels,
                       (fh_kernel){0, begin, end, FH_KERNEL_EMBEDDED, b->function});
}

enum { PLAIN, FORMATTED, SPECIFIED };

/* {x!r}, {x:4d}, {x=}: true when what stands there is not just str(x). */
static bool is_specified(const fh_builder *b, uint32_t interpolation)
{
    uint32_t first = fh_syntax_first(b->syntax, interpolation);
    if (!first)
        return false;
    uint32_t at = node_of(b, first)->end, end = node_of(b, interpolation)->end;
    while (at < end &&
           (b->syntax->text.data[at] == ')' || isspace((unsigned char)b->syntax->text.data[at])))
        at++;
    return at < end && b->syntax->text.data[at] != '}';
}

/* Pushes the parts of a string on the work stack; FORMATTED when one of them is an expression. */
static int push_string_parts(fh_builder *b, uint32_t node)
{
    int formatted = PLAIN;
    uint32_t begin, end;
    string_bounds(b, node, &begin, &end);
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (node_of(b, c)->kind != FH_SYNTAX_interpolation)
            continue;
        uint32_t at = node_of(b, c)->begin;
        if (at > begin)
            fh_vector_push(&b->work, fh_build_value(b, FH_VALUE_STRING, FH_OP_OTHER,
                                                    string_symbol(b, begin, at), 0, begin));
        fh_value_index part = 0;
        for (uint32_t e = fh_syntax_first(b->syntax, c); e; e = fh_syntax_next(b->syntax, e)) {
            fh_value_index value = fh_build_expression(b, e);
            part = part ? part : value;
        }
        fh_vector_push(&b->work, part);
        begin = node_of(b, c)->end;
        if (formatted != SPECIFIED)
            formatted = is_specified(b, c) ? SPECIFIED : FORMATTED;
    }
    if (end > begin)
        fh_vector_push(&b->work, fh_build_value(b, FH_VALUE_STRING, FH_OP_OTHER,
                                                string_symbol(b, begin, end), 0, begin));
    return formatted;
}

static fh_value_index format_value(fh_builder *b, uint32_t mark, int formatted, uint32_t begin)
{
    uint32_t count, first = fh_build_list(b, mark, &count);
    fh_value_index value = fh_build_value(b, FH_VALUE_FORMAT, FH_OP_OTHER, first, count, begin);
    if (formatted == SPECIFIED)
        b->unit->values.items[value].flags |= FH_VALUE_SPECIFIED;
    return value;
}

static fh_value_index string_value(fh_builder *b, uint32_t node)
{
    uint32_t mark = b->work.count, begin = node_of(b, node)->begin;
    int formatted = push_string_parts(b, node);
    scan_device_code(b, node, node);
    if (formatted == PLAIN && b->work.count - mark <= 1) {
        fh_value_index value = b->work.count > mark
                                   ? fh_vector_pop(&b->work)
                                   : fh_build_value(b, FH_VALUE_STRING, FH_OP_OTHER, 0, 0, begin);
        b->unit->values.items[value].offset = begin;
        return value;
    }
    return format_value(b, mark, formatted, begin);
}

/* "a" "b": one string when all parts are plain, else a FORMAT. */
static fh_value_index concatenated_string(fh_builder *b, uint32_t node)
{
    uint32_t mark = b->work.count, first = 0, last = 0;
    int formatted = PLAIN;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c))
        if (node_of(b, c)->kind == FH_SYNTAX_string) {
            first = first ? first : c;
            last = c;
            int one = push_string_parts(b, c);
            formatted = one > formatted ? one : formatted;
        }
    if (first)
        scan_device_code(b, first, last);
    if (formatted == PLAIN) {
        fh_buffer joined = {0};
        for (uint32_t i = mark; i < b->work.count; i++)
            fh_buffer_add(&joined,
                          fh_unit_text(b->unit, fh_unit_value(b->unit, b->work.items[i])->a));
        b->work.count = mark;
        fh_text text = fh_text_slice(fh_buffer_text(&joined), 0, LONGEST_STRING);
        fh_symbol symbol = fh_symbols_add(&b->unit->symbols, text);
        fh_buffer_free(&joined);
        return fh_build_value(b, FH_VALUE_STRING, FH_OP_OTHER, symbol, 0, node_of(b, node)->begin);
    }
    return format_value(b, mark, formatted, node_of(b, node)->begin);
}

static fh_op operator_of(fh_text text)
{
    static const char *const spellings[] = {
#define X(name, spelling) spelling,
        FH_OP_MAP(X)
#undef X
    };
    if (text.length > 1 && text.data[text.length - 1] == '=' && !strchr("=!<>", text.data[0]))
        text.length--; /* a += b */
    else if (text.length == 3)
        text.length -= text.data[2] == '='; /* <<=, >>= */
    for (unsigned i = 1; i < sizeof spellings / sizeof *spellings; i++)
        if (fh_text_is(text, spellings[i]))
            return (fh_op)i;
    return fh_text_is(text, "<>") ? FH_OP_NOT_EQUAL : FH_OP_OTHER;
}

fh_value_index fh_build_binary(fh_builder *b, uint32_t node, fh_value_index left,
                               fh_value_index right)
{
    uint32_t token = child(b, node, FH_FIELD_operator);
    fh_op op = token ? operator_of(fh_syntax_text(b->syntax, token)) : FH_OP_OTHER;
    return fh_build_value(b, FH_VALUE_BINARY, op, left, right,
                          node_of(b, token ? token : node)->begin);
}

static fh_value_index binary_value(fh_builder *b, uint32_t node)
{
    fh_value_index left = fh_build_expression(b, child(b, node, FH_FIELD_left));
    fh_value_index right = fh_build_expression(b, child(b, node, FH_FIELD_right));
    return fh_build_binary(b, node, left, right);
}

static void record_test(fh_builder *b, fh_value_index value)
{
    fh_value_kind kind = (fh_value_kind)fh_unit_value(b->unit, value)->kind;
    if (kind == FH_VALUE_BINARY || kind == FH_VALUE_COMPARE || kind == FH_VALUE_CALL ||
        kind == FH_VALUE_PARAMETER || kind == FH_VALUE_SUBSCRIPT || kind == FH_VALUE_PHI ||
        kind == FH_VALUE_UNARY || kind == FH_VALUE_ATTRIBUTE)
        fh_vector_push(&b->unit->tests, value);
}

static fh_value_index boolean_value(fh_builder *b, uint32_t node)
{
    fh_value_index left = fh_build_expression(b, child(b, node, FH_FIELD_left));
    fh_value_index right = fh_build_expression(b, child(b, node, FH_FIELD_right));
    record_test(b, left);
    return fh_build_binary(b, node, left, right);
}

static fh_value_index comparison_value(fh_builder *b, uint32_t node)
{
    fh_value_index before = 0, last = 0;
    fh_op op = FH_OP_OTHER;
    uint32_t offset = node_of(b, node)->begin, tokens = 0, operands = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (node_of(b, c)->field == FH_FIELD_operators) {
            op = operator_of(fh_syntax_text(b->syntax, c));
            offset = node_of(b, c)->begin;
            tokens++;
        } else if (node_of(b, c)->is_named) {
            before = last;
            last = fh_build_expression(b, c);
            operands++;
        }
    }
    if (tokens > 1 && operands > 2)
        op = FH_OP_OTHER;
    return fh_build_value(b, FH_VALUE_COMPARE, op, before, last, offset);
}

static fh_value_index unary_value(fh_builder *b, uint32_t node, fh_op op)
{
    uint32_t argument = child(b, node, FH_FIELD_argument);
    fh_value_index value = fh_build_expression(b, argument);
    const fh_value *v = fh_unit_value(b->unit, value);
    if (op == FH_OP_SUBTRACT && v->kind == FH_VALUE_INTEGER) {
        uint64_t number = (uint64_t)-fh_value_integer(v);
        return fh_build_value(b, FH_VALUE_INTEGER, FH_OP_OTHER, (uint32_t)number,
                              (uint32_t)(number >> 32), node_of(b, node)->begin);
    }
    if (op == FH_OP_NOT)
        record_test(b, value);
    return fh_build_value(b, FH_VALUE_UNARY, op, value, 0, node_of(b, node)->begin);
}

static fh_value_index conditional_value(fh_builder *b, uint32_t node)
{
    uint32_t parts[3] = {0}, count = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c && count < 3;
         c = fh_syntax_next(b->syntax, c))
        if (node_of(b, c)->is_named && node_of(b, c)->kind != FH_SYNTAX_comment)
            parts[count++] = c;
    if (count < 3) {
        fh_build_children(b, node);
        return unknown(b, node);
    }
    fh_value_index condition = fh_build_expression(b, parts[1]);
    record_test(b, condition);
    fh_value_index yes = fh_build_expression(b, parts[0]);
    fh_value_index no = fh_build_expression(b, parts[2]);
    return fh_build_phi(b, yes, no);
}

/* List, tuple, set: the elements as a list. */
static fh_value_index sequence_value(fh_builder *b, uint32_t node, fh_value_kind kind)
{
    uint32_t mark = b->work.count, count;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c))
        if (node_of(b, c)->is_named && node_of(b, c)->kind != FH_SYNTAX_comment) {
            fh_value_index value = fh_build_expression(b, c);
            fh_vector_push(&b->work, value);
        }
    uint32_t first = fh_build_list(b, mark, &count);
    return fh_build_value(b, kind, FH_OP_OTHER, first, count, node_of(b, node)->begin);
}

static fh_value_index dictionary_value(fh_builder *b, uint32_t node)
{
    uint32_t mark = b->work.count, count;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        fh_value_index key = 0, value;
        if (node_of(b, c)->kind == FH_SYNTAX_comment)
            continue;
        if (node_of(b, c)->kind == FH_SYNTAX_pair) {
            key = fh_build_expression(b, child(b, c, FH_FIELD_key));
            value = fh_build_expression(b, child(b, c, FH_FIELD_value));
        } else {
            value = fh_build_expression(b, c);
        }
        fh_vector_push(&b->work, key);
        fh_vector_push(&b->work, value);
    }
    uint32_t first = fh_build_list(b, mark, &count);
    return fh_build_value(b, FH_VALUE_DICT, FH_OP_OTHER, first, count, node_of(b, node)->begin);
}

static fh_value_index comprehension_value(fh_builder *b, uint32_t node)
{
    uint32_t scope = b->scope, block = b->block, body = 0;
    fh_value_index source = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        fh_syntax_kind kind = fh_syntax_kind_of(b->syntax, c);
        if (kind == FH_SYNTAX_for_in_clause) {
            fh_value_index iterable = 0;
            for (uint32_t e = fh_syntax_first(b->syntax, c); e; e = fh_syntax_next(b->syntax, e))
                if (node_of(b, e)->field == FH_FIELD_right && node_of(b, e)->is_named)
                    iterable = fh_build_expression(b, e);
            source = source ? source : iterable;
            /* The first iterable belongs to the enclosing scope, all else to the comprehension's.
             */
            if (b->scope == scope)
                b->scope = fh_scope_open(&b->scopes, scope, false);
            if (b->scope != scope)
                b->scopes.scopes.items[b->scope].is_comprehension = true;
            fh_build_enter(b, FH_BLOCK_COMPREHENSION, iterable, node);
            uint32_t left = child(b, c, FH_FIELD_left);
            fh_build_assign(b, left,
                            fh_build_value(b, FH_VALUE_ELEMENT, FH_OP_OTHER, iterable, 0,
                                           node_of(b, c)->begin));
        } else if (kind == FH_SYNTAX_if_clause) {
            for (uint32_t e = fh_syntax_first(b->syntax, c); e; e = fh_syntax_next(b->syntax, e))
                record_test(b, fh_build_expression(b, e));
        } else if (!body && kind != FH_SYNTAX_comment) {
            body = c;
        }
    }
    fh_value_index element = 0;
    if (body && fh_syntax_kind_of(b->syntax, body) == FH_SYNTAX_pair) {
        fh_build_expression(b, child(b, body, FH_FIELD_key));
        element = fh_build_expression(b, child(b, body, FH_FIELD_value));
    } else if (body) {
        element = fh_build_expression(b, body);
    }
    b->scope = scope;
    b->block = block;
    return fh_build_value(b, FH_VALUE_COMPREHENSION, FH_OP_OTHER, element, source,
                          node_of(b, node)->begin);
}

/* The attribute as last assigned on this path, or an ATTRIBUTE value. */
static fh_value_index attribute_value(fh_builder *b, uint32_t node)
{
    fh_value_index object = fh_build_expression(b, child(b, node, FH_FIELD_object));
    uint32_t name_node = child(b, node, FH_FIELD_attribute);
    fh_symbol name = fh_build_symbol(b, name_node);
    fh_value_index known = fh_scope_get(&b->scopes, fh_scope_attribute_key(object, name));
    return known ? known
                 : fh_build_value(b, FH_VALUE_ATTRIBUTE, FH_OP_OTHER, object, name,
                                  node_of(b, name_node)->begin);
}

static fh_value_index subscript_value(fh_builder *b, uint32_t node)
{
    fh_value_index object = fh_build_expression(b, child(b, node, FH_FIELD_value));
    uint32_t mark = b->work.count;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c))
        if (node_of(b, c)->field == FH_FIELD_subscript && node_of(b, c)->is_named) {
            fh_value_index value = fh_build_expression(b, c);
            fh_vector_push(&b->work, value);
        }
    fh_value_index index = fh_build_one_or_tuple(b, mark, node_of(b, node)->begin);
    return fh_build_value(b, FH_VALUE_SUBSCRIPT, FH_OP_OTHER, object, index,
                          node_of(b, node)->begin);
}

/* begin:end:step; where a part is left out its value is 0. The colons are not in the
 * table, so they are found in the text between the children. */
static fh_value_index slice_value(fh_builder *b, uint32_t node)
{
    fh_value_index parts[3] = {0};
    uint32_t at = node_of(b, node)->begin, slot = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (node_of(b, c)->kind == FH_SYNTAX_comment)
            continue;
        for (; at < node_of(b, c)->begin; at++)
            slot += b->syntax->text.data[at] == ':';
        fh_value_index value = fh_build_expression(b, c);
        if (slot < 3)
            parts[slot] = value;
        at = node_of(b, c)->end;
    }
    uint32_t mark = b->work.count, count;
    for (int i = 0; i < 3; i++)
        fh_vector_push(&b->work, parts[i]);
    uint32_t first = fh_build_list(b, mark, &count);
    return fh_build_value(b, FH_VALUE_SLICE, FH_OP_OTHER, first, 3, node_of(b, node)->begin);
}

/* Pushes the arguments of an argument_list on the argument stack. */
void fh_build_arguments(fh_builder *b, uint32_t node)
{
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        fh_argument argument = {0};
        if (node_of(b, c)->kind == FH_SYNTAX_comment)
            continue;
        if (node_of(b, c)->kind == FH_SYNTAX_keyword_argument) {
            argument.name = fh_build_symbol(b, child(b, c, FH_FIELD_name));
            argument.value = fh_build_expression(b, child(b, c, FH_FIELD_value));
        } else {
            argument.value = fh_build_expression(b, c);
        }
        fh_vector_push(&b->argument_work, argument);
    }
}

uint32_t fh_build_argument_list(fh_builder *b, uint32_t mark, uint32_t *count)
{
    uint32_t first = b->unit->arguments.count;
    *count = b->argument_work.count - mark;
    for (uint32_t i = mark; i < b->argument_work.count; i++)
        fh_vector_push(&b->unit->arguments, b->argument_work.items[i]);
    b->argument_work.count = mark;
    return first;
}

/* True for a.b.c: names and dots only. */
static bool is_dotted_name(const fh_builder *b, uint32_t node)
{
    while (fh_syntax_kind_of(b->syntax, node) == FH_SYNTAX_attribute)
        node = child(b, node, FH_FIELD_object);
    return fh_syntax_kind_of(b->syntax, node) == FH_SYNTAX_identifier;
}

/* True when the callee is that name, and nothing in the file binds it. */
static bool is_builtin(const fh_builder *b, const fh_call *call, const char *name)
{
    const fh_value *callee = fh_unit_value(b->unit, call->callee);
    return callee->kind == FH_VALUE_NAME && fh_text_is(fh_unit_text(b->unit, callee->a), name);
}

static void push_pair(fh_builder *b, fh_value_index key, fh_value_index value)
{
    fh_vector_push(&b->work, key);
    fh_vector_push(&b->work, value);
}

/* dict([("a", b), ...]): the pairs; false when they are not all written there. */
static bool push_pairs(fh_builder *b, const fh_value *pairs)
{
    const fh_unit *unit = b->unit;
    if (pairs->kind != FH_VALUE_LIST && pairs->kind != FH_VALUE_TUPLE)
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < pairs->b; i++) {
            const fh_value *pair = fh_unit_value(unit, unit->lists.items[pairs->a + i]);
            if ((pair->kind != FH_VALUE_TUPLE && pair->kind != FH_VALUE_LIST) || pair->b != 2)
                return false;
            if (pass)
                push_pair(b, unit->lists.items[pair->a], unit->lists.items[pair->a + 1]);
        }
    return true;
}

/* What dict(a=b, **c) holds, as the DICT {"a": b, **c}. */
static fh_value_index dict_of_call(fh_builder *b, const fh_call *call)
{
    uint32_t mark = b->work.count, count;
    for (uint32_t i = 0; i < call->count; i++) {
        const fh_argument argument = b->unit->arguments.items[call->arguments + i];
        const fh_value v = *fh_unit_value(b->unit, argument.value);
        if (argument.name)
            push_pair(b,
                      fh_build_value(b, FH_VALUE_STRING, FH_OP_OTHER, argument.name, 0, v.offset),
                      argument.value);
        else if (v.kind == FH_VALUE_STAR)
            push_pair(b, 0, argument.value);
        else if (!push_pairs(b, &v))
            push_pair(b, 0,
                      fh_build_value(b, FH_VALUE_STAR, FH_OP_POWER, argument.value, 0, v.offset));
    }
    uint32_t first = fh_build_list(b, mark, &count);
    return fh_build_value(b, FH_VALUE_DICT, FH_OP_OTHER, first, count, call->offset);
}

/* base.name = value, where the name is a string that is written there. */
static void store_attribute(fh_builder *b, fh_value_index base, fh_value_index key,
                            fh_value_index value, uint32_t offset)
{
    const fh_value *name = fh_unit_value(b->unit, key);
    if (!base || !value || name->kind != FH_VALUE_STRING || !name->a)
        return;
    fh_scope_set(&b->scopes, fh_scope_attribute_key(base, name->a), value);
    fh_vector_push(&b->unit->stores, (fh_store){base, name->a, 0, value, offset, b->block});
}

/* setattr(x, "name", value) is x.name = value. */
static void store_of_call(fh_builder *b, const fh_call *call)
{
    const fh_argument *arguments = &b->unit->arguments.items[call->arguments];
    if (call->count == 3 && !arguments[0].name && !arguments[1].name && !arguments[2].name)
        store_attribute(b, arguments[0].value, arguments[1].value, arguments[2].value,
                        call->offset);
}

void fh_build_fill(fh_builder *b, fh_value_index base, fh_value_index index, fh_value_index value)
{
    const fh_value *v = fh_unit_value(b->unit, base);
    if (v->kind == FH_VALUE_CALL && v->b)
        base = v->b;
    else if (v->kind != FH_VALUE_CALL && v->kind != FH_VALUE_LIST && v->kind != FH_VALUE_DICT &&
             v->kind != FH_VALUE_SET)
        return;
    if (value)
        fh_vector_push(&b->unit->fills, (fh_fill){base, index, value});
}

/* x.append(value) and its like put something into x, x.register_buffer("name", value) and its like
 * give x an attribute. */
static void method_effect(fh_builder *b, const fh_call *call)
{
    static const struct {
        const char *name;
        uint8_t arguments, value; /* number of arguments, and which of them is the value */
        bool spread, attribute, key;
    } effects[] = {
        {"append", 1, 0, .spread = false},
        {"add", 1, 0, .spread = false},
        {"appendleft", 1, 0, .spread = false},
        {"insert", 2, 1, .spread = false},
        {"extend", 1, 0, .spread = true},
        {"update", 1, 0, .spread = true},
        {"setdefault", 2, 1, .key = true},
        {"add_module", 2, 1, .attribute = true},
        {"register_module", 2, 1, .attribute = true},
        {"register_buffer", 2, 1, .attribute = true},
        {"register_parameter", 2, 1, .attribute = true},
    };
    const fh_value *callee = fh_unit_value(b->unit, call->callee);
    if (callee->kind != FH_VALUE_ATTRIBUTE || !call->count || call->count > 3)
        return;
    fh_text name = fh_unit_text(b->unit, callee->b);
    const fh_argument *arguments = &b->unit->arguments.items[call->arguments];
    if (!name.length || !strchr("aeirsu", name.data[0]))
        return;
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
        uint32_t needed = effects[i].arguments;
        if (!fh_text_is(name, effects[i].name) || call->count < needed ||
            (call->count > needed && !effects[i].attribute))
            continue;
        for (uint32_t k = 0; k < needed; k++)
            if (fh_unit_value(b->unit, arguments[k].value)->kind == FH_VALUE_STAR)
                return;
        fh_value_index value = arguments[effects[i].value].value, key = arguments[0].value;
        if (effects[i].attribute)
            store_attribute(b, callee->a, key, value, call->offset);
        else if (effects[i].spread)
            fh_build_fill(b, callee->a, 0,
                          fh_build_value(b, FH_VALUE_STAR, FH_OP_OTHER, value, 0, call->offset));
        else
            fh_build_fill(b, callee->a, effects[i].key ? key : 0, value);
        return;
    }
}

static fh_value_index call_value(fh_builder *b, uint32_t node)
{
    uint32_t function = child(b, node, FH_FIELD_function),
             arguments = child(b, node, FH_FIELD_arguments);
    fh_call call = {
        .offset = node_of(b, node)->begin, .end = node_of(b, node)->end, .function = b->function};
    call.anchor = call.offset;
    if (fh_syntax_kind_of(b->syntax, function) == FH_SYNTAX_attribute &&
        !is_dotted_name(b, function))
        call.anchor = node_of(b, child(b, function, FH_FIELD_attribute))->begin;
    call.callee = fh_build_expression(b, function);
    uint32_t mark = b->argument_work.count;
    if (fh_syntax_kind_of(b->syntax, arguments) == FH_SYNTAX_argument_list) {
        fh_build_arguments(b, arguments);
    } else if (arguments) {
        fh_value_index generator = fh_build_expression(b, arguments);
        fh_vector_push(&b->argument_work, (fh_argument){0, generator});
    }
    call.arguments = fh_build_argument_list(b, mark, &call.count);
    call.block = b->block;
    fh_value_index dict = is_builtin(b, &call, "dict") ? dict_of_call(b, &call) : 0;
    if (is_builtin(b, &call, "setattr"))
        store_of_call(b, &call);
    method_effect(b, &call);
    fh_value_index value =
        fh_build_value(b, FH_VALUE_CALL, FH_OP_OTHER, b->unit->calls.count, dict, call.offset);
    call.value = value;
    if (!fh_vector_push(&b->unit->calls, call))
        return 0;
    return value;
}

static fh_value_index named_value(fh_builder *b, uint32_t node)
{
    fh_value_index value = fh_build_expression(b, child(b, node, FH_FIELD_value));
    uint32_t name = child(b, node, FH_FIELD_name), scope = b->scope;
    /* In a comprehension it binds in the scope around. */
    while (b->scopes.scopes.items[b->scope].is_comprehension)
        b->scope = b->scopes.scopes.items[b->scope].outer;
    if (name)
        fh_build_bind(b, fh_build_symbol(b, name), value);
    b->scope = scope;
    return value;
}

/* The value of the only expression inside, for nodes that just wrap one. */
static fh_value_index inner_value(fh_builder *b, uint32_t node)
{
    fh_value_index first = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (!node_of(b, c)->is_named || node_of(b, c)->kind == FH_SYNTAX_comment)
            continue;
        fh_value_index value = fh_build_expression(b, c);
        first = first ? first : value;
    }
    return first ? first : unknown(b, node);
}

/* Optional[Tensor] in an annotation, where the grammar has a node of its own for it. */
static fh_value_index generic_type(fh_builder *b, uint32_t node)
{
    uint32_t mark = b->work.count;
    fh_value_index base = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (fh_syntax_kind_of(b->syntax, c) != FH_SYNTAX_type_parameter) {
            base = fh_build_expression(b, c);
            continue;
        }
        for (uint32_t t = fh_syntax_first(b->syntax, c); t; t = fh_syntax_next(b->syntax, t)) {
            fh_value_index value = fh_build_expression(b, t);
            fh_vector_push(&b->work, value);
        }
    }
    fh_value_index index = fh_build_one_or_tuple(b, mark, node_of(b, node)->begin);
    return fh_build_value(b, FH_VALUE_SUBSCRIPT, FH_OP_OTHER, base, index, node_of(b, node)->begin);
}

/* Tensor | None in an annotation. */
static fh_value_index union_type(fh_builder *b, uint32_t node)
{
    fh_value_index all = 0;
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        fh_value_index value = fh_build_expression(b, c);
        all = all ? fh_build_value(b, FH_VALUE_BINARY, FH_OP_BIT_OR, all, value,
                                   node_of(b, node)->begin)
                  : value;
    }
    return all;
}

static fh_value_index star_value(fh_builder *b, uint32_t node, fh_op op)
{
    fh_value_index value = inner_value(b, node);
    return fh_build_value(b, FH_VALUE_STAR, op, value, 0, node_of(b, node)->begin);
}

static fh_value_index yield_value(fh_builder *b, uint32_t node)
{
    b->unit->functions.items[b->function].flags |= FH_FUNCTION_GENERATOR;
    fh_value_index value = inner_value(b, node);
    fh_text text = fh_syntax_text(b->syntax, node);
    text = fh_text_trim(fh_text_slice(text, strlen("yield"), text.length));
    if (fh_text_starts(text, "from") && text.length > 4 &&
        (isspace((unsigned char)text.data[4]) || text.data[4] == '('))
        value = fh_build_value(b, FH_VALUE_ELEMENT, FH_OP_OTHER, value, 0, node_of(b, node)->begin);
    fh_vector_push(&b->returns, value);
    return unknown(b, node);
}

fh_value_index fh_build_expression(fh_builder *b, uint32_t node)
{
    if (!node)
        return 0;
    uint32_t begin = node_of(b, node)->begin;
    switch (fh_syntax_kind_of(b->syntax, node)) {
    case FH_SYNTAX_identifier:
        return name_value(b, node);
    case FH_SYNTAX_attribute:
        return attribute_value(b, node);
    case FH_SYNTAX_call:
        return call_value(b, node);
    case FH_SYNTAX_string:
        return string_value(b, node);
    case FH_SYNTAX_concatenated_string:
        return concatenated_string(b, node);
    case FH_SYNTAX_integer:
        return integer_value(b, node);
    case FH_SYNTAX_float:
        return float_value(b, node);
    case FH_SYNTAX_true:
    case FH_SYNTAX_false:
        return fh_build_value(b, FH_VALUE_BOOL, FH_OP_OTHER,
                              fh_syntax_kind_of(b->syntax, node) == FH_SYNTAX_true, 0, begin);
    case FH_SYNTAX_none:
        return fh_build_value(b, FH_VALUE_NONE, FH_OP_OTHER, 0, 0, begin);
    case FH_SYNTAX_binary_operator:
        return binary_value(b, node);
    case FH_SYNTAX_boolean_operator:
        return boolean_value(b, node);
    case FH_SYNTAX_comparison_operator:
        return comparison_value(b, node);
    case FH_SYNTAX_unary_operator: {
        uint32_t token = child(b, node, FH_FIELD_operator);
        return unary_value(b, node,
                           token ? operator_of(fh_syntax_text(b->syntax, token)) : FH_OP_OTHER);
    }
    case FH_SYNTAX_not_operator:
        return unary_value(b, node, FH_OP_NOT);
    case FH_SYNTAX_conditional_expression:
        return conditional_value(b, node);
    case FH_SYNTAX_tuple:
    case FH_SYNTAX_expression_list:
    case FH_SYNTAX_pattern_list:
        return sequence_value(b, node, FH_VALUE_TUPLE);
    case FH_SYNTAX_list:
        return sequence_value(b, node, FH_VALUE_LIST);
    case FH_SYNTAX_set:
        return sequence_value(b, node, FH_VALUE_SET);
    case FH_SYNTAX_dictionary:
        return dictionary_value(b, node);
    case FH_SYNTAX_list_comprehension:
    case FH_SYNTAX_set_comprehension:
    case FH_SYNTAX_dictionary_comprehension:
    case FH_SYNTAX_generator_expression:
        return comprehension_value(b, node);
    case FH_SYNTAX_subscript:
        return subscript_value(b, node);
    case FH_SYNTAX_slice:
        return slice_value(b, node);
    case FH_SYNTAX_lambda:
        return fh_build_lambda(b, node);
    case FH_SYNTAX_named_expression:
        return named_value(b, node);
    case FH_SYNTAX_list_splat:
        return star_value(b, node, FH_OP_MULTIPLY);
    case FH_SYNTAX_dictionary_splat:
        return star_value(b, node, FH_OP_POWER);
    case FH_SYNTAX_yield:
        return yield_value(b, node);
    case FH_SYNTAX_generic_type:
        return generic_type(b, node);
    case FH_SYNTAX_union_type:
        return union_type(b, node);
    case FH_SYNTAX_await:
    case FH_SYNTAX_parenthesized_expression:
    case FH_SYNTAX_type:
        return inner_value(b, node);
    case FH_SYNTAX_comment:
    case FH_SYNTAX_keyword_separator:
    case FH_SYNTAX_positional_separator:
        return 0;
    default:
        /* Statements inside an ERROR, and whatever this file does not know: no call gets lost. */
        if (fh_syntax_first(b->syntax, node))
            fh_build_statement(b, node);
        return unknown(b, node);
    }
}
