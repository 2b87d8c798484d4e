/* Annotations: objects of the class that one names, also in quotes or in what wraps it, as in
 * Optional[Tensor]. */
#include "analyse/scan/resolve_build.h"

/* list[Tensor], Tuple[Tensor, ...]: of containers only those of tensors count. */
static void sequence_annotation(fh_resolver *resolver, uint32_t unit, fh_value_index element,
                                fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *of = fh_unit_value(u, element);
    fh_meanings first = {0};
    fh_resolve_annotation(resolver, unit,
                          of->kind == FH_VALUE_TUPLE && of->b ? u->lists.items[of->a] : element,
                          &first);
    if (first.count && first.items[0].path == resolver->tensor)
        fh_meanings_add(out,
                        fh_meaning_of(FH_MEANS_INSTANCE, FH_CERTAIN, resolver->tensors, unit, 0));
}

/* Optional[Tensor], Union[Tensor, None], Annotated[Tensor, ...]. */
static void wrapped_annotation(fh_resolver *resolver, uint32_t unit, const fh_value *value,
                               fh_meanings *out)
{
    static const char *const sequences[] = {"typing.List",
                                            "typing.Tuple",
                                            "typing.Sequence",
                                            "typing.Iterable",
                                            "builtins.list",
                                            "builtins.tuple",
                                            NULL};
    fh_meaning wrapper;
    if (!fh_resolve_external(resolver, unit, value->a, &wrapper))
        return;
    fh_text path = fh_resolver_path(resolver, wrapper.path);
    if (fh_text_is_any(path, sequences)) {
        sequence_annotation(resolver, unit, value->b, out);
        return;
    }
    if (!fh_text_ends(path, ".Optional") && !fh_text_ends(path, ".Union") &&
        !fh_text_ends(path, ".Annotated"))
        return;
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *index = fh_unit_value(u, value->b);
    if (index->kind != FH_VALUE_TUPLE)
        fh_resolve_annotation(resolver, unit, value->b, out);
    for (uint32_t i = 0; index->kind == FH_VALUE_TUPLE && i < index->b; i++)
        fh_resolve_annotation(resolver, unit, u->lists.items[index->a + i], out);
}

static void quoted_annotation(fh_resolver *resolver, uint32_t unit, fh_text text, fh_meanings *out)
{
    static const char *const tensors[] = {"Tensor",
                                          "torch.Tensor",
                                          "Optional[Tensor]",
                                          "Optional[torch.Tensor]",
                                          "Tensor | None",
                                          "torch.Tensor | None",
                                          NULL};
    if (fh_text_is_any(text, tensors))
        fh_meanings_add(out,
                        fh_meaning_of(FH_MEANS_INSTANCE, FH_CERTAIN, resolver->tensor, unit, 0));
}

static void class_annotation(fh_resolver *resolver, uint32_t unit, fh_value_index annotation,
                             fh_meanings *out)
{
    static const char *const numbers[] = {"builtins.int", "builtins.float", "builtins.bool", NULL};
    fh_meanings classes;
    fh_resolve(resolver, unit, annotation, &classes);
    for (uint32_t i = 0; i < classes.count; i++) {
        fh_meaning m = classes.items[i];
        if (m.kind == FH_MEANS_CLASS) {
            fh_meanings_add(out, fh_meaning_of(FH_MEANS_OBJECT, m.certainty, 0, m.unit, m.index));
        } else if (m.kind == FH_MEANS_EXTERNAL) {
            bool number = fh_text_is_any(fh_resolver_path(resolver, m.path), numbers);
            fh_meanings_add(out, fh_meaning_of(FH_MEANS_INSTANCE, m.certainty,
                                               number ? resolver->number : m.path, unit, 0));
        }
    }
}

void fh_resolve_annotation(fh_resolver *resolver, uint32_t unit, fh_value_index annotation,
                           fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    const fh_value *value = fh_unit_value(u, annotation);
    if (value->kind == FH_VALUE_BINARY && value->op == FH_OP_BIT_OR) { /* Tensor | None */
        if (!fh_resolver_descend(resolver))
            return;
        fh_resolve_annotation(resolver, unit, value->a, out);
        fh_resolve_annotation(resolver, unit, value->b, out);
        fh_resolver_ascend(resolver);
    } else if (value->kind == FH_VALUE_SUBSCRIPT) {
        wrapped_annotation(resolver, unit, value, out);
    } else if (value->kind == FH_VALUE_STRING) {
        quoted_annotation(resolver, unit, fh_unit_text(u, value->a), out);
    } else {
        class_annotation(resolver, unit, annotation, out);
    }
}
