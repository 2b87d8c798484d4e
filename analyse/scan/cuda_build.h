/* cuda_build.h: what the files cuda*.c share while they read one text. */
#ifndef FH_SCAN_CUDA_BUILD_H
#define FH_SCAN_CUDA_BUILD_H

#include "analyse/scan/cuda.h"
#include "analyse/scan/cuda_lex.h"

/* How far a look ahead or back goes, in tokens. */
enum { FH_CUDA_MOST_ANGLE = 256, FH_CUDA_MOST_LAUNCH = 1024 };

/* Tokens to be looked at as one text: all but macros, or the body of one. */
typedef struct {
    const fh_cuda_token *items;
    uint32_t count;
    const fh_cuda_macro *macro; /* whose body it is; NULL for the text */
} fh_cuda_span;

/* A kernel whose last brace is not there yet. */
typedef struct {
    uint32_t kernel, depth;
    uint32_t body; /* the token of its first brace */
} fh_cuda_open_kernel;

/* A macro that stands for __global__, or for a whole head of a kernel. */
typedef struct {
    fh_text name;
    const fh_cuda_macro *macro;
    uint32_t first, last; /* of its tokens: what the kernel's name is pasted from; 0, 0: an alias */
    bool has_body;
} fh_cuda_kernel_macro;

typedef struct {
    fh_unit *unit;
    const fh_cuda_source *source;
    uint32_t base;
    FH_VECTOR(fh_cuda_kernel_macro) macros;
    FH_VECTOR(fh_cuda_open_kernel) open;
    FH_VECTOR(uint32_t) depths; /* at every #if that is open */
    fh_buffer name;             /* scratch */
    uint64_t *steps;            /* looks ahead and back that are left; text without end to its
                                   brackets would take as many as its square */
} fh_cuda_scanner;

/* Kind of token `i`; 0 behind the last one. */
static inline unsigned fh_cuda_kind_at(fh_cuda_span s, uint32_t i)
{
    return i < s.count ? s.items[i].kind : 0;
}

static inline fh_text fh_cuda_text_at(const fh_cuda_scanner *c, fh_cuda_span s, uint32_t i)
{
    return i < s.count ? fh_cuda_token_text(c->source, s.items[i]) : (fh_text){0};
}

/* Offset behind token `i`, which there must be. */
static inline uint32_t fh_cuda_end_of(fh_cuda_span s, uint32_t i)
{
    return s.items[i].offset + s.items[i].length;
}

static inline bool fh_cuda_is_global(const fh_cuda_scanner *c, fh_cuda_span s, uint32_t i)
{
    return fh_cuda_kind_at(s, i) == FH_CUDA_NAME &&
           fh_text_is(fh_cuda_text_at(c, s, i), "__global__");
}

/* Whether '<' or '>' at `i` is part of <=, >= or ->, and no bracket. */
static inline bool fh_cuda_is_comparison(fh_cuda_span s, uint32_t i)
{
    bool is_before =
        fh_cuda_kind_at(s, i + 1) == '=' && s.items[i + 1].offset == s.items[i].offset + 1;
    bool is_behind = i && fh_cuda_kind_at(s, i) == '>' && fh_cuda_kind_at(s, i - 1) == '-' &&
                     s.items[i - 1].offset + 1 == s.items[i].offset;
    return is_before || is_behind;
}

/* Adds a kernel to the unit; [begin, end) are offsets in the text. */
void fh_cuda_add(fh_cuda_scanner *c, fh_kernel_kind kind, fh_text name, uint32_t begin,
                 uint32_t end);

/* The token behind the bracket that closes the one at `i`, within `most` tokens; s.count when there
 * is none. A kernel begins no expression: __global__ ends the search. */
uint32_t fh_cuda_skip_brackets(const fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, uint32_t most);

/* Passes over template arguments "<...>" at `i`; returns `i` when there are none. */
uint32_t fh_cuda_skip_angles(fh_cuda_span s, uint32_t i);

/* Argument `number` of a call or a macro's use, whose "(" is at `open`: tokens [*first, *last).
 * False when there is none, or it is empty. */
bool fh_cuda_find_argument(const fh_cuda_scanner *c, fh_cuda_span s, uint32_t open, uint32_t number,
                           uint32_t *first, uint32_t *last);

/* A kernel whose __global__ stands at `i` (cuda_kernel.c); `depth` counts the braces around it. */
void fh_cuda_read_kernel(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, uint32_t depth);

/* The same where a macro that holds __global__ may stand at `i`. */
void fh_cuda_read_kernel_macro(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, uint32_t depth);

/* Braces: closes kernels. Each branch of a conditional begins as deep as the first one did. */
void fh_cuda_read_brace(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, uint32_t *depth);

/* Whether "<<<" stands at `i`, and the launch name<<<...>>>(...) that it belongs to
 * (cuda_launch.c). */
bool fh_cuda_is_launch(fh_cuda_span s, uint32_t i);
void fh_cuda_read_launch(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i);

/* A launch by a function at `i` that takes the kernel as argument number `argument`. */
void fh_cuda_read_launcher(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, uint32_t argument);

#endif
