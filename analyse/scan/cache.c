#include "analyse/scan/cache.h"
#include "analyse/scan/scan_id.h"
#include "os/file.h"
#include "os/lock.h"

#include <stdio.h>
#include <string.h>
#include <zstd.h>

/* The first bytes of a pack. A build with other tables has another `layout`. */
typedef struct {
    char magic[8];
    uint64_t layout;
} pack_header;

typedef struct {
    fh_hash128 content;
    uint32_t kind;
    uint32_t packed, raw; /* bytes */
    uint32_t unused;
    uint64_t checksum; /* of the packed bytes */
} pack_record;

/* Where a record stands, for look-ups. */
typedef struct {
    fh_hash128 content;
    uint32_t kind;
    const pack_record *record; /* NULL: free */
} pack_slot;

struct fh_cache {
    fh_buffer path;
    fh_buffer pack; /* the file as it was */
    size_t usable;  /* bytes of it up to the first damage */
    pack_slot *slots;
    uint32_t slot_count, record_count;
    fh_lock lock;    /* guards `added` */
    fh_buffer added; /* new records */
};

enum { LARGEST_PACK = 1 << 30, LARGEST_UNIT = 1 << 29, LEVEL = 1 };

/* Changes with every change of the scanner's sources. */
static uint64_t layout(void)
{
    return fh_hash(FH_SCAN_ID, sizeof FH_SCAN_ID - 1);
}

static pack_header header(void)
{
    return (pack_header){.magic = "FHPACK1", .layout = layout()};
}

static pack_slot *find_slot(const fh_cache *cache, fh_hash128 content, uint32_t kind)
{
    for (uint32_t i = (uint32_t)content.low;; i++) {
        pack_slot *slot = &cache->slots[i & (cache->slot_count - 1)];
        if (!slot->record || (slot->content.low == content.low &&
                              slot->content.high == content.high && slot->kind == kind))
            return slot;
    }
}

/* The record at `offset` when it lies wholly inside the pack, else NULL. */
static const pack_record *record_at(const fh_cache *cache, size_t offset)
{
    if (offset > cache->pack.length || cache->pack.length - offset < sizeof(pack_record))
        return NULL;
    const pack_record *record = (const pack_record *)(cache->pack.data + offset);
    return record->packed <= cache->pack.length - offset - sizeof *record ? record : NULL;
}

/* Records begin at multiples of 8, as their numbers need. */
static size_t padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static void index_pack(fh_cache *cache)
{
    pack_header expected = header();
    if (cache->pack.length < sizeof expected ||
        memcmp(cache->pack.data, &expected, sizeof expected) != 0)
        return;
    size_t offset = sizeof expected;
    const pack_record *record;
    while ((record = record_at(cache, offset)) != NULL) {
        offset += padded(sizeof *record + record->packed);
        cache->record_count++;
    }
    cache->slot_count = 64;
    while (cache->slot_count < cache->record_count * 2)
        cache->slot_count *= 2;
    cache->slots = fh_alloc_zero(cache->slot_count, sizeof *cache->slots);
    if (!cache->slots)
        return;
    for (offset = sizeof expected; (record = record_at(cache, offset)) != NULL;
         offset += padded(sizeof *record + record->packed)) {
        *find_slot(cache, record->content, record->kind) =
            (pack_slot){record->content, record->kind, record};
        cache->usable = offset + padded(sizeof *record + record->packed);
        if (cache->usable > cache->pack.length)
            break;
    }
}

fh_cache *fh_cache_open(const char *directory, fh_text key)
{
    fh_cache *cache = fh_alloc_zero(1, sizeof *cache);
    if (!cache)
        return NULL;
    fh_hash128 name = fh_hash_content(key.data, key.length);
    fh_buffer_add_format(&cache->path, "%s/%016llx%016llx.pack", directory,
                         (unsigned long long)name.high, (unsigned long long)name.low);
    fh_buffer_add_char(&cache->path, 0);
    if (cache->path.failed) {
        fh_cache_close(cache);
        return NULL;
    }
    if (fh_directory_make(directory) == FH_OK &&
        fh_file_read(cache->path.data, LARGEST_PACK, &cache->pack) == FH_OK)
        index_pack(cache);
    return cache;
}

