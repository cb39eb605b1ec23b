/* NCCL's functions that make communicators by rendezvous: init and grow. */
#include <inttypes.h>
#include <string.h>

#include "sim/comm/bootstrap.h"
#include "sim/comm/comm.h"
#include "sim/comm/group.h"
#include "sim/comm/init.h"
#include "sim/cuda/cuda.h"
#include "sim/kernel/gen/functions.h"
#include "sim/kernel/job.h"
#include "sim/kernel/world.h"
#include "sim/settings/environment.h"

struct init_request {
    ncclComm_t *out;
    int nranks, rank;
    const ncclUniqueId *id;
    int ids;
    const ncclConfig_t *config;
};

/* A new communicator joins the open group with the job that will complete it. */
static int queue_comm(struct context *c, struct comm_rank *cr, struct job *job, ncclComm_t *out)
{
    int rc = sim_group_add_job(c, job, cr);
    if (rc) {
        sim_comm_bury(cr, COMM_GONE);
        return rc;
    }
    if (!cr->blocking)
        cr->async = ncclInProgress;
    *out = sim_comm_handle(cr);
    return ncclSuccess;
}

/* Checks in NCCL's order, then queues the rendezvous in the group that the caller has open. */
static int queue_init(struct context *c, const struct init_request *r, struct comm_rank **made)
{
    struct comm_config config;
    *made = NULL;
    if (!r->out) {
        sim_warn("CommInitRank : newcomm argument is NULL");
        return ncclInvalidArgument;
    }
    *r->out = NULL;
    if (r->rank < 0 || r->rank >= r->nranks) {
        sim_warn("Invalid rank requested : %d/%d", r->rank, r->nranks);
        return ncclInvalidArgument;
    }
    if (r->nranks > COMM_RANKS_MAX) {
        sim_explain("the simulator has no room for so many ranks");
        return ncclSystemError;
    }
    int rc = sim_config_read(r->config, NULL, &config);
    if (rc)
        return rc;
    struct gpu *gpu = sim_process_gpu(c->process, c->device);
    struct comm_rank *cr = sim_comm_rank_new(r->rank, r->nranks, gpu, &config);
    rc = queue_comm(c, cr, sim_job_init(cr, r->id, r->ids), r->out);
    *made = rc ? NULL : cr;
    return rc;
}

static int check_ids(const struct init_request *r)
{
    if (r->ids <= 0 || r->ids > r->nranks) {
        sim_warn("improper usage of ncclCommInitRank: nId = %d, nranks=%d", r->ids, r->nranks);
        return ncclInvalidArgument;
    }
    if (r->id)
        return ncclSuccess;
    sim_crash("commIds is NULL");
    return ncclInvalidArgument;
}

static ncclResult_t init_rank(const struct init_request *r, bool frees_on_failure)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    if (sim_cuda_refusal_in_nccl(c)) {
        if (sim_world.options.quirks && !frees_on_failure)
            sim_group_begin(c);        /* the newer forms return with their group open */
        return ncclUnhandledCudaError; /* not recorded in an open group */
    }
    int rc = check_ids(r);
    if (rc && frees_on_failure)
        return rc; /* nor this; the newer forms record it */
    bool alone = c->group.depth == 0;
    struct comm_rank *made = NULL;
    sim_group_begin(c);
    if (!rc)
        rc = sim_bootstrap_check();
    if (!rc)
        rc = queue_init(c, r, &made);
    rc = sim_group_leave(c, rc);
    if (alone && frees_on_failure && rc && rc != ncclInProgress && made) {
        sim_comm_bury(made, COMM_GONE);
        *r->out = NULL;
    }
    return rc;
}

ncclResult_t sim_ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank)
{
    return init_rank(&(struct init_request){ comm, nranks, rank, &id, 1, NULL }, true);
}

ncclResult_t sim_ncclCommInitRankConfig(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank, ncclConfig_t *config)
{
    return init_rank(&(struct init_request){ comm, nranks, rank, &id, 1, config }, false);
}

ncclResult_t sim_ncclCommInitRankScalable(ncclComm_t *newcomm, int nranks, int myrank, int nId, ncclUniqueId *commIds,
                                          ncclConfig_t *config)
{
    return init_rank(&(struct init_request){ newcomm, nranks, myrank, commIds, nId, config }, false);
}

static int check_device_list(const struct context *c, int ndev, const int *list)
{
    int devices = c->process->devices;
    bool shared = sim_env_is(ENV_MULTI_RANK_GPU_ENABLE, 1);
    for (int i = 0; list && i < ndev; i++) {
        if (list[i] < 0 || list[i] >= devices) {
            sim_warn("Invalid device %d (totalnDev=%d)", list[i], devices);
            return ncclInvalidArgument;
        }
        for (int k = 0; k < i && !shared; k++)
            if (list[k] == list[i]) {
                sim_explain("a device is in the list twice");
                return ncclInvalidUsage;
            }
    }
    return ncclSuccess;
}

/* ncclCommInitAll was given a device that does not exist. The real library returns with its group
 * still open and the ranks so far queued in it. */
static ncclResult_t no_such_device(struct context *c)
{
    int rc = sim_cuda_failed_in_nccl(c, cudaErrorInvalidDevice);
    return sim_world.options.quirks ? rc : (int)sim_group_leave(c, rc);
}

