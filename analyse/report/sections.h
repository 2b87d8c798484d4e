/* sections.h: the sections of a report, as the pages of text and Markdown show them. */
#ifndef FH_REPORT_SECTIONS_H
#define FH_REPORT_SECTIONS_H

#include "analyse/report/groups.h"
#include "analyse/report/page.h"

void fh_section_operators(fh_page *page, const fh_result *result);
void fh_section_support(fh_page *page, const fh_result *result, const fh_groups *groups);
void fh_section_advice(fh_page *page, const fh_result *result, const fh_groups *groups);
void fh_section_profiling(fh_page *page, const fh_result *result);
void fh_section_expected(fh_page *page, const fh_result *result);
void fh_section_files(fh_page *page, const fh_result *result);

/* The findings of one category, an item for each rule; false when there are none. */
bool fh_section_rules(fh_page *page, const fh_result *result, const fh_groups *groups,
                      fh_category category);

fh_ink fh_ink_of_support(fh_support support);
fh_ink fh_ink_of_severity(fh_severity severity);

/* ", N operators at N sites", `before_findings`, and the counts of findings. */
void fh_section_totals(fh_page *page, const fh_result *result, const char *before_findings);

/* What the target, the chip and the counts are: two or three paragraphs. */
void fh_section_head(fh_page *page, const fh_result *result);

/* "and 12 more" when `listed` of `all` were shown. */
void fh_section_more(fh_page *page, unsigned depth, uint64_t listed, uint64_t all);

#endif
