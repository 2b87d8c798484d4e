#include "analyse/report/figures.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void fh_figure_count(fh_buffer *out, uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            fh_buffer_add_char(out, ',');
        fh_buffer_add_char(out, digits[i]);
    }
}

void fh_figure_plural(fh_buffer *out, uint64_t count, const char *noun)
{
    fh_figure_count(out, count);
    fh_buffer_add_format(out, " %s%s", noun, count == 1 ? "" : "s");
}

/* Three digits, and no zeros at the end: 1.23, 45.7, 312, 0.6. */
static void significant(fh_buffer *out, double value)
{
    double scale = value >= 10 ? 10 : 100;
    if (value >= 1e15) /* no figure that anybody reads; only not to overflow */
        fh_number_add(out, value);
    else if (value >= 99.95)
        fh_figure_count(out, (uint64_t)round(value));
    else
        fh_number_add(out, round(value * scale) / scale);
}

void fh_figure_short(fh_buffer *out, double value)
{
    static const struct {
        double size;
        const char *unit;
    } units[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    if (value < 9999.5) {
        significant(out, value);
        return;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        /* What rounds up to the next unit is shown in it: 999.9 k is 1 M. */
        if (value >= units[i].size * 0.9995) {
            significant(out, value / units[i].size);
            fh_buffer_add_format(out, " %s", units[i].unit);
            return;
        }
}

void fh_figure_bytes(fh_buffer *out, uint64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double size = (double)bytes / 1000;
    size_t unit = 0;
    if (bytes < 1000) {
        fh_figure_plural(out, bytes, "byte");
        return;
    }
    for (; size >= 999.5 && unit < sizeof units / sizeof *units - 1; unit++)
        size /= 1000;
    significant(out, size);
    fh_buffer_add_format(out, " %s", units[unit]);
}

/* Never "0 %" or "100 %" unless it is. */
void fh_figure_percent(fh_buffer *out, double share)
{
    double percent = share * 100;
    if (percent > 0 && percent < 1)
        fh_buffer_add_string(out, "< 1 %");
    else if (percent > 99 && percent < 100)
        fh_buffer_add_string(out, "> 99 %");
    else
        fh_buffer_add_format(out, "%.0f %%", percent);
}

void fh_figure_range(fh_buffer *out, double low, double high)
{
    size_t begin = out->length;
    fh_figure_short(out, low);
    if (low != high) {
        fh_buffer_add_string(out, "–");
        fh_figure_short(out, high);
    }
    if (out->length > begin)
        fh_buffer_add_string(out, "×");
}

void fh_figure_place(fh_buffer *out, fh_text file, uint32_t line, uint32_t column)
{
    fh_buffer_add(out, file);
    if (line)
        fh_buffer_add_format(out, ":%u", line);
    if (line && column)
        fh_buffer_add_format(out, ":%u", column);
}
