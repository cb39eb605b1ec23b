/* The journal and the snapshot as they would be if each party were a process of its own: records, ranks of
 * communicators and operations carry the number of their party, and a thread that drives several parties
 * is a thread of each of them. What such a thread does for all, a group's begin and end, each has done. */
#include "diagnose/party.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "diagnose/hazard/hazard.h"
#include "diagnose/analysis.h"

struct ncs_recast_private {
    struct ncs_parties *p;
    struct ncs_call *call; /* in order of id; copies of one for several parties stand side by side */
    size_t calls, room;
    struct ncs_host_step *host; /* in order */
    size_t hosts, host_room;
    struct ncs_map at;     /* record -> first copy + 1 */
    struct ncs_map queue;  /* of what a thread last did with a stream or an event: -> party + 1 */
    const void **stream;   /* by party: of its newest call of NCCL */
    size_t wait_room, context_room;
    int *first_context;    /* by context of the run: its first one here */
};

/* ---- records ---- */

/* Each of its parties takes part. A thread that waits for the stream of one would wait for the others' next. */
static bool is_for_all(const struct ncs_call *c)
{
    return c->fn == NCS_FN_ncclGroupStart || c->fn == NCS_FN_ncclGroupEnd ||
           (c->fn == NCS_FN_cudaStreamSynchronize && !c->returned);
}

static uint64_t queue_key(const struct ncs_call *c, enum ncs_kind kind)
{
    const union ncs_arg *arg = ncs_call_arg(c, kind);
    return arg && arg->p ? ncs_hash(ncs_hash((uint64_t)c->rank, kind), ncs_map_key(arg->p)) : 0;
}

/* Work on a stream is its party's that makes calls of NCCL there; a thread that drives nobody keeps its
 * own waits, but memory is its device's. */
static int party_of_work(struct ncs_recast_private *o, const struct ncs_driver *d, int device,
                         const struct ncs_call *c)
{
    uint64_t stream = queue_key(c, NCS_ARG_STREAM), event = queue_key(c, NCS_ARG_EVENT);
    size_t known = stream ? ncs_map_number(&o->queue, stream) : 0;
    if (!known && event)
        known = ncs_map_number(&o->queue, event);
    if (known && event)
        ncs_map_put_number(&o->queue, event, known);
    bool moves = ncs_call_arg(c, NCS_ARG_MEMORY_OUT) || ncs_call_arg(c, NCS_ARG_MEMORY);
    if (d->mades == 1)
        return d->made[0];
    if (known && d->mades)
        return (int)known - 1;
    int own = d->mades || moves ? ncs_party_of_device(o->p, c->rank, device) : -1;
    return own >= 0 ? own : d->mades ? d->made[0] : ncs_party_of_process(o->p, c->rank);
}

static int party_of_call(struct ncs_recast_private *o, const struct ncs_driver *d, int device,
                         const struct ncs_call *c)
{
    int party = c->fn == NCS_FN_ncclCommInitAll ? -1 : ncs_party_of_member(o->p, c->comm, c->comm_rank);
    uint64_t stream = c->number ? queue_key(c, NCS_ARG_STREAM) : 0;
    if (party >= 0 && stream) {
        ncs_map_put_number(&o->queue, stream, (size_t)party + 1);
        o->stream[party] = ncs_call_stream(c);
    }
    return party >= 0 ? party : party_of_work(o, d, device, c);
}

static void add_copy(struct ncs_recast_private *o, const struct ncs_call *c, int party)
{
    struct ncs_call copy = *c;
    copy.rank = party;
    if (c->fn == NCS_FN_cudaStreamSynchronize && party >= 0 && is_for_all(c) && o->stream[party])
        copy.arg[0].p = o->stream[party];
    NCS_PUSH(o->call, o->calls, o->room, copy);
    if (!ncs_map_get(&o->at, ncs_map_key(c)))
        ncs_map_put_number(&o->at, ncs_map_key(c), o->calls);
}

