/* embedded.h: the bytes of the committed tables, put into the program by the assembler. */
#ifndef FH_FACTS_EMBEDDED_H
#define FH_FACTS_EMBEDDED_H

#include "facts/table.h"

#define X(name, file) fh_text fh_embedded_##name(void);
FH_TABLES(X)
#undef X

#endif
