/* Host: results whose size only the data knows (FH703), and masks as an index (FH704). */
#include "analyse/rules/flow.h"
#include "analyse/rules/host.h"
#include "analyse/rules/unit_index.h"

#include <stdlib.h>

static void report(fh_host_unit *host, fh_rule_index rule, uint32_t block, fh_value_index value,
                   uint8_t certainty, fh_spot spot, fh_text operator, fh_stops stops,
                   const char *what)
{
    fh_place_kind place = fh_host_place(&host->places, block);
    fh_rule_report(host->run, rule, fh_host_severity(place),
                   fh_host_certainty(host, place, value, certainty), spot, operator, "%s%s", what,
                   fh_host_words(host, block, value));
    fh_stops_graph(host->run, &host->graphs, block, spot, operator, stops);
}

/* Why the size of the call's result is not known before it has run; NULL: it is. */
static const char *unknown_size(const fh_host_unit *host, const fh_call *call,
                                const fh_callee *callee)
{
    static const char *const found[] = {"nonzero", "argwhere", "masked_select", NULL};
    static const char *const distinct[] = {"unique", "unique_consecutive", NULL};
    fh_value_index argument;
    if (fh_text_is_any(callee->name, found))
        return "the number of elements found is the size of the result: the host waits for it";
    if (fh_text_is_any(callee->name, distinct))
        return "the number of distinct values is the size of the result: the host waits for it";
    if (fh_text_is(callee->name, "bincount"))
        return "the largest value is the size of the result: the host waits for it";
    if (fh_text_is(callee->path, "torch.combinations"))
        return "torch.combinations selects by a mask: the host waits for the size of the result";
    if (fh_text_is(callee->path, "torch.where"))
        return call->count == 1 ? "torch.where with one argument is nonzero: the host waits for "
                                  "the size of the result"
                                : NULL;
    if (fh_text_is(callee->name, "one_hot")) {
        argument = fh_call_argument(host->unit, call, 1, "num_classes");
        return argument ? NULL : "one_hot without num_classes reads the largest class back";
    }
    if (fh_text_is(callee->name, "repeat_interleave")) {
        argument = fh_callee_argument(host->unit, call, callee, 0, "repeats");
        if (!argument || fh_host_at(host, argument)->tensor < FH_LIKELY ||
            fh_call_argument(host->unit, call, -1, "output_size"))
            return NULL;
        return "repeats is a tensor: without output_size the host waits for its sum";
    }
    return NULL;
}

static void check_call(fh_host_unit *host, uint32_t index)
{
    const fh_call *call = &host->unit->calls.items[index];
    const fh_callee *callee = &host->callees[index];
    if (!callee->is_torch || callee->certainty < FH_LIKELY)
        return;
    const char *why = unknown_size(host, call, callee);
    fh_place_kind place = fh_host_place(&host->places, call->block);
    if (!why || place == FH_PLACE_COLD || !callee->self ||
        fh_host_at(host, callee->self)->is_host || fh_host_at(host, call->value)->is_host ||
        fh_host_is_occasional(host->unit, call->block))
        return;
    uint8_t certainty = callee->certainty;
    if (callee->is_method)
        certainty = fh_host_at(host, callee->self)->tensor;
    if (certainty >= FH_LIKELY)
        report(host, FH_RULE_703, call->block, call->value, certainty,
               fh_spot_of_call(host->unit, call), callee->path, FH_STOPS_SIZE, why);
}

/* The mask among the parts of an index: x[mask], x[:, mask]; 0: there is none. */
static fh_value_index mask_of(const fh_host_unit *host, fh_value_index index)
{
    const fh_value *v = fh_unit_value(host->unit, index);
    if (v->kind == FH_VALUE_TUPLE) {
        for (uint32_t i = 0; i < v->b && i < 8; i++) {
            fh_value_index part = mask_of(host, host->unit->lists.items[v->a + i]);
            if (part)
                return part;
        }
        return 0;
    }
    return fh_host_at(host, index)->is_mask ? index : 0;
}

/* result.boxes, result.orig_img: something is asked of it that no tensor has. */
static bool is_other_object(const fh_host_unit *host, fh_value_index base)
{
    const fh_unit *u = host->unit;
    fh_resolver *resolver = host->run->resolver;
    fh_slice asked = fh_attributes_of(host->run, base);
    for (uint32_t i = 0; i < asked.count; i++) {
        const fh_value *v = fh_unit_value(u, asked.items[i]);
        fh_symbol tensor = fh_resolver_intern(resolver, FH_TEXT("torch.Tensor"));
        fh_symbol path = fh_resolver_join(resolver, tensor, fh_unit_text(u, v->b));
        if (!fh_resolver_api(resolver, path))
            return true;
    }
    return false;
}

/* Both x and the mask must be able to lie on the device, and one of them must be a tensor: what it
 * is beside the other tells what the other is. */
