/* Waits of hosts for each other: barriers, keys of the store, splits, and the wait that a course ends in. */
#include "diagnose/rehearsal/rehearsal.h"

#include <string.h>

#include "base/mem.h"

/* ---- keys ---- */

/* True if a free course may set the key. A course that waited for the key itself was not meant to set it. */
static bool may_be_set(const struct ncs_rehearsal *p, const char *key)
{
    for (size_t i = 0; i < p->players; i++) {
        const char *own = p->player[i].free ? ncs_awaited_key(p->player[i].course) : NULL;
        if (p->player[i].added || (p->player[i].free && !(own && strcmp(own, key) == 0)))
            return true;
    }
    return false;
}

/* A wait for a key that ended in the run, although no course set the key, ends here, too: something outside the record
 * had set it. */
static bool key_is_there(const struct ncs_rehearsal *p, const struct ncs_host_step *get, const char *key)
{
    if (ncs_hosts_is_set(&p->hosts, key) || (get->over && !ncs_map_get(&p->cast->settable, ncs_key_hash(key))))
        return true;
    return !get->over && may_be_set(p, key);
}

/* ---- barriers ---- */

/* Visits that passed the barrier in the run come first: if several threads of a process come to a
 * barrier, one passes. */
static bool visit_barrier(struct ncs_rehearsal *p, int rank, const char *ranks, uint64_t id, bool over)
{
    if (!over && !p->late && !ncs_map_get(&p->hosts.visitors, id))
        return false;
    return ncs_hosts_visit(&p->hosts, ranks, id, ncs_process_of_party(p->q->parties, rank), p->any_free ? p->free : NULL);
}

enum { OWN_VISIT, ADDED_VISIT };

static uint64_t own_visit(const struct ncs_host_step *h)
{
    return ncs_rehearsal_key(OWN_VISIT, (int64_t)h->id, 0, 0);
}

/* One visit for all ranks of a thread. */
static uint64_t added_visit(const struct ncs_rehearsal *p, const struct ncs_course *c, const struct ncs_host_step *h)
{
    return ncs_rehearsal_key(ADDED_VISIT, ncs_process_of_party(p->q->parties, c->rank), c->thread, (int64_t)h->id);
}

/* ---- steps ---- */

/* The step of a member of the player's troupe that corresponds to the player's step. */
static const struct ncs_step *step_of(const struct ncs_rehearsal *p, const struct ncs_player *l, size_t member)
{
    return &p->courses->of[ncs_rehearsal_course(p, l->troupe, member, p->cast->nth[l->self])].step[l->at];
}

static bool play_host(struct ncs_rehearsal *p, const struct ncs_host_step *h, const char *key)
{
    if (h->in_vain)
        return true;
    switch (h->kind) {
    case NCS_HOST_BARRIER: return visit_barrier(p, h->rank, h->what, own_visit(h), h->over);
    case NCS_HOST_ADD:
    case NCS_HOST_SET: ncs_hosts_set(&p->hosts, key ? key : h->what); return true;
    case NCS_HOST_GET: return key_is_there(p, h, key ? key : h->what);
    case NCS_HOST_SPAWN: return true;
    }
    return true;
}

bool ncs_rehearsal_play_host(struct ncs_rehearsal *p, const struct ncs_player *l, const char *key)
{
    bool on = true;
    for (size_t i = 0; i < l->troupe->ranks; i++)
        on = play_host(p, step_of(p, l, i)->host, key) && on;
    return on;
}

bool ncs_rehearsal_add_host(struct ncs_rehearsal *p, struct ncs_player *l, const struct ncs_change *c)
{
    const struct ncs_host_step *h = c->host;
    switch (h->kind) {
    case NCS_HOST_BARRIER: return visit_barrier(p, l->course->rank, h->what, added_visit(p, l->course, h), false);
    case NCS_HOST_SET: ncs_hosts_set(&p->hosts, c->key); return true;
    case NCS_HOST_ADD: l->added = true; return true;
    case NCS_HOST_GET: return true;
    case NCS_HOST_SPAWN: l->spawned = true; return true;
    }
    return true;
}

/* ---- the last wait ---- */

/* True if the unmet wait is that of the course's last step, which the rehearsal plays itself. */
static bool is_played(const struct ncs_rehearsal *p, const struct ncs_course *course, const struct ncs_unmet *n)
{
    const struct ncs_step *last = course->steps ? &course->step[course->steps - 1] : NULL;
    const char *what = n->kind == NCS_UNMET_GATE ? p->q->snap->gate[n->gate].what : "";
    if (last && n->call && n->call->fn == NCS_FN_ncclCommSplit && !n->call->group)
        return last->call->fn == NCS_FN_ncclCommSplit && !last->host;
    return last && ((last->kind == NCS_STEP_BARRIER && strcmp(what, "barrier") == 0) ||
                    (last->kind == NCS_STEP_GET && strcmp(what, "store:get") == 0));
}

/* ---- splits ---- */

enum { SPLITS_OF, SPLIT, ALL_BEFORE };

