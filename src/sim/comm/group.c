#include "sim/comm/group.h"

#include <stdlib.h>

#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/contact.h"
#include "sim/comm/group_job.h"
#include "sim/comm/launch.h"
#include "sim/comm/matrix.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/stream.h"
#include "sim/kernel/context.h"
#include "sim/kernel/job.h"
#include "sim/kernel/world.h"

void sim_group_clear(struct group *g)
{
    for (size_t i = 0; i < g->parts; i++)
        sim_part_free(g->part[i]);
    for (size_t i = 0; i < g->jobs; i++) {
        sim_job_cancel(g->job[i], g->error ? g->error : ncclInternalError);
        sim_job_unref(g->job[i]);
    }
    ncs_free(g->part);
    ncs_free(g->job);
    *g = (struct group){ .depth = g->depth };
}

void sim_group_begin(struct context *c)
{
    c->group.depth++;
}

void sim_group_add_part(struct context *c, struct part *part)
{
    struct group *g = &c->group;
    NCS_PUSH(g->part, g->parts, g->parts_room, part);
    g->mode = part->cr->blocking ? GROUP_WAITS : GROUP_GOES_ON;
}

int sim_group_add_job(struct context *c, struct job *job, const struct comm_rank *mode)
{
    struct group *g = &c->group;
    enum group_mode wanted = !mode || mode->blocking ? GROUP_WAITS : GROUP_GOES_ON;
    int rc = sim_cuda_refusal_in_nccl(c); /* whatever a job does, it calls CUDA */
    if (rc) {
        sim_job_unref(job);
        return rc;
    }
    if (!mode || g->mode == GROUP_UNDECIDED)
        g->mode = wanted;
    if (g->mode != wanted) {
        sim_warn("Blocking and nonblocking communicators are not allowed in the same group.");
        sim_job_unref(job);
        return ncclInvalidArgument;
    }
    NCS_PUSH(g->job, g->jobs, g->jobs_room, job);
    return ncclSuccess;
}

static bool is_to_self(const struct part *p)
{
    return sim_part_is_pair(p) && p->root == p->cr->rank;
}

/* The k-th send of a rank to itself needs a k-th receive in the same group. */
static int check_self(const struct group *g)
{
    int balance = 0; /* of the first rank with unequal numbers */
    for (size_t i = 0; i < g->parts; i++)
        if (is_to_self(g->part[i]))
            g->part[i]->cr->to_self += g->part[i]->fn == NCS_FN_ncclSend ? 1 : -1;
    for (size_t i = 0; i < g->parts; i++) {
        if (balance == 0)
            balance = g->part[i]->cr->to_self;
        g->part[i]->cr->to_self = 0;
    }
    if (balance == 0)
        return ncclSuccess;
    sim_warn(balance > 0 ? "Trying to send to self without a matching recv" : "Trying to recv to self without a matching send");
    return ncclInvalidUsage;
}

static int check_streams(struct context *c, const struct group *g)
{
    for (size_t i = 0; i < g->parts; i++)
        if (g->part[i]->stream->gpu != g->part[i]->cr->gpu)
            return sim_cuda_failed_in_nccl(c, cudaErrorInvalidResourceHandle);
    return ncclSuccess;
}

/* All communicators of a group are captured, or none; each by one graph (NCCL's user guide, "Using NCCL with CUDA Graphs"). */
static int check_captures(const struct group *g)
{
    bool alike = true;
    for (size_t i = 0; i < g->parts; i++) {
        const struct part *p = g->part[i];
        alike &= !p->stream->capture == !g->part[0]->stream->capture;
        for (size_t k = 0; k < i && p->stream->capture; k++)
            if (g->part[k]->cr == p->cr && g->part[k]->stream->capture != p->stream->capture)
                alike = false;
    }
    if (alike)
        return ncclSuccess;
    sim_warn("Either none or all communicators in a ncclGroup() can be CUDA graph captured.");
    return ncclInvalidUsage;
}

