#include "analyse/scan/bind.h"
#include "analyse/scan/resolve.h"
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

static void bind_call(binder *b, const fh_program *program, uint32_t from, const fh_call *call,
                      uint32_t to, uint32_t index, int skipped, bool inherited)
{
    const fh_unit *caller = &program->units.items[from], *callee = &program->units.items[to];
    const fh_function *function = &callee->functions.items[index];
    fh_passed_walk walk = fh_passed_of(caller, call);
    fh_passed passed;
    while (fh_passed_next(&walk, &passed)) {
        const fh_value *value = fh_unit_value(caller, passed.value);
        if (value->kind == FH_VALUE_STAR || (!passed.name && passed.position < 0))
            continue;
        int parameter = parameter_of(callee, function, passed.name ? -1 : passed.position + skipped,
                                     fh_unit_text(caller, passed.name));
        if (parameter >= 0 && says_something(value))
            b->failed |= !fh_vector_push(
                &b->passed, (fh_binding_argument){
                                fh_parameter_key(to, function->parameters + (uint32_t)parameter),
                                {from, passed.value},
                                inherited});
    }
}

/* The method that a call of an object or class runs. */
static void bind_method(binder *b, const fh_program *program, uint32_t from, const fh_call *call,
                        const fh_meaning *callee, fh_text name)
{
    fh_reference member;
    if (!fh_resolve_member(b->resolver, callee->unit, callee->index, name, &member))
        return;
    const fh_value *value = fh_unit_value(&program->units.items[member.unit], member.value);
    if (value->kind == FH_VALUE_FUNCTION)
        bind_call(b, program, from, call, member.unit, value->a, 1, false);
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
    for (uint32_t i = 1; i < unit->calls.count; i++) {
        const fh_call *call = &unit->calls.items[i];
        fh_meanings callees;
        fh_resolve(b->resolver, (uint32_t)index, call->callee, &callees);
        for (uint32_t k = 0; k < callees.count; k++) {
            const fh_meaning *callee = &callees.items[k];
            if (callee->kind == FH_MEANS_FUNCTION)
                bind_call(b, all->program, (uint32_t)index, call, callee->unit, callee->index, 0,
                          false);
            else if (callee->kind == FH_MEANS_METHOD)
                bind_call(b, all->program, (uint32_t)index, call, callee->unit, callee->index, 1,
                          callee->path != 0);
            else if (callee->kind == FH_MEANS_CLASS)
                bind_method(b, all->program, (uint32_t)index, call, callee, FH_TEXT("__init__"));
            else if (callee->kind == FH_MEANS_OBJECT)
                bind_method(b, all->program, (uint32_t)index, call, callee, FH_TEXT("forward"));
            else if (callee->kind == FH_MEANS_EXTERNAL)
                note_tensors(b, unit, (uint32_t)index, call, callee);
        }
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
