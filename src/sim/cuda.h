/* What the CUDA functions share: the entry with its sticky errors, and the last error. */
#ifndef NCS_SIM_CUDA_H
#define NCS_SIM_CUDA_H

#include "sim/context.h"
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

/* Entry of a CUDA function that touches the device: leaves the function at once for a context that
 * is being abandoned, and with the sticky error of a dead device. */
#define CUDA_ENTER(c)                                               \
    struct context *c = context_enter();                            \
    if (!(c))                                                       \
        return cudaSuccess;                                         \
    if (current_gpu(c)->fault)                                      \
    return cuda_return(c, current_gpu(c)->fault)

#endif
