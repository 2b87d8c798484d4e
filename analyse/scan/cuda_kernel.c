/* Kernels: __global__ functions, those that macros make, and where their bodies end. */
#include "analyse/scan/cuda_build.h"
#include "analyse/scan/cuda_names.h"

/* How far a look ahead goes, in tokens, and how many macros are followed. */
enum { MOST_DECLARATOR = 4096, MOST_MACROS = 64 };

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
static bool find_declarator(const fh_cuda_scanner *c, fh_cuda_span s, uint32_t from,
                            declarator *found)
{
    uint32_t last = s.count - from > MOST_DECLARATOR ? from + MOST_DECLARATOR : s.count;
    uint32_t i = from;
    bool is_sure = false, any = false;
    for (; i < last && *c->steps && !fh_cuda_is_global(c, s, i); --*c->steps) {
        unsigned kind = s.items[i].kind;
        if (kind == '{' || kind == ';' || kind == '}')
            break;
        if (kind == '(' || kind == '[') {
            i = fh_cuda_skip_brackets(c, s, i, MOST_DECLARATOR);
            continue;
        }
        uint32_t behind = kind == FH_CUDA_NAME ? fh_cuda_skip_angles(s, i + 1) : 0;
        if (kind == FH_CUDA_NAME && fh_cuda_kind_at(s, behind) == '(') {
            fh_text name = fh_cuda_text_at(c, s, i);
            if (!is_sure && !fh_cuda_is_attribute(name)) {
                found->name = i;
                is_sure = !is_upper(name);
                any = true;
            }
            i = fh_cuda_skip_brackets(c, s, behind, MOST_DECLARATOR);
            continue;
        }
        i = behind > i ? behind : i + 1;
    }
    found->last = i < s.count ? i : s.count;
    return any;
}

/* Whether the name at `name` holds a parameter of the macro; [first, last] is what it is pasted
 * from. */
static bool is_made_by_macro(const fh_cuda_scanner *c, fh_cuda_span s, uint32_t name,
                             uint32_t *first, uint32_t *last)
{
    *first = *last = name;
    while (*first >= 3 && fh_cuda_kind_at(s, *first - 1) == '#' &&
           fh_cuda_kind_at(s, *first - 2) == '#')
        *first -= 3;
    const fh_cuda_macro *macro = s.macro;
    for (uint32_t i = *first; i <= *last; i++)
        for (uint32_t p = 0; p < macro->parameter_count; p++)
            if (fh_text_equal(fh_cuda_text_at(c, s, i),
                              fh_cuda_token_text(
                                  c->source, c->source->macro_tokens.items[macro->parameters + p])))
                return true;
    return false;
}

static fh_text macro_name(const fh_cuda_scanner *c, const fh_cuda_macro *macro)
{
    return fh_cuda_token_text(c->source, c->source->macro_tokens.items[macro->name]);
}

/* __global__ in the body of a macro. */
static void read_macro_kernel(fh_cuda_scanner *c, fh_cuda_span s, uint32_t from)
{
    declarator found;
    fh_cuda_kernel_macro entry = {.name = macro_name(c, s.macro), .macro = s.macro};
    if (fh_text_is(entry.name, "__global__") || c->macros.count >= MOST_MACROS)
        return;
    if (!find_declarator(c, s, from, &found)) {
        fh_vector_push(&c->macros, entry);
        return;
    }
    entry.has_body = fh_cuda_kind_at(s, found.last) == '{';
    bool is_made = is_made_by_macro(c, s, found.name, &entry.first, &entry.last);
    if (is_made && found.last >= s.count)
        entry.has_body = true; /* when what follows the use is a body */
    if (is_made)
        fh_vector_push(&c->macros, entry);
    else
        fh_cuda_add(c, entry.has_body ? FH_KERNEL_CUDA : FH_KERNEL_DECLARED,
                    fh_cuda_text_at(c, s, found.name), s.items[found.name].offset,
                    fh_cuda_end_of(s, s.count - 1));
}

/* A head of a kernel in the text: `from` is behind __global__, or behind a macro that holds it. */
static void read_head(fh_cuda_scanner *c, fh_cuda_span s, uint32_t from, uint32_t depth)
{
    declarator found;
    if (!find_declarator(c, s, from, &found))
        return;
    bool has_body = fh_cuda_kind_at(s, found.last) == '{';
    uint32_t end =
        found.last < s.count ? fh_cuda_end_of(s, found.last) : fh_cuda_end_of(s, s.count - 1);
    fh_cuda_add(c, has_body ? FH_KERNEL_CUDA : FH_KERNEL_DECLARED,
                fh_cuda_text_at(c, s, found.name), s.items[found.name].offset, end);
    if (has_body)
        fh_vector_push(&c->open,
                       (fh_cuda_open_kernel){c->unit->kernels.count - 1, depth, found.last});
}

/* A use of a macro that makes kernels, at `i`. */
static void read_macro_use(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i,
                           const fh_cuda_kernel_macro *made, uint32_t depth)
{
    const fh_cuda_token *tokens = c->source->macro_tokens.items;
    if (fh_cuda_kind_at(s, i + 1) != '(')
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
            word = fh_cuda_find_argument(c, s, i + 1, p, &first, &last)
                       ? fh_cuda_text_at(c, s, first)
                       : (fh_text){0};
            break;
        }
        fh_buffer_add(&c->name, word);
    }
    uint32_t behind = fh_cuda_skip_brackets(c, s, i + 1, MOST_DECLARATOR);
    bool ends_with_head = made->has_body && fh_cuda_kind_at(s, behind) == '{';
    const fh_cuda_macro *macro = made->macro;
    bool is_whole =
        made->has_body && macro->end > macro->begin && tokens[macro->end - 1].kind == '}';
    if (c->name.length)
        fh_cuda_add(c, ends_with_head || is_whole ? FH_KERNEL_CUDA : FH_KERNEL_DECLARED,
                    fh_buffer_text(&c->name), s.items[i].offset,
                    behind > i && behind <= s.count ? fh_cuda_end_of(s, behind - 1)
                                                    : fh_cuda_end_of(s, i));
    if (ends_with_head && c->name.length)
        fh_vector_push(&c->open, (fh_cuda_open_kernel){c->unit->kernels.count - 1, depth, behind});
}

static const fh_cuda_kernel_macro *find_macro(const fh_cuda_scanner *c, fh_text name)
{
    for (uint32_t i = 0; i < c->macros.count; i++)
        if (fh_text_equal(c->macros.items[i].name, name))
            return &c->macros.items[i];
    return NULL;
}

void fh_cuda_read_brace(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, uint32_t *depth)
{
    switch (s.items[i].kind) {
    case '{':
        ++*depth;
        break;
    case '}':
        *depth -= *depth > 0;
        while (c->open.count && fh_vector_last(&c->open).depth >= *depth &&
               fh_vector_last(&c->open).body < i)
            c->unit->kernels.items[fh_vector_pop(&c->open).kernel].end =
                c->base + fh_cuda_end_of(s, i);
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

void fh_cuda_read_kernel(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, uint32_t depth)
{
    if (s.macro)
        read_macro_kernel(c, s, i + 1);
    else
        read_head(c, s, i + 1, depth);
}

void fh_cuda_read_kernel_macro(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, uint32_t depth)
{
    const fh_cuda_kernel_macro *macro = find_macro(c, fh_cuda_text_at(c, s, i));
    if (macro && macro->last)
        read_macro_use(c, s, i, macro, depth);
    else if (macro)
        read_head(c, s, i + 1, depth);
}
