/* A trial in thought: all courses are played again with some changes, to see who would still wait. Hosts
 * stop at first contact and at their waits, launches keep the order of their streams and communicators,
 * calls meet by number; data, time and arguments that do not decide about meetings are left out. */
#include "diagnose/course.h"

#include <string.h>

#include "api/types.h"
#include "base/hash.h"
#include "base/mem.h"
#include "diagnose/party.h"
#include "diagnose/hosts.h"

#define NO_SLOT SIZE_MAX

/* What of a call decides about its meeting. */
struct deed {
    const struct ncs_call *call; /* as it was made, or the model of one that is put in */
    enum ncs_fn fn;
    int rank, comm, comm_rank, peer, root;
    size_t bytes;
    const void *stream;
};

struct part {
    struct deed deed;
    size_t launch, slot, next; /* next: of its launch, + 1 */
    bool reached, met;
};

struct launch {
    size_t before[2];   /* + 1: of the stream, of the communicator */
    size_t first, last; /* part + 1 */
    bool done;
};

struct slot {
    int comm, src, dst; /* -1: of all ranks */
    size_t *part;
    size_t parts, room, reached;
    bool supposed, met; /* met: all are there and agree; that is asked for by each of them */
};

struct player { /* a course on its way */
    const struct ncs_course *course;
    size_t at, change, group; /* group: the first of the parts that it has collected */
    struct deed *deed;        /* of the open group */
    size_t deeds, room;
    size_t contact, contacts; /* parts whose contact it waits for; see met */
    size_t *touch, touch_room;
    bool ended, free;         /* free: it goes on, nobody knows how */
    bool spawned;             /* a thread that was never there: what that does nobody knows either */
    bool added;               /* to a count that somebody may wait for */
    bool queued;
};

struct play {
    const struct ncs_inquiry *q;
    const struct ncs_courses *courses;
    const struct ncs_change *change;
    size_t changes;
    struct player *player;
    struct part *part;     size_t parts, part_room;
    struct launch *launch; size_t launches, launch_room;
    struct slot *slot;     size_t slots, slot_room;
    struct ncs_map slot_of, count, tail, event, entered, sent, owner;
    struct ncs_hosts hosts;
    bool *free, any_free;    /* by process: one of its courses goes on, nobody knows how */
    struct ncs_map settable; /* keys that some course has set in the run -> 1 */
    bool moved, late;        /* late: nobody moves any more who has come past all barriers in the run */
};

static uint64_t key_of(uint64_t what, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t hash = ncs_hash(ncs_hash(ncs_hash(ncs_hash(0, what), a), b), c);
    return hash ? hash : 1;
}

enum { KEY_LINE = 1, KEY_SLOT, KEY_STREAM, KEY_MEMBER, KEY_EVENT, KEY_ENTERED, KEY_SIGNAL, KEY_OWNER };

static bool is_pair(const struct deed *d)
{
    return d->fn == NCS_FN_ncclSend || d->fn == NCS_FN_ncclRecv;
}

static bool is_one_sided(const struct deed *d)
{
    return ncs_call_is_one_sided(d->call);
}

/* ---- who is free to do anything ---- */

/* The course that makes the calls of a rank of a communicator goes on: by the calls it has made, or, of
 * one that has made none, any of its rank's. */
static bool is_free(const struct play *p, int comm, int comm_rank)
{
    size_t own = ncs_map_number(&p->owner, key_of(KEY_OWNER, (uint64_t)comm, (uint64_t)comm_rank, 0));
    if (own)
        return p->player[own - 1].free;
    int rank = ncs_run_rank(p->q, comm, comm_rank);
    for (size_t i = 0; i < p->courses->count; i++)
        if (p->courses->of[i].rank == rank && (p->player[i].free || p->player[i].spawned))
            return true;
    return rank < 0;
}

static bool rank_is_free(const struct play *p, int rank)
{
    for (size_t i = 0; i < p->courses->count; i++)
        if (p->courses->of[i].rank == rank && p->player[i].free)
            return true;
    return rank < 0;
}

