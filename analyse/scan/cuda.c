#include "analyse/scan/cuda.h"
#include "analyse/scan/cuda_lex.h"
#include "analyse/scan/cuda_names.h"

#include <stdlib.h>
#include <string.h>

/* How far a look ahead or back goes, in tokens. */
enum {
    MOST_ANGLE = 256,
    MOST_DECLARATOR = 4096,
    MOST_LAUNCH = 1024,
    MOST_MACROS = 64,
    MOST_VARIABLE = 1024
};

/* Tokens to be looked at as one text: all but macros, or the body of one. */
typedef struct {
    const fh_cuda_token *items;
    uint32_t count;
    const fh_cuda_macro *macro; /* whose body it is; NULL for the text */
} span;

/* A kernel whose last brace is not there yet. */
typedef struct {
    uint32_t kernel, depth;
    uint32_t body; /* the token of its first brace */
} open_kernel;

/* A macro that stands for __global__, or for a whole head of a kernel. */
typedef struct {
    fh_text name;
    const fh_cuda_macro *macro;
    uint32_t first, last; /* of its tokens: what the kernel's name is pasted from; 0, 0: an alias */
    bool has_body;
} kernel_macro;

typedef struct {
    fh_unit *unit;
    const fh_cuda_source *source;
    uint32_t base;
    FH_VECTOR(kernel_macro) macros;
    FH_VECTOR(open_kernel) open;
    FH_VECTOR(uint32_t) depths; /* at every #if that is open */
    fh_buffer name;             /* scratch */
    uint64_t *steps;            /* looks ahead and back that are left; text without end to its
                                   brackets would take as many as its square */
} scanner;

static unsigned kind_at(span s, uint32_t i)
{
    return i < s.count ? s.items[i].kind : 0;
}

static fh_text text_at(const scanner *c, span s, uint32_t i)
{
    return i < s.count ? fh_cuda_token_text(c->source, s.items[i]) : (fh_text){0};
}

static void add(scanner *c, fh_kernel_kind kind, fh_text name, uint32_t begin, uint32_t end)
{
    fh_kernel kernel = {.name = fh_symbols_add(&c->unit->symbols, name),
                        .offset = c->base + begin,
                        .end = c->base + end,
                        .kind = kind};
    fh_vector_push(&c->unit->kernels, kernel);
}

static uint32_t end_of(span s, uint32_t i)
{
    return s.items[i].offset + s.items[i].length;
}

static bool is_global(const scanner *c, span s, uint32_t i)
{
    return kind_at(s, i) == FH_CUDA_NAME && fh_text_is(text_at(c, s, i), "__global__");
}

/* The token behind the bracket that closes the one at `i`, within `most` tokens; s.count when there
 * is none. A kernel begins no expression: __global__ ends the search. */
static uint32_t skip_brackets(const scanner *c, span s, uint32_t i, uint32_t most)
{
    uint32_t depth = 0, last = s.count - i > most ? i + most : s.count;
    for (; i < last && *c->steps && !is_global(c, s, i); i++, --*c->steps) {
        unsigned kind = s.items[i].kind;
        if (kind == '(' || kind == '[' || kind == '{')
            depth++;
        else if ((kind == ')' || kind == ']' || kind == '}') && --depth == 0)
            return i + 1;
    }
    return s.count;
}

/* Whether '<' or '>' at `i` is part of <=, >= or ->, and no bracket. */
static bool is_comparison(span s, uint32_t i)
{
    bool is_before = kind_at(s, i + 1) == '=' && s.items[i + 1].offset == s.items[i].offset + 1;
    bool is_behind = i && kind_at(s, i) == '>' && kind_at(s, i - 1) == '-' &&
                     s.items[i - 1].offset + 1 == s.items[i].offset;
    return is_before || is_behind;
}

