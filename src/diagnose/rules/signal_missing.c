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

/* "rank 2", "itself", or "rank 1 of comm1" if one thread drives both ranks. The caller frees it. */
static char *peer_name(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    if (n->src == n->dst)
        return ncs_copy_text("itself");
    if (n->absent[0].rank == n->call->rank)
        return ncs_text("rank %d of %s", n->src, ncs_comm_name(q, n->comm));
    return ncs_text("rank %d", n->absent[0].rank);
}

static void format_short(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_str *why, struct ncs_str *fix)
{
    const struct ncs_call *c = n->call;
    unsigned long long wanted = n->wanted, came = n->came;
    char *peer = peer_name(q, n);
    int peer_context = n->absent[0].context;
    bool self = n->src == n->dst;
    bool own = n->absent[0].rank == c->rank || (peer_context >= 0 && q->snap->context[peer_context].held_by);
    ncs_str_addf(why, "rank %d waits for %llu signal%s of %s", c->rank, wanted, wanted == 1 ? "" : "s", peer);
    ncs_format_place(why, c);
    if (came)
        ncs_str_addf(why, ", and %llu %s", came, came == 1 ? "is there" : "are there");
    else
        ncs_str_add(why, ", and none is there");
    if (self)
        ncs_str_addf(why, ": rank %d %s itself%s", c->rank, came ? "signals" : "never signals", came ? " no more" : "");
    if (self)
        ncs_str_addf(fix, "let rank %d put or signal", c->rank);
    else
        ncs_str_addf(fix, "let %s put or signal", peer);
    ncs_str_addf(fix, " %llu more time%s to ", wanted - came, wanted - came == 1 ? "" : "s");
    if (self)
        ncs_str_add(fix, "itself");
    else if (own)
        ncs_str_addf(fix, "rank %d", n->dst);
    else
        ncs_str_addf(fix, "rank %d", c->rank);
    ncs_str_add(fix, own ? " before the wait" : "");
    ncs_str_addf(fix, ", or %s", came ? "let the wait" : "leave out the wait");
    ncs_format_place(fix, c);
    if (came)
        ncs_str_addf(fix, " take %llu", came);
    ncs_free(peer);
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
    struct ncs_str why = { 0 }, fix = { 0 };
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
        if (i >= MOST)
            continue;
        ncs_str_add(&why, i ? "; " : "");
        ncs_str_add(&fix, i ? "; " : "");
        format_short(q, all.of[i], &why, &fix);
    }
    if (all.count > MOST)
        ncs_str_addf(&why, "; and so on, %zu waits", all.count);
    d->f.why = ncs_plain(ncs_str_take(&why));
    d->f.fix = ncs_plain(ncs_str_take(&fix));
    if (all.count == 1 && signals_alike(q, all.of[0]))
        d->f.certainty = NCS_LIKELY;
    ncs_free(all.of);
    return true;
}

const struct ncs_rule ncs_rule_signal_missing = { .match = signal_missing_match, .ground = NCS_GROUND_FEWER };
