#include "analyse/rules/device_guard.h"
#include "analyse/rules/device_branch.h"
#include "analyse/rules/unit_index.h"

#include <ctype.h>

/* A package that no NPU runs, though something may stand in for it. */
static bool needs_cuda(const fh_package *package)
{
    return package->verdict == FH_PACKAGE_BLOCKS || package->verdict == FH_PACKAGE_COUNTERPART;
}

/* deep_gemm, deep-gemm and DeepGEMM are one name. `at`: where in the text it would begin; returns
 * where it ends, or 0. */
static size_t name_ends(fh_text text, size_t at, fh_text name)
{
    for (size_t i = 0; i < name.length; i++) {
        if (name.data[i] == '_')
            at += at < text.length && (text.data[at] == '_' || text.data[at] == '-');
        else if (at < text.length && tolower((unsigned char)text.data[at]) == name.data[i])
            at++;
        else
            return 0;
    }
    return at;
}

/* True when the text names `name` as a word. */
static bool has_name(fh_text text, fh_text name)
{
    for (size_t at = 0; at + name.length <= text.length + 2 && at < text.length; at++) {
        if (at && isalnum((unsigned char)text.data[at - 1]))
            continue;
        size_t end = name_ends(text, at, name);
        if (end && (end == text.length || !isalnum((unsigned char)text.data[end])))
            return true;
    }
    return false;
}

static bool names_cuda_package(fh_text text)
{
    enum { SHORTEST = 6 }; /* shorter names are words as well */
    fh_text rest = {0};
    fh_package package;
    while (fh_package_next(&rest, &package))
        if (needs_cuda(&package) && package.name.length >= SHORTEST &&
            !fh_text_contains(package.name, ".") && has_name(text, package.name))
            return true;
    return false;
}

/* Some text in the block names such a package: "xformers is only available for GPU". */
static bool block_names_package(const fh_rule_run *run, uint32_t block)
{
    const fh_unit *u = run->unit;
    const fh_block *b = &u->blocks.items[block];
    fh_slice values = fh_values_near(run, b->offset, b->end);
    for (uint32_t i = 0; i < values.count; i++) {
        const fh_value *v = fh_unit_value(u, values.items[i]);
        if (v->kind == FH_VALUE_STRING && names_cuda_package(fh_unit_text(u, v->a)))
            return true;
    }
    return false;
}

bool fh_device_is_refused(const fh_rule_run *run, uint32_t block, uint32_t offset)
{
    uint32_t first = 0, at;
    fh_ifs_walk walk = fh_ifs_at(run, block, offset);
    while ((at = fh_ifs_next(&walk)))
        if (run->unit->blocks.items[at].leaves && (!first || at < first))
            first = at;
    return first && fh_block_answer(run, first, FH_BLOCK_NAMES_PACKAGE, block_names_package);
}

static bool calls_package(const fh_rule_run *run, uint32_t block)
{
    const fh_unit *u = run->unit;
    const fh_block *b = &u->blocks.items[block];
    fh_meaning callee;
    fh_package package;
    fh_slice calls = fh_calls_in(run, block);
    for (uint32_t i = 0; i < calls.count; i++) {
        const fh_call *call = &u->calls.items[calls.items[i]];
        if (call->offset >= b->offset && call->offset < b->end &&
            fh_resolve_external(run->resolver, run->unit_index, call->callee, &callee) &&
            fh_package_find(fh_resolver_path(run->resolver, callee.path), &package) &&
            needs_cuda(&package))
            return true;
    }
    return false;
}

bool fh_device_is_for_package(const fh_rule_run *run, uint32_t block)
{
    fh_block_kind kind = (fh_block_kind)run->unit->blocks.items[block].kind;
    return (kind == FH_BLOCK_IF || kind == FH_BLOCK_ELSE || kind == FH_BLOCK_TRY) &&
           fh_block_answer(run, block, FH_BLOCK_IS_FOR_PACKAGE, calls_package);
}

bool fh_device_is_asked_by_name(const fh_rule_run *run, uint32_t block)
{
    const fh_unit *u = run->unit;
    uint32_t function = u->blocks.items[block].function;
    for (; function; function = u->functions.items[function].parent)
        if (has_name(fh_unit_text(u, u->functions.items[function].name), FH_TEXT("cuda")))
            return true;
    return false;
}

bool fh_device_gets_npu(const fh_unit *unit, fh_value_index list)
{
    for (uint32_t i = fh_unit_fills(unit, list);
         i < unit->fills.count && unit->fills.items[i].base == list; i++)
        if (fh_device_asks(unit, unit->fills.items[i].value))
            return true;
    return false;
}

