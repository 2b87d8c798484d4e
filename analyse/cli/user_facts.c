#include "analyse/cli/user_facts.h"
#include "os/file.h"
#include "os/paths.h"

enum { LARGEST_TABLE = 64 << 20 };

fh_status fh_user_facts_directory(const fh_options *options, fh_buffer *path)
{
    fh_status status = FH_OK;
    fh_buffer_clear(path);
    if (options->facts && *options->facts) {
        fh_buffer_add_string(path, options->facts);
    } else if (!(status = fh_paths_config(path))) {
        fh_buffer_add_string(path, "/facts");
    }
    fh_buffer_add_char(path, 0);
    return status || !path->failed ? status : fh_error(FH_NO_MEMORY, "out of memory");
}

fh_status fh_user_facts_open(const fh_options *options, fh_user_facts **facts)
{
    fh_file_info info;
    bool named = options->facts && *options->facts;
    if (named &&
        (fh_file_stat(options->facts, true, &info) != FH_OK || info.kind != FH_FILE_DIRECTORY))
        return fh_error(FH_NOT_FOUND,
                        "--facts: %s is no directory; `foothold facts import FILE --facts %s` "
                        "makes it",
                        options->facts, options->facts);
    return fh_user_facts_load(options->facts, facts);
}

fh_hash128 fh_user_facts_hash(const fh_options *options)
{
    fh_buffer path = {0}, content = {0}, all = {0};
    fh_directory listed = {0};
    if (fh_user_facts_directory(options, &path) == FH_OK &&
        fh_directory_list(path.data, &listed) == FH_OK) {
        size_t length = path.length - 1;
        for (uint32_t i = 0; i < listed.entries.count; i++) {
            fh_text name = fh_text_from(listed.entries.items[i].name);
            if (!fh_text_starts(name, "operators-") || !fh_text_ends(name, ".tsv"))
                continue;
            path.length = length;
            fh_buffer_add_format(&path, "/%s%c", listed.entries.items[i].name, 0);
            fh_buffer_clear(&content);
            if (path.failed || fh_file_read(path.data, LARGEST_TABLE, &content) != FH_OK)
                continue;
            fh_hash128 hash = fh_hash_content(content.data, content.length);
            fh_buffer_add_format(&all, "%s\n%016llx%016llx\n", listed.entries.items[i].name,
                                 (unsigned long long)hash.high, (unsigned long long)hash.low);
        }
    }
    fh_hash128 result = fh_hash_content(all.data ? all.data : "", all.length);
    fh_directory_free(&listed);
    fh_buffer_free(&path);
    fh_buffer_free(&content);
    fh_buffer_free(&all);
    return result;
}
