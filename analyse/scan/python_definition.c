/* Functions, classes, lambdas and imports. */
#include "analyse/scan/python_build.h"

#include <string.h>

/* outer.name, where outer is the class or function the definition stands in. */
static fh_symbol qualified_name(fh_builder *b, fh_symbol name)
{
    fh_symbol outer = 0;
    if (b->class)
        outer = b->unit->classes.items[b->class].qualified;
    else if (b->function)
        outer = b->unit->functions.items[b->function].qualified;
    if (!outer)
        return name;
    fh_buffer joined = {0};
    fh_buffer_add(&joined, fh_unit_text(b->unit, outer));
    fh_buffer_add_char(&joined, '.');
    fh_buffer_add(&joined, name ? fh_unit_text(b->unit, name) : FH_TEXT("<lambda>"));
    fh_symbol symbol = fh_symbols_add(&b->unit->symbols, fh_buffer_text(&joined));
    b->unit->symbols.failed |= joined.failed;
    fh_buffer_free(&joined);
    return symbol;
}

/* Evaluates the decorators of a decorated_definition into a list: values, then as many offsets. */
static void decorators_of(fh_builder *b, uint32_t decorated, uint32_t *first, uint32_t *count)
{
    uint32_t mark = b->work.count;
    for (uint32_t c = decorated ? fh_syntax_first(b->syntax, decorated) : 0; c;
         c = fh_syntax_next(b->syntax, c))
        if (fh_syntax_kind_of(b->syntax, c) == FH_SYNTAX_decorator) {
            fh_value_index value = fh_build_expression(b, fh_syntax_first(b->syntax, c));
            fh_vector_push(&b->work, value);
        }
    *first = fh_build_list(b, mark, count);
    for (uint32_t c = decorated ? fh_syntax_first(b->syntax, decorated) : 0; c;
         c = fh_syntax_next(b->syntax, c))
        if (fh_syntax_kind_of(b->syntax, c) == FH_SYNTAX_decorator) {
            uint32_t expression = fh_syntax_first(b->syntax, c);
            fh_vector_push(&b->unit->lists, fh_build_node(b, expression ? expression : c)->begin);
        }
}

/* Name and kind of a parameter node: x, x=1, x: int, x: int = 1, *x, **x, or their typed forms. */
static uint32_t parameter_name(fh_builder *b, uint32_t node, uint32_t *kind)
{
    switch (fh_syntax_kind_of(b->syntax, node)) {
    case FH_SYNTAX_identifier:
        return node;
    case FH_SYNTAX_list_splat_pattern:
    case FH_SYNTAX_dictionary_splat_pattern:
        *kind = fh_syntax_kind_of(b->syntax, node) == FH_SYNTAX_list_splat_pattern ? 1 : 2;
        return fh_syntax_first(b->syntax, node);
    case FH_SYNTAX_default_parameter:
    case FH_SYNTAX_typed_default_parameter:
        return fh_build_child(b, node, FH_FIELD_name);
    case FH_SYNTAX_typed_parameter:
        return parameter_name(b, fh_syntax_first(b->syntax, node), kind);
    default:
        return 0;
    }
}

/* Evaluates defaults and annotations, in the scope of the definition. */
static void read_parameters(fh_builder *b, uint32_t node, fh_function *function)
{
    FH_VECTOR(fh_parameter) parameters = {0};
    bool keyword_only = false;
    for (uint32_t c = node ? fh_syntax_first(b->syntax, node) : 0; c;
         c = fh_syntax_next(b->syntax, c)) {
        fh_parameter parameter = {0};
        if (fh_syntax_kind_of(b->syntax, c) == FH_SYNTAX_keyword_separator) {
            keyword_only = true;
            continue;
        }
        uint32_t name = parameter_name(b, c, &parameter.kind);
        if (!name) {
            fh_build_expression(b, c);
            continue;
        }
        if (fh_syntax_kind_of(b->syntax, name) == FH_SYNTAX_identifier)
            parameter.name = fh_build_symbol(b, name);
        parameter.annotation = fh_build_expression(b, fh_build_child(b, c, FH_FIELD_type));
        parameter.default_value = fh_build_expression(b, fh_build_child(b, c, FH_FIELD_value));
        if (parameter.kind == 0 && keyword_only)
            parameter.kind = 3;
        keyword_only |= parameter.kind == 1;
        fh_vector_push(&parameters, parameter);
    }
    function->parameters = b->unit->parameters.count;
    function->parameter_count = parameters.count;
    for (uint32_t i = 0; i < parameters.count; i++)
        fh_vector_push(&b->unit->parameters, parameters.items[i]);
    b->unit->parameters.failed |= parameters.failed;
    fh_vector_free(&parameters);
}