/* Passes over template arguments "<...>" at `i`; returns `i` when there are none. */
static uint32_t skip_angles(span s, uint32_t i)
{
    if (kind_at(s, i) != '<')
        return i;
    uint32_t depth = 0, round = 0;
    for (uint32_t at = i; at < s.count && at - i < MOST_ANGLE; at++) {
        unsigned kind = s.items[at].kind;
        round += kind == '(';
        if (kind == ')' && round-- == 0)
            return i;
        if (round || is_comparison(s, at))
            continue;
        if (kind == ';' || kind == '{')
            return i;
        depth += kind == '<';
        if (kind == '>' && --depth == 0)
            return at + 1;
    }
    return i;
}

/* ---- kernels ---- */

typedef struct {
    uint32_t name, last; /* tokens: the function's name, and the one that ends the head */
} declarator;

static bool is_upper(fh_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.data[i] >= 'a' && text.data[i] <= 'z')
            return false;
    return text.length > 0;
}

/* Finds which `name(...)` behind __global__ is the function: the first that is no attribute and
 * not in capitals, as macros before the name are; else the last that is no attribute. */
static bool find_declarator(const scanner *c, span s, uint32_t from, declarator *found)
{
    uint32_t last = s.count - from > MOST_DECLARATOR ? from + MOST_DECLARATOR : s.count;
    uint32_t i = from;
    bool is_sure = false, any = false;
    for (; i < last && *c->steps && !is_global(c, s, i); --*c->steps) {
        unsigned kind = s.items[i].kind;
        if (kind == '{' || kind == ';' || kind == '}')
            break;
        if (kind == '(' || kind == '[') {
            i = skip_brackets(c, s, i, MOST_DECLARATOR);
            continue;
        }
        uint32_t behind = kind == FH_CUDA_NAME ? skip_angles(s, i + 1) : 0;
        if (kind == FH_CUDA_NAME && kind_at(s, behind) == '(') {
            fh_text name = text_at(c, s, i);
            if (!is_sure && !fh_cuda_is_attribute(name)) {
                found->name = i;
                is_sure = !is_upper(name);
                any = true;
            }
            i = skip_brackets(c, s, behind, MOST_DECLARATOR);
            continue;
        }
        i = behind > i ? behind : i + 1;
    }
    found->last = i < s.count ? i : s.count;
    return any;
}

/* Whether the name at `name` holds a parameter of the macro; [first, last] is what it is pasted
 * from. */
static bool is_made_by_macro(const scanner *c, span s, uint32_t name, uint32_t *first,
                             uint32_t *last)
{
    *first = *last = name;
    while (*first >= 3 && kind_at(s, *first - 1) == '#' && kind_at(s, *first - 2) == '#')
        *first -= 3;
    const fh_cuda_macro *macro = s.macro;
    for (uint32_t i = *first; i <= *last; i++)
        for (uint32_t p = 0; p < macro->parameter_count; p++)
            if (fh_text_equal(text_at(c, s, i),
                              fh_cuda_token_text(
                                  c->source, c->source->macro_tokens.items[macro->parameters + p])))
                return true;
    return false;
}

static fh_text macro_name(const scanner *c, const fh_cuda_macro *macro)
{
    return fh_cuda_token_text(c->source, c->source->macro_tokens.items[macro->name]);
}

/* __global__ in the body of a macro. */
static void read_macro_kernel(scanner *c, span s, uint32_t from)
{
    declarator found;
    kernel_macro entry = {.name = macro_name(c, s.macro), .macro = s.macro};
    if (fh_text_is(entry.name, "__global__") || c->macros.count >= MOST_MACROS)
        return;
    if (!find_declarator(c, s, from, &found)) {
        fh_vector_push(&c->macros, entry);
        return;
    }
    entry.has_body = kind_at(s, found.last) == '{';
    bool is_made = is_made_by_macro(c, s, found.name, &entry.first, &entry.last);
    if (is_made && found.last >= s.count)
        entry.has_body = true; /* when what follows the use is a body */
    if (is_made)
        fh_vector_push(&c->macros, entry);
    else
        add(c, entry.has_body ? FH_KERNEL_CUDA : FH_KERNEL_DECLARED, text_at(c, s, found.name),
            s.items[found.name].offset, end_of(s, s.count - 1));
}

