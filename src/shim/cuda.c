/* The exports of libcudart as NCS_RUNTIME_VERSION, except those of CUDA 12 alone (cuda_12.c). Programs
 * compiled for a default stream per thread call other names: a "ptsz" function takes stream 0 as the
 * thread's own stream, a "ptds" function runs in that stream. */
#include "shim/shim.h"

#define EXPORT_CUDA(kind, result, name, parameters, arguments, ...) \
    NCS_SHIM_EXPORT_##kind(result, name, name, parameters, arguments, __VA_ARGS__)
#define EXPORT_CUDA_PTSZ(kind, result, name, parameters, arguments, ...)                       \
    EXPORT_CUDA(kind, result, name, parameters, arguments, __VA_ARGS__)                        \
    NCS_SHIM_ENTER(result, name, name##_ptsz, parameters, (result)ncs_shim_refusal())          \
    result rc = (result)ncs_shim_in_own(api, NCS_FN_##name, (union ncs_arg[]){ __VA_ARGS__ }); \
    ncs_shim_leave();                                                                          \
    return rc;                                                                                 \
    }
/* Calls the asynchronous function on the thread's own stream, then waits for the stream. */
#define EXPORT_CUDA_PTDS(kind, result, name, parameters, arguments, ...)                                             \
    EXPORT_CUDA(kind, result, name, parameters, arguments, __VA_ARGS__)                                              \
    NCS_SHIM_ENTER(result, name, name##_ptds, parameters, (result)ncs_shim_refusal())                                \
    result rc = (result)ncs_shim_in_own(api, NCS_FN_##name##Async, (union ncs_arg[]){ __VA_ARGS__, { .p = NULL } }); \
    if (rc == cudaSuccess)                                                                                           \
        rc = api->cudaStreamSynchronize(cudaStreamPerThread);                                                        \
    ncs_shim_leave();                                                                                                \
    return rc;                                                                                                       \
    }
#define EXPORT_NCCL(...)
#define EXPORT_NONE(...)
#define NCS_FUNCTION(kind, export, ...) EXPORT_##export(kind, __VA_ARGS__)
#include "api/gen/functions.def"

#if NCS_RUNTIME_VERSION >= 13000 /* the version whose layouts and arguments the simulator has */
NCS_SHIM_EXPORT_CODE(cudaError_t, cudaGetDeviceProperties, cudaGetDeviceProperties, (struct cudaDeviceProp * prop, int device),
                     (prop, device), { .p = prop }, { .i = device })
EXPORT_CUDA(CODE, cudaError_t, cudaMemAdvise,
            (const void *p, size_t count, enum cudaMemoryAdvise advice, struct cudaMemLocation location),
            (p, count, advice, location), { .p = p }, { .u = count }, { .i = advice }, { .p = &location })
EXPORT_CUDA_PTSZ(CODE, cudaError_t, cudaMemPrefetchAsync,
                 (const void *p, size_t count, struct cudaMemLocation location, unsigned flags, cudaStream_t stream),
                 (p, count, location, flags, stream), { .p = p }, { .u = count }, { .p = &location }, { .u = flags },
                 { .p = stream })
#endif

NCS_SHIM_ENTER(cudaError_t, cudaRuntimeGetVersion, cudaRuntimeGetVersion, (int *version), (cudaError_t)ncs_shim_refusal())
cudaError_t rc = api->cudaRuntimeGetVersion(version);
ncs_shim_leave();
if (rc == cudaSuccess)
    *version = NCS_RUNTIME_VERSION;
return rc;
}
