/* Ranks come to two waits of a cycle in opposite orders. The order of fewer ranks is odd. First those count that meet at both
 * waits; if these do not decide, all that use communicators made at the same places count, as in a grid of ranks. */
#include "diagnose/rules/rule.h"

#include "base/hash.h"
#include "base/mem.h"

/* A rank's part in a wait, or in one like it. */
struct seat {
    int comm, comm_rank;          /* comm -1 = none */
    bool unclear;                 /* the rank is in several such communicators */
    const struct ncs_call *waits; /* its call there, if it waits for others; else NULL */
};

struct vote {
    const struct ncs_analysis *q;
    uint64_t *class; /* by communicator */
    const struct ncs_unmet *wait[2];
    struct seat *seat[2]; /* by rank of the run */
    int *first;           /* by rank: the wait to which it comes first, 0 or 1; -1 = it has no order */
    size_t count[2];      /* of such ranks */
    bool before[2];       /* a rank had that order the time before */
};

/* True for a wait at which the ranks of a communicator meet. */
static bool gathers_ranks(const struct ncs_unmet *n)
{
    return n->comm >= 0 && n->call &&
           (n->kind == NCS_UNMET_COLLECTIVE || n->kind == NCS_UNMET_SETUP || n->kind == NCS_UNMET_INIT);
}

/* The rank's call there, whether it is done or not; NULL = it has made none, or the wait has no number. `back`: so many
 * collectives before. */
static const struct ncs_call *odd_order_call_at(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct seat *s,
                                                uint32_t back)
{
    if (ncs_is_teardown(q, n))
        return back ? NULL : ncs_end_of(q, s->comm, s->comm_rank);
    uint32_t at = n->call->number ? ncs_position(q, n->call) : UINT32_MAX;
    return at == UINT32_MAX || at < back ? NULL : ncs_sequence_at(&q->comm[s->comm].seq[s->comm_rank], at - back);
}

/* True if the waits are for the same call of two communicators. */
static bool are_like_waits(const struct ncs_analysis *q, const struct ncs_unmet *a, const struct ncs_unmet *b)
{
    return a->kind == b->kind && ncs_is_teardown(q, a) == ncs_is_teardown(q, b) &&
           (a->call->number ? b->call->number && ncs_position(q, a->call) == ncs_position(q, b->call)
                            : a->call->fn == b->call->fn);
}

static void seat_members(const struct vote *v, int which, int comm)
{
    for (int r = 0; r < v->q->journal->comm[comm]->members; r++) {
        int rank = ncs_run_rank(v->q, comm, r);
        struct seat *s = rank >= 0 && rank < v->q->ranks ? &v->seat[which][rank] : NULL;
        if (!s || s->comm == v->wait[which]->comm)
            continue;
        s->unclear = s->comm >= 0;
        s->comm = comm;
        s->comm_rank = r;
    }
}

static void seat_ranks(const struct vote *v, int which, bool siblings)
{
    const struct ncs_analysis *q = v->q;
    const struct ncs_unmet *n = v->wait[which];
    for (int r = 0; r < q->ranks; r++)
        v->seat[which][r] = (struct seat){ .comm = -1 };
    seat_members(v, which, n->comm);
    for (size_t c = 0; c < q->journal->comms && siblings; c++)
        if ((int)c != n->comm && v->class[c] == v->class[n->comm])
            seat_members(v, which, (int)c);
    for (size_t i = 0; i < q->unmets; i++) {
        const struct ncs_unmet *o = &q->unmet[i];
        for (size_t k = 0; k < o->presents && gathers_ranks(o) && (o == n || are_like_waits(q, n, o)); k++) {
            int rank = o->present[k]->rank;
            if (rank >= 0 && rank < q->ranks && v->seat[which][rank].comm == o->comm)
                v->seat[which][rank].waits = o->present[k];
        }
    }
}

/* Which of two calls a rank makes first; -1 = neither: both are in one group, or of two threads. */
static int first_of_calls(const struct ncs_call *a, const struct ncs_call *b)
{
    if ((!a && !b) || (a && b && ((a->group && a->group == b->group) || a->thread != b->thread)))
        return -1;
    return !a || (b && b->id < a->id);
}

