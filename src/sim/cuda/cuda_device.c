/* CUDA's functions for devices: number, current device, flags, limits, reset. */
#include "base/mem.h"
#include "sim/cuda/capture.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/data/pool.h"
#include "sim/kernel/gen/functions.h"

cudaError_t sim_cudaGetDeviceCount(int *count)
{
    struct context *c = sim_context_enter();
    if (!c)
        return cudaSuccess;
    if (count && sim_cuda_lack() == cudaErrorNoDevice)
        *count = 0;
    if (sim_cuda_refusal(c))
        return sim_cuda_return(c, sim_cuda_refusal(c));
    if (!count)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    *count = c->process->devices;
    return sim_cuda_return(c, sim_current_gpu(c)->fault);
}

cudaError_t sim_cudaSetDevice(int device)
{
    CUDA_ENTER_ANY(c);
    if (!sim_is_device(c, device))
        return sim_cuda_return(c, cudaErrorInvalidDevice);
    c->device = device;
    return sim_cuda_return(c, sim_current_gpu(c)->fault);
}

cudaError_t sim_cudaGetDevice(int *device)
{
    CUDA_ENTER(c);
    if (!device)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    *device = c->device;
    return cudaSuccess;
}

cudaError_t sim_cudaDeviceSynchronize(void)
{
    CUDA_ENTER(c);
    struct gpu *gpu = sim_current_gpu(c);
    int refused = sim_capture_refuses_device(c, gpu);
    if (refused)
        return sim_cuda_return(c, refused);
    sim_gpu_wait(c, gpu);
    return sim_cuda_return(c, gpu->fault);
}

/* Versions are known without any device. */
static cudaError_t give_version(int *version, int value)
{
    struct context *c = sim_context_enter();
    if (!c)
        return cudaSuccess;
    if (!version)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    *version = value;
    return cudaSuccess;
}

cudaError_t sim_cudaRuntimeGetVersion(int *version)
{
    return give_version(version, CUDA_VERSION_REPORTED);
}

cudaError_t sim_cudaDriverGetVersion(int *version)
{
    bool lacks = sim_cuda_lack() == cudaErrorInsufficientDriver;
    return give_version(version, lacks ? 0 : CUDA_VERSION_REPORTED);
}

/* Frees all that the process has on the device, and cancels work in progress. A dead device stays dead. */
cudaError_t sim_cudaDeviceReset(void)
{
    CUDA_ENTER(c);
    struct gpu *gpu = sim_current_gpu(c);
    gpu->resets++;
    sim_gpu_end_ops(gpu, cudaErrorContextIsDestroyed);
    sim_gpu_forget_streams(gpu);
    sim_pools_free_device(gpu);
    sim_memory_free_device(gpu->process, gpu->device);
    ncs_free(gpu->peer);
    gpu->peer = NULL;
    gpu->flags = 0;
    for (int i = 0; i < CUDA_LIMITS; i++)
        gpu->limited[i] = false;
    return cudaSuccess;
}

cudaError_t sim_cudaSetDeviceFlags(unsigned int flags)
{
    CUDA_ENTER(c);
    unsigned schedule = flags & cudaDeviceScheduleMask;
    bool one = (schedule & (schedule - 1)) == 0; /* at most one way to wait */
    if (flags & ~cudaDeviceMask || !one)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    sim_current_gpu(c)->flags = flags;
    return cudaSuccess;
}

cudaError_t sim_cudaGetDeviceFlags(unsigned int *flags)
{
    CUDA_ENTER(c);
    if (!flags)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    *flags = sim_current_gpu(c)->flags;
    return cudaSuccess;
}

static const size_t default_limits[CUDA_LIMITS] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = (size_t)1 << 20,
    [cudaLimitMallocHeapSize] = (size_t)8 << 20,
    [cudaLimitDevRuntimeSyncDepth] = 2,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 128,
    [cudaLimitPersistingL2CacheSize] = 0,
};

cudaError_t sim_cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    CUDA_ENTER(c);
    if ((unsigned)limit >= CUDA_LIMITS)
        return sim_cuda_return(c, cudaErrorUnsupportedLimit);
    sim_current_gpu(c)->limit[limit] = value;
    sim_current_gpu(c)->limited[limit] = true;
    return cudaSuccess;
}

cudaError_t sim_cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    CUDA_ENTER(c);
    if (!value)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if ((unsigned)limit >= CUDA_LIMITS)
        return sim_cuda_return(c, cudaErrorUnsupportedLimit);
    const struct gpu *gpu = sim_current_gpu(c);
    *value = gpu->limited[limit] ? gpu->limit[limit] : default_limits[limit];
    return cudaSuccess;
}

static cudaError_t nothing_to_do(void)
{
    CUDA_ENTER(c);
    return cudaSuccess;
}

cudaError_t sim_cudaProfilerStart(void)
{
    return nothing_to_do();
}

cudaError_t sim_cudaProfilerStop(void)
{
    return nothing_to_do();
}
