/* CUDA's functions for stream-ordered memory and its pools. */
#include <string.h>

#include "base/mem.h"
#include "sim/cuda/capture.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/data/pool.h"
#include "sim/kernel/gen/functions.h"
#include "sim/settings/cost.h"

static struct pool *find_pool(const struct context *c, cudaMemPool_t handle)
{
    struct pool *p = ncs_map_get(&sim_world.pools, ncs_map_key(handle));
    return p && p->gpu->process == c->process ? p : NULL;
}

/* The memory exists at once. A use before the stream has reached the allocation is not detected. */
static int pool_allocate(struct context *c, struct pool *pool, size_t bytes, void **p)
{
    *p = NULL;
    if (bytes == 0)
        return cudaSuccess;
    int error = sim_memory_new(c->process, pool->gpu->device, MEMORY_DEVICE, bytes, p);
    if (error)
        return error;
    sim_memory_find(*p)->pool = pool;
    sim_pool_took(pool, bytes);
    return cudaSuccess;
}

/* CUDA makes nodes of a graph that allocate and free: they are not simulated. */
#define POOL_UNCAPTURED(c, s) \
    CAPTURE_CHECK(c, s);      \
    if ((s)->capture)         \
    return sim_cuda_return(c, sim_capture_unsupported(s, cudaErrorNotSupported))

cudaError_t sim_cudaMallocAsync(void **p, size_t bytes, cudaStream_t handle)
{
    CUDA_ENTER(c);
    if (!p)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    struct stream *stream = sim_stream_find(c, handle, c->device);
    if (!stream)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    POOL_UNCAPTURED(c, stream);
    return sim_cuda_return(c, pool_allocate(c, sim_pool_of(stream->gpu), bytes, p));
}

cudaError_t sim_cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t handle, cudaStream_t stream)
{
    CUDA_ENTER(c);
    struct pool *pool = find_pool(c, handle);
    if (!p || !pool)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    struct stream *s = sim_stream_find(c, stream, c->device);
    if (!s)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    POOL_UNCAPTURED(c, s);
    return sim_cuda_return(c, pool_allocate(c, pool, bytes, p));
}

/* Memory of cudaMalloc may be freed in stream order, too. */
cudaError_t sim_cudaFreeAsync(void *p, cudaStream_t handle)
{
    CUDA_ENTER(c);
    struct stream *stream = sim_stream_with_room(c, handle, c->device);
    if (!stream)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    POOL_UNCAPTURED(c, stream);
    if (!p)
        return cudaSuccess;
    struct allocation *a = sim_memory_at(c->process, p);
    if (!a || a->kind != MEMORY_DEVICE || a->by_nccl)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    sim_memory_leave(a);
    struct op *op = sim_op_new(OP_FREE, stream->gpu, &stream, 1, sim_cost_step());
    op->work = (struct op_work){ .dst = p, .dst_memory = a->serial };
    sim_op_submit(op);
    return cudaSuccess;
}

static cudaError_t give_pool(cudaMemPool_t *out, int device, bool current)
{
    CUDA_ENTER(c);
    if (!out)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (!sim_is_device(c, device))
        return sim_cuda_return(c, cudaErrorInvalidDevice);
    struct gpu *gpu = sim_process_gpu(c->process, device);
    struct pool *chosen = gpu->pool;
    if (!current)
        gpu->pool = NULL;
    *out = (cudaMemPool_t)sim_pool_of(gpu);
    gpu->pool = chosen;
    return cudaSuccess;
}

cudaError_t sim_cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
    return give_pool(out, device, false);
}

cudaError_t sim_cudaDeviceGetMemPool(cudaMemPool_t *out, int device)
{
    return give_pool(out, device, true);
}

cudaError_t sim_cudaDeviceSetMemPool(int device, cudaMemPool_t handle)
{
    CUDA_ENTER(c);
    struct pool *pool = find_pool(c, handle);
    if (!sim_is_device(c, device))
        return sim_cuda_return(c, cudaErrorInvalidDevice);
    if (!pool || pool->gpu->device != device)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    pool->gpu->pool = pool;
    return cudaSuccess;
}

cudaError_t sim_cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    CUDA_ENTER(c);
    if (!out || !props || props->allocType != cudaMemAllocationTypePinned || props->location.type != cudaMemLocationTypeDevice ||
        !sim_is_device(c, props->location.id))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (props->handleTypes != cudaMemHandleTypeNone)
        return sim_cuda_return(c, cudaErrorNotSupported); /* there are no other processes */
    struct pool *p = sim_new(sizeof *p);
    *p = (struct pool){ .gpu = sim_process_gpu(c->process, props->location.id), .on = { 1, 1, 1 }, .references = 1 };
    ncs_map_put(&sim_world.pools, ncs_map_key(p), p);
    *out = (cudaMemPool_t)p;
    return cudaSuccess;
}

/* Memory from the pool stays until it is freed. */
cudaError_t sim_cudaMemPoolDestroy(cudaMemPool_t handle)
{
    CUDA_ENTER(c);
    struct pool *p = find_pool(c, handle);
    if (!p || p->is_default)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (p->gpu->pool == p)
        p->gpu->pool = NULL;
    ncs_map_remove(&sim_world.pools, ncs_map_key(handle));
    sim_pool_returned(p, 0);
    return cudaSuccess;
}

static bool is_switch(enum cudaMemPoolAttr attr)
{
    return attr >= cudaMemPoolReuseFollowEventDependencies && attr <= cudaMemPoolReuseAllowInternalDependencies;
}

/* A program's value may be unaligned, so it is copied. */
cudaError_t sim_cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attr, void *value)
{
    CUDA_ENTER(c);
    struct pool *p = find_pool(c, handle);
    size_t bytes = is_switch(attr) ? sizeof(int) : sizeof(uint64_t);
    if (!p || !value || !sim_memory_usable(c->process, value, bytes))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (is_switch(attr)) {
        memcpy(&p->on[attr - cudaMemPoolReuseFollowEventDependencies], value, bytes);
        return cudaSuccess;
    }
    uint64_t number;
    memcpy(&number, value, bytes);
    bool high = attr == cudaMemPoolAttrReservedMemHigh || attr == cudaMemPoolAttrUsedMemHigh;
    if (attr == cudaMemPoolAttrReleaseThreshold)
        p->threshold = number;
    else if (high && number == 0)
        p->most = p->used;
    else
        return sim_cuda_return(c, cudaErrorInvalidValue);
    return cudaSuccess;
}

/* The field of the pool with this attribute; NULL = no such attribute. */
static const void *attribute_of(const struct pool *p, enum cudaMemPoolAttr attr)
{
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: return &p->on[attr - cudaMemPoolReuseFollowEventDependencies];
    case cudaMemPoolAttrReleaseThreshold: return &p->threshold;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: return &p->used;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: return &p->most;
    }
    return NULL;
}

cudaError_t sim_cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attr, void *value)
{
    CUDA_ENTER(c);
    const struct pool *p = find_pool(c, handle);
    size_t bytes = is_switch(attr) ? sizeof(int) : sizeof(uint64_t);
    const void *from = p ? attribute_of(p, attr) : NULL;
    if (!from || !value || !sim_memory_usable(c->process, value, bytes))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    memcpy(value, from, bytes);
    return cudaSuccess;
}

cudaError_t sim_cudaMemPoolTrimTo(cudaMemPool_t handle, size_t bytes)
{
    CUDA_ENTER(c);
    (void)bytes; /* nothing is kept back */
    return sim_cuda_return(c, find_pool(c, handle) ? cudaSuccess : cudaErrorInvalidValue);
}
