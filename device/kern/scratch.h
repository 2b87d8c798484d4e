/* scratch.h: memory that a kernel needs while it runs.
 *
 * Blocks are kept between kernels, so that their pages are touched once and not
 * in every call. They are aligned to 64 bytes and hold what was left in them.
 * Any thread may take and give; a block may be given by another thread.
 */
#ifndef FH_KERN_SCRATCH_H
#define FH_KERN_SCRATCH_H

#include <stddef.h>

/* A block of at least `bytes`; NULL when memory runs out. */
void *fh_scratch_take(size_t bytes);

/* Gives a block back; `block` may be NULL. */
void fh_scratch_give(void *block);

/* Frees what is kept. */
void fh_scratch_trim(void);

#endif
