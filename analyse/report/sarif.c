/* SARIF 2.1.0 (OASIS), with what GitHub code scanning asks for besides: help texts, all four
 * numbers of a region, a primaryLocationLineHash. Its limits, 2026-11-30, docs.github.com, "SARIF
 * support for code scanning": 25,000 results in a run, of which 5,000 are shown, the most severe
 * first; 10 MB when compressed. */
#include "analyse/report/sarif.h"
#include "analyse/report/figures.h"
#include "analyse/report/sarif_build.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_RESULTS = 25000,
    MOST_NOTIFICATIONS = 1000,
    LONGEST_CONTEXT = 4096, /* bytes */
};

void fh_sarif_text(fh_sarif *s, const char *key, fh_text value)
{
    fh_json_write_text(&s->json, key, value);
}

void fh_sarif_words(fh_sarif *s, const char *key, const char *value)
{
    fh_sarif_text(s, key, fh_text_from(value));
}

/* {"text": ...}, as SARIF has all its messages. */
void fh_sarif_message(fh_sarif *s, const char *key, fh_text value)
{
    fh_json_write_object(&s->json, key);
    fh_sarif_text(s, "text", value);
    fh_json_write_end(&s->json);
}

static bool ends_sentence(fh_text value)
{
    return value.length && strchr(".!?:", value.data[value.length - 1]);
}

/* In a message "{0}" stands for an argument and "[a](1)" for a link to a related place; what the
 * target's code brings along is not meant so. */
static void add_literal(fh_buffer *out, fh_text value)
{
    for (size_t i = 0; i < value.length; i++) {
        char c = value.data[i], next = i + 1 < value.length ? value.data[i + 1] : 0;
        if (c == '{' && isdigit((unsigned char)next))
            fh_buffer_add_char(out, '{');
        if (c == ']' && next == '(')
            fh_buffer_add_char(out, '\\');
        fh_buffer_add_char(out, c);
    }
}

void fh_sarif_add_sentence(fh_buffer *out, fh_text value)
{
    if (!value.length)
        return;
    if (out->length)
        fh_buffer_add_char(out, ' ');
    add_literal(out, value);
    if (!ends_sentence(value))
        fh_buffer_add_char(out, '.');
}

/* RFC 3986: all but unreserved characters and '/' as %XX, so that no name is read as a scheme, a
 * query or a fragment. */
static void add_uri(fh_buffer *out, fh_text path)
{
    for (size_t i = 0; i < path.length; i++) {
        unsigned char c = (unsigned char)path.data[i];
        if (c && c < 0x80 && (isalnum(c) || strchr("-._~/", c)))
            fh_buffer_add_char(out, (char)c);
        else
            fh_buffer_add_format(out, "%%%02X", c);
    }
}

static void artifact(fh_sarif *s, fh_text file)
{
    fh_text prefix = s->options->prefix;
    bool absolute = fh_text_starts(prefix.length ? prefix : file, "/");
    fh_buffer_clear(&s->scratch);
    if (absolute)
        fh_buffer_add_string(&s->scratch, "file://");
    add_uri(&s->scratch, prefix);
    add_uri(&s->scratch, file);
    fh_json_write_object(&s->json, "artifactLocation");
    fh_sarif_text(s, "uri", fh_buffer_text(&s->scratch));
    if (!absolute)
        fh_sarif_words(s, "uriBaseId", "%SRCROOT%");
    fh_json_write_end(&s->json);
}

/* Findings about a whole file stand at its beginning. */
static void region(fh_sarif *s, const fh_location *place)
{
    uint32_t line = place->line ? place->line : 1, column = place->column ? place->column : 1;
    uint32_t end_line = place->end_line > line ? place->end_line : line;
    uint32_t end = place->end_column ? place->end_column : column + (place->column != 0);
    if (end_line == line && end < column)
        end = column;
    fh_json_write_object(&s->json, "region");
    fh_json_write_integer(&s->json, "startLine", line);
    fh_json_write_integer(&s->json, "startColumn", column);
    fh_json_write_integer(&s->json, "endLine", end_line);
    fh_json_write_integer(&s->json, "endColumn", end);
    fh_json_write_end(&s->json);
}

