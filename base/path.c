#include "base/path.h"

fh_text fh_path_name(fh_text path)
{
    size_t slash = fh_text_find_last(path, '/');
    return slash == path.length ? path : fh_text_slice(path, slash + 1, path.length);
}

fh_text fh_path_directory(fh_text path)
{
    size_t slash = fh_text_find_last(path, '/');
    return slash == path.length ? (fh_text){0} : fh_text_slice(path, 0, slash);
}

fh_text fh_path_extension(fh_text path)
{
    fh_text name = fh_path_name(path);
    size_t dot = fh_text_find_last(name, '.');
    return dot == 0 || dot == name.length ? (fh_text){0}
                                          : fh_text_slice(name, dot + 1, name.length);
}

void fh_path_join(fh_buffer *buffer, fh_text directory, fh_text name)
{
    fh_buffer_add(buffer, directory);
    if (directory.length && !fh_text_ends(directory, "/"))
        fh_buffer_add_char(buffer, '/');
    fh_buffer_add(buffer, name);
}

fh_text fh_path_tidy(fh_text path)
{
    while (path.length > 1 && fh_text_ends(path, "/"))
        path.length--;
    while (fh_text_starts(path, "./"))
        path = fh_text_slice(path, 2, path.length);
    return fh_text_is(path, ".") ? (fh_text){0} : path;
}
