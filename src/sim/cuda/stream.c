#include "sim/cuda/stream.h"

#include <assert.h>

#include "base/mem.h"
#include "sim/cuda/above.h"
#include "sim/cuda/capture.h"
#include "sim/kernel/world.h"

struct stream *sim_stream_new(struct gpu *gpu, unsigned flags, int priority)
{
    struct stream *s = sim_new(sizeof *s);
    s->gpu = gpu;
    s->handle = ++sim_world.stream_handles + 2; /* 0, 1 and 2 are CUDA's own */
    s->flags = flags;
    s->priority = priority;
    s->blocking = !(flags & cudaStreamNonBlocking);
    s->id = ++sim_world.stream_serial;
    s->references = 1;
    NCS_PUSH(gpu->stream, gpu->streams, gpu->streams_room, s);
    return s;
}

/* A destroyed stream stays in the device's list until its work is done, because the device waits for
 * that work. */
static void stream_forget(struct stream *s)
{
    struct gpu *gpu = s->gpu;
    for (size_t i = 0; i < gpu->streams; i++)
        if (gpu->stream[i] == s) {
            gpu->stream[i] = gpu->stream[--gpu->streams];
            break;
        }
    if (gpu->legacy == s)
        gpu->legacy = NULL;
    ncs_free(s->front);
    sim_free(s, sizeof *s);
}

void sim_stream_ref(struct stream *s)
{
    s->references++;
}

void sim_stream_unref(struct stream *s)
{
    if (--s->references == 0)
        stream_forget(s);
}

static struct stream *legacy_stream(struct gpu *gpu)
{
    if (!gpu->legacy) {
        gpu->legacy = sim_stream_new(gpu, cudaStreamDefault, 0);
        gpu->legacy->legacy = true;
    }
    return gpu->legacy;
}

void sim_stream_append(struct stream *s, struct op *op)
{
    struct gpu *gpu = s->gpu;
    sim_op_after(op, s->tail);
    if (s->legacy) {
        for (size_t i = 0; i < gpu->streams; i++)
            if (gpu->stream[i]->blocking)
                sim_op_after(op, gpu->stream[i]->tail);
    } else if (s->blocking && gpu->legacy) {
        sim_op_after(op, gpu->legacy->tail);
    }
    sim_op_ref(op);
    sim_op_unref(s->tail);
    s->tail = op;
    s->used = true;
    s->unfinished++;
    s->references++;
    op->stream[op->streams++] = s;
}

void sim_stream_finished(struct stream *s, struct op *op)
{
    if (s->tail == op) {
        sim_op_unref(s->tail);
        s->tail = NULL;
    }
    s->unfinished--;
    if (s->unfinished <= STREAM_DEPTH)
        sim_waitable_fire(&s->room);
    sim_stream_unref(s);
}

struct event *sim_event_find(const struct context *c, cudaEvent_t handle)
{
    struct event *e = ncs_map_get(&sim_world.events, ncs_map_key(handle));
    return e && e->gpu->process == c->process ? e : NULL;
}

struct event *sim_event_new(struct gpu *gpu, struct event_record *record)
{
    struct event *e = sim_new(sizeof *e);
    if (!record) {
        record = sim_new(sizeof *record);
        *record = (struct event_record){ .serial = ++sim_world.event_serial };
    }
    *e = (struct event){ .gpu = gpu, .record = record };
    record->events++;
    ncs_map_put(&sim_world.events, ncs_map_key(e), e);
    return e;
}

void sim_event_free(struct event *e)
{
    if (--e->record->events == 0) {
        sim_capture_forget_record(e->record);
        sim_op_unref(e->record->op);
        sim_free(e->record, sizeof *e->record);
    }
    sim_free(e, sizeof *e);
}

void sim_gpu_free_streams(struct gpu *gpu)
{
    for (size_t i = 0; i < gpu->streams; i++)
        sim_free(gpu->stream[i], sizeof *gpu->stream[i]);
    ncs_free(gpu->stream);
    gpu->stream = NULL;
    gpu->streams = gpu->streams_room = 0;
    gpu->legacy = NULL;
}

static struct stream *own_stream(struct context *c, int device)
{
    if (!c->per_thread_stream)
        c->per_thread_stream = ncs_new((size_t)c->process->devices * sizeof(struct stream *));
    struct stream **s = &c->per_thread_stream[device];
    if (!*s)
        *s = sim_stream_new(sim_process_gpu(c->process, device), cudaStreamDefault, 0);
    return *s;
}

