/* The exports of libnccl that NCCL got with 2.31 and 2.32: the collectives with a configuration, and encryption. A
 * configuration changes how fast a collective is, and never its result. The simulator checks it, then makes the collective.
 * Older versions refuse the call, as the name would not be there. */
#include "api/gen/versions.h"
#include "shim/absent.h"
#include "shim/newer.h"
#include "shim/shim.h"

static ncclResult_t refuse_newer(struct ncs_absent *function)
{
    ncs_shim_leave();
    ncs_shim_count_absent(function);
    return ncclInvalidUsage;
}

/* What the launch of the collective completes is recorded before it, as with CUDA before 12.3 (nccl.h of 2.32.3). */
static ncclResult_t check_config(const struct ncs_api *api, const ncclCollConfig_t *config, cudaStream_t stream)
{
    ncclResult_t rc = ncs_shim_check_coll_config(config);
    cudaEvent_t event = rc ? NULL : ncs_shim_launch_event(config);
    if (event && api->cudaEventRecord(event, stream) != cudaSuccess)
        return ncclUnhandledCudaError;
    return rc;
}

#define NEWER_ENTER(plain, function)                                                                          \
    static struct ncs_absent absent = { .name = #function, .why = "it came with NCCL " NCS_CAME_##function }; \
    const struct ncs_api *api = ncs_shim_enter(NCS_FN_##plain);                                               \
    if (!api)                                                                                                 \
        return (ncclResult_t)ncs_shim_refusal();                                                              \
    if (!ncs_shim_is_since(NCS_SINCE_##function))                                                             \
        return refuse_newer(&absent);

#define WITH_CONFIG(plain, parameters, ...)                  \
    ncclResult_t plain##Config parameters;                   \
    ncclResult_t plain##Config parameters                    \
    {                                                        \
        NEWER_ENTER(plain, plain##Config)                    \
        ncclResult_t rc = check_config(api, config, stream); \
        if (!rc)                                             \
            rc = api->plain(__VA_ARGS__);                    \
        ncs_shim_leave();                                    \
        return rc;                                           \
    }                                                        \
    extern __typeof__(plain##Config) p##plain##Config __attribute__((alias(#plain "Config")));

#define BUFFERS const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype
#define REST ncclComm_t comm, cudaStream_t stream, const ncclCollConfig_t *config

WITH_CONFIG(ncclAllReduce, (BUFFERS, ncclRedOp_t op, REST), sendbuff, recvbuff, count, datatype, op, comm, stream)
WITH_CONFIG(ncclReduce, (BUFFERS, ncclRedOp_t op, int root, REST), sendbuff, recvbuff, count, datatype, op, root, comm, stream)
WITH_CONFIG(ncclReduceScatter, (BUFFERS, ncclRedOp_t op, REST), sendbuff, recvbuff, count, datatype, op, comm, stream)
WITH_CONFIG(ncclBroadcast, (BUFFERS, int root, REST), sendbuff, recvbuff, count, datatype, root, comm, stream)
WITH_CONFIG(ncclAllGather, (BUFFERS, REST), sendbuff, recvbuff, count, datatype, comm, stream)
WITH_CONFIG(ncclAlltoAll, (BUFFERS, REST), sendbuff, recvbuff, count, datatype, comm, stream)
WITH_CONFIG(ncclGather, (BUFFERS, int root, REST), sendbuff, recvbuff, count, datatype, root, comm, stream)
WITH_CONFIG(ncclScatter, (BUFFERS, int root, REST), sendbuff, recvbuff, count, datatype, root, comm, stream)

NCS_SHIM_DEFINE(ncclResult_t, ncclSetEncryption, const ncclEncryptionConfig_t *config)
{
    NEWER_ENTER(ncclGetVersion, ncclSetEncryption)
    ncclResult_t rc = ncs_shim_check_encryption(config);
    ncs_shim_leave();
    return rc;
}
extern __typeof__(ncclSetEncryption) pncclSetEncryption __attribute__((alias("ncclSetEncryption")));
