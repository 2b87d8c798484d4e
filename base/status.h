/* status.h: how a function of this project fails.
 *
 * A function that can fail returns an fh_status: 0 is success. On failure it
 * has described what happened, to what, and what to do next with fh_error();
 * the text stays readable through fh_error_message() on the same thread until
 * the next failure there. Output parameters are untouched on failure.
 */
#ifndef FH_BASE_STATUS_H
#define FH_BASE_STATUS_H

/*        name            text */
#define FH_STATUS_MAP(X) \
    X(FH_OK, "success") \
    X(FH_NO_MEMORY, "out of memory") \
    X(FH_INVALID, "invalid argument or input") \
    X(FH_NOT_FOUND, "not found") \
    X(FH_IO, "input/output error") \
    X(FH_UNSUPPORTED, "not supported") \
    X(FH_LIMIT, "limit reached") \
    X(FH_INTERRUPTED, "interrupted")

typedef enum {
#define X(name, text) name,
    FH_STATUS_MAP(X)
#undef X
} fh_status;

/* The fixed text of a status, in English; never NULL. */
const char *fh_status_text(fh_status status);

/* Records the message of a failure on this thread (cut at 1,023 bytes) and
 * returns `status`, so that a failing function can say `return fh_error(...)`. */
fh_status fh_error(fh_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The message of the last failure on this thread; "" when there was none. */
const char *fh_error_message(void);

#endif
