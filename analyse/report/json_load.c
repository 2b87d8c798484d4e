/* Reads a JSON report back. Unknown fields are passed over, since later versions may add some; a
 * word that is not one of its list is an error, since a verdict must not change on the way. */
#include "analyse/report/report.h"
#include "base/hash.h"
#include "base/json.h"

#include <stdio.h>

enum { MEMO_SIZE = 4096 }; /* a power of 2 */

typedef struct {
    fh_result result;
    const char *name;
    fh_status status;
    fh_text memo[MEMO_SIZE]; /* texts seen before, by hash: files and functions repeat a lot */
} loader;

static void fail(loader *l, fh_json_value at, const char *what)
{
    if (!l->status)
        l->status = fh_error(FH_INVALID, "%s: byte %zu: %s", l->name, fh_json_offset(at), what);
}

static fh_text keep(loader *l, fh_text text)
{
    if (!text.length)
        return (fh_text){0};
    fh_text *seen = &l->memo[fh_hash(text.data, text.length) & (MEMO_SIZE - 1)];
    if (!fh_text_equal(*seen, text))
        *seen = fh_arena_copy(&l->result.arena, text);
    return *seen;
}

static fh_text text(loader *l, fh_json_value object, const char *key)
{
    return keep(l, fh_json_text(fh_json_member(object, key)));
}

/* 0 for what is no count. */
static uint32_t own_count(fh_json_value value)
{
    int64_t integer;
    if (!fh_json_integer(value, &integer) || integer < 0)
        return 0;
    return integer > UINT32_MAX ? UINT32_MAX : (uint32_t)integer;
}

static uint32_t count(fh_json_value object, const char *key)
{
    return own_count(fh_json_member(object, key));
}

static double number(fh_json_value object, const char *key)
{
    double value;
    return fh_json_double(fh_json_member(object, key), &value) ? value : -1;
}

/* The index of a member's text among `names`. */
static int word(loader *l, fh_json_value object, const char *key, int names,
                const char *(*name)(int))
{
    fh_json_value value = fh_json_member(object, key);
    for (int i = 0; i < names; i++)
        if (fh_text_is(fh_json_text(value), name(i)))
            return i;
    char what[96];
    snprintf(what, sizeof what, "\"%s\" is missing, or not a word that this version knows", key);
    fail(l, value.document ? value : object, what);
    return 0;
}

static const char *category_name(int i)
{
    return fh_category_name((fh_category)i);
}

static const char *severity_name(int i)
{
    return fh_severity_name((fh_severity)i);
}

static const char *support_name(int i)
{
    return fh_support_name((fh_support)i);
}

/* The elements of a list with commas between. */
static fh_text joined(loader *l, fh_json_value list)
{
    fh_buffer all = {0};
    FH_JSON_EACH (v, list) {
        if (all.length)
            fh_buffer_add_char(&all, ',');
        fh_buffer_add(&all, fh_json_text(v));
    }
    fh_text kept = keep(l, fh_buffer_text(&all));
    if (all.failed)
        l->result.arena.failed = true;
    fh_buffer_free(&all);
    return kept;
}

static void load_head(loader *l, fh_json_value root)
{
    fh_result *r = &l->result;
    fh_json_value list = fh_json_member(root, "targets");
    r->target = text(l, root, "target");
    FH_JSON_EACH (v, list)
        fh_vector_push(&r->targets, keep(l, fh_json_text(v)));
    r->torch = text(l, root, "torch");
    r->soc = text(l, root, "soc");
    r->baseline = text(l, root, "baseline");
    r->partial = fh_json_boolean(fh_json_member(root, "partial"), false);
}

static fh_file_note file_note(loader *l, fh_json_value from, const char *reason)
{
    return (fh_file_note){text(l, from, "path"), text(l, from, reason), count(from, "line")};
}

static void load_files(loader *l, fh_json_value files)
{
    fh_result *r = &l->result;
    int64_t bytes;
    fh_json_value kinds = fh_json_member(files, "kinds");
    fh_json_value skipped = fh_json_member(files, "skipped"),
                  notes = fh_json_member(files, "notes");
    r->scanned = count(files, "scanned");
    if (fh_json_integer(fh_json_member(files, "bytes"), &bytes) && bytes > 0)
        r->bytes = (uint64_t)bytes;
    FH_JSON_EACH (v, kinds)
        fh_vector_push(&r->kinds, (fh_kind_count){keep(l, fh_json_key(v)), own_count(v)});
    FH_JSON_EACH (v, skipped)
        fh_vector_push(&r->skipped, file_note(l, v, "reason"));
    FH_JSON_EACH (v, notes)
        fh_vector_push(&r->notes, file_note(l, v, "message"));
}

static fh_location load_place(loader *l, fh_json_value from)
{
    return (fh_location){
        .file = text(l, from, "file"),
        .line = count(from, "line"),
        .column = count(from, "column"),
        .end_line = count(from, "end_line"),
        .end_column = count(from, "end_column"),
        .function = text(l, from, "function"),
        .certainty = text(l, from, "certainty"),
        .parameters = number(from, "parameters"),
        .flops = number(from, "flops"),
        .per = text(l, from, "per"),
    };
}

