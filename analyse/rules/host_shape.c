/* Host: results whose size only the data knows (FH703), and masks as an index (FH704). */
#include "analyse/rules/host.h"
#include "analyse/rules/text_match.h"

#include <stdlib.h>

static const char write_words[] =
    "writing through a mask: the positions that are True are looked up first";

static void report(fh_host_unit *host, fh_rule_index rule, uint32_t block, fh_value_index value,
                   uint8_t certainty, fh_spot spot, fh_text operator, const char * what)
{
    fh_place_kind place = fh_host_place(&host->places, block);
    fh_rule_report(host->run, rule, fh_host_severity(place),
                   fh_host_certainty(host, place, value, certainty), spot, operator, "%s%s", what,
                   fh_host_words(host, place, value));
    fh_stops_graph(host->run, &host->graphs, block, spot, operator,
                   what == write_words ? FH_STOPS_WRITE : FH_STOPS_SIZE);
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
               fh_spot_of_call(host->unit, call), callee->path, why);
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

/* Both x and the mask must be able to lie on the device, and one of them must be a tensor: what it
 * is beside the other tells what the other is. */
static bool indexes_device(const fh_host_unit *host, fh_value_index base, fh_value_index mask)
{
    const fh_host_facts *x = fh_host_at(host, base), *m = fh_host_at(host, mask);
    if (x->is_host || m->is_host || host->dtypes.types[base].is_numpy ||
        host->dtypes.types[mask].is_numpy)
        return false;
    return m->tensor >= FH_LIKELY || x->tensor >= FH_LIKELY;
}

static uint8_t mask_certainty(const fh_host_unit *host, fh_value_index mask)
{
    return fh_host_at(host, mask)->tensor ? FH_LIKELY : FH_POSSIBLE;
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
    if (v->kind != FH_VALUE_SLICE)
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
               fh_spot_of_value(u, index), (fh_text){0},
               "reading through a mask: the host waits for the number of elements that are True");
    else if (bound && fh_host_is_device_tensor(host, v->a))
        report(host, FH_RULE_703, v->block, v->a, FH_LIKELY, fh_spot_of_value(u, index),
               (fh_text){0},
               "a bound of the slice was read back from the device, so that the size of the result "
               "depends on data");
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
    fh_value_index placed = fh_host_at(host, mask)->is_placed ? mask : store->base;
    report(host, FH_RULE_704, store->block, placed, mask_certainty(host, mask),
           (fh_spot){store->offset, 0, u->blocks.items[store->block].function}, (fh_text){0},
           write_words);
}

void fh_host_check_shapes(fh_host_unit *host)
{
    const fh_unit *u = host->unit;
    writes all;
    if (!find_writes(host, &all))
        return;
    for (uint32_t i = 1; i < u->calls.count; i++)
        check_call(host, i);
    for (uint32_t i = 1; i < u->values.count; i++)
        if (u->values.items[i].kind == FH_VALUE_SUBSCRIPT &&
            !is_write(&all, u->values.items[i].offset))
            check_read(host, i);
    for (uint32_t i = 1; i < u->stores.count; i++)
        check_write(host, &u->stores.items[i]);
}