static bool is_call_done(const struct ncs_analysis *q, const struct ncs_call *c)
{
    uintptr_t part = c ? (uintptr_t)ncs_map_get(&q->part, ncs_map_key(c)) : 0;
    return c && c->returned && (!part || q->snap->part[part - 1].state == NCS_PART_DONE);
}

static int first_wait_of(const struct vote *v, int rank)
{
    const struct seat *a = &v->seat[0][rank], *b = &v->seat[1][rank];
    if (a->comm < 0 || b->comm < 0 || a->unclear || b->unclear)
        return -1;
    const struct ncs_call *x = odd_order_call_at(v->q, v->wait[0], a, 0), *y = odd_order_call_at(v->q, v->wait[1], b, 0);
    if (is_call_done(v->q, x) != is_call_done(v->q, y))
        return !is_call_done(v->q, x);
    if (!a->waits != !b->waits) /* streams and threads may have another order than the calls */
        return !a->waits;
    return first_of_calls(x, y);
}

static void count_votes(struct vote *v, bool siblings)
{
    for (int i = 0; i < 2; i++) {
        seat_ranks(v, i, siblings);
        v->count[i] = v->before[i] = 0;
    }
    for (int r = 0; r < v->q->ranks; r++) {
        v->first[r] = first_wait_of(v, r);
        if (v->first[r] < 0)
            continue;
        v->count[v->first[r]]++;
        const struct ncs_call *a = odd_order_call_at(v->q, v->wait[0], &v->seat[0][r], 1);
        const struct ncs_call *b = odd_order_call_at(v->q, v->wait[1], &v->seat[1][r], 1);
        int before = a && b ? first_of_calls(a, b) : -1;
        if (before >= 0)
            v->before[before] = true;
    }
}

static void add_odd_rank(const struct vote *v, int rank, int first, struct ncs_odd_order *out)
{
    const struct seat *own = &v->seat[first][rank], *other = &v->seat[!first][rank];
    const struct ncs_call *later = odd_order_call_at(v->q, v->wait[!first], other, 0);
    struct ncs_odd_rank odd = { .rank = rank,
                                .first = own->waits ? own->waits : odd_order_call_at(v->q, v->wait[first], own, 0),
                                .comm = other->comm,
                                .comm_rank = other->comm_rank };
    if (later || !ncs_is_teardown(v->q, v->wait[!first]))
        odd.number = later                           ? later->number
                     : v->wait[!first]->call->number ? v->q->journal->comm[other->comm]->member[other->comm_rank].calls + 1
                                                     : 0;
    size_t at = 0;
    while (at < out->ranks && out->rank[at].rank < rank)
        at++;
    if (at < out->ranks && out->rank[at].rank == rank)
        return;
    NCS_PUSH(out->rank, out->ranks, out->rank_room, odd);
    for (size_t i = out->ranks - 1; i > at; i--)
        out->rank[i] = out->rank[i - 1];
    out->rank[at] = odd;
}

/* The wait to which the odd ranks come first; -1 = none. Of two sides that are as large, the one that had the other order before is odd,
 * else the one without the lowest rank. */
static int odd_side_of(const struct vote *v, struct ncs_why *why)
{
    if (!v->count[0] || !v->count[1] || v->count[0] + v->count[1] < 3)
        return -1;
    if (NCS_BY(why, ODD_ORDER, v->count[0] != v->count[1]))
        return v->count[0] > v->count[1];
    if (NCS_BY(why, ODD_ORDER, v->before[0] != v->before[1]))
        return v->before[0];
    int lowest = 0;
    while (v->first[lowest] < 0)
        lowest++;
    return NCS_AT(why, ODD_ORDER) && !v->first[lowest];
}

