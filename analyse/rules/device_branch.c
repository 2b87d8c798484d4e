#include "analyse/rules/device_branch.h"

#include <ctype.h>
#include <string.h>

enum {
    MENTIONS = 1, /* something about NPUs stands in the block, or in one inside it */
    ASKS = 2,     /* its condition does */
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

fh_device_branches fh_device_branches_find(const fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    const uint8_t *names = names_about_npu(run);
    uint8_t *blocks = names ? zeros(run, u->blocks.count) : NULL;
    if (!blocks)
        return (fh_device_branches){u, NULL};
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        fh_symbol name = name_of(u, v);
        if (name && names[name])
            mark_up(u, blocks, v->block, MENTIONS);
    }
    for (uint32_t i = 1; i < u->blocks.count; i++)
        if (u->blocks.items[i].kind == FH_BLOCK_IF && fh_device_asks(u, u->blocks.items[i].value))
            blocks[i] |= ASKS;
    return (fh_device_branches){u, blocks};
}

/* The other branch of the condition of `block`: IF for ELSE, ELSE for IF; 0: there is none. */
static uint32_t other_branch(const fh_unit *u, uint32_t block)
{
    const fh_block *b = &u->blocks.items[block];
    uint32_t kind = b->kind == FH_BLOCK_IF ? FH_BLOCK_ELSE : FH_BLOCK_IF, best = 0;
    for (uint32_t i = b->parent + 1; i < u->blocks.count; i++) {
        const fh_block *o = &u->blocks.items[i];
        if (o->kind != kind || o->parent != b->parent || o->value != b->value)
            continue;
        if (kind == FH_BLOCK_IF && i > block)
            break;
        best = i;
        if (kind == FH_BLOCK_ELSE && i > block)
            break;
    }
    return best;
}

/* if device == "cuda": ... and, as a statement of its own, if device == "npu": ... */
static bool has_sibling(const fh_device_branches *branches, uint32_t block)
{
    const fh_unit *u = branches->unit;
    const fh_value *test = fh_unit_value(u, u->blocks.items[block].value);
    for (uint32_t i = u->blocks.items[block].parent + 1; i < u->blocks.count; i++) {
        const fh_block *b = &u->blocks.items[i];
        const fh_value *other = fh_unit_value(u, b->value);
        if (i != block && b->kind == FH_BLOCK_IF && b->parent == u->blocks.items[block].parent &&
            branches->blocks[i] & ASKS && !is_negated(u, b->value) && other->kind == test->kind &&
            (test->kind != FH_VALUE_COMPARE || other->a == test->a))
            return true;
    }
    return false;
}

static bool is_beside(const fh_device_branches *branches, uint32_t block)
{
    const fh_unit *u = branches->unit;
    const fh_block *b = &u->blocks.items[block];
    if (b->kind != FH_BLOCK_IF && b->kind != FH_BLOCK_ELSE)
        return false;
    if (b->kind == FH_BLOCK_IF && branches->blocks[block] & ASKS)
        return is_negated(u, b->value);
    if (b->kind == FH_BLOCK_IF && has_sibling(branches, block))
        return true;
    uint32_t other = other_branch(u, block);
    if (!other)
        return false;
    if (b->kind == FH_BLOCK_ELSE && branches->blocks[other] & ASKS)
        return !is_negated(u, b->value);
    return branches->blocks[other] & MENTIONS;
}

/* An if about NPUs among the statements of `parent`, or in a loop there, that leaves before
 * `offset`. */
static bool follows_return(const fh_device_branches *branches, uint32_t parent, uint32_t offset)
{
    const fh_unit *u = branches->unit;
    for (uint32_t i = parent + 1; i < u->blocks.count; i++) {
        const fh_block *b = &u->blocks.items[i];
        const fh_block *around = &u->blocks.items[b->parent];
        bool there =
            b->parent == parent || (around->kind == FH_BLOCK_FOR && around->parent == parent);
        if (b->kind == FH_BLOCK_IF && there && b->end <= offset && branches->blocks[i] & ASKS &&
            b->leaves && !is_negated(u, b->value))
            return true;
    }
    return false;
}

/* `offset` is in a condition among the statements of `parent` that has a branch for NPUs. */
static bool is_asked_beside(const fh_device_branches *branches, uint32_t parent, uint32_t offset)
{
    const fh_unit *u = branches->unit;
    for (uint32_t i = parent + 1; i < u->blocks.count; i++) {
        const fh_block *b = &u->blocks.items[i];
        if (b->kind != FH_BLOCK_IF || b->parent != parent || offset < b->offset || offset >= b->end)
            continue;
        uint32_t other = other_branch(u, i);
        return other && branches->blocks[other] & MENTIONS;
    }
    return false;
}

bool fh_device_has_branch(const fh_device_branches *branches, uint32_t block, uint32_t offset)
{
    const fh_unit *u = branches->unit;
    if (!branches->blocks)
        return false;
    if (is_asked_beside(branches, block, offset))
        return true;
    for (; block; block = u->blocks.items[block].parent) {
        if (follows_return(branches, block, offset))
            return true;
        if (is_scope(&u->blocks.items[block]))
            return false;
        if (is_beside(branches, block))
            return true;
    }
    return false;
}