/* ---- launches ---- */

static size_t slot_for(struct play *p, const struct deed *d)
{
    int src = -1, dst = -1;
    if (is_pair(d)) {
        src = d->fn == NCS_FN_ncclSend ? d->comm_rank : d->peer;
        dst = d->fn == NCS_FN_ncclSend ? d->peer : d->comm_rank;
    }
    uint64_t line = key_of(KEY_LINE, ncs_hash((uint64_t)d->comm, (uint64_t)d->comm_rank),
                           is_pair(d) ? (uint64_t)d->fn : 0, (uint64_t)(is_pair(d) ? d->peer : -1));
    size_t nth = ncs_map_number(&p->count, line) + 1;
    ncs_map_put_number(&p->count, line, nth);
    uint64_t key = key_of(KEY_SLOT, (uint64_t)d->comm, ncs_hash((uint64_t)src, (uint64_t)dst), nth);
    size_t at = ncs_map_number(&p->slot_of, key);
    if (!at) {
        struct slot slot = { .comm = d->comm, .src = src, .dst = dst };
        NCS_PUSH(p->slot, p->slots, p->slot_room, slot);
        ncs_map_put_number(&p->slot_of, key, at = p->slots);
    }
    return at - 1;
}

static uint64_t stream_key(int rank, const void *stream)
{
    return key_of(KEY_STREAM, (uint64_t)rank, (uint64_t)(uintptr_t)stream, 0);
}

static void follow(struct play *p, size_t launch, int which, uint64_t key)
{
    size_t before = ncs_map_number(&p->tail, key);
    if (before && before != launch + 1)
        p->launch[launch].before[which] = before;
    ncs_map_put_number(&p->tail, key, launch + 1);
}

/* One launch for all calls of a group on one communicator. */
static void enqueue(struct play *p, const struct deed *deed, size_t deeds)
{
    for (size_t i = 0; i < deeds; i++) {
        size_t same = 0;
        while (same < i && (deed[same].comm != deed[i].comm || deed[same].comm_rank != deed[i].comm_rank))
            same++;
        if (same < i)
            continue;
        struct launch fresh = { 0 };
        NCS_PUSH(p->launch, p->launches, p->launch_room, fresh);
        size_t launch = p->launches - 1;
        follow(p, launch, 1, key_of(KEY_MEMBER, (uint64_t)deed[i].comm, (uint64_t)deed[i].comm_rank, 0));
        for (size_t k = i; k < deeds; k++) {
            if (deed[k].comm != deed[i].comm || deed[k].comm_rank != deed[i].comm_rank)
                continue;
            follow(p, launch, 0, stream_key(deed[k].rank, deed[k].stream));
            struct part part = { .deed = deed[k], .launch = launch, .slot = NO_SLOT };
            if (!is_one_sided(&deed[k])) {
                part.slot = slot_for(p, &deed[k]);
                struct slot *slot = &p->slot[part.slot];
                NCS_PUSH(slot->part, slot->parts, slot->room, p->parts);
            }
            NCS_PUSH(p->part, p->parts, p->part_room, part);
            struct launch *l = &p->launch[launch];
            if (l->last)
                p->part[l->last - 1].next = p->parts;
            else
                l->first = p->parts;
            l->last = p->parts;
        }
    }
    p->moved |= deeds > 0;
}

static bool agree(const struct play *p, const struct slot *slot)
{
    const struct deed *a = &p->part[slot->part[0]].deed;
    for (size_t i = 1; i < slot->parts; i++) {
        const struct deed *b = &p->part[slot->part[i]].deed;
        bool kinds = slot->src >= 0 || a->fn == b->fn ||
                     (ncs_call_signature(a->call) == ncs_call_signature(b->call));
        if (!kinds || a->bytes != b->bytes || (slot->src < 0 && a->root != b->root))
            return false;
    }
    return true;
}

