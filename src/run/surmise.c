/* What a real machine cannot say, told from the journal alone. The launches that ranks have enqueued
 * are played through: one is reached when the ones before it in its stream and on its communicator
 * are done, and done when all that it meets have been reached and agree. What then is not done cannot
 * have come about, and goes into the snapshot as the simulator would have put it there. */
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "run/private.h"

struct part {
    const struct ncs_call *call;
    size_t launch, slot;
    size_t next;    /* of its launch, + 1 */
    bool reached, met;
    bool queued;    /* in a group that is still open: of no launch, at no slot */
    int shown;      /* where it is in the snapshot */
};

struct launch {
    const struct ncs_call *call; /* its first */
    int device;
    size_t before[2]; /* launches + 1: of the stream, of the communicator; 0 = none */
    size_t first;     /* part + 1 */
    size_t shown;     /* where it is in the snapshot, + 1 */
    bool done;
};

struct slot {
    int comm, src, dst; /* -1 = a collective */
    size_t *part;
    size_t parts, room;
};

struct played {
    struct part *part;      size_t parts, part_room;
    struct launch *launch;  size_t launches, launch_room;
    struct slot *slot;      size_t slots, slot_room;
    struct ncs_map slot_of, launch_of, tail, count, open;
    size_t wait_room;
};

static bool is_pair(const struct ncs_call *call)
{
    return call->fn == NCS_FN_ncclSend || call->fn == NCS_FN_ncclRecv;
}

static bool takes_part(const struct ncs_call *call)
{
    bool failed = call->returned && call->rc != ncclSuccess && call->rc != ncclInProgress;
    return call->number && !failed && ncs_call_count(call) > 0 && !ncs_call_is_one_sided(call);
}

static size_t number_of(struct ncs_map *map, uint64_t key)
{
    return (size_t)(uintptr_t)ncs_map_get(map, key);
}

static void set_number(struct ncs_map *map, uint64_t key, size_t number)
{
    ncs_map_put(map, key, (void *)(uintptr_t)number);
}

static uint64_t key_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t hash = ncs_hash(ncs_hash(ncs_hash(ncs_hash(1, a), b), c), d);
    return hash ? hash : 1;
}

/* ---- collecting ---- */

static size_t slot_for(struct played *p, const struct ncs_call *call)
{
    int src = -1, dst = -1;
    if (is_pair(call)) {
        bool sends = call->fn == NCS_FN_ncclSend;
        src = sends ? call->comm_rank : ncs_call_peer(call);
        dst = sends ? ncs_call_peer(call) : call->comm_rank;
    }
    uint64_t line = key_of((uint64_t)call->comm, (uint64_t)call->comm_rank,
                           (uint64_t)(is_pair(call) ? call->fn : 0),
                           (uint64_t)(is_pair(call) ? ncs_call_peer(call) : -1));
    size_t nth = number_of(&p->count, line) + 1;
    set_number(&p->count, line, nth);
    uint64_t key = ncs_hash(key_of((uint64_t)call->comm, (uint64_t)src, (uint64_t)dst, nth), 7);
    size_t at = number_of(&p->slot_of, key);
    if (at == 0) {
        struct slot slot = { .comm = call->comm, .src = src, .dst = dst };
        NCS_PUSH(p->slot, p->slots, p->slot_room, slot);
        set_number(&p->slot_of, key, at = p->slots);
    }
    return at - 1;
}

static uint64_t member_key(const struct ncs_call *call)
{
    return key_of(2, (uint64_t)call->comm, (uint64_t)call->comm_rank, 0);
}

static uint64_t stream_key(const struct ncs_call *call)
{
    return key_of(3, (uint64_t)call->rank, (uint64_t)(uintptr_t)ncs_call_stream(call), 0);
}

static size_t new_launch(struct played *p, const struct ncs_journal *j, const struct ncs_call *call)
{
    struct launch l = { .call = call, .device = j->comm[call->comm]->member[call->comm_rank].device };
    l.before[0] = number_of(&p->tail, stream_key(call));
    l.before[1] = number_of(&p->tail, member_key(call));
    NCS_PUSH(p->launch, p->launches, p->launch_room, l);
    set_number(&p->tail, stream_key(call), p->launches);
    set_number(&p->tail, member_key(call), p->launches);
    return p->launches - 1;
}