/* A head of a kernel in the text: `from` is behind __global__, or behind a macro that holds it. */
static void read_kernel(scanner *c, span s, uint32_t from, uint32_t depth)
{
    declarator found;
    if (!find_declarator(c, s, from, &found))
        return;
    bool has_body = kind_at(s, found.last) == '{';
    uint32_t end = found.last < s.count ? end_of(s, found.last) : end_of(s, s.count - 1);
    add(c, has_body ? FH_KERNEL_CUDA : FH_KERNEL_DECLARED, text_at(c, s, found.name),
        s.items[found.name].offset, end);
    if (has_body)
        fh_vector_push(&c->open, (open_kernel){c->unit->kernels.count - 1, depth, found.last});
}

/* Argument `number` of a macro's use, whose "(" is at `open`: tokens [*first, *last). */
static bool find_argument(const scanner *c, span s, uint32_t open, uint32_t number, uint32_t *first,
                          uint32_t *last)
{
    uint32_t end = skip_brackets(c, s, open, MOST_LAUNCH), depth = 0, angles = 0;
    uint32_t begin = open + 1;
    if (end - open > MOST_LAUNCH || kind_at(s, end - 1) != ')')
        return false; /* it is not closed */
    for (uint32_t i = open + 1; i < end; i++) {
        unsigned kind = s.items[i].kind;
        bool is_end = i + 1 == end;
        if (kind == '(' || kind == '[' || kind == '{')
            depth++;
        else if (!is_end && (kind == ')' || kind == ']' || kind == '}'))
            depth--;
        angles += kind == '<' && kind_at(s, i + 1) != '<';
        angles -= kind == '>' && angles;
        if (!is_end && (kind != ',' || depth || angles))
            continue;
        if (number-- == 0) {
            *first = begin;
            *last = i;
            return begin < i;
        }
        begin = i + 1;
    }
    return false;
}

/* A use of a macro that makes kernels, at `i`. */
static void read_macro_use(scanner *c, span s, uint32_t i, const kernel_macro *made, uint32_t depth)
{
    const fh_cuda_token *tokens = c->source->macro_tokens.items;
    if (kind_at(s, i + 1) != '(')
        return;
    fh_buffer_clear(&c->name);
    for (uint32_t part = made->macro->begin + made->first; part <= made->macro->begin + made->last;
         part++) {
        fh_text word = fh_cuda_token_text(c->source, tokens[part]);
        if (tokens[part].kind == '#')
            continue;
        for (uint32_t p = 0; p < made->macro->parameter_count; p++) {
            uint32_t first, last;
            if (!fh_text_equal(word,
                               fh_cuda_token_text(c->source, tokens[made->macro->parameters + p])))
                continue;
            word =
                find_argument(c, s, i + 1, p, &first, &last) ? text_at(c, s, first) : (fh_text){0};
            break;
        }
        fh_buffer_add(&c->name, word);
    }
    uint32_t behind = skip_brackets(c, s, i + 1, MOST_DECLARATOR);
    bool ends_with_head = made->has_body && kind_at(s, behind) == '{';
    const fh_cuda_macro *macro = made->macro;
    bool is_whole =
        made->has_body && macro->end > macro->begin && tokens[macro->end - 1].kind == '}';
    if (c->name.length)
        add(c, ends_with_head || is_whole ? FH_KERNEL_CUDA : FH_KERNEL_DECLARED,
            fh_buffer_text(&c->name), s.items[i].offset,
            behind > i && behind <= s.count ? end_of(s, behind - 1) : end_of(s, i));
    if (ends_with_head && c->name.length)
        fh_vector_push(&c->open, (open_kernel){c->unit->kernels.count - 1, depth, behind});
}

/* ---- launches ---- */

/* The name of the kernel in tokens [first, last): the last name outside of <>. What is pasted
 * by ## stays as it is written. */
static fh_text kernel_name(const scanner *c, span s, uint32_t first, uint32_t last)
{
    fh_text name = {0};
    for (uint32_t i = first; i < last; i++) {
        if (kind_at(s, i) != FH_CUDA_NAME)
            continue;
        uint32_t end = i;
        while (end + 3 < last && kind_at(s, end + 1) == '#' && kind_at(s, end + 2) == '#')
            end += 3;
        name = fh_text_slice(c->source->text, s.items[i].offset, end_of(s, end));
        uint32_t behind = skip_angles(s, end + 1);
        i = behind > end + 1 && behind <= last ? behind - 1 : end;
    }
    return name;
}

