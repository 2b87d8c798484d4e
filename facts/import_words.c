#include "facts/import_words.h"
#include "base/names.h"

#include <string.h>

enum {
    FIRST = 1u << FH_FAMILY_FIRST,
    INFER = 1u << FH_FAMILY_INFER,
    A2 = 1u << FH_FAMILY_A2,
    A3 = 1u << FH_FAMILY_A3,
    A5 = 1u << FH_FAMILY_A5,
};

/* How documents call the product lines; the longer one stands before what it begins with.
 * Spaces are compared as any number of blanks, also none. */
static const struct {
    const char *text;
    unsigned families;
} products[] = {
    {"Atlas 200I/500 A2", 0},
    {"200I/500 A2", 0},
    {"Ascend 950", A5},
    {"Atlas 950", A5},
    {"Atlas 350", A5},
    {"950PR", A5},
    {"950DT", A5},
    {"Atlas A3", A3},
    {"Atlas 900 A3", A3},
    {"Atlas 800T A3", A3},
    {"Atlas 800I A3", A3},
    {"Ascend 910C", A3},
    {"Ascend910_93", A3},
    {"Atlas A2", A2},
    {"Atlas 800I A2", A2},
    {"Atlas 800T A2", A2},
    {"Atlas 900 A2", A2},
    {"A200I A2 Box", A2},
    {"200I A2 Box", A2},
    {"910B", A2},
    {"Atlas 推理系列", INFER},
    {"Atlas inference", INFER},
    {"310P", INFER},
    {"310B", 0},
    {"Atlas 训练系列", FIRST},
    {"Atlas training", FIRST},
    {"昇腾 910 ", FIRST},
    {"Ascend 910 ", FIRST},
    {"Ascend910A", FIRST},
    {"Kirin", 0},
};

static const char *const short_names[FH_FAMILIES] = {
    [FH_FAMILY_FIRST] = "910", [FH_FAMILY_INFER] = "310P", [FH_FAMILY_A2] = "A2",
    [FH_FAMILY_A3] = "A3",     [FH_FAMILY_A5] = "950",
};

FH_NAMES(fh_dtype_name, fh_dtype, FH_DTYPE_MAP)

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_word_character(char c)
{
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_';
}

/* How much of the start of `text` is `pattern`; 0 when it is not. */
static size_t match(fh_text text, const char *pattern)
{
    size_t at = 0;
    for (; *pattern; pattern++) {
        if (*pattern == ' ') {
            /* At the end of a pattern the blank says: and no more of this word. */
            if (!pattern[1] && at < text.length && is_word_character(text.data[at]))
                return 0;
            while (at < text.length && is_blank(text.data[at]))
                at++;
        } else if (at < text.length && lower(text.data[at]) == lower(*pattern)) {
            at++;
        } else {
            return 0;
        }
    }
    return at;
}

static bool starts(fh_text text, const char *const *words, size_t *length)
{
    for (; *words; words++)
        if (fh_text_starts(text, *words)) {
            *length = strlen(*words);
            return true;
        }
    return false;
}

static const char *const stops[] = {"。", "；", ";", ". ", NULL};

static bool find_dtype(fh_text word, bool any_case, fh_dtype *dtype)
{
    static const char *const names[] = {
#define X(name, text, words) words,
        FH_DTYPE_MAP(X)
#undef X
    };
    char upper[16];
    if (word.length >= sizeof upper)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        char c = word.data[i];
        upper[i] = any_case && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    fh_text wanted = {upper, word.length}, name;
    for (unsigned i = 0; i < FH_DTYPE_COUNT; i++) {
        fh_text rest = fh_text_from(names[i]);
        while (fh_text_next(&rest, ' ', &name))
            if (fh_text_equal(name, wanted)) {
                *dtype = (fh_dtype)i;
                return true;
            }
    }
    return false;
}

/* The word at the start of `text`, or an empty one. */
static fh_text word_at(fh_text text)
{
    size_t end = 0;
    while (end < text.length && is_word_character(text.data[end]))
        end++;
    return fh_text_slice(text, 0, end);
}

