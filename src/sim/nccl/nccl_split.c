/* NCCL's functions that make communicators from the ranks of one: split and shrink. */
#include <stdlib.h>

#include "base/order.h"
#include "sim/comm/comm.h"
#include "sim/comm/group.h"
#include "sim/comm/life.h"
#include "sim/comm/split.h"
#include "sim/cuda/cuda.h"
#include "sim/kernel/gen/functions.h"
#include "sim/kernel/job.h"

/* On a non-blocking parent, split and shrink return at once; the parent is then in progress. */
static ncclResult_t split_leave(struct context *c, int rc)
{
    rc = sim_group_leave(c, rc);
    return rc == ncclInProgress ? ncclSuccess : rc;
}

static int check_out(const ncclComm_t *newcomm, const char *what)
{
    if (newcomm)
        return ncclSuccess;
    sim_warn("%s : newcomm argument is NULL", what);
    return ncclInvalidArgument;
}

static int queue_split(struct context *c, ncclComm_t comm, int color, int key, ncclComm_t *newcomm, const ncclConfig_t *given)
{
    struct comm_rank *cr;
    struct comm_config config;
    int rc = sim_cuda_refusal_in_nccl(c);
    if (!rc)
        rc = sim_comm_check(comm, "ncclCommSplit", &cr);
    if (!rc)
        rc = check_out(newcomm, "ncclCommSplit");
    if (!rc)
        rc = sim_comm_ready(cr);
    if (rc)
        return rc;
    *newcomm = NULL;
    rc = sim_config_read(color == NCCL_SPLIT_NOCOLOR ? NULL : given, &cr->config, &config);
    return rc ? rc : sim_group_add_job(c, sim_job_split(cr, color, key, newcomm, &config), cr);
}

ncclResult_t sim_ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *newcomm, ncclConfig_t *config)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    sim_group_begin(c);
    return split_leave(c, queue_split(c, comm, color, key, newcomm, config));
}

struct shrink_request {
    int *list; /* sorted in place, as NCCL does */
    int count;
    ncclComm_t *out;
    const ncclConfig_t *config;
    bool abort;
};

/* Checks that the real library does not make. */
static int check_entries(const struct shrink_request *r, const struct comm_rank *cr)
{
    const char *why = NULL;
    for (int i = 0; i < r->count && !why; i++) {
        if (i > 0 && r->list[i] == r->list[i - 1])
            why = "a rank is in the list twice, and the ranks would count themselves wrongly";
        if (r->list[i] < 0 || r->list[i] >= cr->nranks)
            why = "a number in the list is not a rank of the communicator";
    }
    if (!why)
        return ncclSuccess;
    sim_crash(why);
    return ncclInvalidArgument;
}

static int check_list(const struct shrink_request *r, const struct comm_rank *cr)
{
    if (!r->list) {
        sim_warn("ncclCommShrink : excludeRanksList argument is NULL");
        return ncclInvalidArgument;
    }
    if (r->count <= 0)
        return sim_silent("excludeRanksCount must be positive");
    qsort(r->list, (size_t)r->count, sizeof *r->list, ncs_order_ints);
    if (bsearch(&cr->rank, r->list, (size_t)r->count, sizeof *r->list, ncs_order_ints))
        return sim_silent("the rank is in its own list of excluded ranks");
    return ncclSuccess;
}

static int queue_shrink(struct context *c, ncclComm_t comm, const struct shrink_request *r)
{
    struct comm_rank *cr;
    struct comm_config config;
    int rc = sim_cuda_refusal_in_nccl(c);
    if (!rc)
        rc = sim_comm_check(comm, "ncclCommShrink", &cr);
    if (!rc)
        rc = check_out(r->out, "ncclCommShrink");
    if (!rc)
        rc = check_list(r, cr);
    if (!rc)
        rc = sim_comm_ready(cr);
    if (rc)
        return rc;
    *r->out = NULL;
    rc = sim_config_read(r->config, &cr->config, &config);
    if (!rc)
        rc = check_entries(r, cr);
    if (rc)
        return rc;
    bool shares = cr->config.value[CONFIG_SHRINK_SHARE] && !r->abort && cr->state != COMM_REVOKED;
    return sim_group_add_job(c, sim_job_shrink(cr, r->list, r->count, r->out, &config, shares), cr);
}

ncclResult_t sim_ncclCommShrink(ncclComm_t comm, int *excludeRanksList, int excludeRanksCount, ncclComm_t *newcomm,
                                ncclConfig_t *config, int shrinkFlags)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct shrink_request r = { excludeRanksList, excludeRanksCount, newcomm, config, shrinkFlags & NCCL_SHRINK_ABORT };
    if (!comm) {
        sim_crash("comm is NULL");
        return ncclInvalidArgument;
    }
    sim_group_begin(c);
    struct comm_rank *cr = sim_comm_find(comm);
    if (r.abort && cr && cr->comm && cr->state < COMM_ABORTED && !sim_cuda_refusal(c)) {
        struct job *quiesce = sim_job_quiesce(cr);
        sim_job_start(quiesce);
        sim_job_wait(c, quiesce);
    }
    return split_leave(c, queue_shrink(c, comm, &r));
}