/* When `auto name = &space::kernel<...>;` stands before the launch at `i`: that kernel's name. */
static fh_text follow_variable(const scanner *c, span s, uint32_t i, fh_text name)
{
    uint32_t first = i > MOST_VARIABLE ? i - MOST_VARIABLE : 0;
    for (uint32_t at = i; at > first && *c->steps; at--, --*c->steps) {
        if (kind_at(s, at) != '=' || kind_at(s, at - 1) != FH_CUDA_NAME ||
            kind_at(s, at + 1) == '=' || !fh_text_equal(text_at(c, s, at - 1), name))
            continue;
        uint32_t value = at + 1, last;
        value += kind_at(s, value) == '&';
        for (last = value; kind_at(s, last + 1) == FH_CUDA_SCOPE; last += 2)
            ;
        uint32_t behind = skip_angles(s, last + 1);
        bool is_plain = kind_at(s, last) == FH_CUDA_NAME && kind_at(s, behind) == ';';
        return is_plain ? text_at(c, s, last) : name;
    }
    return name;
}

/* The token that opens the bracket closed at `i`, going back; `i` when there is none. What stands
 * in round brackets inside does not count. */
static uint32_t back_over(span s, uint32_t i, unsigned open, unsigned close)
{
    uint32_t depth = 0, round = 0;
    for (uint32_t at = i; i - at < MOST_ANGLE; at--) {
        unsigned kind = kind_at(s, at);
        if (close != ')' && kind == ')')
            round++;
        if (close != ')' && kind == '(' && round-- == 0)
            break;
        if (!round && kind == close && !is_comparison(s, at))
            depth++;
        if (!round && kind == open && !is_comparison(s, at) && --depth == 0)
            return at;
        if (!at || kind == ';')
            break;
    }
    return i;
}

/* name<<<...>>>(...), whose "<<<" begins at `i`. */
static void read_launch(scanner *c, span s, uint32_t i)
{
    if (!i || fh_text_is(text_at(c, s, i - 1), "operator"))
        return;
    uint32_t before = i - 1;
    fh_text name = {0};
    if (kind_at(s, before) == ']')
        before = back_over(s, before, '[', ']') - 1;
    else if (kind_at(s, before) == '>')
        before = back_over(s, before, '<', '>') - 1;
    if (before >= i)
        return;
    if (kind_at(s, before) == FH_CUDA_NAME) {
        name = follow_variable(c, s, before, text_at(c, s, before));
    } else if (kind_at(s, before) == ')') {
        uint32_t open = back_over(s, before, '(', ')');
        name = kernel_name(c, s, open, before);
        if (open && open < before && kind_at(s, open - 1) == FH_CUDA_NAME &&
            !fh_text_is(text_at(c, s, open - 1), "HIP_KERNEL_NAME"))
            name = text_at(c, s, open - 1);
        before = open;
    }
    if (!name.length)
        return;
    uint32_t end = i + 2;
    for (uint32_t at = i + 3, depth = 0; at + 3 < s.count && at - i < MOST_LAUNCH && *c->steps;
         at++, --*c->steps) {
        unsigned kind = kind_at(s, at);
        depth += kind == '(';
        if ((kind == ')' && depth-- == 0) || kind == ';')
            break;
        if (!depth && kind == '>' && kind_at(s, at + 1) == '>' && kind_at(s, at + 2) == '>' &&
            kind_at(s, at + 3) == '(') {
            uint32_t behind = skip_brackets(c, s, at + 3, MOST_LAUNCH);
            end = behind < s.count || kind_at(s, behind - 1) == ')' ? behind - 1 : at + 3;
            break;
        }
    }
    add(c, FH_KERNEL_LAUNCH, name, s.items[before].offset, end_of(s, end));
}