static void load_operator(loader *l, fh_json_value from)
{
    fh_operator op = {
        .name = text(l, from, "name"),
        .category = (fh_category)word(l, from, "category", FH_CATEGORY_COUNT, category_name),
        .class = text(l, from, "class"),
        .support = (fh_support)word(l, from, "support", FH_SUPPORT_COUNT, support_name),
        .kernels = joined(l, fh_json_member(from, "kernels")),
        .overloads = joined(l, fh_json_member(from, "overloads")),
        .limits = text(l, from, "limits"),
        .reason = text(l, from, "reason"),
        .workaround = text(l, from, "workaround"),
        .source = text(l, from, "source"),
        .count = count(from, "count"),
        .sized = count(from, "sized"),
        .parameters = number(from, "parameters"),
        .flops = number(from, "flops"),
    };
    fh_json_value places = fh_json_member(from, "locations");
    (void)fh_vector_reserve(&op.locations, fh_json_count(places));
    for (fh_json_value v = fh_json_first(places); v.document && !op.locations.failed;
         v = fh_json_next(v))
        fh_vector_push(&op.locations, load_place(l, v));
    bool failed = op.locations.failed;
    if (failed || !fh_vector_push(&l->result.operators, op)) {
        l->result.operators.failed = true;
        fh_vector_free(&op.locations);
    }
}

static void load_excerpt(loader *l, fh_json_value from, fh_finding *finding)
{
    fh_buffer lines = {0};
    fh_json_value list = fh_json_member(from, "text");
    FH_JSON_EACH (v, list) {
        fh_buffer_add(&lines, fh_json_text(v));
        fh_buffer_add_char(&lines, '\n');
    }
    if (lines.length) {
        finding->excerpt_line = count(from, "line");
        finding->excerpt = fh_arena_copy(&l->result.arena, fh_buffer_text(&lines));
    }
    if (lines.failed)
        l->result.arena.failed = true;
    fh_buffer_free(&lines);
}

static void load_finding(loader *l, fh_json_value from)
{
    fh_finding finding = {
        .rule = text(l, from, "rule"),
        .title = text(l, from, "title"),
        .category = (fh_category)word(l, from, "category", FH_CATEGORY_COUNT, category_name),
        .severity = (fh_severity)word(l, from, "severity", FH_SEVERITY_COUNT, severity_name),
        .message = text(l, from, "message"),
        .advice = text(l, from, "advice"),
        .operator= text(l, from, "operator"),
        .place = load_place(l, from),
        .count = count(from, "count"),
    };
    if (!finding.count)
        finding.count = 1;
    load_excerpt(l, fh_json_member(from, "excerpt"), &finding);
    fh_vector_push(&l->result.findings, finding);
}

static void load_profiling(loader *l, fh_json_value from)
{
    fh_json_value steps = fh_json_member(from, "steps"), plan = fh_json_member(from, "plan");
    FH_JSON_EACH (v, steps)
        fh_vector_push(&l->result.steps, (fh_step){text(l, v, "file"), text(l, v, "function"),
                                                   text(l, v, "kind"), count(v, "line")});
    FH_JSON_EACH (v, plan)
        fh_vector_push(&l->result.plan, (fh_plan_item){text(l, v, "title"), text(l, v, "text"),
                                                       text(l, v, "language"), text(l, v, "code"),
                                                       text(l, v, "file"), count(v, "line")});
}

static fh_chip_summary load_chip(loader *l, fh_json_value from)
{
    return (fh_chip_summary){
        .name = text(l, from, "name"),
        .source = text(l, from, "source"),
        .fp16_tflops = number(from, "fp16_tflops"),
        .fp32_tflops = number(from, "fp32_tflops"),
        .memory_gbps = number(from, "memory_GBps"),
        .memory_gb = number(from, "memory_GB"),
        .ridge = number(from, "ridge"),
        .ridge32 = number(from, "ridge_fp32"),
        .ridge8 = number(from, "ridge_int8"),
        .ridge_vector = number(from, "ridge_vector"),
    };
}

static fh_class_expectation load_class(loader *l, fh_json_value from)
{
    fh_json_value intensity = fh_json_member(from, "intensity");
    return (fh_class_expectation){
        .class = text(l, from, "class"),
        .bound = text(l, from, "bound"),
        .reason = text(l, from, "reason"),
        .count = count(from, "count"),
        .share = number(from, "share"),
        .low = number(from, "low"),
        .high = number(from, "high"),
        .intensity_low = number(intensity, "low"),
        .intensity_high = number(intensity, "high"),
        .turns = number(intensity, "turns_at"),
        .turns32 = number(intensity, "turns_at_fp32"),
        .per = text(l, intensity, "per"),
        .formula = text(l, intensity, "formula"),
        .sized = count(intensity, "sized"),
    };
}

