#include "sim/comm/group_job.h"

#include <stdlib.h>

#include "api/journal.h"
#include "base/mem.h"
#include "sim/comm/check.h"
#include "sim/comm/comm.h"
#include "sim/comm/contact.h"
#include "sim/comm/launch.h"
#include "sim/comm/matrix.h"
#include "sim/comm/round.h"
#include "sim/comm/snapshot.h"
#include "sim/comm/composed.h"
#include "sim/cuda/capture.h"
#include "sim/cuda/stream.h"
#include "sim/kernel/choose.h"
#include "sim/kernel/context.h"
#include "sim/kernel/job.h"
#include "sim/kernel/world.h"

/* The parts of one rank of one communicator, in issue order. */
struct share {
    struct comm_rank *cr;
    struct part **part;
    size_t parts;
};

struct group_job {
    struct job job;
    struct job **child;
    size_t children;
    struct part **part; /* sorted by share */
    size_t parts;
    struct share *share;
    size_t shares;
    struct part *only_part;  /* room for the usual group: one call */
    struct share only_share; /* of one communicator */
    const struct context *by;
    bool entered;
    size_t met;                      /* parts before this one are in contact, for good */
    const struct part *missing_part; /* the part whose contact or round it waits for now */
    size_t launched;                 /* shares before this one are launched, and their parts gone */
    bool in_round;
};

static bool child_failed(const struct group_job *g, int *rc)
{
    for (size_t i = 0; i < g->children; i++)
        if (g->child[i]->done && g->child[i]->rc != ncclSuccess) {
            *rc = g->child[i]->rc;
            return true;
        }
    return false;
}

static bool children_done(const struct group_job *g)
{
    for (size_t i = 0; i < g->children; i++)
        if (!g->child[i]->done)
            return false;
    return true;
}

static bool parts_in_contact(struct group_job *g)
{
    if (!g->entered) {
        g->entered = true;
        for (size_t s = 0; s < g->shares; s++)
            sim_contact_enter(g->share[s].part, g->share[s].parts);
        sim_world_changed();
    }
    for (; g->met < g->parts; g->met++)
        if (!sim_contact_is_met(g->part[g->met])) {
            g->missing_part = g->part[g->met];
            sim_job_listen(&g->job, sim_contact_gate(g->missing_part));
            return false;
        }
    g->missing_part = NULL;
    return true;
}

/* A non-blocking communicator shows the result as its state. */
static void publish(struct group_job *g, int rc)
{
    for (size_t i = 0; i < g->children; i++)
        sim_comm_settle(g->child[i]->about, rc);
    for (size_t s = 0; s < g->shares; s++) {
        struct comm_rank *cr = g->share[s].cr;
        if (cr->job != &g->job)
            continue; /* aborted meanwhile, or blocking */
        sim_comm_settle(cr, rc);
        cr->job = NULL;
        sim_job_unref(&g->job);
    }
}

static void give_up(struct group_job *g)
{
    for (size_t i = 0; i < g->children; i++)
        sim_job_cancel(g->child[i], ncclInternalError);
    publish(g, g->job.rc);
}

/* True if the communicator was destroyed or aborted in this group, or meanwhile by another thread.
 * The real library would touch freed memory. */
static bool lost_comm(const struct group_job *g)
{
    for (size_t s = 0; s < g->shares; s++)
        if (g->share[s].cr->state >= COMM_ABORTED)
            return true;
    return false;
}

/* True if a capture has ended, begun or failed since the call, which only another thread, or the host after a call that
 * did not block, can bring about. */
static bool lost_capture(const struct group_job *g)
{
    for (size_t s = g->launched; s < g->shares; s++)
        for (size_t i = 0; i < g->share[s].parts; i++) {
            const struct part *p = g->share[s].part[i];
            if (p->capture != (p->stream->capture ? p->stream->capture->id : 0))
                return true;
        }
    return false;
}

/* The comparison of buffers under NCCL_CHECK_MODE=DEBUG_GLOBAL. It continues after a difference,
 * because asking also removes the records of the ranks. */
static bool buffers_agree(const struct group_job *g)
{
    bool agree = true;
    for (size_t s = 0; s < g->shares; s++) {
        const struct comm_rank *cr = g->share[s].cr;
        uint32_t nth = cr->entered;
        for (size_t i = g->share[s].parts; cr->checks == CHECK_GLOBAL && i-- > 0;)
            if (!sim_part_is_pair(g->share[s].part[i]) && !sim_part_is_composed(g->share[s].part[i]) &&
                !sim_part_is_one_sided(g->share[s].part[i]) && !sim_check_alike(g->share[s].part[i], nth--))
                agree = false;
    }
    if (!agree)
        sim_explain_call(g->job.call, false, "the ranks' buffers lie at different places of symmetric memory");
    return agree;
}

