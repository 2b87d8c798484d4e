/* Moving over tokens: brackets, template arguments, arguments of a call. */
#include "analyse/scan/cuda_build.h"

uint32_t fh_cuda_skip_brackets(const fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, uint32_t most)
{
    uint32_t depth = 0, last = s.count - i > most ? i + most : s.count;
    for (; i < last && *c->steps && !fh_cuda_is_global(c, s, i); i++, --*c->steps) {
        unsigned kind = s.items[i].kind;
        if (kind == '(' || kind == '[' || kind == '{')
            depth++;
        else if ((kind == ')' || kind == ']' || kind == '}') && --depth == 0)
            return i + 1;
    }
    return s.count;
}

uint32_t fh_cuda_skip_angles(fh_cuda_span s, uint32_t i)
{
    if (fh_cuda_kind_at(s, i) != '<')
        return i;
    uint32_t depth = 0, round = 0;
    for (uint32_t at = i; at < s.count && at - i < FH_CUDA_MOST_ANGLE; at++) {
        unsigned kind = s.items[at].kind;
        round += kind == '(';
        if (kind == ')' && round-- == 0)
            return i;
        if (round || fh_cuda_is_comparison(s, at))
            continue;
        if (kind == ';' || kind == '{')
            return i;
        depth += kind == '<';
        if (kind == '>' && --depth == 0)
            return at + 1;
    }
    return i;
}

bool fh_cuda_find_argument(const fh_cuda_scanner *c, fh_cuda_span s, uint32_t open, uint32_t number,
                           uint32_t *first, uint32_t *last)
{
    uint32_t end = fh_cuda_skip_brackets(c, s, open, FH_CUDA_MOST_LAUNCH), depth = 0, angles = 0;
    uint32_t begin = open + 1;
    if (end - open > FH_CUDA_MOST_LAUNCH || fh_cuda_kind_at(s, end - 1) != ')')
        return false; /* it is not closed */
    for (uint32_t i = open + 1; i < end; i++) {
        unsigned kind = s.items[i].kind;
        bool is_end = i + 1 == end;
        if (kind == '(' || kind == '[' || kind == '{')
            depth++;
        else if (!is_end && (kind == ')' || kind == ']' || kind == '}'))
            depth--;
        angles += kind == '<' && fh_cuda_kind_at(s, i + 1) != '<';
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
