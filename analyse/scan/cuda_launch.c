/* Launches of kernels: name<<<...>>>(...), and functions that take the kernel as an argument. */
#include "analyse/scan/cuda_build.h"

/* How far a look back for a variable goes, in tokens. */
enum { MOST_VARIABLE = 1024 };

/* The name of the kernel in tokens [first, last): the last name outside of <>. What is pasted
 * by ## stays as it is written. */
static fh_text kernel_name(const fh_cuda_scanner *c, fh_cuda_span s, uint32_t first, uint32_t last)
{
    fh_text name = {0};
    for (uint32_t i = first; i < last; i++) {
        if (fh_cuda_kind_at(s, i) != FH_CUDA_NAME)
            continue;
        uint32_t end = i;
        while (end + 3 < last && fh_cuda_kind_at(s, end + 1) == '#' &&
               fh_cuda_kind_at(s, end + 2) == '#')
            end += 3;
        name = fh_text_slice(c->source->text, s.items[i].offset, fh_cuda_end_of(s, end));
        uint32_t behind = fh_cuda_skip_angles(s, end + 1);
        i = behind > end + 1 && behind <= last ? behind - 1 : end;
    }
    return name;
}

/* When `auto name = &space::kernel<...>;` stands before the launch at `i`: that kernel's name. */
static fh_text follow_variable(const fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, fh_text name)
{
    uint32_t first = i > MOST_VARIABLE ? i - MOST_VARIABLE : 0;
    for (uint32_t at = i; at > first && *c->steps; at--, --*c->steps) {
        if (fh_cuda_kind_at(s, at) != '=' || fh_cuda_kind_at(s, at - 1) != FH_CUDA_NAME ||
            fh_cuda_kind_at(s, at + 1) == '=' ||
            !fh_text_equal(fh_cuda_text_at(c, s, at - 1), name))
            continue;
        uint32_t value = at + 1, last;
        value += fh_cuda_kind_at(s, value) == '&';
        for (last = value; fh_cuda_kind_at(s, last + 1) == FH_CUDA_SCOPE; last += 2)
            ;
        uint32_t behind = fh_cuda_skip_angles(s, last + 1);
        bool is_plain =
            fh_cuda_kind_at(s, last) == FH_CUDA_NAME && fh_cuda_kind_at(s, behind) == ';';
        return is_plain ? fh_cuda_text_at(c, s, last) : name;
    }
    return name;
}

/* The token that opens the bracket closed at `i`, going back; `i` when there is none. What stands
 * in round brackets inside does not count. */
static uint32_t back_over(fh_cuda_span s, uint32_t i, unsigned open, unsigned close)
{
    uint32_t depth = 0, round = 0;
    for (uint32_t at = i; i - at < FH_CUDA_MOST_ANGLE; at--) {
        unsigned kind = fh_cuda_kind_at(s, at);
        if (close != ')' && kind == ')')
            round++;
        if (close != ')' && kind == '(' && round-- == 0)
            break;
        if (!round && kind == close && !fh_cuda_is_comparison(s, at))
            depth++;
        if (!round && kind == open && !fh_cuda_is_comparison(s, at) && --depth == 0)
            return at;
        if (!at || kind == ';')
            break;
    }
    return i;
}

/* name<<<...>>>(...), whose "<<<" begins at `i`. */
void fh_cuda_read_launch(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i)
{
    if (!i || fh_text_is(fh_cuda_text_at(c, s, i - 1), "operator"))
        return;
    uint32_t before = i - 1;
    fh_text name = {0};
    if (fh_cuda_kind_at(s, before) == ']')
        before = back_over(s, before, '[', ']') - 1;
    else if (fh_cuda_kind_at(s, before) == '>')
        before = back_over(s, before, '<', '>') - 1;
    if (before >= i)
        return;
    if (fh_cuda_kind_at(s, before) == FH_CUDA_NAME) {
        name = follow_variable(c, s, before, fh_cuda_text_at(c, s, before));
    } else if (fh_cuda_kind_at(s, before) == ')') {
        uint32_t open = back_over(s, before, '(', ')');
        name = kernel_name(c, s, open, before);
        if (open && open < before && fh_cuda_kind_at(s, open - 1) == FH_CUDA_NAME &&
            !fh_text_is(fh_cuda_text_at(c, s, open - 1), "HIP_KERNEL_NAME"))
            name = fh_cuda_text_at(c, s, open - 1);
        before = open;
    }
    if (!name.length)
        return;
    uint32_t end = i + 2;
    for (uint32_t at = i + 3, depth = 0;
         at + 3 < s.count && at - i < FH_CUDA_MOST_LAUNCH && *c->steps; at++, --*c->steps) {
        unsigned kind = fh_cuda_kind_at(s, at);
        depth += kind == '(';
        if ((kind == ')' && depth-- == 0) || kind == ';')
            break;
        if (!depth && kind == '>' && fh_cuda_kind_at(s, at + 1) == '>' &&
            fh_cuda_kind_at(s, at + 2) == '>' && fh_cuda_kind_at(s, at + 3) == '(') {
            uint32_t behind = fh_cuda_skip_brackets(c, s, at + 3, FH_CUDA_MOST_LAUNCH);
            end = behind < s.count || fh_cuda_kind_at(s, behind - 1) == ')' ? behind - 1 : at + 3;
            break;
        }
    }
    fh_cuda_add(c, FH_KERNEL_LAUNCH, name, s.items[before].offset, fh_cuda_end_of(s, end));
}

/* Three '<', of which the first two touch: older clang-format wrote "<< <". */
bool fh_cuda_is_launch(fh_cuda_span s, uint32_t i)
{
    return fh_cuda_kind_at(s, i) == '<' && fh_cuda_kind_at(s, i + 1) == '<' &&
           fh_cuda_kind_at(s, i + 2) == '<' && fh_cuda_kind_at(s, i + 3) != '<' &&
           s.items[i + 1].offset == s.items[i].offset + 1 &&
           (!i || fh_cuda_kind_at(s, i - 1) != '<');
}

void fh_cuda_read_launcher(fh_cuda_scanner *c, fh_cuda_span s, uint32_t i, uint32_t argument)
{
    uint32_t first, last;
    if (fh_cuda_kind_at(s, i + 1) != '(' ||
        !fh_cuda_find_argument(c, s, i + 1, argument, &first, &last))
        return;
    fh_text name = kernel_name(c, s, first, last);
    if (name.length)
        fh_cuda_add(c, FH_KERNEL_LAUNCH, follow_variable(c, s, i, name), s.items[i].offset,
                    fh_cuda_end_of(s, last));
}
