#include "analyse/scan/positions.h"
#include "base/search.h"

#include <string.h>

/* Number of continuation bytes that follow a first byte of UTF-8. */
static uint32_t continuation_bytes(unsigned char first)
{
    return first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
}

bool fh_positions_build(fh_positions *positions, fh_text text)
{
    const unsigned char *data = (const unsigned char *)text.data;
    uint32_t extra = 0;
    fh_vector_push(&positions->lines, 0);
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = data[i];
        if (c == '\n' || (c == '\r' && (i + 1 == text.length || data[i + 1] != '\n'))) {
            fh_vector_push(&positions->lines, (uint32_t)i + 1);
        } else if (c >= 0xc0) {
            extra += continuation_bytes(c);
            fh_vector_push(&positions->wide, (fh_wide){(uint32_t)i, extra});
        }
    }
    return !positions->lines.failed && !positions->wide.failed;
}

void fh_positions_free(fh_positions *positions)
{
    fh_vector_free(&positions->lines);
    fh_vector_free(&positions->wide);
}

/* Extra bytes before `offset`. */
static uint32_t extra_before(const fh_positions *positions, uint32_t offset)
{
    uint32_t next;
    FH_BISECT(next, 0, positions->wide.count, positions->wide.items[next].offset < offset);
    return next ? positions->wide.items[next - 1].extra : 0;
}

fh_place fh_positions_place(const fh_positions *positions, uint32_t offset)
{
    uint32_t line; /* its number from 1, which is the place of the next one */
    if (!positions->lines.count)
        return (fh_place){1, 1};
    FH_BISECT(line, 1, positions->lines.count, positions->lines.items[line] <= offset);
    uint32_t begin = positions->lines.items[line - 1];
    uint32_t wide = positions->wide.count
                        ? extra_before(positions, offset) - extra_before(positions, begin)
                        : 0;
    return (fh_place){line, offset - begin - wide + 1};
}
