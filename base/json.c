#include "base/json.h"
#include "base/json_document.h"
#include "base/number.h"

#include <math.h>

void fh_json_free(fh_json_document *document)
{
    if (!document)
        return;
    fh_vector_free(&document->nodes);
    fh_free(document->bytes);
    fh_free(document);
}

static const fh_json_node *node_of(fh_json_value value)
{
    static const fh_json_node absent = {.kind = FH_JSON_ABSENT, .is_last = true};
    return value.document ? &value.document->nodes.items[value.index] : &absent;
}

fh_json_value fh_json_root(const fh_json_document *document)
{
    return (fh_json_value){document, 0};
}

fh_json_kind fh_json_kind_of(fh_json_value value)
{
    return (fh_json_kind)node_of(value)->kind;
}

static bool is_container(const fh_json_node *node)
{
    return node->kind == FH_JSON_ARRAY || node->kind == FH_JSON_OBJECT;
}

uint32_t fh_json_count(fh_json_value value)
{
    const fh_json_node *node = node_of(value);
    return is_container(node) ? node->size : 0;
}

fh_json_value fh_json_first(fh_json_value container)
{
    if (!fh_json_count(container))
        return (fh_json_value){0};
    return (fh_json_value){container.document, container.index + 1};
}

fh_json_value fh_json_next(fh_json_value value)
{
    const fh_json_node *node = node_of(value);
    return node->is_last ? (fh_json_value){0} : (fh_json_value){value.document, node->end};
}

fh_text fh_json_key(fh_json_value value)
{
    const fh_json_node *node = node_of(value);
    return node->key ? (fh_text){value.document->bytes + node->key, node->key_size} : (fh_text){0};
}

fh_json_value fh_json_member(fh_json_value object, const char *key)
{
    fh_json_value found = {0};
    fh_text wanted = fh_text_from(key);
    if (fh_json_kind_of(object) != FH_JSON_OBJECT)
        return found;
    FH_JSON_EACH (v, object)
        if (fh_text_equal(fh_json_key(v), wanted))
            found = v;
    return found;
}

fh_text fh_json_text(fh_json_value value)
{
    const fh_json_node *node = node_of(value);
    if (node->kind != FH_JSON_STRING && node->kind != FH_JSON_NUMBER)
        return (fh_text){0};
    size_t quote = node->kind == FH_JSON_STRING;
    return (fh_text){value.document->bytes + node->offset + quote, node->size};
}

bool fh_json_integer(fh_json_value value, int64_t *result)
{
    if (fh_json_kind_of(value) != FH_JSON_NUMBER)
        return false;
    fh_text digits = fh_json_text(value);
    if (fh_text_is(digits, "-9223372036854775808")) {
        *result = INT64_MIN;
        return true;
    }
    return fh_text_to_integer(digits, result);
}

bool fh_json_double(fh_json_value value, double *result)
{
    double converted;
    if (fh_json_kind_of(value) != FH_JSON_NUMBER ||
        !fh_number_parse(fh_json_text(value), &converted) || !isfinite(converted))
        return false;
    *result = converted;
    return true;
}

bool fh_json_boolean(fh_json_value value, bool otherwise)
{
    const fh_json_node *node = node_of(value);
    return node->kind == FH_JSON_BOOLEAN ? node->size != 0 : otherwise;
}

size_t fh_json_offset(fh_json_value value)
{
    return value.document ? node_of(value)->offset - value.document->prefix : 0;
}

size_t fh_json_key_offset(fh_json_value value)
{
    const fh_json_node *node = node_of(value);
    return node->key ? node->key - 1 - value.document->prefix : 0;
}
