/* Parses the Python files it is given, as a scan does, and says nothing: the parser in it counts
 * what it does, for the compiler (tools/cmake/profile.cmake). */
#include "analyse/scan/syntax.h"
#include "os/file.h"

#include <stdio.h>

static fh_status parse_file(fh_parser *parser, const char *path)
{
    fh_buffer content = {0};
    fh_status status = fh_file_read(path, UINT32_MAX, &content);
    if (!status) {
        fh_syntax syntax;
        status = fh_syntax_parse(parser, fh_buffer_text(&content), &syntax);
        if (!status)
            fh_syntax_free(&syntax);
    }
    fh_buffer_free(&content);
    return status;
}

int main(int count, char **paths)
{
    fh_parser *parser = fh_parser_create();
    if (!parser) {
        fprintf(stderr, "train_parser: out of memory\n");
        return 1;
    }
    fh_status status = FH_OK;
    for (int i = 1; i < count && !status; i++) {
        status = parse_file(parser, paths[i]);
        if (status)
            fprintf(stderr, "train_parser: %s: %s\n", paths[i], fh_error_message());
    }
    fh_parser_destroy(parser);
    return status ? 1 : 0;
}
