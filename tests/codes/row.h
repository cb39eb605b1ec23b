/* What the rows of rows/NAME.def are made of, and the words that their bodies are written in. */
#ifndef NCS_TEST_ROW_H
#define NCS_TEST_ROW_H

#include <stdio.h>

#include "../kernel/comm_lab.h"
#include "api/local.h"

enum { ABSENT = -101, HANGS = -102, SILENT = -103 };

/* What a row's code does to a group in which its body is run. */
enum row_group {
    ALONE,    /* the body is not run in a group */
    POISONS,  /* the body gives the row's code there too, and so does ncclGroupEnd */
    APART,    /* the body gives the row's code there too, and ncclGroupEnd knows nothing of it */
    DEFERRED, /* the body gives 0 there, and ncclGroupEnd the row's code */
};

#define UNTOUCHED "<untouched>" /* as a row's text: no text at all */
#define GARBAGE_SIZE 4096

struct row_options {
    bool bare; /* no world, stream and x: only the body */
    enum row_group group;
    const char *env[4];   /* NAME=VALUE */
    const char *also[8];  /* other functions of which the row says something */
    const char *old_text; /* of 2.28.9, where it differs */
    unsigned hang;        /* bit r: rank r waits for ever, while the others give the row's code */
    int capability, devices, ready_after;
    uint64_t device_memory;
    enum ncs_cuda_lack lack;
    bool no_peer_access, quirks;
    bool strict; /* only where no send is buffered */
    bool open;   /* the row leaves a group open */
    bool late;   /* the body enters the group itself, after what it prepares */
};

struct row {
    const char *id, *what, *function;
    size_t member; /* of the function in struct ncs_api */
    int ranks;
    int want[2];
    const char *text;
    struct row_options options;
    int (*body)(struct kernel_rank *r);
};

/* In a body: what every rank has, and places for what calls give back. */
#define ROW_WORDS                                                                   \
    __attribute__((unused)) ncclComm_t world = r->world, comm = NULL;               \
    __attribute__((unused)) cudaStream_t stream = r->stream, s = NULL;              \
    __attribute__((unused)) float *x = r->x, *y = r->x ? r->x + 8 : NULL;           \
    __attribute__((unused)) int rank = r->rank, nranks = r->nranks, n = -1, m = -1; \
    __attribute__((unused)) void *p = NULL, *handle = NULL;                         \
    __attribute__((unused)) size_t bytes = 0;                                       \
    __attribute__((unused)) ncclRedOp_t op = (ncclRedOp_t)-1;                       \
    __attribute__((unused)) ncclUniqueId id;                                        \
    __attribute__((unused)) ncclWindow_t window = NULL;                             \
    __attribute__((unused)) ncclResult_t state = ncclNumResults;                    \
    __attribute__((unused)) cudaEvent_t event = NULL;                               \
    __attribute__((unused)) float scalar = 2

static _Alignas(16) char garbage_memory[GARBAGE_SIZE];
#define GARBAGE ((void *)garbage_memory)

static bool in_group; /* the row is run in a group */

static inline void enter_group(void)
{
    if (in_group)
        OK(api->ncclGroupStart());
}

/* Ids that all ranks of a row know, by number; whoever asks first makes it. */
enum { ROW_IDS = 4 };
static ncclUniqueId row_id[ROW_IDS];
static bool row_id_known[ROW_IDS];

static inline ncclUniqueId id_of(int k)
{
    if (!row_id_known[k]) {
        row_id_known[k] = true;
        OK(api->ncclGetUniqueId(&row_id[k]));
    }
    return row_id[k];
}

/* Gives an id to whoever awaits it. */
static inline void publish_id(int k, ncclUniqueId id)
{
    row_id[k] = id;
    row_id_known[k] = true;
    machine->gate_wake(kernel_gate);
}

static inline bool await_id(int k)
{
    while (!row_id_known[k])
        if (!machine->gate_wait(kernel_gate, -1, "id", "row", -1, -1))
            return false;
    return true;
}

static inline ncclResult_t state_of(ncclComm_t comm)
{
    ncclResult_t state = ncclNumResults;
    OK(api->ncclCommGetAsyncError(comm, &state));
    return state;
}

/* A non-blocking communicator of all ranks, ready. */
static inline ncclComm_t ready_comm(struct kernel_rank *r)
{
    ncclComm_t comm = NULL;
    ncclConfig_t config = non_blocking();
    api->ncclCommInitRankConfig(&comm, r->nranks, id_of(1), r->rank, &config);
    OK(settle(comm));
    return comm;
}

/* One that stays in progress: its second rank never comes. */
static inline ncclComm_t pending_comm(void)
{
    ncclComm_t comm = NULL;
    ncclUniqueId id;
    ncclConfig_t config = non_blocking();
    OK(api->ncclGetUniqueId(&id));
    ck_assert_int_eq(api->ncclCommInitRankConfig(&comm, 2, id, 0, &config), ncclInProgress);
    return comm;
}

