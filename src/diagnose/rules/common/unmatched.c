/* Finds sends and receives that no call of the other side answers, and the wrong peers that would
 * explain all of them. A cycle of waits through such calls is no matter of order: whatever the
 * ranks did next, no call would match. */
#include "diagnose/analysis.h"

#include <string.h>

#include "base/mem.h"

struct tally {
    uint32_t sends, recvs;
};

struct tallies {
    struct ncs_map of; /* (src, dst) -> index + 1 */
    struct tally *tally;
    size_t count, room;
};

static struct tally *tally_of(struct tallies *t, int src, int dst)
{
    uint64_t key = (uint64_t)(uint32_t)src << 32 | (uint32_t)dst;
    size_t at = (size_t)(uintptr_t)ncs_map_get(&t->of, key);
    if (!at) {
        NCS_PUSH(t->tally, t->count, t->room, (struct tally){ 0 });
        at = t->count;
        ncs_map_put(&t->of, key, (void *)(uintptr_t)at);
    }
    return &t->tally[at - 1];
}

/* True for a send or receive that takes part in matching. */
static bool counts(const struct ncs_analysis *q, const struct ncs_call *c)
{
    enum ncs_reason reason;
    const struct ncs_call *cause;
    return ncs_call_is_pair(c) && !ncs_ineffective(q, c, &reason, &cause);
}

static uint32_t *side(struct tally *t, bool send)
{
    return send ? &t->sends : &t->recvs;
}

static struct tally *tally_for(struct tallies *t, const struct ncs_call *c)
{
    int me = c->comm_rank, peer = ncs_call_peer(c);
    return ncs_is_send(c) ? tally_of(t, me, peer) : tally_of(t, peer, me);
}

/* The unmatched calls of a communicator; none if the journal is incomplete. */
struct ncs_unmatched_calls {
    const struct ncs_call **call;
    size_t count, room;
    int *component;          /* by rank: the lowest rank of its component, in which ranks name each other as peers */
    struct ncs_misnamed all; /* what explains them, by rank */
    size_t all_room;
    bool *explained;                  /* by component */
    const struct ncs_call **exchange; /* those of groups that both send and receive */
    size_t exchanges, exchange_room;
};

/* The nth send from a rank to a peer meets the peer's nth receive from it, so the calls beyond the
 * other side's number are unmatched. Dropped records would make matched calls look unmatched: then
 * the list stays empty. */
static void unmatched_find(const struct ncs_analysis *q, int comm, struct ncs_unmatched_calls *l)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    struct tallies all = { 0 }, seen = { 0 };
    bool whole = true;
    for (int i = 0; i < info->nranks; i++) {
        const struct ncs_sequence *s = &q->comm[comm].seq[i];
        whole &= !s->cut;
        for (size_t k = 0; k < s->sides; k++)
            if (counts(q, s->side[k]))
                ++*side(tally_for(&all, s->side[k]), ncs_is_send(s->side[k]));
    }
    for (int i = 0; i < info->nranks && whole; i++)
        for (size_t k = 0; k < q->comm[comm].seq[i].sides; k++) {
            const struct ncs_call *c = q->comm[comm].seq[i].side[k];
            if (!counts(q, c))
                continue;
            bool send = ncs_is_send(c);
            uint32_t nth = ++*side(tally_for(&seen, c), send);
            if (nth > *side(tally_for(&all, c), !send))
                NCS_PUSH(l->call, l->count, l->room, c);
        }
    ncs_map_free(&all.of);
    ncs_map_free(&seen.of);
    ncs_free(all.tally);
    ncs_free(seen.tally);
}

/* Union-find with path halving. */
static int unmatched_component_of(int *component, int rank)
{
    while (component[rank] != rank)
        rank = component[rank] = component[component[rank]];
    return rank;
}