struct stream *sim_stream_find(struct context *c, cudaStream_t handle, int device)
{
    if (!handle || handle == cudaStreamLegacy)
        return legacy_stream(sim_process_gpu(c->process, device));
    if (handle == cudaStreamPerThread)
        return own_stream(c, device);
    struct stream *s = ncs_map_get(&sim_world.streams, ncs_map_key(handle));
    return s && s->gpu->process == c->process ? s : NULL;
}

void sim_stream_wait_room(struct context *c, struct stream *s)
{
    while (s->unfinished > STREAM_DEPTH) {
        sim_wait_for(c, NCS_WAIT_OP, s->tail, &s->room);
        if (sim_wait(c, -1) == WAIT_CANCELLED)
            return;
    }
}

struct stream *sim_stream_with_room(struct context *c, cudaStream_t handle, int device)
{
    struct stream *s;
    while ((s = sim_stream_find(c, handle, device)) && s->unfinished > STREAM_DEPTH) {
        sim_wait_for(c, NCS_WAIT_OP, s->tail, &s->room);
        if (sim_wait(c, -1) == WAIT_CANCELLED)
            return NULL;
    }
    return s;
}

static void wait_tail(struct context *c, struct stream *s)
{
    if (s->tail)
        sim_wait_for(c, NCS_WAIT_OP, s->tail, &s->tail->done);
}

void sim_stream_wait(struct context *c, struct stream *s)
{
    wait_tail(c, s);
    sim_wait(c, -1);
}

static bool is_done(void *arg)
{
    const struct op *op = arg;
    return op->state == OP_DONE;
}

/* A poll holds a reference to the operation while others run; it is the context's, as conditions
 * are, because a parked frame owns nothing. */
bool sim_op_poll(struct context *c, struct op *op)
{
    if (op->state == OP_DONE)
        return true;
    sim_wait_for(c, NCS_WAIT_OP, op, &op->done);
    bool done = sim_poll(c, is_done, op);
    sim_wait_forget(c);
    return done;
}

void sim_gpu_wait(struct context *c, struct gpu *gpu)
{
    for (size_t i = 0; i < gpu->streams; i++)
        wait_tail(c, gpu->stream[i]);
    sim_wait(c, -1);
}

void sim_gpu_end_ops(struct gpu *gpu, int status)
{
    for (struct op *op = sim_world.op_first, *next; op; op = next) {
        next = op->next; /* ending one operation removes no other from the list */
        if (op->gpu != gpu)
            continue;
        if (op->launch)
            sim_launch_withdraw(op->launch);
        sim_op_end(op, status);
    }
}

struct search {
    const struct gpu *gpu;
    struct event **found;
    size_t count, room;
};

static void event_collect(void *value, void *arg)
{
    struct search *s = arg;
    struct event *e = value;
    if (e->gpu == s->gpu)
        NCS_PUSH(s->found, s->count, s->room, e);
}

void sim_gpu_forget_streams(struct gpu *gpu)
{
    struct search s = { .gpu = gpu };
    ncs_map_each(&sim_world.events, event_collect, &s);
    for (size_t i = 0; i < s.count; i++) {
        ncs_map_remove(&sim_world.events, ncs_map_key(s.found[i]));
        sim_event_free(s.found[i]);
    }
    ncs_free(s.found);
    for (size_t i = gpu->streams; i-- > 0;) {
        struct stream *made = gpu->stream[i];
        if (ncs_map_remove(&sim_world.streams, ncs_map_key(made)))
            sim_stream_unref(made);
    }
}

void sim_gpu_fault(struct gpu *gpu, struct ncs_call *call, const char *why)
{
    struct world *w = &sim_world;
    if (gpu->fault)
        return;
    gpu->fault = cudaErrorIllegalAddress;
    if (w->observer.fault && call)
        w->observer.fault(w->observer.self, call, why);
    sim_gpu_end_ops(gpu, gpu->fault);
}

uint64_t sim_stream_name(const void *handle)
{
    if ((uintptr_t)handle <= 2)
        return (uintptr_t)handle;
    const struct stream *s = ncs_map_get(&sim_world.streams, ncs_map_key(handle));
    return s ? s->handle : 0;
}
