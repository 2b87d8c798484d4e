#include "analyse/rules/verdicts.h"

void fh_verdicts_init(fh_verdicts *verdicts)
{
    *verdicts = (fh_verdicts){0};
    fh_symbols_init(&verdicts->names);
    fh_vector_push(&verdicts->verdicts, NULL);
}

void fh_verdicts_free(fh_verdicts *verdicts)
{
    fh_symbols_free(&verdicts->names);
    fh_vector_free(&verdicts->verdicts);
    fh_arena_free(&verdicts->arena);
}

const fh_verdict *fh_verdicts_of(fh_verdicts *verdicts, const fh_support_query *query, fh_text name)
{
    fh_symbol symbol = fh_symbols_add(&verdicts->names, name);
    if (!symbol)
        return NULL;
    while (verdicts->verdicts.count <= symbol)
        if (!fh_vector_push(&verdicts->verdicts, NULL))
            return NULL;
    fh_verdict **slot = &verdicts->verdicts.items[symbol];
    if (!*slot) {
        fh_verdict *verdict = fh_arena_alloc(&verdicts->arena, sizeof *verdict);
        if (!verdict)
            return NULL;
        *verdict = fh_support_of(query, name, &verdicts->arena);
        *slot = verdict;
    }
    return *slot;
}
