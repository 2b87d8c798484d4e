/* Compute: sizes that leave the matrix units idle, and networks that cannot use them. */
#include "analyse/rules/run.h"

enum { TILE = 16 };

/* The number of classes of a head, nn.Linear(width, num_classes): whoever trains sets it, and one
 * product for each image is not what a step takes. */
static bool is_class_count(const fh_rule_run *run, fh_value_index value)
{
    static const char *const parts[] = {"class", "label", NULL};
    const fh_unit *u = run->unit;
    const fh_value *v = fh_unit_value(u, value);
    fh_text name = {0};
    if (v->kind == FH_VALUE_PARAMETER)
        name =
            fh_unit_text(u, u->parameters.items[u->functions.items[v->a].parameters + v->b].name);
    else if (v->kind == FH_VALUE_ATTRIBUTE)
        name = fh_unit_text(u, v->b);
    for (const char *const *part = parts; *part; part++)
        if (fh_text_contains(name, *part))
            return true;
    return false;
}

/* A size that is known and not a multiple of the tile. Small heads and single outputs are as they
 * must be: nobody pads a class count of 10. */
static void check_size(fh_rule_run *run, const fh_site *site, int position, const char *name)
{
    enum { SMALLEST = 512 };
    int64_t size;
    const fh_call *call = &run->unit->calls.items[site->call];
    fh_value_index value = fh_call_argument(run->unit, call, position, name);
    if (!value || !fh_resolve_integer(run->resolver, run->unit_index, value, &size) ||
        size < SMALLEST || size % TILE == 0 || is_class_count(run, value))
        return;
    int64_t step = size > 8192 ? 128 : TILE;
    fh_rule_report(run, FH_RULE_101, FH_SEVERITY_NOTE, site->certainty,
                   (fh_spot){site->offset, site->end, site->function}, site->name,
                   "%s of %lld is not a multiple of %d: pad it to %lld", name, (long long)size,
                   TILE, (long long)((size + step - 1) / step * step));
}

static const char *const recurrent[] = {"torch.nn.LSTM",
                                        "torch.nn.GRU",
                                        "torch.nn.RNN",
                                        "torch.nn.LSTMCell",
                                        "torch.nn.GRUCell",
                                        "torch.nn.RNNCell",
                                        NULL};

static void report_recurrent(fh_rule_run *run, fh_certainty certainty, fh_spot spot, fh_text name)
{
    fh_rule_report(run, FH_RULE_102, FH_SEVERITY_NOTE, certainty, spot, name,
                   "%.*s computes its time steps one after the other",
                   FH_TEXT_ARGS(fh_text_last_part(name)));
}

/* An object of a class of the program that is a recurrent network by what it derives from. */
static void check_derived(fh_rule_run *run, const fh_call *call)
{
    fh_meanings callees;
    fh_resolve(run->resolver, run->unit_index, call->callee, &callees);
    for (uint32_t i = 0; i < callees.count; i++) {
        const fh_meaning *m = &callees.items[i];
        const char *base = m->kind == FH_MEANS_CLASS
                               ? fh_resolve_base_among(run->resolver, m->unit, m->index, recurrent)
                               : NULL;
        if (!base)
            continue;
        report_recurrent(run, (fh_certainty)m->certainty, fh_spot_of_call(run->unit, call),
                         fh_text_from(base));
        return;
    }
}

void fh_rules_compute(fh_rule_run *run)
{
    for (uint32_t i = 0; i < run->sites.items.count; i++) {
        const fh_site *site = &run->sites.items.items[i];
        if (!site->call)
            continue;
        if (fh_text_is(site->name, "torch.nn.Linear")) {
            check_size(run, site, 0, "in_features");
            check_size(run, site, 1, "out_features");
        } else if (fh_text_is_any(site->name, recurrent)) {
            report_recurrent(run, site->certainty,
                             (fh_spot){site->offset, site->end, site->function}, site->name);
        }
    }
    for (uint32_t i = 1; i < run->unit->calls.count && !fh_rules_stop(i); i++)
        check_derived(run, &run->unit->calls.items[i]);
}
