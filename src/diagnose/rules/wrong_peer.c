/* A send or a receive names another peer than the rank that waits for it. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* The unmet wait of another unmatched call that fits: with the same receiver (then the receive
 * names the wrong sender) or the same sender (then the send names the wrong receiver). NULL = none.
 * A call that is still queued may yet find its match. */
static const struct ncs_unmet *partner(const struct ncs_analysis *q, const struct ncs_unmet *n, bool *same_receiver)
{
    for (size_t i = 0; i < q->unmets; i++) {
        const struct ncs_unmet *o = &q->unmet[i];
        if (o == n || o->kind != NCS_UNMET_PAIR || !o->call || o->comm != n->comm ||
            ncs_is_send(o->call) == ncs_is_send(n->call) || o->src == o->dst || !o->absents ||
            o->absent[0].reason == NCS_ABSENT_QUEUED || o->absent[0].reason == NCS_ABSENT_CONTACT)
            continue;
        *same_receiver = o->dst == n->dst && o->src != n->src;
        if (*same_receiver || (o->src == n->src && o->dst != n->dst))
            return o;
    }
    return NULL;
}

/* "receives from rank 2", "sends to rank 2" */
static struct ncs_fact fact_names(const char *name, const struct ncs_analysis *q, const struct ncs_call *c)
{
    return ncs_fact_sentence(name, ncs_say(names_peer, ncs_fact_is("send", ncs_is_send(c)),
                                           ncs_fact_rank("peer", ncs_run_rank(q, c->comm, ncs_call_peer(c)))));
}

static void add_unmatched_row(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_call *c)
{
    ncs_add_row(d, c->rank, c->place.line,
                ncs_say(wrong_peer_row, ncs_fact_call("call", q->journal, c), fact_names("names", q, c),
                        ncs_fact_is("send", ncs_is_send(c))));
}

/* Names at most three calls; a loop makes the rest alike. All of them get an edit. */
static void fill_misnamed(const struct ncs_analysis *q, const struct ncs_misnamed *all, struct ncs_draft *d)
{
    enum { MOST = 3 };
    for (size_t i = 0; i < all->count; i++)
        ncs_repair_peer(q, d, all->of[i].wrong, all->of[i].wants, all->of[i].turned);
    for (size_t i = 0; i < all->count && i < MOST; i++) {
        const struct ncs_misnaming *m = &all->of[i];
        struct ncs_fact more = ncs_fact_number("all", i + 1 == MOST && all->count > MOST ? (int64_t)all->count : 0);
        d->f.why = ncs_say(wrong_peer_why, ncs_fact_sentence("before", d->f.why), ncs_fact_call("call", q->journal, m->wrong),
                           fact_names("names", q, m->wrong), ncs_fact_is("send", ncs_is_send(m->wrong)),
                           ncs_fact_call("wants", q->journal, m->wants), fact_names("wants_names", q, m->wants), more);
        d->f.fix = ncs_say(wrong_peer_fix, ncs_fact_sentence("before", d->f.fix), ncs_fact_is("turned", m->turned),
                           ncs_fact_is("send", ncs_is_send(m->wrong)), ncs_fact_number("meant", m->wants->comm_rank),
                           ncs_fact_number("named", ncs_call_peer(m->wrong)), ncs_fact_call("call", q->journal, m->wrong), more);
    }
}

static void find_misnamed(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_misnamed *all)
{
    if (r->kind == NCS_CAUSE_ABSENT)
        ncs_explain_unmatched(q, r->unmet->comm, r->unmet->call->comm_rank, all);
    int asked = -1; /* the answer is the same for all steps on one communicator */
    for (size_t i = 0; i < r->length && !all->count; i++) {
        int at = ncs_node_unmet(q, r->path[i]);
        const struct ncs_unmet *n = at >= 0 ? &q->unmet[at] : NULL;
        if (!n || n->kind != NCS_UNMET_PAIR || !n->call)
            continue;
        const struct ncs_absent *a = ncs_link(n, q, r->path[(i + 1) % r->length]);
        if (!a || a->reason != NCS_ABSENT_ELSEWHERE || ncs_explain_unmatched(q, n->comm, n->call->comm_rank, all) ||
            n->comm == asked)
            continue;
        asked = n->comm;
        ncs_explain_first(q, (size_t)at, all);
    }
}

/* The cause from an explanation: r->call has pairs, the call with the wrong peer and the call that
 * it should match. */
static void take_misnamed(const struct ncs_cause *r, struct ncs_misnamed *all)
{
    size_t room = 0;
    for (size_t i = 0; i + 1 < r->calls; i += 2) {
        struct ncs_misnaming m = { .wrong = r->call[i], .wants = r->call[i + 1] };
        NCS_PUSH(all->of, all->count, room, m);
    }
}