/* Parts that no launch owns yet. */
static size_t parts_left(const struct group_job *g)
{
    size_t parts = 0;
    for (size_t s = g->launched; s < g->shares; s++)
        parts += g->share[s].parts;
    return parts;
}

/* Launches the communicator's next shares together, as NCCL does. */
static size_t end_of_round(const struct group_job *g)
{
    size_t s = g->launched;
    while (s < g->shares && g->share[s].cr->comm == g->share[g->launched].cr->comm)
        s++;
    return s;
}

/* Acquires the streams of this round. False: launches of other threads go on first. */
static bool begin_round(struct group_job *g, size_t end)
{
    bool contended = false;
    g->in_round = true;
    for (size_t s = g->launched; s < end; s++)
        contended |= sim_round_begin(g->share[s].cr, g->by);
    if (!contended || sim_choose(CHOOSE_RACE, 2) == 0)
        return true;
    sim_job_at(&g->job, sim_world.now + 1); /* contexts that are ready go first */
    return false;
}

static bool round_is_met(struct group_job *g, size_t end)
{
    for (size_t s = g->launched; s < end; s++)
        if (sim_round_missing(g->share[s].cr, 0) >= 0) {
            g->missing_part = g->share[s].part[0];
            sim_job_listen(&g->job, &g->share[s].cr->comm->met);
            return false;
        }
    g->missing_part = NULL;
    return true;
}

static void end_round(struct group_job *g, size_t end)
{
    for (; g->launched < end; g->launched++) {
        const struct share *s = &g->share[g->launched];
        sim_launch_enqueue(s->cr, s->part, s->parts);
        int rc = sim_round_end(s->cr, g->by);
        g->job.rc = g->job.rc ? g->job.rc : rc;
    }
    g->in_round = false;
}

static bool launch_all(struct group_job *g)
{
    while (g->launched < g->shares) {
        size_t end = end_of_round(g);
        if (!g->in_round && !begin_round(g, end))
            return false;
        if (!round_is_met(g, end))
            return false;
        end_round(g, end);
    }
    return true;
}

static bool step_group(struct job *job)
{
    struct group_job *g = (struct group_job *)job;
    if (child_failed(g, &job->rc)) {
        give_up(g);
        return true;
    }
    if (!children_done(g))
        return false;
    if (lost_comm(g)) {
        job->rc = ncclInvalidArgument;
        give_up(g);
        return true;
    }
    if (!parts_in_contact(g))
        return false;
    if (!buffers_agree(g)) {
        job->rc = ncclInvalidArgument;
        give_up(g);
        return true;
    }
    if (lost_capture(g)) {
        job->rc = ncclUnhandledCudaError;
        give_up(g);
        return true;
    }
    if (!launch_all(g))
        return false;
    publish(g, g->job.rc);
    return true;
}

static void cancel_group(struct job *job)
{
    give_up((struct group_job *)job);
}

static void free_group(struct job *job)
{
    struct group_job *g = (struct group_job *)job;
    for (size_t i = g->parts - parts_left(g); i < g->parts; i++)
        sim_part_free(g->part[i]);
    for (size_t i = 0; i < g->children; i++) {
        g->child[i]->parent = NULL;
        sim_job_unref(g->child[i]);
    }
    for (size_t s = 0; s < g->shares; s++)
        sim_comm_let_go(g->share[s].cr);
    ncs_free(g->child);
    if (g->part != &g->only_part)
        ncs_free(g->part);
    if (g->share != &g->only_share)
        ncs_free(g->share);
}

/* The peers with which the call has met in neither direction. */
static void describe_composed(const struct group_job *g, struct ncs_snap_job *out, struct ncs_snapshot *snapshot)
{
    int last = -1;
    sim_snapshot_contact(g->missing_part, out, snapshot);
    for (int r = 0; r < g->missing_part->cr->nranks && sim_part_is_matrix(g->missing_part); r++)
        if (!sim_contact_is_met_by(g->missing_part, r))
            sim_snapshot_missing(out, snapshot, r);
    for (size_t i = 0; i < g->parts; i++) {
        const struct part *p = g->part[i];
        if (sim_part_is_pair(p) && p->composed == g->missing_part->composed && p->root != last && !sim_contact_is_met(p))
            sim_snapshot_missing(out, snapshot, last = p->root);
    }
}

