/* A libnccl and libcudart that do nothing and wait for nobody, in the place of the real ones: processes need no GPU and no
 * simulator, and a call costs nothing beside its record. A wait ends at once, unless the file that STAND_IN_STUCK names
 * exists: then it never ends. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ncclscript/cuda_abi.h"
#include "ncclscript/nccl_abi.h"

struct ncclComm {
    int rank, nranks;
};

static ncclComm_t made(int rank, int nranks)
{
    static struct ncclComm all[4096];
    static int next;
    ncclComm_t comm = &all[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % 4096];
    *comm = (struct ncclComm){ rank, nranks };
    return comm;
}

/* Shows by a file with the number of the process that it stays here. */
static void stay_if_stuck(void)
{
    const char *file = getenv("STAND_IN_STUCK");
    char here[4096];
    if (!file || access(file, F_OK) != 0)
        return;
    snprintf(here, sizeof here, "%s.%d", file, (int)getpid());
    close(creat(here, 0600));
    for (;;)
        pause();
}

#define EXPORT(result, name, ...)    \
    extern result name(__VA_ARGS__); \
    result name(__VA_ARGS__)

EXPORT(ncclResult_t, ncclGetVersion, int *version)
{
    *version = 23007;
    return ncclSuccess;
}

/* STAND_IN_ID tells the ids of two starts apart. */
EXPORT(ncclResult_t, ncclGetUniqueId, ncclUniqueId *id)
{
    memset(id, 7, sizeof *id);
    if (getenv("STAND_IN_ID"))
        memset(id, atoi(getenv("STAND_IN_ID")), 8);
    return ncclSuccess;
}

EXPORT(ncclResult_t, ncclCommInitRank, ncclComm_t *comm, int nranks, ncclUniqueId id, int rank)
{
    (void)id;
    *comm = made(rank, nranks);
    return ncclSuccess;
}

EXPORT(ncclResult_t, ncclCommInitRankConfig, ncclComm_t *comm, int nranks, ncclUniqueId id, int rank, ncclConfig_t *config)
{
    (void)config;
    return ncclCommInitRank(comm, nranks, id, rank);
}

/* The ranks of a color are every second one: color = rank % 2. */
EXPORT(ncclResult_t, ncclCommSplit, ncclComm_t comm, int color, int key, ncclComm_t *out, ncclConfig_t *config)
{
    (void)key, (void)config;
    *out = color < 0 ? NULL : made(comm->rank / 2, comm->nranks / 2);
    return ncclSuccess;
}

EXPORT(ncclResult_t, ncclCommUserRank, ncclComm_t comm, int *rank)
{
    *rank = comm->rank;
    return ncclSuccess;
}
EXPORT(ncclResult_t, ncclCommCount, ncclComm_t comm, int *count)
{
    *count = comm->nranks;
    return ncclSuccess;
}
EXPORT(ncclResult_t, ncclCommDestroy, ncclComm_t comm)
{
    (void)comm;
    return ncclSuccess;
}

EXPORT(ncclResult_t, ncclCommGetAsyncError, ncclComm_t comm, ncclResult_t *state)
{
    (void)comm;
    *state = ncclSuccess;
    return ncclSuccess;
}

EXPORT(ncclResult_t, ncclAllReduce, const void *in, void *out, size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
       cudaStream_t stream)
{
    (void)in, (void)out, (void)type, (void)op, (void)stream;
    return comm && count < (size_t)1 << 40 ? ncclSuccess : ncclInvalidArgument;
}

EXPORT(ncclResult_t, ncclBroadcast, const void *in, void *out, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
       cudaStream_t stream)
{
    (void)in, (void)out, (void)count, (void)type, (void)stream;
    return root < comm->nranks ? ncclSuccess : ncclInvalidArgument;
}

/* As in NCCL, an export that calls another one. */
EXPORT(ncclResult_t, ncclBcast, void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream)
{
    return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}

EXPORT(ncclResult_t, ncclSend, const void *buffer, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
       cudaStream_t stream)
{
    (void)buffer, (void)count, (void)type, (void)peer, (void)comm, (void)stream;
    return ncclSuccess;
}

EXPORT(ncclResult_t, ncclRecv, void *buffer, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream)
{
    (void)buffer, (void)count, (void)type, (void)peer, (void)comm, (void)stream;
    return ncclSuccess;
}

EXPORT(ncclResult_t, ncclGroupStart, void)
{
    return ncclSuccess;
}
EXPORT(ncclResult_t, ncclGroupEnd, void)
{
    return ncclSuccess;
}

EXPORT(cudaError_t, cudaGetDevice, int *device)
{
    *device = 0;
    return cudaSuccess;
}

EXPORT(cudaError_t, cudaStreamSynchronize, cudaStream_t stream)
{
    (void)stream;
    stay_if_stuck();
    return cudaSuccess;
}

EXPORT(cudaError_t, cudaEventRecord, cudaEvent_t event, cudaStream_t stream)
{
    (void)event, (void)stream;
    return cudaSuccess;
}

EXPORT(cudaError_t, cudaEventQuery, cudaEvent_t event)
{
    (void)event;
    return cudaErrorNotReady;
}
