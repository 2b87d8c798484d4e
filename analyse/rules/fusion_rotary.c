/* FH306: rotary embedding.
 *
 *   x * cos + rotate(x) * sin     rotate: cat(-x2, x1) of the halves, or stack of the pairs
 *   cat(a * cos - b * sin, b * cos + a * sin)
 *   view_as_complex(x) * frequencies
 */
#include "analyse/rules/fusion.h"

static const uint32_t views = FH_FLOW_SET(SHAPE) | FH_FLOW_SET(CAST) | FH_FLOW_SET(CHOICE);

typedef enum { NO_ROTATION, HALVES, PAIRS } rotation;

/* Steps through views of any unit. */
static fh_value_index without_views(fh_fusion *fusion, uint32_t unit, fh_value_index value)
{
    for (unsigned step = 0; step < 8; step++) {
        fh_flow_op op = fh_flow_of(fusion->run->resolver, fusion->run->program, unit, value);
        if ((op.class != FH_FLOW_SHAPE && op.class != FH_FLOW_CAST) || !op.operand_count)
            break;
        value = op.operands[0];
    }
    return value;
}

/* The two elements of what cat or stack joins; false when there are not two. */
static bool joined_pair(const fh_unit *u, const fh_flow_op *join, fh_value_index pair[2])
{
    if (join->class != FH_FLOW_JOIN || !join->operand_count)
        return false;
    const fh_value *list = fh_unit_value(u, join->operands[0]);
    if ((list->kind != FH_VALUE_LIST && list->kind != FH_VALUE_TUPLE) || list->b != 2)
        return false;
    pair[0] = u->lists.items[list->a];
    pair[1] = u->lists.items[list->a + 1];
    return true;
}

/* x[:, 0, :]: how many axes of `value` an index leaves behind axis `axis` of what it takes; -1
 * where that cannot be told. */
static int64_t axes_behind(const fh_unit *u, fh_value_index value, int64_t axis)
{
    const fh_value *v = fh_unit_value(u, value);
    const fh_value *index = fh_unit_value(u, v->kind == FH_VALUE_SUBSCRIPT ? v->b : 0);
    if (index->kind != FH_VALUE_TUPLE)
        return -1;
    int64_t left = 0;
    for (uint32_t i = 0; i < index->b; i++) {
        fh_value_index part = u->lists.items[index->a + i];
        fh_value_kind kind = (fh_value_kind)fh_unit_value(u, part)->kind;
        if (kind != FH_VALUE_SLICE && kind != FH_VALUE_INTEGER)
            return -1;
        left += kind == FH_VALUE_SLICE;
    }
    return left - axis;
}

/* How a stack of the two halves turns x: of pairs along a new last axis. Along another one that is
 * counted from the front, with axes behind it, it turns parts of groups that a reshape has made,
 * which no mode of the operator does. */
static rotation rotation_of_stack(fh_fusion *fusion, uint32_t unit, const fh_flow_op *join,
                                  fh_value_index half)
{
    const fh_unit *u = fh_resolver_look(fusion->run->resolver, unit);
    fh_value_index dim = fh_flow_argument(u, join, 1, "dim");
    int64_t axis;
    if (dim && fh_resolve_integer(fusion->run->resolver, unit, dim, &axis) && axis > 0 &&
        axes_behind(u, half, axis) > 0)
        return NO_ROTATION;
    return PAIRS;
}

/* cat((-x2, x1)), stack([-x2, x1]). */
static rotation rotation_of(fh_fusion *fusion, uint32_t unit, fh_value_index value)
{
    const fh_program *program = fusion->run->program;
    const fh_unit *u = fh_resolver_look(fusion->run->resolver, unit);
    value = without_views(fusion, unit, value);
    fh_flow_op join = fh_flow_of(fusion->run->resolver, program, unit, value);
    fh_value_index pair[2];
    if (!joined_pair(u, &join, pair))
        return NO_ROTATION;
    for (unsigned i = 0; i < 2; i++) {
        fh_value_index one = without_views(fusion, unit, pair[i]);
        const fh_value *v = fh_unit_value(u, one);
        bool negated = v->kind == FH_VALUE_UNARY && v->op == FH_OP_SUBTRACT;
        if (!negated && v->kind == FH_VALUE_CALL) {
            fh_flow_op op = fh_flow_of(fusion->run->resolver, program, unit, one);
            negated = fh_flow_is(&op, "neg") || fh_flow_is(&op, "negative");
        }
        if (negated)
            return fh_flow_is(&join, "stack")
                       ? rotation_of_stack(fusion, unit, &join,
                                           without_views(fusion, unit, pair[1 - i]))
                       : HALVES;
    }
    return NO_ROTATION;
}

