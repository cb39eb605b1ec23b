/* What the CUDA functions share: the entry with its sticky errors, and the last error. */
#ifndef NCS_SIM_CUDA_H
#define NCS_SIM_CUDA_H

#include "sim/comm.h"
#include "sim/context.h"
#include "sim/functions.h"
#include "sim/version.h"
#include "sim/world.h"

/* The running context's current device. */
static inline struct gpu *current_gpu(const struct context *c)
{
    return process_gpu(c->process, c->device);
}

/* Records an error as the context's last one (cudaErrorNotReady is never recorded); returns it. */
static inline cudaError_t cuda_return(struct context *c, int error)
{
    if (error != cudaSuccess && error != cudaErrorNotReady)
        c->cuda_error = error;
    return (cudaError_t)error;
}

/* What a function of NCCL's returns when one of CUDA's failed inside it: the last error, and CUDA's
 * last error as the version leaves it. */
static inline int cuda_failed_in_nccl(struct context *c, int error)
{
    nccl_warn("Cuda failure '%s'", sim_cudaGetErrorString((cudaError_t)error));
    c->cuda_error = nccl_does(DOES_CLEAR_CUDA_ERROR) ? current_gpu(c)->fault : error;
    return ncclUnhandledCudaError;
}

/* Entry of a CUDA function that touches the device: leaves the function at once for a context that
 * is being abandoned, and with the sticky error of a dead device. */
#define CUDA_ENTER(c)                                               \
    struct context *c = context_enter();                            \
    if (!(c))                                                       \
        return cudaSuccess;                                         \
    if (current_gpu(c)->fault)                                      \
    return cuda_return(c, current_gpu(c)->fault)

#endif