/* Whoever is not there yet is free and will come. */
static bool others_will_come(const struct play *p, const struct slot *slot)
{
    if (slot->src >= 0) {
        int there = p->part[slot->part[0]].deed.comm_rank;
        return is_free(p, slot->comm, there == slot->src ? slot->dst : slot->src);
    }
    int nranks = p->q->journal->comm[slot->comm]->nranks;
    bool *here = ncs_new((size_t)nranks * sizeof *here), all = true;
    for (size_t i = 0; i < slot->parts; i++)
        if (p->part[slot->part[i]].deed.comm_rank < nranks)
            here[p->part[slot->part[i]].deed.comm_rank] = true;
    for (int r = 0; r < nranks && all; r++)
        all = here[r] || is_free(p, slot->comm, r);
    ncs_free(here);
    return all;
}

/* Of a gather or scatter each rank but the root meets the root and nobody else. */
static bool root_is_there(const struct play *p, const struct slot *slot, const struct part *part)
{
    enum ncs_fn fn = part->deed.fn;
    if ((fn != NCS_FN_ncclGather && fn != NCS_FN_ncclScatter) || part->deed.root == part->deed.comm_rank)
        return false;
    for (size_t i = 0; i < slot->parts; i++) {
        const struct part *other = &p->part[slot->part[i]];
        if (other->deed.comm_rank == part->deed.root)
            return other->reached && other->deed.fn == fn && other->deed.root == part->deed.root &&
                   other->deed.bytes == part->deed.bytes;
    }
    return false;
}

static bool is_met(struct play *p, struct slot *slot, const struct part *part)
{
    size_t expected = slot->src >= 0 ? 2 : (size_t)p->q->journal->comm[slot->comm]->nranks;
    if (slot->met || root_is_there(p, slot, part))
        return true;
    if (slot->reached < slot->parts || !agree(p, slot))
        return false;
    slot->supposed |= slot->parts < expected && others_will_come(p, slot);
    return slot->met = slot->parts >= expected || slot->supposed;
}

static uint64_t signal_key(int comm, int target, int origin)
{
    return key_of(KEY_SIGNAL, (uint64_t)comm, (uint64_t)target, (uint64_t)origin);
}

static bool carry_out(struct play *p, const struct deed *d)
{
    if (d->fn != NCS_FN_ncclWaitSignal) {
        uint64_t key = signal_key(d->comm, d->peer, d->comm_rank);
        ncs_map_put_number(&p->sent, key, ncs_map_number(&p->sent, key) + 1);
        return true;
    }
    size_t count;
    const ncclWaitSignalDesc_t *w = ncs_call_waits(d->call, &count);
    for (size_t i = 0; i < count; i++) {
        int peer = d->peer >= 0 ? d->peer : w[i].peer;
        if (w[i].opCnt > 0 && !is_free(p, d->comm, peer) &&
            ncs_map_number(&p->sent, signal_key(d->comm, d->comm_rank, peer)) < (size_t)w[i].opCnt)
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t key = signal_key(d->comm, d->comm_rank, d->peer >= 0 ? d->peer : w[i].peer);
        size_t there = ncs_map_number(&p->sent, key), taken = w[i].opCnt > 0 ? (size_t)w[i].opCnt : 0;
        ncs_map_put_number(&p->sent, key, there > taken ? there - taken : 0);
    }
    return true;
}

static bool play_part(struct play *p, struct part *part)
{
    bool changed = !part->reached;
    part->reached = true;
    if (part->slot == NO_SLOT) {
        part->met = part->met || carry_out(p, &part->deed);
        return changed || part->met;
    }
    p->slot[part->slot].reached += changed;
    part->met = is_met(p, &p->slot[part->slot], part);
    return changed || part->met;
}

/* What of a launch comes first: what is one-sided, then collectives one after the other, then all pairs
 * at once (design of NCCL's kernels; gathers, scatters and all-to-alls are pairs). */
static int turn_of(const struct part *part)
{
    bool pairs = is_pair(&part->deed) || ncs_is_spread(part->deed.call);
    return is_one_sided(&part->deed) ? 0 : pairs ? 2 : 1;
}

