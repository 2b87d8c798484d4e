/* Rules of matrix products: what is summed over must agree, and the result has the shape of
 * torch.matmul. */
#include "device/rt/rule.h"

/* Multiplications and additions of one thread in a nanosecond, roughly. */
enum { OPERATIONS_PER_NANOSECOND = 64 };

static fh_status refuse(const fh_view *a, const fh_view *b, const fh_view *out)
{
    char left[96], right[96], wanted[96];
    return fh_error(FH_INVALID, "the product of %s and %s is not %s",
                    fh_rule_shape(a, left, sizeof left), fh_rule_shape(b, right, sizeof right),
                    fh_rule_shape(out, wanted, sizeof wanted));
}

static int64_t size_from_end(const fh_view *view, uint32_t at)
{
    return at < view->rank ? view->sizes[view->rank - 1 - at] : 1;
}

/* Whether a @ b has the shape of `out`, as torch.matmul has it: a vector is a row before a matrix
 * and a column behind one, and dimensions before the last two broadcast. */
static bool fits(const fh_view *a, const fh_view *b, const fh_view *out, int64_t *operations)
{
    if (!a->rank || !b->rank)
        return false;
    bool row = a->rank == 1, column = b->rank == 1;
    int64_t m = row ? 1 : size_from_end(a, 1), k = size_from_end(a, 0);
    int64_t n = column ? 1 : size_from_end(b, 0),
            inner = column ? b->sizes[0] : size_from_end(b, 1);
    if (k != inner)
        return false;
    uint32_t most = a->rank > b->rank ? a->rank : b->rank, batch = most > 2 ? most - 2 : 0, at = 0;
    if (out->rank != batch + !row + !column)
        return false;
    if (!column && size_from_end(out, at++) != n)
        return false;
    if (!row && size_from_end(out, at++) != m)
        return false;
    int64_t products = 1;
    for (uint32_t i = 0; i < batch; i++) {
        int64_t x = row ? 1 : size_from_end(a, i + 2), y = column ? 1 : size_from_end(b, i + 2);
        int64_t both = x == 1 ? y : x;
        if ((y != 1 && y != both) || size_from_end(out, at + i) != both)
            return false;
        products *= both;
    }
    *operations = 2 * products * m * n * k;
    return true;
}

static void plan_product(fh_plan *plan, int64_t operations)
{
    int64_t cost = operations / OPERATIONS_PER_NANOSECOND;
    plan->cost = cost > UINT32_MAX ? UINT32_MAX : (uint32_t)cost + 1;
}

fh_status fh_rule_product(const fh_argument *arguments, unsigned count, fh_plan *plan)
{
    (void)count;
    const fh_view *a = arguments[0].view, *b = arguments[1].view, *out = arguments[2].view;
    int64_t operations;
    if (!fits(a, b, out, &operations))
        return refuse(a, b, out);
    plan_product(plan, operations);
    return FH_OK;
}

/* The result of an operator that adds a product: the last tensor, or the first when it works in
 * place. */
static fh_status added(const fh_argument *arguments, const fh_view *out, bool summed, fh_plan *plan)
{
    const fh_view *self = arguments[0].view, *a = arguments[1].view, *b = arguments[2].view;
    fh_view whole = *out;
    int64_t operations;
    if (summed) { /* over the batches, which the result does not have */
        if (a->rank != 3 || b->rank != 3 || out->rank != 2 || a->sizes[0] != b->sizes[0])
            return refuse(a, b, out);
        whole.rank = 3;
        whole.sizes[0] = a->sizes[0];
        whole.sizes[1] = out->sizes[0];
        whole.sizes[2] = out->sizes[1];
    }
    if (!fits(a, b, &whole, &operations))
        return refuse(a, b, out);
    if (!fh_rule_broadcasts(self, out)) {
        char got[96], wanted[96];
        return fh_error(
            FH_INVALID, "the shape %s of argument 1 does not broadcast to %s of the result",
            fh_rule_shape(self, got, sizeof got), fh_rule_shape(out, wanted, sizeof wanted));
    }
    plan_product(plan, operations);
    return FH_OK;
}

fh_status fh_rule_add_product(const fh_argument *arguments, unsigned count, fh_plan *plan)
{
    return added(arguments, fh_rule_result(arguments, count), false, plan);
}

fh_status fh_rule_into_product(const fh_argument *arguments, unsigned count, fh_plan *plan)
{
    (void)count;
    return added(arguments, arguments[0].view, false, plan);
}

fh_status fh_rule_add_products(const fh_argument *arguments, unsigned count, fh_plan *plan)
{
    return added(arguments, fh_rule_result(arguments, count), true, plan);
}

fh_status fh_rule_into_products(const fh_argument *arguments, unsigned count, fh_plan *plan)
{
    (void)count;
    return added(arguments, arguments[0].view, true, plan);
}
