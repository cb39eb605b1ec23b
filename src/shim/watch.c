/* The time limit. Threads that wait or poll in a call look at the time themselves (sim_foreign_idle), but a program may be in no
 * call at all: a thread of its own looks, too. */
#define _GNU_SOURCE /* syscall */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/quantity.h"
#include "base/thread.h"
#include "shim/shim.h"

/* Between two looks, WATCH_PARTS of the limit pass, and no more than WATCH_NS_MOST. */
#define WATCH_PARTS 8
#define WATCH_NS_LEAST ((int64_t)1000000)
#define WATCH_NS_MOST ((int64_t)250000000)

static int64_t watch_limit; /* ns */
static atomic_int watch_thread;

bool ncs_shim_is_watch(pid_t thread)
{
    return atomic_load(&watch_thread) == thread;
}

static void *watch_main(void *arg)
{
    int64_t pause = watch_limit / WATCH_PARTS, began = ncs_clock();
    pause = pause < WATCH_NS_LEAST ? WATCH_NS_LEAST : pause > WATCH_NS_MOST ? WATCH_NS_MOST : pause;
    atomic_store(&watch_thread, (int)syscall(SYS_gettid));
    prctl(PR_SET_NAME, NCS_SHIM_WATCH_NAME);
    do
        nanosleep(&(struct timespec){ .tv_nsec = (long)pause }, NULL);
    while (ncs_shim_look_at_time(ncs_clock() - began, watch_limit));
    return arg;
}

/* Runs when the loader maps the library. */
__attribute__((constructor)) static void begin_watch(void)
{
    const char *text = getenv("NCCLSCRIPT_TIMEOUT");
    if (!text || !ncs_parse_duration(text, &watch_limit) || watch_limit <= 0)
        return;
    bool begins = ncs_thread_start(NULL, NULL, watch_main, NULL) == 0;
    while (begins && !atomic_load(&watch_thread)) /* a thread that begins may hold locks: the program could fork now */
        sched_yield();
}
