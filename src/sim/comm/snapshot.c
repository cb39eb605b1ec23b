#include "sim/comm/snapshot.h"

#include "api/journal.h"
#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/contact.h"
#include "sim/comm/group_job.h"
#include "sim/comm/launch.h"
#include "sim/comm/matrix.h"
#include "sim/comm/rma.h"
#include "sim/comm/round.h"
#include "sim/comm/meeting.h"
#include "sim/comm/composed.h"
#include "sim/cuda/host.h"
#include "sim/cuda/op.h"
#include "sim/kernel/context.h"
#include "sim/kernel/job.h"
#include "sim/kernel/world.h"

/* The index of every object in the arrays of the snapshot that is being taken. */
static struct {
    struct ncs_map op, job, part;
    size_t context, wait, ops, dep, parts, meetings, member, jobs, missing, gate, lack; /* rooms */
} index_of;

static void snapshot_number(struct ncs_map *map, const void *object, size_t index)
{
    ncs_map_put(map, ncs_map_key(object), (void *)(uintptr_t)(index + 1));
}

static int lookup(const struct ncs_map *map, const void *object)
{
    return (int)(intptr_t)ncs_map_get(map, ncs_map_key(object)) - 1;
}

static struct ncs_call *snapshot_pinned(struct ncs_call *call)
{
    ncs_call_pin(call);
    return call;
}

static void snapshot_add_wait(struct ncs_snapshot *s, enum ncs_wait_kind kind, int index)
{
    struct ncs_snap_wait wait = { kind, index };
    NCS_PUSH(s->wait, s->waits, index_of.wait, wait);
}

void sim_snapshot_missing(struct ncs_snap_job *out, struct ncs_snapshot *s, int rank)
{
    if (out->misses++ == 0)
        out->miss = s->missings;
    NCS_PUSH(s->missing, s->missings, index_of.missing, rank);
}

static void job_waits_for(struct ncs_snap_job *out, struct ncs_snapshot *s, enum ncs_wait_kind kind, int index)
{
    if (out->waits++ == 0)
        out->wait = s->waits;
    snapshot_add_wait(s, kind, index);
}

void sim_snapshot_op_wait(struct op *op, struct ncs_snap_job *out, struct ncs_snapshot *s)
{
    if (op && op->state != OP_DONE)
        job_waits_for(out, s, NCS_WAIT_OP, lookup(&index_of.op, op));
}

static void job_waits_at(struct ncs_snap_job *out, struct ncs_snapshot *s, struct ncs_snap_gate gate)
{
    job_waits_for(out, s, NCS_WAIT_GATE, (int)s->gates);
    NCS_PUSH(s->gate, s->gates, index_of.gate, gate);
}

void sim_snapshot_graphs(const struct job *job, struct ncs_snap_job *out, struct ncs_snapshot *s)
{
    job_waits_at(
        out, s, (struct ncs_snap_gate){ .what = "graph", .owner = job->rank, .owner_thread = job->call ? job->call->thread : 0 });
}

/* The rank of the run whose work a device does. A process's own number is its rank in a scenario only: in a program its
 * contexts have the rank, the one that uses the device before the others. */
static int rank_at(const struct gpu *gpu)
{
    int rank = -1;
    for (size_t i = 0; i < sim_world.contexts; i++) {
        const struct context *c = sim_world.context[i];
        if (c->process == gpu->process && c->options.local && (rank < 0 || c->device == gpu->device))
            rank = c->options.local->rank;
    }
    return rank;
}

void sim_snapshot_connection(const struct gpu *holder, struct ncs_snap_job *out, struct ncs_snapshot *s)
{
    job_waits_at(out, s, (struct ncs_snap_gate){ .what = "connection", .owner = rank_at(holder) });
}

void sim_snapshot_children(struct job *const *jobs, size_t count, struct ncs_snap_job *out, struct ncs_snapshot *s)
{
    for (size_t i = 0; i < count; i++)
        if (!jobs[i]->done)
            job_waits_for(out, s, NCS_WAIT_JOB, lookup(&index_of.job, jobs[i]));
}

static void snapshot_contact_of(const struct part *part, struct ncs_snap_job *out)
{
    out->kind = NCS_JOB_CONTACT;
    ncs_call_unpin((struct ncs_call *)out->call);
    out->call = snapshot_pinned(part->call);
    out->comm_rank = part->cr->rank;
    out->nranks = part->cr->nranks;
}

