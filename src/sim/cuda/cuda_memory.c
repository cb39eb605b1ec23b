/* CUDA's functions for device and managed memory: allocation, and attributes of an address. */
#include <stdint.h>

#include "sim/cuda/capture.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/registered.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/kernel/gen/functions.h"

#define PITCH 512 /* rows of cudaMallocPitch are multiples of it */

static cudaError_t cuda_allocate(struct context *c, void **p, size_t bytes, enum memory_kind kind)
{
    *p = NULL;
    if (bytes == 0)
        return cudaSuccess;
    return sim_cuda_return(c, sim_memory_new(c->process, c->device, kind, bytes, p));
}

cudaError_t sim_cudaMalloc(void **p, size_t bytes)
{
    CUDA_ENTER(c);
    CAPTURE_UNSAFE(c);
    return p ? cuda_allocate(c, p, bytes, MEMORY_DEVICE) : sim_cuda_return(c, cudaErrorInvalidValue);
}

cudaError_t sim_cudaMallocManaged(void **p, size_t bytes, unsigned int flags)
{
    CUDA_ENTER(c);
    CAPTURE_UNSAFE(c);
    bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost;
    if (!p || !known || bytes == 0)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    return cuda_allocate(c, p, bytes, MEMORY_MANAGED);
}

cudaError_t sim_cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
    CUDA_ENTER(c);
    CAPTURE_UNSAFE(c);
    size_t bytes, row;
    if (!p || !pitch)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    bool huge = __builtin_add_overflow(width, PITCH - 1, &row);
    row -= row % PITCH;
    if (huge || __builtin_mul_overflow(row, height, &bytes))
        return sim_cuda_return(c, cudaErrorMemoryAllocation);
    cudaError_t error = cuda_allocate(c, p, bytes, MEMORY_DEVICE);
    if (error == cudaSuccess)
        *pitch = row;
    return error;
}

static struct allocation *cuda_allocation_at(const struct context *c, const void *p)
{
    struct allocation *a = sim_memory_at(c->process, p);
    bool counted = a && (a->kind == MEMORY_DEVICE || a->kind == MEMORY_MANAGED);
    return counted && !a->by_nccl ? a : NULL;
}

/* Waits for the whole device, as cudaFree does; another thread may free the memory meanwhile. */
cudaError_t sim_cudaFree(void *p)
{
    CUDA_ENTER(c);
    CAPTURE_UNSAFE(c);
    if (!p)
        return cudaSuccess;
    const struct allocation *a = cuda_allocation_at(c, p);
    if (!a)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    struct gpu *gpu = sim_process_gpu(c->process, a->device);
    sim_gpu_wait(c, gpu);
    if (c->cancelled)
        return cudaSuccess;
    struct allocation *now = cuda_allocation_at(c, p);
    if (!now)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    sim_memory_free(now);
    return sim_cuda_return(c, gpu->fault);
}

cudaError_t sim_cudaMemGetInfo(size_t *available, size_t *total)
{
    CUDA_ENTER(c);
    if (!available || !total)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    uint64_t all = sim_memory_capacity(), left = all - sim_memory_used(c->process, c->device);
    *total = all < SIZE_MAX ? (size_t)all : SIZE_MAX;
    *available = left < SIZE_MAX ? (size_t)left : SIZE_MAX;
    return cudaSuccess;
}

cudaError_t sim_cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p)
{
    static const enum cudaMemoryType types[] = {
        [MEMORY_DEVICE] = cudaMemoryTypeDevice,
        [MEMORY_PINNED] = cudaMemoryTypeHost,
        [MEMORY_MANAGED] = cudaMemoryTypeManaged,
        [MEMORY_REGISTERED] = cudaMemoryTypeHost,
    };
    CUDA_ENTER(c);
    if (!out)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    const struct allocation *a = sim_memory_find(p);
    *out = (struct cudaPointerAttributes){ .device = cudaInvalidDeviceId, .hostPointer = (void *)p };
    const struct registered *r = a ? NULL : sim_registered_find(c->process, p);
    if (r)
        *out = (struct cudaPointerAttributes){
            .type = cudaMemoryTypeHost, .device = r->device, .devicePointer = (void *)p, .hostPointer = (void *)p
        };
    if (!a || !sim_memory_is_of(c->process, a))
        return cudaSuccess; /* unregistered */
    out->type = types[a->kind];
    out->device = a->device;
    out->devicePointer = (void *)p;
    if (a->kind == MEMORY_DEVICE)
        out->hostPointer = NULL;
    return cudaSuccess;
}

static bool is_managed(const struct context *c, const void *p, size_t bytes)
{
    const struct allocation *a = sim_memory_find(p);
    return a && a->kind == MEMORY_MANAGED && bytes > 0 && sim_memory_reachable(c->process, p, bytes);
}

static bool is_location(const struct context *c, struct cudaMemLocation at)
{
    return at.type == cudaMemLocationTypeDevice
               ? sim_is_device(c, at.id)
               : at.type >= cudaMemLocationTypeHost && at.type <= cudaMemLocationTypeHostNumaCurrent;
}

cudaError_t sim_cudaMemPrefetchAsync(const void *p, size_t bytes, struct cudaMemLocation location, unsigned int flags,
                                     cudaStream_t handle)
{
    CUDA_ENTER(c);
    if (!sim_stream_find(c, handle, c->device))
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    if (flags != 0 || !is_managed(c, p, bytes))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    return sim_cuda_return(c, is_location(c, location) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t sim_cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice, struct cudaMemLocation location)
{
    CUDA_ENTER(c);
    bool somewhere = advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy ||
                     advice == cudaMemAdviseUnsetAccessedBy;
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy || !is_managed(c, p, bytes))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    return sim_cuda_return(c, !somewhere || is_location(c, location) ? cudaSuccess : cudaErrorInvalidDevice);
}
