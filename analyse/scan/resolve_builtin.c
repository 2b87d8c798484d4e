/* Functions of Python itself that give something known: getattr, super, functools.partial, ... */
#include "analyse/scan/resolve_build.h"

#include <string.h>

typedef void call_function(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                           fh_certainty certainty, fh_meanings *out);

/* functools.partial(f, ...) stands for f wherever only the callee matters. */
static void call_partial(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                         fh_certainty certainty, fh_meanings *out)
{
    fh_meanings inner;
    fh_resolve(resolver, unit, fh_call_argument(fh_resolver_unit(resolver, unit), call, 0, NULL),
               &inner);
    fh_meanings_add_all(out, &inner, certainty);
}

static void call_getattr(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                         fh_certainty certainty, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    fh_text name;
    fh_certainty how;
    fh_meanings bases, found = {0};
    if (fh_resolve_string(resolver, unit, fh_call_argument(u, call, 1, NULL), &name, &how, NULL)) {
        fh_resolve(resolver, unit, fh_call_argument(u, call, 0, NULL), &bases);
        for (uint32_t i = 0; i < bases.count; i++)
            fh_resolve_attribute(resolver, &bases.items[i], name, &found);
        fh_meanings_add_all(out, &found, how < certainty ? how : certainty);
    }
    /* The default, when the object is one that nothing is known of. */
    bool unknown =
        !found.count || (found.items[0].kind == FH_MEANS_EXTERNAL &&
                         fh_text_contains(fh_resolver_path(resolver, found.items[0].path), "()."));
    fh_meanings otherwise;
    fh_resolve(resolver, unit, fh_call_argument(u, call, 2, NULL), &otherwise);
    if (unknown)
        fh_meanings_add_all(out, &otherwise, FH_LIKELY);
}

/* eval("nn.Linear"): a dotted name that the module binds. */
static void call_eval(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                      fh_certainty certainty, fh_meanings *out)
{
    fh_text text, part;
    fh_certainty how;
    if (!fh_resolve_string(resolver, unit,
                           fh_call_argument(fh_resolver_unit(resolver, unit), call, 0, NULL), &text,
                           &how, NULL))
        return;
    for (size_t i = 0; i < text.length; i++)
        if (strchr("()[]{} +-*/\"',:=", text.data[i]))
            return;
    fh_meanings now = {0};
    if (!fh_text_next(&text, '.', &part) || !fh_resolve_module_name(resolver, unit, part, &now))
        return;
    while (fh_text_next(&text, '.', &part)) {
        fh_meanings next = {0};
        for (uint32_t i = 0; i < now.count; i++)
            fh_resolve_attribute(resolver, &now.items[i], part, &next);
        now = next;
    }
    how = how < certainty ? how : certainty;
    fh_meanings_add_all(out, &now, how < FH_LIKELY ? how : FH_LIKELY);
}

/* super(): the object, whose attributes are looked up behind the class that the method stands in.
 * super(C, self) says which class that is. */
static void call_super(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                       fh_certainty certainty, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    fh_value_index named = fh_call_argument(u, call, 0, NULL);
    fh_meanings classes = {0};
    if (named) {
        fh_resolve(resolver, unit, named, &classes);
    } else {
        uint32_t function = call->function;
        while (function && !u->functions.items[function].class)
            function = u->functions.items[function].parent;
        if (function)
            fh_meanings_add(&classes, fh_meaning_of(FH_MEANS_CLASS, FH_CERTAIN, 0, unit,
                                                    u->functions.items[function].class));
    }
    for (uint32_t i = 0; i < classes.count; i++) {
        const fh_meaning *class = &classes.items[i];
        if (class->kind == FH_MEANS_CLASS)
            fh_meanings_add(
                out, fh_meaning_of(FH_MEANS_OBJECT,
                                   class->certainty < certainty ? class->certainty : certainty,
                                   resolver->super, class->unit, class->index));
    }
}

static void import_text(fh_resolver *resolver, uint32_t unit, fh_text path, fh_certainty certainty,
                        fh_meanings *out)
{
    fh_meanings found = {0};
    fh_resolve_import(resolver, unit, path, &found);
    fh_meanings_add_all(out, &found, certainty);
}

