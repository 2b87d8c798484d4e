/* shell_programs.h: programs whose calls are settings; for shell_command.c only. */
#ifndef FH_SCAN_SHELL_PROGRAMS_H
#define FH_SCAN_SHELL_PROGRAMS_H

#include "base/text.h"

enum {
    FH_PROGRAM_SILENT = 1,  /* no setting by itself */
    FH_PROGRAM_WRAPS = 2,   /* runs another program that is among its arguments */
    FH_PROGRAM_PIP = 4,     /* `install` is followed by requirements */
    FH_PROGRAM_CONDA = 8,   /* the same, in conda's form */
    FH_PROGRAM_PYTHON = 16, /* -m MODULE counts as a program */
    FH_PROGRAM_SHELL = 32,  /* -c, or a here-document, holds a script */
    FH_PROGRAM_SETS = 64,   /* -e, --env or -x NAME=value */
    FH_PROGRAM_ENV = 128,   /* NAME=value before the program it runs */
    FH_PROGRAM_RUNS = 256,  /* WRAPS only as `name run ...` or `name exec ...` */
};

/* The flags of the program `name` (without its folder); false when it is of no interest. */
bool fh_shell_program(fh_text name, unsigned *flags);

/* Whether `python -m module` is to be known by the module's name. */
bool fh_shell_is_module(fh_text module);

#endif