static size_t splits_of(const struct ncs_rehearsal *p, int comm, int comm_rank)
{
    return ncs_map_number(&p->splits, ncs_rehearsal_key(SPLITS_OF, comm, comm_rank, 0));
}

static size_t come_to_split(struct ncs_rehearsal *p, const struct ncs_call *split)
{
    uint64_t own = ncs_rehearsal_key(SPLIT, (int64_t)split->id, 0, 0);
    size_t nth = ncs_map_number(&p->splits, own);
    if (!nth) {
        nth = splits_of(p, split->comm, split->comm_rank) + 1;
        ncs_map_put_number(&p->splits, own, nth);
        ncs_map_put_number(&p->splits, ncs_rehearsal_key(SPLITS_OF, split->comm, split->comm_rank, 0), nth);
        p->moved = true;
    }
    return nth;
}

/* A rank that has come stays, and so does one that is free, so each look continues where the last
 * one ended. */
static bool others_come_to_split(struct ncs_rehearsal *p, int comm, size_t nth)
{
    uint64_t key = ncs_rehearsal_key(ALL_BEFORE, comm, (int64_t)nth, 0);
    int nranks = p->q->journal->comm[comm]->nranks, r = (int)ncs_map_number(&p->splits, key);
    while (r < nranks && (splits_of(p, comm, r) >= nth || ncs_rehearsal_is_free(p, comm, r)))
        r++;
    ncs_map_put_number(&p->splits, key, (size_t)r);
    return r == nranks;
}

bool ncs_rehearsal_play_split(struct ncs_rehearsal *p, const struct ncs_player *l)
{
    const struct ncs_call *split = l->course->step[l->at].call;
    size_t nth = 0;
    if (split->comm < 0 || split->comm_rank < 0)
        return true; /* its communicator is not in the journal */
    for (size_t i = l->troupe->ranks; i-- > 0;)
        nth = come_to_split(p, step_of(p, l, i)->call);
    if (split->group || (split->returned && split->rc == ncclInProgress))
        return true; /* a grouped split waits at the end of its group, one of a non-blocking communicator nowhere */
    return others_come_to_split(p, split->comm, nth);
}

/* ---- the wait that a course ends in ---- */

/* True for a course that ends its script or destroys a communicator: it waits until its process's launches are done. */
static bool waits_for_all(const struct ncs_rehearsal *p, const struct ncs_course *c)
{
    const struct ncs_call *at = c->context >= 0 ? p->q->snap->context[c->context].call : NULL;
    bool destroys = c->steps && c->step[c->steps - 1].kind == NCS_STEP_OTHER;
    return c->stands && at && !at->returned && (at->ending || destroys);
}

/* True if the other threads of the process have ended: the script joins them before it ends. */
static bool threads_are_over(const struct ncs_rehearsal *p, const struct ncs_course *course)
{
    for (size_t i = 0; i < p->courses->count; i++) {
        const struct ncs_course *other = &p->courses->of[i];
        if (other != course && !p->player_of[i]->ended && !waits_for_all(p, other) &&
            ncs_parties_share(p->q->parties, course->rank, other->rank))
            return false;
    }
    return true;
}

static bool own_are_done(const struct ncs_rehearsal *p, const struct ncs_course *course, const struct ncs_unmet *n)
{
    for (size_t k = 0; k < n->presents; k++)
        if (ncs_parties_share(p->q->parties, course->rank, n->present[k]->rank) &&
            !ncs_rehearsal_device_is_done(p, n->present[k]->rank))
            return false;
    return true;
}

/* True if all absent ranks are free to come; for a key, if one of them is. */
static bool absent_are_free(const struct ncs_rehearsal *p, const struct ncs_unmet *n)
{
    bool any = ncs_is_key(p->q, n);
    for (size_t k = 0; k < n->absents; k++)
        if (ncs_rehearsal_rank_is_free(p, n->absent[k].rank) == any)
            return any;
    return !any && n->absents > 0;
}

static bool hosts_unmet_is_met(const struct ncs_rehearsal *p, const struct ncs_course *course, const struct ncs_unmet *n)
{
    bool by_hosts = n->kind == NCS_UNMET_GATE || n->kind == NCS_UNMET_INIT || ncs_is_meeting(n);
    if (!by_hosts)
        return !waits_for_all(p, course) || (threads_are_over(p, course) && own_are_done(p, course, n));
    return is_played(p, course, n) || absent_are_free(p, n);
}

/* In a recorded run nothing shows what a rank waits for at the end: for all that it has enqueued. */
bool ncs_rehearsal_last_wait_is_over(const struct ncs_rehearsal *p, const struct ncs_player *l)
{
    const struct ncs_course *course = l->course;
    const struct ncs_last_wait *w = &p->cast->wait[l->self];
    if (p->q->snap->recorded && !ncs_rehearsal_device_is_done(p, course->rank))
        return false;
    bool over = true;
    for (size_t i = 0; i < w->unmets && over; i++)
        over = hosts_unmet_is_met(p, course, &p->q->unmet[w->unmet[i]]);
    return over;
}