/* Adds culprits and rows; returns the wrong call of the lowest rank. */
static const struct ncs_call *add_misnamed(const struct ncs_analysis *q, const struct ncs_misnamed *all, struct ncs_draft *d)
{
    const struct ncs_call *first = all->of[0].wrong;
    for (size_t i = 0; i < all->count; i++) {
        const struct ncs_call *c = all->of[i].wrong;
        ncs_add_culprit(d, c->rank, c->number, c->place.line);
        add_unmatched_row(q, d, c);
        bool other = true;
        for (size_t k = 0; k < all->count; k++)
            other &= all->of[k].wrong->rank != all->of[i].wants->rank;
        if (other)
            add_unmatched_row(q, d, all->of[i].wants);
        if (c->rank < first->rank)
            first = c;
    }
    return first;
}

/* All unmatched calls are explained by wrong peers. */
static bool all_misnamed(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_misnamed all = { 0 };
    if (r->kind == NCS_CAUSE_ELSEWHERE)
        take_misnamed(r, &all);
    else
        find_misnamed(q, r, &all);
    if (!all.count)
        return false;
    const struct ncs_call *first = add_misnamed(q, &all, d);
    ncs_set_call(q, d, first);
    for (size_t i = 0; i < q->unmets; i++) /* an explanation lets all waiting ranks go on */
        if (r->kind == NCS_CAUSE_ELSEWHERE || &q->unmet[i] == r->unmet)
            ncs_add_blocked(q, d, ncs_unmet_node(q, i));
    d->f.bystanders = 0; /* recomputed: all blocked ranks but the two sides of a wrong peer */
    for (size_t i = 0; i < d->f.blockeds; i++) {
        bool side = false;
        for (size_t k = 0; k < all.count; k++)
            side |= all.of[k].wrong->rank == d->f.blocked[i] || all.of[k].wants->rank == d->f.blocked[i];
        if (!side)
            ncs_add_bystander(d, d->f.blocked[i]);
    }
    fill_misnamed(q, &all, d);
    d->f.evidence = ncs_say(wrong_peer_evidence, ncs_fact_is("one", all.count == 1));
    ncs_free(all.of);
    return true;
}

static bool wrong_peer_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    bool same_receiver;
    if (r->kind == NCS_CAUSE_CYCLE || (r->kind == NCS_CAUSE_ELSEWHERE && r->rule))
        return all_misnamed(q, r, d);
    if (!ncs_is_alone(r, true) && !ncs_is_alone(r, false))
        return false;
    if (r->absent[0]->reason == NCS_ABSENT_DESTROYED) /* the destroy explains the wait */
        return false;
    /* two unmatched calls that share one side are the simple case; else all of the communicator's
     * are compared */
    const struct ncs_unmet *o = partner(q, r->unmet, &same_receiver);
    if (!o)
        return all_misnamed(q, r, d);
    const struct ncs_call *send = ncs_is_send(o->call) ? o->call : r->unmet->call;
    const struct ncs_call *recv = ncs_is_send(o->call) ? r->unmet->call : o->call;
    const struct ncs_call *wrong = same_receiver ? recv : send;
    ncs_add_culprit(d, wrong->rank, wrong->number, wrong->place.line);
    ncs_fill_unmet(q, d, r->unmet, wrong->number);
    ncs_set_title(q, d, wrong);
    for (size_t i = 0; i < o->presents; i++) {
        const struct ncs_call *c = o->present[i];
        bool here = false;
        for (size_t k = 0; k < d->f.rows; k++)
            here |= d->f.row[k].rank == c->rank;
        if (!here)
            ncs_add_row(d, c->rank, c->place.line, ncs_say(wrong_peer_waits, ncs_fact_call("call", q->journal, c)));
    }
    ncs_add_blocked(q, d, ncs_unmet_node(q, (size_t)(o - q->unmet)));
    /* The rank that waits at the other end of the wrong peer is no bystander. */
    size_t kept = 0;
    for (size_t i = 0; i < d->f.bystanders; i++)
        if (d->f.bystander[i] != send->rank && d->f.bystander[i] != recv->rank)
            d->f.bystander[kept++] = d->f.bystander[i];
    d->f.bystanders = kept;
    const struct ncs_call *other = same_receiver ? send : recv;
    d->f.evidence = ncs_say(wrong_peer_one_evidence, ncs_fact_is("receiver", same_receiver));
    d->f.why = ncs_say(wrong_peer_one, ncs_fact_call("call", q->journal, wrong), fact_names("names", q, wrong),
                       ncs_fact_is("receives", same_receiver), ncs_fact_rank("meant", other->rank),
                       ncs_fact_call("other", q->journal, other));
    d->f.fix = ncs_say(wrong_peer_fix, ncs_fact_number("meant", other->comm_rank), ncs_fact_number("named", ncs_call_peer(wrong)),
                       ncs_fact_call("call", q->journal, wrong));
    ncs_repair_peer(q, d, wrong, same_receiver ? send : recv, false);
    return true;
}

const struct ncs_rule ncs_rule_wrong_peer = { .match = wrong_peer_match, .ground = NCS_GROUND_INSTEAD };
