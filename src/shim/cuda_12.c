/* What CUDA 12 has otherwise than 13: the layout of a device's properties, and functions whose arguments 13 has changed,
 * under whose old name with _v2 12 has the new arguments. */
#include <string.h>

#include "shim/shim.h"

/* In CUDA 12's order: BOTH(type, name, length) exist in 13 too, OWN(name, value) do not; a length of 1
 * means a single number. */
/* clang-format off */
#define PROPERTIES(BOTH, OWN) \
    BOTH(char, name, 256) BOTH(char, uuid, 16) BOTH(char, luid, 8)                                \
    BOTH(unsigned, luidDeviceNodeMask, 1) BOTH(size_t, totalGlobalMem, 1)                         \
    BOTH(size_t, sharedMemPerBlock, 1) BOTH(int, regsPerBlock, 1) BOTH(int, warpSize, 1)          \
    BOTH(size_t, memPitch, 1) BOTH(int, maxThreadsPerBlock, 1) BOTH(int, maxThreadsDim, 3)        \
    BOTH(int, maxGridSize, 3) OWN(clockRate, 1980000) BOTH(size_t, totalConstMem, 1)              \
    BOTH(int, major, 1) BOTH(int, minor, 1) BOTH(size_t, textureAlignment, 1)                     \
    BOTH(size_t, texturePitchAlignment, 1) OWN(deviceOverlap, 1)                                  \
    BOTH(int, multiProcessorCount, 1) OWN(kernelExecTimeoutEnabled, 0) BOTH(int, integrated, 1)   \
    BOTH(int, canMapHostMemory, 1) OWN(computeMode, 0) BOTH(int, maxTexture1D, 1)                 \
    BOTH(int, maxTexture1DMipmap, 1) OWN(maxTexture1DLinear, 268435456)                           \
    BOTH(int, maxTexture2D, 2) BOTH(int, maxTexture2DMipmap, 2) BOTH(int, maxTexture2DLinear, 3)  \
    BOTH(int, maxTexture2DGather, 2) BOTH(int, maxTexture3D, 3) BOTH(int, maxTexture3DAlt, 3)     \
    BOTH(int, maxTextureCubemap, 1) BOTH(int, maxTexture1DLayered, 2)                             \
    BOTH(int, maxTexture2DLayered, 3) BOTH(int, maxTextureCubemapLayered, 2)                      \
    BOTH(int, maxSurface1D, 1) BOTH(int, maxSurface2D, 2) BOTH(int, maxSurface3D, 3)              \
    BOTH(int, maxSurface1DLayered, 2) BOTH(int, maxSurface2DLayered, 3)                           \
    BOTH(int, maxSurfaceCubemap, 1) BOTH(int, maxSurfaceCubemapLayered, 2)                        \
    BOTH(size_t, surfaceAlignment, 1) BOTH(int, concurrentKernels, 1) BOTH(int, ECCEnabled, 1)    \
    BOTH(int, pciBusID, 1) BOTH(int, pciDeviceID, 1) BOTH(int, pciDomainID, 1)                    \
    BOTH(int, tccDriver, 1) BOTH(int, asyncEngineCount, 1) BOTH(int, unifiedAddressing, 1)        \
    OWN(memoryClockRate, 2619000) BOTH(int, memoryBusWidth, 1) BOTH(int, l2CacheSize, 1)          \
    BOTH(int, persistingL2CacheMaxSize, 1) BOTH(int, maxThreadsPerMultiProcessor, 1)              \
    BOTH(int, streamPrioritiesSupported, 1) BOTH(int, globalL1CacheSupported, 1)                  \
    BOTH(int, localL1CacheSupported, 1) BOTH(size_t, sharedMemPerMultiprocessor, 1)               \
    BOTH(int, regsPerMultiprocessor, 1) BOTH(int, managedMemory, 1) BOTH(int, isMultiGpuBoard, 1) \
    BOTH(int, multiGpuBoardGroupID, 1) BOTH(int, hostNativeAtomicSupported, 1)                    \
    OWN(singleToDoublePrecisionPerfRatio, 2) BOTH(int, pageableMemoryAccess, 1)                   \
    BOTH(int, concurrentManagedAccess, 1) BOTH(int, computePreemptionSupported, 1)                \
    BOTH(int, canUseHostPointerForRegisteredMem, 1) BOTH(int, cooperativeLaunch, 1)               \
    OWN(cooperativeMultiDeviceLaunch, 0) BOTH(size_t, sharedMemPerBlockOptin, 1)                  \
    BOTH(int, pageableMemoryAccessUsesHostPageTables, 1)                                          \
    BOTH(int, directManagedMemAccessFromHost, 1) BOTH(int, maxBlocksPerMultiProcessor, 1)         \
    BOTH(int, accessPolicyMaxWindowSize, 1) BOTH(size_t, reservedSharedMemPerBlock, 1)            \
    BOTH(int, hostRegisterSupported, 1) BOTH(int, sparseCudaArraySupported, 1)                    \
    BOTH(int, hostRegisterReadOnlySupported, 1) BOTH(int, timelineSemaphoreInteropSupported, 1)   \
    BOTH(int, memoryPoolsSupported, 1) BOTH(int, gpuDirectRDMASupported, 1)                       \
    BOTH(unsigned, gpuDirectRDMAFlushWritesOptions, 1) BOTH(int, gpuDirectRDMAWritesOrdering, 1)  \
    BOTH(unsigned, memoryPoolSupportedHandleTypes, 1)                                             \
    BOTH(int, deferredMappingCudaArraySupported, 1) BOTH(int, ipcEventSupported, 1)               \
    BOTH(int, clusterLaunch, 1) BOTH(int, unifiedFunctionPointers, 1)
