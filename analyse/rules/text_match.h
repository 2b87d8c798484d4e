/* text_match.h: small questions that several rule families ask of names and strings. */
#ifndef FH_RULES_TEXT_MATCH_H
#define FH_RULES_TEXT_MATCH_H

#include "base/text.h"

/* True for "cuda", "cuda:0", ...: the name of a CUDA device. */
bool fh_text_is_cuda_device(fh_text text);

/* The part behind the last dot. */
fh_text fh_text_last_part(fh_text path);

#endif
