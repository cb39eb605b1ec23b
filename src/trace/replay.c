/* Replays the launches that ranks have enqueued (trace/README.md, rules 8 and 9). */
#include "trace/replay.h"

#include <stdlib.h>
#include <string.h>

#include "api/local.h"
#include "api/meeting.h"
#include "base/hash.h"
#include "base/mem.h"

#define NOT_COMPARED ((enum ncs_stuck) - 1)

static bool takes_part(const struct ncs_call *call)
{
    return call->comm >= 0 && call->comm_rank >= 0 && call->ordinal;
}

static uint64_t key_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t hash = ncs_hash(ncs_hash(ncs_hash(ncs_hash(1, a), b), c), d);
    return hash ? hash : 1;
}

/* ---- collecting ---- */

static size_t slot_for(struct played *p, const struct ncs_call *call)
{
    uint64_t line = key_of((uint64_t)call->comm, (uint64_t)call->comm_rank, (uint64_t)(ncs_call_is_pair(call) ? call->fn : 0),
                           (uint64_t)(ncs_call_is_pair(call) ? ncs_call_peer(call) : -1));
    size_t nth = ncs_map_number(&p->count, line) + 1;
    ncs_map_put_number(&p->count, line, nth);
    struct ncs_meeting_key key = ncs_meeting_key(call->fn, call->comm, call->comm_rank, ncs_call_peer(call), nth);
    size_t at = ncs_map_number(&p->slot_of, ncs_meeting_hash(&key));
    if (at == 0) {
        struct played_slot slot = { .comm = call->comm, .src = key.src, .dst = key.dst, .differ = NOT_COMPARED };
        NCS_PUSH(p->slot, p->slots, p->slot_room, slot);
        ncs_map_put_number(&p->slot_of, ncs_meeting_hash(&key), at = p->slots);
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

static size_t add_launch(struct played *p, struct played_launch l)
{
    uint64_t stream = stream_key(l.call);
    l.before[0] = ncs_map_number(&p->tail, stream);
    l.context = -1;
    NCS_PUSH(p->launch, p->launches, p->launch_room, l);
    ncs_map_put_number(&p->tail, stream, p->launches);
    return p->launches - 1;
}

static size_t new_launch(struct played *p, const struct ncs_journal *j, const struct ncs_call *call)
{
    const struct ncs_member *member = &j->comm[call->comm]->member[call->comm_rank];
    struct played_launch l = { .call = call, .device = member->device };
    l.before[1] = ncs_map_number(&p->tail, member_key(call));
    size_t at = add_launch(p, l);
    ncs_map_put_number(&p->tail, member_key(call), at + 1);
    return at;
}

/* The first call of a group on each of its communicators. */
struct played_group {
    const struct ncs_call **call;
    size_t calls, room;
};

static uint64_t launch_key(const struct ncs_call *call)
{
    return key_of(4, call->group, (uint64_t)call->comm, (uint64_t)call->comm_rank);
}

static void add_to_group(struct played *p, const struct ncs_call *call)
{
    uint64_t share = key_of(8, launch_key(call), 0, 0);
    size_t at = ncs_map_number(&p->group_of, call->group);
    if (!call->group || ncs_map_number(&p->group_of, share))
        return;
    if (!at) {
        struct played_group fresh = { 0 };
        NCS_PUSH(p->group, p->groups, p->group_room, fresh);
        ncs_map_put_number(&p->group_of, call->group, at = p->groups);
    }
    ncs_map_put_number(&p->group_of, share, 1);
    NCS_PUSH(p->group[at - 1].call, p->group[at - 1].calls, p->group[at - 1].room, call);
}

static int compare_shares(const void *a, const void *b)
{
    const struct ncs_call *x = *(const struct ncs_call *const *)a, *y = *(const struct ncs_call *const *)b;
    return x->comm != y->comm ? (x->comm > y->comm) - (x->comm < y->comm)
                              : (x->comm_rank > y->comm_rank) - (x->comm_rank < y->comm_rank);
}

/* NCCL launches the communicators of a group in one order on all ranks, that of their hashes (NCCL 2.30.7,
 * src/include/group.h, ncclGroupCommJoin): the order of the calls in a group does not count. */
static void launch_group(struct played *p, const struct ncs_journal *j, uint64_t group)
{
    struct played_group *g = &p->group[ncs_map_number(&p->group_of, group) - 1];
    qsort(g->call, g->calls, sizeof(const struct ncs_call *), compare_shares);
    for (size_t i = 0; i < g->calls; i++) {
        size_t at = new_launch(p, j, g->call[i]);
        ncs_map_put_number(&p->launch_of, launch_key(g->call[i]), at + 1);
    }
}

/* Finds or makes the launch of a call: calls of one group on one communicator share a launch. */
static size_t launch_for(struct played *p, const struct ncs_journal *j, const struct ncs_call *call)
{
    if (!call->group)
        return new_launch(p, j, call);
    if (!ncs_map_number(&p->launch_of, launch_key(call)))
        launch_group(p, j, call->group);
    size_t at = ncs_map_number(&p->launch_of, launch_key(call));
    if (at > ncs_map_number(&p->tail, stream_key(call)))
        ncs_map_put_number(&p->tail, stream_key(call), at);
    return at - 1;
}

void ncs_replay_open_group(struct played *p, uint64_t group, bool ending)
{
    ncs_map_put_number(&p->open, group, ending ? 2 : 1);
}

static void add_part(struct played *p, const struct ncs_journal *j, const struct ncs_call *call)
{
    struct played_part part = { .call = call, .queued = ncs_map_number(&p->open, call->group) == 1, .slot = NCS_NO_SLOT };
    if (!part.queued) {
        part.launch = launch_for(p, j, call);
        struct played_launch *l = &p->launch[part.launch];
        l->ending = ncs_map_number(&p->open, call->group) == 2;
        part.next = l->first;
        l->first = p->parts + 1;
    }
    if (!part.queued && !ncs_call_is_one_sided(call)) {
        part.slot = slot_for(p, call);
        struct played_slot *slot = &p->slot[part.slot];
        NCS_PUSH(slot->part, slot->parts, slot->room, p->parts);
    }
    NCS_PUSH(p->part, p->parts, p->part_room, part);
}

static uint64_t event_key(int rank, const void *event)
{
    return key_of(5, (uint64_t)rank, (uint64_t)(uintptr_t)event, 0);
}

size_t ncs_replay_event(struct played *p, int rank, const void *event)
{
    return ncs_map_number(&p->event, event_key(rank, event));
}

/* Records callbacks and waits for events in streams, and the work that an event marks. */
static void add_order(struct played *p, const struct ncs_call *call, const struct ncs_snap_op *held, size_t count)
{
    uint64_t stream = stream_key(call);
    const union ncs_arg *arg = ncs_call_arg(call, NCS_ARG_EVENT);
    const void *event = arg ? arg->p : NULL;
    size_t before;
    switch (call->fn) {
    case NCS_FN_cudaLaunchHostFunc:
    case NCS_FN_cudaStreamAddCallback:
        for (size_t i = 0; i < count; i++)
            if (held[i].call == call) {
                size_t at = add_launch(p,
                                       (struct played_launch){ .call = call, .kind = LAUNCH_CALLBACK, .device = held[i].device });
                p->launch[at].context = held[i].context;
                p->launch[at].held = true;
            }
        break;
    case NCS_FN_cudaEventRecord:
    case NCS_FN_cudaEventRecordWithFlags:
        ncs_map_put_number(&p->event, event_key(call->rank, event), ncs_map_number(&p->tail, stream));
        break;
    case NCS_FN_cudaStreamWaitEvent:
        before = ncs_replay_event(p, call->rank, event);
        if (before && before != ncs_map_number(&p->tail, stream))
            add_launch(p, (struct played_launch){ .call = call, .kind = LAUNCH_EVENT, .device = -1, .before = { 0, before } });
        break;
    default: break;
    }
}

/* A call that is known to be over has met all its partners, even if these have no record, unless it may end before them
 * (trace/README.md, rule 4). */
static void know(struct played *p, const struct ncs_known *known, const struct ncs_call *call)
{
    struct played_part *part = &p->part[p->parts - 1];
    bool over = known->is_over && known->is_over(known->arg, call);
    bool needs_all = !ncs_call_arg(call, NCS_ARG_ROOT) && call->fn != NCS_FN_ncclSend;
    if (over && part->slot != NCS_NO_SLOT)
        *(needs_all ? &p->slot[part->slot].known : &p->slot[part->slot].known_of_some) = true;
    part->over = over || (known->is_gone && known->is_gone(known->arg, call));
}

static bool has_failed(const struct ncs_call *call)
{
    return call->returned && call->rc != ncclSuccess && call->rc != ncclInProgress;
}

static void collect(struct played *p, const struct ncs_journal *j, const struct ncs_known *known, const struct ncs_snap_op *held,
                    size_t count)
{
    for (const struct ncs_call *call = j->oldest; call; call = call->newer)
        if (takes_part(call))
            add_to_group(p, call);
    for (const struct ncs_call *call = j->oldest; call; call = call->newer)
        if (takes_part(call)) {
            add_part(p, j, call);
            know(p, known, call);
        } else if (!has_failed(call)) {
            add_order(p, call, held, count);
        }
}

/* ---- playing through ---- */

enum ncs_stuck ncs_replay_disagreement(const struct played *p, const struct played_slot *slot)
{
    struct ncs_wanted first = ncs_wanted_of(p->part[slot->part[0]].call);
    unsigned differ = 0;
    for (size_t i = 1; i < slot->parts; i++) {
        struct ncs_wanted wanted = ncs_wanted_of(p->part[slot->part[i]].call);
        differ |= ncs_wanted_differ(&first, &wanted);
    }
    return ncs_wanted_stuck(differ, slot->src >= 0);
}

size_t ncs_replay_expected(const struct played_slot *slot, const struct ncs_journal *j)
{
    return slot->src < 0 ? (size_t)j->comm[slot->comm]->nranks : 2;
}

static bool replay_all_came(const struct played_slot *slot, const struct ncs_journal *j)
{
    return slot->known || (slot->reached == slot->parts && slot->parts == ncs_replay_expected(slot, j));
}

/* A host that is still in the end of a group makes contact there: until all partners come, no call of the group begins. */
static bool replay_has_contact(struct played *p, const struct ncs_journal *j, const struct played_part *part)
{
    struct played_launch *l = &p->launch[part->launch];
    for (size_t at = l->awaits ? l->awaits : l->first; at && l->ending; at = p->part[at - 1].next) {
        l->awaits = at;
        if (p->part[at - 1].slot != NCS_NO_SLOT && !replay_all_came(&p->slot[p->part[at - 1].slot], j))
            return false;
    }
    l->ending = false;
    return true;
}

bool ncs_replay_is_met(struct played *p, const struct ncs_journal *j, size_t at)
{
    struct played_slot *slot = &p->slot[at];
    if (!replay_all_came(slot, j))
        return false;
    if (slot->known || slot->known_of_some)
        return true;
    for (; slot->contacts < slot->parts; slot->contacts++)
        if (!replay_has_contact(p, j, &p->part[slot->part[slot->contacts]]))
            return false;
    if (slot->differ == NOT_COMPARED)
        slot->differ = ncs_replay_disagreement(p, slot);
    return slot->differ == NCS_STUCK_NO;
}

bool ncs_replay_is_reached(const struct played *p, const struct played_launch *l)
{
    for (int i = 0; i < 2; i++)
        if (l->before[i] && !p->launch[l->before[i] - 1].done)
            return false;
    return true;
}

/* ---- signals ---- */

static uint64_t signal_key(const struct ncs_call *call, int target, int origin)
{
    return key_of(6, (uint64_t)call->comm, (uint64_t)target, (uint64_t)origin);
}

uint64_t ncs_replay_came(struct played *p, const struct ncs_call *wait, int peer)
{
    uint64_t key = signal_key(wait, wait->comm_rank, peer);
    return ncs_map_number(&p->sent, key) - ncs_map_number(&p->taken, key);
}

static bool has_signals(struct played *p, const struct ncs_call *wait)
{
    size_t count;
    const ncclWaitSignalDesc_t *d = ncs_call_waits(wait, &count);
    for (size_t i = 0; i < count; i++)
        if (ncs_replay_came(p, wait, d[i].peer) < (uint64_t)(d[i].opCnt > 0 ? d[i].opCnt : 0))
            return false;
    return true;
}

/* Carries out a part without a meeting that has been reached; true if it is over. */
static bool carry_out(struct played *p, const struct ncs_call *call)
{
    if (call->fn != NCS_FN_ncclWaitSignal) {
        uint64_t key = signal_key(call, ncs_call_peer(call), call->comm_rank);
        ncs_map_put_number(&p->sent, key, ncs_map_number(&p->sent, key) + 1);
        return true;
    }
    if (!has_signals(p, call))
        return false;
    size_t count;
    const ncclWaitSignalDesc_t *d = ncs_call_waits(call, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t key = signal_key(call, call->comm_rank, d[i].peer);
        ncs_map_put_number(&p->taken, key, ncs_map_number(&p->taken, key) + (size_t)d[i].opCnt);
    }
    return true;
}

/* ---- in order ---- */

static void look_at(struct played *p, size_t launch)
{
    if (p->launch[launch].waiting || p->launch[launch].done)
        return;
    p->launch[launch].waiting = true;
    NCS_PUSH(p->todo, p->todos, p->todo_room, launch);
}

/* Links each launch to its successors, which may proceed when it is done. */
static void link_launches(struct played *p)
{
    p->after = ncs_new(2 * p->launches * sizeof *p->after);
    p->first_after = ncs_new(p->launches * sizeof *p->first_after);
    for (size_t i = 0; i < 2 * p->launches; i++) {
        size_t before = p->launch[i / 2].before[i % 2];
        if (!before)
            continue;
        p->after[i] = p->first_after[before - 1];
        p->first_after[before - 1] = i + 1;
    }
}

static bool part_is_met(struct played *p, const struct ncs_journal *j, struct played_part *part)
{
    if (part->slot != NCS_NO_SLOT)
        return ncs_replay_is_met(p, j, part->slot);
    return part->met || (part->met = carry_out(p, part->call));
}

static void reach(struct played *p, const struct ncs_journal *j, struct played_part *part)
{
    part->reached = true;
    if (part->slot == NCS_NO_SLOT)
        return;
    struct played_slot *slot = &p->slot[part->slot];
    slot->reached++;
    if (slot->woken || !ncs_replay_is_met(p, j, part->slot))
        return;
    slot->woken = true;
    for (size_t i = 0; i < slot->parts; i++)
        look_at(p, p->part[slot->part[i]].launch);
}

static bool launch_is_over(const struct played *p, const struct played_launch *l)
{
    for (size_t at = l->first; at; at = p->part[at - 1].next)
        if (!p->part[at - 1].over)
            return false;
    return l->first != 0;
}

/* Tries to carry out a launch; true if that changed anything. */
static bool play_launch(struct played *p, const struct ncs_journal *j, size_t which)
{
    struct played_launch *l = &p->launch[which];
    bool changed = false, met = !l->held;
    if (l->done || !(launch_is_over(p, l) || ncs_replay_is_reached(p, l)))
        return false;
    for (size_t at = l->first; at; at = p->part[at - 1].next)
        if (!p->part[at - 1].reached) {
            reach(p, j, &p->part[at - 1]);
            changed = true; /* the last partner of a group lets its other calls begin, too */
        }
    for (size_t at = l->first; at; at = p->part[at - 1].next) {
        bool before = p->part[at - 1].met;
        bool now = part_is_met(p, j, &p->part[at - 1]) || p->part[at - 1].over;
        changed |= p->part[at - 1].met != before;
        met = met && now;
    }
    l->done = met;
    for (size_t i = met ? p->first_after[which] : 0; i; i = p->after[i - 1])
        look_at(p, (i - 1) / 2);
    return changed || met;
}

static bool play_todo(struct played *p, const struct ncs_journal *j)
{
    bool changed = false;
    while (p->todos > 0) {
        size_t which = p->todo[--p->todos];
        p->launch[which].waiting = false;
        changed |= play_launch(p, j, which);
    }
    return changed;
}

void ncs_replay(struct played *p, const struct ncs_journal *j, const struct ncs_known *known, const struct ncs_snap_op *held,
                size_t count)
{
    if (j->dropped > 0) /* the journal is incomplete: pairs can no longer be counted */
        return;
    collect(p, j, known, held, count);
    link_launches(p);
    for (bool changed = true; changed;) { /* signals wake no launch, so all are tried again */
        changed = false;
        for (size_t i = p->launches; i-- > 0;)
            look_at(p, i);
        changed = play_todo(p, j);
    }
    for (size_t i = 0; i < p->parts; i++)
        if (p->part[i].slot != NCS_NO_SLOT) {
            p->part[i].met = ncs_replay_is_met(p, j, p->part[i].slot);
            if (!p->part[i].met && replay_all_came(&p->slot[p->part[i].slot], j)) /* its partner waits for it */
                p->part[i].reached &= replay_has_contact(p, j, &p->part[i]);
        }
}

void ncs_replay_free(struct played *p)
{
    NCS_FREE_EACH(p->slot, p->slots, part);
    NCS_FREE_EACH(p->group, p->groups, call);
    ncs_free(p->seat);
    ncs_map_free(&p->group_of);
    ncs_free(p->after);
    ncs_free(p->first_after);
    ncs_free(p->todo);
    ncs_free(p->part);
    ncs_free(p->launch);
    ncs_map_free(&p->slot_of);
    ncs_map_free(&p->launch_of);
    ncs_map_free(&p->tail);
    ncs_map_free(&p->count);
    ncs_map_free(&p->open);
    ncs_map_free(&p->event);
    ncs_map_free(&p->sent);
    ncs_map_free(&p->taken);
}
