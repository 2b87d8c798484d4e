#include "analyse/scan/link.h"
#include "facts/packages.h"

#include <string.h>

/* "pkg/models/layer.py" is module path "pkg/models/layer", "pkg/__init__.py" is "pkg". */
static fh_text module_path(fh_text path)
{
    path = fh_text_slice(path, 0, path.length - strlen(".py"));
    if (fh_text_is(path, "__init__"))
        return fh_text_slice(path, 0, 0);
    if (fh_text_ends(path, "/__init__"))
        path.length -= strlen("/__init__");
    return path;
}

static fh_text directory_of(fh_text path)
{
    size_t slash = fh_text_find_last(path, '/');
    return slash == path.length ? fh_text_slice(path, 0, 0) : fh_text_slice(path, 0, slash);
}

/* parser.add_argument("--dist-backend", default="nccl"): the attribute dist_backend of what the
 * parser gives has that default. Of several options of one name the first counts. */
static void add_option(fh_program *program, uint32_t index, const fh_call *call)
{
    const fh_unit *unit = &program->units.items[index];
    fh_value_index value = fh_call_argument(unit, call, -1, "default");
    const fh_value *dest = fh_unit_value(unit, fh_call_argument(unit, call, -1, "dest"));
    char attribute[128];
    fh_text text = {0};
    if (!value)
        return;
    for (int i = 0; i < 3 && !fh_text_starts(text, "--"); i++) {
        const fh_value *name = fh_unit_value(unit, fh_call_argument(unit, call, i, NULL));
        if (name->kind == FH_VALUE_STRING)
            text = fh_unit_text(unit, name->a);
    }
    if (dest->kind == FH_VALUE_STRING)
        text = fh_unit_text(unit, dest->a);
    else
        text = fh_text_starts(text, "--") ? fh_text_slice(text, 2, text.length) : (fh_text){0};
    if (!text.length || text.length > sizeof attribute)
        return;
    for (size_t i = 0; i < text.length; i++)
        attribute[i] = text.data[i] == '-' ? '_' : text.data[i];
    fh_symbol symbol = fh_symbols_add(&program->option_names, (fh_text){attribute, text.length});
    if (symbol && symbol == program->option_defaults.count)
        fh_vector_push(&program->option_defaults, (fh_reference){index, value});
}

static void collect_options(fh_program *program)
{
    fh_symbols_init(&program->option_names);
    fh_vector_push(&program->option_defaults, (fh_reference){0, 0});
    for (uint32_t i = 0; i < program->units.count; i++) {
        const fh_unit *unit = &program->units.items[i];
        fh_symbol add_argument = fh_symbols_find(&unit->symbols, FH_TEXT("add_argument"));
        for (uint32_t k = 1; add_argument && k < unit->calls.count; k++) {
            const fh_value *callee = fh_unit_value(unit, unit->calls.items[k].callee);
            if (callee->kind == FH_VALUE_ATTRIBUTE && callee->b == add_argument)
                add_option(program, i, &unit->calls.items[k]);
        }
    }
}

fh_status fh_program_link(fh_program *program)
{
    fh_symbols_init(&program->module_paths);
    fh_symbols_init(&program->module_names);
    fh_vector_push(&program->module_units, FH_NO_UNIT);
    for (uint32_t i = 0; i < program->units.count; i++) {
        fh_unit *unit = &program->units.items[i];
        if (unit->kind != FH_UNIT_PYTHON || !fh_text_ends(unit->path, ".py"))
            continue;
        fh_text name, path = module_path(unit->path);
        fh_symbol symbol = fh_symbols_add(&program->module_paths, path);
        while (fh_text_next(&path, '/', &name))
            fh_symbols_add(&program->module_names, name);
        while (program->module_units.count <= symbol)
            if (!fh_vector_push(&program->module_units, FH_NO_UNIT))
                break;
        unit->is_package =
            fh_text_is(unit->path, "__init__.py") || fh_text_ends(unit->path, "/__init__.py");
        if (symbol && symbol < program->module_units.count)
            program->module_units.items[symbol] = i;
    }
    collect_options(program);
    if (program->module_paths.failed || program->module_names.failed ||
        program->module_units.failed || program->option_names.failed ||
        program->option_defaults.failed)
        return fh_error(FH_NO_MEMORY, "out of memory while linking %u files", program->units.count);
    return FH_OK;
}

