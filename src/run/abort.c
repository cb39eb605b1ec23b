/* Ends a run on real hardware that did not end by itself. All communicators are aborted at once,
 * each from a thread of its own, because one ncclCommAbort may wait for another. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/mem.h"
#include "base/thread.h"
#include "driver/driver.h"
#include "run/private.h"

#define LOOK_NS 5000000
#define PATIENCE_NS ((int64_t)5 * 1000000000)

/* Shared by its thread and the run; it is never freed before both are done with it. */
struct abortion {
    const struct ncs_api *api;
    ncclComm_t comm;
    int device;
    atomic_bool done;
};

struct abortions {
    struct abortion **of;
    size_t count, room;
};

static void *abort_one(void *arg)
{
    struct abortion *a = arg;
    ncs_driver_follow(a->comm);
    if (a->device >= 0)
        a->api->cudaSetDevice(a->device);
    a->api->ncclCommAbort(a->comm);
    atomic_store(&a->done, true);
    return NULL;
}

static void abort_begin(struct abortions *all, const struct ncs_api *api, const struct ncs_member *m)
{
    struct abortion *a = ncs_new(sizeof *a);
    *a = (struct abortion){ .api = api, .comm = (ncclComm_t)m->handle, .device = m->device };
    if (ncs_thread_start(NULL, NULL, abort_one, a) != 0) {
        ncs_free(a);
        return;
    }
    NCS_PUSH(all->of, all->count, all->room, a);
}

/* A rank inside its initialisation has no handle yet, so there is nothing to abort. */
static void begin_all(struct abortions *all, struct ncs_run *run)
{
    const struct ncs_journal *j = run->journal;
    if (!run->driver->api->ncclCommAbort)
        return;
    for (size_t c = 0; c < j->comms; c++)
        for (int r = 0; r < j->comm[c]->members; r++) {
            const struct ncs_member *m = &j->comm[c]->member[r];
            if (m->handle && !m->gone)
                abort_begin(all, run->driver->api, m);
        }
}

static bool all_done(const struct abortions *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (!atomic_load(&all->of[i]->done))
            return false;
    return true;
}

bool ncs_run_abort(struct ncs_run *run)
{
    const struct ncs_machine *m = run->machine;
    struct abortions all = { 0 };
    int64_t until = ncs_clock() + PATIENCE_NS;
    begin_all(&all, run);
    do
        m->abandon(); /* releases ranks that poll or wait on the host */
    while (m->lingers() && ncs_clock() < until);
    struct timespec pause = { 0, LOOK_NS };
    while (!all_done(&all) && ncs_clock() < until)
        nanosleep(&pause, NULL);
    bool done = all_done(&all) && !m->lingers();
    for (size_t i = 0; done && i < all.count; i++)
        ncs_free(all.of[i]);
    if (done)
        ncs_free(all.of);
    return done;
}
