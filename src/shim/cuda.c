/* What libcudart exports as NCS_RUNTIME_VERSION, but for what is CUDA 12's alone (cuda_12.c). Programs compiled with
 * a default stream per thread call other names: "ptsz" put a stream of 0 in the thread's own, "ptds" are
 * done in it. */
#include "shim/shim.h"

#define EXPORT_CUDA(kind, result, name, parameters, arguments, ...)                                \
    NCS_SHIM_EXPORT_##kind(result, name, name, parameters, arguments, __VA_ARGS__)
#define EXPORT_CUDA_PTSZ(kind, result, name, parameters, arguments, ...)                           \
    EXPORT_CUDA(kind, result, name, parameters, arguments, __VA_ARGS__)                            \
    NCS_SHIM_ENTER(result, name, name##_ptsz, parameters, (result)ncs_shim_refusal())              \
        result rc = (result)ncs_shim_in_own(api, NCS_FN_##name, (union ncs_arg[]){ __VA_ARGS__ }); \
        ncs_shim_leave();                                                                          \
        return rc;                                                                                 \
    }
/* By the function that takes a stream, which is waited for. */
#define EXPORT_CUDA_PTDS(kind, result, name, parameters, arguments, ...)                           \
    EXPORT_CUDA(kind, result, name, parameters, arguments, __VA_ARGS__)                            \
    NCS_SHIM_ENTER(result, name, name##_ptds, parameters, (result)ncs_shim_refusal())              \
        result rc = (result)ncs_shim_in_own(api, NCS_FN_##name##Async,                             \
                                            (union ncs_arg[]){ __VA_ARGS__, { .p = NULL } });      \
        if (rc == cudaSuccess)                                                                     \
            rc = api->cudaStreamSynchronize(cudaStreamPerThread);                                  \
        ncs_shim_leave();                                                                          \
        return rc;                                                                                 \
    }
#define EXPORT_NCCL(...)
#define EXPORT_NONE(...)
#define NCS_FUNCTION(kind, export, ...) EXPORT_##export(kind, __VA_ARGS__)
#include "api/gen/functions.def"

#if NCS_RUNTIME_VERSION >= 13000 /* whose layout the simulator knows */
NCS_SHIM_EXPORT_CODE(cudaError_t, cudaGetDeviceProperties, cudaGetDeviceProperties,
                     (struct cudaDeviceProp *prop, int device), (prop, device), { .p = prop },
                     { .i = device })
#endif

NCS_SHIM_ENTER(cudaError_t, cudaRuntimeGetVersion, cudaRuntimeGetVersion, (int *version),
               (cudaError_t)ncs_shim_refusal())
    cudaError_t rc = api->cudaRuntimeGetVersion(version);
    ncs_shim_leave();
    if (rc == cudaSuccess)
        *version = NCS_RUNTIME_VERSION;
    return rc;
}
