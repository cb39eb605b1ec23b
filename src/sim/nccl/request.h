/* One communication call with its arguments, and the checks that all such calls share. */
#ifndef NCS_SIM_REQUEST_H
#define NCS_SIM_REQUEST_H

#include <stddef.h>

#include "ncclscript/nccl_abi.h"
#include "sim/comm/launch.h"

struct comm_rank;
struct rma;

/* Arguments that only one-sided calls have. */
struct one_sided {
    ncclWindow_t window; /* of a put */
    size_t offset;
    int sig_idx, ctx;
    unsigned flags;
    int waits; /* of a wait: the list */
    const ncclWaitSignalDesc_t *wait;
};

struct request {
    enum ncs_fn fn; /* its name in NCCL's messages: sim_request_name */
    const void *send;
    void *recv;
    size_t count;
    ncclDataType_t dtype;
    int op;
    int root; /* or the peer */
    ncclComm_t comm;
    cudaStream_t stream;
};

/* Runs NCCL's checks in their order, then queues the call in the group. `o` is for one-sided calls. */
ncclResult_t sim_request_submit(const struct request *r, const struct one_sided *o);

/* The checks of one-sided calls, after the common ones. *out gets the data for the part. */
int sim_rma_check(const struct request *r, const struct one_sided *o, const struct comm_rank *cr, struct rma **out);

#endif
