#include "facts/soc.h"
#include "base/names.h"
#include "facts/nearest.h"

// clang-format off
static const fh_soc socs[] = {
#define SOC(name, aliases, vendor, family, product, \
            matrix16, derived16, bf16, matrix32, fast32, matrix8, fp8, fp4, vector16, vector32, \
            fp64, memory, memory_type, bandwidth, matrix_cores, vector_cores, clock, l2, \
            scale_up, scale_up_link, scale_out, scale_out_link, \
            has_bf16, has_fast32, has_fp8, has_fp4, has_double, \
            has_aclnn, has_acl_op, has_infnan, has_triton, trains, confidence, sources, note) \
    {name, aliases, FH_VENDOR_##vendor, FH_FAMILY_##family, product, \
     matrix16, derived16, bf16, matrix32, fast32, matrix8, fp8, fp4, vector16, vector32, \
     fp64, memory, memory_type, bandwidth, matrix_cores, vector_cores, clock, l2, \
     scale_up, scale_up_link, scale_out, scale_out_link, \
     has_bf16, has_fast32, has_fp8, has_fp4, has_double, \
     has_aclnn, has_acl_op, has_infnan, has_triton, trains, \
     FH_CONFIDENCE_##confidence, sources, note},
#include "facts/soc.def"
#undef SOC
};
// clang-format on

enum { SOC_COUNT = sizeof socs / sizeof *socs };

unsigned fh_soc_count(void)
{
    return SOC_COUNT;
}

const fh_soc *fh_soc_at(unsigned index)
{
    return &socs[index];
}

/* The next character that counts, in lower case; 0 at the end. */
static char next_significant(fh_text *text)
{
    while (text->length) {
        char c = *text->data;
        text->data++;
        text->length--;
        if (c != ' ' && c != '-' && c != '_')
            return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c ? c : 1;
    }
    return 0;
}

static bool same_name(fh_text a, fh_text b)
{
    for (;;) {
        char x = next_significant(&a), y = next_significant(&b);
        if (x != y)
            return false;
        if (!x)
            return true;
    }
}

static fh_text without_vendor(fh_text name)
{
    static const char *const vendors[] = {"NVIDIA", "Huawei", "AMD", "GeForce", "Tesla"};
    for (unsigned i = 0; i < sizeof vendors / sizeof *vendors; i++) {
        size_t end = fh_text_find(name, ' ');
        if (end < name.length && same_name(fh_text_slice(name, 0, end), fh_text_from(vendors[i])))
            name = fh_text_trim(fh_text_slice(name, end, name.length));
    }
    return name;
}

const fh_soc *fh_soc_find(fh_text name)
{
    fh_text empty = name = without_vendor(fh_text_trim(name));
    if (!next_significant(&empty))
        return NULL;
    for (unsigned i = 0; i < SOC_COUNT; i++) {
        if (same_name(name, fh_text_from(socs[i].name)))
            return &socs[i];
        fh_text rest = fh_text_from(socs[i].aliases), alias;
        while (fh_text_next(&rest, ' ', &alias))
            if (same_name(name, alias))
                return &socs[i];
    }
    return NULL;
}

static fh_status not_found(fh_text name)
{
    fh_nearest nearest = {0};
    for (unsigned i = 0; i < SOC_COUNT; i++) {
        unsigned before = nearest.count;
        fh_nearest_offer(&nearest, name, fh_text_from(socs[i].name));
        fh_text rest = fh_text_from(socs[i].aliases), alias;
        while (nearest.count == before && fh_text_next(&rest, ' ', &alias))
            fh_nearest_offer(&nearest, name, alias);
    }
    fh_buffer hint = {0};
    fh_nearest_add(&hint, &nearest);
    fh_status status = fh_error(FH_NOT_FOUND, "no chip is called \"%.*s\"%.*s", FH_TEXT_ARGS(name),
                                FH_TEXT_ARGS(fh_buffer_text(&hint)));
    fh_buffer_free(&hint);
    return status;
}

fh_status fh_soc_get(fh_text name, const fh_soc **soc)
{
    const fh_soc *found = fh_soc_find(name);
    if (!found)
        return not_found(name);
    *soc = found;
    return FH_OK;
}

const fh_soc *fh_soc_default(void)
{
    return fh_soc_find(FH_TEXT("Ascend910B3"));
}

const fh_soc *fh_soc_baseline(void)
{
    return fh_soc_find(FH_TEXT("A100"));
}

FH_NAMES(fh_vendor_name, fh_vendor, FH_VENDOR_MAP)

FH_NAMES(fh_family_name, fh_family, FH_FAMILY_MAP)

const char *fh_family_listed(fh_family family)
{
    static const char *const names[] = {
#define X(name, text, listed) listed,
        FH_FAMILY_MAP(X)
#undef X
    };
    return names[family];
}

FH_NAMES(fh_confidence_name, fh_confidence, FH_CONFIDENCE_MAP)
