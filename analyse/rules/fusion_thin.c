/* Marks below VECTORS are places of an axis, from 1 at the front and from BACK at the back, which
 * FRONT and LAST are the ends of; below PARTS the axes of a vector that are longer than 1, by bits;
 * the others unpacked values. HELD is the vector without a longer axis: it takes the shape of what
 * it meets. */
#include "analyse/rules/fusion_thin.h"

enum {
    FRONT = 1,
    BACK = 16,
    LAST = BACK,
    VECTORS = 32,
    HELD = VECTORS,
    MOST_AXES = 8,
    PARTS = VECTORS + (1 << MOST_AXES)
};

static const uint32_t casts = FH_FLOW_SET(CAST);

/* x[:, None], x[..., None]: an axis behind one that is there. The first axis is the batch. */
static uint32_t place_in_index(const fh_unit *u, const fh_value *index)
{
    bool behind = false, from_back = false;
    for (uint32_t i = 0; index->kind == FH_VALUE_TUPLE && i < index->b && i < BACK - 1; i++) {
        fh_value_kind kind = (fh_value_kind)fh_unit_value(u, u->lists.items[index->a + i])->kind;
        bool is_last = i + 1 == index->b ||
                       fh_unit_value(u, u->lists.items[index->a + i + 1])->kind != FH_VALUE_NONE;
        if (behind && kind == FH_VALUE_NONE && (is_last || !from_back))
            return from_back ? BACK + (index->b - 1 - i) : i + 1;
        from_back |= kind == FH_VALUE_UNKNOWN; /* ... */
        behind |= kind == FH_VALUE_SLICE || from_back;
    }
    return 0;
}

/* :1, -1: */
static bool takes_one(fh_flow *flow, fh_value_index index)
{
    const fh_value *v = fh_unit_value(flow->unit, index);
    if (v->kind != FH_VALUE_SLICE)
        return false;
    const fh_value_index *parts = &flow->unit->lists.items[v->a];
    int64_t begin = 0, end = 0;
    bool has_begin = parts[0], has_end = parts[1];
    if (has_begin && !fh_resolve_integer(flow->resolver, flow->unit_index, parts[0], &begin))
        return false;
    if (has_end && !fh_resolve_integer(flow->resolver, flow->unit_index, parts[1], &end))
        return false;
    return has_end ? end - begin == 1 && (begin >= 0) == (end >= 0) : begin == -1;
}

/* x[:, -1:, :], x[..., :1]: one row of what is there, which keeps its axis. The first axis is the
 * batch, which may be 1 on both sides. */
static uint32_t place_of_row(fh_flow *flow, fh_value_index index)
{
    const fh_value *v = fh_unit_value(flow->unit, index);
    bool from_back = false;
    for (uint32_t i = 0; v->kind == FH_VALUE_TUPLE && i < v->b && i < BACK - 1; i++) {
        fh_value_index part = flow->unit->lists.items[v->a + i];
        fh_value_kind kind = (fh_value_kind)fh_unit_value(flow->unit, part)->kind;
        if (i && takes_one(flow, part))
            return from_back ? BACK + (v->b - 1 - i) : i + 1;
        from_back |= kind != FH_VALUE_SLICE; /* ..., or an axis that goes or comes */
    }
    return 0;
}

static uint32_t place_of_unsqueeze(fh_flow *flow, const fh_flow_op *op)
{
    int64_t place;
    fh_value_index argument = fh_flow_argument(flow->unit, op, 1, "dim");
    if (!argument || !fh_resolve_integer(flow->resolver, flow->unit_index, argument, &place) ||
        place > BACK - 2 || place < BACK - VECTORS)
        return 0;
    return place >= 0 ? (uint32_t)place + 1 : (uint32_t)(BACK - place - 1);
}

bool fh_fusion_is_vector(uint32_t mark)
{
    return mark >= VECTORS && mark < PARTS;
}

uint32_t fh_fusion_held(void)
{
    return HELD;
}

/* What is known of the axes of a view, from the first on. */
typedef struct {
    uint32_t count, ones, ones_at_end, longer /* bits */;
    uint32_t one_behind; /* the first axis of length 1 behind another one, from 1; 0: none */
    bool is_known;
} axes;

static void add_axis(axes *a, bool is_one)
{
    a->is_known &= a->count < MOST_AXES;
    if (!a->is_known)
        return;
    a->longer |= is_one ? 0 : 1u << a->count;
    a->count++;
    if (is_one && a->count > 1 && !a->one_behind)
        a->one_behind = a->count;
    a->ones += is_one;
    a->ones_at_end = is_one ? a->ones_at_end + 1 : 0;
}

/* Of three axes and more, two of length 1 at least: a vector, or at the end a table by sample and
 * channel. Else the place of an axis of length 1, unless it is the first: the batch. */
static uint32_t mark_of_axes(const axes *a)
{
    bool is_vector = a->is_known && a->count >= 3 &&
                     (a->count - a->ones <= 1 || (a->count >= 4 && a->ones_at_end >= 2));
    return is_vector ? VECTORS + a->longer : a->is_known ? a->one_behind : 0;
}

