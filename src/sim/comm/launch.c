#include "sim/comm/launch.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "api/journal.h"
#include "api/types.h"
#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/rma.h"
#include "sim/comm/matrix.h"
#include "sim/comm/meeting.h"
#include "sim/comm/composed.h"
#include "sim/cuda/graph.h"
#include "sim/cuda/op.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/kernel/world.h"

void sim_part_measure(struct part *p)
{
    const struct ncs_fn_info *info = &ncs_fn_info[p->fn];
    bool root = p->cr->rank == p->root;
    size_t all;
    p->beyond = __builtin_mul_overflow(p->count, ncs_dtype_bytes(p->dtype), &p->bytes) ||
                __builtin_mul_overflow(p->bytes, (size_t)p->cr->nranks, &all);
    p->reads = p->beyond ? 0 : p->bytes * ncs_block_count(info->reads, root, p->cr->nranks);
    p->writes = p->beyond ? 0 : p->bytes * ncs_block_count(info->writes, root, p->cr->nranks);
}

size_t sim_part_moved(const struct part *p)
{
    const struct ncs_fn_info *info = &ncs_fn_info[p->fn];
    bool all = info->reads == NCS_BLOCKS_ALL || info->writes == NCS_BLOCKS_ALL;
    return p->bytes * (all ? (size_t)p->cr->nranks : 1);
}

void sim_part_free(struct part *p)
{
    sim_comm_let_go(p->cr);
    ncs_call_unpin(p->call);
    sim_stream_unref(p->stream);
    sim_composed_unref(p->composed);
    sim_rma_free(p->rma);
    sim_free(p, sizeof *p);
}

/* The streams given for these parts, each once. */
static size_t collect_streams(struct part *const *parts, size_t count, struct stream **streams)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < n && streams[k] != parts[i]->stream)
            k++;
        if (k == n)
            streams[n++] = parts[i]->stream;
    }
    return n;
}

static uint64_t next_sequence(struct part *p)
{
    struct comm_rank *cr = p->cr;
    if (sim_part_is_one_sided(p))
        return 0;
    if (sim_part_is_composed(p))
        sim_composed_launched(p->composed);
    if (sim_part_is_matrix(p))
        return p->composed->before;
    if (!sim_part_is_pair(p))
        return cr->collectives++;
    struct peer *peer = sim_comm_peer(cr, p->root);
    uint64_t *messages = p->fn == NCS_FN_ncclSend ? &peer->sends : &peer->recvs;
    if (p->composed && sim_composed_is_mutual(p->composed->fn))
        return *messages + p->composed->before;
    if (!cr->comm->paired) {
        cr->comm->paired = true;
        sim_matrices_open(cr->comm);
    }
    return (*messages)++ + cr->matrices;
}

/* With NCCL_LAUNCH_ORDER_IMPLICIT, launches on one device start in the order in which the process made
 * them, whatever their streams and communicators. They may run at the same time. */
static void keep_order(struct launch *launch)
{
    struct gpu *gpu = launch->cr->gpu;
    struct op *last = gpu->last_launch;
    if (last && last->launch && !last->launch->started) {
        launch->before = last;
        sim_op_ref(launch->op);
        last->launch->behind = launch->op;
    } else {
        sim_op_unref(last);
    }
    gpu->last_launch = launch->op;
    sim_op_ref(launch->op);
}

const struct op *sim_launch_held_by(const struct launch *launch)
{
    const struct op *before = launch->before;
    bool holds = before && before->launch && !before->launch->started && launch->open > 0;
    return holds ? before : NULL;
}

bool sim_launch_is_over(const struct launch *launch)
{
    return launch->open == 0;
}

size_t sim_launch_calls(const struct launch *launch, struct ncs_call **calls)
{
    const struct ncs_call *last = NULL;
    size_t count = 0;
    for (size_t i = 0; i < launch->parts; i++) {
        struct ncs_call *call = launch->part[i]->call;
        if (!call || call == last)
            continue;
        if (calls)
            calls[count] = call;
        last = call;
        count++;
    }
    return count;
}

/* The launch that waits for this one to start may start. */
static void release_order(struct launch *launch)
{
    struct op *behind = launch->behind;
    launch->behind = NULL;
    if (behind && behind->state == OP_ENABLED)
        sim_op_queue(behind);
    sim_op_unref(behind);
    sim_op_unref(launch->before);
    launch->before = NULL;
}

/* Handles that share resources launch one after the other, in the order of issue. A copy on a
 * communicator of one rank uses no resources. */
static void follow_kin(struct comm_rank *cr, struct op *op)
{
    struct comm_rank *head = cr->family;
    if (!head->sharers || cr->nranks == 1)
        return;
    sim_op_after(op, head->last_of_kin ? head->last_of_kin : head->last_launch);
    sim_op_unref(head->last_of_kin);
    head->last_of_kin = op;
    sim_op_ref(op);
}

/* The order of parts inside a launch: lower numbers go first. */
static int part_turn(const struct part *p)
{
    return sim_part_is_one_sided(p) ? 0 : sim_part_is_pair(p) || sim_part_is_matrix(p) ? 2 : 1;
}

