/* A journal around a driver whose result codes and handles the tests set. */
#ifndef NCS_TESTS_UNIT_JOURNAL_LAB_H
#define NCS_TESTS_UNIT_JOURNAL_LAB_H

#include "harness.h"

#include <pthread.h>
#include <string.h>

#include "api/journal.h"
#include "api/snapshot.h"
#include "base/mem.h"
#include "base/str.h"
#include "driver/journal.h"

static struct ncs_api fake;
static const struct ncs_api *api;
static struct ncs_journal *journal;
static struct ncs_local locals[4];

static ncclResult_t nccl_code;
static int next_id = 1, device, redop_handle = 77;
static char handle_memory[1024];
static size_t handles;
static _Thread_local ncclComm_t *late; /* where an init in a group is to store its handle at the group's end */
static bool is_late;
static struct ncs_call in_flight; /* a copy of the record as the driver saw it */

static inline ncclComm_t next_handle(void)
{
    return (ncclComm_t)(void *)&handle_memory[handles++];
}

static inline ncclResult_t get_unique_id(ncclUniqueId *id)
{
    memset(id, 0, sizeof *id);
    memcpy(id->internal, &next_id, sizeof next_id);
    next_id++;
    return ncclSuccess;
}

static inline ncclResult_t init_rank(ncclComm_t *out, int nranks, ncclUniqueId id, int rank)
{
    (void)nranks, (void)id, (void)rank;
    if (ncs_local)
        in_flight = ncs_call_copy(ncs_local->call);
    if (nccl_code == ncclSuccess && is_late)
        late = out;
    else if (nccl_code == ncclSuccess)
        *out = next_handle();
    return nccl_code;
}

static inline ncclResult_t init_all(ncclComm_t *out, int ndev, const int *devices)
{
    (void)devices;
    for (int i = 0; i < ndev && nccl_code == ncclSuccess; i++)
        out[i] = next_handle();
    return nccl_code;
}

static inline ncclResult_t end_comm(ncclComm_t comm)
{
    (void)comm;
    return nccl_code;
}

static inline ncclResult_t create_op(ncclRedOp_t *op, void *scalar, ncclDataType_t dtype, ncclScalarResidence_t residence,
                                     ncclComm_t comm)
{
    (void)scalar, (void)dtype, (void)residence, (void)comm;
    *op = (ncclRedOp_t)redop_handle;
    return nccl_code;
}

static inline ncclResult_t destroy_op(ncclRedOp_t op, ncclComm_t comm)
{
    (void)op, (void)comm;
    return nccl_code;
}

static inline ncclResult_t all_reduce(const void *send, void *recv, size_t count, ncclDataType_t dtype, ncclRedOp_t op,
                                      ncclComm_t comm, cudaStream_t stream)
{
    (void)send, (void)recv, (void)count, (void)dtype, (void)op, (void)comm, (void)stream;
    in_flight = ncs_call_copy(ncs_local->call);
    return nccl_code;
}

static inline ncclResult_t broadcast(const void *send, void *recv, size_t count, ncclDataType_t dtype, int root, ncclComm_t comm,
                                     cudaStream_t stream)
{
    (void)send, (void)recv, (void)count, (void)dtype, (void)root, (void)comm, (void)stream;
    return nccl_code;
}

static inline ncclResult_t bcast(void *buff, size_t count, ncclDataType_t dtype, int root, ncclComm_t comm, cudaStream_t stream)
{
    (void)buff, (void)count, (void)dtype, (void)root, (void)comm, (void)stream;
    return nccl_code;
}

static inline ncclResult_t do_send(const void *buff, size_t count, ncclDataType_t dtype, int peer, ncclComm_t comm,
                                   cudaStream_t stream)
{
    (void)buff, (void)count, (void)dtype, (void)peer, (void)comm, (void)stream;
    return nccl_code;
}

static inline ncclResult_t do_recv(void *buff, size_t count, ncclDataType_t dtype, int peer, ncclComm_t comm, cudaStream_t stream)
{
    (void)buff, (void)count, (void)dtype, (void)peer, (void)comm, (void)stream;
    return nccl_code;
}

static inline ncclResult_t do_signal(int peer, int index, int context, unsigned flags, ncclComm_t comm, cudaStream_t stream)
{
    (void)peer, (void)index, (void)context, (void)flags, (void)comm, (void)stream;
    return nccl_code;
}

static inline ncclResult_t group_start(void)
{
    return ncclSuccess;
}

static inline ncclResult_t group_end(void)
{
    if (late)
        *late = next_handle();
    late = NULL;
    return nccl_code;
}

static inline const char *error_string(ncclResult_t result)
{
    (void)result;
    return "text";
}

static inline cudaError_t get_device(int *out)
{
    *out = device;
    return cudaSuccess;
}

static inline cudaError_t device_sync(void)
{
    return cudaSuccess;
}

/* Calls made by another thread of the run while a synchronisation is in flight. */
static int calls_meanwhile;

static inline cudaError_t stream_sync(cudaStream_t stream)
{
    struct ncs_local *mine = ncs_local;

    (void)stream;
    ncs_local = &locals[1];
    for (int i = 0; i < calls_meanwhile; i++)
        api->cudaDeviceSynchronize();
    ncs_local = mine;
    return cudaSuccess;
}

static inline void open_with(size_t limit)
{
    fake = (struct ncs_api){
        .ncclGetUniqueId = get_unique_id,
        .ncclCommInitRank = init_rank,
        .ncclCommInitAll = init_all,
        .ncclCommDestroy = end_comm,
        .ncclCommAbort = end_comm,
        .ncclRedOpCreatePreMulSum = create_op,
        .ncclRedOpDestroy = destroy_op,
        .ncclAllReduce = all_reduce,
        .ncclBroadcast = broadcast,
        .ncclBcast = bcast,
        .ncclSend = do_send,
        .ncclRecv = do_recv,
        .ncclSignal = do_signal,
        .ncclGroupStart = group_start,
        .ncclGroupEnd = group_end,
        .ncclGetErrorString = error_string,
        .cudaGetDevice = get_device,
        .cudaDeviceSynchronize = device_sync,
        .cudaStreamSynchronize = stream_sync,
    };
    journal = ncs_journal_open(limit, false);
    api = ncs_journal_wrap(journal, &fake);
    for (int i = 0; i < 4; i++)
        locals[i] = (struct ncs_local){ .rank = i };
    ncs_local = &locals[0];
}

static inline void open_plain(void)
{
    open_with(1 << 20);
}

static inline ncclUniqueId new_id(void)
{
    ncclUniqueId id;

    ck_assert_int_eq(api->ncclGetUniqueId(&id), ncclSuccess);
    return id;
}

static inline ncclComm_t join(int local, int nranks, ncclUniqueId id, int rank)
{
    ncclComm_t comm = NULL;

    ncs_local = &locals[local];
    api->ncclCommInitRank(&comm, nranks, id, rank);
    return comm;
}

static inline void reduce(int local, ncclComm_t comm, size_t count, int op)
{
    ncs_local = &locals[local];
    api->ncclAllReduce(NULL, NULL, count, ncclFloat32, (ncclRedOp_t)op, comm, NULL);
}

#endif
