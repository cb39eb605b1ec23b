/* What is CUDA 13's own: the layout that the simulator knows. */
#include "shim/shim.h"

#define RUNTIME_VERSION 13000

extern __typeof__(*((struct ncs_api *)0)->cudaGetDeviceProperties) cudaGetDeviceProperties;
extern __typeof__(*((struct ncs_api *)0)->cudaRuntimeGetVersion) cudaRuntimeGetVersion;

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    const struct ncs_api *api = ncs_shim_enter(NCS_FN_cudaGetDeviceProperties);
    if (!api)
        return (cudaError_t)ncs_shim_refusal();
    cudaError_t rc = api->cudaGetDeviceProperties(prop, device);
    ncs_shim_leave();
    return rc;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    const struct ncs_api *api = ncs_shim_enter(NCS_FN_cudaRuntimeGetVersion);
    if (!api)
        return (cudaError_t)ncs_shim_refusal();
    cudaError_t rc = api->cudaRuntimeGetVersion(version);
    ncs_shim_leave();
    if (rc == cudaSuccess)
        *version = RUNTIME_VERSION;
    return rc;
}
