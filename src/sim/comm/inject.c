#include "sim/comm/inject.h"

#include <string.h>

#include "api/journal.h"
#include "api/types.h"
#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/launch.h"
#include "sim/comm/matrix.h"
#include "sim/comm/meeting.h"
#include "sim/cuda/op.h"
#include "sim/kernel/above.h"
#include "sim/kernel/context.h"
#include "sim/kernel/job.h"
#include "sim/kernel/list.h"
#include "sim/kernel/world.h"

struct link {
    const struct gpu *end[2];
    int64_t nanoseconds; /* < 0: cut */
};

struct spoil {
    struct ncs_call *call; /* pinned */
    uint64_t first, count;
};

static struct {
    struct link *link;
    size_t links, links_room;
    struct spoil *spoil;
    size_t spoils, spoils_room;
} injected;

void sim_inject(const struct ncs_injection *what)
{
    struct comm_rank *cr = what->comm ? sim_comm_find((ncclComm_t)what->comm) : NULL;
    sim_matrices_open_all();
    switch (what->kind) {
    case NCS_INJECT_HOST: break;
    case NCS_INJECT_SPOIL:
        ncs_call_pin(what->call);
        NCS_PUSH(injected.spoil, injected.spoils, injected.spoils_room,
                 ((struct spoil){ what->call, what->first, what->count ? what->count : UINT64_MAX }));
        break;
    case NCS_INJECT_LINK:
        if (cr && cr->comm)
            NCS_PUSH(injected.link, injected.links, injected.links_room,
                     ((struct link){ { cr->gpu, cr->comm->member[what->peer]->gpu }, what->nanoseconds }));
        break;
    case NCS_INJECT_ASYNC:
        if (cr && cr->state < COMM_ABORTED)
            cr->async = what->code;
        break;
    }
    sim_world_changed();
}

bool sim_inject_any(void)
{
    return injected.links > 0 || injected.spoils > 0;
}

void sim_inject_free(void)
{
    for (size_t i = 0; i < injected.spoils; i++)
        ncs_call_unpin(injected.spoil[i].call);
    ncs_free(injected.spoil);
    ncs_free(injected.link);
    memset(&injected, 0, sizeof injected);
}

/* ---- links ---- */

/* The rank of a meeting that has the GPU; -1 = none. */
static int injected_rank_in(const struct meeting *meeting, const struct gpu *gpu)
{
    const struct comm *comm = meeting->comm;
    const int pair[2] = { meeting->src, meeting->dst };
    for (int i = 0; i < meeting->expected; i++) {
        int r = meeting->pair ? pair[i] : i;
        if (comm->member[r]->gpu == gpu)
            return r;
    }
    return -1;
}

/* Between hosts the network reports a broken link to its two ends only. */
static void tell_ends(struct comm_rank *a, struct comm_rank *b)
{
    if (a->process->host == b->process->host)
        return;
    a->async = a->async ? a->async : ncclRemoteError;
    b->async = b->async ? b->async : ncclRemoteError;
}

/* Adds a delay without overflow; SLOWEST is the upper limit. */
#define SLOWEST (INT64_MAX / 2)

static int64_t later(int64_t delay, int64_t by)
{
    return by < SLOWEST - delay ? delay + by : SLOWEST;
}

int64_t sim_inject_delay(struct meeting *meeting)
{
    int64_t delay = 0;
    for (size_t i = 0; i < injected.links; i++) {
        const struct link *l = &injected.link[i];
        int end[2] = { injected_rank_in(meeting, l->end[0]), injected_rank_in(meeting, l->end[1]) };
        if (end[0] < 0 || end[1] < 0)
            continue;
        if (l->nanoseconds < 0) {
            meeting->stuck = NCS_STUCK_LINK;
            meeting->cut[0] = end[0] < end[1] ? end[0] : end[1];
            meeting->cut[1] = end[0] < end[1] ? end[1] : end[0];
            tell_ends(meeting->comm->member[end[0]], meeting->comm->member[end[1]]);
            return -1;
        }
        delay = later(delay, l->nanoseconds);
    }
    return delay;
}

int64_t sim_inject_delay_one_sided(const struct part *p)
{
    struct comm_rank *cr = p->cr, *peer = cr->comm->member[p->root];
    int64_t delay = 0;
    for (size_t i = 0; i < injected.links; i++) {
        const struct link *l = &injected.link[i];
        if (!(l->end[0] == cr->gpu && l->end[1] == peer->gpu) && !(l->end[1] == cr->gpu && l->end[0] == peer->gpu))
            continue;
        if (l->nanoseconds < 0) {
            tell_ends(cr, peer);
            return -1;
        }
        delay = later(delay, l->nanoseconds);
    }
    return delay;
}

