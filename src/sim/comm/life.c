#include "sim/comm/life.h"

#include <inttypes.h>

#include "api/journal.h"
#include "sim/comm/comm.h"
#include "sim/comm/group_job.h"
#include "sim/comm/launch.h"
#include "sim/comm/snapshot.h"
#include "sim/comm/teardown.h"
#include "sim/cuda/op.h"
#include "sim/kernel/job.h"
#include "sim/kernel/world.h"
#include "sim/settings/log.h"
#include "sim/settings/version.h"

/* True if this rank's launches are over. If not, the job takes a step when one of them ends. */
static bool launches_over(struct job *job, struct comm_rank *cr)
{
    struct op *last = cr->last_launch;
    if (!last || last->state == OP_DONE)
        return true;
    sim_job_listen(job, &last->done);
    return false;
}

/* A communicator ends only when no graph that captured its calls exists any more (NCCL 2.30.7, init.cc,
 * commDestroySync: it polls while persistent references are left). */
static bool is_unused(struct job *job, struct comm_rank *cr)
{
    if (cr->graphs == 0)
        return launches_over(job, cr);
    sim_job_listen(job, &cr->forgotten);
    return false;
}

static bool step_finalize(struct job *job)
{
    if (!is_unused(job, job->about))
        return false;
    if (job->about->state == COMM_READY)
        job->about->state = COMM_FINAL;
    sim_teardown_release(job->about);
    return true;
}

/* The process's ranks of the communicator, from `rank` on: the first, or -1. */
static int rank_here(const struct comm_rank *cr, int rank)
{
    const struct comm *comm = cr->comm;
    if (!comm || !comm->siblings)
        return rank <= cr->rank ? cr->rank : -1;
    while (rank < comm->nranks && comm->member[rank]->process != cr->process)
        rank++;
    return rank < comm->nranks ? rank : -1;
}

static struct comm_rank *handle_here(struct comm_rank *cr, int rank)
{
    return cr->comm ? cr->comm->member[rank] : cr;
}

/* Ranks of one process free their resources with the last handle; a rank that is not last does not wait. */
static bool is_last_here(struct comm_rank *cr)
{
    for (int r = -1; (r = rank_here(cr, r + 1)) >= 0;)
        if (!handle_here(cr, r)->destroying)
            return false;
    return true;
}

/* At the end of a script, as at the end of a process, nothing is awaited. */
static bool is_leaving(const struct job *job)
{
    return job->call && job->call->ending;
}

/* True if the process may free what it has of the communicator: its own work is over, and so is that of the peers with
 * its memory. */
static bool process_is_done(struct job *job)
{
    struct comm_rank *cr = job->about;
    for (int r = -1; (r = rank_here(cr, r + 1)) >= 0;) {
        struct comm_rank *own = handle_here(cr, r);
        if (!own->released && !is_unused(job, own))
            return false;
        sim_teardown_release(own);
    }
    for (int r = -1; !is_leaving(job) && cr->comm && (r = rank_here(cr, r + 1)) >= 0;)
        if (!sim_teardown_is_over(job, handle_here(cr, r)))
            return false;
    for (int r = -1; !is_leaving(job) && (r = rank_here(cr, r + 1)) >= 0;)
        if (!sim_teardown_may_free(job, handle_here(cr, r)->gpu))
            return false;
    return true;
}

static enum log_subsys subsys_of_ends(void)
{
    return sim_version_does(DOES_LOG_DESTROY) ? LOG_DESTROY : LOG_INIT;
}

static void say_end(const struct comm_rank *cr, const char *what)
{
    sim_info_on(cr->gpu, subsys_of_ends(), "comm 0x%" PRIx64 " rank %d nranks %d cudaDev %d busId %x%s - %s COMPLETE", cr->handle,
                cr->rank, cr->nranks, cr->gpu->device, sim_gpu_bus_id(cr->gpu), sim_comm_log_id(cr).text, what);
}

void sim_comm_say_revoke(const struct comm_rank *cr, const char *what)
{
    sim_info_on(cr->gpu, subsys_of_ends(), "comm 0x%" PRIx64 " rank %d nRanks %d cudaDev %d busId %x%s - Revoke %s", cr->handle,
                cr->rank, cr->nranks, cr->gpu->device, sim_gpu_bus_id(cr->gpu), sim_comm_log_id(cr).text, what);
}

static bool step_destroy(struct job *job)
{
    job->about->destroying = true;
    if (is_last_here(job->about) && !process_is_done(job))
        return false;
    say_end(job->about, "Destroy");
    sim_comm_bury(job->about, COMM_GONE);
    return true;
}

/* The launches of this rank and of its family end with their data untouched; what has matched
 * already completes. */