static bool play_launch(struct play *p, size_t which)
{
    struct launch *l = &p->launch[which];
    for (int i = 0; i < 2; i++)
        if (l->before[i] && !p->launch[l->before[i] - 1].done)
            return false;
    bool all = true, changed = false;
    for (int turn = 0; turn < 3 && all; turn++)
        for (size_t at = l->first; at && (all || turn == 2); at = p->part[at - 1].next) {
            struct part *part = &p->part[at - 1];
            if (turn_of(part) != turn)
                continue;
            changed |= !part->met && play_part(p, part);
            all &= part->met;
        }
    l->done = all;
    return changed || all;
}

/* ---- hosts ---- */

static struct deed deed_of(const struct ncs_call *c)
{
    return (struct deed){ .call = c, .fn = c->fn == NCS_FN_ncclBcast ? NCS_FN_ncclBroadcast : c->fn,
                          .rank = c->rank, .comm = c->comm, .comm_rank = c->comm_rank,
                          .peer = ncs_call_peer(c), .root = ncs_call_root(c),
                          .bytes = ncs_call_count(c) * ncs_dtype_bytes(ncs_call_dtype(c)),
                          .stream = ncs_call_stream(c) };
}

static struct deed deed_put_in(const struct play *p, const struct player *l, const struct ncs_change *c)
{
    struct deed d = deed_of(c->model);
    d.fn = ncs_change_fn(c);
    d.comm = c->comm;
    d.comm_rank = c->comm_rank;
    d.peer = c->peer;
    d.rank = l->course->rank;
    for (size_t i = l->course->steps; i-- > 0;) /* on the stream that its rank uses for it */
        if (l->course->step[i].kind == NCS_STEP_CALL) {
            d.stream = ncs_call_stream(l->course->step[i].call);
            if (l->course->step[i].call->comm == c->comm)
                break;
        }
    (void)p;
    return d;
}

static uint64_t entered_key(const struct deed *d, int rank)
{
    if (is_one_sided(d))
        return key_of(KEY_ENTERED, (uint64_t)d->comm, (uint64_t)rank, 1);
    return key_of(KEY_ENTERED, (uint64_t)d->comm, (uint64_t)rank, 2);
}

static uint64_t pair_key(int comm, int from, int to, bool sends)
{
    return key_of(KEY_ENTERED, (uint64_t)comm, ncs_hash((uint64_t)from, (uint64_t)to), sends ? 3 : 4);
}

/* All-to-alls, gathers and scatters are sends and receives: contact is with each peer. */
static bool sends_to(const struct deed *d, int peer)
{
    return d->fn == NCS_FN_ncclAlltoAll || (d->fn == NCS_FN_ncclGather ? peer == d->root : d->comm_rank == d->root);
}

static bool receives_from(const struct deed *d, int peer)
{
    return d->fn == NCS_FN_ncclAlltoAll || (d->fn == NCS_FN_ncclGather ? d->comm_rank == d->root : peer == d->root);
}

static uint64_t all_to_all_key(int comm, int rank)
{
    return key_of(KEY_ENTERED, (uint64_t)comm, (uint64_t)rank, 7);
}

static void enter_spread(struct play *p, const struct deed *d)
{
    int nranks = p->q->journal->comm[d->comm]->nranks;
    if (d->fn == NCS_FN_ncclAlltoAll) /* with everybody, said in one word */
        ncs_map_put_number(&p->entered, all_to_all_key(d->comm, d->comm_rank), 1);
    for (int r = 0; r < nranks && d->fn != NCS_FN_ncclAlltoAll; r++) {
        if (sends_to(d, r))
            ncs_map_put_number(&p->entered, pair_key(d->comm, d->comm_rank, r, true), 1);
        if (receives_from(d, r))
            ncs_map_put_number(&p->entered, pair_key(d->comm, d->comm_rank, r, false), 1);
    }
}

