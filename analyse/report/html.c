/* The HTML report: the page built from web/, with the JSON report inside. It is one file that
 * fetches nothing; tools/cmake/web.cmake builds its two halves. */
#include "analyse/report/formats.h"

/* .incbin copies a file into the object file; its folder stays out of the program. */
#define HALF(name) \
    __asm__(".pushsection .rodata\n" \
            "fh_page_" #name ":\n" \
            ".incbin \"" FOOTHOLD_PAGE_DIRECTORY "/page." #name ".html\"\n" \
            "fh_page_" #name "_end:\n" \
            ".popsection\n"); \
    extern const char fh_page_##name[] __attribute__((visibility("hidden"))); \
    extern const char fh_page_##name##_end[] __attribute__((visibility("hidden")));
HALF(head)
HALF(tail)
#undef HALF

void fh_report_html(const fh_result *result, const fh_report_options *options, fh_buffer *out)
{
    fh_buffer_add(out, (fh_text){fh_page_head, (size_t)(fh_page_head_end - fh_page_head)});
    fh_report_json_for_html(result, options, out);
    fh_buffer_add(out, (fh_text){fh_page_tail, (size_t)(fh_page_tail_end - fh_page_tail)});
}
