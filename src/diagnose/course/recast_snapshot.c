/* The snapshot as it would be if each party were a process: a thread that drives several parties is a context of each,
 * and operations, jobs and gates carry the number of their party. */
#include "diagnose/course/recast.h"

#include <string.h>

#include "base/mem.h"
#include "diagnose/analysis.h"

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

/* -1 = the job belongs to several parties, or to none. */
static int party_of_job(const struct ncs_recast_private *o, const struct ncs_snap_job *job)
{
    int party = party_by_call(o, job->call);
    for (size_t i = 0; i < o->p->snap->parts && party < 0 && job->kind == NCS_JOB_CONTACT; i++) {
        const struct ncs_call *c = o->p->snap->part[i].call; /* queued in the group whose end is the job */
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
        for (size_t i = 0; i < s->ops; i++) /* all of the party: the thread would wait for its stream next */
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

/* The thread's newest counted call for the party. */
static const struct ncs_call *recast_last_call(const struct ncs_recast *r, const struct ncs_snap_context *c, int party)
{
    for (const struct ncs_call *k = r->journal.newest; k; k = k->older)
        if (k->number && k->thread == c->thread && k->rank == party)
            return k;
    return NULL;
}

/* The front: the party as which the thread waits. It is the party whose operation or job the thread waits for or, at
 * a gate, the party of the thread's last call. -1 = none. */
static int front_of(const struct ncs_recast *r, const struct ncs_snap_context *c, const struct ncs_driver *d)
{
    const struct ncs_snapshot *s = r->own->p->snap;
    int front = -1;
    for (size_t i = 0; i < c->waits && front < 0; i++) {
        const struct ncs_snap_wait *w = &s->wait[c->wait + i];
        front = w->kind == NCS_WAIT_OP    ? party_of_op(r->own, &s->op[w->index])
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

/* Adds the thread as a context of the party. While the thread waits as another party, the front, it does nothing for
 * this one (held_by). What it would do behind that wait is unknown, so the context has ended silently; except where
 * the thread may just not have come to this party's call yet. */
static void recast_add_context(struct ncs_recast *r, const struct ncs_snap_context *c, int party, int front)
{
    struct ncs_snap_context copy = *c;
    copy.rank = party;
    copy.call = ncs_recast_call_for(r->own, c->call, party);
    copy.message = ncs_copy_text(c->message);
    copy.wait = r->snap.waits;
    for (size_t i = 0; i < c->waits; i++)
        add_waits(r, &r->own->p->snap->wait[c->wait + i], party, front);
    copy.waits = r->snap.waits - copy.wait;
    bool held = c->waits && front >= 0 && front != party && !copy.waits;
    bool ends = c->call && ncs_fn_info[c->call->fn].ends == NCS_ENDS_COMM; /* the end of one party's handle is no loop over all */
    if (held && !ends && !c->group_depth && !stands_at_gate(r, c) && has_gone_on(r, c, front)) {
        ncs_free(copy.message);
        copy.message = ncs_text("its thread waits in %s() as rank %d", c->call ? ncs_function_name(c->call) : "a call", front);
        copy.state = NCS_CONTEXT_ENDED;
        copy.ending = NCS_END_SILENT;
    }
    copy.held_by = held;
    NCS_PUSH(r->snap.context, r->snap.contexts, r->own->context_room, copy);
}

/* A thread that drives no party keeps its waits as they are, as a context of its process. */
static void add_process(struct ncs_recast *r, const struct ncs_snap_context *c)
{
    struct ncs_snap_context copy = *c;
    copy.rank = ncs_party_of_process(r->own->p, c->rank);
    copy.call = ncs_recast_call(r->own, c->call);
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
        r->snap.op[i].call = ncs_recast_call_for(o, s->op[i].call, r->snap.op[i].rank);
        if (s->op[i].context >= 0)
            r->snap.op[i].context = o->first_context[s->op[i].context];
    }
    for (size_t i = 0; i < s->jobs; i++) {
        struct ncs_snap_job *job = &r->snap.job[i];
        int party = party_of_job(o, &s->job[i]);
        *job = s->job[i];
        job->rank = party >= 0 ? party : ncs_party_of_process(o->p, job->rank);
        job->call = ncs_recast_call_for(o, s->job[i].call, job->rank);
        job->wait = r->snap.waits;
        for (size_t k = 0; k < s->job[i].waits; k++)
            push_wait(r, s->wait[s->job[i].wait + k].kind, s->wait[s->job[i].wait + k].index);
    }
    for (size_t i = 0; i < s->parts; i++) {
        r->snap.part[i] = s->part[i];
        r->snap.part[i].call = ncs_recast_call(o, s->part[i].call);
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

/* A barrier's key lists processes, and here it has to list parties. One thread of each process comes to a barrier: the
 * party of the thread that is there or, if there is none, the process's first party. The caller frees the text. */
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
        g->key = strcmp(g->what, "barrier") == 0 && g->key ? barrier_key(r, &s->gate[i]) : ncs_copy_text(g->key);
        for (size_t k = 0; g->owner >= 0 && k < s->contexts; k++)
            if (s->context[k].rank == s->gate[i].owner && s->context[k].thread == g->owner_thread)
                g->owner = r->snap.context[r->own->first_context[k]].rank;
    }
}

void ncs_recast_snapshot(struct ncs_recast *r)
{
    r->snap = *r->own->p->snap;
    r->snap.context = NULL;
    r->snap.wait = NULL;
    r->snap.contexts = r->snap.waits = 0;
    copy_contexts(r);
    copy_machine(r);
    copy_gates(r);
}
