/* Settings: what configuration files, requirements and scripts ask for. */
#include "analyse/rules/support.h"
#include "analyse/rules/text_match.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    fh_rule_run *run;
    fh_text key, value;
    fh_spot spot;
} setting_check;

/* A package among requirements. It may be optional there, so nothing is an error yet. */
static void check_requirement(const setting_check *c)
{
    fh_package package;
    if (!fh_package_find_project(c->key, &package))
        return;
    fh_rule_index rule;
    fh_severity severity = FH_SEVERITY_NOTE;
    switch (package.verdict) {
    case FH_PACKAGE_BLOCKS:
        rule = FH_RULE_204;
        severity = FH_SEVERITY_WARNING;
        break;
    case FH_PACKAGE_COUNTERPART:
        rule = FH_RULE_205;
        break;
    case FH_PACKAGE_PARTIAL:
        rule = FH_RULE_206;
        break;
    default:
        return;
    }
    fh_rule_report(c->run, rule, severity, FH_CERTAIN, c->spot, package.name,
                   "requirement %.*s: %.*s", FH_TEXT_ARGS(c->key),
                   FH_TEXT_ARGS(fh_package_words(c->run, &package)));
}

// clang-format off
/* Programs of NVIDIA that scripts start, and what does the same on Ascend. */
static const struct {
    const char *program, *instead;
} programs[] = {
    {"nvidia-smi",       "npu-smi info"},
    {"nvprof",           "msprof --application=\"...\""},
    {"nsys",             "msprof --application=\"...\""},
    {"ncu",              "msprof op --application=\"...\""},
    {"nvcc",             ""},
    {"cuda-gdb",         ""},
    {"compute-sanitizer", ""},
    {"nvidia-docker",    "docker with the Ascend Docker Runtime"},
};
// clang-format on

/* Keys of which only the last part counts: backend, dist_backend, ddp.backend. */
static bool key_ends(fh_text key, const char *name)
{
    return fh_text_is(fh_text_last_part(key), name);
}

static void report_nccl(const setting_check *c, fh_text key)
{
    fh_rule_report(c->run, FH_RULE_501, FH_SEVERITY_ERROR, FH_LIKELY, c->spot, (fh_text){0},
                   "%.*s is \"nccl\": use \"hccl\"", FH_TEXT_ARGS(key));
}

/* Whether `key` names a device that `value` says is CUDA's; reports it then. */
static bool check_device(const setting_check *c, fh_text key, fh_text value)
{
    if (!fh_text_is_cuda_device(value) ||
        !(fh_text_contains(fh_text_last_part(key), "device") || key_ends(key, "accelerator")))
        return false;
    fh_rule_report(c->run, FH_RULE_604, FH_SEVERITY_WARNING, FH_LIKELY, c->spot, (fh_text){0},
                   "%.*s is \"%.*s\": use \"npu\"", FH_TEXT_ARGS(key), FH_TEXT_ARGS(value));
    return true;
}

/* What containers are given of NVIDIA's: docker run --gpus all, --runtime=nvidia. */
static void check_container(const setting_check *c, fh_text key, fh_text value)
{
    static const char *const engines[] = {"docker", "podman", "nvidia-docker", "nerdctl", NULL};
    bool is_gpus = fh_text_is(key, "--gpus");
    if (fh_text_is_any(c->key, engines) &&
        (is_gpus || (fh_text_is(key, "--runtime") && fh_text_is(value, "nvidia"))))
        fh_rule_report(c->run, FH_RULE_611, FH_SEVERITY_NOTE, FH_CERTAIN, c->spot, (fh_text){0},
                       "%.*s of %.*s gives the container NVIDIA devices: use the Ascend Docker "
                       "Runtime",
                       FH_TEXT_ARGS(key), FH_TEXT_ARGS(c->key));
}

/* Arguments of a program: --backend nccl, --device=cuda:0, backend=nccl. */
static void check_arguments(const setting_check *c)
{
    fh_text rest = c->value, word, before = {0};
    while (fh_text_next(&rest, ' ', &word)) {
        size_t equals = fh_text_find(word, '=');
        fh_text key = equals < word.length ? fh_text_slice(word, 0, equals) : before;
        fh_text value = fh_text_slice(word, equals < word.length ? equals + 1 : 0, word.length);
        if (fh_text_contains(key, "backend") && fh_text_is(value, "nccl"))
            report_nccl(c, key);
        else
            check_device(c, key, value);
        check_container(c, key, value);
        before = fh_text_starts(word, "-") && equals == word.length ? word : (fh_text){0};
    }
}

static void check_command(const setting_check *c)
{
    check_arguments(c);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (!fh_text_is(c->key, programs[i].program))
            continue;
        if (programs[i].instead[0])
            fh_rule_report(c->run, FH_RULE_611, FH_SEVERITY_NOTE, FH_CERTAIN, c->spot, (fh_text){0},
                           "%s is for NVIDIA devices: use %s", programs[i].program,
                           programs[i].instead);
        else
            fh_rule_report(c->run, FH_RULE_611, FH_SEVERITY_NOTE, FH_CERTAIN, c->spot, (fh_text){0},
                           "%s is for NVIDIA devices and has no counterpart of that name",
                           programs[i].program);
    }
}

