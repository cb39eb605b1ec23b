/* One walk over the journal: the courses of all threads. */
#include "diagnose/course/course.h"

#include <stdlib.h>
#include <string.h>

#include "api/meeting.h"
#include "base/hash.h"
#include "base/mem.h"
#include "diagnose/party.h"

static bool step_kind(const struct ncs_call *c, enum ncs_step_kind *kind)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    if (info->waits || info->records) {
        *kind = info->waits ? NCS_STEP_WAIT : NCS_STEP_RECORD;
        return true;
    }
    switch (c->fn) {
    case NCS_FN_ncclGroupStart:
    case NCS_FN_ncclGroupEnd: *kind = NCS_STEP_GROUP_END; return true;
    case NCS_FN_cudaStreamWaitEvent: *kind = NCS_STEP_AFTER; return true;
    case NCS_FN_ncclCommInitAll: return false; /* one thread makes it for all ranks: no rank has a step */
    default: break;
    }
    *kind = c->number ? NCS_STEP_CALL : NCS_STEP_OTHER;
    return c->number || (c->comm >= 0 && c->fn != NCS_FN_ncclCommGetAsyncError) || !c->returned;
}

uint64_t ncs_role_of(const struct ncs_courses *all, enum ncs_fn fn, int comm, int comm_rank, int peer)
{
    uint64_t kind = ncs_hash(ncs_hash(4, (uint64_t)fn), all->class_of[comm]);
    return ncs_hash(kind, (uint64_t)(int64_t)(peer - comm_rank)) | 1;
}

int ncs_step_peer(const struct ncs_call *call)
{
    size_t count;
    const ncclWaitSignalDesc_t *w = ncs_call_waits(call, &count);
    return w && count == 1 ? w[0].peer : ncs_call_peer(call);
}

static bool has_place(const struct ncs_call *c)
{
    return c->place.line && !(c->unsaid & NCS_UNSAID_PLACE);
}

/* The site without the communicator: where the program makes the call. */
static uint64_t spot_of(const struct ncs_call *c)
{
    bool known = has_place(c);
    uint64_t site = ncs_hash((uint64_t)c->fn, known ? (uint64_t)c->place.line : 0);
    if (known && c->place.file)
        site = ncs_hash_bytes(site, c->place.file, strlen(c->place.file));
    if (!known && c->number) /* without a place, the amount of data is all that tells calls apart */
        site = ncs_hash(ncs_hash(ncs_hash(site, ncs_call_count(c)), (uint64_t)ncs_call_dtype(c)), (uint64_t)ncs_call_root(c));
    return c->label ? ncs_hash_bytes(site, c->label, strlen(c->label)) : site;
}

static void mark(const struct ncs_courses *all, const struct ncs_call *c, int comm, uint64_t spot, struct ncs_step *step)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    bool names = c->number && comm >= 0 && (info->pair || info->one_sided);
    int peer = names ? ncs_step_peer(c) : -1;
    step->site = comm >= 0 ? ncs_hash(spot, all->class_of[comm]) : spot;
    step->role = peer >= 0 ? ncs_role_of(all, c->fn, comm, c->comm_rank, peer) : 0;
}

void ncs_step_mark(const struct ncs_courses *all, const struct ncs_call *c, int comm, struct ncs_step *step)
{
    mark(all, c, comm, spot_of(c), step);
}

/* ---- reading ---- */

struct remembered { /* the spot of the calls at one place; files and labels are compared as pointers */
    const char *file, *label;
    int line;
    enum ncs_fn fn;
    uint64_t spot;
};

enum { REMEMBERED = 64 };

struct reading {
    const struct ncs_analysis *q;
    struct ncs_courses *all;
    size_t *main;         /* by rank: its course of thread 0, + 1; 0 = none yet */
    struct ncs_map other; /* of other threads, by rank and thread */
    struct remembered spot[REMEMBERED];
};

/* A program makes millions of calls at a few places, and hashing a file's name for each call would dominate the walk. */
static uint64_t remembered_spot(struct reading *r, const struct ncs_call *c)
{
    struct remembered *m = &r->spot[((unsigned)c->place.line * 7 + (unsigned)c->fn) % REMEMBERED];
    if (!has_place(c))
        return spot_of(c);
    if (m->line != c->place.line || m->fn != c->fn || m->file != c->place.file || m->label != c->label)
        *m = (struct remembered){ c->place.file, c->label, c->place.line, c->fn, spot_of(c) };
    return m->spot;
}