static void cancel_launches(const struct comm_rank *cr)
{
    for (struct op *op = sim_world.op_first; op; op = op->next)
        if (op->launch && sim_comm_is_kin(op->launch->cr, cr)) {
            bool held = sim_launch_held_by(op->launch);
            sim_launch_withdraw(op->launch);
            if (op->state == OP_ACTIVE || op->kernel_slot == KERNEL_SLOT_WANTED || (held && op->state == OP_ENABLED))
                sim_op_queue(op);
        }
}

/* Gives up the waiting calls about this communicator, except calls that end it. The group that the
 * job belongs to continues. */
static void cancel_calls(const struct job *by)
{
    for (struct job *job = sim_world.job_first, *next; job; job = next) {
        next = job->next;
        bool ends = job->type->kind == NCS_JOB_ABORT ||
                    (by->type->kind != NCS_JOB_ABORT && (job->type->kind == NCS_JOB_DESTROY || job->type == by->type));
        if (job != by && !ends && sim_comm_is_kin(job->about, by->about))
            sim_job_cancel(job, ncclInternalError);
    }
    sim_groups_cancel(by->about, by->parent, ncclInternalError);
}

static bool cut_short(struct job *job)
{
    cancel_calls(job);
    cancel_launches(job->about);
    return launches_over(job, job->about);
}

static bool step_abort(struct job *job)
{
    struct comm_rank *cr = job->about;
    cr->destroying = true;
    if (cr->family->sharers)
        cr->family->cut = true;
    if (!cut_short(job))
        return false;
    sim_teardown_release(cr);
    if (is_last_here(cr) && !is_leaving(job) && !sim_teardown_may_free(job, cr->gpu))
        return false;
    say_end(job->about, "Abort");
    sim_comm_bury(cr, COMM_ABORTED);
    return true;
}

static bool step_revoke(struct job *job)
{
    if (!cut_short(job))
        return false;
    sim_teardown_release(job->about);
    if (job->about->state < COMM_ABORTED)
        job->about->state = COMM_REVOKED;
    return true;
}

static void describe_life(const struct job *job, struct ncs_snap_job *out, struct ncs_snapshot *snapshot)
{
    out->comm_rank = job->about->rank;
    out->nranks = job->about->nranks;
    if (job->about->graphs > 0 && job->type->kind != NCS_JOB_ABORT && job->type->kind != NCS_JOB_REVOKE)
        sim_snapshot_graphs(job, out, snapshot);
    if (job->type->kind != NCS_JOB_DESTROY) {
        sim_snapshot_op_wait(job->about->last_launch, out, snapshot);
        if (job->type->kind == NCS_JOB_ABORT)
            sim_teardown_describe(job, job->about, out, snapshot);
        return;
    }
    for (int r = -1; (r = rank_here(job->about, r + 1)) >= 0;) {
        struct comm_rank *own = handle_here(job->about, r);
        sim_snapshot_op_wait(own->last_launch, out, snapshot);
        sim_teardown_describe(job, own, out, snapshot);
    }
}

static void cancel_life(struct job *job)
{
    if (job->type->kind == NCS_JOB_FINALIZE)
        job->about->finalizing = false;
}

#define LIFE_TYPE(kind_, step_)                                                                                     \
    {                                                                                                               \
        .kind = kind_, .bytes = sizeof(struct job), .step = step_, .cancel = cancel_life, .describe = describe_life \
    }

static const struct job_type finalize_type = LIFE_TYPE(NCS_JOB_FINALIZE, step_finalize);
static const struct job_type destroy_type = LIFE_TYPE(NCS_JOB_DESTROY, step_destroy);
static const struct job_type abort_type = LIFE_TYPE(NCS_JOB_ABORT, step_abort);
static const struct job_type revoke_type = LIFE_TYPE(NCS_JOB_REVOKE, step_revoke);
static const struct job_type quiesce_type = LIFE_TYPE(NCS_JOB_REVOKE, cut_short);

static struct job *life_job(const struct job_type *type, struct comm_rank *cr)
{
    return sim_job_about(type, cr);
}

struct job *sim_job_finalize(struct comm_rank *cr)
{
    return life_job(&finalize_type, cr);
}

struct job *sim_job_destroy(struct comm_rank *cr)
{
    return life_job(&destroy_type, cr);
}

struct job *sim_job_abort(struct comm_rank *cr)
{
    return life_job(&abort_type, cr);
}

struct job *sim_job_revoke(struct comm_rank *cr)
{
    return life_job(&revoke_type, cr);
}

struct job *sim_job_quiesce(struct comm_rank *cr)
{
    return life_job(&quiesce_type, cr);
}
