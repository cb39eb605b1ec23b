/* CUDA's functions that move bytes: copies, sets, and the kernel that adds. */
#include <stdint.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "sim/cuda/capture.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/op.h"
#include "sim/cuda/registered.h"
#include "sim/cuda/stream.h"
#include "sim/data/caller.h"
#include "sim/data/memory.h"
#include "sim/kernel/gen/functions.h"
#include "sim/kernel/sched.h"
#include "sim/settings/cost.h"

/* `count` rows of `bytes` bytes. */
struct rows {
    size_t bytes, count;
};

/* One side of a copy: memory that the machine gave to this process, or the caller's own pageable
 * memory; wholly inside one allocation. */
struct side {
    const void *p;
    size_t pitch;
    bool known, fits, on_device;
    bool pinned;     /* known, or the caller's own memory that it has pinned: a copy need not be over when its call returns */
    uint64_t memory; /* serial of its allocation; 0 = not known */
};

/* False = more bytes than can exist. */
static bool measure(struct rows rows, size_t pitch, size_t *bytes)
{
    return !__builtin_mul_overflow(rows.count - 1, pitch, bytes) && !__builtin_add_overflow(*bytes, rows.bytes, bytes);
}

static struct side copy_check(const struct context *c, const void *p, struct rows rows, size_t pitch)
{
    size_t bytes;
    const struct allocation *a = sim_memory_find(p);
    struct side side = { p, pitch, .known = a && sim_memory_is_of(c->process, a), .on_device = a && a->kind == MEMORY_DEVICE };
    side.fits = p && measure(rows, pitch, &bytes) &&
                (a ? sim_memory_reachable(c->process, p, bytes) : sim_memory_of_caller(p, bytes));
    side.memory = side.known ? a->serial : 0;
    side.pinned = side.known || (!a && side.fits && sim_registered_holds(c->process, p, bytes));
    return side;
}

static bool is_to_device(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}

static bool is_from_device(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

static cudaError_t check_sides(struct side dst, struct side src, enum cudaMemcpyKind kind)
{
    if ((is_to_device(kind) && !dst.pinned) || (is_from_device(kind) && !src.pinned))
        return cudaErrorInvalidValue;
    if (kind != cudaMemcpyDefault && ((!is_to_device(kind) && dst.on_device) || (!is_from_device(kind) && src.on_device)))
        return cudaErrorInvalidValue;
    return dst.fits && src.fits ? cudaSuccess : cudaErrorInvalidValue;
}

/* A packed copy of the present contents of pageable memory, so that the caller may
 * reuse the memory. */
static void *stage(const struct process *process, struct side from, struct rows rows)
{
    size_t bytes;
    char *staged = __builtin_mul_overflow(rows.bytes, rows.count, &bytes) ? NULL : ncs_room(bytes);
    for (size_t row = 0; staged && row < rows.count; row++)
        sim_caller_copy(process, staged + row * rows.bytes, false, (const char *)from.p + row * from.pitch, true, rows.bytes);
    return staged;
}

/* The type of what a script reads; ncclInt8, a byte, if it is not known. */
static int type_read(const void *p)
{
    const struct ncs_local *local = ncs_local;
    for (int i = 0; local && i < local->ranges; i++)
        if ((uintptr_t)p - (uintptr_t)local->range[i].from < local->range[i].bytes)
            return local->range[i].dtype;
    return ncclInt8;
}

struct copy {
    void *dst;
    const void *src;
    size_t dst_pitch, src_pitch;
    struct rows rows;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    bool synchronous;
};

/* Pageable memory is copied at the call, because the caller may change it afterwards. For a program from
 * outside all device work is done by now, so mostly nothing is left to copy later. */
static void submit(struct op *op, struct side from, struct rows rows)
{
    sim_op_submit(op);
    if (!sim_world.options.foreign || from.pinned || op->captured)
        return;
    sim_schedule_due(sim_world.now);
    if (op->state != OP_DONE)
        op->work.staged = stage(op->gpu->process, from, rows);
}

/* A copy to pageable memory makes the caller wait, as does a synchronous one that leaves the
 * device. */
static cudaError_t enqueue_copy(struct context *c, const struct copy *what)
{
    struct rows rows = what->rows;
    if ((unsigned)what->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    struct stream *stream = sim_stream_with_room(c, what->stream, c->device);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    int refused = sim_capture_refuses(stream);
    if (!refused && what->synchronous)
        refused = sim_capture_refuses_unsafe(c);
    if (refused)
        return (cudaError_t)refused;
    if (rows.bytes == 0 || rows.count == 0)
        return cudaSuccess;
    struct side to = copy_check(c, what->dst, rows, what->dst_pitch);
    struct side from = copy_check(c, what->src, rows, what->src_pitch);
    cudaError_t error = check_sides(to, from, what->kind);
    if (error)
        return error;
    /* Copies of pageable memory may make the host wait (runtime API guide, "API synchronization behavior"). */
    if (stream->capture && (!to.pinned || !from.pinned))
        return (cudaError_t)sim_capture_unsupported(stream, cudaErrorStreamCaptureUnsupported);
    bool early = !from.pinned && !sim_world.options.foreign;
    void *staged = early ? stage(c->process, from, rows) : NULL;
    if (early && !staged)
        return sim_memory_refused(rows.bytes * rows.count);
    struct op *op = sim_op_new(OP_COPY, stream->gpu, &stream, 1,
                               sim_cost_copy(rows.bytes * rows.count, !to.on_device || !from.on_device));
    op->work = (struct op_work){ .dst = what->dst,
                                 .src = what->src,
                                 .bytes = rows.bytes,
                                 .rows = rows.count,
                                 .dst_pitch = to.pitch,
                                 .src_pitch = from.pitch,
                                 .staged = staged,
                                 .dst_device = to.known,
                                 .src_device = from.known,
                                 .dst_memory = to.memory,
                                 .src_memory = from.memory,
                                 .dtype = type_read(what->dst) };
    sim_op_ref(op);
    submit(op, from, rows);
    struct gpu *gpu = stream->gpu;
    bool between_devices = to.on_device && from.on_device;
    bool uncopied = !from.pinned && !op->work.staged;
    bool wait = op->state != OP_DONE && !op->captured && (!to.pinned || uncopied || (what->synchronous && !between_devices));
    if (wait)
        sim_wait_for(c, NCS_WAIT_OP, op, &op->done);
    sim_op_unref(op);
    if (wait)
        sim_wait(c, -1);
    return (cudaError_t)gpu->fault;
}

static cudaError_t copy_line(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream,
                             bool synchronous)
{
    CUDA_ENTER(c);
    return sim_cuda_return(
        c,
        enqueue_copy(
            c, &(struct copy){
                   .dst = dst, .src = src, .rows = { bytes, 1 }, .kind = kind, .stream = stream, .synchronous = synchronous }));
}

cudaError_t sim_cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy_line(dst, src, bytes, kind, NULL, true);
}

cudaError_t sim_cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_line(dst, src, bytes, kind, stream, false);
}

