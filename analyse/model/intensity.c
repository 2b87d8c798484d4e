#include "analyse/model/intensity.h"
#include "analyse/model/roofline.h"

#include <math.h>

fh_intensity fh_intensity_of(const fh_work *work, double bytes, double ridge)
{
    fh_intensity found = {
        .one = work->flops / (bytes * (work->weights + work->moved)),
        .many = work->moved > 0 ? work->flops / (bytes * work->moved) : INFINITY,
        .turns = -1,
    };
    if (ridge > 0 && found.many > ridge) /* I(B) = ridge, solved for B */
        found.turns =
            ceil(ridge * bytes * work->weights / (work->flops - ridge * bytes * work->moved));
    return found;
}

fh_intensity fh_intensity_of_attention(double bytes, double ridge)
{
    return (fh_intensity){2 / bytes, INFINITY, ridge > 0 ? ceil(ridge * bytes) : -1};
}

// clang-format off
/* FLOP for each number, and bytes for each number in 16 bits. */
static const struct {
    const char *class;
    double least, most, bytes;
    const char *formula;
} classes[] = {
    {"normalisation", 8, 8,  4,  "about 8 FLOP for each number, which is read and written"},
    {"activation",    1, 15, 4,  "1 (ReLU) to about 15 FLOP (GELU) for each number, which is read and written"},
    {"elementwise",   1, 1,  6,  "1 FLOP for each number written, of two that are read"},
    {"reduction",     1, 1,  2,  "1 FLOP for each number that is read"},
    {"pooling",       1, 1,  2,  "1 FLOP for each number that is read"},
    {"loss",          5, 12, 2,  "about 5 (squares) to 12 FLOP (cross-entropy) for each number that is read"},
    {"optimiser",     4, 14, 28, "4 (SGD with momentum) to 14 FLOP (AdamW) for each parameter, with 28 bytes of FP32 state"},
    {"embedding",     0, 0,  4,  "no FLOP: rows are read and written"},
    {"indexing",      0, 0,  4,  "no FLOP: numbers are read and written"},
};
// clang-format on

bool fh_intensity_of_class(fh_text class, double *low, double *high, const char **formula)
{
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
        if (fh_text_is(class, classes[i].class)) {
            *low = classes[i].least / classes[i].bytes;
            *high = classes[i].most / classes[i].bytes;
            *formula = classes[i].formula;
            return true;
        }
    return false;
}

static double ridge(double tera, const fh_soc *soc)
{
    return tera > 0 && soc->bandwidth > 0 ? tera * 1e12 / (soc->bandwidth * 1e9) : 0;
}

double fh_ridge16(const fh_soc *soc)
{
    return ridge(fh_peak16(soc), soc);
}

double fh_ridge32(const fh_soc *soc)
{
    return ridge(fh_peak32(soc), soc);
}

double fh_ridge8(const fh_soc *soc)
{
    return ridge(soc->matrix8, soc);
}

double fh_ridge_vector(const fh_soc *soc)
{
    return ridge(soc->vector16, soc);
}