static uint32_t flags_of_decorators(const fh_builder *b, const fh_function *function)
{
    static const struct {
        const char *name;
        uint32_t flag;
    } known[] = {{"staticmethod", FH_FUNCTION_STATIC},
                 {"classmethod", FH_FUNCTION_CLASS_METHOD},
                 {"property", FH_FUNCTION_PROPERTY},
                 {"cached_property", FH_FUNCTION_PROPERTY},
                 {"abstractproperty", FH_FUNCTION_PROPERTY}};
    uint32_t flags = 0;
    for (uint32_t i = 0; i < function->decorator_count; i++) {
        const fh_value *v = fh_unit_value(b->unit, b->unit->lists.items[function->decorators + i]);
        fh_symbol symbol = v->kind == FH_VALUE_NAME        ? v->a
                           : v->kind == FH_VALUE_ATTRIBUTE ? v->b
                                                           : 0;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (symbol && fh_text_is(fh_unit_text(b->unit, symbol), known[k].name))
                flags |= known[k].flag;
    }
    return flags;
}

/* @x.setter, @x.deleter: the name stays what reads it. 0 where no decorator is such a one. */
static fh_value_index getter_of(const fh_builder *b, const fh_function *function)
{
    for (uint32_t i = 0; i < function->decorator_count; i++) {
        const fh_value *v = fh_unit_value(b->unit, b->unit->lists.items[function->decorators + i]);
        if (v->kind != FH_VALUE_ATTRIBUTE ||
            fh_unit_value(b->unit, v->a)->kind != FH_VALUE_FUNCTION)
            continue;
        fh_text name = fh_unit_text(b->unit, v->b);
        const fh_function *getter = &b->unit->functions.items[fh_unit_value(b->unit, v->a)->a];
        if (getter->flags & FH_FUNCTION_PROPERTY &&
            (fh_text_is(name, "setter") || fh_text_is(name, "deleter")))
            return v->a;
    }
    return 0;
}

static fh_value_index add_function(fh_builder *b, fh_function *function, uint32_t node,
                                   uint32_t body)
{
    function->qualified = qualified_name(b, function->name);
    function->parent = b->function;
    function->class = b->class;
    function->offset = fh_build_node(b, node)->begin;
    function->end = fh_build_node(b, node)->end;
    /* The block is where the definition stands; the body opens its own. */
    function->block = b->block;
    uint32_t index = b->unit->functions.count;
    if (!fh_vector_push(&b->unit->functions, *function) ||
        !fh_vector_push(&b->pending, (fh_pending_body){index, body, b->scope}))
        return 0;
    return fh_build_value(b, FH_VALUE_FUNCTION, FH_OP_OTHER, index, 0, function->offset);
}

void fh_build_function(fh_builder *b, uint32_t node, uint32_t decorated)
{
    fh_function function = {0};
    decorators_of(b, decorated, &function.decorators, &function.decorator_count);
    uint32_t name = fh_build_child(b, node, FH_FIELD_name);
    function.name = name ? fh_build_symbol(b, name) : 0;
    read_parameters(b, fh_build_child(b, node, FH_FIELD_parameters), &function);
    fh_build_expression(b, fh_build_child(b, node, FH_FIELD_return_type));
    function.flags = flags_of_decorators(b, &function);
    if (fh_text_starts(fh_syntax_text(b->syntax, node), "async"))
        function.flags |= FH_FUNCTION_ASYNC;
    fh_value_index value = add_function(b, &function, node, fh_build_child(b, node, FH_FIELD_body));
    fh_value_index getter = getter_of(b, &function);
    if (function.name)
        fh_build_bind(b, function.name, getter ? getter : value);
}

fh_value_index fh_build_lambda(fh_builder *b, uint32_t node)
{
    fh_function function = {.flags = FH_FUNCTION_LAMBDA};
    read_parameters(b, fh_build_child(b, node, FH_FIELD_parameters), &function);
    uint32_t class = b->class;
    b->class = 0; /* a lambda in a class body is no method of it by itself */
    fh_value_index value = add_function(b, &function, node, fh_build_child(b, node, FH_FIELD_body));
    b->class = class;
    return value;
}

static bool has_last_name(const fh_builder *b, fh_value_index value, const char *const *names)
{
    const fh_value *v = fh_unit_value(b->unit, value);
    if (v->kind == FH_VALUE_CALL)
        v = fh_unit_value(b->unit, b->unit->calls.items[v->a].callee);
    if (v->kind != FH_VALUE_NAME && v->kind != FH_VALUE_IMPORT && v->kind != FH_VALUE_ATTRIBUTE)
        return false;
    fh_text name = fh_unit_text(b->unit, v->kind == FH_VALUE_ATTRIBUTE ? v->b : v->a);
    size_t dot = fh_text_find_last(name, '.');
    name = dot < name.length ? fh_text_slice(name, dot + 1, name.length) : name;
    for (; *names; names++)
        if (fh_text_is(name, *names))
            return true;
    return false;
}