static cudaError_t copy_2d(struct copy what)
{
    CUDA_ENTER(c);
    if ((unsigned)what.kind > cudaMemcpyDefault)
        return sim_cuda_return(c, cudaErrorInvalidMemcpyDirection);
    if (what.rows.bytes > what.dst_pitch || what.rows.bytes > what.src_pitch)
        return sim_cuda_return(c, cudaErrorInvalidPitchValue);
    return sim_cuda_return(c, enqueue_copy(c, &what));
}

cudaError_t sim_cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width, size_t height,
                             enum cudaMemcpyKind kind)
{
    return copy_2d((struct copy){ dst, src, dst_pitch, src_pitch, { width, height }, kind, NULL, true });
}

cudaError_t sim_cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width, size_t height,
                                  enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_2d((struct copy){ dst, src, dst_pitch, src_pitch, { width, height }, kind, stream, false });
}

cudaError_t sim_cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t bytes, cudaStream_t stream)
{
    CUDA_ENTER(c);
    if (!sim_is_device(c, dst_device) || !sim_is_device(c, src_device))
        return sim_cuda_return(c, cudaErrorInvalidDevice);
    return sim_cuda_return(
        c,
        enqueue_copy(c, &(struct copy){
                            .dst = dst, .src = src, .rows = { bytes, 1 }, .kind = cudaMemcpyDeviceToDevice, .stream = stream }));
}

cudaError_t sim_cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    return sim_cudaMemcpyPeerAsync(dst, dst_device, src, src_device, bytes, NULL);
}

static cudaError_t enqueue_set(struct context *c, void *p, int value, struct rows rows, size_t pitch, cudaStream_t handle)
{
    struct stream *stream = sim_stream_with_room(c, handle, c->device);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (rows.bytes == 0 || rows.count == 0)
        return cudaSuccess;
    struct side to = copy_check(c, p, rows, pitch);
    if (!to.known || !to.fits)
        return cudaErrorInvalidValue;
    int refused = sim_capture_refuses(stream);
    if (refused)
        return (cudaError_t)refused;
    struct op *op = sim_op_new(OP_SET, stream->gpu, &stream, 1, sim_cost_copy(rows.bytes * rows.count, false));
    op->work = (struct op_work){ .dst = p,
                                 .bytes = rows.bytes,
                                 .rows = rows.count,
                                 .dst_pitch = pitch,
                                 .byte = value,
                                 .dst_device = true,
                                 .dst_memory = to.memory };
    sim_op_submit(op);
    return cudaSuccess;
}

cudaError_t sim_cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream)
{
    CUDA_ENTER(c);
    return sim_cuda_return(c, enqueue_set(c, p, value, (struct rows){ bytes, 1 }, 0, stream));
}

cudaError_t sim_cudaMemset(void *p, int value, size_t bytes)
{
    CUDA_ENTER(c);
    CAPTURE_UNSAFE(c);
    return sim_cuda_return(c, enqueue_set(c, p, value, (struct rows){ bytes, 1 }, 0, NULL));
}

cudaError_t sim_cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    CUDA_ENTER(c);
    if (width > pitch)
        return sim_cuda_return(c, cudaErrorInvalidPitchValue);
    return sim_cuda_return(c, enqueue_set(c, p, value, (struct rows){ width, height }, pitch, stream));
}

cudaError_t sim_cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
    return sim_cudaMemset2DAsync(p, pitch, value, width, height, NULL);
}

cudaError_t sim_ncsAdd(void *dst, const void *src, size_t count, ncclDataType_t datatype, cudaStream_t handle)
{
    CUDA_ENTER(c);
    struct stream *stream = sim_stream_with_room(c, handle, c->device);
    if (!stream || stream->gpu != sim_current_gpu(c)) /* like a kernel launch */
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    CAPTURE_CHECK(c, stream);
    size_t size = ncs_dtype_bytes((int)datatype), bytes;
    if (size == 0 || __builtin_mul_overflow(count, size, &bytes))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (bytes == 0)
        return cudaSuccess;
    struct op *op = sim_op_new(OP_ADD, stream->gpu, &stream, 1, sim_cost_copy(bytes, false));
    op->work = (struct op_work){
        .dst = dst, .src = src, .bytes = bytes, .dtype = (int)datatype, .dst_device = true, .src_device = true
    };
    sim_op_submit(op);
    return cudaSuccess;
}
