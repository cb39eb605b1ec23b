/* The cast of rehearsals: ranks that do alike on the same communicators play as one, so that
 * a thousand of them take no longer than one. Facts that no change affects are computed once
 * for all rehearsals. */
#include "diagnose/rehearsal/rehearsal.h"

#include "api/meeting.h"
#include "base/mem.h"

/* ---- facts of the run ---- */

static uint64_t cast_place_key(int comm, int rank)
{
    return ncs_rehearsal_key(comm, rank, 0, 0);
}

/* The seat of each rank of the run on each communicator that numbers ranks otherwise: seat_of needs no map for
 * the others. */
static void find_seats(struct ncs_cast *cast)
{
    const struct ncs_journal *j = cast->q->journal;
    for (size_t c = 0; c < j->comms; c++)
        for (int r = 0; r < j->comm[c]->nranks && !cast->q->comm[c].numbered_alike; r++) {
            uint64_t key = cast_place_key((int)c, j->comm[c]->member[r].rank);
            if (j->comm[c]->member[r].rank >= 0 && !ncs_map_get(&cast->seat, key))
                ncs_map_put_number(&cast->seat, key, (size_t)r + 1);
        }
}

/* A counting sort of the courses by rank; each rank's courses keep their order. */
static void sort_courses(struct ncs_cast *cast)
{
    const struct ncs_courses *all = cast->courses;
    for (size_t i = 0; i < all->count; i++)
        cast->ranks = all->of[i].rank >= cast->ranks ? all->of[i].rank + 1 : cast->ranks;
    cast->first = ncs_new(((size_t)cast->ranks + 1) * sizeof *cast->first);
    cast->course = ncs_new((all->count + 1) * sizeof *cast->course);
    cast->nth = ncs_new((all->count + 1) * sizeof *cast->nth);
    for (size_t i = 0; i < all->count; i++)
        cast->nth[i] = cast->first[all->of[i].rank + 1]++;
    for (int r = 0; r < cast->ranks; r++)
        cast->first[r + 1] += cast->first[r];
    for (size_t i = 0; i < all->count; i++)
        cast->course[cast->first[all->of[i].rank] + cast->nth[i]] = i;
}

/* The owner of a seat is the last course with calls from it. */
static void find_owners(struct ncs_cast *cast, size_t course)
{
    const struct ncs_course *c = &cast->courses->of[course];
    const struct ncs_step *last = NULL;
    for (size_t i = 0; i < c->steps; i++) {
        const struct ncs_step *s = &c->step[i];
        if (s->kind == NCS_STEP_SET)
            ncs_map_put_number(&cast->settable, ncs_key_hash(s->host->what), 1);
        bool again = last && last->comm == s->comm && last->comm_rank == s->comm_rank;
        if (s->kind != NCS_STEP_CALL || again)
            continue;
        ncs_map_put_number(&cast->owner, cast_place_key(s->comm, s->comm_rank), course + 1);
        last = s;
    }
}

static void find_last_wait(struct ncs_cast *cast, size_t course)
{
    const struct ncs_course *c = &cast->courses->of[course];
    struct ncs_last_wait *w = &cast->wait[course];
    if (!c->over && c->context >= 0)
        w->unmet = ncs_unmet_of(cast->q, c->context, &w->unmets);
}

/* The rank on the communicator of a rank of the run; -1 = it has none. */
static int seat_of(const struct ncs_cast *cast, int comm, int rank)
{
    const struct ncs_comm_info *info = cast->q->journal->comm[comm];
    if (cast->q->comm[comm].numbered_alike)
        return rank >= 0 && rank < info->nranks && info->member[rank].rank == rank ? rank : -1;
    return (int)ncs_map_number(&cast->seat, cast_place_key(comm, rank)) - 1;
}

size_t ncs_cast_owner(const struct ncs_cast *cast, int comm, int comm_rank)
{
    return ncs_map_number(&cast->owner, cast_place_key(comm, comm_rank));
}

/* ---- which ranks are alike ---- */

/* The actions of a rank, during the reading. */
struct kinship {
    uint64_t kin;
    int rank;
    struct ncs_map alias; /* handle -> its alias */
    const void *handle;   /* the last handle that was asked for, */
    uint64_t named;       /* and its alias */
    int comm, comm_rank;  /* the last seat that was found to be the rank's own */
};

static bool is_in_its_seat(const struct ncs_cast *cast, int comm, int comm_rank, int rank)
{
    return comm_rank >= 0 && seat_of(cast, comm, rank) == comm_rank;
}

static void add_word(struct kinship *k, uint64_t word)
{
    k->kin = ncs_hash(k->kin, word);
}

/* A number for a stream or event that is equal on ranks that do alike, whose handles differ: the order in which the rank
 * first uses them. CUDA's special streams (up to cudaStreamPerThread) keep their values. */