static void enter(struct play *p, const struct deed *d)
{
    p->moved = true;
    if (ncs_is_spread(d->call)) {
        enter_spread(p, d);
        return;
    }
    uint64_t key = is_pair(d) ? pair_key(d->comm, d->comm_rank, d->peer, d->fn == NCS_FN_ncclSend)
                              : entered_key(d, d->comm_rank);
    ncs_map_put_number(&p->entered, key, 1);
}

/* The peer has come to a call that receives what this rank sends, or sends what it receives. */
static bool has_contact_with(const struct play *p, const struct deed *d, int peer, bool sends)
{
    return peer == d->comm_rank || is_free(p, d->comm, peer) ||
           ncs_map_number(&p->entered, all_to_all_key(d->comm, peer)) ||
           ncs_map_number(&p->entered, pair_key(d->comm, peer, d->comm_rank, !sends));
}

static bool has_spread_contact(const struct play *p, const struct deed *d)
{
    uint64_t met = key_of(KEY_ENTERED, (uint64_t)d->comm, (uint64_t)d->comm_rank, 8);
    bool all = d->fn == NCS_FN_ncclAlltoAll;
    if (all && ncs_map_number(&p->entered, met))
        return true;
    for (int r = 0; r < p->q->journal->comm[d->comm]->nranks; r++)
        if ((sends_to(d, r) && !has_contact_with(p, d, r, true)) ||
            (receives_from(d, r) && !has_contact_with(p, d, r, false)))
            return false;
    if (all)
        ncs_map_put_number((struct ncs_map *)&p->entered, met, 1);
    return true;
}

/* First contact: the hosts of all have come to some call of the kind. In a recorded run it may have been made
 * before the record begins. */
static bool has_contact(const struct play *p, const struct deed *d)
{
    if (p->q->snap->recorded)
        return true;
    if (is_pair(d))
        return has_contact_with(p, d, d->peer, d->fn == NCS_FN_ncclSend);
    if (ncs_is_spread(d->call))
        return has_spread_contact(p, d);
    uint64_t met = key_of(KEY_ENTERED, (uint64_t)d->comm, 0, is_one_sided(d) ? 5 : 6);
    if (ncs_map_number(&p->entered, met))
        return true;
    for (int r = 0; r < p->q->journal->comm[d->comm]->nranks; r++)
        if (!ncs_map_number(&p->entered, entered_key(d, r)) && !is_free(p, d->comm, r))
            return false;
    ncs_map_put_number((struct ncs_map *)&p->entered, met, 1);
    return true;
}

/* False: it has to wait for first contact. */
static bool end_group(struct play *p, struct player *l)
{
    for (; l->contacts < l->deeds; l->contacts++)
        enter(p, &l->deed[l->contacts]);
    for (size_t i = 0; i < l->deeds; i++)
        if (!has_contact(p, &l->deed[i]))
            return false;
    enqueue(p, l->deed, l->deeds);
    l->deeds = l->contacts = 0;
    return true;
}

static bool is_done(const struct play *p, size_t launch)
{
    return !launch || p->launch[launch - 1].done;
}

static bool device_is_done(const struct play *p, int rank)
{
    for (size_t i = 0; i < p->parts; i++)
        if (p->part[i].deed.rank == rank && !p->launch[p->part[i].launch].done)
            return false;
    return true;
}

static uint64_t event_key(const struct ncs_call *c)
{
    const union ncs_arg *event = ncs_call_arg(c, NCS_ARG_EVENT);
    return key_of(KEY_EVENT, (uint64_t)c->rank, (uint64_t)(uintptr_t)(event ? event->p : NULL), 0);
}

static bool wait_is_over(const struct play *p, const struct ncs_call *c)
{
    if (c->fn == NCS_FN_cudaEventSynchronize)
        return is_done(p, ncs_map_number(&p->event, event_key(c)));
    const void *stream = ncs_call_stream(c);
    if (c->fn == NCS_FN_cudaDeviceSynchronize || !stream || stream == cudaStreamLegacy)
        return device_is_done(p, c->rank);
    return is_done(p, ncs_map_number(&p->tail, stream_key(c->rank, stream)));
}