static uint64_t course_key(int rank, int thread)
{
    return ncs_hash(ncs_hash(1, (uint64_t)(int64_t)rank), (uint64_t)(int64_t)thread);
}

static struct ncs_course *course_course_of(struct reading *r, int rank, int thread)
{
    struct ncs_courses *all = r->all;
    bool is_main = thread == 0 && rank >= 0 && rank < r->q->ranks;
    size_t at = is_main ? r->main[rank] : ncs_map_number(&r->other, course_key(rank, thread));
    if (at)
        return &all->of[at - 1];
    struct ncs_course fresh = { .rank = rank, .thread = thread, .context = -1, .over = true };
    NCS_PUSH(all->of, all->count, all->room, fresh);
    if (is_main)
        r->main[rank] = all->count;
    else
        ncs_map_put_number(&r->other, course_key(rank, thread), all->count);
    return &all->of[all->count - 1];
}

static const struct {
    enum ncs_step_kind kind;
    const char *name; /* label of the stand-in, so that a step of a host never has the site of a call */
} hosts[] = {
    [NCS_HOST_BARRIER] = { NCS_STEP_BARRIER, "barrier" }, [NCS_HOST_SET] = { NCS_STEP_SET, "store:set" },
    [NCS_HOST_ADD] = { NCS_STEP_SET, "store:add" },       [NCS_HOST_GET] = { NCS_STEP_GET, "store:get" },
    [NCS_HOST_SPAWN] = { NCS_STEP_SPAWN, "spawn" },
};

static void course_add(struct ncs_course *own, struct ncs_step step)
{
    own->sites = ncs_hash(own->sites, step.site);
    NCS_PUSH(own->step, own->steps, own->room, step);
}

static void course_add_host_step(struct reading *r, const struct ncs_host_step *h, struct ncs_call *stand_in)
{
    *stand_in = (struct ncs_call){ .id = h->after,
                                   .fn = NCS_FN_ncclGetVersion,
                                   .returned = true,
                                   .rank = h->rank,
                                   .thread = h->thread,
                                   .place = h->place,
                                   .label = hosts[h->kind].name,
                                   .comm = -1,
                                   .comm_rank = -1 };
    struct ncs_course *own = course_course_of(r, h->rank, h->thread);
    struct ncs_step step = { .call = stand_in, .host = h, .kind = hosts[h->kind].kind, .comm = -1, .comm_rank = -1 };
    ncs_step_mark(r->all, stand_in, -1, &step);
    r->all->any_key |= step.kind == NCS_STEP_SET || step.kind == NCS_STEP_GET;
    course_add(own, step);
}

static bool course_is_left_out(const struct reading *r, const struct ncs_call *c, enum ncs_step_kind *kind)
{
    const struct ncs_call *cause;
    enum ncs_reason reason;
    bool known = c->rank >= 0 && (!c->number || (c->comm >= 0 && c->comm_rank >= 0));
    if (c->opening || c->ending || !known || !step_kind(c, kind) || (c->returned && c->rc && !c->number))
        return true;
    return c->number && ncs_ineffective(r->q, c, &reason, &cause) && reason != NCS_ABSENT_EMPTY;
}

/* A hash of what decides which calls this one can meet, except for its communicator (ncs_step.alike). */
static uint64_t alike_of(const struct ncs_made *m, enum ncs_step_kind kind)
{
    const struct ncs_call *c = m->call;
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    bool counts = kind == NCS_STEP_CALL, in_progress = c->returned && c->rc == ncclInProgress;
    bool is_root = counts && info->rooted && ncs_is_composed(c) && ncs_call_root(c) == c->comm_rank;
    uint64_t about = (uint64_t)(c->group != 0) | (uint64_t)in_progress << 1 | (uint64_t)is_root << 2 | (uint64_t)counts << 3;
    if (info->pair || info->one_sided)
        return 0;
    return ncs_hash(!counts ? 0 : m->signature ? m->signature : ncs_call_signature(c), about) | 1;
}

