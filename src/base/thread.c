#include "base/thread.h"

#include <signal.h>

int64_t ncs_clock_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t ncs_clock(void)
{
    return ncs_clock_of(CLOCK_MONOTONIC);
}

void ncs_cond_new(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

int ncs_thread_start(pthread_t *thread, const pthread_attr_t *attr, void *(*main)(void *arg), void *arg)
{
    sigset_t all, before;
    pthread_t own;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(thread ? thread : &own, attr, main, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc == 0 && !thread)
        pthread_detach(own);
    return rc;
}
