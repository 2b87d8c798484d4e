/* simd.h: how an inner loop is written, so that the compiler makes vectors of it.
 *
 * FH_SIMD before a function compiles it for several levels of x86-64; the
 * loader picks the best that the processor has. Elsewhere, and where ifunc and
 * sanitizers do not go together, it is compiled once for the baseline.
 * FH_IVDEP before a loop says that outputs may be inputs, element by element,
 * but never overlap otherwise. FH_INLINE is for what loops call.
 */
#ifndef FH_KERN_SIMD_H
#define FH_KERN_SIMD_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FH_SIMD __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define FH_SIMD
#endif

#ifdef __clang__
#define FH_IVDEP /* its pragma would warn wherever a loop stays scalar; it checks at run time \
                    instead */
#else
#define FH_IVDEP _Pragma("GCC ivdep")
#endif

#define FH_INLINE static inline __attribute__((always_inline, unused))

#endif
