#include "analyse/scan/shell_programs.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned flags;
} programs[] = {
    /* start training or serving */
    {"torchrun", 0},
    {"accelerate", 0},
    {"accelerate-launch", 0},
    {"deepspeed", 0},
    {"ds", 0},
    {"horovodrun", FH_PROGRAM_WRAPS | FH_PROGRAM_SETS},
    {"mpirun", FH_PROGRAM_WRAPS | FH_PROGRAM_SETS},
    {"mpiexec", FH_PROGRAM_WRAPS | FH_PROGRAM_SETS},
    {"orterun", FH_PROGRAM_WRAPS | FH_PROGRAM_SETS},
    {"srun", FH_PROGRAM_WRAPS},
    {"sbatch", FH_PROGRAM_SHELL},
    {"salloc", FH_PROGRAM_WRAPS},
    {"lightning", 0},
    {"torchx", 0},
    {"colossalai", 0},
    {"ray", 0},
    {"vllm", 0},
    {"llamafactory-cli", 0},
    {"tune", 0},
    {"composer", 0},
    /* profilers, debuggers and tools of NVIDIA */
    {"nsys", FH_PROGRAM_WRAPS},
    {"ncu", FH_PROGRAM_WRAPS},
    {"nv-nsight-cu-cli", FH_PROGRAM_WRAPS},
    {"nvprof", FH_PROGRAM_WRAPS},
    {"nvidia-smi", 0},
    {"nvidia-cuda-mps-control", 0},
    {"nvcc", 0},
    {"compute-sanitizer", FH_PROGRAM_WRAPS},
    {"cuda-memcheck", FH_PROGRAM_WRAPS},
    {"cuda-gdb", FH_PROGRAM_WRAPS},
    {"dcgmi", 0},
    /* packages */
    {"pip", FH_PROGRAM_PIP},
    {"pip3", FH_PROGRAM_PIP},
    {"uv", FH_PROGRAM_PIP | FH_PROGRAM_RUNS},
    {"conda", FH_PROGRAM_CONDA | FH_PROGRAM_RUNS},
    {"mamba", FH_PROGRAM_CONDA | FH_PROGRAM_RUNS},
    {"micromamba", FH_PROGRAM_CONDA | FH_PROGRAM_RUNS},
    {"poetry", FH_PROGRAM_RUNS},
    {"apt", 0},
    {"apt-get", 0},
    {"module", 0},
    {"ml", 0},
    /* containers */
    {"docker", FH_PROGRAM_RUNS | FH_PROGRAM_SETS},
    {"nvidia-docker", FH_PROGRAM_RUNS | FH_PROGRAM_SETS},
    {"podman", FH_PROGRAM_RUNS | FH_PROGRAM_SETS},
    {"apptainer", FH_PROGRAM_RUNS | FH_PROGRAM_SETS},
    {"singularity", FH_PROGRAM_RUNS | FH_PROGRAM_SETS},
    {"enroot", FH_PROGRAM_RUNS | FH_PROGRAM_SETS},
    /* programs that run another one */
    {"env", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS | FH_PROGRAM_ENV},
    {"sudo", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS | FH_PROGRAM_ENV},
    {"nohup", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"exec", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"command", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"eval", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS | FH_PROGRAM_SHELL},
    {"time", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"timeout", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"nice", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"ionice", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"numactl", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"taskset", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"stdbuf", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"setsid", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"xargs", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"watch", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS},
    {"ssh", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS | FH_PROGRAM_SHELL},
    {"pdsh", FH_PROGRAM_SILENT | FH_PROGRAM_WRAPS | FH_PROGRAM_SHELL},
    {"bash", FH_PROGRAM_SILENT | FH_PROGRAM_SHELL},
    {"sh", FH_PROGRAM_SILENT | FH_PROGRAM_SHELL},
    {"zsh", FH_PROGRAM_SILENT | FH_PROGRAM_SHELL},
};

static bool is_python(fh_text name)
{
    if (fh_text_starts(name, "$")) /* $PYTHON, ${PYTHON_BIN} */
        return fh_text_contains(name, "PYTHON") && !fh_text_contains(name, "PATH");
    if (!fh_text_starts(name, "python"))
        return false;
    for (size_t i = strlen("python"); i < name.length; i++)
        if (name.data[i] != '.' && (name.data[i] < '0' || name.data[i] > '9'))
            return false;
    return true;
}

bool fh_shell_program(fh_text name, unsigned *flags)
{
    if (is_python(name)) {
        *flags = FH_PROGRAM_PYTHON;
        return true;
    }
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (name.length && name.data[0] == programs[i].name[0] &&
            fh_text_is(name, programs[i].name)) {
            *flags = programs[i].flags;
            return true;
        }
    return false;
}

bool fh_shell_is_module(fh_text module)
{
    static const char *const names[] = {
        "torch.distributed.launch",          "torch.distributed.run",
        "accelerate.commands.launch",        "deepspeed.launcher.runner",
        "deepspeed.launcher.launch",         "torch.utils.bottleneck",
        "vllm.entrypoints.openai.api_server"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fh_text_is(module, names[i]))
            return true;
    return false;
}
