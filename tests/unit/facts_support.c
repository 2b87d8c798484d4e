#include "facts/api.h"
#include "facts/support.h"
#include "facts/table.h"
#include "facts/workarounds.h"
#include "tests/unit/shared.h"
#include "tests/unit/sweep.h"

static fh_arena arena;

static fh_verdict of(const char *name)
{
    return fh_support_of(NULL, fh_text_from(name), &arena);
}

static fh_verdict of_on(const char *name, const char *release, const char *soc)
{
    fh_support_query query = {.soc = fh_soc_find(fh_text_from(soc))};
    CHECK(fh_release_get(fh_text_from(release), &query.release) == FH_OK);
    return fh_support_of(&query, fh_text_from(name), &arena);
}

static bool contains(fh_text text, const char *part)
{
    if (!fh_text_contains(text, part))
        printf("  \"%.*s\" lacks \"%s\"\n", FH_TEXT_ARGS(text), part);
    return fh_text_contains(text, part);
}

static bool is(const char *name, fh_support expected)
{
    fh_verdict verdict = of(name);
    if (verdict.support != expected)
        printf("  %s: %s, expected %s: %.*s\n", name, fh_support_name(verdict.support),
               fh_support_name(expected), FH_TEXT_ARGS(verdict.reason));
    return verdict.support == expected;
}

/* What everybody trains with runs on the chip, forward and backward. */
static void common_operators_are_native(void)
{
    static const char *const names[] = {
        "torch.nn.Linear",
        "torch.nn.Conv1d",
        "torch.nn.Conv2d",
        "torch.nn.Conv3d",
        "torch.nn.LayerNorm",
        "torch.nn.GroupNorm",
        "torch.nn.BatchNorm2d",
        "torch.nn.Embedding",
        "torch.nn.CrossEntropyLoss",
        "torch.nn.MultiheadAttention",
        "torch.nn.GELU",
        "torch.nn.SiLU",
        "torch.nn.ReLU",
        "torch.nn.Dropout",
        "torch.nn.Softmax",
        "torch.nn.MSELoss",
        "torch.nn.functional.linear",
        "torch.nn.functional.gelu",
        "torch.nn.functional.silu",
        "torch.nn.functional.softmax",
        "torch.nn.functional.cross_entropy",
        "torch.nn.functional.scaled_dot_product_attention",
        "torch.nn.functional.layer_norm",
        "torch.matmul",
        "torch.bmm",
        "torch.mm",
        "torch.einsum",
        "torch.Tensor.__matmul__",
        "torch.optim.Adam",
        "torch.optim.AdamW",
        "torch.optim.SGD",
        "torch.optim.AdamW[fused]",
        "torch.nn.LSTM",
        "torch.cat",
        "torch.sum",
        "torch.Tensor.softmax",
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        fh_verdict verdict = of(names[i]);
        CHECK(is(names[i], FH_SUPPORT_NATIVE));
        CHECK(verdict.is_certain && !verdict.fallback.length && !verdict.impact.length);
        CHECK(verdict.backward == FH_SUPPORT_NATIVE || verdict.backward == FH_SUPPORT_UNKNOWN);
    }
    fh_verdict verdict = of("torch.nn.Linear");
    CHECK(verdict.heavy && verdict.backward == FH_SUPPORT_NATIVE);
    CHECK_TEXT(verdict.class, "matmul");
    CHECK(contains(verdict.kernels, "aclnnAddmm") && contains(verdict.overloads, "addmm"));
    CHECK(contains(verdict.source, "2026-10-15") && contains(verdict.limits, "no float64"));
}

static void views_need_no_kernel(void)
{
    static const char *const names[] = {
        "torch.Tensor.view", "torch.permute", "torch.Tensor.transpose", "torch.Tensor.permute",
        "torch.Tensor.t",    "aten::view",    "aten::permute"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        fh_verdict verdict = of(names[i]);
        CHECK(is(names[i], FH_SUPPORT_NATIVE) && verdict.is_view && !verdict.kernels.length);
        CHECK(contains(verdict.reason, "No kernel is needed"));
    }
}

