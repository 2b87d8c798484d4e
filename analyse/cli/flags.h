/* flags.h: the records of flags.def as tables. */
#ifndef FH_CLI_FLAGS_H
#define FH_CLI_FLAGS_H

#include "base/text.h"

#include <limits.h>

typedef enum {
    FH_COMMAND_NONE, /* no command was given */
#define COMMAND(id, ...) FH_COMMAND_##id,
#define FLAG(...)
#include "analyse/cli/flags.def"
#undef COMMAND
#undef FLAG
    FH_COMMAND_COUNT
} fh_command;

// clang-format off
/*    kind        field of fh_options   value */
#define FH_FLAG_KIND_MAP(X) \
    X(SWITCH)     /* bool               none: sets it */ \
    X(SWITCH_OFF) /* bool               none: clears it */ \
    X(HELP)       /* fh_help            none */ \
    X(CHOICE)     /* an enum            one of the words in `argument` */ \
    X(NUMBER)     /* uint32_t           0 or more */ \
    X(COUNT)      /* uint32_t           1 or more */ \
    X(SIZE)       /* uint64_t           bytes, K, M, G or T; 1 or more */ \
    X(MEMORY)     /* uint64_t           the same; less than FH_MEMORY_LIMIT */ \
    X(DEVICES)    /* uint32_t           1 to FH_MOST_DEVICES */ \
    X(TOGGLE)     /* bool               on or 1, off or 0 */ \
    X(FIGURE)     /* double             more than 0; the unit is in `argument` */ \
    X(RELEASE)    /* fh_release         2.13, 2.13.0; the tables must have it */ \
    X(ASCEND)     /* const fh_soc *     an Ascend chip */ \
    X(CHIP)       /* const fh_soc *     any chip or GPU */ \
    X(FILE)       /* const char * */ \
    X(DIRECTORY)  /* const char * */ \
    X(RULES)      /* fh_text_list       ids, beginnings, categories between commas; added */ \
    X(PATTERN)    /* fh_text_list       added whole */ \
    X(OUTPUT)     /* fh_text_list       file, added whole */

#define FH_FLAG_CATEGORY_MAP(X) \
    X(CHIP,     "Chip and versions") \
    X(TARGET,   "What is read") \
    X(FINDINGS, "What is reported") \
    X(OUTPUT,   "Output") \
    X(DEVICE,   "The software Ascend") \
    X(RUNNING,  "Running") \
    X(OTHER,    "Other")
// clang-format on

typedef enum {
#define X(name) FH_FLAG_##name,
    FH_FLAG_KIND_MAP(X)
#undef X
} fh_flag_kind;

typedef enum {
#define X(name, heading) FH_FLAGS_##name,
    FH_FLAG_CATEGORY_MAP(X)
#undef X
        FH_FLAG_CATEGORIES
} fh_flag_category;

/* Texts are never NULL. */
typedef struct {
    const char *name, *other_name, *arguments;
    unsigned least, most; /* of arguments; FH_ANY_NUMBER */
    const char *summary, *text;
} fh_command_record;

enum { FH_ANY_NUMBER = INT_MAX };

typedef struct {
    const char *name, *written; /* "torch", "--torch" */
    char letter;                /* 0: none */
    fh_flag_kind kind;
    size_t field; /* offset in fh_options */
    const char *argument, *initial, *environment;
    fh_flag_category category;
    uint32_t commands; /* bit 1 << fh_command */
    const char *summary, *text;
} fh_flag;

extern const fh_flag fh_flags[];
extern const unsigned fh_flag_count;

/* The record of a command; of FH_COMMAND_NONE one with empty texts. */
const fh_command_record *fh_command_of(fh_command command);

/* The command called `name`, FH_COMMAND_NONE when there is none. */
fh_command fh_command_find(fh_text name);

/* NULL when no flag has that name or letter. */
const fh_flag *fh_flag_find(fh_text name);
const fh_flag *fh_flag_find_letter(char letter);

bool fh_flag_takes_value(const fh_flag *flag);

/* FH_COMMAND_NONE has the flags that all commands have. */
bool fh_flag_belongs(const fh_flag *flag, fh_command command);

const char *fh_flag_category_heading(fh_flag_category category);

/* Steps through the words of a CHOICE: start with *rest = flag->argument as text. */
bool fh_flag_next_choice(fh_text *rest, fh_text *word);

#endif
