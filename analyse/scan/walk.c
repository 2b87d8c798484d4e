#include "analyse/scan/walk.h"
#include "analyse/scan/walk_build.h"
#include "analyse/scan/walk_rules.h"
#include "base/path.h"
#include "base/utf8.h"
#include "os/file.h"
#include "os/interrupt.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 256 }; /* enough for a "#!" line */

/* How an item was come by; decides whether it may have been taken before. */
typedef enum { BY_NAME, BY_LINK, AS_TARGET } origin;

/* Whether a file is new. Two names of one file (hard links) in a tree are two
 * files to the user; a link to one that is there, or a target given twice, is not. */
static bool take_file(fh_collector *c, const fh_file_info *info, fh_text inside, origin how)
{
    const fh_identity *before =
        fh_identities_add(&c->taken, (fh_identity){info->device, info->inode,
                                                   fh_walk_path(c, inside), how == BY_NAME});
    if (!before || (how == BY_NAME && before->by_name))
        return true;
    fh_walk_skip(c, inside, fh_walk_format(c, "the same file as %.*s", FH_TEXT_ARGS(before->path)));
    return false;
}

/* The kind of a file without a telling name, from its first line. */
static fh_source_kind kind_by_content(fh_collector *c, const char *disk, fh_text inside)
{
    fh_buffer head = {0};
    fh_source_kind kind = FH_SOURCE_NONE;
    if (fh_file_read_head(disk, HEAD_BYTES, &head) == FH_OK)
        kind = fh_source_kind_of_script(fh_buffer_text(&head));
    else if (head.failed)
        c->failed = true;
    else
        fh_walk_skip_unreadable(c, inside);
    fh_buffer_free(&head);
    return kind;
}

static void add_file(fh_collector *c, const char *disk, fh_text inside, origin how)
{
    fh_text name = fh_path_name(fh_text_from(disk));
    fh_source_kind kind = fh_source_kind_of(inside);
    bool may_be_script = !fh_path_extension(name).length;
    fh_file_info info;
    if (!fh_walk_lets_file(c->options, inside))
        return;
    if (!kind && !may_be_script && how != AS_TARGET) {
        if (fh_archive_is_name(name))
            fh_walk_skip(c, inside, FH_TEXT("an archive: read only when it is named"));
        return;
    }
    if (fh_file_stat(disk, true, &info)) {
        fh_walk_skip_unreadable(c, inside);
        return;
    }
    if (info.kind != FH_FILE_REGULAR) {
        fh_walk_skip(c, inside, FH_TEXT("not a regular file"));
        return;
    }
    if (!kind && (may_be_script || how == AS_TARGET) && info.size <= FH_WALK_SCRIPT_BYTES)
        kind = kind_by_content(c, disk, inside);
    if (!kind) {
        if (how == AS_TARGET)
            fh_walk_skip(c, inside, FH_TEXT("not a kind of file that is analysed"));
        return;
    }
    if (!take_file(c, &info, inside, how))
        return;
    if (info.size > c->walk->max_file_bytes) {
        fh_walk_skip_large(c, inside, info.size);
        return;
    }
    fh_walk_file file = {.kind = kind, .size = info.size, .modified = info.modified, .disk = disk};
    fh_walk_add(c, inside, file, !fh_utf8_valid(name));
}

/* Whether the folder's name lets us in; says so when not. */
static bool wanted_folder(fh_collector *c, const char *disk, fh_text inside)
{
    const char *reason;
    if (!fh_walk_lets_folder(c->options, inside))
        return false;
    fh_folder_verdict verdict = fh_walk_judge_folder(fh_path_name(inside), &reason);
    if (verdict == FH_FOLDER_ENTER || fh_walk_asks_for(c->options, inside))
        return true;
    if (verdict == FH_FOLDER_LEAVE_BUILD) {
        fh_file_info info;
        fh_text marker = fh_walk_join(c, fh_text_from(disk), FH_TEXT("__init__.py"));
        if (marker.data && fh_file_stat(marker.data, true, &info) == FH_OK)
            return true;
    }
    if (verdict != FH_FOLDER_LEAVE_QUIET)
        fh_walk_skip(c, inside, fh_walk_format(c, "folder left out: %s", reason));
    return false;
}

static bool has_entry(const fh_directory *directory, const char *name)
{
    for (uint32_t i = 0; i < directory->entries.count; i++)
        if (strcmp(directory->entries.items[i].name, name) == 0)
            return true;
    return false;
}

static void look_at_entry(fh_collector *c, const fh_walk_pending *folder,
                          const fh_directory_entry *entry)
{
    bool repaired;
    fh_text disk = fh_walk_join(c, fh_text_from(folder->disk), fh_text_from(entry->name));
    fh_text name = fh_walk_shown(c, fh_text_from(entry->name), &repaired);
    fh_text inside = fh_walk_join(c, folder->inside, name);
    fh_file_kind kind = entry->kind;
    fh_file_info info;
    if (!disk.data || !inside.data)
        return;
    if (kind == FH_FILE_UNKNOWN) {
        if (fh_file_stat(disk.data, false, &info)) {
            fh_walk_skip_unreadable(c, inside);
            return;
        }
        kind = info.kind;
    }
    if (kind == FH_FILE_REGULAR)
        add_file(c, disk.data, inside, BY_NAME);
    else if (kind == FH_FILE_LINK)
        fh_vector_push(&c->links, (fh_walk_pending){disk.data, inside, c->label, c->target});
    else if (kind == FH_FILE_DIRECTORY && wanted_folder(c, disk.data, inside))
        fh_vector_push(&c->folders, (fh_walk_pending){disk.data, inside, c->label, c->target});
    else if (kind == FH_FILE_SPECIAL && fh_walk_lets_file(c->options, inside))
        fh_walk_skip(c, inside, FH_TEXT("a FIFO, socket or device"));
}