static bool is_one(fh_flow *flow, fh_value_index value)
{
    const fh_value *v = fh_unit_value(flow->unit, value);
    int64_t one;
    if (v->kind == FH_VALUE_FLOAT)
        return fh_value_float(v) == 1;
    return fh_resolve_integer(flow->resolver, flow->unit_index, value, &one) && one == 1;
}

/* x.view(1, -1, 1, 1), x.reshape((b, c, 1, 1)) */
static uint32_t vector_by_shape(fh_flow *flow, const fh_flow_op *op)
{
    axes all = {.is_known = op->call};
    for (int position = 1; position <= MOST_AXES; position++) {
        fh_value_index size = fh_flow_argument(flow->unit, op, position, NULL);
        const fh_value *v = fh_unit_value(flow->unit, size);
        if (!size)
            break;
        all.is_known &= v->kind != FH_VALUE_STAR;
        if (v->kind != FH_VALUE_TUPLE && v->kind != FH_VALUE_LIST)
            add_axis(&all, is_one(flow, size));
        for (uint32_t i = 0; (v->kind == FH_VALUE_TUPLE || v->kind == FH_VALUE_LIST) && i < v->b;
             i++)
            add_axis(&all, is_one(flow, flow->unit->lists.items[v->a + i]));
    }
    return mark_of_axes(&all);
}

/* x[None, :, None, None] */
static uint32_t vector_by_index(const fh_unit *u, const fh_value *index)
{
    axes all = {.is_known = index->kind == FH_VALUE_TUPLE};
    for (uint32_t i = 0; all.is_known && i < index->b; i++) {
        fh_value_kind kind = (fh_value_kind)fh_unit_value(u, u->lists.items[index->a + i])->kind;
        all.is_known = kind == FH_VALUE_NONE || kind == FH_VALUE_SLICE;
        add_axis(&all, kind == FH_VALUE_NONE);
    }
    uint32_t mark = all.longer & 1 ? 0 : mark_of_axes(&all); /* x[:, None, None] may have more */
    return fh_fusion_is_vector(mark) ? mark : 0;
}

/* x[0], x[..., 0], x[..., :2], x[:, 2:]: what is left of the mark of x. */
static uint32_t mark_behind_index(fh_flow *flow, uint32_t mark, fh_value_index index)
{
    const fh_value *v = fh_unit_value(flow->unit, index);
    bool is_tuple = v->kind == FH_VALUE_TUPLE && v->b;
    bool has_ellipsis =
        is_tuple &&
        fh_unit_value(flow->unit, flow->unit->lists.items[v->a])->kind == FH_VALUE_UNKNOWN;
    bool only_slices = v->kind == FH_VALUE_SLICE || is_tuple;
    for (uint32_t i = has_ellipsis; is_tuple && i < v->b; i++)
        only_slices &=
            fh_unit_value(flow->unit, flow->unit->lists.items[v->a + i])->kind == FH_VALUE_SLICE;
    return only_slices || mark == HELD || (has_ellipsis && mark < BACK) ? mark : 0;
}

static bool is_split(const fh_flow_op *op)
{
    return op->class == FH_FLOW_SELECT && op->operand_count &&
           (fh_flow_is(op, "chunk") || fh_flow_is(op, "split") || fh_flow_is(op, "tensor_split"));
}

/* self.scale, self.layer.weight: what a module holds is a table or a number for each channel. */
static uint32_t mark_of_attribute(fh_flow *flow, const uint32_t *marks, const fh_value *v)
{
    const fh_unit *u = flow->unit;
    static const char *const same[] = {"data", "real", "imag", NULL};
    if (fh_text_is_any(fh_unit_text(u, v->b), same) && marks[v->a])
        return marks[v->a];
    const fh_value *root = v;
    while (root->kind == FH_VALUE_ATTRIBUTE || root->kind == FH_VALUE_SUBSCRIPT)
        root = fh_unit_value(u, root->a);
    uint32_t class =
        root->kind == FH_VALUE_PARAMETER && !root->b ? u->functions.items[root->a].class : 0;
    return class && fh_resolve_derives(flow->resolver, flow->unit_index, class, "torch.nn.Module")
               ? HELD
               : 0;
}

static uint32_t mark_of_subscript(fh_flow *flow, const uint32_t *marks, const fh_value *v)
{
    const fh_unit *u = flow->unit;
    const fh_value *index = fh_unit_value(u, v->b);
    uint32_t mark = vector_by_index(u, index);
    if (is_split(fh_flow_at(flow, v->a)) && index->kind == FH_VALUE_INTEGER)
        return marks[v->a];
    mark = mark ? mark : place_in_index(u, index);
    mark = mark ? mark : place_of_row(flow, v->b);
    return mark || !marks[v->a] ? mark : mark_behind_index(flow, marks[v->a], v->b);
}

/* What all of the alternatives share. */
static uint32_t mark_of_choice(const fh_unit *u, const uint32_t *marks, const fh_value *v)
{
    uint32_t shared = v->b ? marks[u->lists.items[v->a]] : 0;
    for (uint32_t i = 1; i < v->b; i++)
        if (marks[u->lists.items[v->a + i]] != shared)
            return 0;
    return shared;
}

