#include "analyse/scan/bind.h"
#include "analyse/scan/resolve.h"
#include "os/interrupt.h"
#include "os/thread.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    FH_VECTOR(fh_binding_argument) passed;
    FH_VECTOR(uint64_t) tensors;
    fh_resolver *resolver;
    bool failed;
} binder;

typedef struct {
    const fh_program *program;
    binder *binders; /* one for each worker */
} binding;

static bool says_something(const fh_value *value)
{
    return value->kind != FH_VALUE_UNKNOWN && value->kind != FH_VALUE_NONE;
}

/* The parameter that argument number `position` (or keyword `name`) goes to; -1 when unknown. */
static int parameter_of(const fh_unit *unit, const fh_function *function, int position,
                        fh_text name)
{
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const fh_parameter *parameter = &unit->parameters.items[function->parameters + i];
        if (name.length ? fh_text_equal(fh_unit_text(unit, parameter->name), name) &&
                              parameter->kind != 1 && parameter->kind != 2
                        : (int)i == position && parameter->kind == 0)
            return (int)i;
        if (!name.length && parameter->kind != 0)
            return -1;
    }
    return -1;
}

/* A call, and which parameter its first positional argument goes to. */
typedef struct {
    uint32_t from; /* unit */
    const fh_call *call;
    int shift;
} passing;

static void bind_call(binder *b, const fh_program *program, const passing *p,
                      const fh_meaning *callee)
{
    const fh_unit *caller = &program->units.items[p->from];
    const fh_unit *u = &program->units.items[callee->unit];
    const fh_function *function = &u->functions.items[callee->index];
    int shift = p->shift + (callee->kind == FH_MEANS_METHOD);
    fh_passed_walk walk = fh_passed_of(caller, p->call);
    fh_passed passed;
    while (fh_passed_next(&walk, &passed)) {
        const fh_value *value = fh_unit_value(caller, passed.value);
        if (value->kind == FH_VALUE_STAR ||
            (!passed.name && (passed.position < 0 || passed.position + p->shift < 0)))
            continue;
        int parameter = parameter_of(u, function, passed.name ? -1 : passed.position + shift,
                                     fh_unit_text(caller, passed.name));
        if (parameter >= 0 && says_something(value))
            b->failed |= !fh_vector_push(
                &b->passed,
                (fh_binding_argument){
                    fh_parameter_key(callee->unit, function->parameters + (uint32_t)parameter),
                    {p->from, passed.value},
                    callee->path != 0});
    }
}

/* The method that a call of an object or class runs; false when the program has none. */
static bool bind_method(binder *b, const fh_program *program, const passing *p,
                        const fh_meaning *callee, fh_text name)
{
    fh_reference member;
    if (!fh_resolve_member(b->resolver, callee->unit, callee->index, name, &member))
        return false;
    const fh_value *value = fh_unit_value(&program->units.items[member.unit], member.value);
    if (value->kind == FH_VALUE_FUNCTION)
        bind_call(b, program, p,
                  &(fh_meaning){.kind = FH_MEANS_METHOD, .unit = member.unit, .index = value->a});
    return true;
}

/* True when a class of the same file stands before it, whose fields come first. */
static bool derives(const fh_unit *unit, const fh_class *class)
{
    for (uint32_t i = 0; i < class->base_count; i++)
        if (fh_unit_value(unit, unit->arguments.items[class->bases + i].value)->kind ==
            FH_VALUE_CLASS)
            return true;
    return false;
}