static bool indexes_device(const fh_host_unit *host, fh_value_index base, fh_value_index mask)
{
    const fh_host_facts *x = fh_host_at(host, base), *m = fh_host_at(host, mask);
    if (x->is_host || m->is_host || host->dtypes.types[base].is_numpy ||
        host->dtypes.types[mask].is_numpy || (!x->tensor && is_other_object(host, base)))
        return false;
    return m->tensor >= FH_LIKELY || x->tensor >= FH_LIKELY;
}

static uint8_t mask_certainty(const fh_host_unit *host, fh_value_index mask)
{
    return fh_host_at(host, mask)->tensor ? FH_LIKELY : FH_POSSIBLE;
}

/* x[i : i + n]: data decide where the slice begins, but not how long it is. */
static bool has_fixed_length(const fh_host_unit *host, fh_value_index begin, fh_value_index end)
{
    const fh_unit *u = host->unit;
    const fh_value *v = fh_unit_value(u, end);
    if (!begin || v->kind != FH_VALUE_BINARY || v->op != FH_OP_ADD)
        return false;
    fh_value_index length = fh_flow_same(u, v->a, begin)   ? v->b
                            : fh_flow_same(u, v->b, begin) ? v->a
                                                           : 0;
    return length && !fh_host_at(host, length)->is_read_back &&
           fh_host_at(host, length)->tensor < FH_LIKELY;
}

/* True when a part of a slice is a number that device data decided: x[:k] with k = int(m.sum()). */
static bool has_read_back_bound(const fh_host_unit *host, fh_value_index index)
{
    const fh_value *v = fh_unit_value(host->unit, index);
    if (v->kind == FH_VALUE_TUPLE) {
        for (uint32_t i = 0; i < v->b && i < 8; i++)
            if (has_read_back_bound(host, host->unit->lists.items[v->a + i]))
                return true;
        return false;
    }
    if (v->kind != FH_VALUE_SLICE ||
        has_fixed_length(host, host->unit->lists.items[v->a], host->unit->lists.items[v->a + 1]))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        fh_value_index bound = host->unit->lists.items[v->a + i];
        if (bound && fh_host_at(host, bound)->is_read_back && !fh_host_at(host, bound)->tensor)
            return true;
    }
    return false;
}