/* Three '<', of which the first two touch: older clang-format wrote "<< <". */
static bool is_launch(span s, uint32_t i)
{
    return kind_at(s, i) == '<' && kind_at(s, i + 1) == '<' && kind_at(s, i + 2) == '<' &&
           kind_at(s, i + 3) != '<' && s.items[i + 1].offset == s.items[i].offset + 1 &&
           (!i || kind_at(s, i - 1) != '<');
}

static void read_launcher(scanner *c, span s, uint32_t i, uint32_t argument)
{
    uint32_t first, last;
    if (kind_at(s, i + 1) != '(' || !find_argument(c, s, i + 1, argument, &first, &last))
        return;
    fh_text name = kernel_name(c, s, first, last);
    if (name.length)
        add(c, FH_KERNEL_LAUNCH, follow_variable(c, s, i, name), s.items[i].offset,
            end_of(s, last));
}

/* ---- calls, assembly, bindings ---- */

/* A name of a namespace: thrust::sort, cub::BlockReduce<...>::..., at::cuda::current(). */
static void read_qualified(scanner *c, span s, uint32_t i, fh_cuda_name_kind kind)
{
    uint32_t begin = i;
    if (kind_at(s, i + 1) != FH_CUDA_SCOPE || kind_at(s, i + 2) != FH_CUDA_NAME)
        return;
    fh_text inner = text_at(c, s, i);
    bool is_wmma = fh_text_is(inner, "wmma");
    if (kind == FH_CUDA_NAME_DEVICE) {
        fh_text outer =
            i >= 2 && kind_at(s, i - 1) == FH_CUDA_SCOPE ? text_at(c, s, i - 2) : (fh_text){0};
        if (!fh_text_is(outer, "at") && !fh_text_is(outer, "c10"))
            return;
        begin = i - 2;
    }
    /* using namespace nvcuda::wmma and the like do not come here: no name follows. */
    fh_buffer_clear(&c->name);
    uint32_t last = i;
    for (uint32_t at = begin; at == begin || kind_at(s, at) == FH_CUDA_NAME; at += 2) {
        fh_buffer_add_string(&c->name, at > begin ? "::" : "");
        fh_buffer_add(&c->name, text_at(c, s, at));
        last = at;
        if (kind_at(s, at + 1) != FH_CUDA_SCOPE || at - begin > 8)
            break;
    }
    add(c, is_wmma ? FH_KERNEL_INTRINSIC : FH_KERNEL_CALL, fh_buffer_text(&c->name),
        s.items[begin].offset, end_of(s, last));
}

/* The first instruction of PTX text: behind braces, declarations (".reg"), labels and predicates.
 */
static fh_text first_instruction(fh_text text)
{
    size_t at = 0;
    while (at < text.length) {
        char ch = text.data[at];
        bool is_escape = ch == '\\' && at + 1 < text.length;
        if (is_escape || ch == '{' || ch == ';' || ch == ' ' || ch == '\t' || ch == '\n' ||
            ch == '\r') {
            at += is_escape ? 2 : 1;
            continue;
        }
        size_t end = at;
        while (end < text.length && !strchr(" \t\r\n;\\,(", text.data[end]))
            end++;
        fh_text word = fh_text_slice(text, at, end > at ? end : at + 1);
        if (ch == '.') { /* to the end of the statement */
            while (at < text.length && text.data[at] != ';')
                at++;
        } else if (ch == '@' || fh_text_ends(word, ":")) {
            at += word.length;
        } else {
            return word;
        }
    }
    return (fh_text){0};
}

/* asm [volatile] ("..." ...), when it is PTX: its instructions have types behind dots. */
static void read_assembly(scanner *c, span s, uint32_t i)
{
    uint32_t at = i + 1;
    while (kind_at(s, at) == FH_CUDA_NAME)
        at++;
    if (kind_at(s, at) != '(')
        return;
    for (uint32_t part = at + 1; kind_at(s, part) == FH_CUDA_STRING; part++) {
        fh_text word = first_instruction(text_at(c, s, part));
        if (!word.length)
            continue;
        if (fh_text_contains(word, ".") &&
            ((word.data[0] | 32) >= 'a' && (word.data[0] | 32) <= 'z'))
            add(c, FH_KERNEL_ASSEMBLY, word, s.items[i].offset, end_of(s, part));
        return;
    }
}

