/* Packages without an Ascend version, with a counterpart, or that work in part: where a program
 * imports them, and where it uses them. */
#include "analyse/rules/support.h"
#include "analyse/rules/unit_index.h"

#include <string.h>

/* One step less, for code that does not run where the package is missing. */
static fh_severity lowered(fh_severity severity)
{
    return severity > FH_SEVERITY_NOTE ? (fh_severity)(severity - 1) : severity;
}

static fh_text root_of(fh_text path)
{
    return fh_text_slice(path, 0, fh_text_find(path, '.'));
}

/* torch.ops.torchvision.nms, torch.ops.torchvision.nms.default: the operators themselves. */
#define REGISTERED "torch.ops.torchvision."

/* torchvision.ops.boxes.nms and torch.ops.torchvision.nms are torchvision.ops.nms: the path that
 * the table knows, else `path`. */
static fh_text canonical(fh_rule_run *run, fh_text path)
{
    static const char start[] = "torchvision.ops.";
    fh_text last = fh_text_last_part(path);
    if (fh_text_starts(path, REGISTERED))
        last = root_of(fh_text_slice(path, sizeof REGISTERED - 1, path.length));
    size_t length = sizeof start - 1 + last.length;
    if (!fh_text_starts(path, REGISTERED) &&
        (!fh_text_starts(path, start) || path.length == length))
        return path;
    char *text = fh_arena_alloc(run->arena, length);
    if (!text)
        return path;
    memcpy(text, start, sizeof start - 1);
    memcpy(text + sizeof start - 1, last.data, last.length);
    return (fh_text){text, length};
}

/* `if TYPE_CHECKING:` is never run. */
static bool is_for_types_only(const fh_rule_run *run, uint32_t block)
{
    const fh_unit *u = run->unit;
    for (; block; block = u->blocks.items[block].parent) {
        if (u->blocks.items[block].kind != FH_BLOCK_IF)
            continue;
        const fh_value *v = fh_unit_value(u, u->blocks.items[block].value);
        fh_symbol name = v->kind == FH_VALUE_ATTRIBUTE ? v->b
                         : v->kind == FH_VALUE_IMPORT  ? v->a
                                                       : 0;
        if (name && fh_text_is(fh_text_last_part(fh_unit_text(u, name)), "TYPE_CHECKING"))
            return true;
    }
    return false;
}

/* The module that a name is imported from: the path without its last part. */
static fh_text module_of(fh_text path)
{
    fh_text last = fh_text_last_part(path);
    return fh_text_slice(path, 0, path.length - last.length);
}

/* True for a name that stands in a line below its `from module import (`: the line has no room for
 * those words before it. */
static bool is_in_brackets(const fh_unit *u, const fh_import *import)
{
    fh_text module = module_of(fh_unit_text(u, import->path));
    size_t before = sizeof "from " - 1 + module.length + sizeof "import " - 1;
    return module.length && fh_unit_place(u, import->offset).column <= before;
}

/* Several names of one import statement, in one line or in brackets, give one finding. */
static bool is_told(const fh_unit *u, uint32_t index)
{
    if (index < 2)
        return false;
    const fh_import *import = &u->imports.items[index], *before = import - 1;
    fh_text path = fh_unit_text(u, import->path), other = fh_unit_text(u, before->path);
    if (fh_unit_place(u, import->offset).line == fh_unit_place(u, before->offset).line)
        return fh_text_equal(root_of(path), root_of(other));
    return import->block == before->block && fh_text_equal(module_of(path), module_of(other)) &&
           is_in_brackets(u, import) && is_in_brackets(u, before);
}

/* The `try` whose except clause `block` is: the last one before it beside it. */
static uint32_t try_of(const fh_unit *u, uint32_t block)
{
    uint32_t parent = u->blocks.items[block].parent;
    for (uint32_t i = block - 1; i; i--)
        if (u->blocks.items[i].kind == FH_BLOCK_TRY && u->blocks.items[i].parent == parent)
            return i;
    return 0;
}

/* The import of the same package in the body of the `try`, where `import` stands in its except
 * clause: `try: import x`, `except ImportError: install(); import x`. NULL when there is none. */
static const fh_import *first_try(const fh_rule_run *run, const fh_import *import)
{
    const fh_unit *u = run->unit;
    if (u->blocks.items[import->block].kind != FH_BLOCK_EXCEPT)
        return NULL;
    uint32_t body = try_of(u, import->block);
    fh_text root = root_of(fh_unit_text(u, import->path));
    fh_slice tried = body ? fh_imports_in(run, body) : (fh_slice){0};
    for (uint32_t i = 0; i < tried.count; i++)
        if (fh_text_equal(root_of(fh_unit_text(u, u->imports.items[tried.items[i]].path)), root))
            return &u->imports.items[tried.items[i]];
    return NULL;
}

