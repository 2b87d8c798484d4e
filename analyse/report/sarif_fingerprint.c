#include "analyse/report/sarif.h"
#include "base/hash.h"

#include <stdlib.h>

typedef struct {
    uint64_t hash;
    uint32_t index;
} entry;

static int by_hash(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static void add_part(fh_buffer *all, fh_text part)
{
    fh_buffer_add(all, part);
    fh_buffer_add_char(all, 0);
}

/* Without a source line, the message has to do. */
static uint64_t hash_of(const fh_finding *finding, fh_buffer *scratch)
{
    fh_text line;
    line = fh_finding_line(finding, &line) ? fh_text_trim(line) : (fh_text){0};
    fh_buffer_clear(scratch);
    add_part(scratch, finding->rule);
    add_part(scratch, finding->place.file);
    add_part(scratch, finding->place.function);
    add_part(scratch, line.length ? line : finding->message);
    return fh_hash(scratch->data, scratch->length);
}

fh_fingerprint *fh_fingerprints_make(const fh_result *result, uint32_t count)
{
    fh_buffer scratch = {0};
    fh_fingerprint *fingerprints = count ? fh_alloc_zero(count, sizeof *fingerprints) : NULL;
    entry *entries = count ? fh_alloc_zero(count, sizeof *entries) : NULL;
    bool ok = fingerprints && entries;
    for (uint32_t i = 0; ok && i < count; i++) {
        entries[i] = (entry){hash_of(&result->findings.items[i], &scratch), i};
        ok = !scratch.failed;
    }
    if (ok)
        qsort(entries, count, sizeof *entries, by_hash);
    for (uint32_t i = 0, ordinal = 0; ok && i < count; i++) {
        ordinal = i && entries[i].hash == entries[i - 1].hash ? ordinal + 1 : 1;
        fingerprints[entries[i].index] = (fh_fingerprint){entries[i].hash, ordinal};
    }
    fh_buffer_free(&scratch);
    fh_free(entries);
    if (ok)
        return fingerprints;
    fh_free(fingerprints);
    return NULL;
}
