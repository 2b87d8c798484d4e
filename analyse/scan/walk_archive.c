/* Members of archives. */
#include "analyse/scan/archive.h"
#include "analyse/scan/walk_build.h"
#include "analyse/scan/walk_rules.h"
#include "base/path.h"

/* Members are judged by their path alone, before their content is unpacked. */
typedef struct {
    fh_collector *c;
    fh_text left_out; /* the last folder that was said to be left out */
} member_judge;

static bool wanted_member(void *context, fh_text path, uint64_t size)
{
    member_judge *judge = context;
    fh_collector *c = judge->c;
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
            fh_walk_skip(c, fh_walk_shown(c, judge->left_out, &repaired),
                         fh_walk_format(c, "folder left out: %s", reason));
        }
        return false;
    }
    if (!fh_walk_lets_file(c->options, path))
        return false;
    if (fh_archive_is_name(path)) {
        bool repaired;
        fh_text name = fh_arena_copy(&c->walk->arena, path);
        fh_walk_skip(c, fh_walk_shown(c, name, &repaired), FH_TEXT("an archive in an archive"));
        return false;
    }
    return fh_source_kind_of(path) != FH_SOURCE_NONE ||
           (!fh_path_extension(path).length && size <= FH_WALK_SCRIPT_BYTES);
}

static void add_member(fh_collector *c, const fh_archive_member *member)
{
    bool repaired;
    fh_text inside = fh_walk_shown(c, member->path, &repaired);
    if (member->skipped.length) {
        fh_walk_skip(c, inside, member->skipped);
        return;
    }
    fh_source_kind kind = fh_source_kind_of(inside);
    if (!kind)
        kind = fh_source_kind_of_script(member->bytes);
    if (!kind)
        return;
    fh_walk_file file = {.kind = kind, .size = member->bytes.length, .member = member->bytes.data};
    fh_walk_add(c, inside, file, repaired);
}

fh_status fh_walk_archive(fh_collector *c, const char *path)
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
