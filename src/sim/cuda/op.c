#include "sim/cuda/op.h"

#include <assert.h>
#include <string.h>

#include "api/journal.h"
#include "api/types.h"
#include "base/mem.h"
#include "sim/cuda/above.h"
#include "sim/cuda/capture.h"
#include "sim/cuda/host.h"
#include "sim/cuda/kernel_slot.h"
#include "sim/cuda/stream.h"
#include "sim/data/caller.h"
#include "sim/data/data.h"
#include "sim/data/memory.h"
#include "sim/data/pages.h"
#include "sim/data/unwritten.h"
#include "sim/kernel/agenda.h"
#include "sim/kernel/list.h"
#include "sim/kernel/world.h"

const char *const sim_op_kind_names[] = {
    [OP_LAUNCH] = "launch", [OP_COPY] = "copy",   [OP_SET] = "memset",    [OP_ADD] = "add",
    [OP_EVENT] = "event",   [OP_DELAY] = "delay", [OP_HOST] = "callback", [OP_FREE] = "free",
};

/* A stream of CUDA's own has a name that is no address. */
static const void *op_stream_handle(const struct stream *s)
{
    return s->legacy ? NULL : s;
}

static void tell_of(const struct op *op, enum ncs_work_state state)
{
    const struct ncs_observer *o = &sim_world.observer;
    if (!o->work)
        return;
    struct ncs_work work = { .serial = op->serial,
                             .kind = sim_op_kind_names[op->kind],
                             .rank = op->gpu->process->number,
                             .device = op->gpu->device,
                             .status = op->status };
    if (state != NCS_WORK_QUEUED) {
        o->work(o->self, &work, state);
        return;
    }
    struct ncs_call *own[1] = { op->call }, **calls = own;
    work.calls = op->call != NULL;
    if (op->launch) {
        work.calls = sim_launch_calls(op->launch, NULL);
        calls = ncs_new(work.calls * sizeof *calls);
        sim_launch_calls(op->launch, calls);
    }
    const void **streams = ncs_new(op->streams * sizeof *streams);
    for (size_t i = 0; i < op->streams; i++)
        streams[i] = op_stream_handle(op->stream[i]);
    work.call = calls;
    work.stream = streams;
    work.streams = op->streams;
    o->work(o->self, &work, state);
    ncs_free(streams);
    if (calls != own)
        ncs_free(calls);
}

const struct process *sim_op_process(const struct op *op)
{
    return op->gpu->process;
}

void sim_op_ref(struct op *op)
{
    op->references++;
}

void sim_op_unref(struct op *op)
{
    if (!op || --op->references > 0)
        return;
    assert(op->state == OP_DONE);
    ncs_free(op->successor);
    if (op->stream != &op->only)
        ncs_free(op->stream);
    sim_free(op, sizeof *op);
}

struct op *sim_op_new(enum op_kind kind, struct gpu *gpu, struct stream *const *streams, size_t count, int64_t cost)
{
    struct world *w = &sim_world;
    if (streams[0]->capture)
        return sim_capture_op(kind, gpu, streams, count, cost);
    struct op *op = sim_new(sizeof *op);
    op->kind = kind;
    op->gpu = gpu;
    op->cost = cost;
    op->serial = ++w->op_serial;
    op->references = 1; /* held by the graph until the operation is done */
    op->blockers = 1;   /* removed by sim_op_submit */
    op->call = ncs_local ? ncs_local->call : NULL;
    ncs_call_pin(op->call);
    LIST_APPEND(w->op_first, w->op_last, op);
    op->stream = count > 1 ? ncs_new(count * sizeof(struct stream *)) : &op->only;
    for (size_t i = 0; i < count; i++)
        sim_stream_append(streams[i], op);
    return op;
}

void sim_op_after(struct op *op, struct op *older)
{
    if (!older || older == op || older->state == OP_DONE)
        return;
    assert(older->serial < op->serial);
    /* Streams that share a tail would add the same edge again, one after the other. */
    if (older->successors > 0 && older->successor[older->successors - 1] == op)
        return;
    sim_op_ref(op); /* a device that dies ends it before the older one */
    NCS_PUSH(older->successor, older->successors, older->successors_room, op);
    op->blockers++;
}

