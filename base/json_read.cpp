// The parser behind json.h: simdjson's on-demand front end walks the text once, and every value it
// meets becomes a node. simdjson finds the structure and checks the UTF-8; tokens are checked by us
// (json_token.h), so that all versions from 3.0 on agree (3.0.1, 3.11.6 and 4.6.1 were tried). No
// exception leaves this file: simdjson reports by error code, and nothing else here throws.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <cstring>

extern "C" {
#include "base/json_document.h"
#include "base/json_token.h"
#include "base/memory.h"
#include "base/utf8.h"
}

namespace
{

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

struct reader {
    fh_json_document *document;
    const char *name;
    fh_text given; // as it was, without a byte order mark
    fh_text text;  // its copy, inside the brackets that were put around it
    fh_status status;
};

// Says what is wrong at `offset` of the text, by line and column.
fh_status fail(reader &b, size_t offset, const char *what)
{
    size_t line = 1, begin = 0;
    if (offset > b.given.length)
        offset = b.given.length;
    for (size_t i = 0; i < offset; i++)
        if (b.given.data[i] == '\n') {
            line++;
            begin = i + 1;
        }
    size_t column = fh_utf8_count(fh_text_slice(b.given, begin, offset)) + 1;
    b.status = fh_error(FH_INVALID, "%s:%zu:%zu: %s", b.name, line, column, what);
    return b.status;
}

fh_status fail_at(reader &b, const char *place, const char *what)
{
    return fail(b, place < b.text.data ? 0 : static_cast<size_t>(place - b.text.data), what);
}

fh_status no_memory(reader &b)
{
    b.status =
        fh_error(FH_NO_MEMORY, "%s: out of memory for %zu bytes of JSON", b.name, b.text.length);
    return b.status;
}

// The first string that does not end, or control character in one: simdjson does not say where.
fh_status fail_in_string(reader &b)
{
    const fh_text t = b.given;
    for (size_t i = 0; i < t.length; i++) {
        if (t.data[i] != '"')
            continue;
        size_t quote = i++;
        for (; i < t.length && t.data[i] != '"'; i += t.data[i] == '\\' ? 2 : 1)
            if (static_cast<unsigned char>(t.data[i]) < 0x20)
                return fail(b, i,
                            "a control character in a string; it must be written as an escape");
        if (i >= t.length)
            return fail(b, quote, "a string that does not end");
    }
    return fail(b, t.length, "a string that does not end");
}

// Turns an error of simdjson at `place` (or wherever it stands) into a message.
fh_status fail_with(reader &b, error_code code, const char *place)
{
    switch (code) {
    case simdjson::MEMALLOC:
        return no_memory(b);
    case simdjson::UTF8_ERROR:
        return fail(b, fh_utf8_first_error(b.given), "not UTF-8");
    case simdjson::UNCLOSED_STRING:
    case simdjson::UNESCAPED_CHARS:
        return fail_in_string(b);
    default:
        if (place >= b.text.data + b.text.length)
            return fail(b, b.text.length, "the text ends in the middle of a value");
        return fail_at(b, place,
                       "not JSON: a comma, colon, bracket, key or value is missing or too many");
    }
}

const char *where(ondemand::document &document, const char *otherwise)
{
    const char *place;
    return document.current_location().get(place) ? otherwise : place;
}

std::string_view trim(std::string_view token)
{
    while (!token.empty() && std::memchr(" \t\r\n", token.back(), 4))
        token.remove_suffix(1);
    return token;
}

// Decodes the string whose first byte (behind the quote) is `data`.
bool read_string(reader &b, const char *data, size_t length, uint32_t *size)
{
    const char *bad = fh_json_unescape(const_cast<char *>(data), &length);
    if (bad)
        return fail_at(b, bad, "an escape that JSON does not have"), false;
    *size = static_cast<uint32_t>(length);
    return true;
}

uint32_t offset_of(const reader &b, const char *place)
{
    return static_cast<uint32_t>(place - b.document->bytes);
}

struct member_key {
    uint32_t offset, size;
};

bool read_value(reader &b, ondemand::document &document, ondemand::value value, member_key key,
                unsigned depth);

bool read_array(reader &b, ondemand::document &document, ondemand::value value, uint32_t index,
                unsigned depth)
{
    const char *start = value.raw_json_token().data();
    ondemand::array array;
    error_code error = value.get_array().get(array);
    if (error)
        return fail_with(b, error, where(document, start)), false;
    uint32_t count = 0, last = 0;
    for (auto result : array) {
        ondemand::value element;
        if ((error = std::move(result).get(element)))
            return fail_with(b, error, where(document, start)), false;
        last = b.document->nodes.count;
        count++;
        if (!read_value(b, document, element, {0, 0}, depth))
            return false;
    }
    if (count)
        b.document->nodes.items[last].is_last = 1;
    b.document->nodes.items[index].size = count;
    return true;
}

bool read_key(reader &b, ondemand::field &field, member_key *key)
{
    const char *data = field.key().raw(), *end = data;
    while (*end != '"')
        end += *end == '\\' ? 2 : 1;
    key->offset = offset_of(b, data);
    return read_string(b, data, static_cast<size_t>(end - data), &key->size);
}

bool read_object(reader &b, ondemand::document &document, ondemand::value value, uint32_t index,
                 unsigned depth)
{
    const char *start = value.raw_json_token().data();
    ondemand::object object;
    error_code error = value.get_object().get(object);
    if (error)
        return fail_with(b, error, where(document, start)), false;
    uint32_t count = 0, last = 0;
    for (auto result : object) {
        ondemand::field field;
        member_key key;
        if ((error = std::move(result).get(field)))
            return fail_with(b, error, where(document, start)), false;
        if (!read_key(b, field, &key))
            return false;
        last = b.document->nodes.count;
        count++;
        if (!read_value(b, document, field.value(), key, depth))
            return false;
    }
    if (count)
        b.document->nodes.items[last].is_last = 1;
    b.document->nodes.items[index].size = count;
    return true;
}

// Sets kind and size of a value that holds no others.
bool read_scalar(reader &b, ondemand::value value, std::string_view token, fh_json_node *node)
{
    if (token.size() >= 2 && token[0] == '"') {
        // Taken out of simdjson's hands here: an untaken string before ':' would pass for a key.
        ondemand::raw_json_string raw;
        node->kind = FH_JSON_STRING;
        if (value.get_raw_json_string().get(raw))
            return fail_at(b, token.data(), "not a string"), false;
        return read_string(b, token.data() + 1, token.size() - 2, &node->size);
    }
    if (token == "null") {
        node->kind = FH_JSON_NULL;
    } else if (token == "true" || token == "false") {
        node->kind = FH_JSON_BOOLEAN;
        node->size = token[0] == 't';
    } else if (fh_json_is_number({token.data(), token.size()})) {
        node->kind = FH_JSON_NUMBER;
        node->size = static_cast<uint32_t>(token.size());
    } else if (token.data() >= b.text.data + b.text.length) {
        return fail(b, b.text.length, "the text ends in the middle of a value"), false;
    } else {
        return fail_at(b, token.data(), "not a value"), false;
    }
    return true;
}

bool read_value(reader &b, ondemand::document &document, ondemand::value value, member_key key,
                unsigned depth)
{
    std::string_view token = trim(value.raw_json_token());
    uint32_t index = b.document->nodes.count;
    fh_json_node node = {offset_of(b, token.data()), 0, 0, key.offset, key.size, FH_JSON_ABSENT, 0};
    char first = token.empty() ? 0 : token[0];
    bool is_container = first == '[' || first == '{';
    if (is_container && depth == FH_JSON_MAX_DEPTH) {
        b.status = fh_error(FH_LIMIT, "%s: nested more than %d deep", b.name,
                            static_cast<int>(FH_JSON_MAX_DEPTH));
        return false;
    }
    if (is_container)
        node.kind = first == '[' ? FH_JSON_ARRAY : FH_JSON_OBJECT;
    else if (!read_scalar(b, value, token, &node))
        return false;
    if (!fh_vector_push(&b.document->nodes, node))
        return no_memory(b), false;
    if (first == '[' && !read_array(b, document, value, index, depth + 1))
        return false;
    if (first == '{' && !read_object(b, document, value, index, depth + 1))
        return false;
    b.document->nodes.items[index].end = b.document->nodes.count;
    return true;
}

// The text was put between brackets, so that simdjson sees a list, whatever it is; exactly one
// element is right.
fh_status read_text(reader &b, size_t size, size_t capacity)
{
    ondemand::parser parser;
    ondemand::document document;
    ondemand::array array;
    error_code error = parser.iterate(b.document->bytes, size, capacity).get(document);
    if (!error)
        error = document.get_array().get(array);
    if (error)
        return fail_with(b, error, b.text.data + b.text.length);
    for (auto result : array) {
        ondemand::value value;
        if ((error = std::move(result).get(value)))
            return fail_with(b, error, where(document, b.text.data + b.text.length));
        if (b.document->nodes.count)
            return fail_at(b, value.raw_json_token().data(),
                           "more text after the end of the document");
        if (!read_value(b, document, value, {0, 0}, 0))
            return b.status;
    }
    const char *rest;
    if (!document.current_location().get(rest))
        return fail_at(b, rest, "more text after the end of the document");
    b.document->nodes.items[0].is_last = 1;
    return FH_OK;
}

} // namespace

