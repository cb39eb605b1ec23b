/* Plays the journal through (replay.h). An operation that is not done then cannot have completed; the
 * snapshot gets it as the simulator would have put it there. */
#include "base/mem.h"
#include "trace/replay.h"

/* ---- into the snapshot ---- */

static struct ncs_call *pinned(const struct ncs_call *call)
{
    ncs_call_pin((struct ncs_call *)call);
    return (struct ncs_call *)call;
}

static void put_lacks(struct played *p, struct ncs_snapshot *s, const struct played_part *part)
{
    size_t count;
    const ncclWaitSignalDesc_t *d = ncs_call_waits(part->call, &count);
    for (size_t i = 0; i < count; i++) {
        struct ncs_snap_lack lack = { .part = part->shown,
                                      .peer = d[i].peer,
                                      .wanted = (uint64_t)d[i].opCnt,
                                      .came = ncs_replay_came(p, part->call, d[i].peer) };
        if (d[i].opCnt > 0 && lack.came < lack.wanted)
            NCS_PUSH(s->lack, s->lacks, p->lack_room, lack);
    }
}

static void put_part(struct played *p, struct ncs_snapshot *s, struct played_part *part, int op)
{
    /* The partner of one call can be there while other calls of its launch still wait. */
    bool met = !part->queued && part->met;
    part->shown = (int)s->parts;
    if (part->reached && !met && part->call->fn == NCS_FN_ncclWaitSignal)
        put_lacks(p, s, part);
    s->part[s->parts++] = (struct ncs_snap_part){
        .call = pinned(part->call),
        .op = op,
        .meeting = -1,
        .state = met             ? NCS_PART_MATCHED
                 : part->reached ? NCS_PART_AT_MEETING
                                 : NCS_PART_WAITING,
    };
}

static const char *const launch_kinds[] = {
    [LAUNCH_OF_NCCL] = "launch",
    [LAUNCH_CALLBACK] = "callback",
    [LAUNCH_EVENT] = "event",
};

static void put_launches(struct played *p, struct ncs_snapshot *s)
{
    for (size_t i = 0; i < p->launches; i++) {
        struct played_launch *l = &p->launch[i];
        if (l->done)
            continue;
        l->shown = s->ops + 1;
        struct ncs_snap_op op = {
            .kind = launch_kinds[l->kind],
            .state = ncs_replay_is_reached(p, l) ? NCS_OP_ACTIVE : NCS_OP_BLOCKED,
            .rank = l->call->rank,
            .device = l->device,
            .call = pinned(l->call),
            .dep = s->deps,
            .part = s->parts,
            .context = l->context,
        };
        for (int k = 0; k < 2; k++) /* older ones are shown already */
            if (l->before[k] && !p->launch[l->before[k] - 1].done && (k == 0 || l->before[1] != l->before[0]))
                s->dep[s->deps++] = (int)p->launch[l->before[k] - 1].shown - 1;
        for (size_t at = l->first; at; at = p->part[at - 1].next)
            put_part(p, s, &p->part[at - 1], (int)s->ops);
        op.deps = s->deps - op.dep;
        op.parts = s->parts - op.part;
        s->op[s->ops++] = op;
    }
    for (size_t i = 0; i < p->parts; i++)
        if (p->part[i].queued)
            put_part(p, s, &p->part[i], -1);
}

static void put_slots(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s)
{
    for (size_t i = 0; i < p->slots; i++) {
        const struct played_slot *slot = &p->slot[i];
        struct ncs_snap_meeting out = { .pair = slot->src >= 0,
                                        .src = slot->src,
                                        .dst = slot->dst,
                                        .nranks = j->comm[slot->comm]->nranks,
                                        .member = s->members };
        if (ncs_replay_is_met(p, j, i))
            continue;
        for (size_t k = 0; k < slot->parts; k++) {
            const struct played_part *part = &p->part[slot->part[k]];
            if (!part->reached || p->launch[part->launch].done)
                continue;
            s->part[part->shown].meeting = (int)s->meetings;
            s->member[s->members++] = part->shown;
        }
        out.members = s->members - out.member;
        if (out.members == 0)
            continue;
        if (out.members == ncs_replay_expected(slot, j))
            out.stuck = ncs_replay_disagreement(p, slot);
        s->meeting[s->meetings++] = out;
    }
}

static void add_wait(struct played *p, struct ncs_snapshot *s, struct ncs_snap_context *c, enum ncs_wait_kind kind, int index)
{
    struct ncs_snap_wait wait = { kind, index };
    if (c->waits++ == 0)
        c->wait = s->waits;
    NCS_PUSH(s->wait, s->waits, p->wait_room, wait);
}

