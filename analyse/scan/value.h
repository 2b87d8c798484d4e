/* value.h: one expression as the program computes it.
 *
 * Names are already followed to what was assigned to them (see python.h for how).
 * What an expression is made of are values, symbols and lists of the same unit
 * (program.h), by index.
 */
#ifndef FH_SCAN_VALUE_H
#define FH_SCAN_VALUE_H

#include <stdint.h>
#include <string.h>

typedef uint32_t fh_value_index;

typedef enum {
    FH_VALUE_UNKNOWN,
    FH_VALUE_NONE,
    FH_VALUE_BOOL,    /* a: 0 or 1 */
    FH_VALUE_INTEGER, /* a, b: low and high half of an int64 */
    FH_VALUE_FLOAT,   /* a, b: low and high half of a double */
    FH_VALUE_STRING,  /* a: symbol; bytes literals too */
    FH_VALUE_FORMAT,  /* f-string: list of parts (a, b) */
    FH_VALUE_NAME, /* a: symbol of a name that nothing in the file binds: built in, or from `import
                    *` */
    FH_VALUE_IMPORT, /* a: symbol of a dotted path; leading dots are relative to the unit's package
                      */
    FH_VALUE_ATTRIBUTE, /* a: value, b: symbol; offset is that of the attribute's name */
    FH_VALUE_CALL,      /* a: call, b: of dict(name=value, ...) the DICT that it makes, else 0 */
    FH_VALUE_PARAMETER, /* a: function, b: number of the parameter from 0 */
    FH_VALUE_FUNCTION,  /* a: function */
    FH_VALUE_CLASS,     /* a: class */
    FH_VALUE_BINARY,    /* op, a, b */
    FH_VALUE_UNARY,     /* op, a */
    FH_VALUE_COMPARE,   /* op, a, b; of a chain a < b < c the last two, op FH_OP_OTHER when mixed */
    FH_VALUE_TUPLE,     /* list (a, b) */
    FH_VALUE_LIST,      /* list (a, b) */
    FH_VALUE_SET,       /* list (a, b) */
    FH_VALUE_DICT,      /* list (a, b) of key, value, key, value; key 0 for **value */
    FH_VALUE_SUBSCRIPT, /* a: value, b: index value */
    FH_VALUE_SLICE,     /* list (a, 3): begin, end, step; 0 where left out */
    FH_VALUE_PHI,       /* list (a, b): one of these, depending on the path taken */
    FH_VALUE_ELEMENT,   /* a: what is iterated over */
    FH_VALUE_ITEM,      /* a: what is unpacked, b: position from 0, or FH_ITEM_REST, _AFTER */
    FH_VALUE_ENTERED,   /* a: the context manager whose `as` name this is */
    FH_VALUE_COMPREHENSION, /* a: value of one element, b: what the first `for` iterates over */
    FH_VALUE_STAR,          /* a: *value among elements or arguments; op FH_OP_POWER for ** */
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
