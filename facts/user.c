#include "facts/user.h"
#include "base/vector.h"
#include "facts/import_words.h"
#include "facts/table.h"
#include "os/file.h"
#include "os/paths.h"

enum { MOST_BYTES = 64 << 20, MOST_TABLES = 1000 };

typedef struct {
    fh_buffer bytes;
    fh_table table; /* borrows the bytes */
} document;

struct fh_user_facts {
    FH_VECTOR(document) documents; /* by name */
    unsigned operators;
};

void fh_user_facts_free(fh_user_facts *facts)
{
    if (!facts)
        return;
    for (uint32_t i = 0; i < facts->documents.count; i++)
        fh_buffer_free(&facts->documents.items[i].bytes);
    fh_vector_free(&facts->documents);
    fh_free(facts);
}

unsigned fh_user_facts_operators(const fh_user_facts *facts)
{
    return facts ? facts->operators : 0;
}

unsigned fh_user_facts_documents(const fh_user_facts *facts)
{
    return facts ? facts->documents.count : 0;
}

static fh_status no_memory(void)
{
    return fh_error(FH_NO_MEMORY, "out of memory while loading operator documentation");
}

static fh_status load(fh_user_facts *facts, const char *path)
{
    document read = {.bytes = {0}};
    fh_text rest, row;
    fh_status status = fh_file_read(path, MOST_BYTES, &read.bytes);
    if (!status)
        status = fh_table_parse(fh_buffer_text(&read.bytes), &read.table);
    if (status == FH_INVALID)
        status = fh_error(FH_INVALID, "%s is damaged; import its document again", path);
    if (!status && fh_table_column_index(&read.table, "operator") != 0)
        status = fh_error(FH_INVALID, "%s is no table of operators; remove it", path);
    if (!status && !fh_vector_push(&facts->documents, read))
        status = no_memory();
    if (status) {
        fh_buffer_free(&read.bytes);
        return status;
    }
    rest = read.table.rows;
    while (fh_table_next(&rest, &row))
        facts->operators++;
    return FH_OK;
}

static fh_status load_all(fh_user_facts *facts, const char *directory)
{
    fh_directory listed = {0};
    fh_buffer path = {0};
    fh_status status = fh_directory_list(directory, &listed);
    if (status == FH_NOT_FOUND)
        return FH_OK;
    for (uint32_t i = 0; !status && i < listed.entries.count && i < MOST_TABLES; i++) {
        fh_text name = fh_text_from(listed.entries.items[i].name);
        if (!fh_text_starts(name, "operators-") || !fh_text_ends(name, ".tsv"))
            continue;
        fh_buffer_clear(&path);
        fh_buffer_add_string(&path, directory);
        fh_buffer_add_char(&path, '/');
        fh_buffer_add(&path, name);
        fh_buffer_add_char(&path, 0);
        status = path.failed ? no_memory() : load(facts, path.data);
    }
    fh_buffer_free(&path);
    fh_directory_free(&listed);
    return status;
}

fh_status fh_user_facts_load(const char *directory, fh_user_facts **facts)
{
    fh_buffer path = {0};
    fh_status status = FH_OK;
    fh_user_facts *loaded = fh_alloc_zero(1, sizeof *loaded);
    if (!loaded)
        return no_memory();
    if (directory && *directory) {
        fh_buffer_add_string(&path, directory);
    } else {
        status = fh_paths_config(&path);
        fh_buffer_add_string(&path, "/facts");
    }
    fh_buffer_add_char(&path, 0);
    if (status == FH_NOT_FOUND) /* no home directory: nothing was imported */
        status = FH_OK;
    else if (!status)
        status = path.failed ? no_memory() : load_all(loaded, path.data);
    fh_buffer_free(&path);
    if (status)
        fh_user_facts_free(loaded);
    else
        *facts = loaded;
    return status;
}

bool fh_user_facts_find(const fh_user_facts *facts, fh_text name, fh_user_operator *found)
{
    fh_text row;
    for (uint32_t i = fh_user_facts_documents(facts); i-- > 0;) {
        const fh_table *table = &facts->documents.items[i].table;
        if (!fh_table_find(table, name, &row))
            continue;
        *found = (fh_user_operator){
            .name = fh_table_column(row, 0),
            .chips = fh_table_field(table, row, "chips"),
            .refused = fh_table_field(table, row, "refused"),
            .dtypes = fh_table_field(table, row, "dtypes"),
            .document = fh_table_field(table, row, "document"),
            .place = fh_table_field(table, row, "place"),
        };
        return true;
    }
    return false;
}

fh_user_answer fh_user_operator_on(const fh_user_operator *item, fh_family family)
{
    unsigned bit = 1u << family;
    if (fh_families_parse(item->chips) & bit)
        return FH_USER_TAKEN;
    return fh_families_parse(item->refused) & bit ? FH_USER_REFUSED : FH_USER_UNSAID;
}
