#include "analyse/cli/commands.h"
#include "analyse/cli/select_rules.h"
#include "analyse/cli/target.h"
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

static bool has_more(const fh_fix *fix)
{
    uint32_t counts[FH_FIX_REASONS] = {0};
    bool more = false;
    for (uint32_t i = 0; i < fix->left.count; i++)
        more |= ++counts[fix->left.items[i].reason] > PLACES_SHOWN;
    return more;
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
        fh_buffer_add_format(
            &out, "%u place%s left for you%s:\n", fix->left.count, plural(fix->left.count),
            !x->options->details && has_more(fix) ? " (--details names them all)" : "");
    for (int reason = 0; reason < FH_FIX_REASONS; reason++)
        add_left(x->load, fix, (fh_fix_reason)reason, x->options->details, &out);
    for (uint32_t i = 0; i < x->load->skipped.count; i++)
        fh_buffer_add_format(&out, "skipped %.*s: %.*s\n",
                             FH_TEXT_ARGS(x->load->skipped.items[i].path),
                             FH_TEXT_ARGS(x->load->skipped.items[i].reason));
    fh_output_write(FH_STDERR, fh_buffer_text(&out));
    fh_buffer_free(&out);
}

static int write_changes(const fh_options *options, const fh_load *load, const fh_fix *fix)
{
    fixing x = {.options = options, .load = load};
    for (uint32_t i = 0; i < fix->files.count && !x.closed; i++)
        fix_file(&x, &fix->files.items[i]);
    if (!options->quiet && !x.closed)
        summarize(&x, fix);
    fh_buffer_free(&x.bytes);
    fh_buffer_free(&x.out);
    return x.failed ? FH_EXIT_ERROR : FH_EXIT_OK;
}

int fh_command_fix(const fh_options *options)
{
    bool enabled[FH_RULE_COUNT];
    if (!fh_select_rules(options, enabled))
        return FH_EXIT_ERROR;
    fh_fix_options fix_options = {
        .release = options->torch,
        .enabled = enabled,
        .jobs = options->jobs,
    };
    fh_target target = {0};
    fh_fix fix = {0};
    fh_status status = fh_target_find(options, &target);
    if (!status)
        status = fh_target_read(&target);
    if (!status && target.load.partial)
        status = fh_error(FH_INTERRUPTED, "interrupted; nothing is changed");
    if (!status)
        status = fh_fix_find(&target.load, &fix_options, &fix);
    fh_target_finish(&target);
    int code = FH_EXIT_ERROR;
    if (status)
        fh_message("%s", fh_error_message());
    if (status == FH_INTERRUPTED)
        code = fh_command_interrupted();
    else if (!status)
        code = write_changes(options, &target.load, &fix);
    fh_fix_free(&fix);
    fh_target_free(&target);
    return code;
}