/* One launch for all calls of a group on one communicator. */
static size_t launch_for(struct played *p, const struct ncs_journal *j, const struct ncs_call *call)
{
    uint64_t key = key_of(4, call->group, (uint64_t)call->comm, (uint64_t)call->comm_rank);
    size_t at = call->group ? number_of(&p->launch_of, key) : 0;
    if (at == 0) {
        at = new_launch(p, j, call) + 1;
        if (call->group)
            set_number(&p->launch_of, key, at);
    } else {
        set_number(&p->tail, stream_key(call), at);
    }
    return at - 1;
}

/* Groups that their ranks have not ended: nothing of theirs is enqueued. */
static void add_open_group(struct played *p, const struct ncs_local *local)
{
    bool ending = local->call && local->call->fn == NCS_FN_ncclGroupEnd;
    if (local->group_depth > 0 && !ending)
        set_number(&p->open, local->group, 1);
}

static void collect(struct played *p, const struct ncs_journal *j)
{
    for (const struct ncs_call *call = j->oldest; call; call = call->newer) {
        if (call->comm < 0 || call->comm_rank < 0 || !takes_part(call))
            continue;
        struct part part = { .call = call, .queued = number_of(&p->open, call->group) > 0 };
        part.slot = part.queued ? 0 : slot_for(p, call);
        if (!part.queued) {
            part.launch = launch_for(p, j, call);
            struct launch *l = &p->launch[part.launch];
            struct slot *slot = &p->slot[part.slot];
            NCS_PUSH(slot->part, slot->parts, slot->room, p->parts);
            part.next = l->first;
            l->first = p->parts + 1;
        }
        NCS_PUSH(p->part, p->parts, p->part_room, part);
    }
}

/* ---- playing through ---- */

static enum ncs_fn kind_of(const struct ncs_call *call)
{
    return call->fn == NCS_FN_ncclBcast ? NCS_FN_ncclBroadcast : call->fn;
}

static size_t bytes_of(const struct ncs_call *call)
{
    return ncs_call_count(call) * ncs_dtype_bytes(ncs_call_dtype(call));
}

static enum ncs_stuck disagreement(const struct played *p, const struct slot *slot)
{
    const struct ncs_call *a = p->part[slot->part[0]].call;
    for (size_t i = 1; i < slot->parts; i++) {
        const struct ncs_call *b = p->part[slot->part[i]].call;
        if (slot->src >= 0) {
            if (bytes_of(a) != bytes_of(b))
                return NCS_STUCK_P2P_COUNT;
        } else if (kind_of(a) != kind_of(b)) {
            return NCS_STUCK_KIND;
        } else if (bytes_of(a) != bytes_of(b)) {
            return NCS_STUCK_COUNT;
        } else if (ncs_call_root(a) != ncs_call_root(b)) {
            return NCS_STUCK_ROOT;
        }
    }
    return NCS_STUCK_NO;
}

static size_t expected(const struct slot *slot, const struct ncs_journal *j)
{
    return slot->src < 0 ? (size_t)j->comm[slot->comm]->nranks : 2;
}

static bool is_met(const struct played *p, const struct ncs_journal *j, size_t at)
{
    const struct slot *slot = &p->slot[at];
    for (size_t i = 0; i < slot->parts; i++)
        if (!p->part[slot->part[i]].reached)
            return false;
    return slot->parts == expected(slot, j) && disagreement(p, slot) == NCS_STUCK_NO;
}

static bool is_reached(const struct played *p, const struct launch *l)
{
    for (int i = 0; i < 2; i++)
        if (l->before[i] && !p->launch[l->before[i] - 1].done)
            return false;
    return true;
}

/* True when something has come of it. */
static bool play_launch(struct played *p, const struct ncs_journal *j, struct launch *l)
{
    bool changed = false, met = true;
    if (l->done || !is_reached(p, l))
        return false;
    for (size_t at = l->first; at; at = p->part[at - 1].next) {
        changed |= !p->part[at - 1].reached;
        p->part[at - 1].reached = true;
    }
    for (size_t at = l->first; at && met; at = p->part[at - 1].next)
        met = is_met(p, j, p->part[at - 1].slot);
    l->done = met;
    return changed || met;
}

static void play(struct played *p, const struct ncs_journal *j)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < p->launches; i++)
            changed |= play_launch(p, j, &p->launch[i]);
    }
}

