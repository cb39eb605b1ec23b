/* The wall-clock limit of a run: a thread interrupts the machine when the time is over, and gives
 * up if the run does not return then. A run without a limit has no such thread. */
#ifndef NCS_RUN_WATCH_H
#define NCS_RUN_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct run_watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool started;
    bool stopped;  /* under lock: the run came back */
    int64_t limit; /* wall-clock ns */
    void (*interrupt)(void);
    atomic_bool expired;
};

/* limit 0: does nothing. Returns false and fills err when no thread can be made. */
bool ncs_watch_start(struct run_watch *w, int64_t limit, void (*interrupt)(void), struct ncs_error *err);
void ncs_watch_stop(struct run_watch *w); /* harmless when not started */

#endif