static uint64_t alias(struct kinship *k, const void *handle)
{
    uintptr_t value = (uintptr_t)handle;
    if (value <= (uintptr_t)cudaStreamPerThread)
        return value;
    if (handle == k->handle)
        return k->named;
    size_t known = ncs_map_number(&k->alias, value);
    if (!known)
        ncs_map_put_number(&k->alias, value, known = k->alias.count + (size_t)(uintptr_t)cudaStreamPerThread + 1);
    k->handle = handle;
    return k->named = known;
}

/* True if the step's call is made from the seat that the rank itself has: ranks of one troupe then each make it from
 * their own. */
static bool sits(const struct ncs_cast *cast, const struct ncs_step *s, struct kinship *k)
{
    if (s->comm < 0 || s->comm_rank < 0 || (s->comm == k->comm && s->comm_rank == k->comm_rank))
        return true;
    if (!is_in_its_seat(cast, s->comm, s->comm_rank, k->rank))
        return false;
    k->comm = s->comm;
    k->comm_rank = s->comm_rank;
    return true;
}

static bool is_mutual(const struct ncs_call *c)
{
    return !ncs_call_is_pair(c) && !ncs_call_is_one_sided(c);
}

/* False if the call has a peer of its own, so that no other rank does the same. */
static bool cast_add_call(const struct ncs_cast *cast, const struct ncs_step *s, struct kinship *k)
{
    if (!s->alike || !sits(cast, s, k))
        return false;
    add_word(k, s->alike);
    add_word(k, (uint64_t)(int64_t)s->comm);
    add_word(k, alias(k, s->stream));
    if (s->has_event)
        add_word(k, alias(k, ncs_call_arg(s->call, NCS_ARG_EVENT)->p));
    return true;
}

static void cast_add_host_step(const struct ncs_step *s, uint64_t *kin)
{
    const struct ncs_host_step *h = s->host;
    bool named = s->kind == NCS_STEP_BARRIER || s->kind == NCS_STEP_GET; /* setting a key never waits, whatever the key */
    *kin = ncs_hash(*kin, (uint64_t)h->over | (uint64_t)h->in_vain << 1);
    *kin = named ? ncs_hash(*kin, ncs_key_hash(h->what)) : *kin;
}

static bool is_present(const struct ncs_unmet *n, int rank)
{
    for (size_t i = 0; i < n->presents; i++)
        if (n->present[i]->rank == rank)
            return true;
    return false;
}

static void cast_add_wait(const struct ncs_cast *cast, size_t course, uint64_t *kin)
{
    const struct ncs_course *c = &cast->courses->of[course];
    const struct ncs_snap_context *at = c->context >= 0 ? &cast->q->snap->context[c->context] : NULL;
    const struct ncs_last_wait *w = &cast->wait[course];
    bool ends = at && at->call && !at->call->returned && at->call->ending;
    bool destroys = c->steps && c->step[c->steps - 1].kind == NCS_STEP_OTHER;
    *kin = ncs_hash(*kin, (uint64_t)c->over | (uint64_t)c->still << 1 | (uint64_t)c->stands << 2 | (uint64_t)ends << 3);
    *kin = ncs_hash(ncs_hash(*kin, at ? (uint64_t)at->state : UINT64_MAX), (uint64_t)(int64_t)c->thread);
    for (size_t i = 0; i < w->unmets; i++) {
        *kin = ncs_hash(*kin, (uint64_t)w->unmet[i]);
        if (ends || destroys)
            *kin = ncs_hash(*kin, is_present(&cast->q->unmet[w->unmet[i]], c->rank));
    }
}

/* A hash of all that a rank does in its courses; 0 = the rank plays alone. */
static uint64_t kin_of(const struct ncs_cast *cast, int rank)
{
    struct kinship k = { .kin = 1, .rank = rank, .comm = -1 };
    bool fine = !cast->q->parties; /* ranks of one process share threads and barriers */
    for (size_t i = cast->first[rank]; i < cast->first[rank + 1] && fine; i++) {
        const struct ncs_course *c = &cast->courses->of[cast->course[i]];
        cast_add_wait(cast, cast->course[i], &k.kin);
        for (size_t n = 0; n < c->steps && fine; n++) {
            const struct ncs_step *s = &c->step[n];
            add_word(&k, s->site);
            add_word(&k, (uint64_t)s->kind);
            if (s->host)
                cast_add_host_step(s, &k.kin);
            else
                fine = cast_add_call(cast, s, &k);
        }
    }
    ncs_map_free(&k.alias);
    return fine ? k.kin | 1 : 0;
}

