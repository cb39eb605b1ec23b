/* NCCL's functions on communicators: creation, queries, the end. */
#include <string.h>

#include "api/types.h"
#include "sim/bootstrap.h"
#include "sim/comm.h"
#include "sim/cuda.h"
#include "sim/environment.h"
#include "sim/functions.h"
#include "sim/group.h"
#include "sim/init.h"
#include "sim/job.h"
#include "sim/life.h"
#include "sim/version.h"
#include "sim/world.h"

ncclResult_t sim_ncclGetVersion(int *version)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    if (!version)
        return ncclInvalidArgument;
    *version = sim_world.options.nccl_version;
    return ncclSuccess;
}

ncclResult_t sim_ncclGetUniqueId(ncclUniqueId *id)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    int rc = bootstrap_check();
    if (rc)
        return rc;
    if (!id) {
        nccl_warn("GetUniqueId : out argument is NULL");
        return ncclInvalidArgument;
    }
    unique_id_new(id);
    return ncclSuccess;
}

/* Checks in NCCL's order, then queues the rendezvous in the group that the caller has open. */
static int queue_init(struct context *c, ncclComm_t *out, int nranks, const ncclUniqueId *id,
                      int rank, const ncclConfig_t *config, struct comm_rank **made)
{
    *made = NULL;
    if (!out) {
        nccl_warn("CommInitRank : newcomm argument is NULL");
        return ncclInvalidArgument;
    }
    *out = NULL;
    if (rank < 0 || rank >= nranks) {
        nccl_warn("Invalid rank requested : %d/%d", rank, nranks);
        return ncclInvalidArgument;
    }
    if (nranks > COMM_RANKS_MAX) {
        nccl_warn("no room for %d ranks", nranks);
        return ncclSystemError;
    }
    struct comm_config made_of;
    int rc = config_read(config, NULL, &made_of);
    if (rc)
        return rc;
    bool blocking = made_of.value[CONFIG_BLOCKING] != 0;
    if (c->group.jobs > 0 && c->group.last && c->group.last->blocking != blocking) {
        nccl_warn("Blocking and nonblocking communicators are not allowed in the same group.");
        return ncclInvalidArgument;
    }
    struct comm_rank *cr = comm_rank_new(rank, nranks);
    cr->blocking = blocking;
    cr->config = made_of;
    if (!cr->blocking)
        cr->async = ncclInProgress;
    *out = (ncclComm_t)(*made = cr);
    group_add_job(c, cr, init_job(cr, id));
    return ncclSuccess;
}

static bool bad_nranks(int nranks)
{
    if (nranks > 0)
        return false;
    nccl_warn("improper usage of ncclCommInitRank: nId = 1, nranks=%d", nranks);
    return true;
}

static ncclResult_t init_rank(ncclComm_t *out, int nranks, ncclUniqueId id, int rank,
                              const ncclConfig_t *config, bool frees_on_failure)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    if (cuda_refusal_in_nccl(c))
        return ncclUnhandledCudaError; /* not recorded in an open group */
    if (bad_nranks(nranks))
        return ncclInvalidArgument; /* nor this */
    int rc = bootstrap_check();
    if (rc)
        return rc;
    bool alone = c->group.depth == 0;
    group_begin(c);
    struct comm_rank *made;
    rc = group_leave(c, queue_init(c, out, nranks, &id, rank, config, &made));
    if (alone && frees_on_failure && rc && rc != ncclInProgress && made) {
        comm_bury(made, COMM_GONE);
        *out = NULL;
    }
    return rc;
}

ncclResult_t sim_ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank)
{
    return init_rank(comm, nranks, id, rank, NULL, true);
}

ncclResult_t sim_ncclCommInitRankConfig(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank,
                                        ncclConfig_t *config)
{
    return init_rank(comm, nranks, id, rank, config, false);
}

static int check_devices(struct context *c, int ndev, const int *list)
{
    const struct ncs_machine_options *o = &sim_world.options;
    if (!list) {
        if (ndev <= o->devices)
            return ncclSuccess;
        return cuda_failed_in_nccl(c, cudaErrorInvalidDevice);
    }
    bool shared = env_is(ENV_MULTI_RANK_GPU_ENABLE, 1);
    for (int i = 0; i < ndev; i++) {
        if (list[i] < 0 || list[i] >= o->devices) {
            nccl_warn("Invalid device requested : %d", list[i]);
            return ncclInvalidArgument;
        }
        for (int k = 0; k < i && !shared; k++)
            if (list[k] == list[i]) {
                nccl_warn("Device %d is requested twice", list[i]);
                return ncclInvalidUsage;
            }
    }
    return ncclSuccess;
}