static void copy_calls(struct ncs_recast_private *o)
{
    int *device = ncs_new((o->p->drivers + 1) * sizeof *device);
    o->stream = ncs_new((o->p->count + o->p->drivers) * sizeof *o->stream); /* with the processes as such */
    for (const struct ncs_call *c = o->p->journal->oldest; c; c = c->newer) {
        const struct ncs_driver *d = c->rank < 0 ? NULL : ncs_driver_of(o->p, c->rank, c->thread);
        if (!d) {
            add_copy(o, c, -1);
            continue;
        }
        int *now = &device[d - o->p->driver];
        if (c->fn == NCS_FN_cudaSetDevice && c->returned && !c->rc)
            *now = (int)c->arg[0].i;
        if (!is_for_all(c) || d->mades < 2) {
            add_copy(o, c, party_of_call(o, d, *now, c));
            continue;
        }
        for (size_t i = 0; i < d->mades; i++)
            add_copy(o, c, d->made[i]);
    }
    ncs_free(device);
}

/* The copy for the party, or else the first; a record that the journal has not stays what it is. */
static struct ncs_call *copy_for(const struct ncs_recast_private *o, const struct ncs_call *c, int party)
{
    size_t at = c ? ncs_map_number(&o->at, ncs_map_key(c)) : 0;
    if (!at)
        return (struct ncs_call *)c;
    for (size_t i = at - 1; i < o->calls && o->call[i].id == c->id; i++)
        if (o->call[i].rank == party)
            return &o->call[i];
    return &o->call[at - 1];
}

static struct ncs_call *copy_of(const struct ncs_recast_private *o, const struct ncs_call *c)
{
    return copy_for(o, c, -1);
}

static void link_calls(struct ncs_recast_private *o)
{
    for (size_t i = 0; i < o->calls; i++) {
        struct ncs_call *c = &o->call[i];
        c->next_counted = copy_of(o, c->next_counted);
        c->older = i ? c - 1 : NULL;
        c->newer = i + 1 < o->calls ? c + 1 : NULL;
    }
}

static void add_host(struct ncs_recast_private *o, const struct ncs_host_step *h, int party)
{
    struct ncs_host_step copy = *h;
    copy.rank = party;
    NCS_PUSH(o->host, o->hosts, o->host_room, copy);
}

/* Each party of a thread does what that does; a thread that drives nobody does it for its process. */
static void copy_hosts(struct ncs_recast_private *o, struct ncs_journal *out)
{
    for (const struct ncs_host_step *h = o->p->journal->oldest_host; h; h = h->newer) {
        const struct ncs_driver *d = ncs_driver_of(o->p, h->rank, h->thread);
        for (size_t i = 0; d && i < d->mades; i++)
            add_host(o, h, d->made[i]);
        if (!d || !d->mades)
            add_host(o, h, ncs_party_of_process(o->p, h->rank));
    }
    for (size_t i = 0; i < o->hosts; i++)
        o->host[i].newer = i + 1 < o->hosts ? &o->host[i + 1] : NULL;
    out->oldest_host = o->hosts ? o->host : NULL;
    out->newest_host = o->hosts ? &o->host[o->hosts - 1] : NULL;
}

static struct ncs_comm_info *copy_comm(const struct ncs_recast_private *o, const struct ncs_comm_info *info)
{
    struct ncs_comm_info *copy = ncs_new(sizeof *copy);
    *copy = *info;
    copy->member = ncs_new((size_t)info->members * sizeof *copy->member);
    for (int i = 0; i < info->members; i++) {
        struct ncs_member *m = &copy->member[i];
        *m = info->member[i];
        m->rank = ncs_party_of_member(o->p, info->number, i);
        m->first = copy_of(o, m->first);
        m->last = copy_of(o, m->last);
        m->line = ncs_new(m->line_room * sizeof *m->line);
        for (uint32_t k = 0; k < m->line_room; k++)
            m->line[k] = copy_of(o, info->member[i].line[k]);
    }
    return copy;
}

static void copy_journal(struct ncs_recast_private *o, struct ncs_journal *out)
{
    const struct ncs_journal *j = o->p->journal;
    copy_calls(o);
    link_calls(o);
    *out = *j;
    out->oldest = o->calls ? o->call : NULL;
    out->newest = o->calls ? &o->call[o->calls - 1] : NULL;
    copy_hosts(o, out);
    out->comm = ncs_new(j->comms * sizeof *out->comm);
    for (size_t i = 0; i < j->comms; i++)
        out->comm[i] = copy_comm(o, j->comm[i]);
}

