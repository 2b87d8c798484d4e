/* handle.h: what clients hold of us.
 *
 * The ABI hands out void pointers and gets them back from anywhere: an event as
 * a stream, one that was destroyed, or no handle at all. So every kind of
 * handle lives in slots of a range of its own, and a pointer is a handle when it
 * is the start of a live slot there: a wild one is told without being read.
 *
 * A slot's memory stays mapped for ever, so a late look at a destroyed handle
 * sees that it is none, or another of the same kind that took its place. Any
 * thread may call any function here; none takes a lock.
 */
#ifndef FH_RT_HANDLE_H
#define FH_RT_HANDLE_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*    enumerator            name in messages     log2 of a slot's bytes, of slots at most */
#define FH_HANDLE_MAP(X) \
    X(FH_HANDLE_CONTEXT, "context", 8, 12) \
    X(FH_HANDLE_STREAM, "stream", 8, 16) \
    X(FH_HANDLE_EVENT, "event", 7, 20) \
    X(FH_HANDLE_TENSOR, "aclTensor", 8, 20) \
    X(FH_HANDLE_SCALAR, "aclScalar", 6, 18) \
    X(FH_HANDLE_ARRAY, "array or list", 9, 18) \
    X(FH_HANDLE_DESCRIPTION, "aclTensorDesc", 9, 16) \
    X(FH_HANDLE_BUFFER, "aclDataBuffer", 5, 16) \
    X(FH_HANDLE_ATTRIBUTES, "aclopAttr", 4, 16) \
    X(FH_HANDLE_CALL, "aclOpExecutor", 12, 16) \
    X(FH_HANDLE_PHYSICAL, "physical memory", 5, 20)

typedef enum {
#define X(name, text, slot, slots) name,
    FH_HANDLE_MAP(X)
#undef X
        FH_HANDLE_KINDS
} fh_handle_kind;

/* The first member of whatever is a handle. */
typedef struct {
    _Atomic uint32_t live; /* 1 while the slot is somebody's */
    _Atomic uint32_t next; /* of a free slot: the next one's number plus 1 */
} fh_handle;

/* A slot of that kind, at least `size` bytes (checked), of which only the head is set. Fails with
 * FH_LIMIT when there are no more, FH_NO_MEMORY; then it returns NULL. */
void *fh_handle_take(fh_handle_kind kind, size_t size);

/* Gives a slot back; false when it was not live: somebody else has just done so. */
bool fh_handle_give(fh_handle_kind kind, void *handle);

/* Whether a pointer is a live handle of that kind. NULL is none. */
bool fh_handle_is(fh_handle_kind kind, const void *handle);

/* The name of the kind that a pointer is a handle of, for messages: "an event", "no handle". */
const char *fh_handle_name(const void *handle);

/* Live handles of a kind. */
uint32_t fh_handle_count(fh_handle_kind kind);

#endif