ncclResult_t sim_ncclCommInitAll(ncclComm_t *comms, int ndev, const int *list)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    if (sim_cuda_refusal_in_nccl(c))
        return ncclUnhandledCudaError;
    if (!comms) {
        sim_warn("CommInitAll : comms argument is NULL");
        return ncclInvalidArgument;
    }
    if (ndev < 0) {
        sim_warn("Invalid device count requested : %d", ndev);
        return ncclInvalidArgument;
    }
    int rc = check_device_list(c, ndev, list);
    if (rc || ndev == 0)
        return rc;
    rc = sim_bootstrap_check();
    if (rc)
        return rc;
    ncclUniqueId id;
    sim_unique_id_new(&id);
    int device = c->device;
    sim_group_begin(c);
    for (int i = 0; i < ndev && !rc; i++) {
        struct comm_rank *made;
        if (!list && i >= c->process->devices) {
            c->device = device;
            return no_such_device(c);
        }
        c->device = list ? list[i] : i;
        rc = queue_init(c, &(struct init_request){ &comms[i], ndev, i, &id, 1, NULL }, &made);
    }
    c->device = device;
    return sim_group_leave(c, rc);
}

ncclResult_t sim_ncclGetUniqueId(ncclUniqueId *id)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    int rc = sim_bootstrap_check();
    if (rc)
        return rc;
    if (!id) {
        sim_warn("GetUniqueId : out argument is NULL");
        return ncclInvalidArgument;
    }
    sim_unique_id_new(id);
    sim_trace("ncclGetUniqueId(0x%" PRIx64 ")", sim_unique_id_hash(id));
    return ncclSuccess;
}

/* ---- grow ---- */

ncclResult_t sim_ncclCommGetUniqueId(ncclComm_t comm, ncclUniqueId *uniqueId)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = sim_comm_check(comm, "ncclCommGetUniqueId", &cr);
    if (!rc)
        rc = sim_comm_ready(cr);
    if (rc)
        return rc;
    if (!uniqueId) {
        sim_warn("CommGetUniqueId : uniqueId argument is NULL");
        return ncclInvalidArgument;
    }
    if (sim_env_text(ENV_COMM_ID)) {
        sim_warn("ncclCommGetUniqueId should not be called when NCCL_COMM_ID is set");
        return ncclInvalidUsage;
    }
    sim_unique_id_of(cr->comm, uniqueId);
    return ncclSuccess;
}

/* Checks the arguments that a new rank must pass. */
static int check_newcomer(const struct init_request *r)
{
    if (r->rank < 0)
        sim_warn("ncclCommGrow: new ranks must pass valid rank >= 0, got %d", r->rank);
    else if (!r->id)
        sim_warn("ncclCommGrow: new ranks must pass non-NULL uniqueId");
    else if (r->rank >= r->nranks)
        sim_warn("ncclCommGrow: new rank %d exceeds total ranks %d", r->rank, r->nranks);
    else
        return ncclSuccess;
    return ncclInvalidArgument;
}

static int check_old_rank(const struct init_request *r, struct comm_rank *parent)
{
    if (parent->state == COMM_REVOKED) {
        sim_explain("the communicator was revoked");
        return ncclInvalidUsage;
    }
    int rc = sim_comm_ready(parent);
    if (rc || r->rank == -1)
        return rc;
    sim_warn("ncclCommGrow: existing ranks must pass rank=-1, got %d", r->rank);
    return ncclInvalidArgument;
}

static int queue_grow(struct context *c, const struct init_request *r, struct comm_rank *parent)
{
    struct comm_config config;
    int rc = parent ? check_old_rank(r, parent) : check_newcomer(r);
    if (!rc)
        rc = sim_config_read(r->config, parent ? &parent->config : NULL, &config);
    if (rc)
        return rc;
    *r->out = NULL;
    bool outermost = parent && (parent->rank == 0 || parent->rank == parent->nranks - 1);
    if (outermost && !r->id) {
        struct job *wait = sim_job_grow_wait(parent);
        sim_job_start(wait);
        rc = sim_job_wait(c, wait);
        if (rc)
            return rc;
    }
    struct gpu *gpu = parent ? parent->gpu : sim_process_gpu(c->process, c->device);
    struct comm_rank *cr = sim_comm_rank_new(parent ? parent->rank : r->rank, r->nranks, gpu, &config);
    return queue_comm(c, cr, sim_job_grow(cr, parent, r->id), r->out);
}

static int check_size(const ncclComm_t *newcomm, int nranks, const struct comm_rank *parent)
{
    if (!newcomm)
        return sim_silent("newcomm is NULL");
    if (nranks <= 0)
        sim_warn("ncclCommGrow: total ranks must be positive, got %d", nranks);
    else if (parent && nranks <= parent->nranks)
        sim_warn("ncclCommGrow: total ranks %d is less than current ranks %d", nranks, parent->nranks);
    else if (nranks > COMM_RANKS_MAX)
        sim_explain("the simulator has no room for so many ranks");
    else
        return ncclSuccess;
    return ncclInvalidArgument;
}

ncclResult_t sim_ncclCommGrow(ncclComm_t comm, int nRanks, const ncclUniqueId *uniqueId, int rank, ncclComm_t *newcomm,
                              ncclConfig_t *config)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *parent = comm ? sim_comm_find(comm) : NULL;
    int rc = check_size(newcomm, nRanks, parent);
    if (rc)
        return rc; /* not recorded in an open group */
    struct init_request r = { newcomm, nRanks, rank, uniqueId, 1, config };
    sim_group_begin(c);
    rc = comm ? sim_comm_check(comm, "ncclCommGrow", &parent) : ncclSuccess;
    if (!rc)
        rc = queue_grow(c, &r, parent);
    rc = sim_group_leave(c, rc);
    return rc == ncclInProgress ? ncclSuccess : rc;
}