/* importlib.import_module("torch.nn") */
static void call_import_module(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                               fh_certainty certainty, fh_meanings *out)
{
    fh_text path;
    fh_certainty how;
    fh_value_index name = fh_call_argument(fh_resolver_unit(resolver, unit), call, 0, "name");
    if (fh_resolve_string(resolver, unit, name, &path, &how, NULL) && path.length)
        import_text(resolver, unit, path, how < certainty ? how : certainty, out);
}

/* __import__("a.b") is a, __import__("a.b", fromlist=[...]) is a.b. */
static void call_import(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                        fh_certainty certainty, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    fh_text path;
    fh_certainty how;
    if (!fh_resolve_string(resolver, unit, fh_call_argument(u, call, 0, "name"), &path, &how,
                           NULL) ||
        !path.length)
        return;
    const fh_value *list = fh_unit_value(u, fh_call_argument(u, call, 3, "fromlist"));
    if (list->kind == FH_VALUE_UNKNOWN || list->kind == FH_VALUE_NONE ||
        ((list->kind == FH_VALUE_LIST || list->kind == FH_VALUE_TUPLE) && !list->b))
        path = fh_text_slice(path, 0, fh_text_find(path, '.'));
    import_text(resolver, unit, path, how < certainty ? how : certainty, out);
}

/* field(default=...), field(default_factory=...) of a dataclass: the value of the field. */
static void call_field(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                       fh_certainty certainty, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    fh_value_index factory = fh_call_argument(u, call, -1, "default_factory");
    fh_meanings given, made = {0};
    fh_resolve(resolver, unit, factory ? factory : fh_call_argument(u, call, -1, "default"),
               &given);
    if (factory)
        fh_resolve_callees(resolver, unit, call, &given, &made);
    fh_meanings_add_all(out, factory ? &made : &given, certainty);
}

/* next(x): an element of x. */
static void call_next(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                      fh_certainty certainty, fh_meanings *out)
{
    fh_meanings elements = {0};
    fh_resolve_elements(resolver, unit,
                        fh_call_argument(fh_resolver_unit(resolver, unit), call, 0, NULL),
                        FH_ELEMENT_KEY, &elements);
    fh_meanings_add_all(out, &elements, certainty);
}

/* functools.reduce(f, xs): what f gives. */
static void call_reduce(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                        fh_certainty certainty, fh_meanings *out)
{
    fh_meanings functions, given = {0};
    fh_resolve(resolver, unit, fh_call_argument(fh_resolver_unit(resolver, unit), call, 0, NULL),
               &functions);
    fh_resolve_callees(resolver, unit, call, &functions, &given);
    fh_meanings_add_all(out, &given, certainty);
}

/* os.environ.get("NAME", default): what it gives where the environment says nothing. */
static void call_getenv(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                        fh_certainty certainty, fh_meanings *out)
{
    const fh_unit *u = fh_resolver_unit(resolver, unit);
    fh_meanings otherwise;
    fh_resolve(resolver, unit, fh_call_argument(u, call, 1, "default"), &otherwise);
    fh_meanings_add_all(out, &otherwise, certainty < FH_LIKELY ? certainty : FH_LIKELY);
}

bool fh_resolve_builtin_call(fh_resolver *resolver, uint32_t unit, const fh_call *call,
                             const fh_meaning *callee, fh_meanings *out)
{
    static const struct {
        const char *path;
        call_function *function;
    } functions[] = {
        {"builtins.getattr", call_getattr},
        {"builtins.super", call_super},
        {"builtins.eval", call_eval},
        {"builtins.__import__", call_import},
        {"functools.partial", call_partial},
        {"builtins.next", call_next},
        {"functools.reduce", call_reduce},
        {"builtins.reduce", call_reduce},
        {"dataclasses.field", call_field},
        {"pydantic.Field", call_field},
        {"attr.ib", call_field},
        {"attrs.field", call_field},
        {"importlib.import_module", call_import_module},
        {"os.getenv", call_getenv},
        {"os.environ.get", call_getenv},
        {"os.environ.setdefault", call_getenv},
        {"os.environ.pop", call_getenv},
    };
    fh_text path = fh_resolver_path(resolver, callee->path);
    if (!path.length || !strchr("abdfiop", path.data[0]))
        return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (fh_text_is(path, functions[i].path)) {
            uint32_t before = out->count;
            functions[i].function(resolver, unit, call, (fh_certainty)callee->certainty, out);
            return functions[i].function != call_getenv || out->count > before;
        }
    return false;
}