/* What a call of a record's class gives its fields. */
static void bind_fields(binder *b, const fh_program *program, const passing *p,
                        const fh_meaning *class)
{
    const fh_unit *caller = &program->units.items[p->from], *u = &program->units.items[class->unit];
    const fh_class *own = &u->classes.items[class->index];
    fh_passed_walk walk = fh_passed_of(caller, p->call);
    fh_passed passed;
    if (!own->is_record)
        return;
    while (fh_passed_next(&walk, &passed)) {
        const fh_value *value = fh_unit_value(caller, passed.value);
        fh_text name = fh_unit_text(caller, passed.name);
        if (value->kind == FH_VALUE_STAR || !says_something(value) ||
            (!passed.name && (passed.position < 0 || passed.position + p->shift < 0)))
            continue;
        for (uint32_t i = 0; i < own->field_count; i++) {
            const fh_parameter *field = &u->parameters.items[own->fields + i];
            bool meant = passed.name ? fh_text_equal(fh_unit_text(u, field->name), name)
                                     : (int)i == passed.position + p->shift && !derives(u, own);
            if (meant)
                b->failed |= !fh_vector_push(
                    &b->passed,
                    (fh_binding_argument){fh_parameter_key(class->unit, own->fields + i),
                                          {p->from, passed.value},
                                          0});
        }
    }
}

/* A parameter that is handed to an operator of PyTorch is a tensor. */
static void note_tensor(binder *b, const fh_unit *unit, uint32_t index, fh_value_index value)
{
    const fh_value *v = fh_unit_value(unit, value);
    if (v->kind != FH_VALUE_PARAMETER)
        return;
    const fh_function *function = &unit->functions.items[v->a];
    if (!(function->class && v->b == 0))
        b->failed |=
            !fh_vector_push(&b->tensors, fh_parameter_key(index, function->parameters + v->b));
}

static void note_tensors(binder *b, const fh_unit *unit, uint32_t index, const fh_call *call,
                         const fh_meaning *callee)
{
    const fh_api *api = fh_resolver_api(b->resolver, callee->path);
    if (!api || callee->certainty < FH_LIKELY)
        return;
    fh_text path = fh_resolver_path(b->resolver, callee->path);
    bool makes = fh_text_is(api->class, "creation") || fh_text_is(api->class, "random") ||
                 fh_text_is(api->class, "other");
    if (api->kind == FH_API_FUNCTION && !makes && !fh_text_starts(path, "torch.Tensor."))
        note_tensor(b, unit, index, fh_call_argument(unit, call, 0, "input"));
}

/* Binds the arguments of a call, when this is what it calls. */
static void bind_to(binder *b, const fh_program *program, const passing *p,
                    const fh_meaning *callee)
{
    if (callee->kind == FH_MEANS_FUNCTION || callee->kind == FH_MEANS_METHOD) {
        bind_call(b, program, p, callee);
    } else if (callee->kind == FH_MEANS_CLASS) {
        if (!bind_method(b, program, p, callee, FH_TEXT("__init__")))
            bind_fields(b, program, p, callee);
    } else if (callee->kind == FH_MEANS_OBJECT) {
        if (!bind_method(b, program, p, callee, FH_TEXT("forward")))
            bind_method(b, program, p, callee, FH_TEXT("__call__"));
    }
}

static bool is_partial(binder *b, uint32_t unit, const fh_call *call)
{
    fh_meaning callee;
    return fh_resolve_external(b->resolver, unit, call->callee, &callee) &&
           fh_text_is(fh_resolver_path(b->resolver, callee.path), "functools.partial");
}

/* How many positional arguments partial(f, a, b) holds back, where that is what is called. */
static int held_back(binder *b, const fh_unit *u, uint32_t unit, fh_value_index callee)
{
    const fh_value *v = fh_unit_value(u, callee);
    int count = 0;
    if (v->kind != FH_VALUE_CALL || !is_partial(b, unit, &u->calls.items[v->a]))
        return 0;
    fh_passed_walk walk = fh_passed_of(u, &u->calls.items[v->a]);
    fh_passed passed;
    while (fh_passed_next(&walk, &passed))
        count += passed.position > 0;
    return count;
}