void sim_op_queue(struct op *op)
{
    struct world *w = &sim_world;
    if (op->queued)
        return;
    op->queued = true;
    sim_op_ref(op);
    QUEUE_APPEND(w->queued_first, w->queued_last, op, next_queued);
}

static void unblock(struct op *op)
{
    assert(op->blockers > 0 && op->state == OP_BLOCKED);
    if (--op->blockers > 0)
        return;
    op->state = OP_ENABLED;
    sim_op_queue(op);
}

void sim_op_submit(struct op *op)
{
    sim_world_changed();
    if (op->captured)
        return;
    tell_of(op, NCS_WORK_QUEUED);
    unblock(op);
}

static void op_advance(struct op *op)
{
    if (op->state == OP_DONE)
        return;
    bool fresh = op->state == OP_ENABLED;
    if (fresh && op->kind == OP_LAUNCH && !op->gpu->fault && (sim_launch_held_by(op->launch) || sim_kernel_slot_wanted(op)))
        return;
    op->state = OP_ACTIVE;
    if (fresh)
        tell_of(op, NCS_WORK_BEGUN);
    if (op->gpu->fault)
        sim_op_end(op, op->gpu->fault);
    else if (op->kind == OP_LAUNCH)
        sim_launch_advance(op->launch);
    else if (fresh)
        sim_agenda_add(sim_world_later(op->cost), EVENT_OP, op, op->serial, &op->agenda_place);
}

bool sim_ops_activate(void)
{
    struct world *w = &sim_world;
    struct op *op = w->queued_first;
    if (!op)
        return false;
    for (; op; op = w->queued_first) {
        QUEUE_TAKE(w->queued_first, w->queued_last, next_queued);
        op->queued = false;
        op_advance(op);
        sim_op_unref(op);
    }
    return true;
}

static size_t rows_span(size_t bytes, size_t rows, size_t pitch)
{
    return bytes + (rows > 1 ? (rows - 1) * pitch : 0);
}

static const char *misplaced(const struct op *op)
{
    const struct op_work *w = &op->work;
    const struct process *p = op->gpu->process;
    if (w->dst_device && !sim_memory_still_reachable(p, w->dst_memory, w->dst, rows_span(w->bytes, w->rows, w->dst_pitch)))
        return "its destination is no longer allocated";
    if (w->src_device && !sim_memory_still_reachable(p, w->src_memory, w->src, rows_span(w->bytes, w->rows, w->src_pitch)))
        return "its source is no longer allocated";
    if (op->kind == OP_ADD && !(sim_memory_in_reach(op->gpu, w->dst) && sim_memory_in_reach(op->gpu, w->src)))
        return "some of its memory is on a device that its own has no peer access to";
    return NULL;
}

/* False: a process's own memory cannot be touched any more. */
static bool copy_rows(const struct process *process, const struct op_work *w)
{
    const char *from = w->staged ? w->staged : w->src;
    size_t pitch = w->staged ? w->bytes : w->src_pitch;
    bool copied = true, from_caller = !w->staged && !w->src_device;
    for (size_t row = 0; row < w->rows && copied; row++)
        copied = sim_caller_copy(process, (char *)w->dst + row * w->dst_pitch, !w->dst_device, from + row * pitch, from_caller,
                                 w->bytes);
    return copied;
}

static void set_rows(const struct op_work *w)
{
    if (!sim_pages_set(w->dst, w->byte, w->bytes))
        memset(w->dst, w->byte, w->bytes);
    for (size_t row = 1; row < w->rows; row++)
        memset((char *)w->dst + row * w->dst_pitch, w->byte, w->bytes);
}

/* One row of a copy or a set. */
static void row_is_written(const struct op *op, size_t row)
{
    const struct op_work *w = &op->work;
    char *dst = (char *)w->dst + row * w->dst_pitch;
    const char *src = op->kind == OP_SET ? NULL : (const char *)w->src + row * w->src_pitch;
    const struct allocation *to = w->dst_device ? sim_memory_find(dst) : NULL;
    bool on_device = to && to->kind == MEMORY_DEVICE;
    if (op->kind == OP_SET || w->staged || !w->src_device)
        sim_unwritten_write(dst, w->bytes);
    else if (on_device)
        sim_unwritten_copy(dst, src, w->bytes, op->call);
    else
        sim_unwritten_use(NCS_UNWRITTEN_COPIED, src, w->bytes, ncs_dtype_bytes(w->dtype), op->call);
}