static void find_components(struct ncs_unmatched_calls *l, int nranks)
{
    l->component = ncs_new((size_t)nranks * sizeof *l->component);
    for (int r = 0; r < nranks; r++)
        l->component[r] = r;
    for (size_t i = 0; i < l->count; i++) {
        int peer = ncs_call_peer(l->call[i]);
        if (peer < 0 || peer >= nranks)
            continue;
        int a = unmatched_component_of(l->component, l->call[i]->comm_rank), b = unmatched_component_of(l->component, peer);
        l->component[a > b ? a : b] = a > b ? b : a;
    }
    for (int r = 0; r < nranks; r++)
        l->component[r] = unmatched_component_of(l->component, r);
}

/* True if all calls would be matched if this rank named other peers: all calls of others name it,
 * and it has one of its own for each. `turned`: how many of its calls would also change between
 * send and receive. */
static bool explains(const struct ncs_call *const *unmatched, size_t count, int rank, size_t *turned)
{
    size_t sends = 0, recvs = 0, wanted_sends = 0, wanted_recvs = 0;
    for (size_t i = 0; i < count; i++) {
        bool send = ncs_is_send(unmatched[i]);
        if (unmatched[i]->comm_rank == rank) {
            sends += send;
            recvs += !send;
        } else if (ncs_call_peer(unmatched[i]) != rank) {
            return false;
        } else {
            wanted_sends += !send;
            wanted_recvs += send;
        }
    }
    *turned = sends > wanted_sends ? sends - wanted_sends : wanted_sends - sends;
    return sends + recvs > 0 && sends + recvs == wanted_sends + wanted_recvs;
}

/* The surplus of sends over receives, or the reverse, in the group of the rank's first unmatched
 * call. */
static int lean(const struct ncs_analysis *q, const struct ncs_call *const *unmatched, size_t count, int rank)
{
    int n = 0;
    const struct ncs_call *c = NULL;
    for (size_t i = 0; i < count && !c; i++)
        if (unmatched[i]->comm_rank == rank)
            c = unmatched[i];
    if (!c)
        return 0;
    uint64_t key = ncs_group_key(q, c);
    for (c = q->journal->comm[c->comm]->member[rank].first; c; c = c->next_counted)
        if (ncs_call_is_pair(c) && ncs_group_key(q, c) == key)
            n += ncs_is_send(c) ? 1 : -1;
    return n < 0 ? -n : n;
}

static bool all_grouped(const struct ncs_call *const *unmatched, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!unmatched[i]->group)
            return false;
    return true;
}

/* The only rank that could explain all calls; -1 = none, or two that fit as well. Fewer turned
 * calls fit better. Of equally many, a rank that confused sending with receiving has a surplus of
 * one in its group. */
static int single(const struct ncs_analysis *q, const struct ncs_call *const *unmatched, size_t count, int nranks)
{
    int best = -1, best_lean = 0;
    size_t least = SIZE_MAX;
    bool tie = false, *asked = ncs_new((size_t)nranks * sizeof *asked);
    for (size_t i = 0; i < count; i++) {
        int rank = unmatched[i]->comm_rank;
        size_t turned;
        if (rank >= nranks || asked[rank])
            continue;
        asked[rank] = true;
        if (!explains(unmatched, count, rank, &turned))
            continue;
        int leans = turned ? lean(q, unmatched, count, rank) : 0;
        if (turned < least || (turned == least && leans > best_lean)) {
            best = rank;
            least = turned;
            best_lean = leans;
            tie = false;
        } else if (turned == least && leans == best_lean) {
            tie = true;
        }
    }
    ncs_free(asked);
    if (best < 0 || tie || (least > 0 && !all_grouped(unmatched, count)))
        return -1;
    return best;
}

/* True if it is enough that all receives (or all sends) name other peers: each rank has as many
 * unmatched receives as there are unmatched sends to it. */