/* ---- into the snapshot ---- */

static struct ncs_call *pinned(const struct ncs_call *call)
{
    ncs_call_pin((struct ncs_call *)call);
    return (struct ncs_call *)call;
}

static void put_part(struct ncs_snapshot *s, struct part *part, int op)
{
    /* What it meets is met where the rest of its launch is not. */
    bool met = !part->queued && part->met;
    part->shown = (int)s->parts;
    s->part[s->parts++] = (struct ncs_snap_part){
        .call = pinned(part->call), .op = op, .slot = -1,
        .state = met ? NCS_PART_MATCHED : part->reached ? NCS_PART_AT_SLOT : NCS_PART_WAITING,
    };
}

static void put_launches(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s)
{
    for (size_t i = 0; i < p->parts; i++)
        p->part[i].met = !p->part[i].queued && is_met(p, j, p->part[i].slot);
    for (size_t i = 0; i < p->launches; i++) {
        struct launch *l = &p->launch[i];
        if (l->done)
            continue;
        l->shown = s->ops + 1;
        struct ncs_snap_op op = {
            .kind = "launch", .state = is_reached(p, l) ? NCS_OP_ACTIVE : NCS_OP_BLOCKED,
            .rank = l->call->rank, .device = l->device, .call = pinned(l->call),
            .dep = s->deps, .part = s->parts, .context = -1,
        };
        for (int k = 0; k < 2; k++) /* older ones are shown already */
            if (l->before[k] && !p->launch[l->before[k] - 1].done &&
                (k == 0 || l->before[1] != l->before[0]))
                s->dep[s->deps++] = (int)p->launch[l->before[k] - 1].shown - 1;
        for (size_t at = l->first; at; at = p->part[at - 1].next)
            put_part(s, &p->part[at - 1], (int)s->ops);
        op.deps = s->deps - op.dep;
        op.parts = s->parts - op.part;
        s->op[s->ops++] = op;
    }
    for (size_t i = 0; i < p->parts; i++)
        if (p->part[i].queued)
            put_part(s, &p->part[i], -1);
}

static void put_slots(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s)
{
    for (size_t i = 0; i < p->slots; i++) {
        const struct slot *slot = &p->slot[i];
        struct ncs_snap_slot out = { .pair = slot->src >= 0, .src = slot->src, .dst = slot->dst,
                                     .nranks = j->comm[slot->comm]->nranks, .member = s->members };
        if (is_met(p, j, i))
            continue;
        for (size_t k = 0; k < slot->parts; k++) {
            const struct part *part = &p->part[slot->part[k]];
            if (!part->reached || p->launch[part->launch].done)
                continue;
            s->part[part->shown].slot = (int)s->slots;
            s->member[s->members++] = part->shown;
        }
        out.members = s->members - out.member;
        if (out.members == 0)
            continue;
        if (out.members == expected(slot, j))
            out.stuck = disagreement(p, slot);
        s->slot[s->slots++] = out;
    }
}

static void add_wait(struct played *p, struct ncs_snapshot *s, struct ncs_snap_context *c,
                     enum ncs_wait_kind kind, int index)
{
    struct ncs_snap_wait wait = { kind, index };
    if (c->waits++ == 0)
        c->wait = s->waits;
    NCS_PUSH(s->wait, s->waits, p->wait_room, wait);
}

/* An initialisation that the others of its communicator have not come to. */
static void wait_for_members(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s,
                             struct ncs_snap_context *c)
{
    const struct ncs_comm_info *info = j->comm[c->call->comm];
    struct ncs_snap_job job = { .kind = NCS_JOB_INIT, .call = pinned(c->call), .rank = c->rank,
                                .comm_rank = c->call->comm_rank, .nranks = info->nranks,
                                .miss = s->missings, .peer = -1 };
    s->missing = ncs_resize(s->missing,
                            (s->missings + (size_t)info->nranks) * sizeof *s->missing);
    for (int r = 0; r < info->nranks; r++)
        if (r >= info->members || info->member[r].rank < 0)
            s->missing[s->missings++] = r;
    job.misses = s->missings - job.miss;
    s->job[s->jobs] = job;
    add_wait(p, s, c, NCS_WAIT_JOB, (int)s->jobs++);
}