/* Adds the job of a call that waits for other ranks. A call of the group that the context ends waits only if some are missing. */
static bool put_job(struct played *p, struct ncs_snapshot *s, struct ncs_snap_context *c, struct ncs_snap_job job)
{
    job.misses = s->missings - job.miss;
    if (!job.misses && job.call != c->call)
        return false;
    pinned(job.call);
    s->job[s->jobs] = job;
    add_wait(p, s, c, NCS_WAIT_JOB, (int)s->jobs++);
    return true;
}

/* An initialisation that other ranks of its communicator have not entered. */
static bool wait_for_members(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s, struct ncs_snap_context *c,
                             const struct ncs_call *call)
{
    if (ncs_fn_info[call->fn].joins != NCS_JOINS_ONE || call->comm < 0)
        return false;
    const struct ncs_comm_info *info = j->comm[call->comm];
    struct ncs_snap_job job = { .kind = NCS_JOB_INIT,
                                .call = call,
                                .rank = c->rank,
                                .comm_rank = call->comm_rank,
                                .nranks = info->nranks,
                                .miss = s->missings,
                                .peer = -1 };
    s->missing = ncs_resize(s->missing, (s->missings + (size_t)info->nranks) * sizeof *s->missing);
    for (int r = 0; r < info->nranks; r++)
        if (r >= info->members || info->member[r].rank < 0)
            s->missing[s->missings++] = r;
    return put_job(p, s, c, job);
}

/* Unnumbered calls that all ranks of a communicator make: finds the ranks that have made fewer. */
static const struct {
    enum ncs_fn fn;
    enum ncs_job_kind kind;
} meetings[] = {
    { NCS_FN_ncclCommSplit, NCS_JOB_SPLIT },
    { NCS_FN_ncclCommShrink, NCS_JOB_SHRINK },
    { NCS_FN_ncclCommWindowRegister, NCS_JOB_WINDOW },
};

static size_t calls_of(const struct ncs_journal *j, int comm, int rank, enum ncs_fn fn)
{
    size_t calls = 0;
    for (const struct ncs_call *c = j->oldest; c; c = c->newer)
        calls += c->fn == fn && c->comm == comm && c->comm_rank == rank;
    return calls;
}

static bool wait_for_meeting(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s, struct ncs_snap_context *c,
                             const struct ncs_call *call)
{
    size_t m = 0;
    while (m < sizeof meetings / sizeof *meetings && meetings[m].fn != call->fn)
        m++;
    if (m == sizeof meetings / sizeof *meetings || call->comm < 0 || j->dropped > 0)
        return false;
    const struct ncs_comm_info *info = j->comm[call->comm];
    size_t mine = calls_of(j, call->comm, call->comm_rank, call->fn);
    struct ncs_snap_job job = { .kind = meetings[m].kind,
                                .call = call,
                                .rank = c->rank,
                                .comm_rank = call->comm_rank,
                                .nranks = info->nranks,
                                .miss = s->missings,
                                .peer = -1 };
    s->missing = ncs_resize(s->missing, (s->missings + (size_t)info->nranks) * sizeof *s->missing);
    for (int r = 0; r < info->nranks; r++)
        if (calls_of(j, call->comm, r, call->fn) < mine)
            s->missing[s->missings++] = r;
    return put_job(p, s, c, job);
}

/* The wait of a call, or of the first call of a group that waits for ranks: calls of a group meet at its end. */
static bool wait_for_hosts(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s, struct ncs_snap_context *c)
{
    const struct ncs_call *end = c->call;
    bool group = ncs_fn_info[end->fn].closes_group;
    for (const struct ncs_call *call = group ? j->oldest : end; call; call = group ? call->newer : NULL) {
        if (group && (!call->group || call->group != end->group))
            continue;
        if (wait_for_members(p, j, s, c, call) || wait_for_meeting(p, j, s, c, call))
            return true;
        if (!ncs_infer_teardown(p, j, s, c, call))
            continue;
        add_wait(p, s, c, NCS_WAIT_JOB, (int)s->jobs - 1);
        return true;
    }
    return false;
}

/* True if every live context polls, and none is inside a call. */
static bool all_poll(const struct ncs_snapshot *s)
{
    size_t polling = 0;
    for (size_t i = 0; i < s->contexts; i++) {
        polling += s->context[i].state == NCS_CONTEXT_POLLING;
        if (s->context[i].state == NCS_CONTEXT_PARKED && !s->context[i].waits)
            return false;
    }
    return polling > 0;
}

/* Calls that wait for the whole device. If ranks share a GPU, these wait for the kernels of all
 * of them (measured with NCCL 2.30.7: four ranks on one H100, where a free beside another
 * rank's all-gather never returns). */
static bool waits_for_device(enum ncs_fn fn)
{
    return fn == NCS_FN_cudaDeviceSynchronize || fn == NCS_FN_cudaFree || fn == NCS_FN_cudaFreeHost;
}