/* ---- the machine ---- */

static int party_by_call(const struct ncs_recast_private *o, const struct ncs_call *c)
{
    return c ? ncs_party_of_member(o->p, c->comm, c->comm_rank) : -1;
}

static int party_of_op(const struct ncs_recast_private *o, const struct ncs_snap_op *op)
{
    int party = party_by_call(o, op->call);
    if (party < 0)
        party = ncs_party_of_device(o->p, op->rank, op->device);
    return party >= 0 ? party : ncs_party_of_process(o->p, op->rank);
}

/* -1: of several, or of none. */
static int party_of_job(const struct ncs_recast_private *o, const struct ncs_snap_job *job)
{
    int party = party_by_call(o, job->call);
    for (size_t i = 0; i < o->p->snap->parts && party < 0 && job->kind == NCS_JOB_CONTACT; i++) {
        const struct ncs_call *c = o->p->snap->part[i].call; /* queued in the group that it is of */
        if (c && o->p->snap->part[i].op < 0 && c->rank == job->rank && c->comm_rank == job->comm_rank)
            party = party_by_call(o, c);
    }
    return party;
}

static void push_wait(struct ncs_recast *r, enum ncs_wait_kind kind, int index)
{
    struct ncs_snap_wait w = { kind, index };
    NCS_PUSH(r->snap.wait, r->snap.waits, r->own->wait_room, w);
}

/* Adds the waits of a thread that belong to the party. The end of a group waits for
 * several parties. */
static void add_waits(struct ncs_recast *r, const struct ncs_snap_wait *w, int party, int front)
{
    const struct ncs_snapshot *s = r->own->p->snap;
    if (w->kind == NCS_WAIT_GATE) {
        if (party == front)
            push_wait(r, w->kind, w->index);
    } else if (w->kind == NCS_WAIT_OP) {
        for (size_t i = 0; i < s->ops; i++) /* for its own stream the thread would wait next */
            if (party_of_op(r->own, &s->op[i]) == party)
                push_wait(r, w->kind, (int)i);
    } else {
        const struct ncs_snap_job *job = &s->job[w->index];
        int own = party_of_job(r->own, job);
        for (size_t i = 0; own < 0 && i < job->waits; i++)
            add_waits(r, &s->wait[job->wait + i], party, front);
        if (own == party || (own < 0 && !job->waits))
            push_wait(r, w->kind, w->index);
    }
}

/* Its newest call for the party. */
static const struct ncs_call *recast_last_call(const struct ncs_recast *r, const struct ncs_snap_context *c,
                                               int party)
{
    for (const struct ncs_call *k = r->journal.newest; k; k = k->older)
        if (k->number && k->thread == c->thread && k->rank == party)
            return k;
    return NULL;
}

/* The party that the thread waits as: whose operation or call it waits for, at a gate that of its last call. */
static int front_of(const struct ncs_recast *r, const struct ncs_snap_context *c, const struct ncs_driver *d)
{
    const struct ncs_snapshot *s = r->own->p->snap;
    int front = -1;
    for (size_t i = 0; i < c->waits && front < 0; i++) {
        const struct ncs_snap_wait *w = &s->wait[c->wait + i];
        front = w->kind == NCS_WAIT_OP   ? party_of_op(r->own, &s->op[w->index])
                : w->kind == NCS_WAIT_JOB ? party_of_job(r->own, &s->job[w->index])
                                          : -1;
    }
    const struct ncs_call *newest = NULL;
    for (size_t i = 0; front < 0 && c->waits && i < d->drive; i++) {
        const struct ncs_call *last = recast_last_call(r, c, d->drives[i]);
        if (last && (!newest || last->id > newest->id))
            newest = last;
    }
    return newest ? newest->rank : front;
}

/* True if the thread has gone on to another of its parties since the party's last call, or makes
 * such calls in groups of several parties. If not, it may be meant to make the others' calls behind
 * its wait. */
