#include "analyse/rules/result.h"
#include "base/names.h"

FH_NAMES(fh_category_name, fh_category, FH_CATEGORY_MAP)

FH_NAMES(fh_severity_name, fh_severity, FH_SEVERITY_MAP)

bool fh_finding_line(const fh_finding *finding, fh_text *line)
{
    fh_text rest = finding->excerpt;
    uint32_t number = finding->excerpt_line;
    for (; number && finding->place.line && fh_text_next(&rest, '\n', line); number++)
        if (number == finding->place.line)
            return true;
    return false;
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
