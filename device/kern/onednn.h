/* onednn.h: oneDNN's functions, found when first needed.
 *
 * libtorch_cpu carries another oneDNN, some of whose inner C++ names it exports: linked the usual
 * way, ours would run into them (measured: dnnl_sgemm of 2.6.3 fails in a process with torch
 * 2.13.0). So the library is opened apart from the rest of the process, with the OpenMP that it
 * uses. Include this instead of <dnnl.h>, and add the functions that you call to the map; calls are
 * written as ever.
 */
#ifndef FH_KERN_ONEDNN_H
#define FH_KERN_ONEDNN_H

#include <dnnl.h>
#include <stdbool.h>

/* OpenMP's, declared here because clang has its header in a package of its own. */
int omp_get_max_threads(void);
void omp_set_num_threads(int threads);

#define FH_ONEDNN_MAP(X) \
    X(omp_get_max_threads) \
    X(omp_set_num_threads) \
    X(dnnl_sgemm)

typedef struct {
#define X(name) __typeof__(name) *name;
    FH_ONEDNN_MAP(X)
#undef X
} fh_onednn_functions;

/* Whether the library is there; the first call opens it. Nothing below may be called before. */
bool fh_onednn_ready(void);

extern fh_onednn_functions fh_onednn;

/* OpenMP's functions are not renamed: the process may have another OpenMP beside oneDNN's. */
#ifndef FH_ONEDNN_PLAIN /* for onednn.c, which needs the names themselves */
#define dnnl_sgemm fh_onednn.dnnl_sgemm
#endif

#endif
