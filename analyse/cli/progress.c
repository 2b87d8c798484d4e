#include "analyse/cli/progress.h"
#include "os/clock.h"
#include "os/terminal.h"

static const uint64_t second = 1000000000;

void fh_progress_start(fh_progress *progress, const char *what, bool wanted)
{
    progress->what = what;
    progress->enabled = wanted && fh_terminal_is(FH_STDERR);
    progress->started = fh_clock_now();
    atomic_init(&progress->done, 0);
    atomic_init(&progress->drawn, 0);
}

/* 1234567 as 1,234,567. */
static void add_grouped(fh_buffer *out, uint64_t number)
{
    char digits[32];
    int length = 0;
    for (; number || !length; number /= 10)
        digits[length++] = (char)('0' + number % 10);
    while (length--) {
        fh_buffer_add_char(out, digits[length]);
        if (length && length % 3 == 0)
            fh_buffer_add_char(out, ',');
    }
}

void fh_progress_add_line(fh_buffer *out, const char *what, uint64_t done, uint64_t of,
                          unsigned width)
{
    fh_buffer numbers = {0};
    if (done > of)
        done = of;
    double part = of ? (double)done / (double)of : 1;
    fh_buffer_add_format(&numbers, " %3d %%  ", (int)(part * 100));
    add_grouped(&numbers, done);
    fh_buffer_add_string(&numbers, " of ");
    add_grouped(&numbers, of);
    fh_text name = fh_text_from(what);
    size_t others = name.length + numbers.length + 3;
    /* The last column stays free: some terminals wrap when it is written. */
    if (others + 10 > width) {
        fh_buffer_add(out, fh_text_slice(fh_text_trim(fh_buffer_text(&numbers)), 0, width - 1));
    } else {
        size_t cells = width - 1 - others < 40 ? width - 1 - others : 40;
        size_t full = (size_t)(part * (double)cells);
        fh_buffer_add(out, name);
        fh_buffer_add_string(out, " [");
        for (size_t i = 0; i < cells; i++)
            fh_buffer_add_char(out, i < full ? '=' : i == full ? '>' : ' ');
        fh_buffer_add_char(out, ']');
        fh_buffer_add(out, fh_buffer_text(&numbers));
    }
    fh_buffer_free(&numbers);
}

static void draw(const fh_progress *progress, uint64_t done, uint64_t of)
{
    fh_buffer line = {0};
    fh_buffer_add_char(&line, '\r');
    fh_progress_add_line(&line, progress->what, done, of, fh_terminal_width(FH_STDERR));
    fh_buffer_add_string(&line, "\033[K");
    fh_output_write(FH_STDERR, fh_buffer_text(&line));
    fh_buffer_free(&line);
}

void fh_progress_tell(void *context, size_t done, size_t of)
{
    fh_progress *progress = context;
    if (!progress->enabled)
        return;
    uint_fast64_t most = atomic_load_explicit(&progress->done, memory_order_relaxed);
    while (most < done && !atomic_compare_exchange_weak(&progress->done, &most, done))
        ;
    uint64_t now = fh_clock_now();
    uint_fast64_t drawn = atomic_load_explicit(&progress->drawn, memory_order_relaxed);
    if (now - progress->started < second || now - drawn < second / 10)
        return;
    /* Of several threads that come here at once, the one that changes the time draws. */
    if (atomic_compare_exchange_strong(&progress->drawn, &drawn, now))
        draw(progress, atomic_load_explicit(&progress->done, memory_order_relaxed), of);
}

void fh_progress_finish(fh_progress *progress)
{
    if (atomic_load(&progress->drawn))
        fh_output_write(FH_STDERR, FH_TEXT("\r\033[K"));
    progress->enabled = false;
}
