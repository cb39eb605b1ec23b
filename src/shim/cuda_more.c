/* Functions of libcudart that are outside of the table of functions (src/api) because they say nothing about
 * communication: old names, switches of caches, and what they answer where nothing is captured into a graph. */
#include "shim/shim.h"
#include "sim/cuda/outside.h"

#define CALL(function, parameters, call)                                        \
    cudaError_t function parameters;                                            \
    cudaError_t function parameters                                             \
    {                                                                           \
        const struct ncs_api *api = ncs_shim_enter(NCS_FN_cudaPeekAtLastError); \
        if (!api)                                                               \
            return (cudaError_t)ncs_shim_refusal();                             \
        cudaError_t rc = call;                                                  \
        ncs_shim_leave();                                                       \
        return rc;                                                              \
    }

/* ---- capture: what is known of it is a status and a number; the graph and its nodes are not handed out ---- */

#define CAPTURE_INFO(function, parameters, edges)                                                             \
    CALL(function, parameters, api->cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, edges, count)) \
    CALL(function##_ptsz, parameters, api->cudaStreamGetCaptureInfo(capture_own(stream), status, id, graph, nodes, edges, count))

static cudaStream_t capture_own(cudaStream_t stream)
{
    return stream ? stream : cudaStreamPerThread;
}

#define WITH_NODES                                                                                         \
    cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, \
        const cudaGraphNode_t **nodes
#define WITH_EDGES WITH_NODES, const cudaGraphEdgeData **edges, size_t *count

#if NCS_RUNTIME_VERSION < 13000
#define SHORT_INFO cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id
CALL(cudaStreamGetCaptureInfo, (SHORT_INFO), api->cudaStreamGetCaptureInfo(stream, status, id, NULL, NULL, NULL, NULL))
CALL(cudaStreamGetCaptureInfo_ptsz, (SHORT_INFO),
     api->cudaStreamGetCaptureInfo(capture_own(stream), status, id, NULL, NULL, NULL, NULL))
CAPTURE_INFO(cudaStreamGetCaptureInfo_v2, (WITH_NODES, size_t *count), NULL)
CAPTURE_INFO(cudaStreamGetCaptureInfo_v3, (WITH_EDGES), edges)
#else
CAPTURE_INFO(cudaStreamGetCaptureInfo, (WITH_EDGES), edges)
#endif

/* ---- devices ---- */

static cudaError_t check_device(const struct ncs_api *api, int device)
{
    int devices = 0;
    cudaError_t rc = api->cudaGetDeviceCount(&devices);
    return rc != cudaSuccess || (device >= 0 && device < devices) ? rc : ncs_shim_refuse_cuda(cudaErrorInvalidDevice);
}

static cudaError_t check_devices(const struct ncs_api *api, const int *device, int count)
{
    cudaError_t rc = cudaSuccess;
    for (int i = 0; device && i < count && rc == cudaSuccess; i++)
        rc = check_device(api, device[i]);
    return rc;
}
CALL(cudaInitDevice, (int device), check_device(api, device))
CALL(cudaSetValidDevices, (const int *device, int count), check_devices(api, device, count))

/* Attributes of a pair: 1 is a rank of performance, 2 to 4 are abilities. */
static cudaError_t p2p_attribute(const struct ncs_api *api, int *value, int attribute, int from, int to)
{
    int can = 0;
    if (!value || attribute < 1 || attribute > 4)
        return ncs_shim_refuse_cuda(cudaErrorInvalidValue);
    cudaError_t rc = api->cudaDeviceCanAccessPeer(&can, from, to);
    if (rc == cudaSuccess)
        *value = attribute == 1 ? 0 : can;
    return rc;
}
CALL(cudaDeviceGetP2PAttribute, (int *value, int attribute, int from, int to), p2p_attribute(api, value, attribute, from, to))

/* ---- switches without an effect here ---- */

static cudaError_t answer_with(int *value, int is)
{
    if (!value)
        return ncs_shim_refuse_cuda(cudaErrorInvalidValue);
    *value = is;
    return cudaSuccess;
}
enum { PREFER_NONE = 0, FOUR_BYTE_BANKS = 1, READ_WRITE = 3 }; /* driver_types.h of CUDA 13.0 */
CALL(cudaDeviceGetCacheConfig, (int *config), answer_with(config, PREFER_NONE))
CALL(cudaDeviceSetCacheConfig, (int config), ((void)config, (void)api, cudaSuccess))
CALL(cudaDeviceGetSharedMemConfig, (int *config), answer_with(config, FOUR_BYTE_BANKS))
CALL(cudaDeviceSetSharedMemConfig, (int config), ((void)config, (void)api, cudaSuccess))
CALL(cudaCtxResetPersistingL2Cache, (void), ((void)api, cudaSuccess))
CALL(cudaDeviceFlushGPUDirectRDMAWrites, (void), ((void)api, cudaSuccess))
CALL(cudaMemPoolSetAccess, (void), ((void)api, cudaSuccess)) /* every device reads every pool */
CALL(cudaMemPoolGetAccess, (int *flags), answer_with(flags, READ_WRITE))

/* ---- second names ---- */

CALL(cudaLaunchHostFunc_v2, (cudaStream_t stream, cudaHostFn_t function, void *data),
     api->cudaLaunchHostFunc(stream, function, data))
CALL(cudaLaunchHostFunc_v2_ptsz, (cudaStream_t stream, cudaHostFn_t function, void *data),
     api->cudaLaunchHostFunc(stream ? stream : cudaStreamPerThread, function, data))
#if NCS_RUNTIME_VERSION < 13000
CALL(cudaEventElapsedTime_v2, (float *ms, cudaEvent_t from, cudaEvent_t to), api->cudaEventElapsedTime(ms, from, to))
CALL(cudaThreadSynchronize, (void), api->cudaDeviceSynchronize())
CALL(cudaThreadExit, (void), api->cudaDeviceReset())
CALL(cudaThreadGetCacheConfig, (int *config), answer_with(config, PREFER_NONE))
CALL(cudaThreadSetCacheConfig, (int config), ((void)config, (void)api, cudaSuccess))
CALL(cudaThreadGetLimit, (size_t * value, enum cudaLimit limit), api->cudaDeviceGetLimit(value, limit))
CALL(cudaThreadSetLimit, (enum cudaLimit limit, size_t value), api->cudaDeviceSetLimit(limit, value))
#endif

struct channel {
    int x, y, z, w, kind;
};

/* Only puts its arguments together. */
NCS_SHIM_DEFINE(struct channel, cudaCreateChannelDesc, int x, int y, int z, int w, int kind)
{
    return (struct channel){ x, y, z, w, kind };
}