static bool has_gone_on(const struct ncs_recast *r, const struct ncs_snap_context *c, int party)
{
    const struct ncs_call *last = recast_last_call(r, c, party), *newer = NULL;
    for (const struct ncs_call *k = last ? r->journal.newest : NULL; k; k = k->older) {
        if (!k->number || k->thread != c->thread || k->rank < 0 || r->own->p->of[k->rank].rank != c->rank)
            continue;
        bool with_newer = newer && k->group && k->group == newer->group && k->rank != newer->rank;
        if ((k->id > last->id && k->rank != party) || (last->group && with_newer))
            return true;
        newer = k;
    }
    return !last;
}

static bool stands_at_gate(const struct ncs_recast *r, const struct ncs_snap_context *c)
{
    return c->waits && r->own->p->snap->wait[c->wait].kind == NCS_WAIT_GATE;
}

/* The thread as the party sees it. One that waits as another of its parties, the front, does nothing as this
 * one: what it would do behind that wait nobody knows, but where it may only not have come to it yet. */
static void recast_add_context(struct ncs_recast *r, const struct ncs_snap_context *c, int party, int front)
{
    struct ncs_snap_context copy = *c;
    copy.rank = party;
    copy.call = copy_for(r->own, c->call, party);
    copy.message = ncs_copy_text(c->message);
    copy.wait = r->snap.waits;
    for (size_t i = 0; i < c->waits; i++)
        add_waits(r, &r->own->p->snap->wait[c->wait + i], party, front);
    copy.waits = r->snap.waits - copy.wait;
    bool held = c->waits && front >= 0 && front != party && !copy.waits;
    if (held && !c->group_depth && !stands_at_gate(r, c) && has_gone_on(r, c, front)) {
        ncs_free(copy.message);
        copy.message = ncs_text("its thread waits in %s() as rank %d",
                                c->call ? ncs_function_name(c->call) : "a call", front);
        copy.state = NCS_CONTEXT_ENDED;
        copy.ending = NCS_END_SILENT;
    }
    copy.held_by = held;
    NCS_PUSH(r->snap.context, r->snap.contexts, r->own->context_room, copy);
}

/* It drives nobody, and waits for whatever it waits for. */
static void add_process(struct ncs_recast *r, const struct ncs_snap_context *c)
{
    struct ncs_snap_context copy = *c;
    copy.rank = ncs_party_of_process(r->own->p, c->rank);
    copy.call = copy_of(r->own, c->call);
    copy.message = ncs_copy_text(c->message);
    copy.wait = r->snap.waits;
    for (size_t k = 0; k < c->waits; k++) {
        const struct ncs_snap_wait *w = &r->own->p->snap->wait[c->wait + k];
        push_wait(r, w->kind, w->index);
    }
    NCS_PUSH(r->snap.context, r->snap.contexts, r->own->context_room, copy);
}

static void copy_contexts(struct ncs_recast *r)
{
    const struct ncs_snapshot *s = r->own->p->snap;
    r->own->first_context = ncs_new((s->contexts + 1) * sizeof *r->own->first_context);
    for (size_t i = 0; i < s->contexts; i++) {
        const struct ncs_snap_context *c = &s->context[i];
        const struct ncs_driver *d = ncs_driver_of(r->own->p, c->rank, c->thread);
        size_t first = r->snap.contexts, at = first;
        int front = d && d->drive ? front_of(r, c, d) : -1;
        for (size_t k = 0; d && k < d->drive; k++) {
            if (d->drives[k] == front)
                at = r->snap.contexts;
            recast_add_context(r, c, d->drives[k], d->drive > 1 ? front : d->drives[k]);
        }
        if (r->snap.contexts == first)
            add_process(r, c);
        for (size_t k = first; k < r->snap.contexts; k++)
            if (r->snap.context[k].held_by)
                r->snap.context[k].held_by = at + 1;
        r->own->first_context[i] = (int)at;
    }
}

/* Copies the operations, jobs and parts of the parties. The waits of jobs follow those
 * of the contexts. */