/* rotate_half(x), whatever its name, or the same written in place. *of is x when it is known. */
static rotation find_rotation(fh_fusion *fusion, fh_value_index value, fh_value_index *of)
{
    const fh_unit *u = fusion->run->unit;
    const fh_flow_op *op = fh_flow_at(&fusion->flow, value);
    *of = 0;
    if (op->class != FH_FLOW_FUNCTION)
        return rotation_of(fusion, fusion->run->unit_index, value);
    if (!op->operand_count)
        return NO_ROTATION;
    fh_meanings all;
    fh_resolve(fusion->run->resolver, fusion->run->unit_index, u->calls.items[op->call].callee,
               &all);
    if (!all.count ||
        (all.items[0].kind != FH_MEANS_FUNCTION && all.items[0].kind != FH_MEANS_METHOD))
        return NO_ROTATION;
    const fh_unit *owner = fh_resolver_look(fusion->run->resolver, all.items[0].unit);
    const fh_function *function = &owner->functions.items[all.items[0].index];
    *of = op->operands[0];
    for (uint32_t i = 0; i < function->return_count && i < 4; i++) {
        rotation found =
            rotation_of(fusion, all.items[0].unit, owner->lists.items[function->returns + i]);
        if (found)
            return found;
    }
    return NO_ROTATION;
}

static void report(fh_fusion *fusion, fh_value_index value, fh_certainty certainty, rotation kind,
                   const char *what)
{
    static const char *const names[] = {"torch_npu.npu_rotary_mul", NULL};
    uint32_t function = fh_fusion_function(fusion, value);
    fusion->claimed[value] |= FH_FUSION_CLAIMED;
    if (fusion->function[function] & FH_FUSED_ROTARY)
        return;
    fusion->function[function] |= FH_FUSED_ROTARY;
    const char *name = fh_fusion_first(fusion, names, NULL);
    fh_spot spot = fh_spot_of_value(fusion->run->unit, value);
    if (name)
        fh_rule_report(fusion->run, FH_RULE_306, FH_SEVERITY_NOTE, certainty, spot, FH_TEXT(""),
                       "%s: use %s(x, cos, sin%s)", what, name,
                       kind == PAIRS ? ", rotary_mode=\"interleave\"" : "");
    else
        fh_rule_report(fusion->run, FH_RULE_306, FH_SEVERITY_NOTE, certainty, spot, FH_TEXT(""),
                       "%s: put it into a function under torch.compile", what);
}

/* x * cos + rotate(x) * sin, in either order. */
static bool check_sum(fh_fusion *fusion, fh_value_index value, const fh_flow_op *sum)
{
    for (unsigned i = 0; i < 2; i++) {
        fh_certainty certainty = (fh_certainty)sum->certainty;
        fh_value_index turned = fh_flow_through(&fusion->flow, sum->operands[i], views, &certainty);
        fh_value_index plain =
            fh_flow_through(&fusion->flow, sum->operands[1 - i], views, &certainty);
        const fh_flow_op *a = fh_flow_at(&fusion->flow, turned);
        const fh_flow_op *b = fh_flow_at(&fusion->flow, plain);
        if (!fh_fusion_is_product(a) || !fh_fusion_is_product(b))
            continue;
        for (unsigned k = 0; k < 2; k++) {
            fh_value_index of;
            rotation kind = find_rotation(fusion, a->operands[k], &of);
            if (!kind)
                continue;
            /* The other product takes the same x. */
            if (of && !fh_flow_same(fusion->run->unit, of, b->operands[0]) &&
                !fh_flow_same(fusion->run->unit, of, b->operands[1]))
                certainty = fh_certainty_least(certainty, FH_LIKELY);
            fusion->claimed[turned] |= FH_FUSION_CLAIMED;
            fusion->claimed[plain] |= FH_FUSION_CLAIMED;
            report(fusion, value, certainty, kind,
                   "rotary embedding by hand: about 11 passes over what is turned, 3 when fused");
            return true;
        }
    }
    return false;
}

/* Which operand of product `p` is also one of product `q`: 1 + its number, 0 for none. */
static unsigned shared(const fh_unit *u, const fh_flow_op *p, const fh_flow_op *q)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 2; k++)
            if (fh_flow_same(u, p->operands[i], q->operands[k]))
                return 1 + i;
    return 0;
}

/* One factor of `p` is in `q`, the other one in `r`. */
static bool crosswise(const fh_unit *u, const fh_flow_op *p, const fh_flow_op *q,
                      const fh_flow_op *r)
{
    unsigned first = shared(u, p, q), second = shared(u, p, r);
    return first && second && first != second;
}

/* True for a part of split(1): one coordinate of a point, whose turning is no rotary embedding. */
static bool is_coordinate(fh_fusion *fusion, fh_value_index value)
{
    fh_certainty ignored = FH_CERTAIN;
    int64_t width;
    value = fh_flow_through(&fusion->flow, value, views, &ignored);
    const fh_flow_op *part = fh_flow_at(&fusion->flow, value);
    if (part->class != FH_FLOW_SELECT || !part->operand_count)
        return false;
    const fh_flow_op *split = fh_flow_at(&fusion->flow, part->operands[0]);
    fh_value_index size = fh_flow_argument(fusion->run->unit, split, 1, "split_size");
    return fh_flow_is(split, "split") && size &&
           fh_resolve_integer(fusion->run->resolver, fusion->run->unit_index, size, &width) &&
           width == 1;
}

