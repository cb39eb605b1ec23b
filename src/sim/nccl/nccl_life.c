/* NCCL's functions that end, revoke or suspend communicators. */
#include <stdio.h>

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
    int rc = sim_comm_check(comm, "ncclCommFinalize", &cr);
    if (!rc)
        rc = sim_comm_ready(cr);
    if (!rc && (cr->finalizing || cr->state == COMM_REVOKED))
        rc = sim_silent(cr->finalizing ? "the communicator has been finalized" : "the communicator was revoked");
    if (!rc)
        rc = sim_group_add_job(c, sim_job_finalize(cr), cr);
    if (rc)
        return rc;
    cr->finalizing = true;
    if (!cr->blocking)
        cr->async = ncclInProgress;
    return ncclSuccess;
}

ncclResult_t sim_ncclCommFinalize(ncclComm_t comm)
{
    struct context *c = sim_context_enter();
    if (!c || !comm)
        return ncclSuccess;
    sim_group_begin(c);
    int rc = queue_finalize(c, comm);
    if (rc)
        sim_comm_fail(comm, rc);
    return sim_group_leave(c, rc);
}

/* After these failures the real library returns with its group still open. */
static ncclResult_t leave_open(struct context *c, int rc)
{
    return sim_world.options.quirks ? (ncclResult_t)rc : (ncclResult_t)sim_group_leave(c, rc);
}

ncclResult_t sim_ncclCommDestroy(ncclComm_t comm)
{
    struct context *c = sim_context_enter();
    if (!c || !comm)
        return ncclSuccess;
    struct comm_rank *cr;
    sim_group_begin(c);
    int rc = sim_comm_check(comm, "CommDestroy", &cr);
    if (!rc)
        rc = cr->state >= COMM_ABORTED ? sim_comm_refuse_ended(cr, true) : sim_comm_ready(cr);
    if (rc)
        return leave_open(c, rc);
    return sim_group_leave(c, sim_group_add_job(c, sim_job_destroy(cr), NULL));
}

ncclResult_t sim_ncclCommAbort(ncclComm_t comm)
{
    struct context *c = sim_context_enter();
    if (!c || !comm)
        return ncclSuccess;
    struct comm_rank *cr;
    sim_group_begin(c);
    int rc = sim_comm_check(comm, "CommAbort", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = sim_comm_ready(cr);
    return sim_group_leave(c, rc ? rc : sim_group_add_job(c, sim_job_abort(cr), NULL));
}

static int refuse_revoke(const struct comm_rank *cr)
{
    const char *why = cr->finalizing || cr->destroying ? "the communicator has been finalized"
                      : cr->state == COMM_REVOKED      ? "the communicator was revoked before"
                      : cr->state == COMM_INIT         ? "the communicator has not been initialised"
                                                       : NULL;
    return why ? sim_silent(why) : ncclSuccess;
}

ncclResult_t sim_ncclCommRevoke(ncclComm_t comm, int revokeFlags)
{
    struct context *c = sim_context_enter();
    if (!c || !comm)
        return ncclSuccess;
    struct comm_rank *cr;
    char end[32];
    int rc = ncclSuccess;
    if (revokeFlags != NCCL_REVOKE_DEFAULT)
        return sim_silent("revokeFlags must be 0");
    rc = sim_comm_check(comm, "ncclCommRevoke", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = sim_comm_ready(cr);
    if (!rc)
        rc = refuse_revoke(cr);
    if (rc)
        return rc; /* not recorded in an open group */
    sim_comm_say_revoke(cr, "START");
    sim_group_begin(c);
    rc = sim_group_leave(c, sim_group_add_job(c, sim_job_revoke(cr), cr));
    snprintf(end, sizeof end, "COMPLETE, result %d", rc);
    sim_comm_say_revoke(cr, end);
    return rc;
}

/* ---- memory ---- */

static int suspend_check_memory(ncclComm_t comm, const char *what, struct comm_rank **cr)
{
    int rc = sim_comm_check(comm, what, cr);
    if (!rc)
        rc = sim_comm_ready(*cr);
    if (!rc && (*cr)->state != COMM_READY) {
        sim_explain((*cr)->state == COMM_REVOKED ? "the communicator was revoked" : "the communicator has been finalized");
        rc = ncclInvalidUsage;
    }
    return rc;
}

static int refuse_disabled(const char *what)
{
    if (!sim_env_is(ENV_DISABLE_MEM_MANAGER, 1))
        return ncclSuccess;
    sim_warn("MemManager: %s not supported, memory manager is disabled", what);
    return ncclInvalidUsage;
}

static int check_manager(const struct comm_rank *cr, bool suspends)
{
    int rc = refuse_disabled(suspends ? "Suspend" : "Resume");
    if (rc || !cr->family->sharers)
        return rc;
    sim_warn("Memory %s not supported with split_share communicators (refCount=%d)", suspends ? "suspend" : "resume",
             cr->family->sharers + 1);
    return ncclInvalidUsage;
}

ncclResult_t sim_ncclCommSuspend(ncclComm_t comm, int flags)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = suspend_check_memory(comm, "ncclCommSuspend", &cr);
    if (rc)
        return rc; /* not recorded in an open group */
    sim_group_begin(c);
    bool memory = flags & NCCL_SUSPEND_MEM; /* other bits are ignored */
    if (memory)
        rc = check_manager(cr, true);
    if (!rc && memory)
        rc = sim_group_add_job(c, sim_job_suspend(cr), cr);
    return sim_group_leave(c, rc);
}

ncclResult_t sim_ncclCommResume(ncclComm_t comm)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = suspend_check_memory(comm, "ncclCommResume", &cr);
    if (rc)
        return rc; /* not recorded in an open group */
    sim_group_begin(c);
    rc = check_manager(cr, false);
    if (!rc)
        rc = sim_group_add_job(c, sim_job_resume(cr), cr);
    return sim_group_leave(c, rc);
}

ncclResult_t sim_ncclCommMemStats(ncclComm_t comm, ncclCommMemStat_t stat, uint64_t *value)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = sim_comm_check(comm, "ncclCommMemStats", &cr);
    if (!rc)
        rc = sim_comm_ready(cr);
    if (rc)
        return rc;
    if (!value)
        return sim_silent("value is NULL");
    rc = refuse_disabled("MemStats");
    if (rc)
        return rc;
    uint64_t kept = sim_comm_memory_kept(cr), suspendable = sim_comm_memory_suspendable(cr);
    switch (stat) {
    case ncclStatGpuMemSuspend: *value = suspendable; return ncclSuccess;
    case ncclStatGpuMemSuspended: *value = cr->suspended; return ncclSuccess;
    case ncclStatGpuMemPersist: *value = kept; return ncclSuccess;
    case ncclStatGpuMemTotal: *value = kept + suspendable; return ncclSuccess;
    }
    return sim_silent("stat is not a known statistic");
}