static void copy_machine(struct ncs_recast *r)
{
    const struct ncs_recast_private *o = r->own;
    const struct ncs_snapshot *s = o->p->snap;
    r->snap.op = ncs_new(s->ops * sizeof *r->snap.op);
    r->snap.job = ncs_new(s->jobs * sizeof *r->snap.job);
    r->snap.part = ncs_new(s->parts * sizeof *r->snap.part);
    r->snap.gate = ncs_new(s->gates * sizeof *r->snap.gate);
    for (size_t i = 0; i < s->ops; i++) {
        r->snap.op[i] = s->op[i];
        r->snap.op[i].rank = party_of_op(o, &s->op[i]);
        r->snap.op[i].call = copy_for(o, s->op[i].call, r->snap.op[i].rank);
        if (s->op[i].context >= 0)
            r->snap.op[i].context = o->first_context[s->op[i].context];
    }
    for (size_t i = 0; i < s->jobs; i++) {
        struct ncs_snap_job *job = &r->snap.job[i];
        int party = party_of_job(o, &s->job[i]);
        *job = s->job[i];
        job->rank = party >= 0 ? party : ncs_party_of_process(o->p, job->rank);
        job->call = copy_for(o, s->job[i].call, job->rank);
        job->wait = r->snap.waits;
        for (size_t k = 0; k < s->job[i].waits; k++)
            push_wait(r, s->wait[s->job[i].wait + k].kind, s->wait[s->job[i].wait + k].index);
    }
    for (size_t i = 0; i < s->parts; i++) {
        r->snap.part[i] = s->part[i];
        r->snap.part[i].call = copy_of(o, s->part[i].call);
    }
}

static bool waits_at(const struct ncs_recast *r, const struct ncs_snap_context *c, const char *what)
{
    for (size_t i = 0; i < c->waits; i++) {
        const struct ncs_snap_wait *w = &r->snap.wait[c->wait + i];
        if (w->kind == NCS_WAIT_GATE && strcmp(r->own->p->snap->gate[w->index].what, what) == 0)
            return true;
    }
    return false;
}

/* A barrier names processes. Of a process one thread comes to a barrier: the one that is there, or its first. */
static char *barrier_key(const struct ncs_recast *r, const struct ncs_snap_gate *g)
{
    struct ncs_str s = { 0 };
    int *come = ncs_new(r->own->p->count * sizeof *come);
    size_t count = 0;
    for (size_t party = 0; party < r->own->p->count; party++) {
        int first = -1, here = -1, rank = r->own->p->of[party].rank;
        for (size_t i = 0; i < r->snap.contexts; i++) {
            const struct ncs_snap_context *c = &r->snap.context[i];
            if (c->rank < 0 || r->own->p->of[c->rank].rank != rank)
                continue;
            first = first < 0 ? c->rank : first;
            if (waits_at(r, c, g->what))
                here = here == (int)party ? here : c->rank;
        }
        if (ncs_is_listed(g->key, rank) && (here >= 0 ? here : first) == (int)party)
            come[count++] = (int)party;
    }
    ncs_str_add(&s, "ranks ");
    ncs_str_add_ranks(&s, come, count);
    ncs_free(come);
    return ncs_str_take(&s);
}

static void copy_gates(struct ncs_recast *r)
{
    const struct ncs_snapshot *s = r->own->p->snap;
    for (size_t i = 0; i < s->gates; i++) {
        struct ncs_snap_gate *g = &r->snap.gate[i];
        *g = s->gate[i];
        g->key = strcmp(g->what, "barrier") == 0 && g->key ? barrier_key(r, &s->gate[i])
                                                           : ncs_copy_text(g->key);
        for (size_t k = 0; g->owner >= 0 && k < s->contexts; k++)
            if (s->context[k].rank == s->gate[i].owner && s->context[k].thread == g->owner_thread)
                g->owner = r->snap.context[r->own->first_context[k]].rank;
    }
}

/* ---- what was noticed ---- */

/* The party of a compared value: the one whose call wrote the memory. */
static int party_of_compared(const struct ncs_recast *r, const struct ncs_compared *c)
{
    for (const struct ncs_call *k = r->journal.newest; k; k = k->older)
        if (k->number && k->id <= c->order && k->rank >= 0 && r->own->p->of[k->rank].rank == c->rank &&
            ncs_call_recvbuff(k) && ncs_call_recvbuff(k) <= c->address &&
            (const char *)c->address - (const char *)ncs_call_recvbuff(k) < 8 * (ptrdiff_t)ncs_call_count(k))
            return k->rank;
    return -1;
}

