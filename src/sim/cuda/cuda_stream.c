/* CUDA's functions for streams: creation, queries, host functions, and a kernel that
 * only takes time. */
#include "base/mem.h"
#include "sim/cuda/capture.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/host.h"
#include "sim/cuda/outside.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/kernel/gen/functions.h"
#include "sim/settings/cost.h"

#define LEAST_PRIORITY 0
#define GREATEST_PRIORITY (-5) /* as numbers go, the other way round */

cudaError_t sim_cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    CUDA_ENTER(c);
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
}

cudaError_t sim_cudaStreamCreateWithPriority(cudaStream_t *out, unsigned int flags, int priority)
{
    CUDA_ENTER(c);
    if (!out || flags > cudaStreamNonBlocking)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (priority > LEAST_PRIORITY)
        priority = LEAST_PRIORITY;
    if (priority < GREATEST_PRIORITY)
        priority = GREATEST_PRIORITY;
    struct stream *s = sim_stream_new(sim_current_gpu(c), flags, priority);
    ncs_map_put(&sim_world.streams, ncs_map_key(s), s);
    *out = (cudaStream_t)s;
    return cudaSuccess;
}

cudaError_t sim_cudaStreamCreateWithFlags(cudaStream_t *out, unsigned int flags)
{
    return sim_cudaStreamCreateWithPriority(out, flags, 0);
}

cudaError_t sim_cudaStreamCreate(cudaStream_t *out)
{
    return sim_cudaStreamCreateWithPriority(out, cudaStreamDefault, 0);
}

cudaError_t sim_cudaStreamDestroy(cudaStream_t handle)
{
    CUDA_ENTER(c);
    struct stream *s = ncs_map_get(&sim_world.streams, ncs_map_key(handle));
    if (!s || s->gpu->process != c->process)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    ncs_map_remove(&sim_world.streams, ncs_map_key(handle));
    sim_capture_leave(s);
    sim_stream_unref(s); /* its work goes on */
    return cudaSuccess;
}

cudaError_t sim_cudaStreamSynchronize(cudaStream_t handle)
{
    CUDA_ENTER(c);
    struct stream *s = sim_stream_find(c, handle, c->device);
    if (!s)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    int refused = sim_capture_refuses_wait(c, s);
    if (refused)
        return sim_cuda_return(c, refused);
    struct gpu *gpu = s->gpu;
    sim_stream_wait(c, s);
    return sim_cuda_return(c, gpu->fault);
}

cudaError_t sim_cudaStreamQuery(cudaStream_t handle)
{
    CUDA_ENTER(c);
    struct stream *s = sim_stream_find(c, handle, c->device);
    if (!s)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    int refused = sim_capture_refuses_wait(c, s);
    if (refused)
        return sim_cuda_return(c, refused);
    struct gpu *gpu = s->gpu;
    bool idle = !s->tail || sim_op_poll(c, s->tail);
    return sim_cuda_return(c, gpu->fault ? gpu->fault : idle ? cudaSuccess : cudaErrorNotReady);
}

/* Finds the stream that a query asks about. NULL = *error is set. */
static const struct stream *stream_give_state(struct context *c, cudaStream_t handle, const void *out, int *error)
{
    const struct stream *s = sim_stream_find(c, handle, c->device);
    *error = !s ? cudaErrorInvalidResourceHandle : !out ? cudaErrorInvalidValue : cudaSuccess;
    return *error ? NULL : s;
}

#define DEFINE_QUERY(name, type, value)                                     \
    cudaError_t sim_cuda##name(cudaStream_t handle, type *out)              \
    {                                                                       \
        int error;                                                          \
        CUDA_ENTER(c);                                                      \
        const struct stream *s = stream_give_state(c, handle, out, &error); \
        if (s)                                                              \
            *out = (value);                                                 \
        return sim_cuda_return(c, error);                                   \
    }

DEFINE_QUERY(StreamGetFlags, unsigned int, s->flags)
DEFINE_QUERY(StreamGetPriority, int, s->priority)
DEFINE_QUERY(StreamGetId, unsigned long long, s->id)
DEFINE_QUERY(StreamGetDevice, int, s->gpu->device)

static cudaError_t enqueue_host(cudaStream_t handle, cudaHostFn_t function, cudaStreamCallback_t callback, void *data,
                                unsigned flags)
{
    CUDA_ENTER(c);
    struct stream *s = sim_stream_with_room(c, handle, c->device);
    if (!s)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    if ((!function && !callback) || flags != 0)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    CAPTURE_CHECK(c, s);
    if (callback && s->capture) /* only cudaLaunchHostFunc can be captured (runtime API guide, cudaStreamAddCallback) */
        return sim_cuda_return(c, sim_capture_unsupported(s, cudaErrorStreamCaptureUnsupported));
    if (!sim_host_prepare(s->gpu)) /* its context needs a stack */
        return sim_cuda_return(c, (cudaError_t)sim_memory_refused(0));
    sim_outside_kernel(); /* of a program from outside it may be one (shim/kernel/launch.c) */
    struct op *op = sim_op_new(OP_HOST, s->gpu, &s, 1, sim_cost_step());
    op->work = (struct op_work){ .dst = data, .function = function, .callback = callback, .handle = handle };
    sim_op_submit(op);
    return cudaSuccess;
}

cudaError_t sim_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    return enqueue_host(stream, function, NULL, data, 0);
}

cudaError_t sim_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags)
{
    return enqueue_host(stream, NULL, callback, data, flags);
}

cudaError_t sim_ncsDelay(cudaStream_t handle, double seconds)
{
    CUDA_ENTER(c);
    struct stream *s = sim_stream_with_room(c, handle, c->device);
    if (!s)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    if (!(seconds >= 0 && seconds < 9e9))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    CAPTURE_CHECK(c, s);
    sim_op_submit(sim_op_new(OP_DELAY, s->gpu, &s, 1, sim_cost_step() + (int64_t)(seconds * 1e9)));
    return cudaSuccess;
}
