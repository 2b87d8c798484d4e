/* The JSON report: docs/json.md field by field, in its order. What is not known is left out:
 * negative numbers, empty texts, line 0. */
#include "analyse/report/formats.h"
#include "analyse/report/json_known.h"

typedef struct {
    fh_json_writer json;
    const fh_result *result;
    const fh_report_options *options;
} writer;

static const char *version_of(const writer *w)
{
    return fh_report_version(w->options);
}

static void write_head(writer *w)
{
    const fh_result *r = w->result;
    fh_json_write_integer(&w->json, "schema", 1);
    fh_json_write_object(&w->json, "tool");
    fh_json_write_text(&w->json, "name", FH_TEXT("foothold"));
    fh_json_write_text(&w->json, "version", fh_text_from(version_of(w)));
    fh_json_write_end(&w->json);
    fh_json_write_text(&w->json, "target", r->target);
    if (r->targets.count) {
        fh_json_write_array(&w->json, "targets");
        for (uint32_t i = 0; i < r->targets.count; i++)
            fh_json_write_text(&w->json, NULL, r->targets.items[i]);
        fh_json_write_end(&w->json);
    }
    fh_json_known_text(&w->json, "torch", r->torch);
    fh_json_known_text(&w->json, "soc", r->soc);
    fh_json_known_text(&w->json, "baseline", r->baseline);
    if (r->partial)
        fh_json_write_boolean(&w->json, "partial", true);
}

static void write_files(writer *w)
{
    const fh_result *r = w->result;
    fh_json_write_object(&w->json, "files");
    fh_json_write_integer(&w->json, "scanned", r->scanned);
    fh_json_write_integer(&w->json, "bytes", (int64_t)r->bytes);
    fh_json_write_object(&w->json, "kinds");
    for (uint32_t i = 0; i < r->kinds.count; i++)
        fh_json_counted(&w->json, r->kinds.items[i].kind, r->kinds.items[i].count);
    fh_json_write_end(&w->json);

    fh_json_write_array(&w->json, "skipped");
    for (uint32_t i = 0; i < r->skipped.count; i++) {
        fh_json_write_object(&w->json, NULL);
        fh_json_write_text(&w->json, "path", r->skipped.items[i].path);
        fh_json_write_text(&w->json, "reason", r->skipped.items[i].reason);
        fh_json_write_end(&w->json);
    }
    fh_json_write_end(&w->json);

    fh_json_write_array(&w->json, "notes");
    for (uint32_t i = 0; i < r->notes.count; i++) {
        fh_json_write_object(&w->json, NULL);
        fh_json_write_text(&w->json, "path", r->notes.items[i].path);
        fh_json_known_count(&w->json, "line", r->notes.items[i].line);
        fh_json_write_text(&w->json, "message", r->notes.items[i].reason);
        fh_json_write_end(&w->json);
    }
    fh_json_write_end(&w->json);
    fh_json_write_end(&w->json);
}

/* What nobody has vouched for is only possible. */
static void certainty(writer *w, fh_text text)
{
    fh_json_write_text(&w->json, "certainty", text.length ? text : FH_TEXT("possible"));
}

static void write_location(writer *w, const fh_location *place)
{
    fh_json_write_object(&w->json, NULL);
    fh_json_write_text(&w->json, "file", place->file);
    fh_json_write_integer(&w->json, "line", place->line ? place->line : 1);
    fh_json_write_integer(&w->json, "column", place->column ? place->column : 1);
    fh_json_known_text(&w->json, "function", place->function);
    certainty(w, place->certainty);
    fh_json_known_number(&w->json, "parameters", place->parameters);
    fh_json_known_number(&w->json, "flops", place->flops);
    fh_json_known_text(&w->json, "per", place->per);
    fh_json_write_end(&w->json);
}

static void write_operator(writer *w, const fh_operator *op)
{
    fh_json_write_object(&w->json, NULL);
    fh_json_write_text(&w->json, "name", op->name);
    fh_json_write_text(&w->json, "category", fh_text_from(fh_category_name(op->category)));
    fh_json_known_text(&w->json, "class", op->class);
    fh_json_write_text(&w->json, "support", fh_text_from(fh_support_name(op->support)));
    fh_json_known_list(&w->json, "kernels", op->kernels);
    fh_json_known_list(&w->json, "overloads", op->overloads);
    fh_json_known_text(&w->json, "limits", op->limits);
    fh_json_known_text(&w->json, "reason", op->reason);
    fh_json_known_text(&w->json, "workaround", op->workaround);
    fh_json_known_text(&w->json, "source", op->source);
    fh_json_write_integer(&w->json, "count", op->count);
    fh_json_write_array(&w->json, "locations");
    for (uint32_t i = 0; i < fh_report_listed(w->options, op); i++)
        write_location(w, &op->locations.items[i]);
    fh_json_write_end(&w->json);
    fh_json_known_number(&w->json, "parameters", op->parameters);
    fh_json_known_number(&w->json, "flops", op->flops);
    fh_json_known_count(&w->json, "sized", op->sized);
    fh_json_write_end(&w->json);
}