static int first_party(const struct ncs_parties *p, int rank)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->of[i].rank == rank)
            return (int)i;
    return -1;
}

static struct ncs_hazard *copy_hazard(const struct ncs_recast *r, const struct ncs_hazard *h)
{
    struct ncs_hazard *copy = ncs_new(sizeof *copy);
    *copy = *h;
    copy->earlier = copy_of(r->own, h->earlier);
    copy->later = copy_of(r->own, h->later);
    copy->sync = copy_for(r->own, h->sync, copy->later ? copy->later->rank : -1);
    copy->at = ncs_new(h->ats * sizeof *copy->at);
    for (size_t i = 0; i < h->ats; i++) {
        copy->at[i] = h->at[i];
        int party = ncs_party_of_member(r->own->p, h->at[i].comm, h->at[i].comm_rank);
        copy->at[i].rank = party >= 0 ? party : first_party(r->own->p, h->at[i].rank);
    }
    return copy;
}

static void copy_notice(struct ncs_recast *r, const struct ncs_notice *from, struct ncs_notice *to)
{
    *to = *from;
    to->call = ncs_new(from->calls * sizeof *to->call);
    for (size_t i = 0; i < from->calls; i++)
        to->call[i] = copy_of(r->own, from->call[i]);
    to->fault = ncs_new(from->faults * sizeof *to->fault);
    for (size_t i = 0; i < from->faults; i++) {
        to->fault[i] = from->fault[i];
        to->fault[i].rank = first_party(r->own->p, from->fault[i].rank);
    }
    if (from->hazard)
        to->hazard = copy_hazard(r, from->hazard);
    struct ncs_compared *compared = ncs_new(from->compareds * sizeof *compared);
    for (size_t i = 0; i < from->compareds; i++) {
        compared[i] = from->compared[i];
        compared[i].rank = party_of_compared(r, &from->compared[i]);
    }
    to->compared = compared;
}

void ncs_recast_open(struct ncs_parties *p, const struct ncs_notice *notice, size_t notices,
                     struct ncs_recast *out)
{
    *out = (struct ncs_recast){ .snap = *p->snap, .notices = notices, .own = ncs_new(sizeof *out->own) };
    out->own->p = p;
    out->snap.context = NULL;
    out->snap.wait = NULL;
    out->snap.contexts = out->snap.waits = 0;
    copy_journal(out->own, &out->journal);
    copy_contexts(out);
    copy_machine(out);
    copy_gates(out);
    out->notice = ncs_new(notices * sizeof *out->notice);
    for (size_t i = 0; i < notices; i++)
        copy_notice(out, &notice[i], &out->notice[i]);
}

void ncs_recast_close(struct ncs_recast *r)
{
    for (size_t i = 0; i < r->notices; i++) {
        ncs_free(r->notice[i].call);
        ncs_free(r->notice[i].fault);
        ncs_free((void *)r->notice[i].compared);
        if (r->notice[i].hazard)
            ncs_free(r->notice[i].hazard->at);
        ncs_free((void *)r->notice[i].hazard);
    }
    for (size_t i = 0; i < r->journal.comms; i++) {
        for (int k = 0; k < r->journal.comm[i]->members; k++)
            ncs_free(r->journal.comm[i]->member[k].line);
        ncs_free(r->journal.comm[i]->member);
        ncs_free(r->journal.comm[i]);
    }
    for (size_t i = 0; i < r->snap.contexts; i++)
        ncs_free(r->snap.context[i].message);
    for (size_t i = 0; i < r->snap.gates; i++)
        ncs_free(r->snap.gate[i].key);
    ncs_free(r->notice);
    ncs_free(r->journal.comm);
    ncs_free(r->snap.context);
    ncs_free(r->snap.wait);
    ncs_free(r->snap.op);
    ncs_free(r->snap.job);
    ncs_free(r->snap.part);
    ncs_free(r->snap.gate);
    ncs_map_free(&r->own->at);
    ncs_map_free(&r->own->queue);
    ncs_free(r->own->call);
    ncs_free(r->own->host);
    ncs_free(r->own->stream);
    ncs_free(r->own->first_context);
    ncs_free(r->own);
}
