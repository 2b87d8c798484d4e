/* What the table of PyTorch's names does not say: fields of results, distributions, containers of a
 * module, and which classes of other packages are modules. Read in the packages named, 2026-11-30.
 */
#include "analyse/scan/resolve_build.h"

#include <ctype.h>

/* True for BertForMaskedLM: a class made for a task. */
static bool is_for_task(fh_text class)
{
    for (size_t i = 1; i + 3 < class.length; i++)
        if (class.data[i] == 'F' && class.data[i + 1] == 'o' && class.data[i + 2] == 'r' &&
            isupper((unsigned char)class.data[i + 3]))
            return true;
    return false;
}

/* The path without the call of a method that makes an object of the class. */
static fh_text made_from(fh_text path)
{
    static const char *const makers[] = {".from_pretrained()", ".from_config()", "._from_config()",
                                         ".from_single_file()", NULL};
    for (const char *const *maker = makers; *maker; maker++)
        if (fh_text_ends(path, *maker))
            return fh_text_slice(path, 0, path.length - strlen(*maker));
    return path;
}

/* transformers 5.24.0, diffusers 0.42.1, peft 0.21.2, timm 1.0.31, open_clip 3.3.0; functions of
 * torchvision.models and torch.hub.load by PyTorch's documentation. */
bool fh_known_module(fh_text path)
{
    static const char *const functions[] = {"timm.create_model()",
                                            "timm.models.create_model()",
                                            "open_clip.create_model()",
                                            "peft.get_peft_model()",
                                            "torchvision.models.get_model()",
                                            "peft.prepare_model_for_kbit_training()",
                                            NULL};
    static const char *const no_models[] = {
        "torchvision.models.list_models()", "torchvision.models.get_weight()",
        "torchvision.models.get_model_weights()", "torchvision.models.get_model_builder()", NULL};
    if (fh_text_is_any(path, functions))
        return true;
    if (fh_text_starts(path, "torchvision.models.") && fh_text_ends(path, "()"))
        return !fh_text_is_any(path, no_models) &&
               islower((unsigned char)fh_text_last_part(path).data[0]);
    fh_text class = fh_text_last_part(made_from(path));
    if (!class.length || !isupper((unsigned char)class.data[0]) || fh_text_ends(class, ")"))
        return false;
    if (fh_text_is(class, "LightningModule"))
        return true;
    if (fh_text_starts(path, "transformers."))
        return fh_text_ends(class, "Model") ||
               (is_for_task(class) && !fh_text_starts(class, "DataCollator") &&
                !fh_text_ends(class, "Output"));
    if (fh_text_starts(path, "diffusers."))
        return fh_text_ends(class, "Model") || fh_text_ends(class, "ModelMixin") ||
               (fh_text_starts(class, "Autoencoder") && !fh_text_ends(class, "Output"));
    if (fh_text_starts(path, "peft."))
        return fh_text_starts(class, "Peft") &&
               (fh_text_ends(class, "Model") || is_for_task(class));
    return fh_text_starts(path, "sentence_transformers.") &&
           fh_text_is(class, "SentenceTransformer");
}

/* Fields of the named tuples in torch.return_types (torch 2.13.0) that are tensors. */
static const char *const result_fields[] = {"values",
                                            "indices",
                                            "U",
                                            "S",
                                            "V",
                                            "Vh",
                                            "Q",
                                            "R",
                                            "L",
                                            "P",
                                            "LU",
                                            "LD",
                                            "pivots",
                                            "eigenvalues",
                                            "eigenvectors",
                                            "sign",
                                            "logabsdet",
                                            "solution",
                                            "cloned_coefficient",
                                            "residuals",
                                            "rank",
                                            "singular_values",
                                            "hist",
                                            "bin_edges",
                                            "min",
                                            "max",
                                            "mantissa",
                                            "exponent",
                                            "inverse",
                                            "info",
                                            "result",
                                            "a",
                                            "tau",
                                            NULL};

