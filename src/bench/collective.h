/* The collectives that bench times: how much memory each needs for a size, how the ranks call it, and the
 * factor between algorithm and bus bandwidth. Sizes, counts and factors are those of nccl-tests 2.19.6
 * (src/<collective>.cu), so that figures can be compared with its own. */
#ifndef NCS_BENCH_COLLECTIVE_H
#define NCS_BENCH_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "api/gen/api.h"

/* What one rank needs for one size. */
struct ncs_bench_shape {
    size_t send, recv; /* elements that a rank reads and writes */
    size_t count;      /* the argument of the call, and the column `count` */
    /* In place, both buffers lie in one: a rank's offset in it is its number times this, in elements. */
    size_t send_step, recv_step;
};

/* One call of one rank. */
struct ncs_bench_call {
    const struct ncs_api *api;
    const void *send;
    void *recv;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t op;
    int root, rank, nranks;
    ncclComm_t comm;
    cudaStream_t stream;
};

struct ncs_bench_collective {
    const char *name;     /* "all_reduce" */
    const char *other;    /* another usual spelling, "allreduce"; or NULL */
    bool reduces, rooted; /* it has an operator, a root */
    bool fixed_place;     /* in place, its result is undefined: it is timed, not checked */
    bool power_of_two;    /* the number of ranks must be one */
    /* `count` elements as asked for, of which a multiple of the ranks and of 16 bytes may be left. */
    struct ncs_bench_shape (*shape)(size_t count, size_t bytes, int nranks);
    /* Bytes that count as moved for one byte of `count`, on which the algorithm bandwidth is based. */
    double (*volume)(int nranks);
    double (*factor)(int nranks); /* bus bandwidth for one of algorithm bandwidth */
    ncclResult_t (*call)(const struct ncs_bench_call *c);
};

extern const struct ncs_bench_collective ncs_bench_collective[]; /* name NULL at the end */

/* Finds "all_reduce"; also "allreduce", "all_reduce_perf" and "./build/all_reduce_perf_mpi", as nccl-tests
 * names its programs. NULL = unknown. */
const struct ncs_bench_collective *ncs_bench_find(const char *name);

#endif