/* clang-format on */

#define DECLARE_BOTH(type, name, length) type name[length];
#define DECLARE_OWN(name, value) int name;
struct properties {
    PROPERTIES(DECLARE_BOTH, DECLARE_OWN)
    int reserved[63];
};
_Static_assert(sizeof(struct properties) == 1032, "the size of CUDA 12's structure");

#define COPY_BOTH(type, name, length) memcpy(&to->name, &from->name, sizeof to->name);
#define COPY_OWN(name, value) to->name = value;
static void convert(struct properties *to, const struct cudaDeviceProp *from)
{
    memset(to, 0, sizeof *to);
    PROPERTIES(COPY_BOTH, COPY_OWN)
}

NCS_SHIM_DEFINE(cudaError_t, cudaGetDeviceProperties_v2, struct properties *prop, int device)
{
    const struct ncs_api *api = ncs_shim_enter(NCS_FN_cudaGetDeviceProperties);
    if (!api)
        return (cudaError_t)ncs_shim_refusal();
    struct cudaDeviceProp found;
    cudaError_t rc = api->cudaGetDeviceProperties(prop ? &found : NULL, device);
    ncs_shim_leave();
    if (rc == cudaSuccess)
        convert(prop, &found);
    return rc;
}

/* ---- a place of memory: a device's number, or in 13 and _v2 a kind and a number ---- */

static struct cudaMemLocation place_of_device(int device)
{
    return (struct cudaMemLocation){ .type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                                     .id = device < 0 ? 0 : device };
}

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Inlined, so that the place of the call is the exported function's caller. */
static ALWAYS_INLINE cudaError_t advise_12(const void *p, size_t count, enum cudaMemoryAdvise advice,
                                           struct cudaMemLocation location)
{
    const struct ncs_api *api = ncs_shim_enter(NCS_FN_cudaMemAdvise);
    if (!api)
        return (cudaError_t)ncs_shim_refusal();
    cudaError_t rc = api->cudaMemAdvise(p, count, advice, location);
    ncs_shim_leave();
    return rc;
}

static ALWAYS_INLINE cudaError_t prefetch(const void *p, size_t count, struct cudaMemLocation location, unsigned flags,
                                          cudaStream_t stream)
{
    const struct ncs_api *api = ncs_shim_enter(NCS_FN_cudaMemPrefetchAsync);
    if (!api)
        return (cudaError_t)ncs_shim_refusal();
    cudaError_t rc = api->cudaMemPrefetchAsync(p, count, location, flags, stream);
    ncs_shim_leave();
    return rc;
}

#define DEFINE(name, parameters, call) \
    cudaError_t name parameters;       \
    cudaError_t name parameters        \
    {                                  \
        return call;                   \
    }
DEFINE(cudaMemAdvise, (const void *p, size_t count, enum cudaMemoryAdvise advice, int device),
       advise_12(p, count, advice, place_of_device(device)))
DEFINE(cudaMemAdvise_v2, (const void *p, size_t count, enum cudaMemoryAdvise advice, struct cudaMemLocation location),
       advise_12(p, count, advice, location))
#define OWN_STREAM (stream ? stream : cudaStreamPerThread)
DEFINE(cudaMemPrefetchAsync, (const void *p, size_t count, int device, cudaStream_t stream),
       prefetch(p, count, place_of_device(device), 0, stream))
DEFINE(cudaMemPrefetchAsync_ptsz, (const void *p, size_t count, int device, cudaStream_t stream),
       prefetch(p, count, place_of_device(device), 0, OWN_STREAM))
DEFINE(cudaMemPrefetchAsync_v2,
       (const void *p, size_t count, struct cudaMemLocation location, unsigned flags, cudaStream_t stream),
       prefetch(p, count, location, flags, stream))
DEFINE(cudaMemPrefetchAsync_v2_ptsz,
       (const void *p, size_t count, struct cudaMemLocation location, unsigned flags, cudaStream_t stream),
       prefetch(p, count, location, flags, OWN_STREAM))
