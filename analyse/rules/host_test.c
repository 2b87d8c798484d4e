/* Tests of what a value is: where they say that it is no tensor. */
#include "analyse/rules/host_flow.h"
#include "analyse/rules/unit_index.h"

/* 1: `test` says that `value` is a tensor, 2: that it is something else; 0: neither. */
static unsigned says_of(const fh_host_unit *host, fh_value_index test, fh_value_index value)
{
    const fh_unit *u = host->unit;
    const fh_value *v = fh_unit_value(u, test);
    if (v->kind == FH_VALUE_UNARY && v->op == FH_OP_NOT) {
        unsigned inner = says_of(host, v->a, value);
        return inner ? 3 - inner : 0;
    }
    if (v->kind != FH_VALUE_CALL)
        return 0;
    const fh_call *call = &u->calls.items[v->a];
    fh_text path = host->callees[v->a].path;
    if (fh_call_argument(u, call, 0, NULL) != value)
        return 0;
    if (fh_text_is(path, "torch.is_tensor"))
        return 1;
    fh_value_index class = fh_call_argument(u, call, 1, NULL);
    fh_meaning meaning;
    if (!fh_text_is(path, "builtins.isinstance") || !class)
        return 0;
    /* A tuple of classes that has Tensor among others says nothing. */
    const fh_value *classes = fh_unit_value(u, class);
    uint32_t count = classes->kind == FH_VALUE_TUPLE ? classes->b : 1, tensors = 0;
    for (uint32_t i = 0; i < count && i < 8; i++) {
        fh_value_index one =
            classes->kind == FH_VALUE_TUPLE ? u->lists.items[classes->a + i] : class;
        tensors += fh_resolve_external(host->run->resolver, host->run->unit_index, one, &meaning) &&
                   fh_text_ends(fh_resolver_path(host->run->resolver, meaning.path), "Tensor");
    }
    return tensors == count ? 1 : tensors ? 0 : 2;
}

/* The operands of and: all hold in the branch. */
static bool holds_other(const fh_host_unit *host, fh_value_index test, fh_value_index value,
                        unsigned depth)
{
    const fh_value *v = fh_unit_value(host->unit, test);
    if (depth && v->kind == FH_VALUE_BINARY && v->op == FH_OP_AND)
        return holds_other(host, v->a, value, depth - 1) ||
               holds_other(host, v->b, value, depth - 1);
    return says_of(host, test, value) == 2;
}

bool fh_host_is_ruled_out(const fh_host_unit *host, fh_value_index value, uint32_t block)
{
    const fh_unit *u = host->unit;
    for (; block; block = u->blocks.items[block].parent) {
        const fh_block *b = &u->blocks.items[block];
        if (b->kind == FH_BLOCK_FUNCTION)
            return false;
        if (b->kind == FH_BLOCK_IF && holds_other(host, b->value, value, 4))
            return true;
        if (b->kind == FH_BLOCK_ELSE && says_of(host, b->value, value) == 1)
            return true;
    }
    return false;
}

bool fh_host_follows_test(const fh_host_unit *host, const fh_call *call, fh_value_index value)
{
    enum { NEAR = 100 };
    const fh_unit *u = host->unit;
    fh_slice tests = fh_tests_near(host->run, (int64_t)call->offset - NEAR, call->offset);
    for (uint32_t i = 0; i < tests.count; i++) {
        const fh_value *test = fh_unit_value(u, tests.items[i]);
        if (test->kind == FH_VALUE_CALL && test->block == call->block &&
            fh_text_is(host->callees[test->a].path, "builtins.isinstance") &&
            fh_call_argument(u, &u->calls.items[test->a], 0, NULL) == value)
            return true;
    }
    return false;
}
