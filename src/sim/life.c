#include "sim/life.h"

#include <inttypes.h>

#include "api/journal.h"
#include "sim/comm.h"
#include "sim/group.h"
#include "sim/job.h"
#include "sim/launch.h"
#include "sim/op.h"
#include "sim/snapshot.h"
#include "sim/world.h"

static bool is_idle(struct job *job)
{
    struct op *last = job->about->last_launch;
    if (!last || last->state == OP_DONE)
        return true;
    job_listen(job, &last->done);
    return false;
}

static bool step_finalize(struct job *job)
{
    if (!is_idle(job))
        return false;
    if (job->about->state == COMM_READY) {
        job->about->state = COMM_FINAL;
        comm_settle(job->about, ncclSuccess);
    }
    return true;
}

static void say_end(const struct comm_rank *cr, const char *what)
{
    nccl_info_rank(cr, LOG_INIT,
                   "comm 0x%" PRIx64 " rank %d nranks %d cudaDev %d busId %x - %s COMPLETE",
                   cr->handle, cr->rank, cr->nranks, cr->gpu->device, gpu_bus_id(cr->gpu), what);
}

static bool step_destroy(struct job *job)
{
    if (!is_idle(job))
        return false;
    say_end(job->about, "Destroy");
    comm_bury(job->about, COMM_GONE);
    return true;
}

/* This rank's launches end with their data untouched; what has matched already completes. */
static void cancel_launches(const struct comm_rank *cr)
{
    for (struct op *op = sim_world.op_first; op; op = op->next)
        if (op->launch && op->launch->cr == cr) {
            bool held = launch_held_by(op->launch);
            launch_withdraw(op->launch);
            if (op->state == OP_ACTIVE || op->lane == LANE_WANTED ||
                (held && op->state == OP_ENABLED))
                op_queue(op);
        }
}

/* Whoever waits in a call about this communicator gives up: the abort's own group goes on. */
static void cancel_calls(const struct job *abort)
{
    for (struct job *job = sim_world.job_first, *next; job; job = next) {
        next = job->next;
        if (job != abort && job->about == abort->about && job->type != abort->type)
            job_cancel(job, ncclInternalError);
    }
    groups_cancel(abort->about, abort->parent, ncclInternalError);
}

static bool step_abort(struct job *job)
{
    cancel_calls(job);
    cancel_launches(job->about);
    if (!is_idle(job))
        return false;
    say_end(job->about, "Abort");
    comm_bury(job->about, COMM_ABORTED);
    return true;
}

static void describe_life(const struct job *job, struct ncs_snap_job *out,
                          struct ncs_snapshot *snapshot)
{
    out->comm_rank = job->about->rank;
    out->nranks = job->about->nranks;
    snapshot_op_wait(job->about->last_launch, out, snapshot);
}

static void cancel_life(struct job *job)
{
    if (job->type->kind == NCS_JOB_FINALIZE)
        comm_settle(job->about, job->rc);
}

#define LIFE_TYPE(kind_, step_)                                                             \
    { .kind = kind_, .bytes = sizeof(struct job), .step = step_, .cancel = cancel_life,     \
      .describe = describe_life }

static const struct job_type finalize_type = LIFE_TYPE(NCS_JOB_FINALIZE, step_finalize);
static const struct job_type destroy_type = LIFE_TYPE(NCS_JOB_DESTROY, step_destroy);
static const struct job_type abort_type = LIFE_TYPE(NCS_JOB_ABORT, step_abort);

static struct job *life_job(const struct job_type *type, struct comm_rank *cr)
{
    struct job *job = job_new(type);
    job->about = cr;
    return job;
}

struct job *finalize_job(struct comm_rank *cr)
{
    return life_job(&finalize_type, cr);
}

struct job *destroy_job(struct comm_rank *cr)
{
    return life_job(&destroy_type, cr);
}

struct job *abort_job(struct comm_rank *cr)
{
    return life_job(&abort_type, cr);
}
