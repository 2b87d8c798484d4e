/* Names that stand for one number, or a few. */
#include "analyse/rules/fusion_small.h"

uint8_t *fh_fusion_names_for_numbers(const fh_symbols *symbols)
{
    static const char *const parts[] = {
        "loss",     "Loss", "scale",    "eps",   "size",  "percent",  "sigma", "alpha",
        "timestep", "beta", "momentum", "decay", "gamma", "temperat", "count", NULL};
    static const char *const whole[] = {"lr", "tau", "step", NULL};
    uint8_t *names = fh_alloc_zero(fh_symbols_count(symbols) + 1, 1);
    if (!names)
        return NULL;
    for (const char *const *part = parts; *part; part++) {
        fh_symbol s = 0;
        while ((s = fh_symbols_with(symbols, fh_text_from(*part), s + 1)))
            names[s] = 1;
    }
    for (fh_symbol s = 1; s < fh_symbols_count(symbols); s++) {
        fh_text name = fh_symbols_text(symbols, s);
        names[s] |= fh_text_is_any(name, whole) || fh_text_starts(name, "n_") ||
                    fh_text_starts(name, "num_");
    }
    return names;
}

bool fh_fusion_is_named_for_one_each(fh_text name)
{
    return fh_text_ends(name, "_norm") || fh_text_ends(name, "_ids") ||
           fh_text_ends(name, "_lens") || fh_text_ends(name, "lengths");
}

bool fh_fusion_is_named_for_loss(fh_text name)
{
    return fh_text_contains(name, "loss") || fh_text_contains(name, "Loss") ||
           fh_text_contains(name, "criterion");
}