/* Reductions that give a tensor, or with a dimension a tuple of values and indices. */
static bool may_have_fields(const fh_resolver *resolver, const fh_meaning *base)
{
    static const char *const reductions[] = {"max", "min", "median", "nanmedian", NULL};
    if (!base->index)
        return false;
    const fh_unit *u = fh_resolver_unit(resolver, base->unit);
    const fh_value *made = fh_unit_value(u, base->index);
    if (made->kind != FH_VALUE_CALL)
        return false;
    const fh_value *callee = fh_unit_value(u, u->calls.items[made->a].callee);
    return callee->kind == FH_VALUE_ATTRIBUTE &&
           fh_text_is_any(fh_unit_text(u, callee->b), reductions);
}

/* Properties and parameters of distributions that are tensors (torch 2.13.0, torch/distributions).
 */
static const char *const distribution_tensors[] = {"mean",
                                                   "mode",
                                                   "variance",
                                                   "stddev",
                                                   "probs",
                                                   "logits",
                                                   "loc",
                                                   "scale",
                                                   "rate",
                                                   "concentration",
                                                   "concentration0",
                                                   "concentration1",
                                                   "covariance_matrix",
                                                   "precision_matrix",
                                                   "scale_tril",
                                                   "low",
                                                   "high",
                                                   "df",
                                                   "temperature",
                                                   NULL};

static bool is_distribution(fh_text path)
{
    return fh_text_starts(path, "torch.distributions.") && !fh_text_ends(path, "Transform") &&
           !fh_text_ends(path, "()");
}

bool fh_known_attribute(fh_resolver *resolver, const fh_meaning *base, fh_text name,
                        fh_meanings *out)
{
    fh_symbol tensor = resolver->tensor;
    bool known = false;
    if (base->path == resolver->tensors)
        known = fh_text_is_any(name, result_fields);
    else if (base->path == tensor)
        known = (fh_text_is(name, "values") || fh_text_is(name, "indices")) &&
                may_have_fields(resolver, base);
    else
        known = is_distribution(fh_resolver_path(resolver, base->path)) &&
                fh_text_is_any(name, distribution_tensors);
    if (known)
        fh_meanings_add(out, fh_meaning_of(FH_MEANS_INSTANCE, (fh_certainty)base->certainty, tensor,
                                           base->unit, 0));
    return known;
}

bool fh_known_result(fh_resolver *resolver, fh_text path, fh_symbol *of)
{
    static const char *const methods[] = {"sample",     "rsample", "sample_n", "log_prob",
                                          "entropy",    "cdf",     "icdf",     "enumerate_support",
                                          "perplexity", NULL};
    if (!fh_text_starts(path, "torch.distributions."))
        return false;
    fh_text method = fh_text_last_part(path),
            owner = fh_text_slice(path, 0, path.length - method.length);
    *of = resolver->tensor;
    if (fh_text_is(method, "kl_divergence"))
        return true;
    if (!owner.length ||
        !isupper(
            (unsigned char)fh_text_last_part(fh_text_slice(owner, 0, owner.length - 1)).data[0]))
        return false;
    if (fh_text_is_any(method, methods))
        return true;
    if (!fh_text_is(method, "expand"))
        return false;
    *of = fh_resolver_intern(resolver, fh_text_slice(owner, 0, owner.length - 1));
    return *of != 0;
}

bool fh_known_elements(const fh_resolver *resolver, fh_text path, uint32_t position,
                       fh_element_kind kind, fh_symbol *of)
{
    static const char *const tensors[] = {"parameters()", "buffers()", NULL};
    static const char *const modules[] = {"children()", "modules()", NULL};
    if (!fh_text_starts(path, "torch.nn.Module."))
        return false;
    fh_text name = fh_text_slice(path, strlen("torch.nn.Module."), path.length);
    if (fh_text_is(name, "state_dict()")) {
        *of = resolver->tensor;
        return kind == FH_ELEMENT_VALUE;
    }
    bool named = fh_text_starts(name, "named_");
    if (named != (position == 1))
        return false;
    if (named)
        name = fh_text_slice(name, strlen("named_"), name.length);
    *of = fh_text_is_any(name, tensors) ? resolver->tensor : resolver->module;
    return fh_text_is_any(name, tensors) || fh_text_is_any(name, modules);
}
