/* What is kept of a run when memory runs out: the n-th allocation of an analysis fails, alone or
 * with all that follow, for every n; before it a run kept all, behind it one takes what is left. */
#include "analyse/rules/analyse.h"
#include "tests/unit/folder.h"
#include "tests/unit/sweep.h"

/* The file that changes, and two that depend on what it says. */
static const char *const files[][2] = {
    {"program/base.py", "import torch\n"
                        "WIDTH = 8\n"
                        "def device():\n"
                        "    return 'cuda'\n"
                        "class Layer(torch.nn.Module):\n"
                        "    def __init__(self, n=WIDTH):\n"
                        "        super().__init__()\n"
                        "        self.fc = torch.nn.Linear(n, n)\n"
                        "    def forward(self, x):\n"
                        "        return torch.nn.functional.gelu(self.fc(x))\n"},
    {"program/model.py", "import torch\n"
                         "from base import Layer, device\n"
                         "def build(width):\n"
                         "    return Layer(width).to(device())\n"
                         "model = build(16)\n"
                         "print(model(torch.zeros(2, 16).cuda()).sum().item())\n"},
    {"program/place.py", "import torch\n"
                         "from base import device\n"
                         "y = torch.zeros(1).to(device()).cuda()\n"},
    {"program/other.py", "from base import *\n"
                         "x = torch.ones(WIDTH).cuda()\n"},
};
static const char changed[] = "import torch\n"
                              "WIDTH = 24\n"
                              "def device():\n"
                              "    return 'cuda'\n"
                              "class Layer(torch.nn.Module):\n"
                              "    def __init__(self, n=WIDTH):\n"
                              "        super().__init__()\n"
                              "        self.fc = torch.nn.Linear(n, n)\n"
                              "    def forward(self, x):\n"
                              "        return torch.nn.functional.gelu(self.fc(x)).half().cuda()\n";

/* Operators and findings, a line each. */
static void describe(const fh_result *result, fh_buffer *text)
{
    fh_buffer_clear(text);
    for (uint32_t i = 0; i < result->operators.count; i++)
        fh_buffer_add_format(text, "%.*s %u %.0f\n", FH_TEXT_ARGS(result->operators.items[i].name),
                             result->operators.items[i].count,
                             result->operators.items[i].parameters);
    for (uint32_t i = 0; i < result->findings.count; i++) {
        const fh_finding *f = &result->findings.items[i];
        fh_buffer_add_format(text, "%.*s %d %.*s:%u %.*s\n", FH_TEXT_ARGS(f->rule),
                             (int)f->severity, FH_TEXT_ARGS(f->place.file), f->place.line,
                             FH_TEXT_ARGS(f->message));
    }
}

/* A file of many names and values, so that tables have to grow: it depends on base.py. */
static void put_many(void)
{
    enum { MANY = 12 };
    fh_buffer text = {0};
    fh_buffer_add_string(&text, "import torch\nfrom base import Layer, device\n");
    for (int i = 0; i < MANY; i++)
        fh_buffer_add_format(&text,
                             "class M%d(Layer):\n"
                             "    def forward(self, x, k%d=%d):\n"
                             "        y%d = torch.softmax(super().forward(x), dim=k%d)\n"
                             "        return torch.zeros(%d).to(device()) + y%d.cuda()\n"
                             "m%d = M%d().to(device())\n"
                             "print(m%d(torch.ones(%d)).item())\n",
                             i, i, i % 3, i, i, i + 2, i, i, i, i, i);
    fh_buffer_add_char(&text, 0);
    put_file("program/many.py", text.data);
    fh_buffer_free(&text);
}

typedef struct {
    fh_buffer kept;     /* the file as the first run wrote it */
    fh_buffer expected; /* of the program as it is now, without anything that was kept */
} state;

/* Analyses the program with all allocations but those of fh_analyse let through; describes what was
 * found into *found. */