static fh_word found(fh_text *rest, size_t length, fh_word word)
{
    word.text = fh_text_slice(*rest, 0, length);
    *rest = fh_text_slice(*rest, length, rest->length);
    return word;
}

fh_word fh_word_next(fh_text *rest, bool any_case)
{
    while (rest->length) {
        size_t length;
        for (unsigned i = 0; i < sizeof products / sizeof *products; i++)
            if ((length = match(*rest, products[i].text)))
                return found(rest, length,
                             (fh_word){.kind = FH_WORD_PRODUCT, .families = products[i].families});
        if (starts(*rest, stops, &length))
            return found(rest, length, (fh_word){.kind = FH_WORD_STOP});
        fh_text word = word_at(*rest);
        fh_dtype dtype;
        if (word.length && find_dtype(word, any_case, &dtype))
            return found(rest, word.length, (fh_word){.kind = FH_WORD_DTYPE, .dtype = dtype});
        *rest = fh_text_slice(*rest, word.length ? word.length : 1, rest->length);
    }
    return (fh_word){.kind = FH_WORD_END};
}

unsigned fh_words_families(fh_text text, bool *has_product)
{
    unsigned families = 0;
    fh_word word;
    *has_product = false;
    while ((word = fh_word_next(&text, false)).kind != FH_WORD_END)
        if (word.kind == FH_WORD_PRODUCT) {
            families |= word.families;
            *has_product = true;
        }
    return families;
}

/* Whether a cell of a table or the whole line is this one letter or word. */
static bool has_cell(fh_text text, const char *wanted)
{
    size_t length = strlen(wanted);
    for (size_t at = 0; at + length <= text.length; at++) {
        bool is_start = at == 0 || is_blank(text.data[at - 1]) || text.data[at - 1] == '|';
        size_t end = at + length;
        bool is_end = end == text.length || is_blank(text.data[end]) || text.data[end] == '|';
        if (is_start && is_end && match(fh_text_slice(text, at, end), wanted) == length)
            return true;
    }
    return false;
}

static bool contains_any(fh_text text, const char *const *words)
{
    for (; *words; words++)
        if (fh_text_contains(text, *words))
            return true;
    return false;
}

fh_mark fh_words_mark(fh_text text)
{
    static const char *const no[] = {"×", "✗", "✘", "❌", "不支持", "ot supported", NULL};
    static const char *const yes[] = {"√", "✓", "✔", "✅", "支持", NULL};
    if (contains_any(text, no) || has_cell(text, "x") || has_cell(text, "no") ||
        has_cell(text, "否"))
        return FH_MARK_NO;
    if (contains_any(text, yes) || has_cell(text, "y") || has_cell(text, "yes") ||
        has_cell(text, "supported") || has_cell(text, "是"))
        return FH_MARK_YES;
    return FH_MARK_NONE;
}

bool fh_words_deny(fh_text sentence)
{
    static const char *const words[] = {"不支持", "not support", "NOT support", NULL};
    return contains_any(sentence, words);
}

/* The remark in brackets at the start of `text`, with them; empty when there is none. */
static fh_text remark_at(fh_text text)
{
    static const char *const open[] = {"(", "（", NULL}, *const close[] = {")", "）", NULL};
    size_t length, at = 0;
    if (!starts(text, open, &length))
        return (fh_text){0};
    for (at = length; at < text.length; at++)
        if (starts(fh_text_slice(text, at, text.length), close, &length))
            return fh_text_slice(text, 0, at + length);
    return (fh_text){0};
}

static void add(fh_dtypes *dtypes, unsigned families, fh_dtype dtype)
{
    for (unsigned i = 0; i < FH_FAMILIES; i++)
        if (families & 1u << i)
            dtypes->of[i] |= 1u << dtype;
}

static size_t sentence_length(fh_text text)
{
    size_t length;
    for (size_t at = 0; at < text.length; at++)
        if (starts(fh_text_slice(text, at, text.length), stops, &length))
            return at + length;
    return text.length;
}

