/* value.h: one expression as the program computes it.
 *
 * Names are already followed to what was assigned to them (see python.h for how).
 * What an expression is made of are values, symbols and lists of the same unit
 * (program.h), by index.
 */
#ifndef FH_SCAN_VALUE_H
#define FH_SCAN_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t fh_value_index;

/* What the fields a and b of a value are. */
typedef enum {
    FH_HOLDS_NUMBERS, /* no indices */
    FH_HOLDS_SYMBOL,  /* a: symbol */
    FH_HOLDS_VALUE,   /* a: value; b: a number, or 0 */
    FH_HOLDS_VALUES,  /* a, b: values */
    FH_HOLDS_LIST,    /* values in the unit's lists; a: the first, b: how many */
    FH_HOLDS_OTHER,   /* what its kind says */
} fh_value_holding;

enum {
    FH_VALUE_IS_COMPUTED,
    FH_VALUE_IS_LITERAL, /* written out in the program: it stands for itself */
};

// clang-format off
/*    kind           holds    is        what it is, and what in its fields */
#define FH_VALUE_MAP(X) \
    X(UNKNOWN,       NUMBERS, COMPUTED) \
    X(NONE,          NUMBERS, LITERAL) \
    X(BOOL,          NUMBERS, LITERAL)  /* a: 0 or 1 */ \
    X(INTEGER,       NUMBERS, LITERAL)  /* a, b: low and high half of an int64 */ \
    X(FLOAT,         NUMBERS, LITERAL)  /* a, b: low and high half of a double */ \
    X(STRING,        SYMBOL,  LITERAL)  /* bytes literals too */ \
    X(FORMAT,        LIST,    LITERAL)  /* f-string: its parts */ \
    X(NAME,          SYMBOL,  COMPUTED) /* bound by nothing in the file: built in, or of a star
                                           import */ \
    X(IMPORT,        SYMBOL,  COMPUTED) /* a dotted path; leading dots: from the unit's package */ \
    X(ATTRIBUTE,     OTHER,   COMPUTED) /* a: value, b: symbol; offset: of the attribute's name */ \
    X(CALL,          OTHER,   COMPUTED) /* a: call, b: of dict(name=value, ...) the DICT that it
                                           makes, else 0 */ \
    X(PARAMETER,     OTHER,   COMPUTED) /* a: function, b: number of the parameter from 0 */ \
    X(FUNCTION,      OTHER,   COMPUTED) /* a: function */ \
    X(CLASS,         OTHER,   COMPUTED) /* a: class */ \
    X(BINARY,        VALUES,  COMPUTED) /* with op */ \
    X(UNARY,         VALUE,   COMPUTED) /* with op */ \
    X(COMPARE,       VALUES,  COMPUTED) /* with op; of a chain a < b < c the last two, FH_OP_OTHER
                                           when mixed */ \
    X(TUPLE,         LIST,    LITERAL) \
    X(LIST,          LIST,    LITERAL) \
    X(SET,           LIST,    LITERAL) \
    X(DICT,          LIST,    LITERAL)  /* key, value, key, value; key 0 for **value */ \
    X(SUBSCRIPT,     VALUES,  COMPUTED) /* b: the index */ \
    X(SLICE,         LIST,    LITERAL)  /* begin, end, step; 0 where left out */ \
    X(PHI,           LIST,    COMPUTED) /* one of these, depending on the path taken */ \
    X(ELEMENT,       VALUE,   COMPUTED) /* a: what is iterated over */ \
    X(ITEM,          VALUE,   COMPUTED) /* a: what is unpacked, b: position from 0, or
                                           FH_ITEM_REST, _AFTER */ \
    X(ENTERED,       VALUE,   COMPUTED) /* a: the context manager whose `as` name this is */ \
    X(COMPREHENSION, VALUES,  LITERAL)  /* a: one element, b: what the first `for` goes over */ \
    X(STAR,          VALUE,   COMPUTED) /* *a among elements or arguments; op FH_OP_POWER for ** */
// clang-format on

typedef enum {
#define X(kind, holds, is) FH_VALUE_##kind,
    FH_VALUE_MAP(X)
#undef X
} fh_value_kind;

enum {
    FH_ITEM_REST = 0xffffffffu,
    FH_ITEM_AFTER = 0xfffffffeu, /* some item behind *rest */
};

// clang-format off
/*    name           spelling */
#define FH_OP_MAP(X) \
    X(OTHER,         "") \
    X(ADD,           "+") \
    X(SUBTRACT,      "-") \
    X(MULTIPLY,      "*") \
    X(MATMUL,        "@") \
    X(DIVIDE,        "/") \
    X(FLOOR_DIVIDE,  "//") \
    X(MODULO,        "%") \
    X(POWER,         "**") \
    X(LEFT_SHIFT,    "<<") \
    X(RIGHT_SHIFT,   ">>") \
    X(BIT_AND,       "&") \
    X(BIT_OR,        "|") \
    X(BIT_XOR,       "^") \
    X(INVERT,        "~") \
    X(NOT,           "not") \
    X(AND,           "and") \
    X(OR,            "or") \
    X(EQUAL,         "==") \
    X(NOT_EQUAL,     "!=") \
    X(LESS,          "<") \
    X(LESS_EQUAL,    "<=") \
    X(GREATER,       ">") \
    X(GREATER_EQUAL, ">=") \
    X(IS,            "is") \
    X(IS_NOT,        "is not") \
    X(IN,            "in") \
    X(NOT_IN,        "not in")
// clang-format on

typedef enum {
#define X(name, spelling) FH_OP_##name,
    FH_OP_MAP(X)
#undef X
} fh_op;

typedef struct {
    uint8_t kind; /* fh_value_kind */
    uint8_t op;   /* fh_op */
    uint8_t flags;
    uint8_t unused;
    uint32_t a, b;
    uint32_t offset;
    uint32_t block;
} fh_value;

enum {
    FH_VALUE_IN_PLACE = 1,  /* BINARY: of an augmented assignment, a += b */
    FH_VALUE_GUARDED = 2,   /* IMPORT: inside `try`, or under a condition */
    FH_VALUE_IMAGINARY = 4, /* FLOAT: 1j */
    FH_VALUE_SPECIFIED = 8, /* FORMAT: some part is written with a conversion or a format */
};

static inline fh_value_holding fh_value_holds(const fh_value *value)
{
#define X(kind, holds, is) FH_HOLDS_##holds,
    static const uint8_t by_kind[] = {FH_VALUE_MAP(X)};
#undef X
    return (fh_value_holding)by_kind[value->kind];
}

static inline bool fh_value_is_literal(const fh_value *value)
{
#define X(kind, holds, is) FH_VALUE_IS_##is,
    static const uint8_t by_kind[] = {FH_VALUE_MAP(X)};
#undef X
    return by_kind[value->kind] == FH_VALUE_IS_LITERAL;
}

/* The integer of an INTEGER value, the double of a FLOAT value. */
static inline int64_t fh_value_integer(const fh_value *value)
{
    return (int64_t)((uint64_t)value->b << 32 | value->a);
}

static inline double fh_value_float(const fh_value *value)
{
    uint64_t bits = (uint64_t)value->b << 32 | value->a;
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

#endif
