/* run.h: what a rule gets to see and how it reports.
 *
 * Rules come in families, one file each (table in run.c). A family's function is
 * called once for each unit, on some thread, with that thread's resolver; it may
 * look at other units through the resolver, so that it is known what its findings depend
 * on: fh_resolver_look for what meanings lead to, fh_resolver_look_whole for more than that,
 * such as all calls there, or a line. It writes findings of its unit only. What only
 * the whole program shows is found once, at the end (fh_rules_program).
 *
 * Once the program is interrupted the resolver finds nothing more, and what was found of the unit
 * that a thread is at is dropped: long loops over it then end early (fh_rules_stop).
 */
#ifndef FH_RULES_RUN_H
#define FH_RULES_RUN_H

#include "analyse/rules/rules.h"
#include "analyse/rules/sites.h"
#include "analyse/rules/verdicts.h"
#include "analyse/scan/load.h"
#include "analyse/scan/resolve.h"
#include "facts/release.h"
#include "facts/soc.h"
#include "os/interrupt.h"

typedef struct {
    fh_rule_index rule;
    fh_severity severity;
    fh_certainty certainty;
    uint32_t unit;
    uint32_t offset, end;      /* end 0: not known */
    uint32_t function;         /* of the unit */
    fh_text operator, message; /* in the arena of the run, or static */
} fh_raw_finding;

typedef FH_VECTOR(fh_raw_finding) fh_raw_findings;

/* What the user chose. */
typedef struct {
    fh_release release;
    const fh_soc *soc, *baseline;
    double host_tflops, host_gbps; /* of the CPU that the chip is compared with; 0: as assumed */
    const fh_user_facts *user;     /* NULL: none */
    const bool *enabled;           /* by fh_rule_index; NULL: all */
    unsigned jobs;
    uint32_t max_locations;
    const char *kept;   /* file for what is kept of each unit (kept.h); NULL: nothing is */
    fh_hash128 choices; /* of all that findings depend on besides the program, for that file */
} fh_analysis_options;

/* What is worked out once for a unit, when it is first asked for; in the scratch arena. */
typedef struct fh_unit_index fh_unit_index;
typedef struct fh_device_branches fh_device_branches;
typedef struct fh_npu_calls fh_npu_calls;
typedef struct fh_runtime_claims fh_runtime_claims;
typedef struct fh_class_uses fh_class_uses;
typedef struct {
    fh_unit_index *index;
    const fh_device_branches *branches;
    const fh_npu_calls *npu_calls;
    const fh_runtime_claims *runtimes;
    const fh_class_uses *class_uses; /* the units that were asked about */
    const uint8_t *providers;        /* of onnxruntime: see support_packages.c */
    uint8_t migrated;                /* fh_unit_is_migrated: 0 not asked yet, 1 no, 2 yes */
} fh_unit_memo;

typedef struct {
    const fh_program *program;
    const fh_analysis_options *options;
    fh_resolver *resolver;
    fh_verdicts *verdicts;
    uint32_t unit_index; /* where findings are reported */
    const fh_unit *unit;
    fh_sites sites;
    fh_raw_findings *findings;
    fh_arena *arena;   /* for what outlives the unit: texts of findings */
    fh_arena *scratch; /* gone with the unit */
    fh_unit_memo *memo;
} fh_rule_run;

/* The question to facts/support.h that goes with the options. */
fh_support_query fh_rule_query(const fh_analysis_options *options);

/* Where a finding points: a call, or any value. */
typedef struct {
    uint32_t offset, end, function;
} fh_spot;

fh_spot fh_spot_of_call(const fh_unit *unit, const fh_call *call);
fh_spot fh_spot_of_value(const fh_unit *unit, fh_value_index value);

/* Reports a finding. `operator` may be empty; it must outlive the run (a path of the
 * resolver does). Nothing happens when the rule is switched off. */
void fh_rule_report(fh_rule_run *run, fh_rule_index rule, fh_severity severity,
                    fh_certainty certainty, fh_spot spot, fh_text operator, const char * format,
                    ...) __attribute__((format(printf, 7, 8)));

/* The families, in the order in which they run. */
// clang-format off
#define FH_RULE_FAMILIES(X) \
    X(compute) X(support) X(precision) X(distributed) X(device) X(environment) \
    X(settings) X(commands) X(fusion) X(host) X(memory)
// clang-format on

#define X(name) void fh_rules_##name(fh_rule_run *run);
FH_RULE_FAMILIES(X)
#undef X

/* Called when all units are done; leaves `run` at another unit. */
void fh_rules_program(fh_rule_run *run);

/* Reports an environment variable that means nothing on Ascend; others are passed over. */
void fh_report_environment(fh_rule_run *run, fh_text name, fh_spot spot);

/* Reports a setting that has to change on Ascend; others are passed over. */
void fh_report_setting(fh_rule_run *run, fh_setting_kind kind, fh_text key, fh_text value,
                       fh_spot spot);

/* Reports an option of DeepSpeed that leaves communication beside no computation, or in small
 * pieces: by the last part of its key and its value, false or a number (0: neither). True when
 * something was reported. */
bool fh_report_deepspeed(fh_rule_run *run, fh_text key, bool is_false, double number, fh_spot spot);

/* True when the unit, or one that it imports, activates torch_npu's transfer_to_npu: CUDA's names
 * and NCCL then mean the NPU's while the program runs. */
bool fh_unit_is_migrated(const fh_rule_run *run);

/* True when a name of that spelling stands anywhere in the unit; also one that is imported under
 * another. */
bool fh_unit_mentions(const fh_unit *unit, const char *name);

/* True when the unit imports package `root` or something of it. */
bool fh_unit_uses(const fh_rule_run *run, const char *root);

/* True when a loop over a unit that has come to `index` is to end: now and then it asks whether the
 * program was interrupted. */
static inline bool fh_rules_stop(uint32_t index)
{
    enum { ASK_EVERY = 1 << 10 };
    return index % ASK_EVERY == 0 && fh_interrupted();
}

/* True when `block` or a block around it, within the same function, is of `kind`. */
bool fh_block_inside(const fh_unit *unit, uint32_t block, fh_block_kind kind);

/* The function that a block belongs to; 0 for the module. */
uint32_t fh_block_function(const fh_unit *unit, uint32_t block);

#endif