bool fh_device_is_cuda_method(const fh_unit *unit, uint32_t function)
{
    return function && fh_text_is(fh_unit_text(unit, unit->functions.items[function].name), "cuda");
}

bool fh_device_answers_for_cuda(const fh_rule_run *run, uint32_t index)
{
    const fh_unit *u = run->unit;
    const fh_call *call = &u->calls.items[index];
    const fh_function *f = &u->functions.items[call->function];
    if (!call->function || !has_name(fh_unit_text(u, f->name), FH_TEXT("cuda")))
        return false;
    for (uint32_t i = 0; i < f->return_count; i++)
        if (u->lists.items[f->returns + i] == call->value)
            return true;
    return false;
}

bool fh_device_is_beside_backend(const fh_rule_run *run, uint32_t block, uint32_t offset)
{
    enum { BESIDE = 100 };
    const fh_unit *u = run->unit;
    fh_meaning meaning;
    fh_slice near = fh_values_near(run, (int64_t)offset - BESIDE, (int64_t)offset + BESIDE + 1);
    for (uint32_t i = 0; i < near.count; i++) {
        const fh_value *v = fh_unit_value(u, near.items[i]);
        if (v->kind != FH_VALUE_BINARY || v->op != FH_OP_AND || v->block != block)
            continue;
        for (unsigned side = 0; side < 2; side++) {
            fh_value_index one = side ? v->b : v->a;
            if (fh_unit_value(u, one)->kind == FH_VALUE_ATTRIBUTE &&
                fh_resolve_external(run->resolver, run->unit_index, one, &meaning) &&
                fh_text_starts(fh_resolver_path(run->resolver, meaning.path), "torch.backends.cu"))
                return true;
        }
    }
    return false;
}

bool fh_device_is_looked_up(const fh_rule_run *run, fh_value_index callee)
{
    const fh_unit *u = run->unit;
    const fh_value *v = fh_unit_value(u, callee);
    fh_meaning meaning;
    while (v->kind == FH_VALUE_ATTRIBUTE)
        v = fh_unit_value(u, v->a);
    return v->kind == FH_VALUE_CALL &&
           fh_resolve_external(run->resolver, run->unit_index, u->calls.items[v->a].callee,
                               &meaning) &&
           fh_text_is(fh_resolver_path(run->resolver, meaning.path), "builtins.getattr");
}

/* device.type and device.type: two values, one text. */
static bool is_same(const fh_unit *u, fh_value_index a, fh_value_index b, unsigned depth)
{
    const fh_value *x = fh_unit_value(u, a), *y = fh_unit_value(u, b);
    if (a == b)
        return true;
    return depth && x->kind == FH_VALUE_ATTRIBUTE && y->kind == FH_VALUE_ATTRIBUTE &&
           x->b == y->b && is_same(u, x->a, y->a, depth - 1);
}

bool fh_device_is_told_from_npu(const fh_rule_run *run, fh_value_index value, uint32_t block,
                                uint32_t offset)
{
    enum { BESIDE = 60, NEAR = 400 };
    const fh_unit *u = run->unit;
    uint32_t function = u->blocks.items[fh_unit_value(u, value)->block].function;
    fh_slice near = fh_values_near(run, (int64_t)offset - NEAR, (int64_t)offset + NEAR + 1);
    for (uint32_t i = 0; i < near.count; i++) {
        const fh_value *v = fh_unit_value(u, near.items[i]);
        if (v->kind == FH_VALUE_ATTRIBUTE && v->block == block && v->offset > offset &&
            v->offset < offset + BESIDE && fh_text_means_npu(fh_unit_text(u, v->b)))
            return true;
        if (v->kind != FH_VALUE_COMPARE || u->blocks.items[v->block].function != function)
            continue;
        if (is_same(u, v->a, value, 4) && fh_device_asks(u, v->b))
            return true;
    }
    return false;
}

static bool gives_format(const fh_rule_run *run, uint32_t block)
{
    fh_slice calls = fh_calls_in(run, block);
    for (uint32_t i = 0; i < calls.count; i++)
        if (fh_call_argument(run->unit, &run->unit->calls.items[calls.items[i]], -1,
                             "memory_format"))
            return true;
    return false;
}

bool fh_device_chooses_format(const fh_rule_run *run, uint32_t block, uint32_t offset)
{
    uint32_t at;
    fh_ifs_walk walk = fh_ifs_at(run, block, offset);
    while ((at = fh_ifs_next(&walk)))
        if (fh_block_answer(run, at, FH_BLOCK_CHOOSES_FORMAT, gives_format))
            return true;
    return false;
}