/* Reads one folder; `is_target` when it must be read whatever it is. */
static fh_status look_at_folder(fh_collector *c, const fh_walk_pending *folder, bool is_target)
{
    fh_directory directory = {0};
    fh_file_info info;
    fh_status status = fh_file_stat(folder->disk, true, &info);
    if (!status) {
        const fh_identity *before =
            fh_identities_add(&c->taken, (fh_identity){info.device, info.inode,
                                                       fh_walk_path(c, folder->inside), false});
        if (before) {
            fh_walk_skip(c, folder->inside,
                         fh_walk_format(c, "the same folder as %.*s", FH_TEXT_ARGS(before->path)));
            return FH_OK;
        }
        status = fh_directory_list(folder->disk, &directory);
    }
    if (status) {
        if (status != FH_NO_MEMORY && !is_target) {
            fh_walk_skip_unreadable(c, folder->inside);
            status = FH_OK;
        }
        return status;
    }
    bool asked = is_target || fh_walk_asks_for(c->options, folder->inside);
    if (!asked && has_entry(&directory, "pyvenv.cfg"))
        fh_walk_skip(c, folder->inside, FH_TEXT("folder left out: a virtual environment"));
    else if (!asked && has_entry(&directory, "conda-meta"))
        fh_walk_skip(c, folder->inside, FH_TEXT("folder left out: a conda environment"));
    else
        for (uint32_t i = 0; i < directory.entries.count; i++)
            look_at_entry(c, folder, &directory.entries.items[i]);
    fh_directory_free(&directory);
    return FH_OK;
}

static bool out_of_memory(const fh_collector *c)
{
    const fh_walk *walk = c->walk;
    return c->failed || walk->arena.failed || walk->files.failed || walk->skipped.failed ||
           walk->notes.failed || walk->archives.failed || c->folders.failed || c->links.failed ||
           c->taken.failed;
}

static fh_status look_at_folders(fh_collector *c)
{
    while (c->folders.count) {
        fh_walk_pending folder = fh_vector_pop(&c->folders);
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

static void look_at_link(fh_collector *c, const fh_walk_pending *link)
{
    fh_file_info info;
    fh_status status = fh_file_stat(link->disk, true, &info);
    if (!fh_walk_lets_folder(c->options, link->inside))
        return;
    if (status == FH_NOT_FOUND)
        fh_walk_skip(c, link->inside, FH_TEXT("a link to nothing"));
    else if (status == FH_INVALID)
        fh_walk_skip(c, link->inside, FH_TEXT("a loop of links"));
    else if (status)
        fh_walk_skip_unreadable(c, link->inside);
    else if (info.kind != FH_FILE_DIRECTORY)
        add_file(c, link->disk, link->inside, BY_LINK);
    else if (wanted_folder(c, link->disk, link->inside))
        fh_vector_push(&c->folders, *link);
}

/* Links may lead to folders with more links; each folder is entered once. */
static fh_status look_at_links(fh_collector *c)
{
    fh_status status = FH_OK;
    for (; c->links_done < c->links.count && !status; c->links_done++) {
        fh_walk_pending link = c->links.items[c->links_done];
        c->target = link.target;
        c->label = link.label;
        look_at_link(c, &link);
        status = look_at_folders(c);
    }
    return status;
}

static fh_status look_at_target(fh_collector *c, const char *path)
{
    fh_file_info info;
    fh_status status = fh_file_stat(path, true, &info);
    if (status)
        return status;
    if (info.kind == FH_FILE_DIRECTORY) {
        fh_walk_pending folder = {.disk = fh_arena_copy(&c->walk->arena, fh_text_from(path)).data};
        if (!folder.disk)
            return FH_NO_MEMORY;
        status = look_at_folder(c, &folder, true);
        return status ? status : look_at_folders(c);
    }
    if (info.kind != FH_FILE_REGULAR)
        return fh_error(FH_UNSUPPORTED, "%s is neither a file nor a directory", path);
    if (fh_archive_is_name(fh_text_from(path)))
        return fh_walk_archive(c, path);

    fh_buffer head = {0};
    status = fh_file_read_head(path, 1, &head); /* fails when it may not be read */
    fh_buffer_free(&head);
    if (status)
        return status;

    /* The label of a single file is its whole path. */
    bool repaired;
    fh_text disk = fh_arena_copy(&c->walk->arena, fh_text_from(path));
    fh_text inside = fh_walk_shown(c, fh_path_name(disk), &repaired);
    if (c->label.length)
        inside = c->label, c->label = (fh_text){0};
    if (disk.data)
        add_file(c, disk.data, inside, AS_TARGET);
    return FH_OK;
}

/* What the paths of target `index` begin with: nothing when it is the only one,
 * else its name, or all of it when another target has the same name. */
static fh_text label_of(fh_collector *c, const char *const *targets, size_t count, size_t index)
{
    bool repaired;
    fh_text tidy = fh_path_tidy(fh_text_from(targets[index])), name = fh_path_name(tidy);
    if (count == 1)
        return (fh_text){0};
    for (size_t i = 0; i < count; i++)
        if (i != index && fh_text_equal(fh_path_name(fh_path_tidy(fh_text_from(targets[i]))), name))
            name = tidy;
    return fh_walk_shown(c, fh_arena_copy(&c->walk->arena, name), &repaired);
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
    fh_collector c = {.walk = walk, .options = options ? options : &defaults};
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
