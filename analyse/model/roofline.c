#include "analyse/model/roofline.h"

// clang-format off
static const struct {
    const char *class;
    fh_bound bound;
    const char *reason;
} classes[] = {
    {"matmul",        FH_BOUND_COMPUTE,       "Each number that is read takes part in as many products as the other matrix has columns; at training sizes that is far above the ridge. With a batch of a few rows (decoding) the weights' bandwidth is the limit."},
    {"convolution",   FH_BOUND_COMPUTE,       "Weights are used again at every pixel. Depthwise and 1x1 convolutions of few channels are limited by memory."},
    {"attention",     FH_BOUND_COMPUTE,       "Fused, the score matrix never leaves the chip and the two products dominate."},
    {"recurrent",     FH_BOUND_HOST,          "Time steps depend on each other: many small launches, whatever the peak."},
    {"optimiser",     FH_BOUND_MEMORY,        "Each parameter, its gradient and its moments are read and written once per step; unfused, launches come on top."},
    {"collective",    FH_BOUND_COMMUNICATION, "Bytes over links; what overlaps with computation is free."},
    {"creation",      FH_BOUND_HOST,          "Launches dominate."},
    {"random",        FH_BOUND_MEMORY,        "One pass over the result."},
    {"shape",         FH_BOUND_HOST,          "Views cost nothing on the device; copies are one pass over memory."},
    {"normalisation", FH_BOUND_MEMORY,        "A few operations for each number that is read and written."},
    {"activation",    FH_BOUND_MEMORY,        "A few operations for each number that is read and written."},
    {"elementwise",   FH_BOUND_MEMORY,        "A few operations for each number that is read and written."},
    {"reduction",     FH_BOUND_MEMORY,        "One operation for each number that is read."},
    {"embedding",     FH_BOUND_MEMORY,        "Rows are gathered, nothing is computed."},
    {"indexing",      FH_BOUND_MEMORY,        "Numbers are moved, often in small pieces."},
    {"pooling",       FH_BOUND_MEMORY,        "A few operations for each number that is read."},
    {"loss",          FH_BOUND_MEMORY,        "Few operations per number; with a large vocabulary the logits are the largest tensor of the step."},
};
// clang-format on

/* How far a program's speed may lie from the ratio of two peaks, since kernels on both sides reach
 * different parts of them. An allowance of ours, not a measurement: reports call it a range from
 * peaks. */
static const double LOW_FACTOR = 0.6, HIGH_FACTOR = 1.1;

const char *fh_bound_name(fh_bound bound)
{
    static const char *const names[] = {"compute", "memory", "host", "communication"};
    return names[bound];
}

fh_bound fh_bound_of_class(fh_text class, const char **reason)
{
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
        if (fh_text_is(class, classes[i].class)) {
            *reason = classes[i].reason;
            return classes[i].bound;
        }
    *reason = "Not known without running it.";
    return FH_BOUND_HOST;
}

double fh_peak16(const fh_soc *soc)
{
    return soc->derived16 > 0 && (soc->matrix16 <= 0 || soc->derived16 < soc->matrix16)
               ? soc->derived16
               : soc->matrix16;
}

double fh_peak32(const fh_soc *soc)
{
    return soc->matrix32;
}

bool fh_speed_range(const fh_soc *chip, const fh_soc *baseline, fh_bound bound, double *low,
                    double *high)
{
    double ours, theirs;
    switch (bound) {
    case FH_BOUND_COMPUTE:
        ours = fh_peak16(chip);
        theirs = fh_peak16(baseline);
        break;
    case FH_BOUND_MEMORY:
        ours = chip->bandwidth;
        theirs = baseline->bandwidth;
        break;
    case FH_BOUND_COMMUNICATION:
        ours = chip->scale_up;
        theirs = baseline->scale_up;
        break;
    default:
        return false;
    }
    if (ours <= 0 || theirs <= 0)
        return false;
    *low = ours / theirs * LOW_FACTOR;
    *high = ours / theirs * HIGH_FACTOR;
    return true;
}
