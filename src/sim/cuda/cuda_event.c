/* CUDA's functions on events. */
#include "base/mem.h"
#include "sim/cuda/capture.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/stream.h"
#include "sim/kernel/gen/functions.h"
#include "sim/settings/cost.h"

cudaError_t sim_cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned int flags)
{
    CUDA_ENTER(c);
    struct stream *s = sim_stream_with_room(c, handle, c->device);
    struct event *e = sim_event_find(c, event);
    if (!s || !e)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    if (flags > 1)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    CAPTURE_CHECK(c, s);
    if (e->record->captured || (s->capture && e->record->op))
        return sim_cuda_return(c, sim_capture_wait(s, e->record));
    if (!e->record->op || e->record->op->state == OP_DONE)
        return cudaSuccess;
    struct op *op = sim_op_new(OP_EVENT, s->gpu, &s, 1, sim_cost_step());
    sim_op_after(op, e->record->op);
    sim_op_submit(op);
    return cudaSuccess;
}

cudaError_t sim_cudaEventCreateWithFlags(cudaEvent_t *out, unsigned int flags)
{
    CUDA_ENTER(c);
    unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    bool interprocess = flags & cudaEventInterprocess;
    if (!out || flags & ~known || (interprocess && !(flags & cudaEventDisableTiming)))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    struct event *e = sim_event_new(sim_current_gpu(c), NULL);
    e->timing = !(flags & cudaEventDisableTiming);
    e->interprocess = interprocess;
    *out = (cudaEvent_t)e;
    return cudaSuccess;
}

cudaError_t sim_cudaEventCreate(cudaEvent_t *out)
{
    return sim_cudaEventCreateWithFlags(out, cudaEventDefault);
}

cudaError_t sim_cudaEventDestroy(cudaEvent_t handle)
{
    CUDA_ENTER(c);
    struct event *e = sim_event_find(c, handle);
    if (!e)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    ncs_map_remove(&sim_world.events, ncs_map_key(handle));
    sim_event_free(e);
    return cudaSuccess;
}

cudaError_t sim_cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned int flags)
{
    CUDA_ENTER(c);
    if (flags > 1)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    struct stream *s = sim_stream_with_room(c, stream, c->device);
    struct event *e = sim_event_find(c, handle);
    if (!s || !e || s->gpu != e->gpu)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    CAPTURE_CHECK(c, s);
    if (s->capture && flags == cudaEventRecordExternal) /* a node that records in every launch: not simulated */
        return sim_cuda_return(c, sim_capture_unsupported(s, cudaErrorNotSupported));
    if (s->capture) {
        sim_capture_record(e->record, s);
        return cudaSuccess;
    }
    sim_capture_forget_record(e->record);
    struct op *op = sim_op_new(OP_EVENT, s->gpu, &s, 1, sim_cost_step());
    sim_op_unref(e->record->op);
    e->record->op = op;
    sim_op_ref(op);
    sim_op_submit(op);
    return cudaSuccess;
}

cudaError_t sim_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return sim_cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

/* The host must not ask about an event of a capture, nor about any event where a capture forbids it. */
static int event_refusal(struct context *c, const struct event *e)
{
    int refused = sim_capture_refuses_event(e->record);
    return refused ? refused : sim_capture_refuses_unsafe(c);
}

cudaError_t sim_cudaEventQuery(cudaEvent_t handle)
{
    CUDA_ENTER(c);
    struct event *e = sim_event_find(c, handle);
    if (!e)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    int refused = event_refusal(c, e);
    if (refused)
        return sim_cuda_return(c, refused);
    struct gpu *gpu = e->gpu;
    bool done = !e->record->op || sim_op_poll(c, e->record->op);
    return sim_cuda_return(c, gpu->fault ? gpu->fault : done ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t sim_cudaEventSynchronize(cudaEvent_t handle)
{
    CUDA_ENTER(c);
    struct event *e = sim_event_find(c, handle);
    if (!e)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    int refused = event_refusal(c, e);
    if (refused)
        return sim_cuda_return(c, refused);
    struct gpu *gpu = e->gpu;
    if (e->record->op && e->record->op->state != OP_DONE) {
        sim_wait_for(c, NCS_WAIT_OP, e->record->op, &e->record->op->done);
        sim_wait(c, -1);
    }
    return sim_cuda_return(c, gpu->fault);
}

cudaError_t sim_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    CUDA_ENTER(c);
    const struct event *a = sim_event_find(c, start), *b = sim_event_find(c, end);
    if (!ms)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (a && b && (a->record->captured || b->record->captured))
        return sim_cuda_return(c, cudaErrorCapturedEvent);
    if (!a || !b || !a->timing || !b->timing || !a->record->op || !b->record->op)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    if (a->record->op->state != OP_DONE || b->record->op->state != OP_DONE)
        return cudaErrorNotReady;
    *ms = (float)((double)(b->record->op->ended - a->record->op->ended) / 1e6);
    return cudaSuccess;
}
