#include "analyse/scan/archive.h"
#include "base/path.h"
#include "base/utf8.h"
#include "os/file.h"
#include "os/interrupt.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <string.h>

const fh_archive_limits fh_archive_default_limits = {
    .total_bytes = (uint64_t)4 << 30,
    .ratio = 200,
    .ratio_from = 100 * 1000 * 1000,
    .members = 200 * 1000,
    .member_bytes = (uint64_t)64 << 20,
};

enum { BLOCK = 64 * 1024 };

typedef struct {
    const char *path;
    const fh_archive_limits *limits;
    fh_archive_wanted *wanted;
    void *context;
    fh_archive *result;
    struct archive *reader;
    uint64_t packed, unpacked, members; /* bytes, bytes, number so far */
    fh_buffer content;                  /* scratch */
    fh_buffer name;                     /* the member's tidy path */
} reading;

bool fh_archive_is_name(fh_text path)
{
    static const char *const ends[] = {".whl",     ".zip",  ".egg",    ".tar", ".tar.gz", ".tgz",
                                       ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (fh_text_ends(path, ends[i]))
            return true;
    return false;
}

/* Appends the parts of `path` to `tidy`, which holds a path already or nothing,
 * without "." and empty parts and with ".." resolved. False when it leads out of
 * the root. Backslashes separate too: on Windows they do. */
static bool resolve(fh_buffer *tidy, fh_text path)
{
    size_t begin = 0;
    for (size_t i = 0; i <= path.length; i++) {
        if (i < path.length && path.data[i] != '/' && path.data[i] != '\\')
            continue;
        fh_text part = fh_text_slice(path, begin, i);
        begin = i + 1;
        if (!part.length || fh_text_is(part, "."))
            continue;
        if (fh_text_is(part, "..")) {
            if (!tidy->length)
                return false;
            tidy->length = fh_path_directory(fh_buffer_text(tidy)).length;
            continue;
        }
        if (tidy->length)
            fh_buffer_add_char(tidy, '/');
        fh_buffer_add(tidy, part);
    }
    return true;
}

static bool is_absolute(fh_text path)
{
    bool drive =
        path.length > 2 && path.data[1] == ':' && (path.data[2] == '/' || path.data[2] == '\\');
    return drive || fh_text_starts(path, "/") || fh_text_starts(path, "\\");
}

static bool has_dot_dot(fh_text path)
{
    size_t begin = 0;
    for (size_t i = 0; i <= path.length; i++)
        if (i == path.length || path.data[i] == '/' || path.data[i] == '\\') {
            if (fh_text_is(fh_text_slice(path, begin, i), ".."))
                return true;
            begin = i + 1;
        }
    return false;
}

static fh_status refuse(const reading *r, const char *member, const char *why)
{
    /* The name may hold anything; a message must be UTF-8. */
    fh_buffer shown = {0};
    fh_utf8_add_repaired(&shown, fh_text_from(member));
    fh_status status = fh_error(FH_INVALID, "%s is refused: member \"%.*s\" %s", r->path,
                                FH_TEXT_ARGS(fh_buffer_text(&shown)), why);
    fh_buffer_free(&shown);
    return status;
}

static const char *reason(struct archive *reader)
{
    const char *text = archive_error_string(reader);
    return text ? text : "no reason given";
}

/* A member that is not read, or what follows it, and why. */
static void add_skipped(reading *r, fh_text path, const char *why, const char *detail)
{
    fh_buffer text = {0};
    fh_buffer_add_string(&text, why);
    fh_utf8_add_repaired(&text, fh_text_from(detail));
    fh_archive_member member = {.path = fh_arena_copy(&r->result->arena, path),
                                .skipped = fh_arena_copy(&r->result->arena, fh_buffer_text(&text))};
    r->result->arena.failed |= text.failed;
    fh_vector_push(&r->result->members, member);
    fh_buffer_free(&text);
}

/* Counts bytes that came, or would come, out of the archive. */
static fh_status account(reading *r, uint64_t bytes)
{
    const fh_archive_limits *limits = r->limits;
    r->unpacked = bytes > UINT64_MAX - r->unpacked ? UINT64_MAX : r->unpacked + bytes;
    if (r->unpacked > limits->total_bytes)
        return fh_error(FH_LIMIT, "%s is refused: it is larger than %llu bytes unpacked", r->path,
                        (unsigned long long)limits->total_bytes);
    if (r->unpacked > limits->ratio_from && r->unpacked / limits->ratio > r->packed)
        return fh_error(FH_LIMIT,
                        "%s is refused: it unpacks to over %llu times its size (%llu bytes)",
                        r->path, (unsigned long long)limits->ratio, (unsigned long long)r->packed);
    return FH_OK;
}

/* Reads the content of the current member, whatever size its header claims. */
static fh_status read_content(reading *r, uint64_t claimed)
{
    fh_text path = fh_buffer_text(&r->name);
    fh_buffer_clear(&r->content);
    for (;;) {
        if (!fh_buffer_reserve(&r->content, BLOCK))
            return FH_NO_MEMORY;
        la_ssize_t got = archive_read_data(r->reader, r->content.data + r->content.length, BLOCK);
        if (got < 0) {
            add_skipped(r, path, "cannot be unpacked: ", reason(r->reader));
            return FH_OK;
        }
        if (got == 0)
            break;
        r->content.length += (size_t)got;
        if (r->content.length > claimed) {
            fh_status status = account(r, (uint64_t)got);
            if (status)
                return status;
        }
        if (r->content.length > r->limits->member_bytes) {
            add_skipped(r, path, "larger than the limit for one file", "");
            return FH_OK;
        }
    }
    fh_archive_member member = {.path = fh_arena_copy(&r->result->arena, path),
                                .bytes =
                                    fh_arena_copy(&r->result->arena, fh_buffer_text(&r->content))};
    fh_vector_push(&r->result->members, member);
    return FH_OK;
}

/* The member's name: as UTF-8 when the archive says so, else its bytes. */
static const char *raw_name(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname_utf8(entry);
    return name ? name : archive_entry_pathname(entry);
}

static const char *link_target(struct archive_entry *entry, bool *hard)
{
    const char *target = archive_entry_hardlink_utf8(entry);
    if (!target)
        target = archive_entry_hardlink(entry);
    *hard = target != NULL;
    if (!target)
        target = archive_entry_symlink_utf8(entry);
    return target ? target : archive_entry_symlink(entry);
}

/* A symbolic link counts from the folder it is in, a hard link from the root. */
static fh_status check_link(reading *r, const char *name, const char *target, bool hard)
{
    fh_buffer resolved = {0};
    if (!hard)
        fh_buffer_add(&resolved, fh_path_directory(fh_buffer_text(&r->name)));
    bool inside = !is_absolute(fh_text_from(target)) && resolve(&resolved, fh_text_from(target));
    bool failed = resolved.failed;
    fh_buffer_free(&resolved);
    if (failed)
        return FH_NO_MEMORY;
    return inside ? FH_OK : refuse(r, name, "is a link that points out of the archive");
}

static fh_status read_member(reading *r, struct archive_entry *entry)
{
    const char *name = raw_name(entry);
    bool hard;
    if (!name) {
        add_skipped(r, (fh_text){0}, "a member whose name cannot be read", "");
        return FH_OK;
    }
    fh_text whole = fh_text_from(name);
    fh_buffer_clear(&r->name);
    if (is_absolute(whole))
        return refuse(r, name, "has an absolute path");
    if (has_dot_dot(whole))
        return refuse(r, name, "has \"..\" in its path");
    resolve(&r->name, whole);
    if (r->name.failed)
        return FH_NO_MEMORY;
    if (archive_entry_is_encrypted(entry) > 0)
        return refuse(r, name, "is encrypted");

    fh_text path = fh_buffer_text(&r->name);
    const char *target = link_target(entry, &hard);
    if (target) {
        fh_status status = check_link(r, name, target, hard);
        if (!status && r->wanted(r->context, path, 0))
            add_skipped(r, path, "a link to ", target);
        return status;
    }
    uint64_t size = archive_entry_size_is_set(entry) && archive_entry_size(entry) > 0
                        ? (uint64_t)archive_entry_size(entry)
                        : 0;
    fh_status status = account(r, size);
    if (status || archive_entry_filetype(entry) == AE_IFDIR)
        return status;
    if (!path.length || !r->wanted(r->context, path, size))
        return FH_OK;
    if (archive_entry_filetype(entry) != AE_IFREG) {
        add_skipped(r, path, "a FIFO, socket or device", "");
        return FH_OK;
    }
    if (size > r->limits->member_bytes) {
        add_skipped(r, path, "larger than the limit for one file", "");
        return FH_OK;
    }
    return read_content(r, size);
}

static fh_status read_members(reading *r)
{
    struct archive_entry *entry;
    for (;;) {
        int code = archive_read_next_header(r->reader, &entry);
        if (code == ARCHIVE_EOF)
            return FH_OK;
        if (code == ARCHIVE_RETRY)
            continue;
        if (code < ARCHIVE_WARN && r->members == 0)
            return fh_error(FH_INVALID, "%s is not an archive that can be read: %s", r->path,
                            reason(r->reader));
        if (code < ARCHIVE_WARN) {
            add_skipped(r, (fh_text){0},
                        "the archive is damaged or cut off here: ", reason(r->reader));
            return FH_OK;
        }
        if (++r->members > r->limits->members)
            return fh_error(FH_LIMIT, "%s is refused: it has more than %llu members", r->path,
                            (unsigned long long)r->limits->members);
        fh_status status = read_member(r, entry);
        if (status)
            return status;
        if (r->result->arena.failed || r->result->members.failed)
            return FH_NO_MEMORY;
        if (fh_interrupted())
            return fh_error(FH_INTERRUPTED, "interrupted");
    }
}

/* libarchive gives names in the encoding of the locale, and none where that has no letter for it:
 * while it reads, the thread's is UTF-8. */
static locale_t enter_utf8(locale_t *before)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    *before = utf8 ? uselocale(utf8) : (locale_t)0;
    return utf8;
}