/* One in the error state 4. */
static inline ncclComm_t broken_comm(struct kernel_rank *r)
{
    ncclComm_t comm = ready_comm(r);
    ck_assert_int_eq(api->ncclBroadcast(r->x, r->x, 1, ncclFloat32, -1, comm, r->stream), 4);
    return comm;
}

static inline ncclComm_t own_comm(void)
{
    ncclComm_t comm = NULL;
    ncclUniqueId id;
    OK(api->ncclGetUniqueId(&id));
    OK(api->ncclCommInitRank(&comm, 1, id, 0));
    return comm;
}

static inline ncclComm_t destroyed_comm(void)
{
    ncclComm_t comm = own_comm();
    OK(api->ncclCommDestroy(comm));
    return comm;
}

static inline ncclComm_t finalized_comm(void)
{
    ncclComm_t comm = own_comm();
    OK(api->ncclCommFinalize(comm));
    return comm;
}

static inline ncclComm_t revoked_comm(void)
{
    ncclComm_t comm = own_comm();
    OK(api->ncclCommRevoke(comm, 0));
    return comm;
}

/* Functions in stream order. */
static inline void row_callback(cudaStream_t stream, cudaError_t status, void *n)
{
    (void)stream;
    *(int *)n = (int)status;
}

static inline void row_host_function(void *n)
{
    *(int *)n = 42;
}

static inline void row_host_function_with_cuda(void *n)
{
    *(int *)n = (int)api->cudaMalloc(&(void *){ NULL }, 16);
}

/* The arguments of a call that moves data, all good; rows spoil some. */
struct row_call {
    const void *send;
    void *recv;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t op;
    int root;
    ncclComm_t comm;
    cudaStream_t stream;
};

#define GOOD                                                                                                         \
    {                                                                                                                \
        .send = r->x, .recv = r->x + 8, .count = 1, .type = ncclFloat32, .op = ncclSum, .root = 0, .comm = r->world, \
        .stream = r->stream                                                                                          \
    }

#define CALL_ncclAllReduce(c) api->ncclAllReduce((c).send, (c).recv, (c).count, (c).type, (c).op, (c).comm, (c).stream)
#define CALL_ncclReduceScatter(c) api->ncclReduceScatter((c).send, (c).recv, (c).count, (c).type, (c).op, (c).comm, (c).stream)
#define CALL_ncclReduce(c) api->ncclReduce((c).send, (c).recv, (c).count, (c).type, (c).op, (c).root, (c).comm, (c).stream)
#define CALL_ncclBroadcast(c) api->ncclBroadcast((c).send, (c).recv, (c).count, (c).type, (c).root, (c).comm, (c).stream)
#define CALL_ncclBcast(c) api->ncclBcast((c).recv, (c).count, (c).type, (c).root, (c).comm, (c).stream)
#define CALL_ncclAllGather(c) api->ncclAllGather((c).send, (c).recv, (c).count, (c).type, (c).comm, (c).stream)
#define CALL_ncclAlltoAll(c) api->ncclAlltoAll((c).send, (c).recv, (c).count, (c).type, (c).comm, (c).stream)
#define CALL_ncclGather(c) api->ncclGather((c).send, (c).recv, (c).count, (c).type, (c).root, (c).comm, (c).stream)
#define CALL_ncclScatter(c) api->ncclScatter((c).send, (c).recv, (c).count, (c).type, (c).root, (c).comm, (c).stream)
#define CALL_ncclSend(c) api->ncclSend((c).send, (c).count, (c).type, (c).root, (c).comm, (c).stream)
#define CALL_ncclRecv(c) api->ncclRecv((c).recv, (c).count, (c).type, (c).root, (c).comm, (c).stream)

/* X(function, the name that its texts have) */
#define EACH_REDUCTION(X) X(ncclAllReduce, "AllReduce") X(ncclReduce, "Reduce") X(ncclReduceScatter, "ReduceScatter")
#define EACH_MOVEMENT(X)          \
    X(ncclBroadcast, "Broadcast") \
    X(ncclBcast, "Broadcast")     \
    X(ncclAllGather, "AllGather") \
    X(ncclAlltoAll, "AlltoAll")   \
    X(ncclGather, "Gather")       \
    X(ncclScatter, "Scatter")
#define EACH_COLL(X) EACH_REDUCTION(X) EACH_MOVEMENT(X)
#define EACH_PAIR(X) X(ncclSend, "Send") X(ncclRecv, "Recv")
#define EACH_CALL(X) EACH_COLL(X) EACH_PAIR(X)
#define EACH_ROOTED(X)      \
    X(ncclReduce, "Reduce") \
    X(ncclBroadcast, "Broadcast") X(ncclBcast, "Broadcast") X(ncclGather, "Gather") X(ncclScatter, "Scatter") EACH_PAIR(X)

#endif