/* ---- hosts among themselves ---- */

static uint64_t key_hash(const char *key)
{
    return ncs_hash_bytes(0, key, strlen(key)) | 1;
}

/* Whoever goes on may set it, but for those who have waited for it. */
static bool may_be_set(const struct play *p, const char *key)
{
    for (size_t i = 0; i < p->courses->count; i++) {
        const char *own = p->player[i].free ? ncs_awaited_key(&p->courses->of[i]) : NULL;
        if (p->player[i].added || (p->player[i].free && !(own && strcmp(own, key) == 0)))
            return true;
    }
    return false;
}

/* One that came in the run without anybody's setting it is there from the beginning. */
static bool key_is_there(const struct play *p, const struct ncs_host_step *get, const char *key)
{
    if (ncs_hosts_is_set(&p->hosts, key) || (get->over && !ncs_map_get(&p->settable, key_hash(key))))
        return true;
    return !get->over && may_be_set(p, key);
}

/* Who got past it in the run comes first; of a process with several threads at a barrier one does. */
static bool visit(struct play *p, int rank, const char *ranks, uint64_t id, bool over)
{
    if (!over && !p->late && !ncs_map_get(&p->hosts.visitors, id))
        return false;
    return ncs_hosts_visit(&p->hosts, ranks, id, ncs_process_of_party(p->q, rank), p->any_free ? p->free : NULL);
}

/* False: it waits there. */
static bool play_host_step(struct play *p, const struct ncs_host_step *h, const char *key)
{
    if (h->in_vain)
        return true;
    switch (h->kind) {
    case NCS_HOST_BARRIER: return visit(p, h->rank, h->what, key_of(1, h->id, 0, 0), h->over);
    case NCS_HOST_ADD:
    case NCS_HOST_SET: ncs_hosts_set(&p->hosts, key ? key : h->what); return true;
    case NCS_HOST_GET: return key_is_there(p, h, key ? key : h->what);
    case NCS_HOST_SPAWN: return true;
    }
    return true;
}

/* One that is put in. */
static bool add_host_step(struct play *p, struct player *l, const struct ncs_change *c)
{
    switch (c->host->kind) {
    case NCS_HOST_BARRIER: /* once for all ranks of a thread */
        return visit(p, l->course->rank, c->host->what,
                     key_of(2, (uint64_t)ncs_process_of_party(p->q, l->course->rank), (uint64_t)l->course->thread,
                            c->host->id), false);
    case NCS_HOST_SET: ncs_hosts_set(&p->hosts, c->key); return true;
    case NCS_HOST_ADD: l->added = true; return true;
    case NCS_HOST_GET: return true;
    case NCS_HOST_SPAWN: l->spawned = true; return true;
    }
    return true;
}

/* What the course stands in has been played as its last step. */
static bool is_played(const struct play *p, const struct ncs_course *course, const struct ncs_need *n)
{
    const struct ncs_step *last = course->steps ? &course->step[course->steps - 1] : NULL;
    const char *what = n->kind == NCS_NEED_GATE ? p->q->snap->gate[n->gate].what : "";
    return last && ((last->kind == NCS_STEP_BARRIER && strcmp(what, "barrier") == 0) ||
                    (last->kind == NCS_STEP_GET && strcmp(what, "store:get") == 0));
}

/* Its script is over, or it destroys a communicator: what its process has launched there comes first. */
static bool waits_for_all(const struct play *p, const struct ncs_course *c)
{
    const struct ncs_call *at = c->context >= 0 ? p->q->snap->context[c->context].call : NULL;
    return c->stands && at && !at->returned && (at->ending || (c->steps && c->step[c->steps - 1].kind == NCS_STEP_OTHER));
}

static bool own_are_done(const struct play *p, const struct ncs_course *course, const struct ncs_need *n)
{
    for (size_t k = 0; k < n->presents; k++)
        if (ncs_parties_share(p->q->parties, course->rank, n->present[k]->rank) &&
            !device_is_done(p, n->present[k]->rank))
            return false;
    return true;
}

