#include "analyse/rules/device_branch.h"
#include "analyse/rules/device_beside.h"
#include "analyse/rules/unit_index.h"

#include <ctype.h>
#include <string.h>

struct fh_device_branches {
    const fh_rule_run *run;
    uint8_t *blocks; /* what is known of each block; NULL: nothing about NPUs stands in the unit */
    fh_device_beside beside;
};

static bool is_word_at(fh_text text, size_t at, size_t length)
{
    return (at == 0 || !isalnum((unsigned char)text.data[at - 1])) &&
           (at + length == text.length || !isalpha((unsigned char)text.data[at + length]));
}

/* "privateuse1" is what PyTorch calls the backend that torch_npu registers. */
static const char *const words[] = {"npu", "hccl", "privateuse1", NULL};

bool fh_text_means_npu(fh_text text)
{
    if (!text.length)
        return false;
    for (const char *const *word = words; *word; word++) {
        size_t length = strlen(*word);
        const char *at = text.data, *end = text.data + text.length;
        for (; at < end && (at = memmem(at, (size_t)(end - at), *word, length)); at++)
            if (is_word_at(text, (size_t)(at - text.data), length))
                return true;
    }
    return false;
}

/* The name or literal that `value` is by itself; 0: none. */
static fh_symbol name_of(const fh_unit *u, const fh_value *v)
{
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_STRING:
    case FH_VALUE_NAME:
    case FH_VALUE_IMPORT:
        return v->a;
    case FH_VALUE_ATTRIBUTE:
        return v->b;
    case FH_VALUE_FUNCTION:
        return u->functions.items[v->a].name;
    case FH_VALUE_PARAMETER:
        return u->parameters.items[u->functions.items[v->a].parameters + v->b].name;
    default:
        return 0;
    }
}

static bool is_about_npu(const fh_unit *u, const fh_value *v)
{
    fh_symbol name = name_of(u, v);
    return name && fh_text_means_npu(fh_unit_text(u, name));
}

static bool asks(const fh_unit *u, fh_value_index value, unsigned depth);

static bool any_asks(const fh_unit *u, uint32_t first, uint32_t count, unsigned depth)
{
    for (uint32_t i = 0; i < count && i < 16; i++)
        if (asks(u, u->lists.items[first + i], depth))
            return true;
    return false;
}

static bool asks(const fh_unit *u, fh_value_index value, unsigned depth)
{
    const fh_value *v = fh_unit_value(u, value);
    if (!depth || is_about_npu(u, v))
        return depth;
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_BINARY:
    case FH_VALUE_COMPARE:
        return asks(u, v->a, depth - 1) || asks(u, v->b, depth - 1);
    case FH_VALUE_UNARY:
    case FH_VALUE_ATTRIBUTE:
    case FH_VALUE_ELEMENT:
        return asks(u, v->a, depth - 1);
    case FH_VALUE_TUPLE:
    case FH_VALUE_LIST:
    case FH_VALUE_SET:
        return any_asks(u, v->a, v->b, depth - 1);
    case FH_VALUE_CALL: {
        const fh_call *call = &u->calls.items[v->a];
        for (uint32_t i = 0; i < call->count && i < 4; i++)
            if (asks(u, u->arguments.items[call->arguments + i].value, depth - 1))
                return true;
        return asks(u, call->callee, depth - 1);
    }
    default:
        return false;
    }
}

bool fh_device_asks(const fh_unit *unit, fh_value_index condition)
{
    return asks(unit, condition, 6);
}

/* `not is_npu()`, `device != "npu"`: the branch is for what is no NPU. */
static bool is_negated(const fh_unit *u, fh_value_index value)
{
    const fh_value *v = fh_unit_value(u, value);
    return v->op == FH_OP_NOT || v->op == FH_OP_NOT_EQUAL || v->op == FH_OP_NOT_IN;
}

static bool is_scope(const fh_block *b)
{
    return b->kind == FH_BLOCK_FUNCTION || b->kind == FH_BLOCK_CLASS || b->kind == FH_BLOCK_MODULE;
}

static void mark_up(const fh_unit *u, uint8_t *blocks, uint32_t block, uint8_t flag)
{
    for (; block && !(blocks[block] & flag) && !is_scope(&u->blocks.items[block]);
         block = u->blocks.items[block].parent)
        blocks[block] |= flag;
}

