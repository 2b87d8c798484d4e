#include "analyse/scan/python_line.h"

#include <string.h>

bool fh_python_line_is_fresh(const fh_python_line *state)
{
    return !state->depth && !state->quote && !state->continued;
}

static void see_bracket(fh_python_line *state, char c)
{
    static const char openers[] = "([{", closers[] = ")]}";
    const char *found = strchr(openers, c);
    if (found) {
        if (state->depth < sizeof state->open)
            state->open[state->depth] = closers[found - openers];
        state->depth++;
    } else if (strchr(closers, c) && state->depth) {
        state->depth--;
    }
}

void fh_python_line_follow(fh_python_line *state, fh_text line)
{
    state->continued = false;
    for (size_t i = 0; i < line.length; i++) {
        char c = line.data[i];
        bool three = i + 2 < line.length && line.data[i + 1] == c && line.data[i + 2] == c;
        if (c == '\\') {
            state->continued = i + 1 == line.length;
            i++;
        } else if (state->quote) {
            if (c == state->quote && (!state->triple || three)) {
                i += state->triple ? 2 : 0;
                state->quote = 0;
            }
        } else if (c == '#') {
            return;
        } else if (c == '"' || c == '\'') {
            state->quote = c;
            state->triple = three;
            i += three ? 2 : 0;
        } else if (c && strchr("()[]{}", c)) {
            see_bracket(state, c);
        }
    }
    if (state->quote && !state->triple && !state->continued)
        state->quote = 0; /* an error; the next line starts anew, as for Python */
}

void fh_python_line_close(const fh_python_line *state, fh_buffer *out)
{
    if (state->quote)
        for (int i = 0; i < (state->triple ? 3 : 1); i++)
            fh_buffer_add_char(out, state->quote);
    unsigned depth = state->depth < sizeof state->open ? state->depth : sizeof state->open;
    while (depth)
        fh_buffer_add_char(out, state->open[--depth]);
    fh_buffer_add_char(out, '\n');
}