static void write_excerpt(writer *w, const fh_finding *finding)
{
    fh_text rest = finding->excerpt, line;
    if (!rest.length || !finding->excerpt_line)
        return;
    if (fh_text_ends(rest, "\n"))
        rest.length--;
    fh_json_write_object(&w->json, "excerpt");
    fh_json_write_integer(&w->json, "line", finding->excerpt_line);
    fh_json_write_array(&w->json, "text");
    while (fh_text_next(&rest, '\n', &line))
        fh_json_write_text(&w->json, NULL, line);
    fh_json_write_end(&w->json);
    fh_json_write_end(&w->json);
}

static void write_place(writer *w, const fh_location *place)
{
    fh_json_write_text(&w->json, "file", place->file);
    if (!place->line)
        return;
    fh_json_write_integer(&w->json, "line", place->line);
    if (place->column)
        fh_json_write_integer(&w->json, "column", place->column);
    fh_json_known_count(&w->json, "end_line", place->end_line);
    if (place->column)
        fh_json_known_count(&w->json, "end_column", place->end_column);
}

static void write_finding(writer *w, const fh_finding *finding)
{
    fh_json_write_object(&w->json, NULL);
    fh_json_write_text(&w->json, "rule", finding->rule);
    fh_json_known_text(&w->json, "title", finding->title);
    fh_json_write_text(&w->json, "category", fh_text_from(fh_category_name(finding->category)));
    fh_json_write_text(&w->json, "severity", fh_text_from(fh_severity_name(finding->severity)));
    certainty(w, finding->place.certainty);
    fh_json_write_text(&w->json, "message", finding->message);
    fh_json_known_text(&w->json, "advice", finding->advice);
    write_place(w, &finding->place);
    fh_json_known_text(&w->json, "operator", finding->operator);
    fh_json_known_text(&w->json, "function", finding->place.function);
    write_excerpt(w, finding);
    if (finding->count > 1)
        fh_json_write_integer(&w->json, "count", finding->count);
    fh_json_write_end(&w->json);
}

static void write_profiling(writer *w)
{
    const fh_result *r = w->result;
    fh_json_write_object(&w->json, "profiling");
    fh_json_write_array(&w->json, "steps");
    for (uint32_t i = 0; i < r->steps.count; i++) {
        const fh_step *step = &r->steps.items[i];
        fh_json_write_object(&w->json, NULL);
        fh_json_write_text(&w->json, "file", step->file);
        fh_json_write_integer(&w->json, "line", step->line ? step->line : 1);
        fh_json_known_text(&w->json, "function", step->function);
        fh_json_write_text(&w->json, "kind", step->kind);
        fh_json_write_end(&w->json);
    }
    fh_json_write_end(&w->json);

    fh_json_write_array(&w->json, "plan");
    for (uint32_t i = 0; i < r->plan.count; i++) {
        const fh_plan_item *item = &r->plan.items[i];
        fh_json_write_object(&w->json, NULL);
        fh_json_write_text(&w->json, "title", item->title);
        fh_json_known_text(&w->json, "text", item->text);
        fh_json_known_text(&w->json, "language", item->language);
        fh_json_known_text(&w->json, "code", item->code);
        fh_json_known_text(&w->json, "file", item->file);
        if (item->file.length)
            fh_json_known_count(&w->json, "line", item->line);
        fh_json_write_end(&w->json);
    }
    fh_json_write_end(&w->json);
    fh_json_write_end(&w->json);
}

static void write_chip(writer *w, const char *key, const fh_chip_summary *chip)
{
    if (!chip->name.length)
        return;
    fh_json_write_object(&w->json, key);
    fh_json_write_text(&w->json, "name", chip->name);
    fh_json_known_positive(&w->json, "fp16_tflops", chip->fp16_tflops);
    fh_json_known_positive(&w->json, "fp32_tflops", chip->fp32_tflops);
    fh_json_known_positive(&w->json, "memory_GBps", chip->memory_gbps);
    fh_json_known_positive(&w->json, "memory_GB", chip->memory_gb);
    fh_json_known_positive(&w->json, "ridge", chip->ridge);
    fh_json_known_positive(&w->json, "ridge_fp32", chip->ridge32);
    fh_json_known_positive(&w->json, "ridge_int8", chip->ridge8);
    fh_json_known_positive(&w->json, "ridge_vector", chip->ridge_vector);
    fh_json_known_text(&w->json, "source", chip->source);
    fh_json_write_end(&w->json);
}

static void write_intensity(writer *w, const fh_class_expectation *row)
{
    if (!fh_json_is_known(row->intensity_low))
        return;
    fh_json_write_object(&w->json, "intensity");
    fh_json_number(&w->json, "low", row->intensity_low);
    fh_json_known_number(&w->json, "high", row->intensity_high);
    fh_json_known_text(&w->json, "per", row->per);
    fh_json_known_positive(&w->json, "turns_at", row->turns);
    fh_json_known_positive(&w->json, "turns_at_fp32", row->turns32);
    fh_json_known_count(&w->json, "sized", row->sized);
    fh_json_known_text(&w->json, "formula", row->formula);
    fh_json_write_end(&w->json);
}