static struct launch *launch_new(struct comm_rank *cr, size_t count)
{
    struct launch *launch = sim_new(sizeof *launch);
    launch->cr = cr;
    launch->parts = launch->open = count;
    launch->part = count > 1 ? ncs_new(count * sizeof(struct part *)) : &launch->only;
    return launch;
}

static bool part_is_over(const struct part *p)
{
    return p->state == NCS_PART_DONE || p->state == NCS_PART_CANCELLED;
}

void sim_launch_open(struct launch *launch)
{
    size_t parts = 0, wholes = 0;
    for (size_t i = 0; i < launch->parts; i++)
        wholes += sim_part_is_matrix(launch->part[i]) && !part_is_over(launch->part[i]);
    if (wholes == 0)
        return;
    struct part **part = ncs_new((launch->parts + wholes * 2 * (size_t)launch->cr->nranks) * sizeof *part);
    for (size_t i = 0; i < launch->parts; i++) {
        size_t before = parts;
        if (sim_part_is_matrix(launch->part[i]))
            parts += sim_composed_call(launch->part[i], part + parts);
        else
            part[parts++] = launch->part[i];
        launch->open += parts - before - 1;
    }
    if (launch->part != &launch->only)
        ncs_free(launch->part);
    launch->part = part;
    launch->parts = parts;
}

/* The launch takes its place among those of its communicator. */
static void launch_take_place(struct launch *launch)
{
    struct comm_rank *cr = launch->cr;
    struct op *op = launch->op;
    for (size_t i = 0; i < launch->parts; i++) {
        launch->part[i]->sequence = next_sequence(launch->part[i]);
    }
    cr->launches++;
    if (cr->ordered)
        keep_order(launch);
    sim_op_after(op, cr->last_launch);
    follow_kin(cr, op);
    sim_op_unref(cr->last_launch);
    cr->last_launch = op;
    sim_op_ref(op);
    if (cr->family->cut)
        sim_launch_withdraw(launch);
}

static void op_of_call(struct op *op, struct ncs_call *call)
{
    ncs_call_unpin(op->call);
    op->call = call;
    ncs_call_pin(op->call);
}

static void launch_set(struct op *op, struct launch *launch)
{
    op->launch = launch;
    launch->op = op;
    for (size_t i = 0; i < launch->parts; i++)
        launch->part[i]->launch = launch;
}

void sim_launch_enqueue(struct comm_rank *cr, struct part **parts, size_t count)
{
    struct launch *launch = launch_new(cr, count);
    size_t at = 0;
    for (int t = 0; t < 3; t++) {
        if (t == 2)
            launch->ordered = at;
        for (size_t i = 0; i < count; i++)
            if (part_turn(parts[i]) == t)
                launch->part[at++] = parts[i];
    }
    struct stream *only, **streams = count > 1 ? ncs_new(count * sizeof(struct stream *)) : &only;
    size_t n = collect_streams(parts, count, streams);
    struct op *op = sim_op_new(OP_LAUNCH, cr->gpu, streams, n, 0);
    if (streams != &only)
        ncs_free(streams);
    op_of_call(op, parts[0]->call);
    if (count > 1 || op->captured || !sim_matrix_is_possible(parts[0])) /* an all-to-all by itself stays whole */
        sim_launch_open(launch);
    launch_set(op, launch);
    if (op->captured)
        cr->graphs++;
    else
        launch_take_place(launch);
    sim_op_submit(op);
}

/* ---- launches of a graph ---- */

/* `composed`: the call that the part before it belongs to, in the graph and in this launch. */
struct again {
    const struct composed *captured;
    struct composed *composed;
};

static struct part *part_again(const struct part *from, struct again *last, struct stream *s)
{
    struct part *p = sim_new(sizeof *p);
    *p = *from;
    p->stream = s;
    p->launch = NULL;
    p->call = sim_graph_call(from->call);
    if (from->composed && from->composed != last->captured)
        *last = (struct again){ from->composed, sim_composed_again(from->composed, p->call) };
    if (from->composed) {
        p->composed = last->composed;
        p->composed->parts++;
        p->composed->open++;
    }
    sim_comm_hold(p->cr);
    sim_stream_ref(p->stream);
    ncs_call_pin(p->call);
    return p;
}

void sim_launch_again(struct op *op, const struct launch *from, struct stream *const *captured, struct stream *const *streams,
                      size_t count)
{
    struct launch *launch = launch_new(from->cr, from->parts);
    struct again last = { 0 };
    launch->ordered = from->ordered;
    for (size_t i = 0; i < from->parts; i++) {
        size_t k = 0;
        while (k + 1 < count && captured[k] != from->part[i]->stream)
            k++;
        launch->part[i] = part_again(from->part[i], &last, streams[k]);
    }
    op_of_call(op, launch->part[0]->call);
    launch_set(op, launch);
    launch_take_place(launch);
}

bool sim_launch_is_possible(const struct launch *launch)
{
    return launch->cr->state < COMM_ABORTED;
}

/* True if the device cannot use the buffer. If devices have peer access at all, NCCL's kernels use
 * it without asking CUDA. */
