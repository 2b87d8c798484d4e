/* Several threads multiply at once, and begin at the same moment: a library that shares a buffer
 * between them is found out here (Debian's serial OpenBLAS fails 6 % of these). */
#include "device/kern/blas.h"
#include "os/thread.h"
#include "tests/test.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 96, TIMES = 4000, THREADS = 2 };

static float a[SIZE * SIZE], b[SIZE * SIZE], expected[SIZE * SIZE];
static _Atomic int turn, wrong;
static fh_blas_library library;

static const fh_blas_shape shape = {
    .m = SIZE, .n = SIZE, .k = SIZE, .lda = SIZE, .ldb = SIZE, .ldc = SIZE, .alpha = 1};

static void multiply(void *context)
{
    (void)context;
    float *c = malloc(sizeof expected);
    for (int i = 0; i < TIMES; i++) {
        atomic_fetch_add(&turn, 1);
        while (atomic_load(&turn) < THREADS * (i + 1))
            fh_thread_yield();
        if (!fh_blas_f32_with(library, &shape, a, b, c) ||
            memcmp(c, expected, sizeof expected) != 0)
            atomic_fetch_add(&wrong, 1);
    }
    free(c);
}

static void threads_do_not_share_buffers(void)
{
    for (int i = 0; i < SIZE * SIZE; i++) {
        a[i] = (float)(rand() % 100) * 0.01f;
        b[i] = (float)(rand() % 100) * 0.01f;
    }
    for (int each = 0; each < FH_BLAS_LIBRARIES; each++) {
        library = (fh_blas_library)each;
        if (library == FH_BLAS_ONEDNN && fh_blas_choose(&shape) != FH_BLAS_ONEDNN)
            continue; /* not on this processor */
        atomic_store(&turn, 0);
        CHECK(fh_blas_f32_with(library, &shape, a, b, expected));
        fh_thread *threads[THREADS];
        for (int i = 0; i < THREADS; i++)
            CHECK(fh_thread_start("multiply", multiply, NULL, &threads[i]) == FH_OK);
        for (int i = 0; i < THREADS; i++)
            fh_thread_join(threads[i]);
        CHECK(atomic_load(&wrong) == 0);
    }
}

int main(void)
{
    TEST(threads_do_not_share_buffers);
    return test_report();
}