static bool is_init(enum ncs_fn fn)
{
    return fn == NCS_FN_ncclCommInitRank || fn == NCS_FN_ncclCommInitRankConfig ||
           fn == NCS_FN_ncclCommInitRankScalable;
}

/* Calls that all ranks of a communicator make and that have no number: who has made fewer. */
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

static bool wait_for_meeting(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s,
                             struct ncs_snap_context *c)
{
    size_t m = 0;
    const struct ncs_call *call = c->call;
    while (m < sizeof meetings / sizeof *meetings && meetings[m].fn != call->fn)
        m++;
    if (m == sizeof meetings / sizeof *meetings || call->comm < 0 || j->dropped > 0)
        return false;
    const struct ncs_comm_info *info = j->comm[call->comm];
    size_t mine = calls_of(j, call->comm, call->comm_rank, call->fn);
    struct ncs_snap_job job = { .kind = meetings[m].kind, .call = pinned(call), .rank = c->rank,
                                .comm_rank = call->comm_rank, .nranks = info->nranks,
                                .miss = s->missings, .peer = -1 };
    s->missing = ncs_resize(s->missing,
                            (s->missings + (size_t)info->nranks) * sizeof *s->missing);
    for (int r = 0; r < info->nranks; r++)
        if (calls_of(j, call->comm, r, call->fn) < mine)
            s->missing[s->missings++] = r;
    job.misses = s->missings - job.miss;
    s->job[s->jobs] = job;
    add_wait(p, s, c, NCS_WAIT_JOB, (int)s->jobs++);
    return true;
}

/* All who live look at something again and again, and nobody is in a call. */
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

/* A wait for one stream is for what is on it; any other may be for all that the rank has. */
static void put_waits(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s)
{
    for (size_t i = 0; i < s->contexts; i++) {
        struct ncs_snap_context *c = &s->context[i];
        if (c->state == NCS_CONTEXT_ENDED || c->waits || !c->call)
            continue;
        if (is_init(c->call->fn) && c->call->comm >= 0) {
            wait_for_members(p, j, s, c);
            continue;
        }
        if (wait_for_meeting(p, j, s, c))
            continue;
        bool one = c->call->fn == NCS_FN_cudaStreamSynchronize;
        for (size_t k = 0; k < p->launches; k++) {
            const struct launch *l = &p->launch[k];
            bool on = !one || ncs_call_stream(l->call) == ncs_call_stream(c->call);
            if (!l->done && l->call->rank == c->rank && on)
                add_wait(p, s, c, NCS_WAIT_OP, (int)l->shown - 1);
        }
    }
}

static void free_played(struct played *p)
{
    for (size_t i = 0; i < p->slots; i++)
        ncs_free(p->slot[i].part);
    ncs_free(p->part);
    ncs_free(p->launch);
    ncs_free(p->slot);
    ncs_map_free(&p->slot_of);
    ncs_map_free(&p->launch_of);
    ncs_map_free(&p->tail);
    ncs_map_free(&p->count);
    ncs_map_free(&p->open);
}

void ncs_run_surmise(const struct ncs_run *run, struct ncs_snapshot *s)
{
    const struct ncs_journal *j = run->journal;
    struct played p = { 0 };
    p.wait_room = s->waits;
    for (int r = 0; r < run->options.ranks; r++)
        add_open_group(&p, &run->rank[r].local);
    for (const struct ncs_thread *t = NULL; (t = ncs_thread_after(run, t)) != NULL;)
        add_open_group(&p, ncs_thread_local((struct ncs_thread *)t));
    if (j->dropped == 0) /* else who has met whom can no longer be counted */
        collect(&p, j);
    play(&p, j);
    s->op = ncs_new(p.launches * sizeof *s->op);
    s->dep = ncs_new(2 * p.launches * sizeof *s->dep);
    s->part = ncs_new(p.parts * sizeof *s->part);
    s->slot = ncs_new(p.slots * sizeof *s->slot);
    s->member = ncs_new(p.parts * sizeof *s->member);
    s->job = ncs_new(s->contexts * sizeof *s->job);
    put_launches(&p, j, s);
    put_slots(&p, j, s);
    put_waits(&p, j, s);
    if (s->stop == NCS_STOP_STALLED && all_poll(s))
        s->stop = NCS_STOP_LIVELOCK;
    free_played(&p);
}
