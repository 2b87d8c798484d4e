/* cuda.h: from CUDA, C++ and C text to a unit: device code, and what ties it to NVIDIA.
 *
 * The text is read as tokens (cuda_lex.h) and not as a syntax tree: C++ cannot be
 * parsed without its headers, and kernels are written with macros. What is looked
 * for has a form of its own wherever it stands. Everything found is an fh_kernel
 * of the unit, in the order of the offsets.
 *
 * Kernels are counted as they are written: once for each definition, whatever
 * templates or conditional branches make of it. A kernel whose name is a
 * parameter of a macro counts where the macro is used, when that is the same file.
 */
#ifndef FH_SCAN_CUDA_H
#define FH_SCAN_CUDA_H

#include "analyse/scan/program.h"

/* Fills `unit`, fresh from fh_unit_init, from `text` (UTF-8, borrowed for the call).
 * Any text is taken; what was odd becomes notes. Fails with FH_NO_MEMORY, FH_LIMIT
 * from 4 GiB on; the unit is then to be freed. */
fh_status fh_cuda_read(fh_text text, fh_unit *unit);

/* Adds what is in `text` to the kernels of `unit`; offsets count from `base`. */
fh_status fh_cuda_read_embedded(fh_text text, uint32_t base, fh_unit *unit);

/* Reads the inside of every FH_KERNEL_EMBEDDED entry of `unit`, a Python unit that was
 * read from `text`, as CUDA. Escapes and f-string braces count as what they stand for;
 * offsets are those of `text`. The entries stay. */
fh_status fh_cuda_read_strings(fh_text text, fh_unit *unit);

#endif