static void leave_utf8(locale_t utf8, locale_t before)
{
    if (!utf8)
        return;
    uselocale(before);
    freelocale(utf8);
}

fh_status fh_archive_read(const char *path, const fh_archive_limits *limits,
                          fh_archive_wanted *wanted, void *context, fh_archive *archive)
{
    fh_file_info info;
    fh_status status = fh_file_stat(path, true, &info);
    if (status)
        return status;
    if (info.kind != FH_FILE_REGULAR)
        return fh_error(FH_UNSUPPORTED, "%s is not a regular file", path);
    reading r = {.path = path,
                 .limits = limits,
                 .wanted = wanted,
                 .context = context,
                 .result = archive,
                 .reader = archive_read_new(),
                 .packed = info.size};
    if (!r.reader)
        return fh_error(FH_NO_MEMORY, "out of memory while reading %s", path);
    locale_t before, utf8 = enter_utf8(&before);

    /* Only these: libarchive knows many more formats, and each is attack surface. */
    archive_read_support_format_tar(r.reader);
    archive_read_support_format_zip(r.reader);
    archive_read_support_filter_gzip(r.reader);
    archive_read_support_filter_bzip2(r.reader);
    archive_read_support_filter_xz(r.reader);
    archive_read_support_filter_zstd(r.reader);
    if (archive_read_open_filename(r.reader, path, BLOCK) < ARCHIVE_WARN)
        status = fh_error(FH_INVALID, "%s is not an archive that can be read: %s", path,
                          reason(r.reader));
    else
        status = read_members(&r);
    if (status == FH_NO_MEMORY)
        fh_error(status, "out of memory while reading %s", path);
    archive_read_free(r.reader);
    leave_utf8(utf8, before);
    fh_buffer_free(&r.content);
    fh_buffer_free(&r.name);
    return status;
}

void fh_archive_free(fh_archive *archive)
{
    fh_vector_free(&archive->members);
    fh_arena_free(&archive->arena);
}