/* True for x[..., 0::2]: one of two neighbours. */
static bool is_every_second(fh_fusion *fusion, fh_value_index value)
{
    const fh_unit *u = fusion->run->unit;
    fh_certainty ignored = FH_CERTAIN;
    static const uint32_t cast = FH_FLOW_SET(CAST);
    const fh_value *v = fh_unit_value(u, fh_flow_through(&fusion->flow, value, cast, &ignored));
    const fh_value *index = fh_unit_value(u, v->kind == FH_VALUE_SUBSCRIPT ? v->b : 0);
    if (index->kind == FH_VALUE_TUPLE && index->b)
        index = fh_unit_value(u, u->lists.items[index->a + index->b - 1]);
    return index->kind == FH_VALUE_SLICE && u->lists.items[index->a + 2];
}

/* cat(a c - b s, b c + a s): the four products share their factors crosswise. */
static void check_join(fh_fusion *fusion, fh_value_index value, const fh_flow_op *join)
{
    const fh_unit *u = fusion->run->unit;
    fh_value_index pair[2];
    if (!joined_pair(u, join, pair))
        return;
    fh_certainty certainty = (fh_certainty)join->certainty;
    const fh_flow_op *product[4];
    bool minus = false, plus = false;
    for (unsigned i = 0; i < 2; i++) {
        fh_value_index one = fh_flow_through(&fusion->flow, pair[i], views, &certainty);
        const fh_flow_op *op = fh_flow_at(&fusion->flow, one);
        if (op->class != FH_FLOW_ELEMENTWISE || op->operand_count != 2)
            return;
        minus |= fh_flow_is(op, "sub");
        plus |= fh_flow_is(op, "add");
        for (unsigned k = 0; k < 2; k++) {
            product[2 * i + k] = fh_flow_at(&fusion->flow, op->operands[k]);
            if (!fh_fusion_is_product(product[2 * i + k]) ||
                is_coordinate(fusion, product[2 * i + k]->operands[0]))
                return;
        }
        fusion->claimed[one] |= FH_FUSION_CLAIMED;
    }
    if (!minus || !plus || !crosswise(u, product[0], product[2], product[3]) ||
        !crosswise(u, product[1], product[2], product[3]))
        return;
    bool is_reordered =
        !fh_flow_is(join, "stack") && (is_every_second(fusion, product[0]->operands[0]) ||
                                       is_every_second(fusion, product[0]->operands[1]));
    report(fusion, value, certainty, fh_flow_is(join, "stack") ? PAIRS : HALVES,
           is_reordered
               ? "rotary embedding by hand, of neighbours that become halves: about 14 passes over "
                 "what is turned; with x the two parts joined, and cos and sin as wide as x"
               : "rotary embedding by hand: about 14 passes over what is turned, 3 when fused, "
                 "with cos "
                 "and sin as wide as x");
}

/* view_as_complex(x) of what is computed: a learned table, view_as_complex(self.weight), is a
 * filter. */
static bool is_complex(fh_fusion *fusion, fh_value_index value)
{
    fh_certainty ignored = FH_CERTAIN;
    value = fh_flow_through(&fusion->flow, value, views, &ignored);
    const fh_flow_op *op = fh_flow_at(&fusion->flow, value);
    if (!fh_text_is(op->name, "torch.view_as_complex") || !op->operand_count)
        return false;
    fh_value_index of = fh_flow_through(&fusion->flow, op->operands[0], views, &ignored);
    return fh_unit_value(fusion->run->unit, of)->kind != FH_VALUE_ATTRIBUTE;
}

/* True when a product of complex numbers works on a spectrum. */
static bool is_of_spectrum(fh_fusion *fusion, const fh_flow_op *product)
{
    fh_certainty ignored = FH_CERTAIN;
    for (unsigned i = 0; i < 2; i++) {
        fh_value_index value =
            fh_flow_through(&fusion->flow, product->operands[i], views, &ignored);
        if (fh_text_starts(fh_flow_at(&fusion->flow, value)->name, "torch.fft."))
            return true;
    }
    return false;
}

void fh_fusion_rotary(fh_fusion *fusion, fh_value_index value)
{
    const fh_flow_op *op = fh_flow_at(&fusion->flow, value);
    if (op->class == FH_FLOW_JOIN) {
        check_join(fusion, value, op);
        return;
    }
    if (op->class != FH_FLOW_ELEMENTWISE || op->operand_count != 2)
        return;
    if (fh_flow_is(op, "add")) {
        check_sum(fusion, value, op);
    } else if (fh_fusion_is_product(op) && !is_of_spectrum(fusion, op) &&
               (is_complex(fusion, op->operands[0]) || is_complex(fusion, op->operands[1]))) {
        report(fusion, value, (fh_certainty)op->certainty, PAIRS,
               "rotary embedding in complex numbers, which few operators take");
    }
}
