/* NCCL's functions that end communicators or set them aside. */
#include "sim/comm/comm.h"
#include "sim/comm/group.h"
#include "sim/comm/life.h"
#include "sim/comm/suspend.h"
#include "sim/cuda/cuda.h"
#include "sim/kernel/gen/functions.h"
#include "sim/kernel/job.h"
#include "sim/kernel/world.h"
#include "sim/settings/environment.h"

static int queue_finalize(struct context *c, ncclComm_t comm)
{
    struct comm_rank *cr;
    int rc = comm_check(comm, "ncclCommFinalize", &cr);
    if (!rc)
        rc = comm_ready(cr);
    if (!rc && (cr->finalizing || cr->state == COMM_REVOKED))
        rc = nccl_silent(cr->finalizing ? "the communicator has been finalized" : "the communicator was revoked");
    if (!rc)
        rc = group_add_job(c, finalize_job(cr), cr);
    if (rc)
        return rc;
    cr->finalizing = true;
    if (!cr->blocking)
        cr->async = ncclInProgress;
    return ncclSuccess;
}

ncclResult_t sim_ncclCommFinalize(ncclComm_t comm)
{
    struct context *c = context_enter();
    if (!c || !comm)
        return ncclSuccess;
    group_begin(c);
    int rc = queue_finalize(c, comm);
    if (rc)
        comm_fail(comm, rc);
    return group_leave(c, rc);
}

/* The real library comes back from these failures with its group still open. */
static ncclResult_t leave_open(struct context *c, int rc)
{
    return sim_world.options.quirks ? (ncclResult_t)rc : (ncclResult_t)group_leave(c, rc);
}

ncclResult_t sim_ncclCommDestroy(ncclComm_t comm)
{
    struct context *c = context_enter();
    if (!c || !comm)
        return ncclSuccess;
    struct comm_rank *cr;
    group_begin(c);
    int rc = comm_check(comm, "CommDestroy", &cr);
    if (!rc)
        rc = cr->state >= COMM_ABORTED ? comm_refuse_ended(cr, true) : comm_ready(cr);
    if (rc)
        return leave_open(c, rc);
    return group_leave(c, group_add_job(c, destroy_job(cr), NULL));
}

ncclResult_t sim_ncclCommAbort(ncclComm_t comm)
{
    struct context *c = context_enter();
    if (!c || !comm)
        return ncclSuccess;
    struct comm_rank *cr;
    group_begin(c);
    int rc = comm_check(comm, "CommAbort", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = comm_ready(cr);
    return group_leave(c, rc ? rc : group_add_job(c, abort_job(cr), NULL));
}

static int refuse_revoke(const struct comm_rank *cr)
{
    const char *why = cr->finalizing || cr->destroying ? "the communicator has been finalized"
                      : cr->state == COMM_REVOKED      ? "the communicator was revoked before"
                      : cr->state == COMM_INIT         ? "the communicator has not been initialised"
                                                       : NULL;
    return why ? nccl_silent(why) : ncclSuccess;
}

ncclResult_t sim_ncclCommRevoke(ncclComm_t comm, int revokeFlags)
{
    struct context *c = context_enter();
    if (!c || !comm)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = ncclSuccess;
    if (revokeFlags != NCCL_REVOKE_DEFAULT)
        return nccl_silent("revokeFlags must be 0");
    rc = comm_check(comm, "ncclCommRevoke", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = comm_ready(cr);
    if (!rc)
        rc = refuse_revoke(cr);
    if (rc)
        return rc; /* not recorded in an open group */
    group_begin(c);
    return group_leave(c, group_add_job(c, revoke_job(cr), cr));
}

/* ---- memory ---- */

static int check_memory(ncclComm_t comm, const char *what, struct comm_rank **cr)
{
    int rc = comm_check(comm, what, cr);
    if (!rc)
        rc = comm_ready(*cr);
    if (!rc && (*cr)->state != COMM_READY) {
        nccl_explain((*cr)->state == COMM_REVOKED ? "the communicator was revoked"
                                                  : "the communicator has been finalized");
        rc = ncclInvalidUsage;
    }
    return rc;
}

static int refuse_disabled(const char *what)
{
    if (!env_is(ENV_DISABLE_MEM_MANAGER, 1))
        return ncclSuccess;
    nccl_warn("MemManager: %s not supported, memory manager is disabled", what);
    return ncclInvalidUsage;
}

static int check_manager(const struct comm_rank *cr, bool suspends)
{
    int rc = refuse_disabled(suspends ? "Suspend" : "Resume");
    if (rc || !cr->family->sharers)
        return rc;
    nccl_warn("Memory %s not supported with split_share communicators (refCount=%d)",
              suspends ? "suspend" : "resume", cr->family->sharers + 1);
    return ncclInvalidUsage;
}

ncclResult_t sim_ncclCommSuspend(ncclComm_t comm, int flags)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = check_memory(comm, "ncclCommSuspend", &cr);
    if (rc)
        return rc; /* not recorded in an open group */
    group_begin(c);
    bool memory = flags & NCCL_SUSPEND_MEM; /* other bits are ignored */
    if (memory)
        rc = check_manager(cr, true);
    if (!rc && memory)
        rc = group_add_job(c, suspend_job(cr), cr);
    return group_leave(c, rc);
}

ncclResult_t sim_ncclCommResume(ncclComm_t comm)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = check_memory(comm, "ncclCommResume", &cr);
    if (rc)
        return rc; /* not recorded in an open group */
    group_begin(c);
    rc = check_manager(cr, false);
    if (!rc)
        rc = group_add_job(c, resume_job(cr), cr);
    return group_leave(c, rc);
}

ncclResult_t sim_ncclCommMemStats(ncclComm_t comm, ncclCommMemStat_t stat, uint64_t *value)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = comm_check(comm, "ncclCommMemStats", &cr);
    if (!rc)
        rc = comm_ready(cr);
    if (rc)
        return rc;
    if (!value)
        return nccl_silent("value is NULL");
    rc = refuse_disabled("MemStats");
    if (rc)
        return rc;
    uint64_t kept = comm_memory_kept(cr), suspendable = comm_memory_suspendable(cr);
    switch (stat) {
    case ncclStatGpuMemSuspend:   *value = suspendable; return ncclSuccess;
    case ncclStatGpuMemSuspended: *value = cr->suspended; return ncclSuccess;
    case ncclStatGpuMemPersist:   *value = kept; return ncclSuccess;
    case ncclStatGpuMemTotal:     *value = kept + suspendable; return ncclSuccess;
    }
    return nccl_silent("stat is no statistic");
}