static uint32_t lines_in(fh_text excerpt)
{
    uint32_t lines = 0;
    fh_text line;
    if (fh_text_ends(excerpt, "\n"))
        excerpt.length--;
    while (fh_text_next(&excerpt, '\n', &line))
        lines++;
    return lines;
}

/* Has to hold the whole region, and more. */
static void context(fh_sarif *s, const fh_finding *f)
{
    const fh_location *place = &f->place;
    uint32_t count = lines_in(f->excerpt), last = f->excerpt_line + count - 1;
    uint32_t end_line = place->end_line > place->line ? place->end_line : place->line;
    if (!f->excerpt_line || count < 2 || f->excerpt.length > LONGEST_CONTEXT || !place->line ||
        place->line < f->excerpt_line || end_line > last)
        return;
    fh_json_write_object(&s->json, "contextRegion");
    fh_json_write_integer(&s->json, "startLine", f->excerpt_line);
    fh_json_write_integer(&s->json, "endLine", last);
    fh_sarif_message(s, "snippet", f->excerpt);
    fh_json_write_end(&s->json);
}

static void locations(fh_sarif *s, const fh_finding *f)
{
    fh_json_write_array(&s->json, "locations");
    fh_json_write_object(&s->json, NULL);
    fh_json_write_object(&s->json, "physicalLocation");
    artifact(s, f->place.file);
    region(s, &f->place);
    context(s, f);
    fh_json_write_end(&s->json);
    if (f->place.function.length) {
        fh_json_write_array(&s->json, "logicalLocations");
        fh_json_write_object(&s->json, NULL);
        fh_sarif_text(s, "fullyQualifiedName", f->place.function);
        fh_sarif_words(s, "kind", "function");
        fh_json_write_end(&s->json);
        fh_json_write_end(&s->json);
    }
    fh_json_write_end(&s->json);
    fh_json_write_end(&s->json);
}

static void result(fh_sarif *s, const fh_finding *f, const fh_fingerprint *fingerprint)
{
    char hash[40];
    fh_json_write_object(&s->json, NULL);
    fh_sarif_text(s, "ruleId", f->rule);
    fh_json_write_integer(&s->json, "ruleIndex", fh_sarif_rule_index(s, f->rule));
    fh_sarif_words(s, "level", fh_severity_name(f->severity));
    fh_buffer_clear(&s->scratch);
    fh_sarif_add_sentence(&s->scratch, f->message.length ? f->message : f->rule);
    fh_sarif_add_sentence(&s->scratch, f->advice);
    fh_sarif_message(s, "message", fh_buffer_text(&s->scratch));
    locations(s, f);
    if (f->count > 1)
        fh_json_write_integer(&s->json, "occurrenceCount", f->count);
    snprintf(hash, sizeof hash, "%016llx:%u", (unsigned long long)fingerprint->hash,
             fingerprint->ordinal);
    fh_json_write_object(&s->json, "partialFingerprints");
    fh_sarif_words(s, "primaryLocationLineHash", hash);
    fh_json_write_end(&s->json);
    fh_json_write_object(&s->json, "properties");
    fh_sarif_words(s, "category", fh_category_name(f->category));
    fh_sarif_text(s, "certainty",
                  f->place.certainty.length ? f->place.certainty : FH_TEXT("possible"));
    if (f->operator.length)
        fh_sarif_text(s, "operator", f->operator);
    fh_json_write_end(&s->json);
    fh_json_write_end(&s->json);
}

/* The order of findings is by severity: what is cut off is the least severe. */
static void results(fh_sarif *s)
{
    uint32_t count =
        s->result->findings.count < MOST_RESULTS ? s->result->findings.count : MOST_RESULTS;
    fh_fingerprint *fingerprints = fh_fingerprints_make(s->result, count);
    fh_json_write_array(&s->json, "results");
    if (count && !fingerprints)
        s->json.out->failed = true;
    for (uint32_t i = 0; fingerprints && i < count; i++)
        result(s, &s->result->findings.items[i], &fingerprints[i]);
    fh_json_write_end(&s->json);
    fh_free(fingerprints);
}

