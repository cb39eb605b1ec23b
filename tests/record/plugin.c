/* A library that is linked with libnccl, for host.c to open: so does PyTorch. */
#include "ncclscript/cuda_abi.h"
#include "ncclscript/nccl_abi.h"

extern ncclResult_t ncclGetUniqueId(ncclUniqueId *), ncclCommInitRank(ncclComm_t *, int, ncclUniqueId, int),
    ncclAllReduce(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t);
extern int plugin_reduce(int times);

int plugin_reduce(int times)
{
    static float data[8];
    ncclUniqueId id;
    ncclComm_t comm;
    int rc = ncclGetUniqueId(&id) || ncclCommInitRank(&comm, 1, id, 0);
    for (int i = 0; i < times && !rc; i++)
        rc = ncclAllReduce(data, data, 8, ncclFloat32, ncclSum, comm, NULL) != ncclSuccess;
    return rc;
}