/* TORCH_LIBRARY(name, ...), PYBIND11_MODULE(name, ...). */
static void read_library(scanner *c, span s, uint32_t i)
{
    uint32_t first, last;
    if (kind_at(s, i + 1) == '(' && find_argument(c, s, i + 1, 0, &first, &last))
        add(c, FH_KERNEL_LIBRARY, text_at(c, s, first), s.items[i].offset, end_of(s, last));
}

/* m.def("name(Tensor x) -> Tensor", ...), m.def(SCHEMA("name"), ...): the name alone. */
static void read_binding(scanner *c, span s, uint32_t i)
{
    uint32_t at = i + 1;
    unsigned before = i >= 2 ? kind_at(s, i - 2) : 0;
    if (!i || kind_at(s, i - 1) != '.' || kind_at(s, at) != '(' ||
        (before != FH_CUDA_NAME && before != ')'))
        return;
    if (kind_at(s, at + 1) == FH_CUDA_NAME && kind_at(s, at + 2) == '(')
        at += 2;
    if (kind_at(s, at + 1) != FH_CUDA_STRING)
        return;
    fh_text name = text_at(c, s, at + 1);
    add(c, FH_KERNEL_BINDING, fh_text_trim(fh_text_slice(name, 0, fh_text_find(name, '('))),
        s.items[i].offset, end_of(s, at + 1));
}

static void read_include(scanner *c, span s, uint32_t i)
{
    fh_text path = text_at(c, s, i);
    bool angled = s.items[i].offset && path.data[-1] == '<';
    if (fh_cuda_is_header(path, angled))
        add(c, FH_KERNEL_INCLUDE, path, s.items[i].offset, end_of(s, i));
}

/* ---- all of it ---- */

static const kernel_macro *find_macro(const scanner *c, fh_text name)
{
    for (uint32_t i = 0; i < c->macros.count; i++)
        if (fh_text_equal(c->macros.items[i].name, name))
            return &c->macros.items[i];
    return NULL;
}

static void read_name(scanner *c, span s, uint32_t i, uint32_t depth)
{
    fh_text name = text_at(c, s, i);
    fh_cuda_name known = fh_cuda_name_of(name);
    bool is_call = known.kind != FH_CUDA_NAME_OTHER && kind_at(s, skip_angles(s, i + 1)) == '(';
    switch (known.kind) {
    case FH_CUDA_NAME_OTHER: {
        const kernel_macro *macro = s.macro ? NULL : find_macro(c, name);
        if (macro && macro->last)
            read_macro_use(c, s, i, macro, depth);
        else if (macro)
            read_kernel(c, s, i + 1, depth);
        break;
    }
    case FH_CUDA_NAME_GLOBAL:
        if (s.macro)
            read_macro_kernel(c, s, i + 1);
        else
            read_kernel(c, s, i + 1, depth);
        break;
    case FH_CUDA_NAME_LAUNCHER:
        read_launcher(c, s, i, known.argument);
        break;
    case FH_CUDA_NAME_FUNCTION:
        if (is_call)
            add(c, FH_KERNEL_CALL, name, s.items[i].offset, end_of(s, i));
        break;
    case FH_CUDA_NAME_INTRINSIC:
        if (is_call)
            add(c, FH_KERNEL_INTRINSIC, name, s.items[i].offset, end_of(s, i));
        break;
    case FH_CUDA_NAME_DISPATCH:
        if (is_call)
            add(c, FH_KERNEL_DISPATCH, name, s.items[i].offset, end_of(s, i));
        break;
    case FH_CUDA_NAME_NAMESPACE:
    case FH_CUDA_NAME_DEVICE:
        read_qualified(c, s, i, known.kind);
        break;
    case FH_CUDA_NAME_ASSEMBLY:
        read_assembly(c, s, i);
        break;
    case FH_CUDA_NAME_LIBRARY:
        read_library(c, s, i);
        break;
    case FH_CUDA_NAME_METHOD:
        read_binding(c, s, i);
        break;
    }
}