static bool is_number(const fh_value *v)
{
    return v->kind == FH_VALUE_FLOAT || v->kind == FH_VALUE_INTEGER;
}

/* where(table > 0, 0.5, 0.0) is as thin as the table. */
static uint32_t mark_of_where(fh_flow *flow, const uint32_t *marks, const fh_flow_op *op)
{
    fh_value_index a = fh_flow_argument(flow->unit, op, 1, "input");
    fh_value_index b = fh_flow_argument(flow->unit, op, 2, "other");
    fh_value_index condition = fh_flow_argument(flow->unit, op, 0, "condition");
    return condition && is_number(fh_unit_value(flow->unit, a)) &&
                   is_number(fh_unit_value(flow->unit, b))
               ? marks[condition]
               : 0;
}

/* Of two sides the mark that both share; HELD takes the shape of the other. At the back it would
 * put in an axis. */
static uint32_t meet(uint32_t a, uint32_t b)
{
    if (a == b)
        return a;
    if (a == HELD)
        return b == LAST ? 0 : b;
    return b == HELD && a != LAST ? a : 0;
}

uint32_t fh_fusion_thin(fh_flow *flow, const uint32_t *marks, fh_value_index value)
{
    const fh_value *v = fh_unit_value(flow->unit, value);
    const fh_flow_op *op = fh_flow_at(flow, value);
    uint32_t inherited = op->operand_count ? marks[op->operands[0]] : 0;
    switch ((fh_value_kind)v->kind) {
    case FH_VALUE_SUBSCRIPT:
        return mark_of_subscript(flow, marks, v);
    case FH_VALUE_ATTRIBUTE:
        return mark_of_attribute(flow, marks, v);
    case FH_VALUE_ITEM:
        return is_split(fh_flow_at(flow, v->a)) ? marks[v->a] : 0;
    case FH_VALUE_PHI:
        return mark_of_choice(flow->unit, marks, v);
    default:
        break;
    }
    if (op->class == FH_FLOW_CAST || is_split(op))
        return inherited;
    if (fh_flow_is(op, "where"))
        return mark_of_where(flow, marks, op);
    if (fh_flow_is(op, "view") || fh_flow_is(op, "reshape"))
        return vector_by_shape(flow, op);
    return fh_flow_is(op, "unsqueeze") ? place_of_unsqueeze(flow, op) : 0;
}

/* The mark of a part of what is unpacked: shift, scale = c.chunk(2). */
static uint32_t part_of(fh_flow *flow, fh_value_index value)
{
    fh_certainty ignored = FH_CERTAIN;
    value = fh_flow_through(flow, value, casts | FH_FLOW_SET(CHOICE), &ignored);
    const fh_value *v = fh_unit_value(flow->unit, value);
    return v->kind == FH_VALUE_ITEM ? PARTS + v->a : 0;
}

/* [0], [:, 0] */
static bool takes_row(const fh_unit *u, const fh_value *index)
{
    for (uint32_t i = 0; index->kind == FH_VALUE_TUPLE && i < index->b; i++)
        if (fh_unit_value(u, u->lists.items[index->a + i])->kind == FH_VALUE_INTEGER)
            return true;
    return index->kind == FH_VALUE_INTEGER;
}

/* The same, and of a row that an index takes: 1 + table[:, 0]. */
static uint32_t part_or_row_of(fh_flow *flow, fh_value_index value)
{
    fh_certainty ignored = FH_CERTAIN;
    const fh_value *v =
        fh_unit_value(flow->unit, fh_flow_through(flow, value, FH_FLOW_SET(CAST), &ignored));
    if (v->kind == FH_VALUE_SUBSCRIPT)
        return takes_row(flow->unit, fh_unit_value(flow->unit, v->b)) ? PARTS + v->a : 0;
    return part_of(flow, value);
}

static bool adds_one(fh_flow *flow, const fh_flow_op *op)
{
    return fh_flow_is(op, "add") && op->operand_count == 2 &&
           (is_one(flow, op->operands[0]) || is_one(flow, op->operands[1]));
}

/* gate.tanh() of shift, scale, gate = c.chunk(3) */
static bool is_gate(const fh_flow_op *op)
{
    return op->operand_count == 1 && (fh_flow_is(op, "tanh") || fh_flow_is(op, "sigmoid"));
}

uint32_t fh_fusion_thin_result(fh_flow *flow, const fh_flow_op *op, const fh_value_index *tensors,
                               const uint32_t *marks, uint32_t count)
{
    uint32_t shared = 0;
    if (count == 1 && !marks[0] && adds_one(flow, op))
        return part_or_row_of(flow, tensors[0]);
    if (count == 1 && !marks[0] && is_gate(op))
        return part_of(flow, tensors[0]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mark = marks[i] ? marks[i] : part_of(flow, tensors[i]);
        shared = i ? meet(shared, mark) : mark;
        if (!shared)
            return 0;
    }
    /* Parts by themselves are as large as each other: they are thin only beside something else. */
    for (uint32_t i = 0; i < count; i++)
        if (marks[i])
            return shared;
    return 0;
}
