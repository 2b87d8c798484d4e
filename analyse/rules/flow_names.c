/* Operator classes by name. The tables of facts/ give the coarse class; this splits it where
 * fusion needs it finer. */
#include "analyse/rules/flow_names.h"

#include <ctype.h>
#include <string.h>

typedef struct {
    const char *name;
    fh_flow_class class;
} named_class;

// clang-format off
/* By the last part of the name, without a final '_'. */
static const named_class by_last_part[] = {
    {"Linear",           FH_FLOW_LINEAR},
    {"LazyLinear",       FH_FLOW_LINEAR},
    {"linear",           FH_FLOW_LINEAR},
    {"Bilinear",         FH_FLOW_OTHER},
    {"bilinear",         FH_FLOW_OTHER},
    {"layer_norm",       FH_FLOW_NORM},
    {"LayerNorm",        FH_FLOW_NORM},
    {"rms_norm",         FH_FLOW_RMS_NORM},
    {"RMSNorm",          FH_FLOW_RMS_NORM},
    {"softmax",          FH_FLOW_SOFTMAX},
    {"Softmax",          FH_FLOW_SOFTMAX},
    {"log_softmax",      FH_FLOW_REDUCTION},
    {"LogSoftmax",       FH_FLOW_REDUCTION},
    {"softmin",          FH_FLOW_REDUCTION},
    {"Softmin",          FH_FLOW_REDUCTION},
    {"Softmax2d",        FH_FLOW_REDUCTION},
    {"gumbel_softmax",   FH_FLOW_REDUCTION},
    {"glu",              FH_FLOW_SELECT},
    {"GLU",              FH_FLOW_SELECT},
    {"where",            FH_FLOW_MASK},
    {"masked_fill",      FH_FLOW_MASK},
    {"tril",             FH_FLOW_MASK},
    {"triu",             FH_FLOW_MASK},
    {"cat",              FH_FLOW_JOIN},
    {"concat",           FH_FLOW_JOIN},
    {"concatenate",      FH_FLOW_JOIN},
    {"stack",            FH_FLOW_JOIN},
    {"hstack",           FH_FLOW_JOIN},
    {"vstack",           FH_FLOW_JOIN},
    {"chunk",            FH_FLOW_SELECT},
    {"split",            FH_FLOW_SELECT},
    {"tensor_split",     FH_FLOW_SELECT},
    {"unbind",           FH_FLOW_SELECT},
    {"narrow",           FH_FLOW_SELECT},
    {"select",           FH_FLOW_SELECT},
    {"expand",           FH_FLOW_SHAPE},
    {"view_as_complex",  FH_FLOW_OTHER},
    {"view_as_real",     FH_FLOW_OTHER},
    {"Identity",         FH_FLOW_CAST},
    {"to",               FH_FLOW_CAST},
    {"type",             FH_FLOW_CAST},
    {"type_as",          FH_FLOW_CAST},
    {"float",            FH_FLOW_CAST},
    {"half",             FH_FLOW_CAST},
    {"bfloat16",         FH_FLOW_CAST},
    {"double",           FH_FLOW_CAST},
    {"contiguous",       FH_FLOW_CAST},
    {"clone",            FH_FLOW_CAST},
    {"cuda",             FH_FLOW_CAST},
    {"npu",              FH_FLOW_CAST},
    {"einsum",           FH_FLOW_MATMUL},
    {"equal",            FH_FLOW_OTHER}, /* a truth value, on the host */
    {NULL,               FH_FLOW_OTHER},
};

/* By the class that facts/support/api.tsv gives. */
static const named_class by_class[] = {
    {"matmul",      FH_FLOW_MATMUL},
    {"convolution", FH_FLOW_CONVOLUTION},
    {"activation",  FH_FLOW_ACTIVATION},
    {"elementwise", FH_FLOW_ELEMENTWISE},
    {"reduction",   FH_FLOW_REDUCTION},
    {"embedding",   FH_FLOW_EMBEDDING},
    {"shape",       FH_FLOW_SHAPE},
    {"loss",        FH_FLOW_LOSS},
    {NULL,          FH_FLOW_OTHER},
};

/* Methods that are the same on whatever has them; a receiver of unknown type is taken for a
 * tensor. */
static const named_class by_method[] = {
    {"view",        FH_FLOW_SHAPE},  {"reshape",     FH_FLOW_SHAPE},
    {"transpose",   FH_FLOW_SHAPE},  {"permute",     FH_FLOW_SHAPE},
    {"flatten",     FH_FLOW_SHAPE},  {"unsqueeze",   FH_FLOW_SHAPE},
    {"expand",      FH_FLOW_SHAPE},  {"expand_as",   FH_FLOW_SHAPE},
    {"to",          FH_FLOW_CAST},   {"float",       FH_FLOW_CAST},
    {"type_as",     FH_FLOW_CAST},   {"contiguous",  FH_FLOW_CAST},
    {"half",        FH_FLOW_CAST},   {"masked_fill", FH_FLOW_MASK},
    {"chunk",       FH_FLOW_SELECT}, {"unbind",      FH_FLOW_SELECT},
    {"matmul",      FH_FLOW_MATMUL}, {"bmm",         FH_FLOW_MATMUL},
    {"softmax",     FH_FLOW_SOFTMAX},
    {NULL,          FH_FLOW_OTHER},
};

