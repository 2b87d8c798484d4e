#include "analyse/cli/commands.h"
#include "analyse/cli/progress.h"
#include "analyse/cli/select_rules.h"
#include "analyse/fix/diff.h"
#include "analyse/fix/fix.h"
#include "os/file.h"
#include "os/interrupt.h"

#include <string.h>

enum { PLACES_SHOWN = 3 };

typedef struct {
    const fh_options *options;
    const fh_load *load;
    fh_buffer bytes, out;
    uint32_t changes, files;
    bool failed, closed;
} fixing;

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static fh_status write_file(fixing *x, const fh_walk_file *file, const fh_fix_file *fixed,
                            fh_text bytes)
{
    fh_buffer again = {0};
    fh_text now;
    fh_buffer_clear(&x->out);
    fh_edits_apply(&fixed->edits, bytes, &x->out);
    if (x->out.failed)
        return fh_error(FH_NO_MEMORY, "out of memory for %s", file->disk);
    /* Once more right before it is replaced: somebody may be editing it. */
    fh_status status = fh_fix_read(x->load, fixed->unit, &again, &now);
    if (!status)
        status = fh_file_write_atomic(file->disk, fh_buffer_text(&x->out));
    fh_buffer_free(&again);
    return status;
}

/* A file's diff, or with --apply the file itself. A file that fails does not stop the others. */
static void fix_file(fixing *x, const fh_fix_file *fixed)
{
    const fh_walk_file *file = &x->load->walk.files.items[x->load->files.items[fixed->unit]];
    fh_text bytes;
    fh_status status = fh_fix_read(x->load, fixed->unit, &x->bytes, &bytes);
    if (!status && x->options->apply) {
        status = write_file(x, file, fixed, bytes);
    } else if (!status) {
        fh_buffer_clear(&x->out);
        fh_diff_add(file->path, bytes, &fixed->edits, &x->out);
        if (x->out.failed)
            status = fh_error(FH_NO_MEMORY, "out of memory for the changes to %s", file->disk);
        else if (fh_command_print(fh_buffer_text(&x->out)) != FH_EXIT_OK)
            x->failed = true;
        x->closed = fh_output_closed();
    }
    if (status) {
        fh_message("%s", fh_error_message());
        x->failed = true;
    } else {
        x->changes += fixed->changes;
        x->files++;
    }
}

static void add_place(const fh_load *load, const fh_fix_left *left, fh_buffer *out)
{
    const fh_unit *unit = &load->program.units.items[left->unit];
    fh_buffer_add(out, unit->path);
    if (left->offset != FH_NO_OFFSET)
        fh_buffer_add_format(out, ":%u", fh_unit_place(unit, left->offset).line);
    if (left->what.length)
        fh_buffer_add_format(out, " (%.*s)", FH_TEXT_ARGS(left->what));
}

/* One line for each reason: how many, why, and the first places. */
static void add_left(const fh_load *load, const fh_fix *fix, fh_fix_reason reason, bool all,
                     fh_buffer *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fix->left.count; i++)
        count += fix->left.items[i].reason == reason;
    if (!count)
        return;
    fh_buffer_add_format(out, "  %u x %s\n", count, fh_fix_reason_text(reason));
    uint32_t shown = 0;
    for (uint32_t i = 0; i < fix->left.count && (all || shown < PLACES_SHOWN); i++) {
        if (fix->left.items[i].reason != reason)
            continue;
        fh_buffer_add_string(out, "      ");
        add_place(load, &fix->left.items[i], out);
        fh_buffer_add_char(out, '\n');
        shown++;
    }
    if (shown < count)
        fh_buffer_add_format(out, "      and %u more\n", count - shown);
}

static void summarize(const fixing *x, const fh_fix *fix)
{
    fh_buffer out = {0};
    fh_buffer_add_format(&out, "%u change%s in %u file%s%s\n", x->changes, plural(x->changes),
                         x->files, plural(x->files),
                         x->options->apply ? " written"
                         : x->files        ? "; --apply writes them"
                                           : "");
    if (fix->left.count)
        fh_buffer_add_format(&out, "left as they are:\n");
    for (int reason = 0; reason < FH_FIX_REASONS; reason++)
        add_left(x->load, fix, (fh_fix_reason)reason, false, &out);
    for (uint32_t i = 0; i < x->load->skipped.count; i++)
        fh_buffer_add_format(&out, "skipped %.*s: %.*s\n",
                             FH_TEXT_ARGS(x->load->skipped.items[i].path),
                             FH_TEXT_ARGS(x->load->skipped.items[i].reason));
    fh_output_write(FH_STDERR, fh_buffer_text(&out));
    fh_buffer_free(&out);
}

static int run(const fh_options *options, fh_load *load, const bool *enabled)
{
    fh_fix fix = {0};
    fh_fix_options fix_options = {.release = options->torch, .enabled = enabled};
    fixing x = {.options = options, .load = load};
    fh_status status = fh_fix_find(load, &fix_options, &fix);
    if (status) {
        fh_message("%s", fh_error_message());
        fh_fix_free(&fix);
        return FH_EXIT_ERROR;
    }
    for (uint32_t i = 0; i < fix.files.count && !x.closed; i++)
        fix_file(&x, &fix.files.items[i]);
    if (!options->quiet && !x.closed)
        summarize(&x, &fix);
    fh_buffer_free(&x.bytes);
    fh_buffer_free(&x.out);
    fh_fix_free(&fix);
    return x.failed ? FH_EXIT_ERROR : FH_EXIT_OK;
}

int fh_command_fix(const fh_options *options)
{
    bool enabled[FH_RULE_COUNT];
    if (!fh_select_rules(options, enabled))
        return FH_EXIT_ERROR;
    fh_progress bar;
    fh_progress_start(&bar, "reading", options->progress);
    fh_load_options load_options = {
        .jobs = options->jobs,
        .walk = fh_command_walk_options(options),
        .progress = fh_progress_tell,
        .progress_context = &bar,
    };
    fh_load load = {0};
    fh_status status =
        fh_load_find(&load, options->arguments.items, options->arguments.count, &load_options);
    if (!status)
        status = fh_load_read(&load, &load_options, NULL);
    fh_progress_finish(&bar);
    int code = FH_EXIT_ERROR;
    if (status)
        fh_message("%s", fh_error_message());
    else if (load.partial)
        fh_message("interrupted; nothing is changed");
    else
        code = run(options, &load, enabled);
    fh_load_free(&load);
    return code;
}
