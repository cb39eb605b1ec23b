/* CUDA's functions on devices: which there are, the current one, flags, limits, the end. */
#include "base/mem.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/host.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/data/pool.h"
#include "sim/kernel/gen/functions.h"

cudaError_t sim_cudaGetDeviceCount(int *count)
{
    struct context *c = context_enter();
    if (!c)
        return cudaSuccess;
    if (count && cuda_lack() == cudaErrorNoDevice)
        *count = 0;
    if (cuda_refusal(c))
        return cuda_return(c, cuda_refusal(c));
    if (!count)
        return cuda_return(c, cudaErrorInvalidValue);
    *count = sim_world.options.devices;
    return cuda_return(c, current_gpu(c)->fault);
}

cudaError_t sim_cudaSetDevice(int device)
{
    CUDA_ENTER_ANY(c);
    if (!is_device(device))
        return cuda_return(c, cudaErrorInvalidDevice);
    c->device = device;
    return cuda_return(c, current_gpu(c)->fault);
}

cudaError_t sim_cudaGetDevice(int *device)
{
    CUDA_ENTER(c);
    if (!device)
        return cuda_return(c, cudaErrorInvalidValue);
    *device = c->device;
    return cudaSuccess;
}

cudaError_t sim_cudaDeviceSynchronize(void)
{
    CUDA_ENTER(c);
    struct gpu *gpu = current_gpu(c);
    gpu_wait(c, gpu);
    return cuda_return(c, gpu->fault);
}

/* Versions are known without any device. */
static cudaError_t give_version(int *version, int value)
{
    struct context *c = context_enter();
    if (!c)
        return cudaSuccess;
    if (!version)
        return cuda_return(c, cudaErrorInvalidValue);
    *version = value;
    return cudaSuccess;
}

cudaError_t sim_cudaRuntimeGetVersion(int *version)
{
    return give_version(version, CUDA_VERSION_REPORTED);
}

cudaError_t sim_cudaDriverGetVersion(int *version)
{
    bool lacks = cuda_lack() == cudaErrorInsufficientDriver;
    return give_version(version, lacks ? 0 : CUDA_VERSION_REPORTED);
}

/* What the process has on the device is gone, work in progress as well. A dead device stays dead. */
cudaError_t sim_cudaDeviceReset(void)
{
    CUDA_ENTER(c);
    struct gpu *gpu = current_gpu(c);
    gpu->resets++;
    gpu_end_ops(gpu, cudaErrorContextIsDestroyed);
    gpu_forget_streams(gpu);
    pools_free_device(gpu);
    memory_free_device(gpu->process, gpu->device);
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
        return cuda_return(c, cudaErrorInvalidValue);
    current_gpu(c)->flags = flags;
    return cudaSuccess;
}

cudaError_t sim_cudaGetDeviceFlags(unsigned int *flags)
{
    CUDA_ENTER(c);
    if (!flags)
        return cuda_return(c, cudaErrorInvalidValue);
    *flags = current_gpu(c)->flags;
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
        return cuda_return(c, cudaErrorUnsupportedLimit);
    current_gpu(c)->limit[limit] = value;
    current_gpu(c)->limited[limit] = true;
    return cudaSuccess;
}

cudaError_t sim_cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    CUDA_ENTER(c);
    if (!value)
        return cuda_return(c, cudaErrorInvalidValue);
    if ((unsigned)limit >= CUDA_LIMITS)
        return cuda_return(c, cudaErrorUnsupportedLimit);
    const struct gpu *gpu = current_gpu(c);
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