/* By import: 1 where it is what first_try gives of another one. In the scratch arena; NULL when
 * memory ran out. */
static const uint8_t *find_retried(const fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    uint8_t *retried = fh_arena_alloc(run->scratch, u->imports.count);
    if (!retried)
        return NULL;
    memset(retried, 0, u->imports.count);
    for (uint32_t i = 1; i < u->imports.count; i++) {
        const fh_import *first = first_try(run, &u->imports.items[i]);
        if (first)
            retried[first - u->imports.items] = 1;
    }
    return retried;
}

typedef enum {
    PLAIN,   /* where it fails, the program stops */
    INSTEAD, /* so too, but it runs only where something else failed */
    GUARDED  /* the program asks before, or goes on without */
} guard;

static guard guard_of(const fh_unit *u, const fh_import *import, bool is_retried)
{
    bool instead = false;
    if (!import->guarded)
        return PLAIN;
    if (is_retried)
        return PLAIN;
    for (uint32_t b = import->block; b; b = u->blocks.items[b].parent) {
        uint32_t kind = u->blocks.items[b].kind;
        if (kind == FH_BLOCK_TRY || kind == FH_BLOCK_IF || kind == FH_BLOCK_ELSE)
            return GUARDED;
        if (kind == FH_BLOCK_FUNCTION || kind == FH_BLOCK_MODULE)
            break;
        instead |= kind == FH_BLOCK_EXCEPT;
    }
    return instead ? INSTEAD : GUARDED;
}

static const char *words_of(guard how)
{
    static const char *const words[] = {"", " (imported in an except clause)",
                                        " (the import is guarded)"};
    return words[how];
}

/* What an import that fails costs: at the top of a file the program; one step less in a function,
 * which may never run, and a note where the program goes on without the package. */
static fh_severity severity_of_import(const fh_unit *u, const fh_import *import, guard how,
                                      fh_rule_index rule)
{
    fh_severity severity = fh_rule_at(rule)->severity;
    if (how != PLAIN)
        return FH_SEVERITY_NOTE;
    bool in_function = u->blocks.items[import->block].function != 0;
    return severity == FH_SEVERITY_ERROR && in_function ? lowered(severity) : severity;
}

/* What the strings in a function name of onnxruntime's providers; [0]: those of the whole file. */
enum { NAMES_PROVIDER = 1, NAMES_GPU_PROVIDER = 2 };

/* By function, in the scratch arena; NULL when memory ran out. */
static const uint8_t *find_providers(const fh_rule_run *run)
{
    static const char *const gpu[] = {"CUDAExecutionProvider",          "TensorrtExecutionProvider",
                                      "NvTensorRTRTXExecutionProvider", "ROCMExecutionProvider",
                                      "MIGraphXExecutionProvider",      NULL};
    const fh_unit *u = run->unit;
    uint8_t *named = fh_arena_alloc(run->scratch, u->functions.count + 1);
    if (!named)
        return NULL;
    memset(named, 0, u->functions.count + 1);
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        fh_text text = v->kind == FH_VALUE_STRING ? fh_unit_text(u, v->a) : (fh_text){0};
        if (!fh_text_ends(text, "ExecutionProvider"))
            continue;
        uint8_t names = fh_text_is_any(text, gpu) ? NAMES_GPU_PROVIDER : NAMES_PROVIDER;
        named[u->blocks.items[v->block].function] |= names;
        named[0] |= names;
    }
    return named;
}

/* onnxruntime's builds by the providers that a file, or the function that imports it, names: true
 * where it names some, and none that the table's row is about. The build of a vendor runs that
 * vendor's chips, the plain one the CPU.
 */
static bool names_other_providers(fh_rule_run *run, uint32_t function)
{
    if (!run->memo->providers)
        run->memo->providers = find_providers(run);
    return run->memo->providers && run->memo->providers[function] == NAMES_PROVIDER;
}

/* is_x_available() imports x to say whether it is there. */
static bool asks_for_it(const fh_unit *u, uint32_t block)
{
    fh_text name = fh_unit_text(u, u->functions.items[u->blocks.items[block].function].name);
    return fh_text_starts(name, "is_") && fh_text_ends(name, "_available");
}