static void take_vote(const struct vote *v, bool siblings, struct ncs_odd_order *out)
{
    struct ncs_why why = { 0 };
    int odd = odd_side_of(v, &why);
    bool tied = odd >= 0 && v->count[0] == v->count[1], several = out->ranks > 0;
    if (odd < 0 || (several && tied))
        return;
    if (several && out->tied)
        out->ranks = out->others = out->rivals = 0;
    for (int r = 0; r < v->q->ranks; r++) {
        if (v->first[r] == odd && (v->seat[0][r].waits || v->seat[1][r].waits))
            add_odd_rank(v, r, odd, out);
        else if (v->first[r] == !odd) {
            NCS_PUSH(out->other, out->others, out->other_room, r);
            if (v->seat[0][r].comm == v->wait[0]->comm && v->seat[1][r].comm == v->wait[1]->comm)
                NCS_PUSH(out->rival, out->rivals, out->rival_room, r);
        }
    }
    out->first = out->ranks && !several ? v->wait[odd] : NULL;
    out->second = out->ranks && !several ? v->wait[!odd] : NULL;
    out->why = why;
    out->tied = tied;
    out->by_siblings |= siblings;
    out->as_before |= v->before[odd] && !v->before[!odd];
}

/* True if a pair of waits like these has been counted. */
static bool is_pair_counted(struct ncs_map *known, const struct vote *v)
{
    uint64_t key = 0;
    for (int i = 0; i < 2; i++) {
        const struct ncs_call *c = v->wait[i]->call;
        uint64_t which = c->number ? ncs_position(v->q, c) : ~(uint64_t)c->fn;
        key += ncs_hash(v->class[v->wait[i]->comm], which);
    }
    bool counted = ncs_map_number(known, key) != 0;
    ncs_map_put_number(known, key, 1);
    return counted;
}

/* The ranks of like communicators are asked only where those that meet do not decide. */
static void vote_on(struct vote *v, struct ncs_odd_order *out)
{
    count_votes(v, false);
    size_t direct = v->count[0] + v->count[1];
    struct ncs_why why;
    bool decided = v->count[0] != v->count[1] && odd_side_of(v, &why) >= 0;
    if (!decided && v->class[v->wait[0]->comm] != v->class[v->wait[1]->comm])
        count_votes(v, true);
    take_vote(v, v->count[0] + v->count[1] > direct, out);
}

static const struct ncs_unmet *wait_of_step(const struct ncs_analysis *q, const struct ncs_cause *r, size_t at)
{
    int wait = ncs_node_unmet(q, r->path[at % r->length]);
    return wait >= 0 ? &q->unmet[wait] : NULL;
}

struct ncs_odd_order ncs_odd_order_of(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    size_t comms = q->journal->comms, ranks = (size_t)q->ranks + 1;
    struct ncs_odd_order out = { 0 };
    struct ncs_map known = { 0 };
    struct vote v = { .q = q,
                      .class = ncs_new((comms + 1) * sizeof *v.class),
                      .seat = { ncs_new(ranks * sizeof **v.seat), ncs_new(ranks * sizeof **v.seat) },
                      .first = ncs_new(ranks * sizeof *v.first) };
    for (size_t c = 0; c < comms; c++)
        v.class[c] = ncs_class_of_comm(q, (int)c);
    size_t begin = ncs_first_place(q, r);              /* it reads the same wherever the search entered the cycle */
    for (size_t k = r->length; k-- > 0 && !v.wait[1];) /* the last wait of the path is the one before the first */
        v.wait[1] = wait_of_step(q, r, begin + k);
    for (size_t k = 0; k < r->length; k++) {
        const struct ncs_unmet *n = wait_of_step(q, r, begin + k);
        if (!n)
            continue;
        v.wait[0] = v.wait[1];
        v.wait[1] = n;
        if (v.wait[0] != v.wait[1] && gathers_ranks(v.wait[0]) && gathers_ranks(v.wait[1]) && !is_pair_counted(&known, &v))
            vote_on(&v, &out);
    }
    ncs_map_free(&known);
    ncs_free(v.class);
    ncs_free(v.seat[0]);
    ncs_free(v.seat[1]);
    ncs_free(v.first);
    return out;
}

void ncs_odd_order_free(struct ncs_odd_order *o)
{
    ncs_free(o->rank);
    ncs_free(o->other);
    ncs_free(o->rival);
}

struct ncs_fact ncs_fact_odd(const char *name, const struct ncs_odd_order *o)
{
    int *rank = ncs_new((o->ranks + 1) * sizeof *rank);
    for (size_t i = 0; i < o->ranks; i++)
        rank[i] = o->rank[i].rank;
    struct ncs_fact fact = ncs_fact_ranks(name, rank, o->ranks);
    ncs_free(rank);
    return fact;
}