/* ---- data ---- */

void sim_inject_spoil(const struct part *p, void *to, uint64_t bytes)
{
    for (size_t i = 0; i < injected.spoils && bytes > 0; i++) {
        const struct spoil *s = &injected.spoil[i];
        if (s->call != p->call)
            continue;
        uint64_t size = ncs_dtype_bytes(p->dtype);
        /* The part may be a share of the call's output: an all-to-all receives block by block. */
        const char *output = p->fn == NCS_FN_ncclPutSignal ? to : ncs_call_recvbuff(p->call);
        uint64_t before = (uint64_t)((char *)to - output) / size;
        for (uint64_t k = 0; k < bytes / size; k++) {
            bool chosen = before + k >= s->first && before + k - s->first < s->count;
            for (uint64_t b = 0; chosen && b < size; b++)
                ((unsigned char *)to)[k * size + b] ^= 0xff;
        }
    }
}

/* ---- death ---- */

static void leave_queue(struct queue *queue, struct context *c)
{
    struct context *first = queue->first;
    queue->first = queue->last = NULL;
    for (struct context *next; first; first = next) {
        next = first->next;
        if (first != c)
            QUEUE_APPEND(queue->first, queue->last, first, next);
    }
}

/* The context stops where it is until it is abandoned. It no longer counts as live. */
static void freeze(struct context *c)
{
    leave_queue(&sim_world.ready, c);
    leave_queue(&sim_world.polling, c);
    sim_wait_forget(c);
    if (c->state != CONTEXT_IDLE)
        sim_world.live--;
    c->state = CONTEXT_IDLE;
}

static bool is_at_work(const struct comm_rank *cr)
{
    return cr->last_launch && cr->last_launch->state == OP_ACTIVE;
}

void sim_inject_arrival(const struct part *p)
{
    if (p->cr->lost_peer && !p->cr->async)
        p->cr->async = ncclRemoteError;
}

/* The neighbors in the ring that are on other hosts see their connections end when they next use them. */
static void tell_neighbours(const struct comm_rank *cr)
{
    for (int step = -1; cr->comm && step <= 1; step += 2) {
        struct comm_rank *next = cr->comm->member[(cr->rank + step + cr->nranks) % cr->nranks];
        if (next->process->host == cr->process->host || next->state >= COMM_ABORTED)
            continue;
        next->lost_peer = true;
        if (is_at_work(next) && !next->async)
            next->async = ncclRemoteError;
    }
}

static void tell_of_death(void *value, void *process)
{
    const struct comm_rank *cr = value;
    if (cr->process == process && cr->state < COMM_ABORTED)
        tell_neighbours(cr);
}

/* Stops the jobs that the process's calls began. Ranks that wait for them wait for ever. */
static void give_up_jobs(const struct process *process)
{
    struct job *job = sim_world.job_first;
    while (job) {
        struct job *next = job->next;
        if (job->process == process) {
            sim_job_cancel(job, ncclSystemError);
            next = sim_world.job_first; /* a group takes others along */
        }
        job = next;
    }
}

/* A program from outside is one process, and it goes on: only the thread stops, with its GPU's work that has not begun. */
static void lose_device(const struct context *c)
{
    const struct gpu *gpu = sim_process_gpu(c->process, c->device);
    for (struct op *op = sim_world.op_first; op; op = op->next)
        if (op->launch && op->launch->cr->gpu == gpu)
            sim_launch_withdraw(op->launch);
}

void sim_process_stop(struct process *p, const struct context *except)
{
    struct world *w = &sim_world;
    p->dead = true;
    for (size_t i = 0; i < w->contexts; i++) {
        struct context *c = w->context[i];
        if (c == except || c->process != p || c->state == CONTEXT_ENDED)
            continue;
        freeze(c);
        if (w->options.foreign) /* its thread is gone, or will never return */
            c->state = CONTEXT_ENDED;
    }
    give_up_jobs(p);
    for (struct op *op = w->op_first; op; op = op->next)
        if (op->launch && op->launch->cr->process == p)
            sim_launch_withdraw(op->launch);
    ncs_map_each(&w->comms, tell_of_death, p);
    sim_process_over(p);
    sim_world_changed();
}

void sim_inject_death(struct context *c)
{
    if (sim_world.options.foreign && !c->process->pid)
        lose_device(c);
    else
        sim_process_stop(c->process, c);
}