/* Receives are looked at before sends, as NCCL does. */
static int check_connections(const struct group *g)
{
    const struct part *lost = NULL;
    for (size_t i = 0; i < g->parts; i++)
        if (sim_contact_is_lost(g->part[i]) && (!lost || lost->fn == NCS_FN_ncclSend))
            lost = g->part[i];
    if (lost) {
        sim_warn_on(lost->cr->gpu, "Rank %d has no transport for %s peer %d on channel 0/1", lost->cr->rank,
                    lost->fn == NCS_FN_ncclSend ? "send" : "recv", lost->root);
        return ncclInternalError;
    }
    for (size_t i = 0; i < g->parts; i++)
        sim_contact_connect(g->part[i]);
    return ncclSuccess;
}

static int group_carry_out(struct context *c)
{
    struct group *g = &c->group;
    bool blocking = g->mode != GROUP_GOES_ON;
    struct job *job = sim_group_job_new(c, g, blocking);
    *g = (struct group){ .part = g->part, .parts_room = g->parts_room }; /* the list of parts is used again */
    sim_group_job_start(job);
    if (blocking)
        return sim_job_wait(c, job);
    sim_job_unref(job);
    return ncclInProgress;
}

static void fail_members(const struct group *g, int rc)
{
    for (size_t i = 0; i < g->parts; i++)
        sim_comm_settle(g->part[i]->cr, rc);
    for (size_t i = 0; i < g->jobs; i++)
        sim_comm_settle(g->job[i]->about, rc);
}

/* Leaves one level. False = nothing to carry out; *rc is then the code to return. */
static bool leave_level(struct context *c, int *rc)
{
    struct group *g = &c->group;
    *rc = ncclSuccess;
    if (g->depth == 0) {
        sim_warn("ncclGroupEnd: not in a group call.");
        *rc = ncclInvalidUsage;
        return false;
    }
    return --g->depth == 0;
}

static int group_fail(struct group *g, int rc)
{
    g->error = rc;
    fail_members(g, rc);
    for (size_t i = 0; i < g->parts; i++)
        sim_contact_drop(g->part[i]);
    sim_group_clear(g);
    return rc;
}

static int group_finish(struct context *c)
{
    struct group *g = &c->group;
    int rc = g->error;
    if (!rc)
        rc = check_self(g);
    if (!rc)
        rc = check_streams(c, g);
    if (!rc)
        rc = check_captures(g);
    if (!rc)
        rc = check_connections(g);
    if (rc)
        return group_fail(g, rc);
    for (size_t i = 0; i < g->parts; i++)
        sim_stream_wait_room(c, g->part[i]->stream);
    if (g->parts + g->jobs > 0)
        return group_carry_out(c);
    sim_group_clear(g);
    return ncclSuccess;
}

int sim_group_end(struct context *c)
{
    int rc;
    return leave_level(c, &rc) ? group_finish(c) : rc;
}

/* In microseconds. Drops the queued calls. */
static float estimate(struct group *g)
{
    float time = NCCL_UNDEF_FLOAT;
    for (size_t i = 0; i < g->parts; i++) {
        if (!sim_part_is_pair(g->part[i]) && !sim_part_is_matrix(g->part[i]) && !sim_part_is_one_sided(g->part[i]))
            time = (float)sim_comm_collective_cost(g->part[i]->cr, g->part[i]->fn, sim_part_moved(g->part[i])) / 1000;
        sim_part_free(g->part[i]);
    }
    g->parts = 0;
    return time;
}

int sim_group_simulate(struct context *c, ncclSimInfo_t *info)
{
    struct group *g = &c->group;
    int rc;
    if (!leave_level(c, &rc))
        return rc;
    if (g->error)
        return group_fail(g, g->error);
    if (info && info->magic != NCCL_SIM_INFO_MAGIC) {
        sim_warn("ncclSimInfo_t argument not initialized via NCCL_SIM_INFO_INITIALIZER");
        return group_fail(g, ncclInvalidArgument);
    }
    if (g->mode == GROUP_GOES_ON)
        return group_finish(c);
    rc = check_self(g);
    if (!rc)
        rc = check_streams(c, g);
    if (rc)
        return group_fail(g, rc);
    float time = estimate(g);
    if (info && time >= 0)
        info->estimatedTime = time;
    return group_finish(c);
}

int sim_group_leave(struct context *c, int rc)
{
    if (rc)
        c->group.error = rc;
    int ended = sim_group_end(c);
    return rc ? rc : ended;
}