static bool has_launches(const struct played *p, int rank)
{
    for (size_t i = 0; i < p->launches; i++)
        if (!p->launch[i].done && p->launch[i].call->rank == rank)
            return true;
    return false;
}

/* True if the script is over, nothing of it is in flight, and the rank only frees what it has: no rank waits for it. */
static bool only_releases(const struct played *p, const struct ncs_snap_context *c)
{
    bool frees = waits_for_device(c->call->fn) || ncs_fn_info[c->call->fn].ends == NCS_ENDS_COMM;
    return c->call->ending && frees && !has_launches(p, c->rank);
}

static bool share_device(const struct played *p, int rank, const struct played_launch *l)
{
    for (size_t i = 0; i < p->launches && l->device >= 0; i++)
        if (p->launch[i].call->rank == rank && p->launch[i].device >= 0)
            return p->launch[i].device == l->device;
    return false;
}

/* cudaStreamSynchronize waits for one stream, cudaEventSynchronize for the work before an event; any other call
 * may wait for all work of its rank. */
static bool may_wait_for(struct played *p, const struct ncs_snap_context *c, size_t at)
{
    const struct played_launch *l = &p->launch[at];
    if (l->call->rank != c->rank)
        return waits_for_device(c->call->fn) && ncs_replay_is_reached(p, l) && share_device(p, c->rank, l);
    if (c->call->fn == NCS_FN_cudaStreamSynchronize)
        return ncs_call_stream(l->call) == ncs_call_stream(c->call);
    if (c->call->fn == NCS_FN_cudaEventSynchronize)
        return ncs_replay_event(p, c->rank, c->call->arg[0].p) == at + 1;
    return true;
}

static void put_waits(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s)
{
    for (size_t i = 0; i < s->contexts; i++) {
        struct ncs_snap_context *c = &s->context[i];
        if (c->state == NCS_CONTEXT_ENDED || c->waits || !c->call)
            continue;
        if (only_releases(p, c)) {
            c->state = NCS_CONTEXT_ENDED;
            c->ending = NCS_END_RETURNED;
            continue;
        }
        if (wait_for_hosts(p, j, s, c))
            continue;
        for (size_t k = 0; k < p->launches; k++)
            if (!p->launch[k].done && may_wait_for(p, c, k))
                add_wait(p, s, c, NCS_WAIT_OP, (int)p->launch[k].shown - 1);
    }
}

/* Adds the group that a thread has not ended, or whose end has not returned. */
static void add_open_group(struct played *p, const struct ncs_local *local)
{
    bool ending = local->call && local->call->fn == NCS_FN_ncclGroupEnd;
    if (local->group_depth > 0)
        ncs_replay_open_group(p, local->group, ending);
}

/* The machine reported only callbacks; they are among the inferred operations now. */
static void infer_drop_ops(struct ncs_snap_op *op, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ncs_call_unpin((struct ncs_call *)op[i].call);
    ncs_free(op);
}

/* Passes the calls of each completed meeting to known->met. */
static void infer_pass_met(struct played *p, const struct ncs_journal *j, const struct ncs_known *known)
{
    for (size_t i = 0; i < p->slots && known->met; i++) {
        const struct played_slot *slot = &p->slot[i];
        if (!ncs_replay_is_met(p, j, i))
            continue;
        struct ncs_call **call = ncs_new(slot->parts * sizeof(struct ncs_call *));
        for (size_t k = 0; k < slot->parts; k++)
            call[k] = (struct ncs_call *)p->part[slot->part[k]].call;
        known->met(known->arg, call, slot->parts);
        ncs_free(call);
    }
}

void ncs_infer(const struct ncs_journal *j, const struct ncs_known *known, struct ncs_snapshot *s)
{
    struct ncs_snap_op *told = s->op;
    size_t tolds = s->ops;
    struct played p = { .wait_room = s->waits };
    for (size_t i = 0; i < known->locals; i++)
        add_open_group(&p, known->local[i]);
    for (size_t i = 0; i < known->endings; i++)
        if (known->ending[i])
            ncs_replay_open_group(&p, known->ending[i], true);
    ncs_replay(&p, j, known, told, tolds);
    s->ops = 0;
    s->op = ncs_new(p.launches * sizeof *s->op);
    s->dep = ncs_new(2 * p.launches * sizeof *s->dep);
    s->part = ncs_new(p.parts * sizeof *s->part);
    s->meeting = ncs_new(p.slots * sizeof *s->meeting);
    s->member = ncs_new(p.parts * sizeof *s->member);
    s->job = ncs_new(s->contexts * sizeof *s->job);
    put_launches(&p, s);
    put_slots(&p, j, s);
    put_waits(&p, j, s);
    if (s->stop == NCS_STOP_STALLED && all_poll(s))
        s->stop = NCS_STOP_LIVELOCK;
    infer_pass_met(&p, j, known);
    ncs_replay_free(&p);
    infer_drop_ops(told, tolds);
}
