/* The wall clock's limit on a run: a thread that interrupts the machine when the time is over, and
 * gives up when that does not bring the run back. No thread exists for a run without a limit. */
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
    bool stopped;               /* under lock: the run came back */
    int64_t limit;              /* wall-clock ns */
    void (*interrupt)(void);
    atomic_bool expired;
};

/* limit 0: does nothing. False and err when there is no thread to be had. */
bool ncs_watch_start(struct run_watch *w, int64_t limit, void (*interrupt)(void),
                     struct ncs_error *err);
void ncs_watch_stop(struct run_watch *w); /* harmless when not started */

#endif
