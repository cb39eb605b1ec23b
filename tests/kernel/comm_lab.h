/* Helpers for tests of communicators: refusals with their text, configurations, and what
 * a communicator is. */
#ifndef NCS_TEST_COMM_LAB_H
#define NCS_TEST_COMM_LAB_H

#include "kernel.h"

static inline const char *last_error(void)
{
    return api->ncclGetLastError(NULL);
}

#define REFUSED(rc, text, call)                 \
    do {                                        \
        ck_assert_int_eq((call), (rc));         \
        ck_assert_str_eq(last_error(), (text)); \
    } while (0)

/* NCCL says nothing of it: the last error stays that of a call before. */
#define SILENT(rc, call)                                     \
    do {                                                     \
        char before[1024];                                   \
        snprintf(before, sizeof before, "%s", last_error()); \
        REFUSED(rc, before, call);                           \
    } while (0)

#define UNSET NCCL_CONFIG_UNDEF_INT
/* clang-format off */
static const ncclConfig_t unset = {
    .size = sizeof unset, .magic = NCCL_CONFIG_MAGIC, .version = NCCL_VERSION(2, 32, 3),
    .blocking = UNSET, .cgaClusterSize = UNSET, .minCTAs = UNSET, .maxCTAs = UNSET,
    .splitShare = UNSET, .trafficClass = UNSET, .collnetEnable = UNSET, .CTAPolicy = UNSET,
    .shrinkShare = UNSET, .nvlsCTAs = UNSET, .nChannelsPerNetPeer = UNSET,
    .nvlinkCentricSched = UNSET, .graphUsageMode = UNSET, .numRmaCtx = UNSET,
    .maxP2pPeers = UNSET, .graphStreamOrdering = UNSET, .launchOrderImplicit = UNSET,
    .numRmaSig = UNSET, .rmaEagerInit = UNSET, .hostCftMode = UNSET, .nvlsHostMode = UNSET,
};
/* clang-format on */

static inline ncclConfig_t non_blocking(void)
{
    ncclConfig_t c = unset;
    c.blocking = 0;
    return c;
}

static inline ncclResult_t settle(ncclComm_t comm)
{
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress && !machine->cancelled())
        OK(api->ncclCommGetAsyncError(comm, &state));
    return state;
}

static inline int count_of(ncclComm_t comm)
{
    int v = -1;
    OK(api->ncclCommCount(comm, &v));
    return v;
}

static inline int rank_of(ncclComm_t comm)
{
    int v = -1;
    OK(api->ncclCommUserRank(comm, &v));
    return v;
}

/* The sum over the communicator of what each rank puts in. */
static inline float sum_on(struct kernel_rank *r, ncclComm_t comm, float mine)
{
    r->x[0] = mine;
    OK(api->ncclAllReduce(r->x, r->x, 1, ncclFloat32, ncclSum, comm, r->stream));
    OK(api->cudaStreamSynchronize(r->stream));
    return r->x[0];
}

/* On fibers and on threads, without a seed and with one: every rank comes to its end. */
static inline void run_with(const struct ncs_machine_options *given, int ranks, void (*body)(struct kernel_rank *r))
{
    for (int variant = 0; variant < 4; variant++) {
        struct ncs_machine_options options = *given;
        options.own_threads = variant & 1;
        options.seeded = variant > 1;
        options.seed = (uint64_t)variant;
        kernel_open(&options);
        ck_assert_int_eq(kernel_run(ranks, body), NCS_STOP_DONE);
        for (int i = 0; i < ranks; i++)
            ck_assert(kernel_rank[i].finished);
        kernel_end();
    }
}

static inline void run_all(int ranks, void (*body)(struct kernel_rank *r))
{
    run_with(&(struct ncs_machine_options){ 0 }, ranks, body);
}

#endif