static bool one_sided(const struct ncs_call *const *unmatched, size_t count, int nranks, bool sends)
{
    int *balance = ncs_new((size_t)nranks * sizeof *balance);
    bool balanced = count > 0;
    for (size_t i = 0; i < count; i++) {
        int peer = ncs_call_peer(unmatched[i]);
        if (ncs_is_send(unmatched[i]) == sends)
            balance[unmatched[i]->comm_rank]++;
        else if (peer >= 0 && peer < nranks)
            balance[peer]--;
    }
    for (int i = 0; i < nranks; i++)
        balanced &= balance[i] == 0;
    ncs_free(balance);
    return balanced;
}

/* The free unmatched call of another rank that c would match if it named the right peer. same_kind:
 * if c also became the counterpart of its kind. */
static const struct ncs_call *answered(const struct ncs_call *const *unmatched, size_t count, const bool *taken,
                                       const struct ncs_call *c, bool same_kind, size_t *at)
{
    for (size_t i = 0; i < count; i++)
        if (!taken[i] && unmatched[i]->comm_rank != c->comm_rank && ncs_call_peer(unmatched[i]) == c->comm_rank &&
            (ncs_is_send(unmatched[i]) == ncs_is_send(c)) == same_kind) {
            *at = i;
            return unmatched[i];
        }
    return NULL;
}

/* Explains the unmatched calls of one component: by one rank alone, else by the receives or the
 * sends of all ranks. */
static void unmatched_explain(const struct ncs_analysis *q, const struct ncs_call *const *unmatched, size_t count, int nranks,
                              struct ncs_misnamed *out, size_t *room)
{
    int minority = single(q, unmatched, count, nranks);
    bool recvs = one_sided(unmatched, count, nranks, false);
    bool sends = one_sided(unmatched, count, nranks, true);
    bool grouped = all_grouped(unmatched, count);
    bool *taken = ncs_new(count * sizeof *taken), *done = ncs_new(count * sizeof *done);
    for (int turn = 0; turn < 2; turn++) /* calls that only name a wrong peer take their matches first */
        for (size_t i = 0; i < count; i++) {
            const struct ncs_call *c = unmatched[i];
            bool wrong = minority >= 0 ? c->comm_rank == minority : grouped && (ncs_is_send(c) ? sends && !recvs : recvs);
            size_t at;
            const struct ncs_call *want = wrong && !done[i] ? answered(unmatched, count, taken, c, turn == 1, &at) : NULL;
            if (!want)
                continue;
            taken[at] = done[i] = true;
            struct ncs_misnaming m = { .wrong = c, .wants = want, .turned = turn == 1 };
            NCS_PUSH(out->of, out->count, *room, m);
        }
    ncs_free(taken);
    ncs_free(done);
}

/* Sorts by rank: components come in an order of their own. */
static void sort(struct ncs_misnamed *all)
{
    for (size_t i = 1; i < all->count; i++) {
        struct ncs_misnaming m = all->of[i];
        size_t at = i;
        for (; at > 0 && all->of[at - 1].wrong->comm_rank > m.wrong->comm_rank; at--)
            all->of[at] = all->of[at - 1];
        all->of[at] = m;
    }
}

/* True if the call's group both sends and receives on the communicator. */
static bool in_exchange(const struct ncs_analysis *q, const struct ncs_call *call)
{
    bool sends = false, recvs = false;
    uint64_t key = ncs_group_key(q, call);
    const struct ncs_call *c = q->journal->comm[call->comm]->member[call->comm_rank].first;
    for (; c && call->group; c = c->next_counted)
        if (ncs_call_is_pair(c) && ncs_group_key(q, c) == key) {
            sends |= ncs_is_send(c);
            recvs |= !ncs_is_send(c);
        }
    return sends && recvs;
}

