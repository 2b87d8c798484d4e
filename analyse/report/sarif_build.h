/* sarif_build.h: what the two halves of the SARIF writer share: sarif_rules.c describes the tool,
 * sarif.c what it found. */
#ifndef FH_REPORT_SARIF_BUILD_H
#define FH_REPORT_SARIF_BUILD_H

#include "analyse/report/formats.h"
#include "analyse/rules/rules.h"
#include "base/json_write.h"

typedef struct {
    fh_json_writer json;
    const fh_result *result;
    const fh_report_options *options;
    const fh_rule *rules;
    uint32_t rule_count;
    FH_VECTOR(const fh_finding *) others; /* the first of each rule that is not in the table */
    fh_buffer scratch;
} fh_sarif;

void fh_sarif_text(fh_sarif *s, const char *key, fh_text value);
void fh_sarif_words(fh_sarif *s, const char *key, const char *value);

/* {"text": ...}, as SARIF has all its messages. */
void fh_sarif_message(fh_sarif *s, const char *key, fh_text value);

/* Appends a sentence to others, with a full stop and a blank where they lack. */
void fh_sarif_add_sentence(fh_buffer *out, fh_text value);

/* Fills `others`, which rule_index needs. */
void fh_sarif_collect_others(fh_sarif *s);

/* The number of a rule in the tool's list. */
uint32_t fh_sarif_rule_index(const fh_sarif *s, fh_text id);

/* "tool": name, version, every rule with its help. */
void fh_sarif_tool(fh_sarif *s);

#endif