static void what_falls_back(void)
{
    static const char *const names[] = {"torch.linalg.eig",
                                        "torch.linalg.eigh",
                                        "torch.linalg.inv",
                                        "torch.nn.HuberLoss",
                                        "torch.special.zeta",
                                        "torch.hypot",
                                        "torch.nn.functional.huber_loss",
                                        "torchvision.ops.nms"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        fh_verdict verdict = of(names[i]);
        CHECK(is(names[i], FH_SUPPORT_FALLBACK) && verdict.is_certain);
        CHECK(contains(verdict.impact, "two copies, a synchronisation and a CPU kernel"));
    }
    fh_verdict verdict = of("torch.nn.HuberLoss");
    CHECK_TEXT(verdict.fallback, "huber_loss");
    CHECK(contains(verdict.reason, "huber_loss") && contains(verdict.workaround, "smooth_l1_loss"));
    CHECK(is("torch.linalg.qr", FH_SUPPORT_NATIVE) && is("torch.linalg.svd", FH_SUPPORT_NATIVE));
    CHECK(is("torch.fft.fft", FH_SUPPORT_NATIVE) && is("torch.fft.ihfft2", FH_SUPPORT_LIMITED));
    verdict = of("torch.linalg.pinv");
    CHECK(!verdict.is_certain && verdict.support == FH_SUPPORT_LIMITED);
    CHECK(contains(verdict.reason, "With some arguments"));
    CHECK(contains(verdict.impact, "When it happens"));
    verdict = of("torch.nn.EmbeddingBag"); /* native, but not its gradient */
    CHECK(verdict.backward == FH_SUPPORT_FALLBACK && contains(verdict.workaround, "embedding"));
    CHECK(contains(verdict.backward_reason, "_embedding_bag_backward"));
}

static void names_in_all_forms(void)
{
    static const char *const forms[][2] = {
        {"aten::addmm", "addmm"},
        {"aten::addmm.default", "addmm"},
        {"addmm.out", "addmm.out"},
        {"torch.ops.aten.addmm.default", "addmm"},
        {"torch.ops.aten.addmm.out", "addmm.out"},
        {"aten::addmm(Tensor self, Tensor mat1)", "addmm"},
        {"torch.ops.npu.npu_rms_norm", "npu::npu_rms_norm"},
        {"npu::npu_rms_norm", "npu::npu_rms_norm"},
        {"torch_npu.npu_rms_norm", "torch_npu.npu_rms_norm"},
        {"npu_rms_norm", "torch_npu.npu_rms_norm"},
        {"nn.Linear", "torch.nn.Linear"},
        {"F.gelu", "torch.nn.functional.gelu"},
        {"optim.AdamW", "torch.optim.AdamW"},
        {"LayerNorm", "torch.nn.LayerNorm"},
        {"torch.nn.modules.linear.Linear", "torch.nn.Linear"},
        {"torch.nn.Linear.forward", "torch.nn.Linear"},
        {"torch.optim.Adam.step", "torch.optim.Adam"},
        {"  torch.matmul  ", "torch.matmul"},
        {"torch.npu.synchronize", "torch_npu.npu.synchronize"},
    };
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
        CHECK_TEXT(of(forms[i][0]).name, forms[i][1]);
    CHECK(is("torch_npu.npu_rms_norm", FH_SUPPORT_NATIVE));
    CHECK(contains(of("torch_npu.npu_rms_norm").kernels, "aclnnRmsNorm"));
    CHECK(is("torch_npu.npu.synchronize", FH_SUPPORT_NATIVE));
}

