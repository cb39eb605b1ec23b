/* CUDA's functions on memory: allocation, copies, sets, and the kernel that adds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "sim/cuda.h"
#include "sim/functions.h"
#include "sim/memory.h"
#include "sim/stream.h"

static cudaError_t allocate(void **p, size_t bytes, enum memory_kind kind)
{
    CUDA_ENTER(c);
    if (!p)
        return cuda_return(c, cudaErrorInvalidValue);
    if (bytes == 0) {
        *p = NULL;
        return cuda_return(c, kind == MEMORY_MANAGED ? cudaErrorInvalidValue : cudaSuccess);
    }
    return cuda_return(c, memory_new(c->process, c->device, kind, bytes, p));
}

cudaError_t sim_cudaMalloc(void **p, size_t bytes)
{
    return allocate(p, bytes, MEMORY_DEVICE);
}

cudaError_t sim_cudaMallocHost(void **p, size_t bytes)
{
    return allocate(p, bytes, MEMORY_PINNED);
}

cudaError_t sim_cudaMallocManaged(void **p, size_t bytes, unsigned int flags)
{
    bool known = flags == 1 || flags == 2; /* attached globally or to the host */
    return allocate(known ? p : NULL, bytes, MEMORY_MANAGED);
}

static struct allocation *find_base(const struct context *c, const void *p, bool pinned)
{
    struct allocation *a = memory_find(p);
    return a && a->base == p && a->process == c->process && (a->kind == MEMORY_PINNED) == pinned
               ? a : NULL;
}

/* Freeing waits for the whole device that the memory is on. */
static cudaError_t deallocate(void *p, bool pinned)
{
    CUDA_ENTER(c);
    if (!p)
        return cudaSuccess;
    struct allocation *a = find_base(c, p, pinned);
    if (!a)
        return cuda_return(c, cudaErrorInvalidValue);
    struct gpu *gpu = process_gpu(c->process, a->device);
    gpu_wait(c, gpu);
    if (c->cancelled)
        return cudaSuccess;
    a = find_base(c, p, pinned); /* another thread may have freed it meanwhile */
    if (!a)
        return cuda_return(c, cudaErrorInvalidValue);
    memory_free(a);
    return cuda_return(c, gpu->fault);
}

cudaError_t sim_cudaFree(void *p)
{
    return deallocate(p, false);
}

cudaError_t sim_cudaFreeHost(void *p)
{
    return deallocate(p, true);
}

cudaError_t sim_cudaMemGetInfo(size_t *available, size_t *total)
{
    CUDA_ENTER(c);
    if (!available || !total)
        return cuda_return(c, cudaErrorInvalidValue);
    *total = memory_capacity();
    *available = memory_capacity() - memory_used(c->process, c->device);
    return cudaSuccess;
}

/* One side of a copy: memory that the machine gave to this process, or the caller's own pageable
 * memory; wholly inside one allocation. */
struct side {
    bool known, fits, on_device;
};

static struct side look_at(const struct context *c, const void *p, size_t bytes)
{
    const struct allocation *a = memory_find(p);
    return (struct side){ .known = a && a->process == c->process,
                          .fits = a ? memory_reachable(c->process, p, bytes)
                                    : memory_of_caller(p, bytes),
                          .on_device = a && a->kind == MEMORY_DEVICE };
}

static cudaError_t check_copy(struct side dst, struct side src, enum cudaMemcpyKind kind)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if ((to_device && !dst.known) || (from_device && !src.known))
        return cudaErrorInvalidValue;
    if (kind != cudaMemcpyDefault &&
        ((!to_device && dst.on_device) || (!from_device && src.on_device)))
        return cudaErrorInvalidValue;
    return dst.fits && src.fits ? cudaSuccess : cudaErrorInvalidValue;
}

/* Enqueues the copy. Bytes from pageable memory are staged at the call, so that the caller may
 * reuse it; a copy to pageable memory makes the caller wait, as does a synchronous one. */
static cudaError_t copy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                        cudaStream_t handle, bool synchronous)
{
    CUDA_ENTER(c);
    struct stream *stream = stream_with_room(c, handle, c->device);
    if (!stream)
        return cuda_return(c, cudaErrorInvalidResourceHandle);
    struct side to = look_at(c, dst, bytes), from = look_at(c, src, bytes);
    cudaError_t error = bytes == 0 ? cudaSuccess : check_copy(to, from, kind);
    if (error || bytes == 0)
        return cuda_return(c, error);
    if (!dst || !src)
        return cuda_return(c, cudaErrorInvalidValue);
    void *staged = from.known ? NULL : malloc(bytes);
    if (!from.known && !staged)
        return cuda_return(c, cudaErrorMemoryAllocation);
    if (staged)
        memcpy(staged, src, bytes);
    struct op *op = op_new(OP_COPY, stream->gpu, &stream, 1, op_cost(bytes));
    op->work = (struct op_work){ .dst = dst, .src = src, .bytes = bytes, .staged = staged,
                                 .dst_device = to.known, .src_device = from.known };
    op_submit(op);
    struct gpu *gpu = stream->gpu;
    bool between_devices = to.on_device && from.on_device;
    if (!to.known || (synchronous && !between_devices)) {
        wait_for(c, NCS_WAIT_OP, op, &op->done);
        wait_here(c, -1);
    }
    return cuda_return(c, gpu->fault);
}

cudaError_t sim_cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy(dst, src, bytes, kind, NULL, true);
}

cudaError_t sim_cudaMemcpyAsync(void *dst, const void *src, size_t bytes,
                                enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy(dst, src, bytes, kind, stream, false);
}

cudaError_t sim_cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t handle)
{
    CUDA_ENTER(c);
    struct stream *stream = stream_with_room(c, handle, c->device);
    if (!stream)
        return cuda_return(c, cudaErrorInvalidResourceHandle);
    if (bytes == 0)
        return cudaSuccess;
    if (!memory_reachable(c->process, p, bytes))
        return cuda_return(c, cudaErrorInvalidValue);
    struct op *op = op_new(OP_SET, stream->gpu, &stream, 1, op_cost(bytes));
    op->work = (struct op_work){ .dst = p, .bytes = bytes, .byte = value, .dst_device = true };
    op_submit(op);
    return cudaSuccess;
}

cudaError_t sim_cudaMemset(void *p, int value, size_t bytes)
{
    return sim_cudaMemsetAsync(p, value, bytes, NULL);
}

cudaError_t sim_ncsAdd(void *dst, const void *src, size_t count, ncclDataType_t datatype,
                       cudaStream_t handle)
{
    CUDA_ENTER(c);
    struct stream *stream = stream_with_room(c, handle, c->device);
    if (!stream)
        return cuda_return(c, cudaErrorInvalidResourceHandle);
    size_t size = ncs_dtype_bytes((int)datatype), bytes;
    if (size == 0 || __builtin_mul_overflow(count, size, &bytes))
        return cuda_return(c, cudaErrorInvalidValue);
    if (bytes == 0)
        return cudaSuccess;
    struct op *op = op_new(OP_ADD, stream->gpu, &stream, 1, op_cost(bytes));
    op->work = (struct op_work){ .dst = dst, .src = src, .bytes = bytes, .dtype = (int)datatype,
                                 .dst_device = true, .src_device = true };
    op_submit(op);
    return cudaSuccess;
}