/* The need of the graph that the course waits for beside what is played here: a gate, an init, a split. A rank
 * of a recorded run waits for all that it has enqueued. */
static bool last_wait_is_over(const struct play *p, const struct ncs_course *course)
{
    size_t needs;
    if (p->q->snap->recorded && !device_is_done(p, course->rank))
        return false;
    int *need = course->context >= 0 ? ncs_needs_of(p->q, course->context, &needs) : NULL;
    bool over = true;
    for (size_t i = 0; need && i < needs && over; i++) {
        const struct ncs_need *n = &p->q->need[need[i]];
        bool by_hosts = n->kind == NCS_NEED_GATE || n->kind == NCS_NEED_INIT || ncs_is_meeting(n);
        if (!by_hosts && waits_for_all(p, course))
            over = own_are_done(p, course, n);
        if (!by_hosts || is_played(p, course, n))
            continue;
        bool any = ncs_is_key(p->q, n), free = !any;
        for (size_t k = 0; k < n->absents; k++) {
            bool one = rank_is_free(p, n->absent[k].rank);
            free = any ? free || one : free && one;
        }
        over = free && n->absents > 0;
    }
    ncs_free(need);
    return over;
}

/* What comes on the stream from now on comes behind the event, too. */
static void wait_behind(struct play *p, uint64_t stream, size_t event)
{
    struct launch both = { .before = { ncs_map_number(&p->tail, stream), event } };
    if (!event)
        return;
    NCS_PUSH(p->launch, p->launches, p->launch_room, both);
    ncs_map_put_number(&p->tail, stream, p->launches);
}

/* The step itself, if nothing changes it; false: it waits there. */
static bool play_step(struct play *p, struct player *l, const struct ncs_step *s, const struct ncs_change *c)
{
    const struct ncs_call *call = s->call;
    switch (s->kind) {
    case NCS_STEP_CALL:
        if (ncs_call_count(call) == 0 && !ncs_call_is_pair(call) && !ncs_call_is_one_sided(call))
            return true;
        if (l->contacts == 0) { /* not in contact already */
            struct deed d = deed_of(call);
            if (c && c->kind == NCS_CHANGE_COMM) {
                d.comm = c->comm;
                d.comm_rank = c->comm_rank;
            }
            d.peer = c && c->peer >= 0 ? c->peer : d.peer;
            NCS_PUSH(l->deed, l->deeds, l->room, d);
        }
        return call->group ? true : end_group(p, l);
    case NCS_STEP_GROUP_END:
        return end_group(p, l);
    case NCS_STEP_WAIT:
        return wait_is_over(p, call);
    case NCS_STEP_RECORD:
        ncs_map_put_number(&p->event, event_key(call),
                           ncs_map_number(&p->tail, stream_key(call->rank, ncs_call_stream(call))));
        return true;
    case NCS_STEP_AFTER:
        wait_behind(p, stream_key(call->rank, ncs_call_stream(call)), ncs_map_number(&p->event, event_key(call)));
        return true;
    case NCS_STEP_OTHER:
        return true;
    case NCS_STEP_BARRIER:
    case NCS_STEP_SET:
    case NCS_STEP_GET:
    case NCS_STEP_SPAWN:
        return play_host_step(p, s->host, c ? c->key : NULL);
    }
    return true;
}

/* Puts in what comes before the step, and says what becomes of the step. */
static bool change_step(struct play *p, struct player *l, const struct ncs_change **of_step)
{
    size_t self = (size_t)(l - p->player);
    *of_step = NULL;
    for (; l->change < p->changes; l->change++) {
        const struct ncs_change *c = &p->change[l->change];
        if (c->course < self || (c->course == self && c->step < l->at))
            continue;
        if (c->course > self || c->step > l->at)
            return true;
        if (c->kind != NCS_CHANGE_PUT_IN) {
            *of_step = c;
            return true;
        }
        if (c->host) {
            if (!add_host_step(p, l, c))
                return false;
            continue;
        }
        bool grouped = l->deeds > 0 && l->contacts == 0;
        if (l->contacts == 0) {
            struct deed d = deed_put_in(p, l, c);
            NCS_PUSH(l->deed, l->deeds, l->room, d);
        }
        if (!grouped && !end_group(p, l))
            return false;
    }
    return true;
}

