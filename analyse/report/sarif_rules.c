/* The tool in SARIF: its rules, with the help that GitHub code scanning shows beside a finding. */
#include "analyse/report/sarif_build.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST_DESCRIPTION = 1000 }; /* bytes; GitHub takes 1,024 characters */

static fh_text shortened(fh_text value, size_t most)
{
    if (value.length <= most)
        return value;
    while (most && ((unsigned char)value.data[most] & 0xC0) == 0x80)
        most--;
    return fh_text_slice(value, 0, most);
}

/* "matrix dimension is odd" becomes "MatrixDimensionIsOdd"; empty when there are no letters. */
static fh_text name_of(fh_sarif *s, fh_text title)
{
    bool begins = true;
    fh_buffer_clear(&s->scratch);
    for (size_t i = 0; i < title.length && s->scratch.length < 200; i++) {
        unsigned char c = (unsigned char)title.data[i];
        if (isalnum(c))
            fh_buffer_add_char(&s->scratch, (char)(begins ? toupper(c) : c));
        begins = !isalnum(c);
    }
    return fh_buffer_text(&s->scratch);
}

static void rule_properties(fh_sarif *s, fh_category category, fh_severity severity)
{
    fh_json_write_object(&s->json, "properties");
    fh_sarif_words(s, "category", fh_category_name(category));
    fh_sarif_words(s, "problem.severity",
                   severity == FH_SEVERITY_NOTE ? "recommendation" : fh_severity_name(severity));
    fh_json_write_array(&s->json, "tags");
    fh_sarif_words(s, NULL, "ascend");
    fh_sarif_words(s, NULL, fh_category_name(category));
    fh_json_write_end(&s->json);
    fh_json_write_end(&s->json);
}

static void rule_help(fh_sarif *s, fh_text id, fh_text advice, fh_text description)
{
    fh_buffer *help = &s->scratch;
    fh_json_write_object(&s->json, "help");
    fh_buffer_clear(help);
    fh_sarif_add_sentence(help, description);
    fh_sarif_add_sentence(help, advice);
    fh_sarif_text(s, "text", fh_buffer_text(help));
    if (description.length && advice.length) {
        fh_buffer_clear(help);
        fh_buffer_add(help, description);
        fh_buffer_add_string(help, "\n\n**What to do:** ");
        fh_buffer_add(help, advice);
        fh_buffer_add_string(help, "\n\n`foothold rules ");
        fh_buffer_add(help, id);
        fh_buffer_add_string(help, "` says the same in a terminal.");
        fh_sarif_text(s, "markdown", fh_buffer_text(help));
    }
    fh_json_write_end(&s->json);
}

static void rule(fh_sarif *s, fh_text id, fh_category category, fh_severity severity, fh_text title,
                 fh_text advice, fh_text description)
{
    fh_text shown = title.length ? title : id;
    fh_json_write_object(&s->json, NULL);
    fh_sarif_text(s, "id", id);
    fh_text name = name_of(s, title);
    if (name.length)
        fh_sarif_text(s, "name", name);
    fh_buffer_clear(&s->scratch);
    fh_sarif_add_sentence(&s->scratch, shortened(shown, LONGEST_DESCRIPTION));
    fh_sarif_message(s, "shortDescription", fh_buffer_text(&s->scratch));
    fh_buffer_clear(&s->scratch);
    fh_sarif_add_sentence(&s->scratch,
                          shortened(description.length ? description : shown, LONGEST_DESCRIPTION));
    fh_sarif_message(s, "fullDescription", fh_buffer_text(&s->scratch));
    rule_help(s, id, advice.length ? advice : shown, description);
    if (s->options->rules_uri) {
        fh_buffer_clear(&s->scratch);
        fh_buffer_add_string(&s->scratch, s->options->rules_uri);
        fh_buffer_add(&s->scratch, id);
        fh_sarif_text(s, "helpUri", fh_buffer_text(&s->scratch));
    }
    fh_json_write_object(&s->json, "defaultConfiguration");
    fh_sarif_words(s, "level", fh_severity_name(severity));
    fh_json_write_end(&s->json);
    rule_properties(s, category, severity);
    fh_json_write_end(&s->json);
}

uint32_t fh_sarif_rule_index(const fh_sarif *s, fh_text id)
{
    for (uint32_t i = 0; i < s->rule_count; i++)
        if (fh_text_is(id, s->rules[i].id))
            return i;
    for (uint32_t i = 0; i < s->others.count; i++)
        if (fh_text_equal(id, s->others.items[i]->rule))
            return s->rule_count + i;
    return UINT32_MAX;
}

/* A report that another version wrote may hold rules that this one does not know. */
void fh_sarif_collect_others(fh_sarif *s)
{
    for (uint32_t i = 0; i < s->result->findings.count; i++) {
        const fh_finding *finding = &s->result->findings.items[i];
        if (fh_sarif_rule_index(s, finding->rule) == UINT32_MAX &&
            !fh_vector_push(&s->others, finding)) {
            s->json.out->failed = true;
            return;
        }
    }
}

static void notification_kind(fh_sarif *s, const char *id, const char *what)
{
    fh_json_write_object(&s->json, NULL);
    fh_sarif_words(s, "id", id);
    fh_sarif_message(s, "shortDescription", fh_text_from(what));
    fh_sarif_message(s, "fullDescription", fh_text_from(what));
    fh_sarif_message(s, "help", fh_text_from(what));
    fh_json_write_end(&s->json);
}

void fh_sarif_tool(fh_sarif *s)
{
    const char *version = fh_report_version(s->options);
    fh_json_write_object(&s->json, "tool");
    fh_json_write_object(&s->json, "driver");
    fh_sarif_words(s, "name", "foothold");
    fh_sarif_words(s, "version", version);
    fh_sarif_words(s, "semanticVersion", version);
    fh_json_write_array(&s->json, "rules");
    for (uint32_t i = 0; i < s->rule_count; i++) {
        const fh_rule *r = &s->rules[i];
        rule(s, fh_text_from(r->id), r->category, r->severity, fh_text_from(r->title),
             fh_text_from(r->advice), fh_text_from(r->description));
    }
    for (uint32_t i = 0; i < s->others.count; i++) {
        const fh_finding *f = s->others.items[i];
        rule(s, f->rule, f->category, f->severity, f->title, f->advice, (fh_text){0});
    }
    fh_json_write_end(&s->json);
    fh_json_write_array(&s->json, "notifications");
    notification_kind(s, "note", "Something odd in a file that was read.");
    notification_kind(s, "skipped", "A file that was not read.");
    notification_kind(s, "interrupted", "The analysis was stopped before its end.");
    notification_kind(s, "left-out", "More than this file may hold.");
    fh_json_write_end(&s->json);
    fh_json_write_end(&s->json);
    fh_json_write_end(&s->json);
}