/* An import of a package that is not simply there on Ascend. What is told of a package as a whole
 * stands at its import; uses of parts that have a row of their own are told one by one, and so are
 * all of torchvision's. */
static void check_import(fh_rule_run *run, uint32_t index, bool is_retried)
{
    const fh_unit *u = run->unit;
    const fh_import *import = &u->imports.items[index];
    fh_text path = fh_unit_text(u, import->path), rest, root = root_of(path);
    fh_package package;
    fh_rule_index rule;
    if (!path.length || path.data[0] == '.' || fh_text_is(root, "torch") ||
        fh_text_is(path, "torchvision") || is_for_types_only(run, import->block) ||
        asks_for_it(u, import->block) || is_told(u, index) || first_try(run, import) ||
        (fh_text_is(root, "onnxruntime") &&
         names_other_providers(run, u->blocks.items[import->block].function)))
        return;
    if (fh_package_find(canonical(run, path), &package) &&
        (package.verdict == FH_PACKAGE_RUNS || fh_text_starts(package.name, "torchvision.")))
        return; /* a part of the package that is fine by itself, or told where it is used */
    if (fh_program_module(run->program, run->unit_index, path, &rest) != FH_NO_UNIT ||
        !fh_package_find(root, &package) || !fh_package_rule(&package, &rule))
        return;
    guard how = guard_of(u, import, is_retried);
    fh_rule_report(run, rule, severity_of_import(u, import, how, rule), FH_CERTAIN,
                   (fh_spot){import->offset, 0, u->blocks.items[import->block].function},
                   package.name, "%.*s%s: %.*s", FH_TEXT_ARGS(package.name), words_of(how),
                   FH_TEXT_ARGS(fh_package_words(run, &package)));
}

/* True where a call has an `if` or `try` around it, so that the program can go on without. */
static bool is_call_guarded(const fh_unit *u, const fh_call *call)
{
    return fh_block_inside(u, call->block, FH_BLOCK_TRY) ||
           fh_block_inside(u, call->block, FH_BLOCK_IF) ||
           fh_block_inside(u, call->block, FH_BLOCK_ELSE);
}

/* importlib.import_module("package"), __import__("package"): as an import, where the package does
 * not simply work. */
static void check_import_call(fh_rule_run *run, const fh_call *call)
{
    const fh_unit *u = run->unit;
    fh_meaning callee;
    fh_text path, rest;
    fh_certainty certainty;
    fh_package package;
    fh_rule_index rule;
    if (!fh_resolve_external(run->resolver, run->unit_index, call->callee, &callee))
        return;
    fh_text name = fh_resolver_path(run->resolver, callee.path);
    if ((!fh_text_is(name, "builtins.__import__") &&
         !fh_text_is(name, "importlib.import_module")) ||
        !fh_resolve_string(run->resolver, run->unit_index, fh_call_argument(u, call, 0, "name"),
                           &path, &certainty, NULL) ||
        certainty < FH_LIKELY || asks_for_it(u, call->block) ||
        fh_program_module(run->program, run->unit_index, path, &rest) != FH_NO_UNIT ||
        !fh_package_find(root_of(path), &package) || !fh_package_rule(&package, &rule) ||
        (rule != FH_RULE_204 && rule != FH_RULE_205))
        return;
    bool guarded = is_call_guarded(u, call);
    fh_severity severity = fh_rule_at(rule)->severity;
    if (guarded)
        severity = FH_SEVERITY_NOTE;
    else if (call->function && severity == FH_SEVERITY_ERROR)
        severity = lowered(severity);
    fh_rule_report(run, rule, severity, certainty, fh_spot_of_call(u, call), package.name,
                   "%.*s%s: %.*s%s%.*s", FH_TEXT_ARGS(root_of(path)),
                   words_of(guarded ? GUARDED : PLAIN), FH_TEXT_ARGS(package.what),
                   package.advice.length ? " " : "", FH_TEXT_ARGS(package.advice));
}

/* A use of a function or class that has a row of its own, by `call` or (0) by its name alone.
 * Triton's are told by their kernels. */