static void course_add_step(struct reading *r, const struct ncs_made *m)
{
    const struct ncs_call *c = m->call;
    enum ncs_step_kind kind;
    if (course_is_left_out(r, c, &kind))
        return;
    struct ncs_course *own = course_course_of(r, c->rank, c->thread);
    if (c->fn == NCS_FN_ncclGroupStart)
        own->depth++;
    if (c->fn == NCS_FN_ncclGroupStart || (c->fn == NCS_FN_ncclGroupEnd && own->depth && --own->depth))
        return; /* a group in a group has no effect: the outermost end launches */
    struct ncs_step step = { .call = c,
                             .kind = kind,
                             .alike = alike_of(m, kind),
                             .stream = ncs_call_stream(c),
                             .comm = c->comm,
                             .comm_rank = c->comm_rank,
                             .has_event = ncs_call_arg(c, NCS_ARG_EVENT) != NULL };
    mark(r->all, c, c->comm, remembered_spot(r, c), &step);
    r->all->any_role |= step.role != 0;
    course_add(own, step);
}

/* Adds calls and host steps in the order of each thread. If the journal has dropped any host step, all are left out:
 * courses with some of them would differ for no reason. */
static void add_steps(struct reading *r)
{
    const struct ncs_host_step *h = r->q->journal->hosts_lost ? NULL : r->q->journal->oldest_host;
    size_t count = 0;
    for (const struct ncs_host_step *k = h; k; k = k->newer)
        count++;
    struct ncs_call *stand_in = r->all->stand_in = ncs_new((count + 1) * sizeof *stand_in);
    const struct ncs_index *x = &r->q->index;
    for (size_t k = 0; k < x->mades; k++) {
        const struct ncs_made *m = &x->made[k];
        for (; h && h->after < m->call->id; h = h->newer)
            course_add_host_step(r, h, stand_in++);
        course_add_step(r, m);
    }
    for (; h; h = h->newer)
        course_add_host_step(r, h, stand_in++);
}

/* ---- all courses ---- */

/* Finds places at which one rank sends to, or receives from, more than MOST_AWAY others, as in an exchange with all:
 * which of them comes next says nothing about the rank's role. */
static void course_find_composed(const struct ncs_courses *all, struct ncs_map *composed)
{
    enum { MOST_AWAY = 2 };
    for (size_t i = 0; i < all->count; i++) {
        struct ncs_map seen = { 0 }; /* site and role -> 1, site -> roles */
        for (size_t k = 0; k < all->of[i].steps; k++) {
            const struct ncs_step *s = &all->of[i].step[k];
            if (!s->role || ncs_map_get(&seen, ncs_hash(s->site, s->role)))
                continue;
            ncs_map_put_number(&seen, ncs_hash(s->site, s->role), 1);
            ncs_map_put_number(&seen, s->site, ncs_map_number(&seen, s->site) + 1);
            if (ncs_map_number(&seen, s->site) > MOST_AWAY)
                ncs_map_put_number(composed, s->site, 1);
        }
        ncs_map_free(&seen);
    }
}

/* Clears roles that mean nothing: those of a place where a rank has several peers, and the same
 * roles at places that only this rank visits. */
static void course_clear_composed(struct ncs_courses *all)
{
    struct ncs_map composed = { 0 }, role = { 0 }, come = { 0 }; /* site -> 1, role -> 1, site -> its only course + 1 */
    if (!all->any_role)
        return;
    course_find_composed(all, &composed);
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->of[i].steps; k++) {
            const struct ncs_step *s = &all->of[i].step[k];
            size_t other = ncs_map_number(&come, s->site);
            ncs_map_put_number(&come, s->site, !other || other == i + 1 ? i + 1 : SIZE_MAX);
            if (s->role && ncs_map_get(&composed, s->site))
                ncs_map_put_number(&role, ncs_hash(s->role, i), 1);
        }
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->of[i].steps; k++) {
            struct ncs_step *s = &all->of[i].step[k];
            bool again = ncs_map_number(&come, s->site) == i + 1 && ncs_map_get(&role, ncs_hash(s->role, i));
            if (ncs_map_get(&composed, s->site) || again)
                s->role = 0;
        }
    ncs_map_free(&composed);
    ncs_map_free(&role);
    ncs_map_free(&come);
}

/* True if the course has no call that others meet, and waits in a join for threads that may have. */
static bool only_joins(const struct ncs_analysis *q, const struct ncs_course *c)
{
    const struct ncs_snap_context *at = c->context >= 0 ? &q->snap->context[c->context] : NULL;
    for (size_t i = 0; i < c->steps; i++)
        if (c->step[i].kind == NCS_STEP_CALL || c->step[i].kind == NCS_STEP_BARRIER)
            return false;
    for (size_t i = 0; at && i < at->waits; i++) {
        const struct ncs_snap_wait *w = &q->snap->wait[at->wait + i];
        if (w->kind == NCS_WAIT_GATE && strcmp(q->snap->gate[w->index].what, "join") == 0)
            return true;
    }
    return false;
}

