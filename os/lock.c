#include "os/lock.h"
#include "base/memory.h"

#include <pthread.h>

struct fh_lock {
    pthread_mutex_t mutex;
};

fh_lock *fh_lock_create(void)
{
    fh_lock *lock = fh_alloc(sizeof *lock);
    if (lock)
        pthread_mutex_init(&lock->mutex, NULL);
    return lock;
}

void fh_lock_destroy(fh_lock *lock)
{
    if (!lock)
        return;
    pthread_mutex_destroy(&lock->mutex);
    fh_free(lock);
}

void fh_lock_take(fh_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
}

void fh_lock_release(fh_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}