static void write_class(writer *w, const fh_class_expectation *row)
{
    fh_json_write_object(&w->json, NULL);
    fh_json_write_text(&w->json, "class", row->class);
    fh_json_write_integer(&w->json, "count", row->count);
    fh_json_known_number(&w->json, "share", row->share);
    fh_json_write_text(&w->json, "bound", row->bound);
    if (fh_json_is_known(row->low) && fh_json_is_known(row->high)) {
        fh_json_number(&w->json, "low", row->low);
        fh_json_number(&w->json, "high", row->high);
    }
    write_intensity(w, row);
    fh_json_known_text(&w->json, "reason", row->reason);
    fh_json_write_end(&w->json);
}

static void write_priority(writer *w, const fh_priority *row)
{
    fh_json_write_object(&w->json, NULL);
    fh_json_write_integer(&w->json, "rank", row->rank);
    fh_json_known_text(&w->json, "rule", row->rule);
    fh_json_write_text(&w->json, "title", row->title);
    fh_json_known_text(&w->json, "reason", row->reason);
    fh_json_known_count(&w->json, "count", row->count);
    fh_json_write_end(&w->json);
}

static void write_expected(writer *w)
{
    const fh_result *r = w->result;
    fh_json_write_object(&w->json, "expected");
    write_chip(w, "chip", &r->chip);
    write_chip(w, "baseline", &r->reference);
    if (r->host_tflops > 0 && r->host_gbps > 0) {
        fh_json_write_object(&w->json, "host");
        fh_json_number(&w->json, "fp32_tflops", r->host_tflops);
        fh_json_number(&w->json, "memory_GBps", r->host_gbps);
        fh_json_write_end(&w->json);
    }
    fh_json_write_array(&w->json, "classes");
    for (uint32_t i = 0; i < r->classes.count; i++)
        write_class(w, &r->classes.items[i]);
    fh_json_write_end(&w->json);
    fh_json_write_array(&w->json, "priorities");
    for (uint32_t i = 0; i < r->priorities.count; i++)
        write_priority(w, &r->priorities.items[i]);
    fh_json_write_end(&w->json);
    if (fh_json_is_known(r->range_low) && fh_json_is_known(r->range_high)) {
        fh_json_write_object(&w->json, "range");
        fh_json_number(&w->json, "low", r->range_low);
        fh_json_number(&w->json, "high", r->range_high);
        fh_json_known_text(&w->json, "reason", r->range_reason);
        fh_json_write_end(&w->json);
    }
    fh_json_write_array(&w->json, "unknown");
    for (uint32_t i = 0; i < r->unknown.count; i++)
        fh_json_write_text(&w->json, NULL, r->unknown.items[i]);
    fh_json_write_end(&w->json);
    fh_json_write_end(&w->json);
}

static void write_summary(writer *w)
{
    const fh_result *r = w->result;
    fh_json_write_object(&w->json, "summary");
    fh_json_write_integer(&w->json, "operators", r->operators.count);
    fh_json_write_integer(&w->json, "operator_sites", r->operator_sites);
    fh_json_write_object(&w->json, "support");
    for (int i = 0; i < FH_SUPPORT_COUNT; i++)
        fh_json_write_integer(&w->json, fh_support_name((fh_support)i), r->by_support[i]);
    fh_json_write_end(&w->json);
    fh_json_write_object(&w->json, "findings");
    for (int i = FH_SEVERITY_COUNT - 1; i >= 0; i--) /* errors first */
        fh_json_write_integer(&w->json, fh_severity_name((fh_severity)i), r->by_severity[i]);
    fh_json_write_end(&w->json);
    fh_json_write_object(&w->json, "by_rule");
    for (uint32_t i = 0; i < r->by_rule.count; i++)
        fh_json_counted(&w->json, r->by_rule.items[i].rule, r->by_rule.items[i].count);
    fh_json_write_end(&w->json);
    fh_json_write_end(&w->json);
}

static void write_report(writer *w)
{
    const fh_result *r = w->result;
    fh_json_write_object(&w->json, NULL);
    write_head(w);
    write_files(w);
    fh_json_write_array(&w->json, "operators");
    for (uint32_t i = 0; i < r->operators.count; i++)
        write_operator(w, &r->operators.items[i]);
    fh_json_write_end(&w->json);
    fh_json_write_array(&w->json, "findings");
    for (uint32_t i = 0; i < r->findings.count; i++)
        write_finding(w, &r->findings.items[i]);
    fh_json_write_end(&w->json);
    write_profiling(w);
    write_expected(w);
    write_summary(w);
    fh_json_write_end(&w->json);
}

void fh_report_json(const fh_result *result, const fh_report_options *options, fh_buffer *out)
{
    writer w = {fh_json_writer_to(out, 2, false), result, options};
    write_report(&w);
    fh_buffer_add_char(out, '\n');
}

void fh_report_json_for_html(const fh_result *result, const fh_report_options *options,
                             fh_buffer *out)
{
    writer w = {fh_json_writer_to(out, 0, true), result, options};
    write_report(&w);
}
