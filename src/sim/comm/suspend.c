#include "sim/comm/suspend.h"

#include "sim/comm/comm.h"
#include "sim/comm/job_meeting.h"
#include "sim/comm/snapshot.h"
#include "sim/cuda/op.h"
#include "sim/cuda/stream.h"
#include "sim/kernel/world.h"

#define BYTES_OF_COMM ((uint64_t)2 << 20)
#define BYTES_OF_RANK ((uint64_t)4 << 10)
#define BYTES_OF_CONNECTION ((uint64_t)4 << 20) /* one direction to one peer */

/* True if all work on the device of this rank is done. If not, the job takes a step later. */
static bool device_is_idle(struct job *job)
{
    const struct gpu *gpu = job->about->gpu;
    for (size_t i = 0; i < gpu->streams; i++) {
        const struct stream *s = gpu->stream[i];
        if (!s->tail || s->tail->state == OP_DONE)
            continue;
        sim_job_listen(job, &s->tail->done);
        return false;
    }
    return true;
}

static void complete_suspend(struct job_meeting *m)
{
    for (int r = 0; r < m->comm->nranks; r++)
        m->comm->member[r]->suspended = true;
}

static void complete_resume(struct job_meeting *m)
{
    for (int r = 0; r < m->comm->nranks; r++)
        m->comm->member[r]->suspended = false;
}

static bool suspend_step(struct job *job)
{
    struct meeting_job *j = (struct meeting_job *)job;
    struct comm_rank *cr = job->about;
    bool suspends = job->type->kind == NCS_JOB_SUSPEND;
    if (j->over)
        return true;
    if (j->meeting)
        return false;
    if (cr->suspended == suspends) {
        sim_warn_on(cr->gpu, suspends ? "MemManager: Already suspended" : "MemManager: Not in suspended state");
        job->rc = ncclInvalidUsage;
        return true;
    }
    if (!device_is_idle(job))
        return false;
    if (suspends)
        sim_job_meeting_enter(j, ++cr->suspends, NULL, 0, complete_suspend);
    else
        sim_job_meeting_enter(j, ++cr->resumes, NULL, 0, complete_resume);
    return j->over;
}

static void describe(const struct job *job, struct ncs_snap_job *out, struct ncs_snapshot *snapshot)
{
    const struct gpu *gpu = job->about->gpu;
    sim_job_meeting_describe(job, out, snapshot);
    if (((const struct meeting_job *)job)->meeting)
        return;
    for (size_t i = 0; i < gpu->streams; i++)
        sim_snapshot_op_wait(gpu->stream[i]->tail, out, snapshot);
}

#define SUSPEND_TYPE(kind_)                                                                                         \
    {                                                                                                               \
        .kind = kind_, .bytes = sizeof(struct meeting_job), .step = suspend_step, .cancel = sim_job_meeting_cancel, \
        .free = sim_job_meeting_free, .describe = describe                                                          \
    }

static const struct job_type suspend_type = SUSPEND_TYPE(NCS_JOB_SUSPEND);
static const struct job_type resume_type = SUSPEND_TYPE(NCS_JOB_RESUME);

static struct job *suspend_new_job(const struct job_type *type, struct comm_rank *cr)
{
    return sim_job_about(type, cr);
}

struct job *sim_job_suspend(struct comm_rank *cr)
{
    return suspend_new_job(&suspend_type, cr);
}

struct job *sim_job_resume(struct comm_rank *cr)
{
    return suspend_new_job(&resume_type, cr);
}

uint64_t sim_comm_memory_kept(const struct comm_rank *cr)
{
    return BYTES_OF_COMM + (uint64_t)cr->nranks * BYTES_OF_RANK;
}

static void count_connections(void *value, void *arg)
{
    const struct peer *peer = value;
    *(uint64_t *)arg += (peer->entered_sends > 0) + (peer->entered_recvs > 0);
}

uint64_t sim_comm_memory_suspendable(const struct comm_rank *cr)
{
    uint64_t connections = cr->entered > 0 && cr->nranks > 1 ? 2 : 0; /* a ring: from one, to one */
    if (cr->entered_matrices > 0)
        connections += 2 * (uint64_t)cr->nranks;
    else
        ncs_map_each(&cr->peers, count_connections, &connections);
    return connections * BYTES_OF_CONNECTION;
}