static void sum_is_written(const struct op *op)
{
    const struct op_work *w = &op->work;
    struct operand operand[2] = { { w->dst, op->call }, { w->src, op->call } };
    struct spans is = { 0 };
    sim_unwritten_combine(operand, 2, w->bytes, ncs_dtype_bytes(w->dtype), &is);
    sim_unwritten_put(w->dst, w->bytes, &is, 0);
    sim_spans_free(&is);
}

/* Memory that nothing had written before the operation (data/unwritten.h). Of many rows all but the first ones count as
 * written, with what is between them. */
static void keep_unwritten(const struct op *op)
{
    const struct op_work *w = &op->work;
    size_t rows = w->rows < SPANS_MOST ? w->rows : SPANS_MOST;
    if (!sim_unwritten_any())
        return;
    if (op->kind == OP_ADD)
        sum_is_written(op);
    else if (rows < w->rows && w->dst_device)
        sim_unwritten_write(w->dst, rows_span(w->bytes, w->rows, w->dst_pitch));
    else
        for (size_t row = 0; row < rows; row++)
            row_is_written(op, row);
}

static void execute(struct op *op)
{
    struct op_work *work = &op->work;
    bool writes = op->kind == OP_COPY || op->kind == OP_SET || op->kind == OP_ADD;
    if (writes && !sim_memory_commit(work->dst, rows_span(work->bytes, work->rows, work->dst_pitch)))
        return;
    switch (op->kind) {
    case OP_COPY:
        if (!copy_rows(op->gpu->process, work))
            op->gpu->fault = cudaErrorIllegalAddress;
        break;
    case OP_SET: set_rows(work); break;
    case OP_ADD:
        if (sim_unwritten_any()) {
            sim_unwritten_check(work->dst, work->bytes);
            sim_unwritten_check(work->src, work->bytes);
        }
        sim_data_add(work->dst, work->src, work->bytes / ncs_dtype_bytes(work->dtype), work->dtype);
        break;
    case OP_FREE: sim_memory_left(work->dst_memory, work->dst); break;
    case OP_LAUNCH:
    case OP_EVENT:
    case OP_DELAY:
    case OP_HOST: break;
    }
    if (writes)
        keep_unwritten(op);
}

void sim_op_due(struct op *op)
{
    if (op->kind == OP_HOST)
        sim_host_begin(op);
    else
        sim_op_end(op, 0);
}

void sim_op_end(struct op *op, int status)
{
    if (op->state == OP_DONE)
        return;
    sim_agenda_forget(&op->agenda_place);
    const char *why = status == 0 && op->kind != OP_LAUNCH ? misplaced(op) : NULL;
    if (why) {
        sim_gpu_fault(op->gpu, op->call, why); /* ends this operation too */
        return;
    }
    if (status == 0)
        execute(op);
    sim_kernel_slot_release(op);
    op->state = OP_DONE;
    op->status = status;
    op->ended = sim_world.now;
    tell_of(op, NCS_WORK_ENDED);
    sim_world_changed();
    LIST_REMOVE(sim_world.op_first, sim_world.op_last, op);
    for (size_t i = 0; i < op->streams; i++)
        sim_stream_finished(op->stream[i], op);
    op->streams = 0;
    for (size_t i = 0; i < op->successors; i++) {
        if (op->successor[i]->state == OP_BLOCKED)
            unblock(op->successor[i]);
        sim_op_unref(op->successor[i]);
    }
    op->successors = 0;
    sim_waitable_fire(&op->done);
    if (op->kind == OP_HOST && status != 0)
        sim_host_failed(op);
    ncs_call_unpin(op->call);
    op->call = NULL;
    ncs_free(op->work.staged);
    op->work.staged = NULL;
    sim_launch_free(op->launch);
    op->launch = NULL;
    sim_op_unref(op);
}
