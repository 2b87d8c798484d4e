#include "analyse/scan/walk.h"
#include "analyse/scan/archive.h"
#include "analyse/scan/identities.h"
#include "analyse/scan/walk_rules.h"
#include "base/path.h"
#include "base/utf8.h"
#include "os/file.h"
#include "os/interrupt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD_BYTES = 256,          /* enough for a "#!" line */
    SCRIPT_BYTES = 1024 * 1024 /* a longer file without extension is no script */
};

/* Something to look at later: a folder, or a link. */
typedef struct {
    const char *disk;
    fh_text inside;
    fh_text label;
    uint32_t target;
} pending;

typedef struct {
    fh_walk *walk;
    const fh_walk_options *options;
    fh_identities taken;
    FH_VECTOR(pending) folders; /* a stack */
    FH_VECTOR(pending) links;   /* looked at when everything else is done */
    uint32_t links_done;
    uint32_t target; /* the target being walked */
    fh_text label;   /* what its paths begin with; may be empty */
    bool failed;     /* memory ran out */
} collector;

static fh_text format(collector *c, const char *pattern, ...) __attribute__((format(printf, 2, 3)));

static fh_text format(collector *c, const char *pattern, ...)
{
    char text[1200];
    va_list arguments;
    va_start(arguments, pattern);
    vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return fh_arena_copy(&c->walk->arena, fh_text_from(text));
}

/* "directory/name" in the arena, terminated. */
static fh_text join(collector *c, fh_text directory, fh_text name)
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

/* A name as valid UTF-8; notes when it was none. */
static fh_text shown(collector *c, fh_text name, bool *repaired)
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

/* A path below the target as the report shows it. */
static fh_text path_of(collector *c, fh_text inside)
{
    if (!inside.length)
        return c->label.length ? c->label : FH_TEXT(".");
    return c->label.length ? join(c, c->label, inside) : inside;
}

static void skip(collector *c, fh_text inside, fh_text reason)
{
    fh_vector_push(&c->walk->skipped, (fh_walk_note){path_of(c, inside), reason});
}