/* Found at the first question and kept: rules ask about the same communicator many times. */
static struct ncs_unmatched_calls *unmatched_of(const struct ncs_analysis *q, int comm)
{
    struct ncs_unmatched_calls **of = &q->comm[comm].unmatched, *l = *of;
    if (l)
        return l;
    int nranks = q->journal->comm[comm]->nranks;
    l = *of = ncs_new(sizeof *l);
    unmatched_find(q, comm, l);
    find_components(l, nranks);
    l->explained = ncs_new((size_t)nranks * sizeof *l->explained);
    const struct ncs_call **sorted = ncs_new(l->count * sizeof *sorted);
    size_t *end = ncs_new((size_t)(nranks + 1) * sizeof *end); /* by component: the end of its calls in `sorted` */
    for (size_t i = 0; i < l->count; i++)
        end[l->component[l->call[i]->comm_rank] + 1]++;
    for (int k = 0; k < nranks; k++)
        end[k + 1] += end[k];
    for (size_t i = 0; i < l->count; i++)
        sorted[end[l->component[l->call[i]->comm_rank]]++] = l->call[i];
    for (int k = 0; k < nranks; k++) {
        size_t first = k ? end[k - 1] : 0, before = l->all.count;
        if (end[k] > first)
            unmatched_explain(q, sorted + first, end[k] - first, nranks, &l->all, &l->all_room);
        l->explained[k] = l->all.count > before;
    }
    ncs_free(sorted);
    ncs_free(end);
    sort(&l->all);
    for (size_t i = 0; i < l->count; i++)
        if (in_exchange(q, l->call[i]))
            NCS_PUSH(l->exchange, l->exchanges, l->exchange_room, l->call[i]);
    return l;
}

void ncs_unmatched_free(struct ncs_analysis *q)
{
    for (size_t i = 0; i < q->journal->comms; i++) {
        struct ncs_unmatched_calls *l = q->comm[i].unmatched;
        if (!l)
            continue;
        ncs_free(l->call);
        ncs_free(l->component);
        ncs_free(l->all.of);
        ncs_free(l->explained);
        ncs_free(l->exchange);
        ncs_free(l);
    }
}

bool ncs_explain_unmatched(const struct ncs_analysis *q, int comm, int rank, struct ncs_misnamed *out)
{
    const struct ncs_unmatched_calls *l = unmatched_of(q, comm);
    *out = (struct ncs_misnamed){ 0 };
    if (rank < 0 || rank >= q->journal->comm[comm]->nranks || !l->explained[l->component[rank]])
        return false;
    out->count = l->all.count;
    out->of = ncs_new(out->count * sizeof *out->of);
    memcpy(out->of, l->all.of, out->count * sizeof *out->of);
    return true;
}

static int unmatched_unmet_with(const struct ncs_analysis *q, const struct ncs_call *call)
{
    for (size_t i = 0; i < q->unmets; i++)
        for (size_t k = 0; k < q->unmet[i].presents; k++)
            if (q->unmet[i].present[k] == call)
                return (int)i;
    return -1;
}

bool ncs_explain_first(const struct ncs_analysis *q, size_t unmet, struct ncs_misnamed *out)
{
    const struct ncs_unmatched_calls *l = unmatched_of(q, q->unmet[unmet].comm);
    const struct ncs_call *const *unmatched = l->exchange;
    size_t count = l->exchanges, room = 0;
    struct ncs_misnaming best = { 0 };
    uint32_t least = UINT32_MAX;
    bool tie = false;
    *out = (struct ncs_misnamed){ 0 };
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            const struct ncs_call *wrong = unmatched[i], *wants = unmatched[k];
            uint32_t last = wrong->number > wants->number ? wrong->number : wants->number;
            if (ncs_call_peer(wants) != wrong->comm_rank || last > least || ncs_is_send(wants) == ncs_is_send(wrong))
                continue;
            const int gone[] = { unmatched_unmet_with(q, wrong), unmatched_unmet_with(q, wants) };
            if (gone[0] < 0 || ncs_cycle_without(q, unmet, gone, 2))
                continue;
            tie = last == least;
            least = last;
            best = (struct ncs_misnaming){ .wrong = wrong, .wants = wants };
        }
    if (best.wrong && !tie)
        NCS_PUSH(out->of, out->count, room, best);
    return out->count > 0;
}