static void describe_group(const struct job *job, struct ncs_snap_job *out, struct ncs_snapshot *snapshot)
{
    const struct group_job *g = (const struct group_job *)job;
    if (g->missing_part && g->in_round)
        sim_snapshot_round(g->missing_part, out, snapshot);
    else if (g->missing_part && sim_part_is_composed(g->missing_part))
        describe_composed(g, out, snapshot);
    else if (g->missing_part)
        sim_snapshot_contact(g->missing_part, out, snapshot);
    else
        sim_snapshot_children(g->child, g->children, out, snapshot);
}

static const struct job_type group_type = {
    .kind = NCS_JOB_GROUP,
    .bytes = sizeof(struct group_job),
    .step = step_group,
    .cancel = cancel_group,
    .free = free_group,
    .describe = describe_group,
};

struct part *const *sim_group_job_parts(const struct job *job, size_t *count)
{
    const struct group_job *g = (const struct group_job *)job;
    *count = job->type == &group_type ? parts_left(g) : 0;
    return *count ? g->part + g->parts - *count : NULL;
}

static bool involves(const struct group_job *g, const struct comm_rank *cr)
{
    for (size_t s = 0; s < g->shares; s++)
        if (sim_comm_is_kin(g->share[s].cr, cr))
            return true;
    return false;
}

void sim_groups_cancel(const struct comm_rank *cr, const struct job *but, int rc)
{
    for (struct job *job = sim_world.job_first, *next; job; job = next) {
        next = job->next;
        if (job != but && job->type == &group_type && involves((struct group_job *)job, cr))
            sim_job_cancel(job, rc);
    }
}

static int by_comm(const void *a, const void *b)
{
    const struct comm_rank *x = ((const struct share *)a)->cr, *y = ((const struct share *)b)->cr;
    if (x->comm->serial != y->comm->serial)
        return x->comm->serial < y->comm->serial ? -1 : 1;
    return x->rank - y->rank;
}

/* Sorts the parts by (communicator, rank), the same order on all ranks, keeping the issue order
 * within each. */
static void make_shares(struct group_job *g, const struct group *from)
{
    g->part = from->parts > 1 ? ncs_new(from->parts * sizeof(struct part *)) : &g->only_part;
    g->share = from->parts > 1 ? ncs_new(from->parts * sizeof *g->share) : &g->only_share;
    for (size_t i = 0; i < from->parts; i++) {
        struct comm_rank *cr = from->part[i]->cr;
        if (cr->queued++ > 0)
            continue;
        g->share[g->shares++].cr = cr;
        sim_comm_hold(cr);
    }
    if (g->shares > 1)
        qsort(g->share, g->shares, sizeof *g->share, by_comm);
    for (size_t s = 0; s < g->shares; s++) {
        struct comm_rank *cr = g->share[s].cr;
        g->share[s].part = cr->share = g->part + g->parts;
        g->parts += g->share[s].parts = cr->queued;
        cr->queued = 0;
    }
    for (size_t i = 0; i < from->parts; i++)
        *from->part[i]->cr->share++ = from->part[i];
}

static void begin_progress(struct group_job *g)
{
    for (size_t i = 0; i < g->children; i++)
        if (!g->child[i]->about->blocking)
            g->child[i]->about->async = ncclInProgress;
    for (size_t s = 0; s < g->shares; s++) {
        struct comm_rank *cr = g->share[s].cr;
        if (cr->blocking)
            continue; /* the last communicator decided that no host waits */
        cr->async = ncclInProgress;
        sim_job_unref(cr->job);
        cr->job = &g->job;
        sim_job_ref(&g->job);
    }
}

struct job *sim_group_job_new(struct context *by, const struct group *from, bool blocking)
{
    struct group_job *g = (struct group_job *)sim_job_new(&group_type);
    make_shares(g, from);
    g->by = by;
    g->child = from->job;
    g->children = from->jobs;
    for (size_t i = 0; i < g->children; i++)
        g->child[i]->parent = &g->job;
    if (!blocking)
        begin_progress(g);
    return &g->job;
}

void sim_group_job_start(struct job *job)
{
    struct group_job *g = (struct group_job *)job;
    for (size_t i = 0; i < g->children; i++)
        sim_job_start(g->child[i]);
    sim_job_start(job);
}