static void note_free(struct play *p, const struct player *l)
{
    int process = ncs_process_of_party(p->q, l->course->rank);
    if (!l->free || process < 0 || process >= p->hosts.processes)
        return;
    p->free[process] = p->any_free = true;
}

static void play_course(struct play *p, struct player *l)
{
    const struct ncs_course *course = l->course;
    const struct ncs_change *c;
    while (!l->ended) {
        if (!change_step(p, l, &c))
            return;
        if (l->at == course->steps) {
            if (course->holder && !p->player[course->holder - 1].ended)
                return;
            if (!course->over && !last_wait_is_over(p, course))
                return;
            l->ended = true;
            l->free = !course->over && !course->still;
            note_free(p, l);
            p->moved = true;
            return;
        }
        bool left_out = c && c->kind == NCS_CHANGE_LEAVE_OUT;
        if (!left_out && !play_step(p, l, &course->step[l->at], c))
            return;
        l->at++;
        p->moved = true;
    }
}

static void begin(struct play *p)
{
    p->player = ncs_new(p->courses->count * sizeof *p->player);
    ncs_hosts_open(p->q, &p->hosts);
    p->free = ncs_new(((size_t)p->hosts.processes + 1) * sizeof *p->free);
    for (size_t i = 0; i < p->courses->count; i++) {
        const struct ncs_course *c = &p->courses->of[i];
        p->player[i].course = c;
        for (size_t k = 0; k < c->steps; k++)
            if (c->step[k].kind == NCS_STEP_SET)
                ncs_map_put_number(&p->settable, key_hash(c->step[k].host->what), 1);
            else if (c->step[k].kind == NCS_STEP_CALL)
                ncs_map_put_number(&p->owner,
                                   key_of(KEY_OWNER, (uint64_t)c->step[k].call->comm,
                                          (uint64_t)c->step[k].call->comm_rank, 0), i + 1);
    }
}

static void end(struct play *p, struct ncs_rehearsed *out)
{
    out->waits = ncs_new(p->courses->count * sizeof *out->waits);
    for (size_t i = 0; i < p->courses->count; i++) {
        out->waits[i] = !p->player[i].ended;
        out->blocked += out->waits[i];
        ncs_free(p->player[i].deed);
    }
    for (size_t i = 0; i < p->slots; i++) {
        out->supposed += p->slot[i].supposed;
        ncs_free(p->slot[i].part);
    }
    ncs_free(p->player);
    ncs_free(p->part);
    ncs_free(p->launch);
    ncs_free(p->slot);
    ncs_map_free(&p->slot_of);
    ncs_map_free(&p->count);
    ncs_map_free(&p->tail);
    ncs_map_free(&p->event);
    ncs_map_free(&p->entered);
    ncs_map_free(&p->sent);
    ncs_map_free(&p->owner);
    ncs_map_free(&p->settable);
    ncs_hosts_close(&p->hosts);
    ncs_free(p->free);
}

void ncs_rehearse(const struct ncs_inquiry *q, const struct ncs_courses *courses,
                  const struct ncs_change *change, size_t changes, struct ncs_rehearsed *out)
{
    struct play p = { .q = q, .courses = courses, .change = change, .changes = changes };
    memset(out, 0, sizeof *out);
    begin(&p);
    for (bool again = true; again;) {
        p.moved = false;
        for (size_t i = 0; i < courses->count; i++)
            play_course(&p, &p.player[i]);
        for (size_t i = 0; i < p.launches; i++)
            if (!p.launch[i].done && play_launch(&p, i))
                p.moved = true;
        again = p.moved || !p.late;
        p.late = !p.moved;
    }
    end(&p, out);
}
