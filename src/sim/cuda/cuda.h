/* Shared by the CUDA functions: the entry with all its refusals, and the last error. */
#ifndef NCS_SIM_CUDA_H
#define NCS_SIM_CUDA_H

#include "sim/kernel/context.h"
#include "sim/kernel/gen/functions.h"
#include "sim/kernel/world.h"
#include "sim/settings/log.h"
#include "sim/settings/version.h"

/* The running context's current device. */
static inline struct gpu *sim_current_gpu(const struct context *c)
{
    return sim_process_gpu(c->process, c->device);
}

/* True if the running context's host has a device of that number. */
static inline bool sim_is_device(const struct context *c, int device)
{
    return device >= 0 && device < c->process->devices;
}

/* The machine's number of the device that the program knows by this number. */
static inline int sim_device_number(int device)
{
    return sim_world.options.numbers ? sim_world.options.numbers[device] : device;
}

/* The UUID of a device of the machine, from the numbers of its host and of the device. */
void sim_device_uuid(char uuid[16], int host, int number);

/* Records an error as the context's last one (cudaErrorNotReady is never recorded); returns it. */
static inline cudaError_t sim_cuda_return(struct context *c, int error)
{
    if (error != cudaSuccess && error != cudaErrorNotReady)
        c->cuda_error = error;
    return (cudaError_t)error;
}

/* A function of CUDA failed inside one of NCCL: logs it, sets CUDA's last error as this version of NCCL
 * leaves it, and returns ncclUnhandledCudaError. */
static inline int sim_cuda_failed_in_nccl(struct context *c, int error)
{
    sim_warn("Cuda failure '%s'", sim_cudaGetErrorString((cudaError_t)error));
    c->cuda_error = sim_version_does(DOES_CLEAR_CUDA_ERROR) ? sim_current_gpu(c)->fault : error;
    return ncclUnhandledCudaError;
}

/* The error with which all functions of CUDA fail: 35 without a driver, 100 without a
 * device; 0 = none. */
int sim_cuda_lack(void);
/* The error with which functions fail in this context: as sim_cuda_lack, or 800 inside a host
 * function; 0 = none. It also fails calls of NCCL. */
int sim_cuda_refusal(const struct context *c);
/* As sim_cuda_refusal, for NCCL's functions that call CUDA: logs it and returns
 * ncclUnhandledCudaError; 0 = none. */
int sim_cuda_refusal_in_nccl(struct context *c);

/* A CUDA function begins with it. It returns at once if the context is abandoned, and returns an error
 * if something refuses the call: the above, or the sticky error of a dead device. */
#define CUDA_ENTER(c)              \
    CUDA_ENTER_ANY(c);             \
    if (sim_current_gpu(c)->fault) \
    return sim_cuda_return(c, sim_current_gpu(c)->fault)

/* As CUDA_ENTER, for functions that work on a dead device. */
#define CUDA_ENTER_ANY(c)                    \
    struct context *c = sim_context_enter(); \
    if (!(c))                                \
        return cudaSuccess;                  \
    if (sim_cuda_refusal(c))                 \
    return sim_cuda_return(c, sim_cuda_refusal(c))

#endif