/* Below this many numbers a bucket is smaller than the 25 MiB of DistributedDataParallel, even in
 * float32. DeepSpeed's own default is 5e8 (deepspeed/runtime/zero/config.py, read 2026-11-30). */
#define SMALL_BUCKET (25.0 * 1024 * 1024 / 4)

bool fh_report_deepspeed(fh_rule_run *run, fh_text key, bool is_false, double number, fh_spot spot)
{
    static const char *const buckets[] = {"reduce_bucket_size", "allgather_bucket_size", NULL};
    fh_text name = fh_text_last_part(key);
    if (is_false && fh_text_is(name, "overlap_comm"))
        fh_rule_report(run, FH_RULE_509, FH_SEVERITY_NOTE, FH_LIKELY, spot, (fh_text){0},
                       "DeepSpeed's overlap_comm is false: gradients are not reduced while the "
                       "backward pass computes");
    else if (number > 0 && number < SMALL_BUCKET && fh_text_is_any(name, buckets))
        fh_rule_report(run, FH_RULE_509, FH_SEVERITY_NOTE, FH_LIKELY, spot, (fh_text){0},
                       "DeepSpeed's %.*s is %.0f numbers, far below its default of 5e8: more and "
                       "smaller messages",
                       FH_TEXT_ARGS(name), number);
    else
        return false;
    return true;
}

/* 5e8, 500000000; 0 for what is no number. */
static double number_of(fh_text text)
{
    char copy[32], *end;
    if (!text.length || text.length >= sizeof copy)
        return 0;
    memcpy(copy, text.data, text.length);
    copy[text.length] = '\0';
    double number = strtod(copy, &end);
    return *end ? 0 : number;
}

static void check_key(const setting_check *c)
{
    if (fh_text_is(c->value, "nccl"))
        report_nccl(c, c->key);
    else if (check_device(c, c->key, c->value) ||
             fh_report_deepspeed(c->run, c->key, fh_text_is(c->value, "false"), number_of(c->value),
                                 c->spot))
        return;
    else if (fh_text_contains(c->key, "find_unused_parameters") && fh_text_is(c->value, "true"))
        fh_rule_report(c->run, FH_RULE_503, FH_SEVERITY_NOTE, FH_LIKELY, c->spot, (fh_text){0},
                       "%.*s: true walks the graph in every step and delays the all-reduce",
                       FH_TEXT_ARGS(c->key));
    else if (fh_text_is(c->key, "distributed_type") && fh_text_is(c->value, "MULTI_GPU"))
        fh_rule_report(c->run, FH_RULE_509, FH_SEVERITY_WARNING, FH_CERTAIN, c->spot, (fh_text){0},
                       "distributed_type MULTI_GPU: Accelerate calls it MULTI_NPU on Ascend");
    else if (fh_text_is(c->key, "mixed_precision") && fh_text_is(c->value, "no"))
        fh_rule_report(c->run, FH_RULE_410, FH_SEVERITY_NOTE, FH_LIKELY, c->spot, (fh_text){0},
                       "mixed_precision is \"no\": training runs in float32; bf16 uses the 16-bit "
                       "matrix units");
    else if (fh_text_is(c->key, "fp16.enabled") && fh_text_is(c->value, "true") &&
             c->run->options->soc->has_bf16)
        fh_rule_report(
            c->run, FH_RULE_509, FH_SEVERITY_NOTE, FH_CERTAIN, c->spot, (fh_text){0},
            "DeepSpeed's fp16: the chip has bfloat16, which needs no loss scaling (bf16.enabled)");
    else if ((fh_text_is(c->key, "from") || key_ends(c->key, "image")) &&
             fh_text_contains(c->value, "nvidia/"))
        fh_rule_report(c->run, FH_RULE_611, FH_SEVERITY_WARNING, FH_CERTAIN, c->spot, (fh_text){0},
                       "image %.*s holds CUDA: start from an image with CANN",
                       FH_TEXT_ARGS(c->value));
}

void fh_report_setting(fh_rule_run *run, fh_setting_kind kind, fh_text key, fh_text value,
                       fh_spot spot)
{
    const setting_check c = {run, key, value, spot};
    switch (kind) {
    case FH_SETTING_REQUIREMENT:
        check_requirement(&c);
        break;
    case FH_SETTING_COMMAND:
        check_command(&c);
        break;
    case FH_SETTING_KEY:
        check_key(&c);
        break;
    case FH_SETTING_ENVIRONMENT:
        fh_report_environment(run, key, spot);
        break;
    }
}

void fh_rules_settings(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    for (uint32_t i = 1; i < u->settings.count; i++) {
        const fh_setting *s = &u->settings.items[i];
        fh_report_setting(run, (fh_setting_kind)s->kind, fh_unit_text(u, s->key),
                          fh_unit_text(u, s->value), (fh_spot){s->offset, 0, 0});
    }
}
