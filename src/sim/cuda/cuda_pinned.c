/* CUDA's functions for pinned host memory. Devices see it at the host's own addresses. */
#include "sim/cuda/capture.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/registered.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/kernel/gen/functions.h"

#define ALLOC_FLAGS (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)
#define REGISTER_FLAGS (cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly)

static bool is_pinned(const struct allocation *a)
{
    return a->kind == MEMORY_PINNED || a->kind == MEMORY_REGISTERED;
}

cudaError_t sim_cudaHostAlloc(void **p, size_t bytes, unsigned int flags)
{
    CUDA_ENTER(c);
    CAPTURE_UNSAFE(c);
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
    CAPTURE_UNSAFE(c);
    if (!p || bytes == 0 || bytes > UINTPTR_MAX - (uintptr_t)p)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (flags & cudaHostRegisterIoMemory)
        return sim_cuda_return(c, cudaErrorNotSupported); /* there are no other devices */
    if (flags & ~REGISTER_FLAGS)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (!sim_memory_find(p) && !sim_memory_of_caller(p, bytes))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (c->process->pid && !sim_memory_find(p))
        return sim_cuda_return(c, sim_registered_add(c->process, c->device, p, bytes, flags));
    return sim_cuda_return(c, sim_memory_register(c->process, c->device, p, bytes, flags));
}

/* The same as pinned_release for memory of another process. */
static cudaError_t registered_release(void *p)
{
    CUDA_ENTER(c);
    const struct registered *r = sim_registered_find(c->process, p);
    if (!r || r->from != p)
        return sim_cuda_return(c, p ? cudaErrorHostMemoryNotRegistered : cudaErrorInvalidValue);
    struct gpu *gpu = sim_process_gpu(c->process, r->device);
    sim_gpu_wait(c, gpu);
    if (c->cancelled)
        return cudaSuccess;
    return sim_cuda_return(c, sim_registered_remove(c->process, p) ? gpu->fault : cudaErrorHostMemoryNotRegistered);
}

cudaError_t sim_cudaHostUnregister(void *p)
{
    const struct context *c = sim_context_self();
    return c && c->process->pid ? registered_release(p) : pinned_release(p, MEMORY_REGISTERED, cudaErrorHostMemoryNotRegistered);
}

/* True if the process has pinned the memory; *flags gets its flags. */
static bool find_pinned(const struct context *c, const void *p, unsigned *flags)
{
    const struct allocation *a = sim_memory_find(p);
    const struct registered *r = a ? NULL : sim_registered_find(c->process, p);
    bool pinned = a && a->process == c->process && is_pinned(a);
    *flags = pinned ? a->flags : r ? r->flags : 0;
    return pinned || r;
}

cudaError_t sim_cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    CUDA_ENTER(c);
    unsigned own;
    if (!device || flags != 0 || !find_pinned(c, host, &own))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t sim_cudaHostGetFlags(unsigned int *flags, void *p)
{
    CUDA_ENTER(c);
    unsigned own;
    if (!flags || !find_pinned(c, p, &own))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    *flags = own;
    return cudaSuccess;
}
