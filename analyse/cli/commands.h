/* commands.h: what each command does. A command returns the exit code. */
#ifndef FH_CLI_COMMANDS_H
#define FH_CLI_COMMANDS_H

#include "analyse/cli/options.h"
#include "analyse/scan/walk.h"

/* The whole program: reads the command line and runs the command. */
int fh_command_main(int argc, char **argv);

int fh_command_analyze(const fh_options *options);
int fh_command_dump_calls(const fh_options *options);
int fh_command_rules(const fh_options *options);
int fh_command_report(const fh_options *options);
int fh_command_fix(const fh_options *options);
int fh_command_ops(const fh_options *options);
int fh_command_soc(const fh_options *options);
int fh_command_facts(const fh_options *options);
int fh_command_doctor(const fh_options *options);
int fh_command_run(const fh_options *options);

/* What the options say of the files to read. */
fh_walk_options fh_command_walk_options(const fh_options *options);

/* Writes each output the options ask for, from one result. FH_EXIT_OK or FH_EXIT_ERROR. */
int fh_command_write_reports(const fh_options *options, const fh_result *result);

/* Of a command that a signal stopped before its end. */
int fh_command_interrupted(void);

/* Writes to standard output. A reader that went away is no error: the program just ends. */
int fh_command_print(fh_text text);

#endif
