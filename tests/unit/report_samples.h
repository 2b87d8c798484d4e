/* report_samples.h: results made by hand, for the tests of the reports. The caller frees them. */
#ifndef FH_TESTS_REPORT_SAMPLES_H
#define FH_TESTS_REPORT_SAMPLES_H

#include "analyse/report/report.h"

/* A result of nothing: all that is not known is so. */
static fh_result sample_empty(void)
{
    fh_result r = {0};
    r.target = FH_TEXT(".");
    r.range_low = r.range_high = -1;
    r.chip = r.reference = (fh_chip_summary){.fp16_tflops = -1,
                                             .fp32_tflops = -1,
                                             .memory_gbps = -1,
                                             .memory_gb = -1,
                                             .ridge = -1,
                                             .ridge32 = -1,
                                             .ridge8 = -1,
                                             .ridge_vector = -1};
    r.host_tflops = r.host_gbps = -1;
    return r;
}

static fh_operator sample_operator(fh_text name, fh_support support, uint32_t count)
{
    return (fh_operator){
        .name = name, .support = support, .count = count, .parameters = -1, .flops = -1};
}

static fh_location sample_place(fh_text file, uint32_t line, uint32_t column)
{
    return (fh_location){.file = file,
                         .line = line,
                         .column = column,
                         .certainty = FH_TEXT("certain"),
                         .parameters = -1,
                         .flops = -1};
}

/* One operator and one finding about a whole file, with no field that may be missing. */
static fh_result sample_bare(void)
{
    fh_result r = sample_empty();
    fh_operator op = sample_operator(FH_TEXT("torch.add"), FH_SUPPORT_NATIVE, 1);
    fh_finding finding = {.rule = FH_TEXT("FH999"),
                          .severity = FH_SEVERITY_WARNING,
                          .category = FH_CATEGORY_DEVICE,
                          .message = FH_TEXT("about a file"),
                          .count = 1};
    fh_vector_push(&op.locations, sample_place(FH_TEXT("one.py"), 1, 1));
    finding.place = sample_place(FH_TEXT("one.py"), 0, 0);
    fh_vector_push(&r.operators, op);
    fh_vector_push(&r.findings, finding);
    r.scanned = 1;
    r.operator_sites = r.by_support[FH_SUPPORT_NATIVE] = r.by_severity[FH_SEVERITY_WARNING] = 1;
    return r;
}

/* `text` wherever a target has a say, and in every list. */
static fh_result sample_everywhere(fh_text text)
{
    fh_result r = sample_empty();
    fh_location place = {text, 2, 3, 3, 9, text, FH_TEXT("likely"), 768, 1e9, FH_TEXT("token"),
                         0,    0, 0};
    r.target = r.torch = r.soc = r.baseline = r.range_reason = text;
    fh_vector_push(&r.targets, text);
    fh_vector_push(&r.targets, text);
    r.partial = true;
    r.scanned = 3;
    r.bytes = 1 << 20;
    fh_vector_push(&r.kinds, (fh_kind_count){FH_TEXT("python"), 3});
    fh_vector_push(&r.skipped, (fh_file_note){text, text, 0});
    fh_vector_push(&r.notes, (fh_file_note){text, text, 7});
    for (int i = 0; i < FH_SUPPORT_COUNT; i++) {
        fh_operator op = {.name = text,
                          .category = (fh_category)(i % 2),
                          .class = FH_TEXT("matmul"),
                          .support = (fh_support)i,
                          .kernels = FH_TEXT("aclnnAddmm,aclnnMm"),
                          .overloads = FH_TEXT("aten::addmm"),
                          .limits = text,
                          .reason = text,
                          .workaround = text,
                          .source = text,
                          .count = 2,
                          .sized = 1,
                          .parameters = 768,
                          .flops = 1e9};
        fh_vector_push(&op.locations, place);
        fh_vector_push(&op.locations, place);
        fh_vector_push(&r.operators, op);
        r.by_support[i] = 2;
        r.operator_sites += 2;
    }
    static const char *const rules[] = {"FH990", "FH991", "FH992", "FH993",
                                        "FH994", "FH995", "FH996", "FH997"};
    for (int i = 0; i < FH_CATEGORY_COUNT; i++) {
        fh_finding finding = {.rule = fh_text_from(rules[i]),
                              .title = text,
                              .category = (fh_category)i,
                              .severity = (fh_severity)(i % FH_SEVERITY_COUNT),
                              .message = text,
                              .advice = text,
                              .operator= text,
                              .place = place,
                              .excerpt_line = 1,
                              .excerpt = text,
                              .count = (uint32_t)(i + 1)};
        finding.place.parameters = finding.place.flops = -1;
        finding.place.per = (fh_text){0};
        fh_vector_push(&r.findings, finding);
        r.by_severity[finding.severity] += finding.count;
    }
    fh_vector_push(&r.steps, (fh_step){text, text, FH_TEXT("training"), 4});
    fh_vector_push(&r.plan, (fh_plan_item){text, text, FH_TEXT("python"), text, text, 5});
    r.chip = (fh_chip_summary){text, text, 313, 83, 1600, 64, 195.625, 51.875, 391.25, 11.25};
    r.reference = (fh_chip_summary){text, text, 312, 19.5, 2039, 80, 153.0162, -1, -1, -1};
    r.host_tflops = 2.5;
    r.host_gbps = 200;
    fh_vector_push(&r.classes,
                   (fh_class_expectation){FH_TEXT("matmul"), FH_TEXT("compute"), text, 3, 0.71, 0.1,
                                          0.4, 0.99, 340.5, 412, 230, FH_TEXT("token"), text, 2});
    fh_vector_push(&r.priorities, (fh_priority){FH_TEXT("FH997"), text, text, 1, 300000});
    r.range_low = 0.6;
    r.range_high = 0.95;
    fh_vector_push(&r.unknown, text);
    fh_vector_push(&r.by_rule, (fh_priority){.rule = FH_TEXT("FH997"), .count = 8});
    return r;
}