static uint8_t *zeros(const fh_rule_run *run, uint32_t count)
{
    uint8_t *bytes = fh_arena_alloc(run->scratch, count);
    if (bytes)
        memset(bytes, 0, count);
    return bytes;
}

/* By symbol: whether it is about NPUs. NULL when none is, as in most files, or no memory. */
static const uint8_t *names_about_npu(const fh_rule_run *run)
{
    const fh_symbols *symbols = &run->unit->symbols;
    uint8_t *names = NULL;
    for (const char *const *word = words; *word; word++) {
        fh_symbol s = 0;
        while ((s = fh_symbols_with(symbols, fh_text_from(*word), s + 1))) {
            if (!fh_text_means_npu(fh_symbols_text(symbols, s)))
                continue;
            if (!names && !(names = zeros(run, fh_symbols_count(symbols))))
                return NULL;
            names[s] = 1;
        }
    }
    return names;
}

static bool find(const fh_rule_run *run, fh_device_branches *branches)
{
    const fh_unit *u = run->unit;
    const uint8_t *names = names_about_npu(run);
    uint8_t *blocks = names ? zeros(run, u->blocks.count) : NULL;
    if (!blocks)
        return false;
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        fh_symbol name = name_of(u, v);
        if (name && names[name])
            mark_up(u, blocks, v->block, FH_BRANCH_MENTIONS);
    }
    for (uint32_t i = 1; i < u->blocks.count; i++) {
        const fh_block *b = &u->blocks.items[i];
        if (b->kind == FH_BLOCK_IF && fh_device_asks(u, b->value))
            blocks[i] |= FH_BRANCH_ASKS | (is_negated(u, b->value) ? 0 : FH_BRANCH_IS_FOR);
    }
    *branches = (fh_device_branches){.run = run, .blocks = blocks};
    return fh_device_beside_find(run, blocks, &branches->beside);
}

const fh_device_branches *fh_device_branches_find(const fh_rule_run *run)
{
    static const fh_device_branches nothing = {0};
    if (!run->memo->branches) {
        fh_device_branches *branches = fh_arena_alloc(run->scratch, sizeof *branches);
        run->memo->branches = branches && find(run, branches) ? branches : &nothing;
    }
    return run->memo->branches->blocks ? run->memo->branches : NULL;
}

static bool is_beside(const fh_device_branches *branches, uint32_t block)
{
    const fh_unit *u = branches->run->unit;
    const fh_block *b = &u->blocks.items[block];
    if (b->kind != FH_BLOCK_IF && b->kind != FH_BLOCK_ELSE)
        return false;
    if (b->kind == FH_BLOCK_IF && branches->blocks[block] & FH_BRANCH_ASKS)
        return is_negated(u, b->value);
    if (b->kind == FH_BLOCK_IF && fh_device_has_sibling(u, &branches->beside, block))
        return true;
    uint32_t other = branches->beside.others[block];
    if (!other)
        return false;
    if (b->kind == FH_BLOCK_ELSE && branches->blocks[other] & FH_BRANCH_ASKS)
        return !is_negated(u, b->value);
    return branches->blocks[other] & FH_BRANCH_MENTIONS;
}

/* `offset` is in a condition among the statements of `parent` that has a branch for NPUs. */
static bool is_asked_beside(const fh_device_branches *branches, uint32_t parent, uint32_t offset)
{
    uint32_t first = 0, at;
    fh_ifs_walk walk = fh_ifs_at(branches->run, parent, offset);
    while ((at = fh_ifs_next(&walk)))
        if (!first || at < first)
            first = at;
    return branches->blocks[branches->beside.others[first]] & FH_BRANCH_MENTIONS;
}

bool fh_device_has_branch(const fh_device_branches *branches, uint32_t block, uint32_t offset)
{
    if (!branches)
        return false;
    const fh_unit *u = branches->run->unit;
    if (is_asked_beside(branches, block, offset))
        return true;
    for (; block; block = u->blocks.items[block].parent) {
        if (branches->beside.returns[block] <= offset)
            return true;
        if (is_scope(&u->blocks.items[block]))
            return false;
        if (is_beside(branches, block))
            return true;
    }
    return false;
}
