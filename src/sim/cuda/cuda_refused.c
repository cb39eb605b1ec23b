/* CUDA's functions that exist, but that the virtual machine refuses: functions of the driver. */
#include "sim/cuda/cuda.h"
#include "sim/cuda/outside.h"
#include "sim/kernel/gen/functions.h"

cudaError_t sim_outside_refuse(int error)
{
    CUDA_ENTER(c);
    return sim_cuda_return(c, error);
}

/* The virtual driver has no entry points, so every symbol is not found. */
cudaError_t sim_cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int version,
                                                 unsigned long long flags, enum cudaDriverEntryPointQueryResult *result)
{
    CUDA_ENTER(c);
    (void)version;
    if (!symbol || !function || flags > 2)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    *function = NULL;
    if (result)
        *result = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

cudaError_t sim_cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                        enum cudaDriverEntryPointQueryResult *result)
{
    return sim_cudaGetDriverEntryPointByVersion(symbol, function, 0, flags, result);
}