static bool out_of_reach(const struct part *p, const void *buffer, size_t bytes)
{
    return bytes > 0 && sim_world.options.no_peer_access && !sim_memory_in_reach(p->cr->gpu, buffer);
}

/* Reports a buffer that the device can use but that lies on another device. */
static void tell_foreign(const struct part *p, const void *buffer, size_t bytes, const char *role)
{
    const struct ncs_observer *o = &sim_world.observer;
    struct allocation *a = bytes > 0 ? sim_memory_find(buffer) : NULL;
    char why[96];
    if (!a || a->kind != MEMORY_DEVICE || a->device == p->cr->gpu->device || a->foreign || !o->foreign || !p->call)
        return;
    a->foreign = true;
    snprintf(why, sizeof why, "the %s buffer is on device %d, the communicator on device %d", role, a->device,
             p->cr->gpu->device);
    o->foreign(o->self, p->call, why);
}

const char *sim_part_misplaced(const struct part *p)
{
    const struct process *process = p->cr->process;
    if (p->beyond)
        return "count times the size of the type is beyond any memory";
    if (!sim_memory_reachable(process, p->send, p->reads))
        return "the send buffer is not wholly inside device memory of this rank";
    if ((p->recv != p->send || p->writes > p->reads) && !sim_memory_reachable(process, p->recv, p->writes))
        return "the receive buffer is not wholly inside device memory of this rank";
    if (out_of_reach(p, p->send, p->reads) || out_of_reach(p, p->recv, p->writes))
        return "a buffer is memory of another device, and devices cannot use each other's";
    if (p->scalar_pointer && !sim_memory_reachable(process, p->scalar_pointer, ncs_dtype_bytes(p->dtype)))
        return "the pre-mul-sum scalar is not in device memory of this rank";
    return NULL;
}

void sim_part_stamp(const struct part *p, int64_t time)
{
    struct process *process = p->cr->process;
    uint64_t serial = p->launch->op->serial;
    if (process->stamped != time || serial > process->launched)
        process->launched = serial;
    process->stamped = time;
}

/* The first part that is not over. */
static size_t launch_first_open(const struct launch *launch)
{
    size_t i = 0;
    while (i < launch->parts && part_is_over(launch->part[i]))
        i++;
    return i;
}

void sim_launch_advance(struct launch *launch)
{
    struct part *first = launch->part[0];
    if (!launch->started) {
        launch->started = true;
        release_order(launch);
        if (sim_part_is_matrix(first) && first->state == NCS_PART_WAITING && !sim_matrix_admits(first))
            sim_launch_open(launch);
    }
    size_t i = launch_first_open(launch);
    if (i == launch->parts) {
        sim_op_end(launch->op, 0);
        return;
    }
    size_t end = i < launch->ordered ? i + 1 : launch->parts;
    for (; i < end; i++) {
        struct part *p = launch->part[i];
        if (p->state != NCS_PART_WAITING)
            continue;
        const char *why = sim_part_misplaced(p);
        if (why) {
            sim_gpu_fault(launch->op->gpu, p->call, why); /* ends this launch */
            return;
        }
        tell_foreign(p, p->send, p->reads, "send");
        tell_foreign(p, p->recv, p->writes, "receive");
        if (sim_part_is_one_sided(p))
            sim_rma_arrive(p);
        else if (sim_part_is_matrix(p))
            sim_matrix_arrive(p);
        else
            sim_meeting_arrive(p, sim_world.now);
    }
}

/* Before parts are taken away, all of them are there. When the machine closes, nobody looks. */
static void open_before_leave(struct launch *launch)
{
    struct part *p = launch->part[0];
    if (!sim_part_is_matrix(p) || sim_world.closing)
        return;
    if (p->meeting)
        sim_matrix_open(p->meeting);
    else if (p->state == NCS_PART_WAITING)
        sim_launch_open(launch);
}

void sim_launch_withdraw(struct launch *launch)
{
    if (launch->part[0]->state < NCS_PART_MATCHED)
        open_before_leave(launch);
    for (size_t i = 0; i < launch->parts; i++) {
        struct part *p = launch->part[i];
        if (part_is_over(p) || p->state == NCS_PART_MATCHED)
            continue;
        if (sim_part_is_one_sided(p))
            sim_rma_leave(p);
        else if (p->state == NCS_PART_AT_MEETING)
            sim_meeting_leave(p);
        p->state = NCS_PART_CANCELLED;
        launch->open--;
    }
}

void sim_launch_free(struct launch *launch)
{
    if (!launch)
        return;
    release_order(launch);
    if (launch->op->captured && --launch->cr->graphs == 0)
        sim_waitable_fire(&launch->cr->forgotten);
    open_before_leave(launch);
    for (size_t i = 0; i < launch->parts; i++) {
        struct part *p = launch->part[i];
        if (p->meeting)
            sim_meeting_forget(p); /* matched on a device that died */
        if (sim_part_is_one_sided(p))
            sim_rma_leave(p);
        sim_part_free(p);
    }
    if (launch->part != &launch->only)
        ncs_free(launch->part);
    sim_free(launch, sizeof *launch);
}
