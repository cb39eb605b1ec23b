#include "run/watch.h"

#include <errno.h>
#include <time.h>

#include "base/thread.h"
#include "run/run.h"

/* The time in which an interrupted run must return. */
#define GRACE_NS ((int64_t)2 * 1000000000)

void (*ncs_run_stuck)(void);

static struct timespec run_watch_after(int64_t nanoseconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)(nanoseconds / 1000000000);
    t.tv_nsec += (long)(nanoseconds % 1000000000);
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* Call with the lock held. True when the run returned before the time was over. */
static bool came_back(struct run_watch *w, int64_t nanoseconds)
{
    struct timespec until = run_watch_after(nanoseconds);
    int rc = 0;
    while (!w->stopped && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&w->changed, &w->lock, &until);
    return w->stopped;
}

static void *watch_run(void *arg)
{
    struct run_watch *w = arg;
    pthread_mutex_lock(&w->lock);
    bool in_time = came_back(w, w->limit);
    if (!in_time) {
        atomic_store(&w->expired, true);
        w->interrupt();
        in_time = came_back(w, GRACE_NS);
    }
    pthread_mutex_unlock(&w->lock);
    if (!in_time && ncs_run_stuck)
        ncs_run_stuck();
    return NULL;
}

bool ncs_watch_start(struct run_watch *w, int64_t limit, void (*interrupt)(void), struct ncs_error *err)
{
    if (limit <= 0)
        return true;
    w->limit = limit;
    w->interrupt = interrupt;
    ncs_cond_new(&w->changed);
    pthread_mutex_init(&w->lock, NULL);

    if (ncs_thread_start(&w->thread, NULL, watch_run, w) != 0) {
        pthread_cond_destroy(&w->changed);
        pthread_mutex_destroy(&w->lock);
        return ncs_fail(err, NCS_NO_MEMORY, "no thread to watch the time limit");
    }
    w->started = true;
    return true;
}

void ncs_watch_stop(struct run_watch *w)
{
    if (!w->started)
        return;
    pthread_mutex_lock(&w->lock);
    w->stopped = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    w->started = false;
}