ncclResult_t sim_ncclCommInitAll(ncclComm_t *comms, int ndev, const int *list)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    if (cuda_refusal_in_nccl(c))
        return ncclUnhandledCudaError;
    if (!comms) {
        nccl_warn("CommInitAll : comms argument is NULL");
        return ncclInvalidArgument;
    }
    if (ndev < 0) {
        nccl_warn("Invalid device count requested : %d", ndev);
        return ncclInvalidArgument;
    }
    int rc = check_devices(c, ndev, list);
    if (rc || ndev == 0)
        return rc;
    rc = bootstrap_check();
    if (rc)
        return rc;
    ncclUniqueId id;
    unique_id_new(&id);
    int device = c->device;
    group_begin(c);
    for (int i = 0; i < ndev && !rc; i++) {
        c->device = list ? list[i] : i;
        struct comm_rank *made;
        rc = queue_init(c, &comms[i], ndev, &id, i, NULL, &made);
    }
    c->device = device;
    return group_leave(c, rc);
}

/* What the three life-cycle calls share: NULL is a success, the rest is queued as a job. */
static ncclResult_t end_life(ncclComm_t comm, struct job *(*make)(struct comm_rank *cr),
                             bool checked)
{
    struct context *c = context_enter();
    if (!c || !comm)
        return ncclSuccess;
    struct comm_rank *cr = NULL;
    group_begin(c);
    int rc = comm_check(comm, "CommDestroy", &cr);
    if (!rc)
        rc = cuda_refusal_in_nccl(c);
    if (!rc && (checked || cr->state >= COMM_ABORTED))
        rc = comm_ready(cr);
    if (!rc && make == finalize_job && cr->state == COMM_FINAL)
        rc = ncclInvalidArgument;
    if (!rc) {
        if (!cr->blocking && make == finalize_job)
            cr->async = ncclInProgress;
        group_add_job(c, cr, make(cr));
        if (make != finalize_job)
            c->group.last = NULL; /* destroy and abort wait on every communicator */
    }
    return group_leave(c, rc);
}

ncclResult_t sim_ncclCommFinalize(ncclComm_t comm)
{
    return end_life(comm, finalize_job, true);
}

ncclResult_t sim_ncclCommDestroy(ncclComm_t comm)
{
    return end_life(comm, destroy_job, true);
}

ncclResult_t sim_ncclCommAbort(ncclComm_t comm)
{
    return end_life(comm, abort_job, false);
}

static bool has_settled(void *arg)
{
    const struct comm_rank *cr = arg;
    return cr->async != ncclInProgress;
}

ncclResult_t sim_ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = comm_check(comm, "ncclGetAsyncError", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = comm_ready(cr);
    if (rc)
        return rc;
    if (!error) {
        nccl_warn("ncclGetAsyncError : asyncError argument is NULL");
        return ncclInvalidArgument;
    }
    poll_here(c, has_settled, cr);
    bool late = cr->async == ncclSuccess && cr->ready_polls > 0;
    cr->ready_polls -= late;
    *error = late ? ncclInProgress : (ncclResult_t)cr->async;
    return ncclSuccess;
}

static ncclResult_t query(ncclComm_t comm, int *out, const char *what, const char *argument,
                          int (*get)(const struct comm_rank *cr))
{
    struct context *c = context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = comm_check(comm, what, &cr);
    if (rc)
        return rc;
    if (!out) {
        nccl_warn("%s : %s argument is NULL", what, argument);
        return ncclInvalidArgument;
    }
    rc = comm_ready(cr);
    if (!rc)
        *out = get(cr);
    return rc;
}

static int get_count(const struct comm_rank *cr)
{
    return cr->nranks;
}

static int get_device(const struct comm_rank *cr)
{
    return cr->gpu->device;
}

static int get_rank(const struct comm_rank *cr)
{
    return cr->rank;
}

ncclResult_t sim_ncclCommCount(ncclComm_t comm, int *count)
{
    return query(comm, count, "CommCount", "count", get_count);
}

ncclResult_t sim_ncclCommCuDevice(ncclComm_t comm, int *device)
{
    return query(comm, device, "CommCuDevice", "devid", get_device);
}

ncclResult_t sim_ncclCommUserRank(ncclComm_t comm, int *rank)
{
    return query(comm, rank, "CommUserRank", "rank", get_rank);
}