static int by_offset(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* The places of all writes to elements, sorted: the target of an assignment is a value as well, but
 * no read. */
typedef struct {
    uint32_t *offsets, count;
} writes;

static bool find_writes(fh_host_unit *host, writes *all)
{
    const fh_unit *u = host->unit;
    all->count = 0;
    all->offsets = fh_arena_alloc(&host->arena, u->stores.count * sizeof *all->offsets);
    if (!all->offsets)
        return false;
    for (uint32_t i = 1; i < u->stores.count; i++)
        if (u->stores.items[i].index)
            all->offsets[all->count++] = u->stores.items[i].offset;
    if (all->count > 1)
        qsort(all->offsets, all->count, sizeof *all->offsets, by_offset);
    return true;
}

static bool is_write(const writes *all, uint32_t offset)
{
    return all->count &&
           bsearch(&offset, all->offsets, all->count, sizeof *all->offsets, by_offset);
}

static void check_read(fh_host_unit *host, fh_value_index index)
{
    const fh_unit *u = host->unit;
    const fh_value *v = fh_unit_value(u, index);
    fh_value_index mask = mask_of(host, v->b);
    bool bound = !mask && fh_host_at(host, v->a)->tensor && has_read_back_bound(host, v->b);
    if (!mask && !bound)
        return;
    fh_place_kind place = fh_host_place(&host->places, v->block);
    if (place == FH_PLACE_COLD || fh_host_is_occasional(u, v->block))
        return;
    if (mask && indexes_device(host, v->a, mask))
        report(host, FH_RULE_704, v->block, index, mask_certainty(host, mask),
               fh_spot_of_value(u, index), (fh_text){0}, FH_STOPS_SIZE,
               "reading through a mask: the host waits for the number of elements that are True");
    else if (bound && fh_host_is_device_tensor(host, v->a))
        report(host, FH_RULE_703, v->block, v->a, FH_LIKELY, fh_spot_of_value(u, index),
               (fh_text){0}, FH_STOPS_SIZE,
               "a bound of the slice was read back from the device, so that the size of the result "
               "depends on data");
}

/* A number of Python, as far as the text says: 0, -100, float("-inf"), torch.finfo(t).min. */
static bool is_number(const fh_host_unit *host, fh_value_index value, unsigned depth)
{
    static const char *const limits[] = {"torch.finfo", "torch.iinfo", NULL};
    static const char *const constants[] = {"math.inf",  "math.nan",  "math.pi",
                                            "torch.inf", "torch.nan", "torch.pi",
                                            "numpy.inf", "numpy.nan", NULL};
    const fh_unit *u = host->unit;
    const fh_value *v = fh_unit_value(u, value);
    fh_meaning meaning;
    int64_t number;
    if (!depth || host->facts[value].tensor || host->dtypes.types[value].is_numpy)
        return false;
    if (host->dtypes.types[value].is_scalar || host->facts[value].is_read_back)
        return true;
    if (v->kind == FH_VALUE_UNARY)
        return is_number(host, v->a, depth - 1);
    if (v->kind == FH_VALUE_CALL)
        return fh_text_is(host->callees[v->a].path, "builtins.float") ||
               fh_text_is(host->callees[v->a].path, "builtins.int");
    if (v->kind == FH_VALUE_ATTRIBUTE) {
        const fh_value *base = fh_unit_value(u, v->a);
        if (base->kind == FH_VALUE_CALL && fh_text_is_any(host->callees[base->a].path, limits))
            return true;
        if (fh_resolve_external(host->run->resolver, host->run->unit_index, value, &meaning) &&
            fh_text_is_any(fh_resolver_path(host->run->resolver, meaning.path), constants))
            return true;
    }
    return fh_resolve_integer(host->run->resolver, host->run->unit_index, value, &number);
}

/* torch.tensor(0.0): one element on the host, which reading costs nothing. */
static bool is_host_number(const fh_host_unit *host, fh_value_index value)
{
    const fh_value *v = fh_unit_value(host->unit, value);
    if (v->kind != FH_VALUE_CALL || !host->facts[value].is_host ||
        !fh_text_ends(host->callees[v->a].path, "tensor"))
        return false;
    const fh_call *call = &host->unit->calls.items[v->a];
    fh_value_index data = fh_call_argument(host->unit, call, 0, NULL);
    return data && is_number(host, data, 4);
}

/* x[m, i]: a tensor among the parts of the index beside the mask. */
static bool has_second_tensor(const fh_host_unit *host, fh_value_index index, fh_value_index mask)
{
    const fh_value *v = fh_unit_value(host->unit, index);
    if (v->kind != FH_VALUE_TUPLE)
        return false;
    for (uint32_t i = 0; i < v->b && i < 8; i++) {
        fh_value_index part = host->unit->lists.items[v->a + i];
        if (part != mask && fh_host_at(host, part)->tensor)
            return true;
    }
    return false;
}

/* What waits when `store` writes through `mask`; NULL: nothing does. One element goes to
 * masked_fill_ in torch_npu, for float, half, bfloat16, int8, int32, int64 and bool alike
 * (op-plugin, IndexPutKernelNpuOpApi.cpp, 2026-08-17; in torch_npu 2.13 and later): a number has
 * been put on the device before, as PyTorch does for all devices but CUDA's, and .item() reads it
 * back. */
static const char *waits_of_write(const fh_host_unit *host, const fh_store *store,
                                  fh_value_index mask)
{
    static const char positions[] =
        "writing through a mask: the positions that are True are looked up first";
    const fh_number_type *type = &host->dtypes.types[store->base];
    if (!fh_release_in(host->run->options->release, FH_TEXT("2.13-")) ||
        has_second_tensor(host, store->index, mask) ||
        (type->certainty >= FH_LIKELY &&
         (type->numbers == FH_NUMBERS_FLOAT64 || type->numbers == FH_NUMBERS_COMPLEX)))
        return positions;
    bool integer = type->certainty >= FH_LIKELY && type->numbers == FH_NUMBERS_INTEGER;
    if (is_number(host, store->value, 4) && !integer)
        return "writing a number through a mask: torch_npu puts it on the device and reads it "
               "back before masked_fill_ runs";
    if (is_host_number(host, store->value) && !integer)
        return NULL;
    if (fh_host_at(host, store->value)->tensor >= FH_LIKELY)
        return positions;
    return "writing through a mask: the host waits for the positions that are True, or for the "
           "value when it is a single number";
}

static void check_write(fh_host_unit *host, const fh_store *store)
{
    const fh_unit *u = host->unit;
    fh_value_index mask = store->index ? mask_of(host, store->index) : 0;
    if (!mask || !indexes_device(host, store->base, mask))
        return;
    fh_place_kind place = fh_host_place(&host->places, store->block);
    if (place == FH_PLACE_COLD || fh_host_is_occasional(u, store->block))
        return;
    const char *what = waits_of_write(host, store, mask);
    fh_value_index placed = fh_host_at(host, mask)->is_placed ? mask : store->base;
    if (what)
        report(host, FH_RULE_704, store->block, placed, mask_certainty(host, mask),
               (fh_spot){store->offset, 0, u->blocks.items[store->block].function}, (fh_text){0},
               FH_STOPS_WRITE, what);
}

void fh_host_check_shapes(fh_host_unit *host)
{
    const fh_unit *u = host->unit;
    writes all;
    if (!find_writes(host, &all))
        return;
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++)
        check_call(host, i);
    for (uint32_t i = 1; i < u->values.count; i++)
        if (u->values.items[i].kind == FH_VALUE_SUBSCRIPT &&
            !is_write(&all, u->values.items[i].offset))
            check_read(host, i);
    for (uint32_t i = 1; i < u->stores.count; i++)
        check_write(host, &u->stores.items[i]);
}
