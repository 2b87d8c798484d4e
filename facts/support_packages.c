/* Names of torch_npu and of other packages. */
#include "facts/packages.h"
#include "facts/sources.h"
#include "facts/support_build.h"
#include "facts/support_words.h"
#include "facts/table.h"

/* What the page of a torch_npu API adds: product lines, and that it is to go. */
static void add_page(fh_text row, fh_arena *arena, fh_verdict *verdict)
{
    const fh_table *table = fh_facts_table(FH_TABLE_TORCH_NPU);
    fh_text chips = fh_table_field(table, row, "chips");
    fh_text replacement = fh_table_field(table, row, "replacement");
    fh_buffer text = {0};
    fh_buffer_add(&text, verdict->limits);
    if (chips.length) {
        fh_buffer_add_string(&text, " Product lines on its page: ");
        fh_support_add_words(&text, chips, 8);
        fh_buffer_add_char(&text, '.');
    }
    if (fh_text_contains(fh_table_field(table, row, "status"), "retiring")) {
        fh_buffer_add_string(&text, " It is announced to be removed.");
        if (!verdict->workaround.length)
            verdict->workaround = replacement;
    }
    verdict->limits = fh_support_keep(arena, &text);
    fh_buffer_free(&text);
}

/* A public name of torch_npu; false when the tables do not have it. */
bool fh_support_of_torch_npu(const fh_support_query *query, fh_text name, fh_arena *arena,
                             fh_verdict *verdict)
{
    const fh_table *table = fh_facts_table(FH_TABLE_TORCH_NPU);
    fh_text row;
    fh_buffer text = {0};
    if (fh_text_starts(name, "torch.npu")) {
        fh_buffer_add_string(&text, "torch_npu");
        fh_buffer_add(&text, fh_text_slice(name, 5, name.length));
        name = fh_support_keep(arena, &text);
    }
    bool is_found = fh_table_find(table, name, &row);
    if (is_found && fh_text_is(fh_table_field(table, row, "kind"), "op")) {
        fh_buffer_add_string(&text, "npu::");
        fh_buffer_add(&text, fh_text_slice(name, fh_text_find_last(name, '.') + 1, name.length));
        is_found = fh_support_of_overload(query, fh_buffer_text(&text), arena, verdict);
        verdict->name = is_found ? fh_table_column(row, 0) : verdict->name;
    } else if (is_found) {
        fh_text releases = fh_table_field(table, row, "releases");
        bool is_there = fh_release_in(query->release, releases);
        *verdict = (fh_verdict){.name = fh_table_column(row, 0),
                                .class = FH_TEXT("other"),
                                .support = is_there ? FH_SUPPORT_NATIVE : FH_SUPPORT_REFUSED,
                                .backward = FH_SUPPORT_UNKNOWN,
                                .is_certain = true};
        fh_buffer_add_string(&text, "torch_npu for torch ");
        fh_release_add(&text, query->release);
        fh_buffer_add_format(&text, is_there ? " has it." : " does not have it; %.*s does.",
                             FH_TEXT_ARGS(releases));
        verdict->reason = fh_support_keep(arena, &text);
        verdict->impact = fh_support_impact(verdict->support, true);
        fh_buffer_add_format(&text, "names in torch_npu %.*s (PyPI, %.*s)",
                             FH_TEXT_ARGS(fh_release_torch_npu(query->release)),
                             FH_TEXT_ARGS(fh_release_date(query->release)));
        verdict->source = fh_support_keep(arena, &text);
    }
    fh_buffer_free(&text);
    if (is_found)
        add_page(row, arena, verdict);
    return is_found;
}

/* "npu_rms_norm" for torch_npu.npu_rms_norm. */
bool fh_support_of_bare_torch_npu(const fh_support_query *query, fh_text name, fh_arena *arena,
                                  fh_verdict *verdict)
{
    fh_buffer full = {0};
    if (!name.length || fh_text_find(name, '.') < name.length)
        return false;
    fh_buffer_add_string(&full, "torch_npu.");
    fh_buffer_add(&full, name);
    bool is_found = fh_support_of_torch_npu(query, fh_buffer_text(&full), arena, verdict);
    arena->failed |= full.failed;
    fh_buffer_free(&full);
    return is_found;
}

static fh_support of_package_verdict(const fh_package *package)
{
    switch (package->verdict) {
    case FH_PACKAGE_RUNS:
        return FH_SUPPORT_NATIVE;
    case FH_PACKAGE_PARTIAL:
        return fh_text_contains(package->what, "CPU fallback") ? FH_SUPPORT_FALLBACK
                                                               : FH_SUPPORT_LIMITED;
    case FH_PACKAGE_COUNTERPART:
    case FH_PACKAGE_BLOCKS:
        return FH_SUPPORT_REFUSED;
    case FH_PACKAGE_UNKNOWN:
    case FH_PACKAGE_VERDICTS:
        break;
    }
    return FH_SUPPORT_UNKNOWN;
}

bool fh_support_of_package(fh_text name, fh_arena *arena, fh_verdict *verdict)
{
    fh_package package;
    fh_buffer text = {0};
    if (!fh_package_find(name, &package))
        return false;
    *verdict = (fh_verdict){.name = fh_arena_copy(arena, name),
                            .class = FH_TEXT("other"),
                            .support = of_package_verdict(&package),
                            .backward = FH_SUPPORT_UNKNOWN,
                            .is_certain = true,
                            .reason = package.what};
    verdict->impact = verdict->support == FH_SUPPORT_FALLBACK
                          ? fh_support_impact(FH_SUPPORT_FALLBACK, true)
                          : (fh_text){0};
    if (package.counterpart.length)
        fh_buffer_add_format(&text, "%.*s. ", FH_TEXT_ARGS(package.counterpart));
    fh_buffer_add(&text, package.advice);
    verdict->workaround = fh_support_keep(arena, &text);
    fh_sources_add(&text, package.source);
    if (!text.length)
        fh_buffer_add_string(&text, "the name itself");
    verdict->source = fh_support_keep(arena, &text);
    fh_buffer_free(&text);
    return true;
}