/* IS_CUDA_SYSTEM, alone or among others. */
static bool names_cuda(const fh_unit *u, fh_value_index value, unsigned depth)
{
    const fh_value *v = fh_unit_value(u, value);
    fh_symbol name = v->kind == FH_VALUE_ATTRIBUTE                            ? v->b
                     : v->kind == FH_VALUE_NAME || v->kind == FH_VALUE_IMPORT ? v->a
                                                                              : 0;
    if (depth && v->kind == FH_VALUE_BINARY)
        return names_cuda(u, v->a, depth - 1) || names_cuda(u, v->b, depth - 1);
    if (depth && v->kind == FH_VALUE_COMPARE)
        return names_cuda(u, v->a, depth - 1);
    for (uint32_t i = 0; depth && v->kind == FH_VALUE_PHI && i < v->b; i++)
        if (names_cuda(u, u->lists.items[v->a + i], depth - 1))
            return true;
    return name && has_name(fh_text_last_part(fh_unit_text(u, name)), FH_TEXT("cuda"));
}

bool fh_device_is_behind_cuda(const fh_rule_run *run, uint32_t block)
{
    const fh_unit *u = run->unit;
    for (; block; block = u->blocks.items[block].parent) {
        const fh_block *b = &u->blocks.items[block];
        if (b->kind == FH_BLOCK_FUNCTION)
            return false;
        if (b->kind == FH_BLOCK_IF && names_cuda(u, b->value, 4))
            return true;
    }
    return false;
}

bool fh_device_names_cuda(const fh_rule_run *run, fh_value_index value)
{
    fh_text text;
    fh_certainty certainty;
    return fh_resolve_string(run->resolver, run->unit_index, value, &text, &certainty, NULL) &&
           fh_text_starts(text, "cuda");
}

static bool asks_for_cuda(const fh_rule_run *run, fh_value_index value, unsigned depth)
{
    const fh_value *v = fh_unit_value(run->unit, value);
    if (depth && v->kind == FH_VALUE_BINARY && v->op == FH_OP_AND)
        return asks_for_cuda(run, v->a, depth - 1) || asks_for_cuda(run, v->b, depth - 1);
    if (v->kind == FH_VALUE_ATTRIBUTE)
        return fh_text_is(fh_unit_text(run->unit, v->b), "is_cuda");
    return v->kind == FH_VALUE_COMPARE && v->op == FH_OP_EQUAL &&
           (fh_device_names_cuda(run, v->a) || fh_device_names_cuda(run, v->b));
}

bool fh_device_asks_for_cuda(const fh_rule_run *run, fh_value_index condition)
{
    return asks_for_cuda(run, condition, 6);
}

bool fh_device_is_branch_of_cuda(const fh_rule_run *run, uint32_t block)
{
    const fh_unit *u = run->unit;
    for (; block; block = u->blocks.items[block].parent) {
        const fh_block *b = &u->blocks.items[block];
        if (b->kind == FH_BLOCK_FUNCTION)
            return false;
        if (b->kind == FH_BLOCK_IF && fh_device_asks_for_cuda(run, b->value))
            return true;
    }
    return false;
}

/* Which of NVIDIA's chips it is, and what they can. */
static bool asks_for_chip(const fh_rule_run *run, const fh_call *call)
{
    static const char *const names[] = {"torch.cuda.get_device_capability",
                                        "torch.cuda.get_device_name", "torch.cuda.get_arch_list",
                                        NULL};
    fh_meaning callee;
    return fh_resolve_external(run->resolver, run->unit_index, call->callee, &callee) &&
           fh_text_is_any(fh_resolver_path(run->resolver, callee.path), names);
}

bool fh_device_is_beside_query(const fh_rule_run *run, uint32_t index)
{
    const fh_unit *u = run->unit;
    const fh_call *call = &u->calls.items[index];
    fh_slice both = fh_conjunctions_of(run, call->value);
    for (uint32_t i = 0; i < both.count; i++) {
        const fh_value *other = fh_unit_value(u, fh_unit_value(u, both.items[i])->b);
        while (other->kind == FH_VALUE_COMPARE || other->kind == FH_VALUE_SUBSCRIPT)
            other = fh_unit_value(u, other->a);
        if (other->kind == FH_VALUE_CALL && asks_for_chip(run, &u->calls.items[other->a]))
            return true;
    }
    return false;
}