static const char *const activation_attributes[] = {
    "act", "act1", "act2", "act_fn", "act_fct", "activation", "activation_fn",
    "activation_function", "hidden_act", "intermediate_act_fn", "transform_act_fn", "nonlinearity",
    "non_linearity", "relu", "gelu", "silu", "swish", NULL};

static const char *const own_activations[] = {
    "gelu", "gelu_new", "gelu_fast", "gelu_python", "quick_gelu", "new_gelu", "fast_gelu",
    "gelu_impl", "quickgelu", "newgelu", "newgeluactivation", "geluactivation",
    "quickgeluactivation", "fastgeluactivation", "pytorchgelutanh", "gelutanh", "swish", "silu",
    "siluactivation", "mish", "mishactivation", "relu", "relusquared", "relusquaredactivation",
    "squared_relu", "hardswish", "hard_swish", "hardsigmoid", "hard_sigmoid", "memoryefficientswish",
    NULL};
// clang-format on

static bool find(const named_class *table, fh_text name, fh_flow_class *class)
{
    for (; table->name; table++)
        if (fh_text_is(name, table->name)) {
            *class = table->class;
            return true;
        }
    return false;
}

static fh_text without_underscore(fh_text name)
{
    if (name.length > 1 && name.data[name.length - 1] == '_' && name.data[name.length - 2] != '_')
        name.length--;
    return name;
}

static fh_flow_class norm_class(fh_text last)
{
    if (fh_text_contains(last, "BatchNorm") || fh_text_starts(last, "batch_norm"))
        return FH_FLOW_BATCH_NORM;
    return FH_FLOW_OTHER_NORM;
}

static fh_flow_class random_class(fh_text last)
{
    return fh_text_contains(last, "ropout") ? FH_FLOW_DROPOUT : FH_FLOW_OTHER;
}

fh_flow_class fh_flow_class_of(fh_text name, const fh_api *api)
{
    fh_text last = without_underscore(fh_text_last_part(name));
    fh_flow_class class = FH_FLOW_OTHER;
    if (fh_text_starts(name, "einops.") &&
        (fh_text_is(last, "rearrange") || fh_text_is(last, "repeat") ||
         fh_text_is(last, "Rearrange")))
        return FH_FLOW_SHAPE;
    if (!fh_text_starts(name, "torch.")) {
        /* fairscale's and Megatron's parallel layers, bitsandbytes' Linear8bitLt, apex's norms. */
        if (fh_text_ends(last, "ParallelLinear") || fh_text_starts(last, "Linear8bit") ||
            fh_text_starts(last, "Linear4bit"))
            return FH_FLOW_LINEAR;
        if (fh_text_ends(last, "RMSNorm"))
            return FH_FLOW_RMS_NORM;
        return fh_text_is(last, "FusedLayerNorm") ? FH_FLOW_NORM : FH_FLOW_OTHER;
    }
    if (!api || !api->class.length)
        return FH_FLOW_OTHER;
    if (find(by_last_part, last, &class))
        return class;
    if (fh_text_is(api->class, "normalisation"))
        return norm_class(last);
    if (fh_text_is(api->class, "random"))
        return random_class(last);
    find(by_class, api->class, &class);
    return class;
}

fh_flow_class fh_flow_class_of_method(fh_text name)
{
    fh_flow_class class = FH_FLOW_OTHER;
    find(by_method, without_underscore(name), &class);
    return class;
}

fh_flow_class fh_flow_class_of_attribute(fh_text name)
{
    if (fh_text_is_any(name, activation_attributes))
        return FH_FLOW_ACTIVATION;
    if (fh_text_contains(name, "drop"))
        return FH_FLOW_DROPOUT;
    return FH_FLOW_OTHER;
}

fh_flow_class fh_flow_class_of_own(fh_text name)
{
    char lower[40];
    if (name.length >= sizeof lower)
        return FH_FLOW_OTHER;
    for (size_t i = 0; i < name.length; i++)
        lower[i] = (char)tolower((unsigned char)name.data[i]);
    lower[name.length] = 0;
    fh_text text = {lower, name.length};
    if (fh_text_is_any(text, own_activations))
        return FH_FLOW_ACTIVATION;
    if (fh_text_ends(text, "rmsnorm") || fh_text_is(text, "rms_norm") ||
        fh_text_is(text, "t5layernorm"))
        return FH_FLOW_RMS_NORM;
    if (fh_text_ends(text, "layernorm") && !fh_text_contains(text, "ada"))
        return FH_FLOW_NORM;
    if (fh_text_contains(text, "droppath") || fh_text_contains(text, "drop_path") ||
        fh_text_contains(text, "stochasticdepth"))
        return FH_FLOW_DROPOUT;
    return FH_FLOW_OTHER;
}