/* `count` operators with 3 places each, and as many findings of 40 rules; the last finding stands
 * for 300,000. */
static fh_result sample_many(uint32_t count)
{
    static const char *const rules[] = {"FH901", "FH902", "FH903", "FH904",
                                        "FH905", "FH906", "FH907"};
    fh_result r = sample_empty();
    r.scanned = count;
    for (uint32_t i = 0; i < count; i++) {
        fh_operator op =
            sample_operator(FH_TEXT("torch.nn.functional.scaled_dot_product_attention"),
                            (fh_support)(i % FH_SUPPORT_COUNT), 312000);
        for (uint32_t j = 0; j < 3; j++)
            fh_vector_push(
                &op.locations,
                sample_place(FH_TEXT("src/models/a/long/path/modeling_one.py"), i + 1, j + 1));
        fh_vector_push(&r.operators, op);
        r.by_support[op.support] += op.count;
        r.operator_sites += op.count;
        fh_finding finding = {.rule = fh_text_from(rules[i % 7]),
                              .title = FH_TEXT("a rule"),
                              .category = FH_CATEGORY_HOST,
                              .severity = FH_SEVERITY_NOTE,
                              .message = FH_TEXT("the host waits for the device"),
                              .advice = FH_TEXT("do not wait"),
                              .count = i + 1 == count ? 300000 : 1};
        finding.place = sample_place(FH_TEXT("src/models/a/long/path/modeling_one.py"), i + 1, 5);
        fh_vector_push(&r.findings, finding);
        r.by_severity[FH_SEVERITY_NOTE] += finding.count;
        fh_vector_push(&r.priorities,
                       (fh_priority){finding.rule, finding.title, finding.advice, i + 1, 1});
        fh_vector_push(&r.notes, (fh_file_note){FH_TEXT("a.py"), FH_TEXT("syntax error"), i + 1});
    }
    return r;
}

/* Text that tries: to steer a terminal, to close a tag, to format Markdown, to break a table, to
 * turn the direction, to be no UTF-8, to be wide, to be empty, to be long. */
#define SAMPLE_TEXT(literal) \
    { \
        literal, sizeof(literal) - 1 \
    }
static const fh_text sample_hostile[] = {
    SAMPLE_TEXT(""),
    SAMPLE_TEXT("\033[31m\033]0;title\007\rover\bwrite\nnext"),
    SAMPLE_TEXT("</script><!-- <script>alert(1)</script>"),
    SAMPLE_TEXT("a|b\\|c`d``*e*_f_[g](http://h)<i>@j ~~k~~ $l$ #1 a@b.org www.c.org ftp://d.org"),
    SAMPLE_TEXT("\xe2\x80\xae\xd7\x90\xe2\x81\xa6 \xe2\x80\xa8x\xc2\x9b"
                "31m"),
    SAMPLE_TEXT("\xff\xfe\xc3(\xed\xa0\x80\xf4\x90\x80\x80"),
    SAMPLE_TEXT("\xe6\x95\xb0\xe6\x8d\xae/\xe6\xa8\xa1\xe5\x9e\x8b\xf0\x9f\xa6\x84.py"),
    SAMPLE_TEXT("nul\0nul \"quoted\" {0} {x} %s %n"),
    SAMPLE_TEXT("# heading\n- item\n```\ncode\n```\n    more\n"),
};
#undef SAMPLE_TEXT
enum { SAMPLE_HOSTILE_COUNT = sizeof sample_hostile / sizeof *sample_hostile };

#endif
