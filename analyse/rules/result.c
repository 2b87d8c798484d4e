#include "analyse/rules/result.h"

const char *fh_category_name(fh_category category)
{
    static const char *const names[] = {
#define X(name, text) text,
        FH_CATEGORY_MAP(X)
#undef X
    };
    return names[category];
}

const char *fh_severity_name(fh_severity severity)
{
    static const char *const names[] = {
#define X(name, text) text,
        FH_SEVERITY_MAP(X)
#undef X
    };
    return names[severity];
}

void fh_result_free(fh_result *result)
{
    for (uint32_t i = 0; i < result->operators.count; i++)
        fh_vector_free(&result->operators.items[i].locations);
    fh_vector_free(&result->targets);
    fh_vector_free(&result->kinds);
    fh_vector_free(&result->skipped);
    fh_vector_free(&result->notes);
    fh_vector_free(&result->operators);
    fh_vector_free(&result->findings);
    fh_vector_free(&result->steps);
    fh_vector_free(&result->plan);
    fh_vector_free(&result->classes);
    fh_vector_free(&result->priorities);
    fh_vector_free(&result->unknown);
    fh_vector_free(&result->by_rule);
    fh_arena_free(&result->arena);
    *result = (fh_result){0};
}
