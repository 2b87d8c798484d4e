#include "analyse/cli/result_cache.h"
#include "analyse/cli/program_id.h"
#include "analyse/cli/user_facts.h"
#include "os/file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RESULTS = 32, LARGEST_RESULT = 1 << 28 };

static void add_list(fh_buffer *text, const fh_text_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        fh_buffer_add_format(text, "%.*s\n", FH_TEXT_ARGS(list->items[i]));
    fh_buffer_add_char(text, '\n');
}

/* All that a result depends on besides the files. */
static void add_choices(fh_buffer *key, const fh_options *options)
{
    fh_hash128 facts = fh_user_facts_hash(options);
    fh_buffer_add_format(key, "%s\n%s\n%s\n%a %a\n%u.%u\n%u\n%016llx%016llx\n", FH_PROGRAM_ID,
                         options->soc->name, options->baseline->name, options->host_tflops,
                         options->host_gbps, options->torch.major, options->torch.minor,
                         options->max_locations, (unsigned long long)facts.high,
                         (unsigned long long)facts.low);
    for (uint32_t i = 0; i < options->arguments.count; i++)
        fh_buffer_add_format(key, "%s\n", options->arguments.items[i]);
    add_list(key, &options->rules);
}

/* DIRECTORY/results/HASH.ENDING, terminated; false when memory ran out. */
static bool name_file(const char *directory, fh_hash128 hash, const char *ending, fh_buffer *path)
{
    fh_buffer_add_format(path, "%s/results/%016llx%016llx.%s%c", directory,
                         (unsigned long long)hash.high, (unsigned long long)hash.low, ending, 0);
    return !path->failed;
}

static bool path_of(const char *directory, const fh_load *load, const fh_options *options,
                    fh_buffer *path)
{
    fh_buffer key = {0};
    add_choices(&key, options);
    fh_buffer_add(&key, (fh_text){(const char *)&load->digest, sizeof load->digest});
    bool good =
        !key.failed && name_file(directory, fh_hash_content(key.data, key.length), "json", path);
    fh_buffer_free(&key);
    return good;
}

bool fh_result_cache_units(const char *directory, const fh_options *options, fh_buffer *path,
                           fh_hash128 *choices)
{
    fh_buffer key = {0};
    add_choices(&key, options);
    *choices = fh_hash_content(key.data, key.length);
    fh_buffer_add_format(path, "%s/results%c", directory, 0);
    bool good = !key.failed && !path->failed && fh_directory_make(path->data) == FH_OK;
    fh_buffer_clear(path);
    good = good && name_file(directory, *choices, "units", path);
    fh_buffer_free(&key);
    return good;
}

/* A kept result begins with the hash of the report behind it, so that damage is seen. */
enum { HASH_LENGTH = 33 };

static void add_hash(fh_buffer *out, fh_text json)
{
    fh_hash128 hash = fh_hash_content(json.data, json.length);
    fh_buffer_add_format(out, "%016llx%016llx\n", (unsigned long long)hash.high,
                         (unsigned long long)hash.low);
}

/* The report inside a kept result; the empty text when it is damaged. */
static fh_text report_of(fh_text kept)
{
    fh_buffer expected = {0};
    fh_text json = fh_text_slice(kept, HASH_LENGTH, kept.length);
    add_hash(&expected, json);
    bool good = fh_text_equal(fh_buffer_text(&expected), fh_text_slice(kept, 0, HASH_LENGTH));
    fh_buffer_free(&expected);
    return good ? json : (fh_text){0};
}

bool fh_result_cache_load(const char *directory, const fh_load *load, const fh_options *options,
                          fh_result *result)
{
    fh_buffer path = {0}, kept = {0};
    bool found = path_of(directory, load, options, &path) &&
                 fh_file_read(path.data, LARGEST_RESULT, &kept) == FH_OK;
    fh_text json = found ? report_of(fh_buffer_text(&kept)) : (fh_text){0};
    found = json.length && fh_report_load(json, path.data, result, NULL) == FH_OK;
    fh_buffer_free(&path);
    fh_buffer_free(&kept);
    return found;
}

typedef struct {
    const char *name;
    int64_t modified;
} kept_result;

static int oldest_first(const void *left, const void *right)
{
    const kept_result *a = left, *b = right;
    return a->modified < b->modified ? -1 : a->modified > b->modified;
}

/* Removes the oldest results beyond MOST_RESULTS. */
static void remove_old(const char *directory)
{
    fh_buffer path = {0};
    fh_directory list;
    FH_VECTOR(kept_result) results = {0};
    fh_buffer_add_format(&path, "%s/results", directory);
    fh_buffer_add_char(&path, 0);
    size_t length = path.length - 1;
    if (path.failed || fh_directory_list(path.data, &list) != FH_OK) {
        fh_buffer_free(&path);
        return;
    }
    for (uint32_t i = 0; i < list.entries.count; i++) {
        fh_file_info info;
        path.length = length;
        fh_buffer_add_format(&path, "/%s", list.entries.items[i].name);
        fh_buffer_add_char(&path, 0);
        if (!path.failed && fh_file_stat(path.data, false, &info) == FH_OK &&
            info.kind == FH_FILE_REGULAR)
            fh_vector_push(&results, (kept_result){list.entries.items[i].name, info.modified});
    }
    if (results.count > 1)
        qsort(results.items, results.count, sizeof *results.items, oldest_first);
    for (uint32_t i = 0; i + MOST_RESULTS < results.count; i++) {
        path.length = length;
        fh_buffer_add_format(&path, "/%s", results.items[i].name);
        fh_buffer_add_char(&path, 0);
        if (!path.failed)
            fh_file_remove(path.data);
    }
    fh_vector_free(&results);
    fh_directory_free(&list);
    fh_buffer_free(&path);
}

void fh_result_cache_save(const char *directory, const fh_load *load, const fh_options *options,
                          const fh_result *result)
{
    fh_buffer path = {0}, json = {0}, kept = {0};
    fh_report_options report = {.max_locations = options->max_locations};
    if (path_of(directory, load, options, &path) &&
        fh_report_write(result, fh_report_format_find(FH_TEXT("json")), &report, &json) == FH_OK) {
        add_hash(&kept, fh_buffer_text(&json));
        fh_buffer_add(&kept, fh_buffer_text(&json));
        char *slash = strrchr(path.data, '/');
        *slash = 0;
        bool made = fh_directory_make(path.data) == FH_OK;
        *slash = '/';
        if (made && !kept.failed && fh_file_write_atomic(path.data, fh_buffer_text(&kept)) == FH_OK)
            remove_old(directory);
    }
    fh_buffer_free(&path);
    fh_buffer_free(&json);
    fh_buffer_free(&kept);
}
