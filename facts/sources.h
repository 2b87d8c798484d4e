/* sources.h: where a fact was read (sources.tsv). */
#ifndef FH_FACTS_SOURCES_H
#define FH_FACTS_SOURCES_H

#include "base/text.h"

/* The place and the day of a source id; false for "ours" and ids that are not listed. */
bool fh_source_find(fh_text id, fh_text *where, fh_text *read);

/* Appends the places of ids separated by blanks, joined by "; ". */
void fh_sources_add(fh_buffer *buffer, fh_text ids);

#endif