/* Drops courses that only join threads: they end after the others, and no course can take them as
 * an example. */
static void drop_joiners(const struct ncs_analysis *q, struct ncs_courses *all)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (only_joins(q, &all->of[i]))
            ncs_free(all->of[i].step);
        else
            all->of[kept++] = all->of[i];
    }
    all->count = kept;
}

/* True if one thread makes the calls of both courses. */
static bool share_thread(const struct ncs_analysis *q, const struct ncs_course *a, const struct ncs_course *b)
{
    return a->thread == b->thread && ncs_parties_share(q->parties, a->rank, b->rank);
}

/* A thread that makes the calls of several ranks waits as one of them; the courses of its other ranks cannot go on
 * meanwhile. */
static void find_holders(const struct ncs_analysis *q, struct ncs_courses *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct ncs_course *own = &all->of[i];
        const struct ncs_snap_context *c = own->context >= 0 ? &q->snap->context[own->context] : NULL;
        bool held = c && (c->held_by || (c->state == NCS_CONTEXT_ENDED && c->ending == NCS_END_SILENT));
        for (size_t k = 0; k < all->count && held && !own->holder; k++) {
            const struct ncs_course *o = &all->of[k];
            const struct ncs_snap_context *there = o->context >= 0 ? &q->snap->context[o->context] : NULL;
            if (k != i && there && there->state != NCS_CONTEXT_ENDED && !there->held_by && share_thread(q, own, o))
                own->holder = k + 1;
        }
    }
}

static void number_classes(const struct ncs_analysis *q, struct ncs_courses *out)
{
    struct ncs_map number = { 0 }; /* class -> number + 1 */
    out->class_number = ncs_new((q->journal->comms + 1) * sizeof *out->class_number);
    for (size_t c = 0; c < q->journal->comms; c++) {
        uint64_t class = out->class_of[c] | 1;
        if (!ncs_map_number(&number, class))
            ncs_map_put_number(&number, class, ++out->classes);
        out->class_number[c] = ncs_map_number(&number, class) - 1;
    }
    ncs_map_free(&number);
}

static int course_order(const void *a, const void *b)
{
    const struct ncs_course *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->thread > y->thread) - (x->thread < y->thread);
}

bool ncs_courses_read(const struct ncs_analysis *q, struct ncs_courses *out)
{
    memset(out, 0, sizeof *out);
    if (q->journal->dropped)
        return false;
    out->class_of = ncs_new(q->journal->comms * sizeof *out->class_of);
    for (size_t c = 0; c < q->journal->comms; c++)
        out->class_of[c] = ncs_class_of_comm(q, (int)c);
    number_classes(q, out);
    struct reading r = { .q = q, .all = out, .main = ncs_new(((size_t)q->ranks + 1) * sizeof *r.main) };
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        struct ncs_course *own = course_course_of(&r, c->rank, c->thread);
        own->context = (int)i;
        bool unknown = c->ending == NCS_END_SILENT || c->ending == NCS_END_MISSING;
        own->stands = c->state != NCS_CONTEXT_ENDED;
        own->over = c->state == NCS_CONTEXT_ENDED && !unknown;
        /* With parties a silent end may mean that the thread waits as another rank, and goes on behind that wait
         * (course/recast_snapshot.c). */
        own->still = c->state == NCS_CONTEXT_ENDED && unknown && !q->parties;
    }
    add_steps(&r);
    ncs_free(r.main);
    ncs_map_free(&r.other);
    if (out->count) /* in which order threads begin is chance */
        qsort(out->of, out->count, sizeof *out->of, course_order);
    if (q->parties) {
        drop_joiners(q, out);
        find_holders(q, out);
    }
    ncs_courses_find_keys(out);
    course_clear_composed(out);
    return true;
}

size_t ncs_courses_from(const struct ncs_courses *all, int rank)
{
    size_t low = 0, high = all->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all->of[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum ncs_fn ncs_change_fn(const struct ncs_change *c)
{
    if (!c->answer)
        return c->model->fn;
    return c->model->fn == NCS_FN_ncclSend ? NCS_FN_ncclRecv : NCS_FN_ncclSend;
}

void ncs_courses_free(struct ncs_courses *c)
{
    for (size_t i = 0; i < c->count; i++)
        ncs_free(c->of[i].step);
    ncs_free(c->of);
    ncs_free(c->class_of);
    ncs_free(c->class_number);
    ncs_free(c->stand_in);
}