void sim_snapshot_round(const struct part *part, struct ncs_snap_job *out, struct ncs_snapshot *s)
{
    snapshot_contact_of(part, out);
    for (int r = -1; (r = sim_round_missing(part->cr, r + 1)) >= 0;)
        sim_snapshot_missing(out, s, r);
}

void sim_snapshot_contact(const struct part *part, struct ncs_snap_job *out, struct ncs_snapshot *s)
{
    const struct comm_rank *cr = part->cr;
    snapshot_contact_of(part, out);
    if (sim_part_is_composed(part))
        return; /* the group knows which peers are missing */
    if (sim_part_is_one_sided(part)) {
        for (int r = 0; r < cr->nranks; r++)
            if (!cr->comm->member[r]->one_sided)
                sim_snapshot_missing(out, s, r);
        return;
    }
    out->pair = sim_part_is_pair(part);
    if (out->pair) {
        out->peer = part->root;
        out->sending = part->fn == NCS_FN_ncclSend;
        sim_snapshot_missing(out, s, part->root);
        return;
    }
    bool every = sim_contact_each_time(cr);
    for (int r = 0; r < cr->nranks; r++)
        if (cr->comm->member[r]->entered < (every ? cr->entered : 1))
            sim_snapshot_missing(out, s, r);
}

/* Adds the peers whose signals a wait still lacks, in the order of the call. */
static void add_lacks(struct ncs_snapshot *s, const struct part *p)
{
    for (size_t i = 0; p->fn == NCS_FN_ncclWaitSignal && i < p->rma->waits; i++) {
        const struct rma_wait *w = &p->rma->wait[i];
        const struct peer *peer = sim_comm_peer(p->cr, w->peer);
        struct ncs_snap_lack lack = {
            .part = (int)s->parts, .peer = w->peer, .wanted = w->signals, .came = peer->signals - peer->signals_taken
        };
        if (p->state <= NCS_PART_AT_MEETING && lack.came < lack.wanted)
            NCS_PUSH(s->lack, s->lacks, index_of.lack, lack);
    }
}

/* A part at a cut link meets nobody, so it has a meeting of its own. */
static void add_cut(struct ncs_snapshot *s, const struct part *p, struct ncs_snap_part *entry)
{
    int a = p->cr->rank, b = p->root;
    struct ncs_snap_meeting entry_of_cut = { .pair = true,
                                             .nranks = p->cr->nranks,
                                             .src = a,
                                             .dst = b,
                                             .stuck = NCS_STUCK_LINK,
                                             .cut = { a < b ? a : b, a < b ? b : a },
                                             .member = s->members,
                                             .members = 1 };
    entry->meeting = (int)s->meetings;
    NCS_PUSH(s->member, s->members, index_of.member, (int)s->parts);
    NCS_PUSH(s->meeting, s->meetings, index_of.meetings, entry_of_cut);
}

static void snapshot_add_part(struct ncs_snapshot *s, struct part *p, int op)
{
    size_t more = sim_part_is_matrix(p) ? 2 * (size_t)p->cr->nranks - 1 : 0; /* not launched: nothing else is known of them */
    struct ncs_snap_part part = { .call = snapshot_pinned(p->call), .state = p->state, .op = op, .meeting = -1 };
    add_lacks(s, p);
    if (p->cut && p->state == NCS_PART_AT_MEETING)
        add_cut(s, p, &part);
    snapshot_number(&index_of.part, p, s->parts);
    NCS_PUSH(s->part, s->parts, index_of.parts, part);
    for (; more > 0; more--) {
        snapshot_pinned(p->call);
        NCS_PUSH(s->part, s->parts, index_of.parts, part);
    }
}

/* Idle contexts are left out. */
static bool is_shown(const struct context *c)
{
    return c->state != CONTEXT_IDLE;
}

/* The index that the context which runs the operation will have in the snapshot. */
static int runner_of(const struct op *op)
{
    const struct context *runner = sim_host_runner(op);
    int at = 0;
    for (size_t i = 0; runner && sim_world.context[i] != runner; i++)
        at += is_shown(sim_world.context[i]);
    return runner ? at : -1;
}

/* A callback whose thread was stopped for good: ranks that wait for the callback wait
 * for that thread. */
static void add_stopped_runner(struct ncs_snapshot *s, const struct op *op)
{
    const struct context *runner = sim_host_runner(op);
    if (!runner || runner->state != CONTEXT_ENDED)
        return;
    const struct ncs_local *local = runner->options.local;
    struct ncs_snap_gate gate = { .what = "callback", .owner = local->rank, .owner_thread = local->thread };
    NCS_PUSH(s->gate, s->gates, index_of.gate, gate);
}