/* Skips with what the system says: the end of "cannot open PATH: Permission denied". */
static void skip_unreadable(collector *c, fh_text inside)
{
    const char *message = fh_error_message(), *colon = NULL;
    for (const char *next = strstr(message, ": "); next; next = strstr(next + 1, ": "))
        colon = next;
    skip(c, inside, format(c, "cannot be read: %s", colon ? colon + 2 : message));
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

static void skip_large(collector *c, fh_text inside, uint64_t size)
{
    char bytes[32], limit[32];
    uint64_t most = c->walk->max_file_bytes, mega = most >> 20;
    bool round = mega && mega << 20 == most;
    skip(c, inside,
         format(c, "larger than %s %s (%s bytes)", with_commas(round ? mega : most, limit),
                round ? "MB" : "bytes", with_commas(size, bytes)));
}

/* How an item was come by; decides whether it may have been taken before. */
typedef enum { BY_NAME, BY_LINK, AS_TARGET } origin;

/* Whether a file is new. Two names of one file (hard links) in a tree are two
 * files to the user; a link to one that is there, or a target given twice, is not. */
static bool take_file(collector *c, const fh_file_info *info, fh_text inside, origin how)
{
    const fh_identity *before = fh_identities_add(
        &c->taken, (fh_identity){info->device, info->inode, path_of(c, inside), how == BY_NAME});
    if (!before || (how == BY_NAME && before->by_name))
        return true;
    skip(c, inside, format(c, "the same file as %.*s", FH_TEXT_ARGS(before->path)));
    return false;
}

/* The kind of a file without a telling name, from its first line. */
static fh_source_kind kind_by_content(collector *c, const char *disk, fh_text inside)
{
    fh_buffer head = {0};
    fh_source_kind kind = FH_SOURCE_NONE;
    if (fh_file_read_head(disk, HEAD_BYTES, &head) == FH_OK)
        kind = fh_source_kind_of_script(fh_buffer_text(&head));
    else if (head.failed)
        c->failed = true;
    else
        skip_unreadable(c, inside);
    fh_buffer_free(&head);
    return kind;
}

static void add_file(collector *c, const char *disk, fh_text inside, origin how)
{
    fh_text name = fh_path_name(fh_text_from(disk));
    fh_source_kind kind = fh_source_kind_of(inside);
    bool may_be_script = !fh_path_extension(name).length;
    fh_file_info info;
    if (!fh_walk_lets_file(c->options, inside))
        return;
    if (!kind && !may_be_script && how != AS_TARGET) {
        if (fh_archive_is_name(name))
            skip(c, inside, FH_TEXT("an archive: read only when it is named"));
        return;
    }
    if (fh_file_stat(disk, true, &info)) {
        skip_unreadable(c, inside);
        return;
    }
    if (info.kind != FH_FILE_REGULAR) {
        skip(c, inside, FH_TEXT("not a regular file"));
        return;
    }
    if (!kind && (may_be_script || how == AS_TARGET) && info.size <= SCRIPT_BYTES)
        kind = kind_by_content(c, disk, inside);
    if (!kind) {
        if (how == AS_TARGET)
            skip(c, inside, FH_TEXT("not a kind of file that is analysed"));
        return;
    }
    if (!take_file(c, &info, inside, how))
        return;
    if (info.size > c->walk->max_file_bytes) {
        skip_large(c, inside, info.size);
        return;
    }
    fh_vector_push(&c->walk->files, (fh_walk_file){
                                        .path = path_of(c, inside),
                                        .inside = inside,
                                        .kind = kind,
                                        .sequence = c->walk->files.count,
                                        .target = c->target,
                                        .size = info.size,
                                        .modified = info.modified,
                                        .disk = disk,
                                    });
    if (!fh_utf8_valid(name))
        fh_vector_push(&c->walk->notes,
                       (fh_walk_note){path_of(c, inside), FH_TEXT("the name is not UTF-8")});
}

/* Whether the folder's name lets us in; says so when not. */
static bool wanted_folder(collector *c, const char *disk, fh_text inside)
{
    const char *reason;
    if (!fh_walk_lets_folder(c->options, inside))
        return false;
    fh_folder_verdict verdict = fh_walk_judge_folder(fh_path_name(inside), &reason);
    if (verdict == FH_FOLDER_ENTER || fh_walk_asks_for(c->options, inside))
        return true;
    if (verdict == FH_FOLDER_LEAVE_BUILD) {
        fh_file_info info;
        fh_text marker = join(c, fh_text_from(disk), FH_TEXT("__init__.py"));
        if (marker.data && fh_file_stat(marker.data, true, &info) == FH_OK)
            return true;
    }
    if (verdict != FH_FOLDER_LEAVE_QUIET)
        skip(c, inside, format(c, "folder left out: %s", reason));
    return false;
}

static bool has_entry(const fh_directory *directory, const char *name)
{
    for (uint32_t i = 0; i < directory->entries.count; i++)
        if (strcmp(directory->entries.items[i].name, name) == 0)
            return true;
    return false;
}

static void look_at_entry(collector *c, const pending *folder, const fh_directory_entry *entry)
{
    bool repaired;
    fh_text disk = join(c, fh_text_from(folder->disk), fh_text_from(entry->name));
    fh_text name = shown(c, fh_text_from(entry->name), &repaired);
    fh_text inside = join(c, folder->inside, name);
    fh_file_kind kind = entry->kind;
    fh_file_info info;
    if (!disk.data || !inside.data)
        return;
    if (kind == FH_FILE_UNKNOWN) {
        if (fh_file_stat(disk.data, false, &info)) {
            skip_unreadable(c, inside);
            return;
        }
        kind = info.kind;
    }
    if (kind == FH_FILE_REGULAR)
        add_file(c, disk.data, inside, BY_NAME);
    else if (kind == FH_FILE_LINK)
        fh_vector_push(&c->links, (pending){disk.data, inside, c->label, c->target});
    else if (kind == FH_FILE_DIRECTORY && wanted_folder(c, disk.data, inside))
        fh_vector_push(&c->folders, (pending){disk.data, inside, c->label, c->target});
    else if (kind == FH_FILE_SPECIAL && fh_walk_lets_file(c->options, inside))
        skip(c, inside, FH_TEXT("a FIFO, socket or device"));
}

/* Reads one folder; `is_target` when it must be read whatever it is. */
static fh_status look_at_folder(collector *c, const pending *folder, bool is_target)
{
    fh_directory directory = {0};
    fh_file_info info;
    fh_status status = fh_file_stat(folder->disk, true, &info);
    if (!status) {
        const fh_identity *before = fh_identities_add(
            &c->taken, (fh_identity){info.device, info.inode, path_of(c, folder->inside), false});
        if (before) {
            skip(c, folder->inside,
                 format(c, "the same folder as %.*s", FH_TEXT_ARGS(before->path)));
            return FH_OK;
        }
        status = fh_directory_list(folder->disk, &directory);
    }
    if (status) {
        if (status != FH_NO_MEMORY && !is_target) {
            skip_unreadable(c, folder->inside);
            status = FH_OK;
        }
        return status;
    }
    bool asked = is_target || fh_walk_asks_for(c->options, folder->inside);
    if (!asked && has_entry(&directory, "pyvenv.cfg"))
        skip(c, folder->inside, FH_TEXT("folder left out: a virtual environment"));
    else if (!asked && has_entry(&directory, "conda-meta"))
        skip(c, folder->inside, FH_TEXT("folder left out: a conda environment"));
    else
        for (uint32_t i = 0; i < directory.entries.count; i++)
            look_at_entry(c, folder, &directory.entries.items[i]);
    fh_directory_free(&directory);
    return FH_OK;
}

static bool out_of_memory(const collector *c)
{
    const fh_walk *walk = c->walk;
    return c->failed || walk->arena.failed || walk->files.failed || walk->skipped.failed ||
           walk->notes.failed || walk->archives.failed || c->folders.failed || c->links.failed ||
           c->taken.failed;
}

static fh_status look_at_folders(collector *c)
{
    while (c->folders.count) {
        pending folder = fh_vector_pop(&c->folders);
        fh_status status = look_at_folder(c, &folder, false);
        if (status)
            return status;
        if (fh_interrupted())
            return fh_error(FH_INTERRUPTED, "interrupted");
        if (out_of_memory(c))
            return FH_NO_MEMORY;
    }
    return FH_OK;
}

static void look_at_link(collector *c, const pending *link)
{
    fh_file_info info;
    fh_status status = fh_file_stat(link->disk, true, &info);
    if (!fh_walk_lets_folder(c->options, link->inside))
        return;
    if (status == FH_NOT_FOUND)
        skip(c, link->inside, FH_TEXT("a link to nothing"));
    else if (status == FH_INVALID)
        skip(c, link->inside, FH_TEXT("a loop of links"));
    else if (status)
        skip_unreadable(c, link->inside);
    else if (info.kind != FH_FILE_DIRECTORY)
        add_file(c, link->disk, link->inside, BY_LINK);
    else if (wanted_folder(c, link->disk, link->inside))
        fh_vector_push(&c->folders, *link);
}

/* Links may lead to folders with more links; each folder is entered once. */
static fh_status look_at_links(collector *c)
{
    fh_status status = FH_OK;
    for (; c->links_done < c->links.count && !status; c->links_done++) {
        pending link = c->links.items[c->links_done];
        c->target = link.target;
        c->label = link.label;
        look_at_link(c, &link);
        status = look_at_folders(c);
    }
    return status;
}

/* Members are judged by their path alone, before their content is unpacked. */
typedef struct {
    collector *c;
    fh_text left_out; /* the last folder that was said to be left out */
} member_judge;

static bool wanted_member(void *context, fh_text path, uint64_t size)
{
    member_judge *judge = context;
    collector *c = judge->c;
    for (size_t i = 0; i < path.length; i++) {
        const char *reason;
        fh_text folder = fh_text_slice(path, 0, i);
        if (path.data[i] != '/')
            continue;
        fh_folder_verdict verdict = fh_walk_judge_folder(fh_path_name(folder), &reason);
        if (verdict == FH_FOLDER_ENTER || verdict == FH_FOLDER_LEAVE_BUILD ||
            fh_walk_asks_for(c->options, folder))
            continue;
        if (verdict == FH_FOLDER_LEAVE_OUT && !fh_text_equal(folder, judge->left_out)) {
            bool repaired;
            judge->left_out = fh_arena_copy(&c->walk->arena, folder);
            skip(c, shown(c, judge->left_out, &repaired), format(c, "folder left out: %s", reason));
        }
        return false;
    }
    if (!fh_walk_lets_file(c->options, path))
        return false;
    if (fh_archive_is_name(path)) {
        bool repaired;
        fh_text name = fh_arena_copy(&c->walk->arena, path);
        skip(c, shown(c, name, &repaired), FH_TEXT("an archive in an archive"));
        return false;
    }
    return fh_source_kind_of(path) != FH_SOURCE_NONE ||
           (!fh_path_extension(path).length && size <= SCRIPT_BYTES);
}

static void add_member(collector *c, const fh_archive_member *member)
{
    bool repaired;
    fh_text inside = shown(c, member->path, &repaired);
    if (member->skipped.length) {
        skip(c, inside, member->skipped);
        return;
    }
    fh_source_kind kind = fh_source_kind_of(inside);
    if (!kind)
        kind = fh_source_kind_of_script(member->bytes);
    if (!kind)
        return;
    fh_vector_push(&c->walk->files, (fh_walk_file){
                                        .path = path_of(c, inside),
                                        .inside = inside,
                                        .kind = kind,
                                        .sequence = c->walk->files.count,
                                        .target = c->target,
                                        .size = member->bytes.length,
                                        .member = member->bytes.data,
                                    });
    if (repaired)
        fh_vector_push(&c->walk->notes,
                       (fh_walk_note){path_of(c, inside), FH_TEXT("the name is not UTF-8")});
}

static fh_status look_at_archive(collector *c, const char *path)
{
    fh_archive archive = {0};
    fh_archive_limits limits = fh_archive_default_limits;
    member_judge judge = {.c = c};
    limits.member_bytes = c->walk->max_file_bytes;
    if (!fh_vector_reserve(&c->walk->archives, 1))
        return FH_NO_MEMORY;
    fh_status status = fh_archive_read(path, &limits, wanted_member, &judge, &archive);
    if (!status || status == FH_INTERRUPTED)
        for (uint32_t i = 0; i < archive.members.count; i++)
            add_member(c, &archive.members.items[i]);
    fh_vector_push(&c->walk->archives, archive); /* there is room: its paths are in use */
    return status;
}

static fh_status look_at_target(collector *c, const char *path)
{
    fh_file_info info;
    fh_status status = fh_file_stat(path, true, &info);
    if (status)
        return status;
    if (info.kind == FH_FILE_DIRECTORY) {
        pending folder = {.disk = fh_arena_copy(&c->walk->arena, fh_text_from(path)).data};
        if (!folder.disk)
            return FH_NO_MEMORY;
        status = look_at_folder(c, &folder, true);
        return status ? status : look_at_folders(c);
    }
    if (info.kind != FH_FILE_REGULAR)
        return fh_error(FH_UNSUPPORTED, "%s is neither a file nor a directory", path);
    if (fh_archive_is_name(fh_text_from(path)))
        return look_at_archive(c, path);

    fh_buffer head = {0};
    status = fh_file_read_head(path, 1, &head); /* fails when it may not be read */
    fh_buffer_free(&head);
    if (status)
        return status;

    /* The label of a single file is its whole path. */
    bool repaired;
    fh_text disk = fh_arena_copy(&c->walk->arena, fh_text_from(path));
    fh_text inside = shown(c, fh_path_name(disk), &repaired);
    if (c->label.length)
        inside = c->label, c->label = (fh_text){0};
    if (disk.data)
        add_file(c, disk.data, inside, AS_TARGET);
    return FH_OK;
}

/* What the paths of target `index` begin with: nothing when it is the only one,
 * else its name, or all of it when another target has the same name. */
static fh_text label_of(collector *c, const char *const *targets, size_t count, size_t index)
{
    bool repaired;
    fh_text tidy = fh_path_tidy(fh_text_from(targets[index])), name = fh_path_name(tidy);
    if (count == 1)
        return (fh_text){0};
    for (size_t i = 0; i < count; i++)
        if (i != index && fh_text_equal(fh_path_name(fh_path_tidy(fh_text_from(targets[i]))), name))
            name = tidy;
    return shown(c, fh_arena_copy(&c->walk->arena, name), &repaired);
}

static int compare_files(const void *a, const void *b)
{
    const fh_walk_file *x = a, *y = b;
    int order = fh_text_compare(x->path, y->path);
    return order ? order : (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static int compare_notes(const void *a, const void *b)
{
    const fh_walk_note *x = a, *y = b;
    int order = fh_text_compare(x->path, y->path);
    return order ? order : fh_text_compare(x->reason, y->reason);
}

/* Of members with one path the last counts, as when the archive is unpacked. */
static void drop_replaced_members(fh_walk *walk)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < walk->files.count; i++) {
        const fh_walk_file *file = &walk->files.items[i], *next = file + 1;
        bool replaced = i + 1 < walk->files.count && !file->disk && !next->disk &&
                        file->target == next->target && fh_text_equal(file->path, next->path);
        if (replaced)
            fh_vector_push(
                &walk->notes,
                (fh_walk_note){file->path,
                               FH_TEXT("more than once in the archive; the last counts")});
        else
            walk->files.items[kept++] = *file;
    }
    walk->files.count = kept;
}

static void sort(fh_walk *walk)
{
    if (walk->files.count)
        qsort(walk->files.items, walk->files.count, sizeof *walk->files.items, compare_files);
    drop_replaced_members(walk);
    if (walk->skipped.count)
        qsort(walk->skipped.items, walk->skipped.count, sizeof *walk->skipped.items, compare_notes);
    if (walk->notes.count)
        qsort(walk->notes.items, walk->notes.count, sizeof *walk->notes.items, compare_notes);
}

fh_status fh_walk_collect(fh_walk *walk, const char *const *targets, size_t count,
                          const fh_walk_options *options)
{
    static const fh_walk_options defaults = {0};
    collector c = {.walk = walk, .options = options ? options : &defaults};
    fh_status status = FH_OK;
    walk->max_file_bytes =
        c.options->max_file_bytes ? c.options->max_file_bytes : FH_WALK_MAX_FILE_BYTES;
    for (size_t i = 0; i < count && !status; i++) {
        c.target = (uint32_t)i;
        c.label = label_of(&c, targets, count, i);
        status = look_at_target(&c, targets[i]);
    }
    if (!status)
        status = look_at_links(&c);
    if (!status || status == FH_INTERRUPTED)
        sort(walk);
    if ((!status || status == FH_NO_MEMORY) && (status || out_of_memory(&c)))
        status = fh_error(FH_NO_MEMORY, "out of memory while collecting files");
    fh_identities_free(&c.taken);
    fh_vector_free(&c.folders);
    fh_vector_free(&c.links);
    return status;
}

void fh_walk_free(fh_walk *walk)
{
    fh_vector_free(&walk->files);
    fh_vector_free(&walk->skipped);
    fh_vector_free(&walk->notes);
    for (uint32_t i = 0; i < walk->archives.count; i++)
        fh_archive_free(&walk->archives.items[i]);
    fh_vector_free(&walk->archives);
    fh_arena_free(&walk->arena);
    *walk = (fh_walk){0};
}

fh_status fh_walk_read(const fh_walk *walk, const fh_walk_file *file, fh_buffer *storage,
                       fh_text *bytes)
{
    if (!file->disk) {
        *bytes = (fh_text){file->member, (size_t)file->size};
        return FH_OK;
    }
    fh_buffer_clear(storage);
    fh_status status = fh_file_read(file->disk, walk->max_file_bytes, storage);
    if (!status)
        *bytes = fh_buffer_text(storage);
    return status;
}
