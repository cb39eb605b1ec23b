/* NCCL when something is wrong with it: the drop-in library with some of its functions replaced, as the
 * variable FAULT says. What is not here the loader finds in the library itself.
 *   flip   an output of rank 1 has another first byte
 *   max    rank 1 reduces by the maximum, whatever was asked for
 *   stuck  a free never returns, as beside another rank's kernel on the same GPU
 *   still  nothing that was launched is ever over
 *   answers  an all-reduce of a bad type: 12 has another code, 255 ends the process, -1 never returns
 *   lost   from the second all-reduce on rank 1's never comes about, and every rank is told of it */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ncclscript/cuda_abi.h"
#include "ncclscript/nccl_abi.h"

ncclResult_t pncclAllReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
                            ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error);
const char *ncclGetLastError(ncclComm_t comm);
ncclResult_t pncclCommUserRank(const ncclComm_t comm, int *rank);
cudaError_t cudaFree(void *p);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream);

static _Thread_local int calls;

static int is(const char *fault)
{
    const char *set = getenv("FAULT");
    return set && strcmp(set, fault) == 0;
}

static int rank_of(ncclComm_t comm)
{
    int rank = -1;
    pncclCommUserRank(comm, &rank);
    return rank;
}

ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream)
{
    int other = rank_of(comm) == 1;
    calls++;
    while (is("answers") && (int)datatype == -1)
        pause();
    if (is("answers") && (int)datatype == 255)
        abort();
    if (is("answers") && (int)datatype == 12)
        return ncclInternalError;
    if (is("lost") && calls > 1 && other)
        return ncclSuccess;
    ncclResult_t rc = pncclAllReduce(sendbuff, recvbuff, count, datatype, is("max") && other ? ncclMax : op, comm, stream);
    if (is("flip") && other)
        cudaMemsetAsync(recvbuff, 0x55, 1, stream);
    return rc;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    (void)comm;
    *error = is("lost") && calls > 1 ? ncclRemoteError : ncclSuccess;
    return ncclSuccess;
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return is("lost") && calls > 1 ? "socket closed by remote peer" : "";
}

cudaError_t cudaFree(void *p)
{
    while (p && is("stuck"))
        pause();
    cudaError_t (*next)(void *) = (cudaError_t(*)(void *))dlsym(RTLD_NEXT, "cudaFree");
    return next(p);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t (*next)(cudaStream_t) = (cudaError_t(*)(cudaStream_t))dlsym(RTLD_NEXT, "cudaStreamQuery");
    return is("still") ? cudaErrorNotReady : next(stream);
}
