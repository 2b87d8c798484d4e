/* sweep.h: makes the n-th allocation fail, for n = 0, 1, ... until a function succeeds.
 *
 * After every try, failed or not, everything that was allocated must have been
 * released. Include it once in a test program.
 */
#ifndef FH_TESTS_SWEEP_H
#define FH_TESTS_SWEEP_H

#include "base/memory.h"
#include "base/status.h"
#include "tests/test.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_long sweep_left, sweep_blocks;
static bool sweep_one; /* only the n-th fails; else all from there on do */

static void *sweep_resize(void *block, size_t size)
{
    long left = atomic_fetch_sub(&sweep_left, 1);
    if (left == 0 || (left < 0 && !sweep_one))
        return NULL;
    void *resized = realloc(block, size);
    if (resized && !block)
        atomic_fetch_add(&sweep_blocks, 1);
    return resized;
}

static void sweep_release(void *block)
{
    atomic_fetch_sub(&sweep_blocks, 1);
    free(block);
}

/* Returns how many tries failed. `run` must report a failed allocation with
 * FH_NO_MEMORY, and release everything before it returns. */
static long sweep(fh_status (*run)(void *context), void *context)
{
    static const fh_allocator failing = {sweep_resize, sweep_release};
    fh_status status = FH_NO_MEMORY;
    long tries = 0;
    fh_memory_set_allocator(&failing);
    for (; status == FH_NO_MEMORY && tries < 100000; tries++) {
        atomic_store(&sweep_left, tries);
        atomic_store(&sweep_blocks, 0);
        status = run(context);
        if (atomic_load(&sweep_blocks)) {
            CHECK(!"leaked");
            printf("  %ld blocks when allocation %ld fails\n", atomic_load(&sweep_blocks), tries);
        }
    }
    fh_memory_set_allocator(NULL);
    CHECK(status == FH_OK);
    if (status)
        printf("  %s: %s\n", fh_status_text(status), fh_error_message());
    return tries - 1;
}

#endif
