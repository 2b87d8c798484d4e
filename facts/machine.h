/* machine.h: the versions that are installed on this machine.
 *
 * Nothing is imported: python3 is only asked for its version and its folders, and
 * package metadata, CANN's and the driver's own version files are read as text.
 */
#ifndef FH_FACTS_MACHINE_H
#define FH_FACTS_MACHINE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/vector.h"

typedef struct {
    fh_text name, version; /* as in the package's metadata */
    fh_text path;          /* of that metadata */
} fh_installed;

typedef struct {
    fh_text python;                   /* "3.11.7"; empty when there is no python3 */
    FH_VECTOR(fh_installed) packages; /* those that matter here, by name */
    fh_text cann;                     /* "8.5.0"; empty when none was found */
    fh_text cann_path;                /* its folder */
    bool cann_is_set;                 /* ASCEND_HOME_PATH or ASCEND_TOOLKIT_HOME names it */
    fh_text cann_missing; /* the folder that such a variable names but that is not there */
    fh_text driver;       /* "25.5.0" */
    bool has_npu_smi;
    unsigned devices; /* /dev/davinciN */
    fh_arena arena;
} fh_machine;

/* Where to look; NULL stands for the usual place. For tests. */
typedef struct {
    const char *python;  /* program: python3 */
    const char *root;    /* folder before /usr/local/Ascend and /dev: "" */
    const char *home;    /* value of ASCEND_HOME_PATH or ASCEND_TOOLKIT_HOME */
    const char *npu_smi; /* program: npu-smi */
} fh_machine_places;

/* Looks around; what is not there stays empty and is no failure. The caller frees it with
 * fh_machine_free. Fails with FH_INTERRUPTED, FH_NO_MEMORY. */
fh_status fh_machine_look(const fh_machine_places *places, fh_machine *machine);
void fh_machine_free(fh_machine *machine);

/* The version of an installed package, or empty. */
fh_text fh_machine_package(const fh_machine *machine, const char *name);

#endif
