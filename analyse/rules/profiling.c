/* The profiling plan: where the program's steps are, and what to add there. */
#include "analyse/rules/gather.h"
#include "analyse/rules/steps.h"

enum { MOST_STEPS = 20 };

static void add_step(const fh_unit *unit, uint32_t function, uint32_t call, const char *kind,
                     fh_result *result)
{
    if (result->steps.count >= MOST_STEPS)
        return;
    fh_step step = {
        .file = unit->path,
        .line = fh_unit_place(unit, unit->calls.items[call].offset).line,
        .function =
            function ? fh_unit_text(unit, unit->functions.items[function].qualified) : (fh_text){0},
        .kind = fh_text_from(kind),
    };
    fh_vector_push(&result->steps, step);
}

/* In the order in which they are listed. */
typedef enum { TRAINING, INFERENCE_LOOP, INFERENCE, KINDS } step_kind;

/* The call to measure in a function, of `kind`; 0: there is none. The step of a trainer may be its
 * loop alone, with the optimiser in another function. */
static uint32_t call_to_measure(const fh_unit *unit, uint32_t function, const fh_step_facts *facts,
                                step_kind kind)
{
    fh_text name = fh_unit_text(unit, unit->functions.items[function].name);
    bool trains =
        fh_step_trains(facts) ||
        (facts->backward && (facts->backward_in_loop || fh_text_contains(name, "training_step")));
    if (kind == TRAINING)
        return trains ? facts->backward : 0;
    if (trains || fh_text_is(name, "__init__") || facts->model_in_loop != (kind == INFERENCE_LOOP))
        return 0;
    return facts->model;
}

static void find_steps(const fh_load *load, fh_result *result)
{
    for (int kind = 0; kind < KINDS; kind++) {
        for (uint32_t i = 0; i < load->program.units.count; i++) {
            const fh_unit *unit = &load->program.units.items[i];
            if (unit->calls.count <= 1)
                continue;
            fh_arena arena = {0};
            const fh_step_facts *facts = fh_steps_find(unit, &arena);
            for (uint32_t f = 0; facts && f < unit->functions.count; f++) {
                uint32_t call = call_to_measure(unit, f, &facts[f], (step_kind)kind);
                if (call)
                    add_step(unit, f, call, kind == TRAINING ? "training" : "inference", result);
            }
            fh_arena_free(&arena);
        }
    }
}

static const char profiler_code[] =
    "import torch_npu\n"
    "\n"
    "experimental = torch_npu.profiler._ExperimentalConfig(\n"
    "    profiler_level=torch_npu.profiler.ProfilerLevel.Level1,\n"
    "    aic_metrics=torch_npu.profiler.AiCMetrics.PipeUtilization,\n"
    ")\n"
    "prof = torch_npu.profiler.profile(\n"
    "    activities=[torch_npu.profiler.ProfilerActivity.CPU, "
    "torch_npu.profiler.ProfilerActivity.NPU],\n"
    "    schedule=torch_npu.profiler.schedule(wait=5, warmup=2, active=3, repeat=1),\n"
    "    on_trace_ready=torch_npu.profiler.tensorboard_trace_handler(\"./profile\"),\n"
    "    record_shapes=True,\n"
    "    experimental_config=experimental,\n"
    ")\n"
    "prof.start()\n"
    "for batch in loader:   # the loop around the step\n"
    "    ...\n"
    "    prof.step()        # after each step\n"
    "prof.stop()\n";

static const char dynamic_code[] =
    "from torch_npu.profiler import dynamic_profile\n"
    "\n"
    "dynamic_profile.init(\"./dynamic_profile\")   # once, before the loop\n"
    "for batch in loader:\n"
    "    ...\n"
    "    dynamic_profile.step()                  # after each step\n";

static const char event_code[] =
    "start, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)\n"
    "for _ in range(10):\n"
    "    operator(*inputs)          # warm up: the first call compiles\n"
    "start.record()\n"
    "for _ in range(100):\n"
    "    operator(*inputs)\n"
    "end.record()\n"
    "torch.npu.synchronize()\n"
    "print(start.elapsed_time(end) / 100, \"ms\")\n";

static void add_plan(fh_result *result, const char *title, fh_text text, const char *language,
                     const char *code, const fh_step *step)
{
    fh_plan_item item = {.title = fh_text_from(title),
                         .text = text,
                         .language = fh_text_from(language),
                         .code = fh_text_from(code)};
    if (step) {
        item.file = step->file;
        item.line = step->line;
    }
    fh_vector_push(&result->plan, item);
}

static fh_text where(const fh_step *step, fh_arena *arena)
{
    fh_buffer text = {0};
    if (step)
        fh_buffer_add_format(&text, "Around the %.*s step at %.*s:%u%s%.*s. ",
                             FH_TEXT_ARGS(step->kind), FH_TEXT_ARGS(step->file), step->line,
                             step->function.length ? " in " : "", FH_TEXT_ARGS(step->function));
    fh_buffer_add_string(&text, "Five steps are skipped, two warm up, three are recorded; open the "
                                "result with MindStudio Insight.");
    fh_text copy = fh_arena_copy(arena, fh_buffer_text(&text));
    fh_buffer_free(&text);
    return copy;
}

/* The heaviest operator, to be timed alone. */
static fh_text single_operator(const fh_result *result, fh_arena *arena)
{
    fh_buffer text = {0};
    for (uint32_t i = 0; i < result->operators.count; i++) {
        const fh_operator *entry = &result->operators.items[i];
        if (entry->category != FH_CATEGORY_COMPUTE || !entry->locations.count)
            continue;
        const fh_location *at = &entry->locations.items[0];
        fh_buffer_add_format(&text, "Start with %.*s (%.*s:%u), with the shapes of your own step. ",
                             FH_TEXT_ARGS(entry->name), FH_TEXT_ARGS(at->file), at->line);
        break;
    }
    fh_buffer_add_string(
        &text, "Events measure time on the device; the wall clock would measure the launch.");
    fh_text copy = fh_arena_copy(arena, fh_buffer_text(&text));
    fh_buffer_free(&text);
    return copy;
}

void fh_gather_profiling(const fh_load *load, const fh_analysis_options *options, fh_result *result)
{
    (void)options;
    find_steps(load, result);
    const fh_step *step = result->steps.count ? &result->steps.items[0] : NULL;
    add_plan(result, "Start small",
             FH_TEXT("Run a few steps with a small batch first: compilation and fallbacks show up "
                     "there, and a profile stays small."),
             "", "", NULL);
    add_plan(result, "Watch the device",
             FH_TEXT("Temperature, power, memory and processes of all devices."), "shell",
             "npu-smi info\n", NULL);
    add_plan(result, "Watch utilisation",
             FH_TEXT("Use of the AI cores, memory and bandwidth of device 0, while the program "
                     "runs: below 50 % the host is the limit."),
             "shell", "npu-smi info -t usages -i 0\n", NULL);
    add_plan(result, "Profile the step", where(step, &result->arena), "python", profiler_code,
             step);
    add_plan(result, "Profile a running job",
             FH_TEXT("dynamic_profile reads ./dynamic_profile/profiler_config.json: change it "
                     "while the job runs, and recording starts."),
             "python", dynamic_code, step);
    add_plan(result, "Time one operator", single_operator(result, &result->arena), "python",
             event_code, NULL);
    add_plan(
        result, "Look below PyTorch",
        FH_TEXT("msprof records CANN and the device around any program, without changes to it."),
        "shell", "msprof --output=./msprof --application=\"python train.py\"\n", NULL);
}