static void load_expected(loader *l, fh_json_value from)
{
    fh_result *r = &l->result;
    fh_json_value classes = fh_json_member(from, "classes"), range = fh_json_member(from, "range");
    fh_json_value priorities = fh_json_member(from, "priorities");
    fh_json_value unknown = fh_json_member(from, "unknown");
    r->chip = load_chip(l, fh_json_member(from, "chip"));
    r->reference = load_chip(l, fh_json_member(from, "baseline"));
    r->host_tflops = number(fh_json_member(from, "host"), "fp32_tflops");
    r->host_gbps = number(fh_json_member(from, "host"), "memory_GBps");
    FH_JSON_EACH (v, classes)
        fh_vector_push(&r->classes, load_class(l, v));
    FH_JSON_EACH (v, priorities)
        fh_vector_push(&r->priorities,
                       (fh_priority){text(l, v, "rule"), text(l, v, "title"), text(l, v, "reason"),
                                     count(v, "rank"), count(v, "count")});
    r->range_low = number(range, "low");
    r->range_high = number(range, "high");
    r->range_reason = text(l, range, "reason");
    FH_JSON_EACH (v, unknown)
        fh_vector_push(&r->unknown, keep(l, fh_json_text(v)));
}

/* What the summary does not say is counted from the lists. */
static void count_lists(fh_result *r, bool operators, bool findings)
{
    for (uint32_t i = 0; operators && i < r->operators.count; i++) {
        r->by_support[r->operators.items[i].support] += r->operators.items[i].count;
        r->operator_sites += r->operators.items[i].count;
    }
    for (uint32_t i = 0; findings && i < r->findings.count; i++)
        r->by_severity[r->findings.items[i].severity] += r->findings.items[i].count;
}

static void load_summary(loader *l, fh_json_value from)
{
    fh_result *r = &l->result;
    fh_json_value rules = fh_json_member(from, "by_rule");
    fh_json_value support = fh_json_member(from, "support");
    fh_json_value findings = fh_json_member(from, "findings");
    for (int i = 0; support.document && i < FH_SUPPORT_COUNT; i++)
        r->by_support[i] = count(support, support_name(i));
    for (int i = 0; findings.document && i < FH_SEVERITY_COUNT; i++)
        r->by_severity[i] = count(findings, severity_name(i));
    count_lists(r, !support.document, !findings.document);
    if (fh_json_member(from, "operator_sites").document)
        r->operator_sites = count(from, "operator_sites");
    FH_JSON_EACH (v, rules)
        fh_vector_push(&r->by_rule,
                       (fh_priority){.rule = keep(l, fh_json_key(v)), .count = own_count(v)});
}

static void load(loader *l, fh_json_value root)
{
    fh_json_value operators = fh_json_member(root, "operators");
    fh_json_value findings = fh_json_member(root, "findings");
    if (count(root, "schema") != 1) {
        l->status = fh_error(FH_INVALID,
                             "%s is no report that this version reads (\"schema\" is not 1); "
                             "make one with: foothold analyze TARGET --format json -o FILE",
                             l->name);
        return;
    }
    load_head(l, root);
    load_files(l, fh_json_member(root, "files"));
    for (fh_json_value v = fh_json_first(operators); v.document && !l->status; v = fh_json_next(v))
        load_operator(l, v);
    for (fh_json_value v = fh_json_first(findings); v.document && !l->status; v = fh_json_next(v))
        load_finding(l, v);
    load_profiling(l, fh_json_member(root, "profiling"));
    load_expected(l, fh_json_member(root, "expected"));
    load_summary(l, fh_json_member(root, "summary"));
}

static bool ran_out(const fh_result *r)
{
    return r->arena.failed || r->targets.failed || r->kinds.failed || r->skipped.failed ||
           r->notes.failed || r->operators.failed || r->findings.failed || r->steps.failed ||
           r->plan.failed || r->classes.failed || r->priorities.failed || r->unknown.failed ||
           r->by_rule.failed;
}

/* The message of what the reader of JSON refused, with what to do. */
static fh_status no_report(fh_status status, const char *name)
{
    char why[512];
    if (status == FH_NO_MEMORY)
        return status;
    snprintf(why, sizeof why, "%s", fh_error_message());
    return fh_error(status,
                    "%s is no report that foothold wrote as JSON (%s); make one with: foothold "
                    "analyze TARGET --format json -o FILE",
                    name, why);
}

fh_status fh_report_load(fh_text json, const char *name, fh_result *result, fh_text *version)
{
    fh_json_document *document;
    fh_status status = fh_json_parse(json, name, &document);
    if (status)
        return no_report(status, name);
    loader *l = fh_alloc_zero(1, sizeof *l);
    if (!l) {
        fh_json_free(document);
        return fh_error(FH_NO_MEMORY, "%s: out of memory", name);
    }
    fh_json_value root = fh_json_root(document);
    l->name = name;
    load(l, root);
    fh_text written_by = text(l, fh_json_member(root, "tool"), "version");
    if (!l->status && ran_out(&l->result))
        l->status = fh_error(FH_NO_MEMORY, "%s: out of memory", name);
    status = l->status;
    if (status) {
        fh_result_free(&l->result);
    } else {
        *result = l->result;
        if (version)
            *version = written_by;
    }
    fh_free(l);
    fh_json_free(document);
    return status;
}