static void add_op(struct ncs_snapshot *s, struct op *op)
{
    struct ncs_snap_op entry = { .kind = sim_op_kind_names[op->kind],
                                 .state = (enum ncs_op_state)op->state,
                                 .rank = op->call ? op->call->rank : rank_at(op->gpu),
                                 .device = op->gpu->device,
                                 .call = snapshot_pinned(op->call),
                                 .part = s->parts,
                                 .awaits_kernel_slot = op->kernel_slot == KERNEL_SLOT_WANTED,
                                 .context = runner_of(op) };
    if (op->launch)
        for (size_t i = 0; i < op->launch->parts; i++)
            snapshot_add_part(s, op->launch->part[i], (int)s->ops);
    entry.parts = s->parts - entry.part;
    add_stopped_runner(s, op);
    snapshot_number(&index_of.op, op, s->ops);
    NCS_PUSH(s->op, s->ops, index_of.ops, entry);
}

/* Calls `edge` for each obstacle of an unfinished operation: older operations that know it as their
 * successor, and those that hold the kernel slots of its device. */
static void each_edge(struct ncs_snapshot *s, void (*edge)(struct ncs_snapshot *s, struct ncs_snap_op *waits, int on))
{
    for (const struct op *op = sim_world.op_first; op; op = op->next) {
        int on = lookup(&index_of.op, op);
        for (size_t i = 0; i < op->successors; i++)
            if (op->successor[i]->state != OP_DONE)
                edge(s, &s->op[lookup(&index_of.op, op->successor[i])], on);
        const struct op *before = op->launch ? sim_launch_held_by(op->launch) : NULL;
        if (before)
            edge(s, &s->op[on], lookup(&index_of.op, before));
        for (size_t i = 0; op->kernel_slot == KERNEL_SLOT_HELD && i < sim_world.kernel_slot_waits; i++)
            if (sim_world.kernel_slot_line[i]->gpu == op->gpu)
                edge(s, &s->op[lookup(&index_of.op, sim_world.kernel_slot_line[i])], on);
    }
}

static void count_edge(struct ncs_snapshot *s, struct ncs_snap_op *waits, int on)
{
    (void)s;
    (void)on;
    waits->deps++;
}

static void put_edge(struct ncs_snapshot *s, struct ncs_snap_op *waits, int on)
{
    s->dep[waits->dep + waits->deps++] = on;
}

/* An older operation stores its edges; in the snapshot the waiting operation has them. */
static void add_edges(struct ncs_snapshot *s)
{
    each_edge(s, count_edge);
    for (size_t i = 0; i < s->ops; i++) {
        s->op[i].dep = s->deps;
        s->deps += s->op[i].deps;
        s->op[i].deps = 0;
    }
    s->dep = ncs_new(s->deps * sizeof *s->dep);
    each_edge(s, put_edge);
}

static void add_meeting(struct ncs_snapshot *s, const struct meeting *meeting)
{
    struct ncs_snap_meeting entry = { .pair = meeting->pair,
                                      .nranks = meeting->comm->nranks,
                                      .src = meeting->src,
                                      .dst = meeting->dst,
                                      .stuck = meeting->stuck,
                                      .cut = { meeting->cut[0], meeting->cut[1] },
                                      .member = s->members };
    for (int i = 0; i < meeting->expected; i++) {
        int part = meeting->part[i] ? lookup(&index_of.part, meeting->part[i]) : -1;
        if (part < 0)
            continue;
        s->part[part].meeting = (int)s->meetings;
        NCS_PUSH(s->member, s->members, index_of.member, part);
    }
    entry.members = s->members - entry.member;
    NCS_PUSH(s->meeting, s->meetings, index_of.meetings, entry);
}

static void add_meetings(struct ncs_snapshot *s)
{
    for (const struct comm *comm = sim_world.comm_first; comm; comm = comm->next)
        for (const struct meeting *meeting = comm->meeting_first; meeting; meeting = meeting->next)
            add_meeting(s, meeting);
}

static void add_jobs(struct ncs_snapshot *s)
{
    size_t count = 0;
    for (struct job *job = sim_world.job_first; job; job = job->next)
        snapshot_number(&index_of.job, job, count++);
    for (struct job *job = sim_world.job_first; job; job = job->next) {
        struct ncs_snap_job entry = {
            .kind = job->type->kind, .call = snapshot_pinned(job->call), .rank = job->rank, .comm_rank = -1, .peer = -1
        };
        job->type->describe(job, &entry, s);
        NCS_PUSH(s->job, s->jobs, index_of.jobs, entry);
    }
}

