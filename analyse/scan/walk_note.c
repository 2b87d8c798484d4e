/* What the report says of files: their paths, why one is left out, what is odd about one. */
#include "analyse/scan/walk_build.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

fh_text fh_walk_format(fh_collector *c, const char *pattern, ...)
{
    char text[1200];
    va_list arguments;
    va_start(arguments, pattern);
    vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return fh_arena_copy(&c->walk->arena, fh_text_from(text));
}

fh_text fh_walk_join(fh_collector *c, fh_text directory, fh_text name)
{
    size_t slash = directory.length && !fh_text_ends(directory, "/");
    char *joined = fh_arena_alloc(&c->walk->arena, directory.length + slash + name.length + 1);
    if (!joined)
        return (fh_text){0};
    if (directory.length)
        memcpy(joined, directory.data, directory.length);
    if (slash)
        joined[directory.length] = '/';
    if (name.length)
        memcpy(joined + directory.length + slash, name.data, name.length);
    joined[directory.length + slash + name.length] = 0;
    return (fh_text){joined, directory.length + slash + name.length};
}

fh_text fh_walk_shown(fh_collector *c, fh_text name, bool *repaired)
{
    *repaired = !fh_utf8_valid(name);
    if (!*repaired)
        return name;
    fh_buffer buffer = {0};
    fh_utf8_add_repaired(&buffer, name);
    c->failed |= buffer.failed;
    fh_text copy = fh_arena_copy(&c->walk->arena, fh_buffer_text(&buffer));
    fh_buffer_free(&buffer);
    return copy;
}

fh_text fh_walk_path(fh_collector *c, fh_text inside)
{
    if (!inside.length)
        return c->label.length ? c->label : FH_TEXT(".");
    return c->label.length ? fh_walk_join(c, c->label, inside) : inside;
}

void fh_walk_skip(fh_collector *c, fh_text inside, fh_text reason)
{
    fh_vector_push(&c->walk->skipped, (fh_walk_note){fh_walk_path(c, inside), reason});
}

/* Skips with what the system says: the end of "cannot open PATH: Permission denied". */
void fh_walk_skip_unreadable(fh_collector *c, fh_text inside)
{
    const char *message = fh_error_message(), *colon = NULL;
    for (const char *next = strstr(message, ": "); next; next = strstr(next + 1, ": "))
        colon = next;
    fh_walk_skip(c, inside, fh_walk_format(c, "cannot be read: %s", colon ? colon + 2 : message));
}

/* 1234567 as "1,234,567". */
static const char *with_commas(uint64_t value, char text[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), out = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = 0;
    return text;
}

void fh_walk_skip_large(fh_collector *c, fh_text inside, uint64_t size)
{
    char bytes[32], limit[32];
    uint64_t most = c->walk->max_file_bytes, mega = most >> 20;
    bool round = mega && mega << 20 == most;
    fh_walk_skip(c, inside,
                 fh_walk_format(c, "larger than %s %s (%s bytes)",
                                with_commas(round ? mega : most, limit), round ? "MB" : "bytes",
                                with_commas(size, bytes)));
}

void fh_walk_add(fh_collector *c, fh_text inside, fh_walk_file file, bool is_odd)
{
    file.path = fh_walk_path(c, inside);
    file.inside = inside;
    file.sequence = c->walk->files.count;
    file.target = c->target;
    fh_vector_push(&c->walk->files, file);
    if (is_odd)
        fh_vector_push(&c->walk->notes,
                       (fh_walk_note){file.path, FH_TEXT("the name is not UTF-8")});
}