static void read_sentence(fh_text sentence, bool any_case, fh_dtypes *taken, fh_dtypes *denied)
{
    bool is_denial = fh_words_deny(sentence), after_dtype = false;
    unsigned families = 0;
    fh_word word;
    while ((word = fh_word_next(&sentence, any_case)).kind != FH_WORD_END) {
        if (word.kind == FH_WORD_PRODUCT) {
            families = after_dtype ? word.families : families | word.families;
            after_dtype = false;
            continue;
        }
        if (word.kind != FH_WORD_DTYPE)
            continue;
        after_dtype = true;
        fh_text remark = remark_at(sentence);
        bool has_product = false;
        unsigned only = fh_words_families(remark, &has_product);
        sentence = fh_text_slice(sentence, remark.length, sentence.length);
        if (has_product)
            add(taken, only, word.dtype);
        else if (is_denial && families)
            add(denied, families, word.dtype);
        else if (!is_denial)
            add(taken, families ? families : FH_ALL_FAMILIES, word.dtype);
    }
}

void fh_words_dtypes(fh_text line, bool any_case, fh_dtypes *taken, fh_dtypes *denied)
{
    while (line.length) {
        size_t length = sentence_length(line);
        read_sentence(fh_text_slice(line, 0, length), any_case, taken, denied);
        line = fh_text_slice(line, length, line.length);
    }
}

void fh_families_add(fh_buffer *out, unsigned families)
{
    bool is_first = true;
    for (unsigned i = 0; i < FH_FAMILIES; i++)
        if (families & 1u << i) {
            fh_buffer_add_string(out, is_first ? "" : ",");
            fh_buffer_add_string(out, short_names[i]);
            is_first = false;
        }
    if (is_first)
        fh_buffer_add_char(out, '-');
}

unsigned fh_families_parse(fh_text list)
{
    unsigned families = 0;
    fh_text part;
    while (fh_text_next(&list, ',', &part))
        for (unsigned i = 0; i < FH_FAMILIES; i++)
            if (fh_text_is(fh_text_trim(part), short_names[i]))
                families |= 1u << i;
    return families;
}

static void add_names(fh_buffer *out, uint32_t set)
{
    for (unsigned i = 0; i < FH_DTYPE_COUNT; i++)
        if (set & 1u << i) {
            fh_buffer_add_string(out, fh_dtype_name((fh_dtype)i));
            set &= ~(1u << i);
            if (set)
                fh_buffer_add_char(out, ',');
        }
}

void fh_dtypes_add(fh_buffer *out, const fh_dtypes *dtypes)
{
    unsigned left = 0, same = 0;
    for (unsigned i = 0; i < FH_FAMILIES; i++) {
        left |= dtypes->of[i] ? 1u << i : 0;
        same += dtypes->of[i] == dtypes->of[0];
    }
    if (!left) {
        fh_buffer_add_char(out, '-');
    } else if (same == FH_FAMILIES) {
        add_names(out, dtypes->of[0]);
    } else {
        for (unsigned i = 0; i < FH_FAMILIES; i++) {
            unsigned group = 0;
            for (unsigned j = i; j < FH_FAMILIES; j++)
                if (left & 1u << j && dtypes->of[j] == dtypes->of[i])
                    group |= 1u << j;
            if (!(left & 1u << i))
                continue;
            left &= ~group;
            fh_families_add(out, group);
            fh_buffer_add_char(out, ':');
            add_names(out, dtypes->of[i]);
            if (left)
                fh_buffer_add_char(out, '|');
        }
    }
}

fh_text fh_dtypes_cell(fh_text cell, fh_family family)
{
    fh_text part;
    if (family >= FH_FAMILY_GPU)
        return (fh_text){0};
    if (fh_text_find(cell, ':') == cell.length)
        return cell;
    while (fh_text_next(&cell, '|', &part)) {
        size_t colon = fh_text_find(part, ':');
        if (fh_families_parse(fh_text_slice(part, 0, colon)) & 1u << family)
            return fh_text_slice(part, colon + 1, part.length);
    }
    return (fh_text){0};
}
