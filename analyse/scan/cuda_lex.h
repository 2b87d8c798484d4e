/* cuda_lex.h: CUDA, C++ and C as tokens; for cuda*.c only.
 *
 * Comments, line splices and what stands under `#if 0` are gone. Of the other
 * conditionals all branches are there, with marks between them. The bodies of
 * macros are kept apart from the text around them.
 */
#ifndef FH_SCAN_CUDA_LEX_H
#define FH_SCAN_CUDA_LEX_H

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

/* A single character of punctuation is its own kind; these are the others. */
typedef enum {
    FH_CUDA_NAME = 128,
    FH_CUDA_NUMBER,
    FH_CUDA_STRING,    /* offset and length are those of the inside */
    FH_CUDA_CHARACTER, /* 'x' */
    FH_CUDA_SCOPE,     /* :: */
    FH_CUDA_INCLUDE,   /* <path> or "path", the path alone; the character before it tells which */
    FH_CUDA_IF,        /* #if, #ifdef, #ifndef ... */
    FH_CUDA_ELSE,      /* #else, #elif ... */
    FH_CUDA_ENDIF,
} fh_cuda_token_kind;

enum { FH_CUDA_LONGEST = (1 << 24) - 1, FH_CUDA_MOST_TOKENS = 16 << 20 };

typedef struct {
    uint32_t offset;
    uint32_t kind : 8;    /* fh_cuda_token_kind */
    uint32_t length : 24; /* at most FH_CUDA_LONGEST */
} fh_cuda_token;

typedef struct {
    uint32_t name;                        /* index into macro_tokens */
    uint32_t parameters, parameter_count; /* into macro_tokens; names only */
    uint32_t begin, end;                  /* the body, in macro_tokens */
    bool is_function;
} fh_cuda_macro;

typedef struct {
    fh_text text;
    FH_VECTOR(fh_cuda_token) tokens, macro_tokens;
    FH_VECTOR(fh_cuda_macro) macros;
    uint32_t
        unfinished; /* where a comment, or a conditional, begins that never ends; else UINT32_MAX */
    bool cut;       /* there were more than FH_CUDA_MOST_TOKENS */
} fh_cuda_source;

/* Fills an empty `source` from `text`, which it borrows. Any text will do.
 * Fails with FH_NO_MEMORY, FH_LIMIT from 4 GiB on; the caller frees it, also on failure. */
fh_status fh_cuda_lex(fh_text text, fh_cuda_source *source);
void fh_cuda_source_free(fh_cuda_source *source);

static inline fh_text fh_cuda_token_text(const fh_cuda_source *source, fh_cuda_token token)
{
    return (fh_text){source->text.data + token.offset, token.length};
}

#endif
