#include "analyse/rules/run.h"
#include "analyse/rules/other_runtime.h"

#include <stdarg.h>
#include <stdio.h>

fh_support_query fh_rule_query(const fh_analysis_options *options)
{
    return (fh_support_query){
        .release = options->release,
        .soc = options->soc,
        .user = options->user,
        .is_exact = true,
    };
}

fh_spot fh_spot_of_call(const fh_unit *unit, const fh_call *call)
{
    (void)unit;
    return (fh_spot){call->anchor, call->end, call->function};
}

fh_spot fh_spot_of_value(const fh_unit *unit, fh_value_index value)
{
    const fh_value *v = fh_unit_value(unit, value);
    if (v->kind == FH_VALUE_CALL)
        return fh_spot_of_call(unit, &unit->calls.items[v->a]);
    return (fh_spot){v->offset, 0, unit->blocks.items[v->block].function};
}

bool fh_block_inside(const fh_unit *unit, uint32_t block, fh_block_kind kind)
{
    for (; block; block = unit->blocks.items[block].parent) {
        if (unit->blocks.items[block].kind == kind)
            return true;
        if (unit->blocks.items[block].kind == FH_BLOCK_FUNCTION)
            return false;
    }
    return false;
}

uint32_t fh_block_function(const fh_unit *unit, uint32_t block)
{
    return unit->blocks.items[block].function;
}

/* The runtime of another vendor in whose code the rule has nothing to say; NONE: it has. */
static fh_other_runtime runtime_around(const fh_rule_run *run, fh_rule_about about, fh_spot spot)
{
    if (about == FH_ABOUT_PROGRAM)
        return FH_RUNTIME_NONE;
    fh_other_runtime runtime = fh_other_runtime_of(run, spot.function, spot.offset);
    return runtime == FH_RUNTIME_DEVICES && about == FH_ABOUT_TENSORS ? FH_RUNTIME_NONE : runtime;
}

void fh_rule_report(fh_rule_run *run, fh_rule_index rule, fh_severity severity,
                    fh_certainty certainty, fh_spot spot, fh_text operator, const char * format,
                    ...)
{
    if (run->options->enabled && !run->options->enabled[rule])
        return;
    fh_rule_about about = fh_rule_at(rule)->about;
    fh_other_runtime runtime = runtime_around(run, about, spot);
    if (runtime && !(runtime == FH_RUNTIME_TENSORRT && about == FH_ABOUT_PLACEMENT))
        return;
    char message[1024];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (runtime) {
        severity = FH_SEVERITY_NOTE;
        length = snprintf(message, sizeof message,
                          "on CUDA for TensorRT, which no NPU runs: on an NPU only in what takes "
                          "TensorRT's place");
    }
    if (length < 0)
        return;
    fh_text text = {message, (size_t)length < sizeof message ? (size_t)length : sizeof message - 1};
    fh_raw_finding finding = {
        .rule = rule,
        .severity = severity,
        .certainty = certainty,
        .unit = run->unit_index,
        .offset = spot.offset,
        .end = spot.end,
        .function = spot.function,
        .operator= operator,
        .message = fh_arena_copy(run->arena, text),
    };
    fh_vector_push(run->findings, finding);
}

bool fh_unit_uses(const fh_rule_run *run, const char *root)
{
    for (uint32_t i = 1; i < run->unit->imports.count; i++) {
        fh_text path = fh_unit_text(run->unit, run->unit->imports.items[i].path);
        if (fh_text_is(fh_text_slice(path, 0, fh_text_find(path, '.')), root))
            return true;
    }
    return false;
}

bool fh_unit_mentions(const fh_unit *unit, const char *name)
{
    if (fh_symbols_find(&unit->symbols, fh_text_from(name)))
        return true;
    for (uint32_t i = 1; i < unit->imports.count; i++)
        if (fh_text_is(fh_text_last_part(fh_unit_text(unit, unit->imports.items[i].path)), name))
            return true;
    return false;
}

static bool imports_transfer(const fh_unit *unit)
{
    for (uint32_t i = 1; i < unit->imports.count; i++) {
        fh_text path = fh_unit_text(unit, unit->imports.items[i].path);
        if (fh_text_starts(path, "torch_npu.contrib.transfer_to_npu") ||
            fh_text_is(path, "torch_npu.contrib"))
            return true;
    }
    return false;
}

static bool is_migrated(const fh_rule_run *run)
{
    if (imports_transfer(run->unit))
        return true;
    for (uint32_t i = 1; i < run->unit->imports.count; i++) {
        fh_text rest;
        uint32_t unit =
            fh_program_module(run->program, run->unit_index,
                              fh_unit_text(run->unit, run->unit->imports.items[i].path), &rest);
        if (unit != FH_NO_UNIT && imports_transfer(fh_resolver_look(run->resolver, unit)))
            return true;
    }
    return false;
}

bool fh_unit_is_migrated(const fh_rule_run *run)
{
    enum { NO = 1, YES = 2 };
    if (!run->memo->migrated)
        run->memo->migrated = is_migrated(run) ? YES : NO;
    return run->memo->migrated == YES;
}