static void add_context_waits(struct ncs_snapshot *s, const struct context *c, struct ncs_snap_context *entry)
{
    const struct wait *w = &c->wait;
    entry->wait = s->waits;
    for (size_t i = 0; i < w->count; i++) {
        const struct condition *condition = &w->condition[i];
        if (!condition->link.on)
            continue;
        int at = -1;
        if (condition->kind == NCS_WAIT_OP) {
            at = lookup(&index_of.op, condition->object);
        } else if (condition->kind == NCS_WAIT_JOB) {
            at = lookup(&index_of.job, condition->object);
        } else {
            struct ncs_snap_gate gate = {
                .what = w->what, .key = ncs_copy_text(w->key), .owner = w->owner, .owner_thread = w->owner_thread
            };
            at = (int)s->gates;
            NCS_PUSH(s->gate, s->gates, index_of.gate, gate);
        }
        if (at >= 0)
            snapshot_add_wait(s, condition->kind, at);
    }
    entry->waits = s->waits - entry->wait;
}

static enum ncs_context_state public_state(const struct context *c)
{
    switch (c->state) {
    case CONTEXT_PARKED: return c->wait.count == 0 ? NCS_CONTEXT_SLEEPING : NCS_CONTEXT_PARKED;
    case CONTEXT_POLLING: return NCS_CONTEXT_POLLING;
    case CONTEXT_ENDED: return NCS_CONTEXT_ENDED;
    case CONTEXT_READY:
    case CONTEXT_RUNNING:
    case CONTEXT_IDLE: break;
    }
    return sim_progress_is_polling(c) ? NCS_CONTEXT_POLLING : NCS_CONTEXT_READY;
}

/* The context's present call, or between two polls the call that it repeats. */
static struct ncs_call *snapshot_call_of(const struct context *c)
{
    if (!c->options.local || c->state == CONTEXT_ENDED)
        return NULL;
    return c->options.local->call || !sim_progress_is_polling(c) ? c->options.local->call : c->polls.call;
}

static struct ncs_place snapshot_place_of(const struct context *c)
{
    const struct ncs_local *local = c->options.local;
    if (c->state == CONTEXT_ENDED || !local)
        return c->place.line || !local ? c->place : local->last;
    if (local->call)
        return local->call->place;
    return local->where ? local->where(local->where_arg) : (struct ncs_place){ NULL, 0 };
}

static void snapshot_add_context(struct ncs_snapshot *s, const struct context *c)
{
    const struct ncs_local *local = c->options.local;
    struct ncs_snap_context entry = {
        .rank = local ? local->rank : c->process->number,
        .thread = local ? local->thread : 0,
        .state = public_state(c),
        .ending = c->ending,
        .place = snapshot_place_of(c),
        .message = ncs_copy_text(c->message),
        .call = snapshot_pinned(snapshot_call_of(c)),
        .group_depth = c->group.depth,
        .has_deadline = c->wait.deadline >= 0,
    };
    add_context_waits(s, c, &entry);
    NCS_PUSH(s->context, s->contexts, index_of.context, entry);
}

void sim_snapshot_take(struct ncs_snapshot *out)
{
    struct world *w = &sim_world;
    *out = (struct ncs_snapshot){ .stop = w->stop, .now = w->now, .trace = w->trace };
    sim_matrices_open_all();
    for (struct op *op = w->op_first; op; op = op->next) {
        if (op->launch)
            sim_launch_open(op->launch);
        add_op(out, op);
    }
    add_edges(out);
    for (size_t i = 0; i < w->contexts; i++)
        for (size_t k = 0; k < w->context[i]->group.parts; k++)
            snapshot_add_part(out, w->context[i]->group.part[k], -1);
    for (struct job *job = w->job_first; job; job = job->next) {
        size_t count;
        struct part *const *parts = sim_group_job_parts(job, &count);
        for (size_t k = 0; k < count; k++)
            snapshot_add_part(out, parts[k], -1);
    }
    add_meetings(out);
    add_jobs(out);
    for (size_t i = 0; i < w->contexts; i++)
        if (is_shown(w->context[i]))
            snapshot_add_context(out, w->context[i]);
    ncs_map_free(&index_of.op);
    ncs_map_free(&index_of.job);
    ncs_map_free(&index_of.part);
    index_of = (__typeof__(index_of)){ 0 };
}
