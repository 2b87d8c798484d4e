/* import_words.h: products, marks and data types in a line of operator documentation.
 *
 * Sets are bits: of a product line 1u << fh_family, of a data type 1u << its place in
 * FH_DTYPE_MAP. English and Chinese are read, as CANN's reference has both.
 */
#ifndef FH_FACTS_IMPORT_WORDS_H
#define FH_FACTS_IMPORT_WORDS_H

#include "facts/soc.h"

// clang-format off
/*    enumerator  torch's name     names in documents */
#define FH_DTYPE_MAP(X) \
    X(BFLOAT16,   "bfloat16",      "BFLOAT16 BF16") \
    X(FLOAT16,    "float16",       "FLOAT16 FP16") \
    X(FLOAT32,    "float32",       "FLOAT32 FLOAT FP32") \
    X(FLOAT64,    "float64",       "DOUBLE FLOAT64 FP64") \
    X(UINT8,      "uint8",         "UINT8") \
    X(INT8,       "int8",          "INT8") \
    X(INT16,      "int16",         "INT16") \
    X(INT32,      "int32",         "INT32") \
    X(INT64,      "int64",         "INT64") \
    X(BOOL,       "bool",          "BOOL") \
    X(COMPLEX64,  "complex64",     "COMPLEX64") \
    X(COMPLEX128, "complex128",    "COMPLEX128") \
    X(COMPLEX32,  "complex32",     "COMPLEX32") \
    X(UINT16,     "uint16",        "UINT16") \
    X(UINT32,     "uint32",        "UINT32") \
    X(UINT64,     "uint64",        "UINT64") \
    X(INT4,       "int4",          "INT4") \
    X(HIFLOAT8,   "hifloat8",      "HIFLOAT8") \
    X(E5M2,       "float8_e5m2",   "FLOAT8_E5M2") \
    X(E4M3,       "float8_e4m3fn", "FLOAT8_E4M3FN")
// clang-format on

#define X(name, text, words) FH_DTYPE_##name,
typedef enum { FH_DTYPE_MAP(X) FH_DTYPE_COUNT } fh_dtype;
#undef X

enum { FH_FAMILIES = FH_FAMILY_GPU, FH_ALL_FAMILIES = (1u << FH_FAMILY_GPU) - 1 };

const char *fh_dtype_name(fh_dtype dtype);

/* Cuts the first product line, data type or end of a sentence off `*rest`. What is none of
 * them is passed over. */
typedef enum { FH_WORD_END, FH_WORD_PRODUCT, FH_WORD_DTYPE, FH_WORD_STOP } fh_word_kind;

typedef struct {
    fh_word_kind kind;
    unsigned families; /* a product that is none of ours has none */
    fh_dtype dtype;
    fh_text text;
} fh_word;

fh_word fh_word_next(fh_text *rest, bool any_case);

/* All product lines that a text names, and whether it names any product at all. */
unsigned fh_words_families(fh_text text, bool *has_product);

typedef enum { FH_MARK_NONE, FH_MARK_YES, FH_MARK_NO } fh_mark;

/* The mark for "supported" or "not supported" in a row of a table. */
fh_mark fh_words_mark(fh_text text);

/* Whether a sentence denies something ("not supported"). */
bool fh_words_deny(fh_text sentence);

/* Data types for each product line. */
typedef struct {
    uint32_t of[FH_FAMILIES];
} fh_dtypes;

/* Reads what a line says of data types: adds to `taken`, and to `denied` where it says
 * that a product line does not take one. A remark "(only X supports it)" after a type holds
 * for that type alone. */
void fh_words_dtypes(fh_text line, bool any_case, fh_dtypes *taken, fh_dtypes *denied);

/* Appends "bfloat16,float16", or "A2,A3:bfloat16,float16|310P:float16" where product lines
 * differ, or "-". */
void fh_dtypes_add(fh_buffer *out, const fh_dtypes *dtypes);

/* The part of that text for one product line, "" when it says nothing. */
fh_text fh_dtypes_cell(fh_text cell, fh_family family);

/* Appends the short names of product lines, "A2,A3,310P", or "-". */
void fh_families_add(fh_buffer *out, unsigned families);
unsigned fh_families_parse(fh_text list);

#endif
