/* The walk over the tokens. What is one name, or a name and a string, is read here; kernels and
 * launches of them have files of their own. */
#include "analyse/scan/cuda_build.h"
#include "analyse/scan/cuda_names.h"

#include <stdlib.h>
#include <string.h>

void fh_cuda_add(fh_cuda_scanner *c, fh_kernel_kind kind, fh_text name, uint32_t begin,
                 uint32_t end)
{
    fh_kernel kernel = {.name = fh_symbols_add(&c->unit->symbols, name),
                        .offset = c->base + begin,
                        .end = c->base + end,
                        .kind = kind};
    fh_vector_push(&c->unit->kernels, kernel);
}

/* A name of a namespace: thrust::sort, cub::BlockReduce<...>::..., at::cuda::current(). */
static void read_qualified(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, fh_cuda_name_kind kind)
{
    uint32_t begin = i;
    if (fh_cuda_kind_at(s, i + 1) != FH_CUDA_SCOPE || fh_cuda_kind_at(s, i + 2) != FH_CUDA_NAME)
        return;
    fh_text inner = fh_cuda_text_at(c, s, i);
    bool is_wmma = fh_text_is(inner, "wmma");
    if (kind == FH_CUDA_NAME_DEVICE) {
        fh_text outer = i >= 2 && fh_cuda_kind_at(s, i - 1) == FH_CUDA_SCOPE
                            ? fh_cuda_text_at(c, s, i - 2)
                            : (fh_text){0};
        if (!fh_text_is(outer, "at") && !fh_text_is(outer, "c10"))
            return;
        begin = i - 2;
    }
    /* using namespace nvcuda::wmma and the like do not come here: no name follows. */
    fh_buffer_clear(&c->name);
    uint32_t last = i;
    for (uint32_t at = begin; at == begin || fh_cuda_kind_at(s, at) == FH_CUDA_NAME; at += 2) {
        fh_buffer_add_string(&c->name, at > begin ? "::" : "");
        fh_buffer_add(&c->name, fh_cuda_text_at(c, s, at));
        last = at;
        if (fh_cuda_kind_at(s, at + 1) != FH_CUDA_SCOPE || at - begin > 8)
            break;
    }
    fh_cuda_add(c, is_wmma ? FH_KERNEL_INTRINSIC : FH_KERNEL_CALL, fh_buffer_text(&c->name),
                s.items[begin].offset, fh_cuda_end_of(s, last));
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
static void read_assembly(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i)
{
    uint32_t at = i + 1;
    while (fh_cuda_kind_at(s, at) == FH_CUDA_NAME)
        at++;
    if (fh_cuda_kind_at(s, at) != '(')
        return;
    for (uint32_t part = at + 1; fh_cuda_kind_at(s, part) == FH_CUDA_STRING; part++) {
        fh_text word = first_instruction(fh_cuda_text_at(c, s, part));
        if (!word.length)
            continue;
        if (fh_text_contains(word, ".") &&
            ((word.data[0] | 32) >= 'a' && (word.data[0] | 32) <= 'z'))
            fh_cuda_add(c, FH_KERNEL_ASSEMBLY, word, s.items[i].offset, fh_cuda_end_of(s, part));
        return;
    }
}

/* TORCH_LIBRARY(name, ...), PYBIND11_MODULE(name, ...). */
static void read_library(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i)
{
    uint32_t first, last;
    if (fh_cuda_kind_at(s, i + 1) == '(' && fh_cuda_find_argument(c, s, i + 1, 0, &first, &last))
        fh_cuda_add(c, FH_KERNEL_LIBRARY, fh_cuda_text_at(c, s, first), s.items[i].offset,
                    fh_cuda_end_of(s, last));
}

/* m.def("name(Tensor x) -> Tensor", ...), m.def(SCHEMA("name"), ...): the name alone. */
static void read_binding(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i)
{
    uint32_t at = i + 1;
    unsigned before = i >= 2 ? fh_cuda_kind_at(s, i - 2) : 0;
    if (!i || fh_cuda_kind_at(s, i - 1) != '.' || fh_cuda_kind_at(s, at) != '(' ||
        (before != FH_CUDA_NAME && before != ')'))
        return;
    if (fh_cuda_kind_at(s, at + 1) == FH_CUDA_NAME && fh_cuda_kind_at(s, at + 2) == '(')
        at += 2;
    if (fh_cuda_kind_at(s, at + 1) != FH_CUDA_STRING)
        return;
    fh_text name = fh_cuda_text_at(c, s, at + 1);
    fh_cuda_add(c, FH_KERNEL_BINDING, fh_text_trim(fh_text_slice(name, 0, fh_text_find(name, '('))),
                s.items[i].offset, fh_cuda_end_of(s, at + 1));
}

static void read_include(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i)
{
    fh_text path = fh_cuda_text_at(c, s, i);
    bool angled = s.items[i].offset && path.data[-1] == '<';
    if (fh_cuda_is_header(path, angled))
        fh_cuda_add(c, FH_KERNEL_INCLUDE, path, s.items[i].offset, fh_cuda_end_of(s, i));
}

static void read_name(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, uint32_t depth)
{
    fh_text name = fh_cuda_text_at(c, s, i);
    fh_cuda_name known = fh_cuda_name_of(name);
    bool is_call = known.kind != FH_CUDA_NAME_OTHER &&
                   fh_cuda_kind_at(s, fh_cuda_skip_angles(s, i + 1)) == '(';
    switch (known.kind) {
    case FH_CUDA_NAME_OTHER:
        if (!s.macro)
            fh_cuda_read_kernel_macro(c, s, i, depth);
        break;
    case FH_CUDA_NAME_GLOBAL:
        fh_cuda_read_kernel(c, s, i, depth);
        break;
    case FH_CUDA_NAME_LAUNCHER:
        fh_cuda_read_launcher(c, s, i, known.argument);
        break;
    case FH_CUDA_NAME_FUNCTION:
        if (is_call)
            fh_cuda_add(c, FH_KERNEL_CALL, name, s.items[i].offset, fh_cuda_end_of(s, i));
        break;
    case FH_CUDA_NAME_INTRINSIC:
        if (is_call)
            fh_cuda_add(c, FH_KERNEL_INTRINSIC, name, s.items[i].offset, fh_cuda_end_of(s, i));
        break;
    case FH_CUDA_NAME_DISPATCH:
        if (is_call)
            fh_cuda_add(c, FH_KERNEL_DISPATCH, name, s.items[i].offset, fh_cuda_end_of(s, i));
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

static void read_span(fh_cuda_scanner *c, fh_cuda_span s)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < s.count; i++) {
        unsigned kind = s.items[i].kind;
        if (kind == FH_CUDA_NAME)
            read_name(c, s, i, depth);
        else if (kind == FH_CUDA_INCLUDE)
            read_include(c, s, i);
        else if (kind == '<' && fh_cuda_is_launch(s, i))
            fh_cuda_read_launch(c, s, i);
        else if (!s.macro)
            fh_cuda_read_brace(c, s, i, &depth);
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
    fh_cuda_scanner c = {.unit = unit, .source = &source, .base = base, .steps = &steps};
    steps += 16 * ((uint64_t)source.tokens.count + source.macro_tokens.count);
    uint32_t first = unit->kernels.count;
    for (uint32_t m = 0; !status && m < source.macros.count; m++) {
        const fh_cuda_macro *macro = &source.macros.items[m];
        read_span(&c, (fh_cuda_span){source.macro_tokens.items + macro->begin,
                                     macro->end - macro->begin, macro});
    }
    if (!status) {
        read_span(&c, (fh_cuda_span){source.tokens.items, source.tokens.count, NULL});
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
