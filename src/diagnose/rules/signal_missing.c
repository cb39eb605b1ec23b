/* A rank waits for signals that the other rank no longer sends. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* True if the awaited rank has ended or waits elsewhere; or if the waiting thread itself would have
 * to send, as a cycle with one unmet wait. */
static bool is_short(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    if (r->kind != NCS_CAUSE_CYCLE)
        return ncs_lacks(r, NCS_UNMET_SIGNAL);
    size_t unmets = 0, at = 0;
    for (size_t i = 0; i < r->length; i++)
        if (ncs_node_unmet(q, r->path[i]) >= 0) {
            unmets++;
            at = i;
        }
    if (unmets != 1 || r->unmet->kind != NCS_UNMET_SIGNAL)
        return false;
    int next = r->path[(at + 1) % r->length];
    const struct ncs_absent *a = ncs_link(r->unmet, q, next);
    return a && a->reason == NCS_ABSENT_ELSEWHERE && (a->rank == r->unmet->call->rank || ncs_is_held_by(q, a, next));
}

/* The waits for signals of one rank that fail for the same reason, by waiting rank and call. */
struct shorts {
    const struct ncs_unmet **of;
    size_t count, room;
};

/* alone: only n itself, as for a cycle. */
static void find_shorts(const struct ncs_analysis *q, const struct ncs_unmet *n, bool alone, struct shorts *out)
{
    for (size_t i = 0; i < q->unmets; i++) {
        const struct ncs_unmet *o = &q->unmet[i];
        if (o != n && (alone || o->kind != NCS_UNMET_SIGNAL || o->comm != n->comm || o->src != n->src ||
                       o->absent[0].reason != n->absent[0].reason))
            continue;
        size_t at = out->count;
        NCS_PUSH(out->of, out->count, out->room, o);
        for (; at > 0 && (out->of[at - 1]->dst > o->dst ||
                          (out->of[at - 1]->dst == o->dst && out->of[at - 1]->call->number > o->call->number));
             at--)
            out->of[at] = out->of[at - 1];
        out->of[at] = o;
    }
}

/* "rank 2", "itself", or "rank 1 of comm1" if one thread drives both ranks. */
static struct ncs_fact fact_peer(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    bool self = n->src == n->dst, member = !self && n->absent[0].rank == n->call->rank;
    return ncs_fact_sentence("peer", ncs_say(signal_missing_peer, ncs_fact_is("self", self), ncs_fact_is("by_member", member),
                                             ncs_fact_number("member", n->src), ncs_fact_comm(q, n->comm),
                                             ncs_fact_ranks("rank", &n->absent[0].rank, !self && !member)));
}

/* Adds what the wait lacks behind what the waits before it lack. `all`: the number of waits if these are too many to be named. */
static void add_short(const struct ncs_analysis *q, const struct ncs_unmet *n, size_t all, struct ncs_draft *d)
{
    int64_t wanted = (int64_t)n->wanted, came = (int64_t)n->came;
    int peer_context = n->absent[0].context;
    bool self = n->src == n->dst;
    bool own = n->absent[0].rank == n->call->rank || (peer_context >= 0 && q->snap->context[peer_context].held_by);
    d->f.why = ncs_say(signal_missing_why, ncs_fact_sentence("before", d->f.why), ncs_fact_call("call", q->journal, n->call),
                       ncs_fact_number("wanted", wanted), fact_peer(q, n), ncs_fact_number("came", came),
                       ncs_fact_is("self", self), ncs_fact_number("all", (int64_t)all));
    d->f.fix = ncs_say(signal_missing_fix, ncs_fact_sentence("before", d->f.fix), ncs_fact_call("call", q->journal, n->call),
                       ncs_fact_number("lacking", wanted - came), fact_peer(q, n), ncs_fact_number("came", came),
                       ncs_fact_is("self", self), ncs_fact_is("own", own), ncs_fact_number("member", n->dst));
}

/* How many puts and signals the rank has made on the communicator. */
static size_t count_signals(const struct ncs_analysis *q, int comm, int comm_rank)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    size_t n = 0;
    if (comm_rank < 0 || comm_rank >= info->members)
        return 0;
    for (const struct ncs_call *c = info->member[comm_rank].first; c; c = c->next_counted)
        n += ncs_call_is_one_sided(c) && ncs_call_peer(c) >= 0;
    return n;
}

/* True if the awaited rank signals as often as the waiting one: then the wait may be one too many,
 * and nothing shows a missing signal. So the finding is only likely. */
static bool signals_alike(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    size_t own = count_signals(q, n->comm, n->dst);
    return n->src != n->dst && own > 0 && count_signals(q, n->comm, n->src) >= own;
}

static bool signal_missing_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    enum { MOST = 3 };
    if (!is_short(q, r))
        return false;
    const struct ncs_unmet *n = r->unmet;
    struct shorts all = { 0 };
    for (size_t i = 0; i < n->absents; i++)
        if (n->absent[i].rank >= 0)
            ncs_add_culprit(d, n->absent[i].rank, 0, 0);
    find_shorts(q, n, r->kind == NCS_CAUSE_CYCLE, &all);
    ncs_fill_unmet(q, d, all.of[0], all.of[0]->call->number);
    for (size_t i = 0; i < all.count; i++) {
        if (i > 0)
            ncs_add_unmet_rows(q, d, all.of[i]);
        if (i > 0)
            ncs_add_blocked(q, d, ncs_unmet_node(q, (size_t)(all.of[i] - q->unmet)));
        if (i < MOST)
            add_short(q, all.of[i], i + 1 == MOST && all.count > MOST ? all.count : 0, d);
    }
    if (all.count == 1 && signals_alike(q, all.of[0]))
        d->f.certainty = NCS_LIKELY;
    ncs_free(all.of);
    return true;
}

const struct ncs_rule ncs_rule_signal_missing = { .match = signal_missing_match, .ground = NCS_GROUND_FEWER };