/* Braces: closes kernels. Each branch of a conditional begins as deep as the first one did. */
static void read_brace(scanner *c, span s, uint32_t i, uint32_t *depth)
{
    switch (s.items[i].kind) {
    case '{':
        ++*depth;
        break;
    case '}':
        *depth -= *depth > 0;
        while (c->open.count && fh_vector_last(&c->open).depth >= *depth &&
               fh_vector_last(&c->open).body < i)
            c->unit->kernels.items[fh_vector_pop(&c->open).kernel].end = c->base + end_of(s, i);
        break;
    case FH_CUDA_IF:
        fh_vector_push(&c->depths, *depth);
        break;
    case FH_CUDA_ELSE:
        if (c->depths.count)
            *depth = fh_vector_last(&c->depths);
        break;
    case FH_CUDA_ENDIF:
        if (c->depths.count)
            (void)fh_vector_pop(&c->depths);
        break;
    default:
        break;
    }
}

static void read_span(scanner *c, span s)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < s.count; i++) {
        unsigned kind = s.items[i].kind;
        if (kind == FH_CUDA_NAME)
            read_name(c, s, i, depth);
        else if (kind == FH_CUDA_INCLUDE)
            read_include(c, s, i);
        else if (kind == '<' && is_launch(s, i))
            read_launch(c, s, i);
        else if (!s.macro)
            read_brace(c, s, i, &depth);
    }
    fh_vector_clear(&c->open);
    fh_vector_clear(&c->depths);
}

static int by_offset(const void *left, const void *right)
{
    const fh_kernel *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static void note_oddities(const fh_cuda_source *source, uint32_t base, fh_unit *unit)
{
    if (source->unfinished != UINT32_MAX)
        fh_unit_note(unit, base + source->unfinished,
                     "a comment or #if begins here and never ends");
    if (source->cut)
        fh_unit_note(unit, FH_NO_OFFSET, "only the first %d tokens are read", FH_CUDA_MOST_TOKENS);
}

fh_status fh_cuda_read_embedded(fh_text text, uint32_t base, fh_unit *unit)
{
    fh_cuda_source source;
    fh_status status = fh_cuda_lex(text, &source);
    uint64_t steps = 1000 * 1000;
    scanner c = {.unit = unit, .source = &source, .base = base, .steps = &steps};
    steps += 16 * ((uint64_t)source.tokens.count + source.macro_tokens.count);
    uint32_t first = unit->kernels.count;
    for (uint32_t m = 0; !status && m < source.macros.count; m++) {
        const fh_cuda_macro *macro = &source.macros.items[m];
        read_span(
            &c, (span){source.macro_tokens.items + macro->begin, macro->end - macro->begin, macro});
    }
    if (!status) {
        read_span(&c, (span){source.tokens.items, source.tokens.count, NULL});
        note_oddities(&source, base, unit);
        if (!steps)
            fh_unit_note(unit, FH_NO_OFFSET, "too many open brackets: not all of it is understood");
        if (unit->kernels.count - first > 1)
            qsort(unit->kernels.items + first, unit->kernels.count - first,
                  sizeof *unit->kernels.items, by_offset);
        if (c.macros.failed || c.open.failed || c.depths.failed || c.name.failed ||
            fh_unit_failed(unit))
            status = fh_error(FH_NO_MEMORY, "out of memory while reading CUDA or C++");
    }
    fh_vector_free(&c.macros);
    fh_vector_free(&c.open);
    fh_vector_free(&c.depths);
    fh_buffer_free(&c.name);
    fh_cuda_source_free(&source);
    return status;
}

fh_status fh_cuda_read(fh_text text, fh_unit *unit)
{
    if (text.length >= UINT32_MAX)
        return fh_error(FH_LIMIT, "larger than 4 GiB");
    unit->bytes = text.length;
    fh_positions_build(&unit->positions, text);
    return fh_cuda_read_embedded(text, 0, unit);
}