static fh_status analyse(const char *kept, fh_buffer *found)
{
    long left = atomic_load(&sweep_left);
    atomic_store(&sweep_left, LONG_MAX);
    fh_load load = {0};
    fh_result result = {0};
    fh_load_options options = {.jobs = 1, .for_cache = true};
    const char *target = in_folder("program");
    fh_analysis_options analysis = {
        .release = fh_release_default(),
        .soc = fh_soc_default(),
        .baseline = fh_soc_baseline(),
        .jobs = 1,
        .max_locations = 1000,
        .kept = kept,
    };
    fh_cache *cache = fh_cache_open(in_folder("cache"), fh_text_from(target));
    CHECK(fh_load_find(&load, &target, 1, &options) == FH_OK);
    CHECK(fh_load_read(&load, &options, cache) == FH_OK);
    if (kept)
        CHECK(fh_cache_save(cache) == FH_OK);
    atomic_store(&sweep_left, left);
    fh_status status = fh_analyse(&load, &analysis, &result);
    left = atomic_load(&sweep_left);
    atomic_store(&sweep_left, LONG_MAX);
    if (!status)
        describe(&result, found);
    fh_result_free(&result);
    fh_load_free(&load);
    fh_cache_close(cache);
    atomic_store(&sweep_left, left);
    return status;
}

static void put_kept(const fh_buffer *content)
{
    CHECK(fh_file_write_atomic(in_folder("kept"), fh_buffer_text(content)) == FH_OK);
}

static bool equal(const fh_buffer *left, const fh_buffer *right)
{
    bool same = fh_text_equal(fh_buffer_text(left), fh_buffer_text(right));
    if (!same)
        printf("--- found\n%.*s--- expected\n%.*s", FH_TEXT_ARGS(fh_buffer_text(left)),
               FH_TEXT_ARGS(fh_buffer_text(right)));
    return same;
}

static fh_status keep(void *context)
{
    const state *s = context;
    long left = atomic_load(&sweep_left);
    fh_buffer found = {0}, now = {0};
    atomic_store(&sweep_left, LONG_MAX);
    put_kept(&s->kept);
    atomic_store(&sweep_left, left);
    fh_status status = analyse(in_folder("kept"), &found);
    bool failed = atomic_load(&sweep_left) < 0;
    atomic_store(&sweep_left, LONG_MAX);
    CHECK(!status || status == FH_NO_MEMORY);
    if (!status)
        CHECK(equal(&found, &s->expected));
    /* Whatever a run that ran out of memory has kept, the next one finds what there is. */
    CHECK(fh_file_read(in_folder("kept"), 1 << 20, &now) == FH_OK);
    if (!fh_text_equal(fh_buffer_text(&now), fh_buffer_text(&s->kept))) {
        CHECK(analyse(in_folder("kept"), &found) == FH_OK);
        CHECK(equal(&found, &s->expected));
    }
    fh_buffer_free(&found);
    fh_buffer_free(&now);
    return failed ? FH_NO_MEMORY : status;
}

static void running_out_of_memory_keeps_nothing_wrong(void)
{
    state s = {0};
    fh_buffer before = {0};
    make_folder();
    atomic_store(&sweep_left, LONG_MAX);
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
        put_file(files[i][0], files[i][1]);
    put_many();
    CHECK(analyse(in_folder("kept"), &before) == FH_OK);
    CHECK(fh_file_read(in_folder("kept"), 1 << 20, &s.kept) == FH_OK);
    put_file(files[0][0], changed);
    CHECK(analyse(NULL, &s.expected) == FH_OK);
    CHECK(!fh_text_equal(fh_buffer_text(&before), fh_buffer_text(&s.expected)));
    for (int one = 0; one < 2; one++) {
        sweep_one = one;
        long tries = sweep(keep, &s);
        printf("  %ld allocations\n", tries);
        CHECK(tries > 100);
    }
    fh_buffer_free(&before);
    fh_buffer_free(&s.kept);
    fh_buffer_free(&s.expected);
    remove_folder();
}

int main(void)
{
    TEST(running_out_of_memory_keeps_nothing_wrong);
    return test_report();
}