/* @dataclass, @attrs.define, NamedTuple, pydantic's BaseModel. */
static bool is_record(const fh_builder *b, const fh_class *class)
{
    static const char *const decorators[] = {"dataclass", "define", "frozen", "attrs", NULL};
    static const char *const bases[] = {"NamedTuple", "BaseModel", "BaseSettings", NULL};
    for (uint32_t i = 0; i < class->decorator_count; i++)
        if (has_last_name(b, b->unit->lists.items[class->decorators + i], decorators))
            return true;
    for (uint32_t i = 0; i < class->base_count; i++)
        if (has_last_name(b, b->unit->arguments.items[class->bases + i].value, bases))
            return true;
    return false;
}

/* fields[mark..] become those of the class. */
static void add_fields(fh_builder *b, uint32_t mark, fh_class *class)
{
    class->fields = b->unit->parameters.count;
    class->field_count = b->fields.count - mark;
    for (uint32_t i = mark; i < b->fields.count; i++)
        fh_vector_push(&b->unit->parameters, b->fields.items[i]);
    b->fields.count = mark;
}

void fh_build_class(fh_builder *b, uint32_t node, uint32_t decorated)
{
    fh_class class = {.offset = fh_build_node(b, node)->begin,
                      .end = fh_build_node(b, node)->end,
                      .parent = b->function};
    decorators_of(b, decorated, &class.decorators, &class.decorator_count);
    uint32_t name = fh_build_child(b, node, FH_FIELD_name),
             bases = fh_build_child(b, node, FH_FIELD_superclasses);
    class.name = name ? fh_build_symbol(b, name) : 0;
    class.qualified = qualified_name(b, class.name);
    uint32_t mark = b->argument_work.count;
    if (bases)
        fh_build_arguments(b, bases);
    class.bases = fh_build_argument_list(b, mark, &class.base_count);

    class.is_record = is_record(b, &class);

    uint32_t index = b->unit->classes.count, outer_class = b->class, outer_scope = b->scope;
    uint32_t fields = b->fields.count;
    if (!fh_vector_push(&b->unit->classes, class))
        return;
    uint32_t block = fh_build_enter(b, FH_BLOCK_CLASS, 0, node);
    uint32_t log = fh_scope_mark(&b->scopes);
    b->class = index;
    b->scope = fh_scope_open(&b->scopes, outer_scope, true);
    fh_build_statements(b, fh_build_child(b, node, FH_FIELD_body));
    fh_class *added = &b->unit->classes.items[index];
    added->block = b->block;
    fh_build_members(b, log, b->scope, &added->members, &added->member_count);
    add_fields(b, fields, added);
    b->class = outer_class;
    b->scope = outer_scope;
    b->block = block;
    fh_value_index value = fh_build_value(b, FH_VALUE_CLASS, FH_OP_OTHER, index, 0, class.offset);
    if (class.name)
        fh_build_bind(b, class.name, value);
}

static void walk_body(fh_builder *b, const fh_pending_body *pending)
{
    uint32_t index = pending->function;
    b->function = index;
    b->class = 0;
    b->left = b->turned = false;
    b->block = b->unit->functions.items[index].block;
    b->scope = fh_scope_open(&b->scopes, pending->scope, false);
    fh_vector_clear(&b->returns);
    fh_vector_clear(&b->globals);
    fh_vector_clear(&b->scopes.log); /* no path is open: nothing will be taken back */
    fh_build_enter(b, FH_BLOCK_FUNCTION, 0, pending->node);
    b->unit->blocks.items[b->block].function = index;

    fh_function *function = &b->unit->functions.items[index];
    uint32_t first = b->unit->values.count, parameters = function->parameters,
             count = function->parameter_count;
    for (uint32_t i = 0; i < count; i++) {
        fh_value_index value =
            fh_build_value(b, FH_VALUE_PARAMETER, FH_OP_OTHER, index, i, function->offset);
        fh_build_bind(b, b->unit->parameters.items[parameters + i].name, value);
    }
    if (function->flags & FH_FUNCTION_LAMBDA) {
        fh_value_index value = fh_build_expression(b, pending->node);
        fh_vector_push(&b->returns, value);
    } else {
        fh_build_statement(b, pending->node);
    }

    function = &b->unit->functions.items[index];
    function->block = b->block;
    function->first = first;
    function->last = b->unit->values.count;
    function->returns = b->unit->lists.count;
    function->return_count = b->returns.count;
    for (uint32_t i = 0; i < b->returns.count; i++)
        fh_vector_push(&b->unit->lists, b->returns.items[i]);
}