static void check_use(fh_call_places *places, fh_symbol symbol, fh_certainty certainty,
                      fh_spot spot, uint32_t block, uint32_t call)
{
    fh_rule_run *run = places->run;
    fh_text path = fh_resolver_path(run->resolver, symbol);
    const fh_package *package = fh_resolver_package(run->resolver, symbol);
    fh_package other;
    fh_rule_index rule;
    /* transformers' and diffusers' way to bitsandbytes */
    if (!package && fh_text_ends(path, ".BitsAndBytesConfig"))
        package = fh_package_of(FH_TEXT("bitsandbytes"), &other) ? &other : NULL;
    bool registered = fh_text_starts(path, REGISTERED);
    if (!package && (registered || fh_text_starts(path, "torchvision.")))
        package = fh_package_of(canonical(run, path), &other) ? &other : NULL;
    if (!package || fh_text_find(path, '.') == path.length || fh_text_is(root_of(path), "triton") ||
        !fh_package_rule(package, &rule) || rule == FH_RULE_207)
        return;
    if (registered || fh_text_starts(path, "torchvision.ops."))
        rule = FH_RULE_214;
    if (rule == FH_RULE_214 && fh_call_is_on_host(places, call))
        return;
    fh_severity severity = fh_rule_at(rule)->severity;
    if (fh_block_inside(run->unit, block, FH_BLOCK_IF))
        severity = lowered(severity);
    fh_rule_report(run, rule, severity, certainty, spot, path, "%.*s: %.*s", FH_TEXT_ARGS(path),
                   FH_TEXT_ARGS(fh_package_words(run, package)));
}

/* Marks a class, or what a tuple of them, `A | B` and a choice hold. */
static void mark_classes(const fh_unit *u, fh_value_index value, uint8_t *marks, unsigned depth)
{
    const fh_value *v = fh_unit_value(u, value);
    if (!value || !depth)
        return;
    marks[value] = 1;
    if (v->kind == FH_VALUE_BINARY) {
        mark_classes(u, v->a, marks, depth - 1);
        mark_classes(u, v->b, marks, depth - 1);
    } else if (v->kind == FH_VALUE_TUPLE || v->kind == FH_VALUE_PHI) {
        for (uint32_t i = 0; i < v->b; i++)
            mark_classes(u, u->lists.items[v->a + i], marks, depth - 1);
    }
}

/* What is only asked about makes nothing and runs nothing: isinstance(x, C), hasattr(module, ...).
 */
static void mark_asked(const fh_unit *u, const fh_call *call, uint8_t *marks)
{
    const fh_value *callee = fh_unit_value(u, call->callee);
    fh_text name = callee->kind == FH_VALUE_NAME ? fh_unit_text(u, callee->a) : (fh_text){0};
    if (call->count != 2)
        return;
    if (fh_text_is(name, "isinstance") || fh_text_is(name, "issubclass"))
        mark_classes(u, u->arguments.items[call->arguments + 1].value, marks, 6);
    else if (fh_text_is(name, "hasattr"))
        marks[u->arguments.items[call->arguments].value] = 1;
}

/* Calls, and names of such functions that are handed on without a call. */
void fh_packages_check_uses(fh_rule_run *run, fh_call_places *places)
{
    const fh_unit *u = run->unit;
    uint8_t *used = fh_arena_alloc(run->scratch, u->values.count);
    if (!used)
        return;
    memset(used, 0, u->values.count);
    fh_meaning meaning;
    for (uint32_t i = 1; i < u->calls.count && !fh_rules_stop(i); i++) {
        const fh_call *call = &u->calls.items[i];
        used[call->callee] = 1;
        mark_asked(u, call, used);
        if (fh_resolve_external(run->resolver, run->unit_index, call->callee, &meaning))
            check_use(places, meaning.path, (fh_certainty)meaning.certainty,
                      fh_spot_of_call(u, call), call->block, i);
    }
    for (uint32_t i = 1; i < u->values.count; i++)
        if (u->values.items[i].kind == FH_VALUE_ATTRIBUTE)
            used[u->values.items[i].a] = 1;
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_ATTRIBUTE && !used[i] &&
            fh_resolve_external(run->resolver, run->unit_index, i, &meaning))
            check_use(places, meaning.path, (fh_certainty)meaning.certainty, fh_spot_of_value(u, i),
                      v->block, 0);
    }
}

void fh_packages_check_imports(fh_rule_run *run)
{
    const uint8_t *retried = find_retried(run);
    for (uint32_t i = 1; retried && i < run->unit->imports.count; i++)
        check_import(run, i, retried[i]);
    if (fh_unit_mentions(run->unit, "__import__") || fh_unit_mentions(run->unit, "import_module"))
        for (uint32_t i = 1; i < run->unit->calls.count && !fh_rules_stop(i); i++)
            check_import_call(run, &run->unit->calls.items[i]);
}
