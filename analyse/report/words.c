#include "analyse/report/words.h"

fh_word fh_word_of_support(fh_support support)
{
    static const fh_word words[] = {
        [FH_SUPPORT_NATIVE] = {"native", "Has its own kernel on the NPU."},
        [FH_SUPPORT_LIMITED] = {"limited",
                                "Runs natively, but only for some dtypes, shapes or chips."},
        [FH_SUPPORT_DECOMPOSED] = {"decomposed",
                                   "Has no kernel of its own; PyTorch breaks it up into "
                                   "operators that run natively."},
        [FH_SUPPORT_FALLBACK] =
            {"CPU fallback", "Runs on the CPU: at each call the inputs are copied to the host, the "
                             "device waits, and the result is copied back."},
        [FH_SUPPORT_REFUSED] = {"refused", "Raises an error on this chip and release."},
        [FH_SUPPORT_UNKNOWN] = {"unknown",
                                "No source says. Try it on the chip before relying on it."},
    };
    return words[support];
}

fh_word fh_word_of_severity(fh_severity severity)
{
    static const fh_word words[] = {
        [FH_SEVERITY_NOTE] = {"note", "Worth knowing, or a chance to run faster."},
        [FH_SEVERITY_WARNING] = {"warning", "Runs, but slower or otherwise than meant."},
        [FH_SEVERITY_ERROR] = {"error", "Stops the program, or makes its result wrong."},
    };
    return words[severity];
}

typedef struct {
    const char *name, *label;
} pair;

static fh_text look_up(const pair *pairs, size_t count, fh_text name)
{
    for (size_t i = 0; i < count; i++)
        if (fh_text_is(name, pairs[i].name))
            return fh_text_from(pairs[i].label);
    return name;
}

fh_text fh_word_of_class(fh_text name)
{
    static const pair pairs[] = {
        {"matmul", "Matrix multiplication"},
        {"convolution", "Convolution"},
        {"attention", "Attention"},
        {"normalisation", "Normalisation"},
        {"activation", "Activation"},
        {"embedding", "Embedding"},
        {"recurrent", "Recurrent"},
        {"loss", "Loss"},
        {"reduction", "Reduction"},
        {"optimiser", "Optimiser"},
        {"elementwise", "Element-wise"},
        {"indexing", "Indexing"},
        {"pooling", "Pooling"},
        {"collective", "Collective"},
        {"random", "Random numbers"},
        {"creation", "Creation"},
        {"shape", "Shape"},
        {"other", "Other"},
        {"", "Other"},
    };
    return look_up(pairs, sizeof pairs / sizeof *pairs, name);
}

fh_text fh_word_of_bound(fh_text name)
{
    static const pair pairs[] = {
        {"compute", "arithmetic"},
        {"memory", "memory bandwidth"},
        {"host", "the host"},
        {"communication", "links between chips"},
    };
    return look_up(pairs, sizeof pairs / sizeof *pairs, name);
}
