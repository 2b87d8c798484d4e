#include "facts/embedded.h"

/* .incbin copies a file into the object file: no generated source, no copy at start. The
 * assembler looks files up from FOOTHOLD_SOURCE_DIRECTORY, which stays out of the program. */
#define X(name, file) \
    __asm__(".pushsection .rodata\n" \
            "fh_bytes_" #name ":\n" \
            ".incbin \"" FOOTHOLD_SOURCE_DIRECTORY "/" file "\"\n" \
            "fh_bytes_" #name "_end:\n" \
            ".popsection\n"); \
    extern const char fh_bytes_##name[] __attribute__((visibility("hidden"))); \
    extern const char fh_bytes_##name##_end[] __attribute__((visibility("hidden"))); \
    fh_text fh_embedded_##name(void) \
    { \
        return (fh_text){fh_bytes_##name, (size_t)(fh_bytes_##name##_end - fh_bytes_##name)}; \
    }
FH_TABLES(X)
#undef X