extern "C" {

fh_status fh_json_parse(fh_text text, const char *name, fh_json_document **result)
{
    size_t mark = fh_text_starts(text, "\xEF\xBB\xBF") ? 3 : 0;
    text = fh_text_slice(text, mark, text.length);
    if (text.length > INT32_MAX)
        return fh_error(FH_LIMIT, "%s: %zu bytes of JSON are too many to parse at once", name,
                        text.length);
    reader b = {nullptr, name, text, text, FH_OK};
    size_t blank = 0;
    while (blank < text.length && std::memchr(" \t\r\n", text.data[blank], 4))
        blank++;
    if (blank == text.length)
        return fail(b, text.length, "there is no JSON value: the text is empty");

    size_t size = text.length + 2, capacity = size + simdjson::SIMDJSON_PADDING;
    auto *document = static_cast<fh_json_document *>(fh_alloc_zero(1, sizeof(fh_json_document)));
    char *bytes = document ? static_cast<char *>(fh_alloc(capacity)) : nullptr;
    if (!bytes) {
        fh_free(document);
        return no_memory(b);
    }
    bytes[0] = '[';
    std::memcpy(bytes + 1, text.data, text.length);
    bytes[size - 1] = ']';
    std::memset(bytes + size, 0, simdjson::SIMDJSON_PADDING);
    document->bytes = bytes;
    document->prefix = 1;
    b.document = document;
    b.text.data = bytes + 1;
    fh_status status = read_text(b, size, capacity);
    if (status) {
        fh_json_free(document);
        return status;
    }
    // Offsets count from the start of the text that was given, mark included; unsigned numbers wrap
    // to and fro.
    document->prefix -= mark;
    *result = document;
    return FH_OK;
}
}