static void what_is_not_known(void)
{
    static const char *const names[] = {"",
                                        " ",
                                        ".",
                                        "::",
                                        "aten::",
                                        "torch.",
                                        "torch..nn",
                                        "\xFF\xFE",
                                        "torch.ops.aten.",
                                        "torch_npu.",
                                        "nosuchpackage.x",
                                        "npu::",
                                        "?",
                                        ",",
                                        "addmm?",
                                        "torch.nn.Linear,torch.nn.Conv2d"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(is(names[i], FH_SUPPORT_UNKNOWN) && of(names[i]).reason.length);
    CHECK(contains(of("torch.nn.Linaer").reason, "did you mean torch.nn.Linear"));
    CHECK(contains(of("torch_npu.npu_rmsnorm").reason, "torch_npu.npu_rms_norm"));
    fh_verdict verdict = of("torch.cuda.synchronize");
    CHECK(verdict.support == FH_SUPPORT_UNKNOWN && contains(verdict.workaround, "torch.npu."));
    verdict = of("torch.nn.DataParallel");
    CHECK(contains(verdict.workaround, "DistributedDataParallel"));
    verdict = fh_support_of(&(fh_support_query){.soc = fh_soc_baseline()}, FH_TEXT("torch.matmul"),
                            &arena);
    CHECK(verdict.support == FH_SUPPORT_UNKNOWN && contains(verdict.reason, "not an Ascend chip"));
    static char long_name[100000];
    memset(long_name, 'a', sizeof long_name);
    memcpy(long_name, "torch.", 6);
    CHECK(fh_support_of(NULL, (fh_text){long_name, sizeof long_name}, &arena).support ==
          FH_SUPPORT_UNKNOWN);
}

static void releases_and_chips(void)
{
    CHECK(of_on("torch_npu.npu_rms_norm_quant_v2", "2.6", "910B3").support == FH_SUPPORT_REFUSED);
    CHECK(of_on("torch_npu.npu_rms_norm_quant_v2", "2.7", "910B3").support == FH_SUPPORT_NATIVE);
    CHECK(of_on("aten::cholesky", "2.13", "910B3").support == FH_SUPPORT_FALLBACK);
    /* gelu.out is asked for by the newest release, gelu was by older ones. */
    CHECK(of_on("torch.nn.functional.gelu", "2.1", "910B3").support == FH_SUPPORT_NATIVE);
    /* acl_op alone: the 950 has no such path. */
    fh_verdict verdict = of_on("aten::lstm_cell", "2.7", "950DT");
    CHECK(verdict.support == FH_SUPPORT_REFUSED && contains(verdict.reason, "acl_op path"));
    CHECK(contains(verdict.reason, "Ascend950DT") && contains(verdict.impact, "fails"));
    verdict = of_on("torch.nn.Linear", "2.13", "310P");
    CHECK(verdict.support == FH_SUPPORT_LIMITED && contains(verdict.limits, "no bfloat16"));
    CHECK(verdict.is_certain && !verdict.impact.length);
    CHECK(of_on("torch.nn.Linear", "2.13", "950DT").support == FH_SUPPORT_NATIVE);
    CHECK(of_on("torch.nn.Linear", "2.1", "910C").support == FH_SUPPORT_NATIVE);
}

static void packages(void)
{
    fh_verdict verdict = of("flash_attn.flash_attn_func");
    CHECK(verdict.support == FH_SUPPORT_REFUSED);
    CHECK(contains(verdict.workaround, "npu_fusion_attention") && verdict.source.length);
    CHECK(is("torchvision.transforms.Resize", FH_SUPPORT_NATIVE));
    CHECK(is("torchvision.ops.roi_align", FH_SUPPORT_FALLBACK));
    CHECK(is("transformers.AutoModel", FH_SUPPORT_NATIVE) ||
          of("transformers.AutoModel").support == FH_SUPPORT_LIMITED);
}

static void synchronising_operators(void)
{
    CHECK(of("torch.nonzero").has_dynamic_shape && of("torch.Tensor.item").reads_data);
    CHECK(of("torch.unique").has_dynamic_shape && !of("torch.matmul").has_dynamic_shape);
}

static void data_types(void)
{
    fh_text why;
    fh_support_query old = {.soc = fh_soc_find(FH_TEXT("310P"))};
    CHECK(fh_support_takes(NULL, FH_TEXT("torch.matmul"), FH_TEXT("torch.float64"), &arena, &why) ==
          FH_DTYPE_REFUSED);
    CHECK(contains(why, "no float64"));
    CHECK(fh_support_takes(NULL, FH_TEXT("torch.nn.Conv2d"), FH_TEXT("double"), &arena, &why) ==
          FH_DTYPE_REFUSED);
    CHECK(fh_support_takes(NULL, FH_TEXT("torch.nn.Conv2d"), FH_TEXT("bfloat16"), &arena, &why) ==
          FH_DTYPE_TAKEN);
    CHECK(fh_support_takes(&old, FH_TEXT("torch.nn.Conv2d"), FH_TEXT("bfloat16"), &arena, &why) ==
          FH_DTYPE_REFUSED);
    CHECK(fh_support_takes(NULL, FH_TEXT("torch.bmm"), FH_TEXT("bfloat16"), &arena, &why) ==
          FH_DTYPE_UNKNOWN); /* not listed, and known to run */
    CHECK(fh_support_takes(NULL, FH_TEXT("torch.bmm"), FH_TEXT("complex64"), &arena, &why) ==
          FH_DTYPE_REFUSED);
    CHECK(fh_support_takes(NULL, FH_TEXT("nobody.knows"), FH_TEXT("float32"), &arena, &why) ==
          FH_DTYPE_UNKNOWN);
    CHECK(fh_support_takes(NULL, FH_TEXT("torch.bmm"), FH_TEXT(""), &arena, &why) ==
          FH_DTYPE_REFUSED);
}

/* Whatever is advised runs on the chip itself. */
static void workarounds_are_native(void)
{
    fh_text rest = {0}, name;
    fh_workaround row;
    unsigned count = 0;
    while (fh_workaround_next(&rest, &row)) {
        fh_text uses = row.uses;
        fh_verdict verdict = fh_support_of(NULL, row.name, &arena);
        count++;
        CHECK(verdict.support == FH_SUPPORT_FALLBACK || verdict.support == FH_SUPPORT_DECOMPOSED ||
              verdict.backward == FH_SUPPORT_FALLBACK || verdict.support == FH_SUPPORT_UNKNOWN);
        CHECK(uses.length && row.advice.length);
        while (fh_text_next(&uses, ' ', &name)) {
            verdict = fh_support_of(NULL, name, &arena);
            bool is_fine = verdict.support == FH_SUPPORT_NATIVE ||
                           verdict.support == FH_SUPPORT_DECOMPOSED ||
                           (verdict.support == FH_SUPPORT_LIMITED && verdict.is_certain);
            if (!is_fine || verdict.backward == FH_SUPPORT_FALLBACK)
                printf("  %.*s advises %.*s: %s, backward %s\n", FH_TEXT_ARGS(row.name),
                       FH_TEXT_ARGS(name), fh_support_name(verdict.support),
                       fh_support_name(verdict.backward));
            CHECK(is_fine && verdict.backward != FH_SUPPORT_FALLBACK);
        }
    }
    CHECK(count > 30);
}

/* Every public name, on every chip, for old and new releases: the parts of a verdict go
 * together. */
static void verdicts_are_whole(void)
{
    static const char *const releases[] = {"2.1", "2.14"};
    static const char *const socs[] = {"310P", "910B3", "950DT"};
    unsigned odd = 0, counts[FH_SUPPORT_COUNT] = {0};
    for (unsigned r = 0; r < 2; r++)
        for (unsigned s = 0; s < 3; s++) {
            fh_support_query query = {.soc = fh_soc_find(fh_text_from(socs[s]))};
            fh_text rest = fh_facts_table(FH_TABLE_API)->rows, row;
            fh_release_get(fh_text_from(releases[r]), &query.release);
            while (fh_table_next(&rest, &row)) {
                fh_arena own = {0};
                fh_verdict v = fh_support_of(&query, fh_table_column(row, 0), &own);
                bool falls = v.support == FH_SUPPORT_FALLBACK;
                bool is_whole =
                    v.reason.length && v.name.length && v.class.length &&
                    (v.source.length || v.support == FH_SUPPORT_UNKNOWN) &&
                    (!falls || (v.fallback.length && v.impact.length)) &&
                    (v.support != FH_SUPPORT_LIMITED || v.limits.length || !v.is_certain) &&
                    (v.support != FH_SUPPORT_NATIVE || !v.impact.length) &&
                    (fh_text_ends(v.reason, ".") || fh_text_ends(v.reason, "?")) &&
                    !fh_text_starts(v.reason, "Nothing is known") && !own.failed;
                if (!is_whole && odd++ < 5)
                    printf("  odd: %.*s %s: %.*s\n", FH_TEXT_ARGS(v.name),
                           fh_support_name(v.support), FH_TEXT_ARGS(v.reason));
                counts[v.support]++;
                fh_arena_free(&own);
            }
        }
    CHECK(odd == 0);
    for (unsigned i = 0; i < FH_SUPPORT_COUNT; i++)
        CHECK(counts[i] > 0);
}

/* Agreement with the classes of given-aten213-class.tsv, made by other means. */
static void given_classes_agree(void)
{
    fh_buffer content = {0};
    fh_table table;
    fh_text row;
    unsigned same = 0, total = 0;
    CHECK(fh_file_read("facts/extracts/given-aten213-class.tsv", 1 << 24, &content) == FH_OK);
    CHECK(fh_table_parse(fh_buffer_text(&content), &table) == FH_OK);
    fh_text rest = table.rows;
    while (fh_table_next(&rest, &row)) {
        fh_text class = fh_table_column(row, 1);
        fh_support_query query = {0};
        fh_release_get(FH_TEXT("2.13"), &query.release);
        fh_verdict verdict = fh_support_of(&query, fh_table_column(row, 0), &arena);
        bool is_native = fh_text_starts(class, "native") || fh_text_is(class, "generic_via_out");
        bool is_fallback = fh_text_starts(class, "cpu_fallback");
        bool agrees = is_native ? verdict.kernels.length || verdict.support <= FH_SUPPORT_LIMITED
                      : is_fallback ? verdict.support == FH_SUPPORT_FALLBACK
                                    : verdict.support != FH_SUPPORT_REFUSED &&
                                          verdict.support != FH_SUPPORT_UNKNOWN;
        total++;
        same += agrees;
    }
    printf("  overloads of torch 2.13: %u of %u agree (%.2f %%)\n", same, total,
           100.0 * same / total);
    CHECK(total > 3000 && same >= total * 0.99);
    fh_buffer_free(&content);
}

/* The name of an API that an OpInfo ("fft.fft", "add:variant") tests. */
static bool find_tested(fh_text opinfo, fh_api *api)
{
    static const char *const fronts[] = {"torch.", "torch.Tensor.", "torch.", "torch.Tensor."};
    char name[200];
    fh_text base = fh_text_slice(opinfo, 0, fh_text_find(opinfo, ':'));
    for (unsigned i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%.*s%s", fronts[i], FH_TEXT_ARGS(base), i < 2 ? "" : "_");
        if (fh_api_find(fh_text_from(name), api) && api->forward.length)
            return true;
    }
    return false;
}

static void compare_opinfo(const char *path)
{
    fh_buffer content = {0};
    fh_text rest, row;
    unsigned same = 0, total = 0, absent = 0;
    fh_support_query query = {0};
    fh_release_get(FH_TEXT("2.13"), &query.release);
    CHECK(fh_file_read(path, 1 << 24, &content) == FH_OK);
    rest = fh_buffer_text(&content);
    while (fh_table_next(&rest, &row)) {
        fh_api api;
        fh_text name = fh_table_column(row, 0);
        if (fh_text_starts(row, "#") || fh_text_is(name, "opinfo"))
            continue;
        if (!find_tested(name, &api)) {
            absent++;
            continue;
        }
        fh_verdict verdict = fh_support_of(&query, api.name, &arena);
        bool given = fh_text_is(fh_table_column(row, 1), "cpu_fallback");
        bool falls = verdict.support == FH_SUPPORT_FALLBACK || !verdict.is_certain;
        total++;
        same += given == (falls && verdict.fallback.length);
    }
    printf("  %s: %u of %u agree on fallback (%.1f %%), %u not traced\n", path, same, total,
           100.0 * same / total, absent);
    CHECK(total > 600 && same >= total * 0.95);
    fh_buffer_free(&content);
}

static void given_opinfo_agrees(void)
{
    fh_buffer path = {0};
    compare_opinfo("facts/extracts/given-opinfo-fallback.tsv");
    if (shared_path("facts/opinfo_fallback.tsv", &path))
        compare_opinfo(path.data);
    fh_buffer_free(&path);
}

static fh_status one_verdict(void *context)
{
    fh_arena own = {0};
    fh_verdict verdict = fh_support_of(NULL, fh_text_from(context), &own);
    fh_status status = own.failed ? FH_NO_MEMORY : FH_OK;
    if (!status) {
        fh_verdict whole = verdict;
        status =
            whole.support == FH_SUPPORT_UNKNOWN && !strstr(context, "nothing") ? FH_INVALID : FH_OK;
    }
    fh_arena_free(&own);
    return status;
}

static void out_of_memory(void)
{
    static char names[][48] = {"torch.nn.Linear",
                               "F.huber_loss",
                               "torch.linalg.pinv",
                               "torch.ops.npu.npu_swiglu",
                               "flash_attn.flash_attn_func",
                               "torch.npu.synchronize",
                               "torch.nothing"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        sweep(one_verdict, names[i]);
}

int main(void)
{
    TEST(common_operators_are_native);
    TEST(views_need_no_kernel);
    TEST(what_falls_back);
    TEST(names_in_all_forms);
    TEST(what_is_not_known);
    TEST(releases_and_chips);
    TEST(packages);
    TEST(synchronising_operators);
    TEST(data_types);
    TEST(workarounds_are_native);
    TEST(verdicts_are_whole);
    TEST(given_classes_agree);
    TEST(given_opinfo_agrees);
    TEST(out_of_memory);
    fh_arena_free(&arena);
    return test_report();
}