void fh_program_free(fh_program *program)
{
    for (uint32_t i = 0; i < program->units.count; i++)
        fh_unit_free(&program->units.items[i]);
    fh_vector_free(&program->units);
    fh_vector_free(&program->module_units);
    fh_vector_free(&program->passed);
    fh_vector_free(&program->tensors);
    fh_vector_free(&program->option_defaults);
    fh_symbols_free(&program->option_names);
    fh_symbols_free(&program->module_names);
    fh_symbols_free(&program->module_paths);
}

/* Looks directory/a/b/c up, then directory/a/b, ...; *rest is what of `dotted` was left over. */
static uint32_t find_below(const fh_program *program, fh_text directory, fh_text dotted,
                           fh_text *rest)
{
    char path[1024];
    if (directory.length + dotted.length + 2 > sizeof path)
        return FH_NO_UNIT;
    size_t prefix = directory.length;
    memcpy(path, directory.data ? directory.data : "", prefix);
    if (prefix && dotted.length)
        path[prefix++] = '/';
    for (size_t i = 0; i < dotted.length; i++)
        path[prefix + i] = dotted.data[i] == '.' ? '/' : dotted.data[i];

    size_t length = dotted.length;
    for (;;) {
        fh_symbol symbol =
            fh_symbols_find(&program->module_paths, (fh_text){path, prefix + length});
        if (symbol) {
            *rest = length < dotted.length
                        ? fh_text_slice(dotted, length + (length > 0), dotted.length)
                        : (fh_text){0};
            return program->module_units.items[symbol];
        }
        if (!length)
            return FH_NO_UNIT;
        size_t dot = fh_text_find_last(fh_text_slice(dotted, 0, length), '.');
        if (dot == length)
            return FH_NO_UNIT;
        length = dot;
    }
}

static uint32_t find_relative(const fh_program *program, fh_text from, fh_text path, fh_text *rest)
{
    fh_text directory = directory_of(from);
    size_t dots = 0;
    while (dots < path.length && path.data[dots] == '.')
        dots++;
    for (size_t i = 1; i < dots; i++)
        directory = directory_of(directory);
    fh_text dotted = fh_text_slice(path, dots, path.length);
    uint32_t unit = find_below(program, directory, dotted, rest);
    if (unit != FH_NO_UNIT || !directory.length)
        return unit;
    /* `from . import name`: name may be bound in the package itself. */
    fh_symbol package = fh_symbols_find(&program->module_paths, directory);
    *rest = dotted;
    return package ? program->module_units.items[package] : FH_NO_UNIT;
}

static bool is_package(const fh_program *program, fh_text directory)
{
    fh_symbol symbol = directory.length ? fh_symbols_find(&program->module_paths, directory) : 0;
    return symbol && program->units.items[program->module_units.items[symbol]].is_package;
}

/* Looks in all folders above `from` that are packages, or in all that are none. */
static uint32_t find_above(const fh_program *program, fh_text from, bool packages, fh_text path,
                           fh_text *rest)
{
    fh_text directory = from;
    do {
        directory = directory_of(directory);
        if (is_package(program, directory) != packages)
            continue;
        uint32_t unit = find_below(program, directory, path, rest);
        if (unit != FH_NO_UNIT)
            return unit;
    } while (directory.length);
    return FH_NO_UNIT;
}

uint32_t fh_program_module(const fh_program *program, uint32_t from, fh_text path, fh_text *rest)
{
    fh_text file = program->units.items[from].path;
    if (path.length && path.data[0] == '.')
        return find_relative(program, file, path, rest);
    /* PyTorch is never part of what is analysed, also when a folder has its name. */
    fh_text first = fh_text_slice(path, 0, fh_text_find(path, '.'));
    if (fh_text_is(first, "torch"))
        return FH_NO_UNIT;
    /* Most of what is imported is no file of the program, wherever it is looked for. */
    if (first.length && !fh_symbols_find(&program->module_names, first) &&
        !fh_text_equal(first, program->name))
        return FH_NO_UNIT;

    /* Absolute imports start at folders that are no packages: a script's own, or one above. Files
     * inside a package that are run as scripts see their own folder as well, but a well-known
     * package is then meant, not a folder beside them: `import triton` in ops/triton/rotary.py. */
    uint32_t unit = find_above(program, file, false, path, rest);
    fh_package known;
    if (unit == FH_NO_UNIT && !fh_package_find(first, &known))
        unit = find_above(program, file, true, path, rest);
    if (unit == FH_NO_UNIT)
        unit = find_below(program, FH_TEXT("src"), path, rest);
    if (unit == FH_NO_UNIT && fh_text_equal(first, program->name) && path.length > first.length)
        unit = find_below(program, (fh_text){0}, fh_text_slice(path, first.length + 1, path.length),
                          rest);
    return unit;
}