void fh_cache_close(fh_cache *cache)
{
    if (!cache)
        return;
    fh_buffer_free(&cache->path);
    fh_buffer_free(&cache->pack);
    fh_buffer_free(&cache->added);
    fh_free(cache->slots);
    fh_free(cache);
}

bool fh_cache_read(const fh_cache *cache, fh_hash128 content, fh_unit *unit)
{
    if (!cache->slots)
        return false;
    const pack_record *record = find_slot(cache, content, unit->kind)->record;
    if (!record || record->raw > LARGEST_UNIT)
        return false;
    const char *packed = (const char *)(record + 1);
    if (fh_hash(packed, record->packed) != record->checksum)
        return false;
    char *raw = fh_alloc(record->raw);
    bool good = raw && ZSTD_decompress(raw, record->raw, packed, record->packed) == record->raw;
    if (good) {
        fh_text path = unit->path;
        uint32_t kind = unit->kind;
        good = fh_unit_read((fh_text){raw, record->raw}, unit) == FH_OK;
        if (!good) {
            fh_unit_free(unit);
            fh_unit_init(unit, (fh_unit_kind)kind, path);
        }
    }
    fh_free(raw);
    return good;
}

void fh_cache_add(fh_cache *cache, fh_hash128 content, const fh_unit *unit)
{
    static const char padding[8];
    fh_buffer raw = {0};
    fh_unit_write(unit, &raw);
    size_t bound = ZSTD_compressBound(raw.length);
    char *packed = raw.failed || raw.length > LARGEST_UNIT ? NULL : fh_alloc(bound);
    size_t size = packed ? ZSTD_compress(packed, bound, raw.data, raw.length, LEVEL) : 0;
    if (packed && !ZSTD_isError(size)) {
        pack_record record = {.content = content,
                              .kind = unit->kind,
                              .packed = (uint32_t)size,
                              .raw = (uint32_t)raw.length,
                              .checksum = fh_hash(packed, size)};
        size_t whole = padded(sizeof record + size);
        fh_lock_take(&cache->lock);
        if (fh_buffer_reserve(&cache->added, whole)) {
            fh_buffer_add(&cache->added, (fh_text){(const char *)&record, sizeof record});
            fh_buffer_add(&cache->added, (fh_text){packed, size});
            fh_buffer_add(&cache->added, (fh_text){padding, whole - sizeof record - size});
        }
        fh_lock_release(&cache->lock);
    }
    fh_free(packed);
    fh_buffer_free(&raw);
}

/* A pack keeps units of files as they once were; past this size it starts again with what is
 * in use now. */
enum { START_AGAIN = 256 << 20 };

static fh_status save(const fh_cache *cache)
{
    if (!cache->added.length)
        return FH_OK;
    bool append = cache->usable && cache->usable == cache->pack.length &&
                  cache->usable + cache->added.length < START_AGAIN;
    if (append)
        return fh_file_append(cache->path.data, fh_buffer_text(&cache->added));
    pack_header first = header();
    fh_buffer whole = {0};
    fh_buffer_add(&whole, (fh_text){(const char *)&first, sizeof first});
    if (cache->usable && cache->usable <= cache->pack.length &&
        cache->usable + cache->added.length < START_AGAIN)
        fh_buffer_add(&whole,
                      fh_text_slice(fh_buffer_text(&cache->pack), sizeof first, cache->usable));
    fh_buffer_add(&whole, fh_buffer_text(&cache->added));
    fh_status status = whole.failed
                           ? fh_error(FH_NO_MEMORY, "out of memory for the cache")
                           : fh_file_write_atomic(cache->path.data, fh_buffer_text(&whole));
    fh_buffer_free(&whole);
    return status;
}

fh_status fh_cache_save(fh_cache *cache)
{
    fh_status status = save(cache);
    fh_buffer_free(&cache->added);
    return status;
}
