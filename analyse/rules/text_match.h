/* text_match.h: small questions that several rule families ask of names and strings. */
#ifndef FH_RULES_TEXT_MATCH_H
#define FH_RULES_TEXT_MATCH_H

#include "base/text.h"

/* True for "cuda", "cuda:0", ...: the name of a CUDA device. */
bool fh_text_is_cuda_device(fh_text text);

#endif
