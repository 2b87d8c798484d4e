/* shell.h: from shell text (sh, bash, Slurm scripts, %%bash cells, RUN of a Dockerfile) to
 * settings.
 *
 * Not a shell: words are found with all their quoting, here-documents, substitutions
 * and arrays, and put together to commands; nothing is expanded, "$X" stays "$X".
 * All branches and function bodies count. See config.h for what becomes a setting.
 */
#ifndef FH_SCAN_SHELL_H
#define FH_SCAN_SHELL_H

#include "analyse/scan/program.h"

/* Reads `text` into `unit`, whose positions are there already; offsets count from
 * `base`, or all are `base` when `is_fixed`. Fails with FH_NO_MEMORY. */
fh_status fh_shell_settings(fh_text text, uint32_t base, bool is_fixed, fh_unit *unit);

#endif
