/* CUDA's functions for pinned host memory. Devices see it at the host's own addresses. */
#include "sim/cuda/cuda.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/kernel/gen/functions.h"

#define ALLOC_FLAGS \
    (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)
#define REGISTER_FLAGS \
    (cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly)

static bool is_pinned(const struct allocation *a)
{
    return a->kind == MEMORY_PINNED || a->kind == MEMORY_REGISTERED;
}

cudaError_t sim_cudaHostAlloc(void **p, size_t bytes, unsigned int flags)
{
    CUDA_ENTER(c);
    if (!p || flags & ~ALLOC_FLAGS)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    *p = NULL;
    if (bytes == 0)
        return cudaSuccess;
    int error = sim_memory_new(c->process, c->device, MEMORY_PINNED, bytes, p);
    if (!error)
        sim_memory_find(*p)->flags = flags;
    return sim_cuda_return(c, error);
}

cudaError_t sim_cudaMallocHost(void **p, size_t bytes)
{
    return sim_cudaHostAlloc(p, bytes, cudaHostAllocDefault);
}

/* The allocation or registration of that kind that starts at p; NULL = none. */
static struct allocation *find_start(const struct context *c, const void *p, enum memory_kind kind)
{
    struct allocation *a = sim_memory_at(c->process, p);
    return a && a->kind == kind ? a : NULL;
}

/* Freeing and unregistering wait for the device, whose work may use the memory. Another thread may
 * release the memory meanwhile. */
static cudaError_t pinned_release(void *p, enum memory_kind kind, cudaError_t unknown)
{
    CUDA_ENTER(c);
    if (!p)
        return sim_cuda_return(c, kind == MEMORY_PINNED ? cudaSuccess : cudaErrorInvalidValue);
    const struct allocation *a = find_start(c, p, kind);
    if (!a)
        return sim_cuda_return(c, unknown);
    struct gpu *gpu = sim_process_gpu(c->process, a->device);
    sim_gpu_wait(c, gpu);
    if (c->cancelled)
        return cudaSuccess;
    struct allocation *now = find_start(c, p, kind);
    if (!now)
        return sim_cuda_return(c, unknown);
    sim_memory_free(now);
    return sim_cuda_return(c, gpu->fault);
}

cudaError_t sim_cudaFreeHost(void *p)
{
    return pinned_release(p, MEMORY_PINNED, cudaErrorInvalidValue);
}

cudaError_t sim_cudaHostRegister(void *p, size_t bytes, unsigned int flags)
{
    CUDA_ENTER(c);
    if (!p || bytes == 0 || bytes > UINTPTR_MAX - (uintptr_t)p)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (flags & cudaHostRegisterIoMemory || c->process->pid)
        return sim_cuda_return(c, cudaErrorNotSupported); /* no other devices, and no memory of other processes */
    if (flags & ~REGISTER_FLAGS)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (!sim_memory_find(p) && !sim_memory_of_caller(p, bytes))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    return sim_cuda_return(c, sim_memory_register(c->process, c->device, p, bytes, flags));
}

cudaError_t sim_cudaHostUnregister(void *p)
{
    return pinned_release(p, MEMORY_REGISTERED, cudaErrorHostMemoryNotRegistered);
}

static const struct allocation *find_pinned(const struct context *c, const void *p)
{
    const struct allocation *a = sim_memory_find(p);
    return a && a->process == c->process && is_pinned(a) ? a : NULL;
}

cudaError_t sim_cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    CUDA_ENTER(c);
    if (!device || flags != 0 || !find_pinned(c, host))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t sim_cudaHostGetFlags(unsigned int *flags, void *p)
{
    CUDA_ENTER(c);
    const struct allocation *a = find_pinned(c, p);
    if (!flags || !a)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    *flags = a->flags;
    return cudaSuccess;
}
