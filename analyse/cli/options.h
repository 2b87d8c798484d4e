/* options.h: what the user asked for, checked.
 *
 * Two stages, as in ripgrep: raw.h splits the command line into a command,
 * flags and arguments; fh_options_read makes checked options of them. Later
 * code looks at fh_options only, never at argv or at an environment variable
 * that a flag has.
 *
 * Texts point into argv or the environment, or are static.
 */
#ifndef FH_CLI_OPTIONS_H
#define FH_CLI_OPTIONS_H

#include "analyse/cli/flags.h"
#include "analyse/report/report.h"
#include "facts/release.h"
#include "facts/soc.h"
#include "os/terminal.h"

/* What foothold exits with. */
enum {
    FH_EXIT_OK = 0,
    FH_EXIT_FINDINGS = 1,     /* findings at or above --fail-on */
    FH_EXIT_ERROR = 2,        /* wrong usage, or input that cannot be used */
    FH_EXIT_NOT_RUN = 126,    /* run: its program cannot be run */
    FH_EXIT_NO_PROGRAM = 127, /* run: there is no such program */
    FH_EXIT_SIGNAL = 128,     /* and the number of the signal that stopped it: 130 after Ctrl-C */
};

typedef enum { FH_COLOR_AUTO, FH_COLOR_ALWAYS, FH_COLOR_NEVER } fh_color;

/* In the order of --fail-on's words. */
typedef enum { FH_FAIL_ON_ERROR, FH_FAIL_ON_WARNING, FH_FAIL_ON_NOTE, FH_FAIL_ON_NEVER } fh_fail_on;

typedef enum { FH_HELP_NONE, FH_HELP_SHORT, FH_HELP_LONG } fh_help;

typedef FH_VECTOR(fh_text) fh_text_list;

/* One report to write. */
typedef struct {
    const char *file;               /* NULL: standard output */
    const fh_report_format *format; /* of dump-calls NULL */
} fh_report_output;

typedef struct {
    fh_command command;
    FH_VECTOR(const char *) arguments; /* what stands behind the command; as many as it takes */

    /* What to write: a report on standard output, files, files and a summary, or (with --quiet)
     * nothing. At most one of them goes to standard output. */
    FH_VECTOR(fh_report_output) outputs;

    fh_release torch;
    const fh_soc *soc, *baseline;  /* never NULL */
    double host_tflops, host_gbps; /* 0: as assumed */
    const char *facts;             /* NULL: the one in the configuration directory */
    fh_text_list include, exclude;
    uint64_t max_file_bytes;
    fh_text_list rules; /* ids, beginnings of ids, categories; empty: all */
    const char *accepted, *write_accepted;
    fh_fail_on fail_on;
    uint32_t max_locations; /* UINT32_MAX: all */
    bool apply, list;
    unsigned format;           /* index into fh_report_formats(); look at outputs instead */
    fh_text_list output_files; /* the same */
    bool details;
    fh_color color; /* see fh_options_color */
    bool quiet, progress;
    uint32_t jobs; /* at least 1 */
    bool cache;
    const char *cache_directory; /* NULL: the usual one (os/paths.h) */
    uint32_t devices;            /* of run: 1 to FH_MOST_DEVICES */
    uint64_t memory;             /* 0: the chip's */
    bool isolation;
    fh_help help;
    bool version;
} fh_options;

/* Reads the command line; `options` must be zero, and the caller frees it, also on failure.
 * Nothing is printed, and no file is looked at. Fails with FH_INVALID (the message names the flag,
 * and the nearest spelling where there is one) or FH_NO_MEMORY. `--help` becomes FH_COMMAND_HELP
 * with the command as its argument, `--version` FH_COMMAND_VERSION. */
fh_status fh_options_read(int argc, char *const *argv, fh_options *options);
void fh_options_free(fh_options *options);

typedef enum {
    FH_PARSED_RUN,  /* options->command is to be carried out */
    FH_PARSED_DONE, /* help, version, man page or completion were asked for and are written */
    FH_PARSED_BAD,  /* the message is on standard error: exit with FH_EXIT_ERROR */
} fh_parsed;

/* fh_options_read, and all that needs nothing but the records: prints messages, help, version, man
 * page and completion scripts. */
fh_parsed fh_options_parse(int argc, char *const *argv, fh_options *options);

/* Whether a severity makes the exit code FH_EXIT_FINDINGS. */
bool fh_options_fails(const fh_options *options, fh_severity severity);

/* Whether to write colours there. Files get none, whatever --color says. */
bool fh_options_color(const fh_options *options, fh_output output);

/* Writes "foothold: MESSAGE" and a line feed to standard error, made valid UTF-8. */
void fh_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
