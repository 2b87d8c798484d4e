/* lock.h: a mutual-exclusion lock. Not recursive; a leaf: hold no two at once. */
#ifndef FH_OS_LOCK_H
#define FH_OS_LOCK_H

typedef struct fh_lock fh_lock;

fh_lock *fh_lock_create(void);       /* NULL when memory ran out */
void fh_lock_destroy(fh_lock *lock); /* NULL is allowed; nobody may hold it */
void fh_lock_take(fh_lock *lock);
void fh_lock_release(fh_lock *lock);

#endif
