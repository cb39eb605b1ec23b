#include "shim/many/server.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread.h"
#include "shim/many/job.h"
#include "sim/kernel/foreign.h"

/* Waits for the next request. False: the process is gone. */
static bool stand_in_hears(struct stand_in *s)
{
    for (;;) {
        int state = atomic_load(&s->wire->state), request = WIRE_REQUEST;
        if (state == WIRE_CLOSED)
            return false;
        if (state == WIRE_REQUEST && atomic_compare_exchange_strong(&s->wire->state, &request, WIRE_SERVED))
            return true;
        if (state != WIRE_REQUEST)
            wire_wait(s->wire, WIRE_MACHINE, (enum wire_state)state);
    }
}

/* A process that ends during its call has closed the wire meanwhile. */
static bool stand_in_answers(struct stand_in *s)
{
    int served = WIRE_SERVED;
    if (!atomic_compare_exchange_strong(&s->wire->state, &served, WIRE_REPLY))
        return false;
    wire_wake(s->wire); /* the client may have gone on already */
    return true;
}

static void *stand_in_main(void *arg)
{
    struct stand_in *s = arg;
    bool left = false;
    s->own = job_thread_number();
    job_add(s);
    while (!left && stand_in_hears(s)) {
        left = !serve_call(s);
        if (left)
            sim_foreign_detach();
        if (!stand_in_answers(s))
            break;
    }
    job_remove(s);
    return NULL;
}

bool stand_in_start(const struct stand_in *given)
{
    struct stand_in *s = ncs_new(sizeof *s);
    *s = *given;
    if ((errno = ncs_thread_start(NULL, NULL, stand_in_main, s)) != 0) {
        ncs_free(s);
        return false;
    }
    return true;
}

/* ---- functions of the program ---- */

void server_run_there(struct server_process *p, const struct wire_run *run)
{
    pthread_mutex_lock(&p->lock);
    while (!p->runner && !p->gone)
        pthread_cond_wait(&p->has_runner, &p->lock);
    struct wire *w = p->runner;
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_lock(&p->runs);
    if (w && !p->gone) {
        w->kind = WIRE_RUN;
        memcpy(w->body, run, sizeof *run);
        wire_set(w, WIRE_REQUEST);
        for (int state; (state = atomic_load(&w->state)) != WIRE_REPLY && state != WIRE_CLOSED;)
            wire_wait(w, WIRE_MACHINE, (enum wire_state)state);
        if (atomic_load(&w->state) == WIRE_REPLY)
            wire_set(w, WIRE_IDLE);
    }
    pthread_mutex_unlock(&p->runs);
}
