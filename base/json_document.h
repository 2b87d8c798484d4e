/* json_document.h: how a parsed document is kept; for json.c and json_read.cpp only. */
#ifndef FH_BASE_JSON_DOCUMENT_H
#define FH_BASE_JSON_DOCUMENT_H

#include "base/json.h"
#include "base/vector.h"

/* Values stand in the order of the text: a container, then its members with all
 * that is in them. Offsets count in `bytes`. */
typedef struct {
    uint32_t offset; /* of the value; of a string's opening quote */
    uint32_t size;   /* bytes of a text or number, members of a container, 1 for true */
    uint32_t end;    /* index of the value after this one and all within it */
    uint32_t key;    /* offset of the key's first byte; 0 when it has none */
    uint32_t key_size;
    uint8_t kind;    /* fh_json_kind */
    uint8_t is_last; /* no sibling follows */
} fh_json_node;

struct fh_json_document {
    /* "[text]" and padding. Strings with escapes were decoded in their place,
     * which they never outgrow. */
    char *bytes;
    size_t prefix; /* what offsets in `bytes` have more than those in the text given */
    FH_VECTOR(fh_json_node) nodes;
};

#endif