void fh_build_pending(fh_builder *b)
{
    /* Bodies add the functions they define to the end of the same queue. */
    for (uint32_t i = 0; i < b->pending.count && !b->interrupted; i++) {
        fh_pending_body pending = b->pending.items[i];
        if (pending.node)
            walk_body(b, &pending);
    }
}

/* True inside a try with an except clause, or under an if, of the same function or module. */
static bool is_guarded(const fh_builder *b)
{
    for (uint32_t i = b->block; i; i = b->unit->blocks.items[i].parent) {
        uint32_t kind = b->unit->blocks.items[i].kind;
        if (kind == FH_BLOCK_TRY || kind == FH_BLOCK_EXCEPT || kind == FH_BLOCK_IF ||
            kind == FH_BLOCK_ELSE)
            return true;
        if (kind == FH_BLOCK_FUNCTION || kind == FH_BLOCK_MODULE)
            return false;
    }
    return false;
}

/* A dotted name may be written with spaces or line breaks: a . b */
static void add_dotted(fh_builder *b, uint32_t node, fh_buffer *path)
{
    fh_text text = fh_syntax_text(b->syntax, node);
    for (size_t i = 0; i < text.length; i++)
        if (!strchr(" \t\r\n\\\f", text.data[i]))
            fh_buffer_add_char(path, text.data[i]);
}

static void bind_import(fh_builder *b, fh_text path, fh_symbol name, fh_text bound_path,
                        uint32_t node)
{
    fh_import import = {.path = fh_symbols_add(&b->unit->symbols, path),
                        .name = name,
                        .offset = fh_build_node(b, node)->begin,
                        .block = b->block,
                        .guarded = is_guarded(b)};
    fh_vector_push(&b->unit->imports, import);
    /* The package by itself: whether a unit mentions "torch" is asked often. */
    fh_symbols_add(&b->unit->symbols, fh_text_slice(path, 0, fh_text_find(path, '.')));
    if (!name)
        return;
    fh_symbol bound = fh_symbols_add(&b->unit->symbols, bound_path);
    fh_value_index value = fh_build_value(b, FH_VALUE_IMPORT, FH_OP_OTHER, bound, 0, import.offset);
    if (import.guarded)
        b->unit->values.items[value].flags |= FH_VALUE_GUARDED;
    fh_build_bind(b, name, value);
}

/* One name of an import; `prefix` is the module of `from prefix import ...`, or empty. */
static void import_name(fh_builder *b, uint32_t node, fh_text prefix)
{
    uint32_t name = node, alias = 0;
    if (fh_syntax_kind_of(b->syntax, node) == FH_SYNTAX_aliased_import) {
        name = fh_build_child(b, node, FH_FIELD_name);
        alias = fh_build_child(b, node, FH_FIELD_alias);
    }
    fh_buffer path = {0};
    fh_buffer_add(&path, prefix);
    if (prefix.length && prefix.data[prefix.length - 1] != '.')
        fh_buffer_add_char(&path, '.');
    size_t start = path.length;
    if (name)
        add_dotted(b, name, &path);
    fh_text whole = fh_buffer_text(&path), written = fh_text_slice(whole, start, whole.length);
    /* `import a.b` binds a, `import a.b as c` binds a.b. */
    fh_text first =
        alias || prefix.length ? written : fh_text_slice(written, 0, fh_text_find(written, '.'));
    fh_symbol bound = alias ? fh_build_symbol(b, alias) : fh_symbols_add(&b->unit->symbols, first);
    bind_import(b, whole, bound, prefix.length || alias ? whole : first, node);
    b->unit->symbols.failed |= path.failed;
    fh_buffer_free(&path);
}

void fh_build_import(fh_builder *b, uint32_t node)
{
    uint32_t module = fh_build_child(b, node, FH_FIELD_module_name);
    fh_buffer prefix = {0};
    if (module)
        add_dotted(b, module, &prefix);
    for (uint32_t c = fh_syntax_first(b->syntax, node); c; c = fh_syntax_next(b->syntax, c)) {
        if (c == module)
            continue;
        if (fh_syntax_kind_of(b->syntax, c) == FH_SYNTAX_wildcard_import)
            bind_import(b, fh_buffer_text(&prefix), 0, (fh_text){0}, node);
        else if (fh_build_node(b, c)->field == FH_FIELD_name)
            import_name(b, c, fh_buffer_text(&prefix));
    }
    b->unit->symbols.failed |= prefix.failed;
    fh_buffer_free(&prefix);
}