static void bind_unit(void *context, size_t index, unsigned worker)
{
    binding *all = context;
    binder *b = &all->binders[worker];
    const fh_unit *unit = &all->program->units.items[index];
    if (!b->resolver && !(b->resolver = fh_resolver_create(all->program))) {
        b->failed = true;
        return;
    }
    fh_resolver_enter(b->resolver, (uint32_t)index);
    for (uint32_t i = 1; i < unit->calls.count && !fh_interrupted(); i++) {
        const fh_call *call = &unit->calls.items[i];
        fh_meanings callees;
        fh_resolve(b->resolver, (uint32_t)index, call->callee, &callees);
        passing p = {(uint32_t)index, call, held_back(b, unit, (uint32_t)index, call->callee)};
        for (uint32_t k = 0; k < callees.count; k++) {
            bind_to(b, all->program, &p, &callees.items[k]);
            if (callees.items[k].kind == FH_MEANS_EXTERNAL)
                note_tensors(b, unit, (uint32_t)index, call, &callees.items[k]);
        }
        if (callees.count != 1 || !is_partial(b, (uint32_t)index, call))
            continue;
        /* What partial(f, a, b=c) holds goes to f's parameters. */
        fh_resolve(b->resolver, (uint32_t)index, fh_call_argument(unit, call, 0, NULL), &callees);
        p.shift = -1;
        for (uint32_t k = 0; k < callees.count; k++)
            bind_to(b, all->program, &p, &callees.items[k]);
    }
}

static int by_parameter(const void *left, const void *right)
{
    const fh_binding_argument *a = left, *b = right;
    if (a->parameter != b->parameter)
        return a->parameter < b->parameter ? -1 : 1;
    if (a->inherited != b->inherited)
        return a->inherited < b->inherited ? -1 : 1;
    if (a->argument.unit != b->argument.unit)
        return a->argument.unit < b->argument.unit ? -1 : 1;
    return a->argument.value < b->argument.value ? -1 : a->argument.value > b->argument.value;
}

static int by_key(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Sorts, so that the result does not depend on which thread did what, and thins out. */
static void merge(fh_program *program, binder *binders, unsigned jobs)
{
    for (unsigned i = 0; i < jobs; i++) {
        for (uint32_t k = 0; k < binders[i].passed.count; k++)
            fh_vector_push(&program->passed, binders[i].passed.items[k]);
        for (uint32_t k = 0; k < binders[i].tensors.count; k++)
            fh_vector_push(&program->tensors, binders[i].tensors.items[k]);
    }
    if (program->passed.count > 1)
        qsort(program->passed.items, program->passed.count, sizeof *program->passed.items,
              by_parameter);
    uint32_t kept = 0, same = 0;
    for (uint32_t i = 0; i < program->passed.count; i++) {
        same = i && program->passed.items[i].parameter == program->passed.items[i - 1].parameter
                   ? same + 1
                   : 0;
        if (same < FH_BIND_MOST)
            program->passed.items[kept++] = program->passed.items[i];
    }
    program->passed.count = kept;
    if (program->tensors.count > 1)
        qsort(program->tensors.items, program->tensors.count, sizeof *program->tensors.items,
              by_key);
}

fh_status fh_bind_arguments(fh_program *program, unsigned jobs)
{
    if (!jobs)
        jobs = fh_processor_count();
    binding all = {program, fh_alloc_zero(jobs, sizeof(binder))};
    bool failed = !all.binders;
    if (!failed) {
        fh_parallel_for(jobs, program->units.count, bind_unit, &all);
        for (unsigned i = 0; i < jobs; i++) {
            failed |= all.binders[i].failed;
            fh_resolver_destroy(all.binders[i].resolver);
        }
        if (!failed)
            merge(program, all.binders, jobs);
        for (unsigned i = 0; i < jobs; i++) {
            fh_vector_free(&all.binders[i].passed);
            fh_vector_free(&all.binders[i].tensors);
        }
        fh_free(all.binders);
    }
    if (failed || program->passed.failed || program->tensors.failed)
        return fh_error(FH_NO_MEMORY, "out of memory while following arguments");
    return FH_OK;
}
