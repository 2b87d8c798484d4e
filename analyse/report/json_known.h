/* json_known.h: members of the JSON report that are left out where nothing is known. */
#ifndef FH_REPORT_JSON_KNOWN_H
#define FH_REPORT_JSON_KNOWN_H

#include "base/json_write.h"

/* False for negative numbers and what is none. */
bool fh_json_is_known(double value);

/* Whole numbers without an exponent: 100000000, not 1e+08. */
void fh_json_number(fh_json_writer *json, const char *key, double value);

/* What is known: a text that is not empty, a number of 0 or more, of 1 or more, above 0; the parts
 * of a list with commas between. */
void fh_json_known_text(fh_json_writer *json, const char *key, fh_text text);
void fh_json_known_number(fh_json_writer *json, const char *key, double value);
void fh_json_known_count(fh_json_writer *json, const char *key, uint32_t value);
void fh_json_known_positive(fh_json_writer *json, const char *key, double value);
void fh_json_known_list(fh_json_writer *json, const char *key, fh_text list);

/* A member whose key comes from the result: keys are C strings. */
void fh_json_counted(fh_json_writer *json, fh_text key, uint32_t count);

#endif
