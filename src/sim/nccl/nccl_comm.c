/* NCCL's queries: the version, and facts about a communicator. */
#include <string.h>

#include "sim/comm/comm.h"
#include "sim/comm/window.h"
#include "sim/cuda/cuda.h"
#include "sim/kernel/gen/functions.h"
#include "sim/kernel/world.h"

ncclResult_t sim_ncclGetVersion(int *version)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    if (!version)
        return ncclInvalidArgument;
    *version = sim_version_now();
    return ncclSuccess;
}

static bool has_settled(void *arg)
{
    const struct comm_rank *cr = arg;
    return cr->async != ncclInProgress;
}

ncclResult_t sim_ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = sim_comm_check(comm, "ncclGetAsyncError", &cr);
    if (!rc && cr->state >= COMM_ABORTED)
        rc = sim_comm_ready(cr);
    if (rc)
        return rc;
    if (!error) {
        sim_warn("ncclGetAsyncError : asyncError argument is NULL");
        return ncclInvalidArgument;
    }
    if (sim_poll(c, has_settled, cr))
        sim_progress_polled(c, false);
    bool late = cr->async == ncclSuccess && cr->ready_polls > 0;
    cr->ready_polls -= late;
    *error = late ? ncclInProgress : (ncclResult_t)cr->async;
    return ncclSuccess;
}

static ncclResult_t comm_query(ncclComm_t comm, int *out, const char *what, const char *argument,
                               int (*get)(const struct comm_rank *cr))
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = sim_comm_check(comm, what, &cr);
    if (rc)
        return rc;
    if (!out) {
        sim_warn("%s : %s argument is NULL", what, argument);
        return ncclInvalidArgument;
    }
    rc = sim_comm_ready(cr);
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
    return comm_query(comm, count, "CommCount", "count", get_count);
}

ncclResult_t sim_ncclCommCuDevice(ncclComm_t comm, int *device)
{
    return comm_query(comm, device, "CommCuDevice", "devid", get_device);
}

ncclResult_t sim_ncclCommUserRank(ncclComm_t comm, int *rank)
{
    return comm_query(comm, rank, "CommUserRank", "rank", get_rank);
}

static int count_hosts(const struct comm *comm)
{
    struct ncs_map seen = { 0 };
    int hosts = 0;
    for (int r = 0; r < comm->nranks; r++) {
        uint64_t key = (uint64_t)comm->member[r]->process->host + 1;
        if (ncs_map_get(&seen, key))
            continue;
        ncs_map_put(&seen, key, (void *)comm);
        hosts++;
    }
    ncs_map_free(&seen);
    return hosts;
}

ncclResult_t sim_ncclCommQueryProperties(ncclComm_t comm, ncclCommProperties_t *props)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = sim_comm_check(comm, "ncclCommQueryProperties", &cr);
    if (!rc)
        rc = sim_comm_ready(cr);
    if (rc)
        return rc;
    if (!props) {
        sim_warn("ncclCommQueryProperties : props argument is NULL");
        return ncclInvalidArgument;
    }
    props->rank = cr->rank;
    props->nRanks = cr->nranks;
    props->cudaDev = cr->gpu->device;
    props->nvmlDev = sim_device_number(cr->gpu->device);
    props->deviceApiSupport = props->multimemSupport = false; /* there are no kernels here */
    props->ginType = props->railedGinType = NCCL_GIN_TYPE_NONE;
    props->nLsaTeams = count_hosts(cr->comm);
    props->hostRmaSupport = sim_comm_has_rma(cr);
    return ncclSuccess;
}
