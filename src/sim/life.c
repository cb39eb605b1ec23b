/* The end of a communicator's life: finalize, destroy and abort, each local to its rank. */
#include "api/journal.h"
#include "sim/comm.h"
#include "sim/group.h"
#include "sim/init.h"
#include "sim/job.h"
#include "sim/launch.h"
#include "sim/op.h"
#include "sim/snapshot.h"
#include "sim/world.h"

struct life_job {
    struct job job;
    struct comm_rank *cr;
};

static bool is_idle(struct life_job *j)
{
    struct op *last = j->cr->last_launch;
    if (!last || last->state == OP_DONE)
        return true;
    job_listen(&j->job, &last->done);
    return false;
}

static bool step_finalize(struct job *job)
{
    struct life_job *j = (struct life_job *)job;
    if (!is_idle(j))
        return false;
    j->cr->state = COMM_FINAL;
    if (!j->cr->blocking) {
        j->cr->async = ncclSuccess;
        j->cr->ready_polls = sim_world.options.ready_after;
    }
    return true;
}

static bool step_destroy(struct job *job)
{
    struct life_job *j = (struct life_job *)job;
    if (!is_idle(j))
        return false;
    comm_bury(j->cr, COMM_GONE);
    return true;
}

/* This rank's launches end with their data untouched; what has matched already completes. */
static void cancel_launches(const struct comm_rank *cr)
{
    for (struct op *op = sim_world.op_first; op; op = op->next)
        if (op->launch && op->launch->cr == cr) {
            launch_withdraw(op->launch);
            if (op->state == OP_ACTIVE)
                op_queue(op);
        }
}

static bool step_abort(struct job *job)
{
    struct life_job *j = (struct life_job *)job;
    groups_cancel(j->cr, ncclInternalError);
    cancel_launches(j->cr);
    if (!is_idle(j))
        return false;
    comm_bury(j->cr, COMM_ABORTED);
    return true;
}

static void describe_life(const struct job *job, struct ncs_snap_job *out,
                          struct ncs_snapshot *snapshot)
{
    const struct life_job *j = (const struct life_job *)job;
    out->comm_rank = j->cr->rank;
    out->nranks = j->cr->nranks;
    snapshot_op_wait(j->cr->last_launch, out, snapshot);
}

#define LIFE_TYPE(kind_, step_)                                                        \
    { .kind = kind_, .bytes = sizeof(struct life_job), .step = step_, .describe = describe_life }

static const struct job_type finalize_type = LIFE_TYPE(NCS_JOB_FINALIZE, step_finalize);
static const struct job_type destroy_type = LIFE_TYPE(NCS_JOB_DESTROY, step_destroy);
static const struct job_type abort_type = LIFE_TYPE(NCS_JOB_ABORT, step_abort);

static struct job *life_job(const struct job_type *type, struct comm_rank *cr)
{
    struct life_job *j = (struct life_job *)job_new(type);
    j->cr = cr;
    return &j->job;
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
