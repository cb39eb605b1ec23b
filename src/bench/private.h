/* What the files of the room share: one rank, and the calls that fail it. */
#ifndef NCS_BENCH_PRIVATE_H
#define NCS_BENCH_PRIVATE_H

#include "bench/bench.h"

/* What one rank has measured between two points where all ranks have come together. */
struct ncs_bench_interval {
    int64_t begin, enqueued, end; /* ns */
    int64_t apart;                /* ns that do not count */
};

struct ncs_bench_rank {
    struct ncs_bench *bench;
    struct ncs_run *run;
    int rank;
    ncclComm_t comm;
    cudaStream_t stream;
    char *send, *recv; /* of `room` bytes each */
    size_t room;
    void *registered[2];    /* handles of ncclCommRegister, */
    ncclWindow_t window[2]; /* or windows; NULL: neither */
    cudaGraphExec_t graph;  /* -G: of the timed calls, or of the verified one; NULL: none */
    ncclRedOp_t mulsum;     /* for the type that is being timed */
    void *host;             /* data on their way to the device, a period of the pattern at most */
    struct ncs_bench_interval interval;
    uint64_t rounds; /* barriers passed */
    double *each;    /* -I: microseconds of each call */
};

struct ncs_bench {
    const struct ncs_bench_collective *collective;
    struct ncs_bench_options options;
    int nranks;
    bool real; /* driver nccl */
    ncs_bench_on_row on_row;
    void *arg;
    struct ncs_run *run;
    struct ncs_bench_rank **rank;
    uint64_t rounds;                /* on the simulator: the latest barrier that a rank has left, */
    int64_t opened;                 /* and when the first one did */
    uint64_t wrong;                 /* elements, before the check in progress */
    int64_t used[NCS_BENCH_STAGES]; /* bytes of rank 0's device, in all */
};

/* Both return true for success; otherwise they report the error of the rank, which must return. */
bool ncs_bench_is_fine(struct ncs_bench_rank *r, ncclResult_t rc, const char *call);
bool ncs_bench_is_cuda_fine(struct ncs_bench_rank *r, cudaError_t rc, const char *call);

#define NCCL(r, api, name, ...) ncs_bench_is_fine((r), (api)->name(__VA_ARGS__), #name)
#define CUDA(r, api, name, ...) ncs_bench_is_cuda_fine((r), (api)->name(__VA_ARGS__), #name)

/* measure.c: times and checks one size on the calling rank, out of place and in place; rank 0 reports the row.
 * False when the rank must return. op, root: -1 = the collective has none. */
bool ncs_bench_measure(struct ncs_bench_rank *r, size_t size, int type, int op, int root);

/* graph.c, for -G: the calls between begin and end are captured, and each launch makes them all. Without -G nothing is captured, and
 * launch and drop do nothing. False when the rank must return. */
bool ncs_bench_graph_begin(struct ncs_bench_rank *r, const struct ncs_api *api);
bool ncs_bench_graph_end(struct ncs_bench_rank *r, const struct ncs_api *api);
bool ncs_bench_graph_launch(struct ncs_bench_rank *r, const struct ncs_api *api, int times);
bool ncs_bench_graph_drop(struct ncs_bench_rank *r, const struct ncs_api *api);

#endif