struct ncs_cast *ncs_cast_new(const struct ncs_analysis *q, const struct ncs_courses *courses)
{
    struct ncs_cast *cast = ncs_new(sizeof *cast);
    cast->q = q;
    cast->courses = courses;
    cast->wait = ncs_new((courses->count + 1) * sizeof *cast->wait);
    find_seats(cast);
    sort_courses(cast);
    for (size_t i = 0; i < courses->count; i++) {
        find_owners(cast, i);
        find_last_wait(cast, i);
    }
    cast->kin = ncs_new(((size_t)cast->ranks + 1) * sizeof *cast->kin);
    for (int r = 0; r < cast->ranks; r++)
        cast->kin[r] = kin_of(cast, r);
    return cast;
}

void ncs_cast_free(struct ncs_cast *cast)
{
    if (!cast)
        return;
    for (size_t i = 0; i < cast->courses->count; i++)
        ncs_free(cast->wait[i].unmet);
    ncs_map_free(&cast->owner);
    ncs_map_free(&cast->seat);
    ncs_map_free(&cast->settable);
    ncs_free(cast->wait);
    ncs_free(cast->first);
    ncs_free(cast->course);
    ncs_free(cast->nth);
    ncs_free(cast->kin);
    ncs_free(cast);
}

/* ---- the cast of one rehearsal ---- */

/* The key under which ranks with equal changes still play as one; 0 = the rank plays alone. */
static uint64_t changed_kin(const struct ncs_cast *cast, uint64_t kin, const struct ncs_change *c, int rank)
{
    bool moves = c->kind == NCS_CHANGE_PUT_IN || c->kind == NCS_CHANGE_LEAVE_OUT || c->kind == NCS_CHANGE_COMM;
    bool alone = !kin || !moves || c->host || c->answer || c->peer >= 0 || !is_mutual(c->model) || ncs_is_composed(c->model) ||
                 !is_in_its_seat(cast, c->comm, c->comm_rank, rank);
    if (alone)
        return 0;
    uint64_t change = ncs_hash(ncs_hash(ncs_hash(0, (uint64_t)c->kind), cast->nth[c->course]), c->step);
    change = ncs_hash(ncs_hash(change, (uint64_t)c->comm), ncs_call_signature(c->model));
    return ncs_hash(kin, change) | 1;
}

static void form_troupes(struct ncs_rehearsal *p)
{
    const struct ncs_cast *cast = p->cast;
    uint64_t *kin = ncs_new(((size_t)cast->ranks + 1) * sizeof *kin);
    struct ncs_map known = { 0 }; /* kin -> its troupe + 1 */
    for (int r = 0; r < cast->ranks; r++)
        kin[r] = cast->kin[r];
    for (size_t i = 0; i < p->changes; i++) {
        int r = p->courses->of[p->change[i].course].rank;
        kin[r] = changed_kin(cast, kin[r], &p->change[i], r);
    }
    p->troupe = ncs_new(((size_t)cast->ranks + 1) * sizeof *p->troupe);
    p->troupe_of = ncs_new(((size_t)cast->ranks + 1) * sizeof *p->troupe_of);
    for (int r = 0; r < cast->ranks; r++) {
        size_t at = kin[r] ? ncs_map_number(&known, kin[r]) : 0;
        at = at ? at : ++p->troupes;
        if (kin[r])
            ncs_map_put_number(&known, kin[r], at);
        struct ncs_troupe *t = &p->troupe[at - 1];
        NCS_PUSH(t->rank, t->ranks, t->room, r);
        p->troupe_of[r] = t;
    }
    ncs_map_free(&known);
    ncs_free(kin);
}

void ncs_rehearsal_cast(struct ncs_rehearsal *p)
{
    const struct ncs_courses *all = p->courses;
    form_troupes(p);
    p->player = ncs_new((all->count + 1) * sizeof *p->player);
    p->player_of = ncs_new((all->count + 1) * sizeof *p->player_of);
    for (size_t i = 0; i < all->count; i++) {
        const struct ncs_troupe *t = p->troupe_of[all->of[i].rank];
        if (t->rank[0] != all->of[i].rank)
            continue;
        p->player_of[i] = &p->player[p->players++];
        *p->player_of[i] = (struct ncs_player){ .course = &all->of[i], .self = i, .troupe = t };
    }
    for (size_t i = 0; i < all->count; i++)
        if (!p->player_of[i])
            p->player_of[i] = p->player_of[ncs_rehearsal_course(p, p->troupe_of[all->of[i].rank], 0, p->cast->nth[i])];
}

size_t ncs_rehearsal_course(const struct ncs_rehearsal *p, const struct ncs_troupe *t, size_t member, size_t nth)
{
    return p->cast->course[p->cast->first[t->rank[member]] + nth];
}

int ncs_rehearsal_seat(const struct ncs_rehearsal *p, const struct ncs_deed *d, size_t member)
{
    return member == 0 ? d->comm_rank : seat_of(p->cast, d->comm, d->by->rank[member]);
}
