/* Threads of the project's own, and the clock by which they wait. */
#ifndef NCS_BASE_THREAD_H
#define NCS_BASE_THREAD_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* ns, by the monotonic clock, or by another one. */
int64_t ncs_clock(void);
int64_t ncs_clock_of(clockid_t clock);
/* A condition whose timed waits go by this clock. */
void ncs_cond_new(pthread_cond_t *cond);

/* Starts a thread that gets no signals: these are for the program's own threads. thread: NULL = nobody joins it. attr: may be NULL.
 * Returns an error number; 0 = it runs. */
int ncs_thread_start(pthread_t *thread, const pthread_attr_t *attr, void *(*main)(void *arg), void *arg);

#endif
