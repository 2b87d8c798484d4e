/* width.h: how many columns text takes in a terminal, whatever the locale. */
#ifndef FH_REPORT_WIDTH_H
#define FH_REPORT_WIDTH_H

#include "base/text.h"

/* 2 for East Asian wide characters and emoji, 0 for combining marks, else 1. */
unsigned fh_width_of(uint32_t code_point);

/* Decodes the character at the start of valid UTF-8 that is not empty. */
uint32_t fh_width_decode(fh_text text, size_t *length);

/* Columns of valid UTF-8 without control characters. */
size_t fh_width(fh_text text);

#endif