static void notification(fh_sarif *s, const char *id, const char *level, fh_text what,
                         const fh_file_note *at)
{
    fh_json_write_object(&s->json, NULL);
    fh_json_write_object(&s->json, "descriptor");
    fh_sarif_words(s, "id", id);
    fh_json_write_end(&s->json);
    fh_sarif_words(s, "level", level);
    fh_buffer_clear(&s->scratch);
    fh_sarif_add_sentence(&s->scratch, what.length ? what : fh_text_from(id));
    fh_sarif_message(s, "message", fh_buffer_text(&s->scratch));
    if (at) {
        fh_json_write_array(&s->json, "locations");
        fh_json_write_object(&s->json, NULL);
        fh_json_write_object(&s->json, "physicalLocation");
        artifact(s, at->path);
        if (at->line) {
            fh_json_write_object(&s->json, "region");
            fh_json_write_integer(&s->json, "startLine", at->line);
            fh_json_write_end(&s->json);
        }
        fh_json_write_end(&s->json);
        fh_json_write_end(&s->json);
        fh_json_write_end(&s->json);
    }
    fh_json_write_end(&s->json);
}

static void file_notifications(fh_sarif *s, const char *id, const fh_file_note *notes,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count && i < MOST_NOTIFICATIONS; i++)
        notification(s, id, "note", notes[i].reason, &notes[i]);
}

static void left_out(fh_sarif *s, uint32_t all, uint32_t most, const char *what)
{
    char sentence[160];
    if (all <= most)
        return;
    snprintf(sentence, sizeof sentence, "%u %s are left out; the JSON report has them all",
             all - most, what);
    notification(s, "left-out", "warning", fh_text_from(sentence), NULL);
}

static void invocation(fh_sarif *s)
{
    const fh_result *r = s->result;
    fh_json_write_array(&s->json, "invocations");
    fh_json_write_object(&s->json, NULL);
    fh_json_write_boolean(&s->json, "executionSuccessful", !r->partial);
    fh_json_write_array(&s->json, "toolExecutionNotifications");
    if (r->partial)
        notification(s, "interrupted", "error",
                     FH_TEXT("The analysis was interrupted; what is here was found before"), NULL);
    left_out(s, r->findings.count, MOST_RESULTS, "findings");
    left_out(s, r->notes.count, MOST_NOTIFICATIONS, "notes on files");
    left_out(s, r->skipped.count, MOST_NOTIFICATIONS, "names of skipped files");
    file_notifications(s, "note", r->notes.items, r->notes.count);
    file_notifications(s, "skipped", r->skipped.items, r->skipped.count);
    fh_json_write_end(&s->json);
    fh_json_write_end(&s->json);
    fh_json_write_end(&s->json);
}

static void root(fh_sarif *s)
{
    fh_json_write_object(&s->json, "originalUriBaseIds");
    fh_json_write_object(&s->json, "%SRCROOT%");
    fh_sarif_message(s, "description", FH_TEXT("The folder that file names are relative to."));
    fh_json_write_end(&s->json);
    fh_json_write_end(&s->json);
}

static void run_properties(fh_sarif *s)
{
    const fh_result *r = s->result;
    fh_json_write_object(&s->json, "properties");
    fh_sarif_text(s, "target", r->target);
    if (r->torch.length)
        fh_sarif_text(s, "torch", r->torch);
    if (r->soc.length)
        fh_sarif_text(s, "soc", r->soc);
    if (r->baseline.length)
        fh_sarif_text(s, "baseline", r->baseline);
    fh_json_write_end(&s->json);
}

void fh_report_sarif(const fh_result *r, const fh_report_options *options, fh_buffer *out)
{
    fh_sarif s = {.json = fh_json_writer_to(out, 1, false), .result = r, .options = options};
    s.rules = fh_rules(&s.rule_count);
    fh_sarif_collect_others(&s);
    fh_json_write_object(&s.json, NULL);
    fh_sarif_words(&s, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    fh_sarif_words(&s, "version", "2.1.0");
    fh_json_write_array(&s.json, "runs");
    fh_json_write_object(&s.json, NULL);
    fh_sarif_tool(&s);
    invocation(&s);
    root(&s);
    fh_sarif_words(&s, "columnKind", "unicodeCodePoints");
    results(&s);
    run_properties(&s);
    fh_json_write_end(&s.json);
    fh_json_write_end(&s.json);
    fh_json_write_end(&s.json);
    fh_buffer_add_char(out, '\n');
    if (s.scratch.failed)
        out->failed = true;
    fh_buffer_free(&s.scratch);
    fh_vector_free(&s.others);
}
