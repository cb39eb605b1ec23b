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
static void wrong_peer_format_peer(const struct ncs_analysis *q, struct ncs_str *s, const struct ncs_call *c)
{
    ncs_str_addf(s, "%s rank %d", ncs_is_send(c) ? "sends to" : "receives from", ncs_run_rank(q, c->comm, ncs_call_peer(c)));
}

static void add_unmatched_row(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_call *c)
{
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "call %u ", (unsigned)c->number);
    wrong_peer_format_peer(q, &s, c);
    ncs_str_addf(&s, ", which has no %s for it", ncs_is_send(c) ? "receive" : "send");
    ncs_add_row(d, c->rank, c->place.line, ncs_plain(ncs_str_take(&s)));
}

static void format_misnaming(const struct ncs_analysis *q, struct ncs_str *s, const struct ncs_misnaming *m)
{
    ncs_str_addf(s, "rank %d ", m->wrong->rank);
    wrong_peer_format_peer(q, s, m->wrong);
    ncs_format_place(s, m->wrong);
    ncs_str_addf(s, ", which has no %s for it, while rank %d ", ncs_is_send(m->wrong) ? "receive" : "send", m->wants->rank);
    wrong_peer_format_peer(q, s, m->wants);
    ncs_format_place(s, m->wants);
    ncs_str_add(s, " and is not answered");
}

static void format_naming(struct ncs_str *s, const struct ncs_misnaming *m)
{
    if (m->turned)
        ncs_str_addf(s, "%s peer %d instead of %s peer %d", ncs_is_send(m->wrong) ? "receive from" : "send to",
                     m->wants->comm_rank, ncs_is_send(m->wrong) ? "sending to" : "receiving from", ncs_call_peer(m->wrong));
    else
        ncs_str_addf(s, "name peer %d instead of %d", m->wants->comm_rank, ncs_call_peer(m->wrong));
    ncs_format_place(s, m->wrong);
}

/* Names at most three calls; a loop makes the rest alike. All of them get an edit. */
static void format_misnamed(const struct ncs_analysis *q, const struct ncs_misnamed *all, struct ncs_draft *d)
{
    enum { MOST = 3 };
    struct ncs_str why = { 0 }, fix = { 0 };
    for (size_t i = 0; i < all->count; i++)
        ncs_repair_peer(q, d, all->of[i].wrong, all->of[i].wants, all->of[i].turned);
    for (size_t i = 0; i < all->count && i < MOST; i++) {
        ncs_str_add(&why, i ? "; " : "");
        format_misnaming(q, &why, &all->of[i]);
        ncs_str_add(&fix, i ? ", " : "");
        format_naming(&fix, &all->of[i]);
        ncs_str_addf(&fix, " on rank %d", all->of[i].wrong->rank);
    }
    if (all->count > MOST) {
        ncs_str_addf(&why, "; and so on, %zu calls", all->count);
        ncs_str_add(&fix, ", and so on");
    }
    d->f.why = ncs_plain(ncs_str_take(&why));
    d->f.fix = ncs_plain(ncs_str_take(&fix));
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
    format_misnamed(q, &all, d);
    d->f.evidence = ncs_plain(
        ncs_text("with %s every call has its answer", all.count == 1 ? "this one peer changed" : "these peers changed"));
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
    int named = ncs_run_rank(q, wrong->comm, ncs_call_peer(wrong));
    int meant = same_receiver ? send->rank : recv->rank;
    ncs_add_culprit(d, wrong->rank, wrong->number, wrong->place.line);
    ncs_fill_unmet(q, d, r->unmet, wrong->number);
    ncs_set_title(q, d, wrong);
    for (size_t i = 0; i < o->presents; i++) {
        const struct ncs_call *c = o->present[i];
        bool here = false;
        for (size_t k = 0; k < d->f.rows; k++)
            here |= d->f.row[k].rank == c->rank;
        char *what = ncs_describe(c);
        if (!here)
            ncs_add_row(d, c->rank, c->place.line, ncs_plain(ncs_text("waits in call %u, %s", (unsigned)c->number, what)));
        ncs_free(what);
    }
    ncs_add_blocked(q, d, ncs_unmet_node(q, (size_t)(o - q->unmet)));
    /* The rank that waits at the other end of the wrong peer is no bystander. */
    size_t kept = 0;
    for (size_t i = 0; i < d->f.bystanders; i++)
        if (d->f.bystander[i] != send->rank && d->f.bystander[i] != recv->rank)
            d->f.bystander[kept++] = d->f.bystander[i];
    d->f.bystanders = kept;
    d->f.evidence = ncs_plain(
        ncs_text("a send and a receive are unmatched, and they name the same %s", same_receiver ? "receiver" : "sender"));
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "rank %d %s rank %d", wrong->rank, same_receiver ? "receives from" : "sends to", named);
    ncs_format_place(&s, wrong);
    ncs_str_addf(&s, ", which never %s it, while rank %d %s rank %d", same_receiver ? "sends to" : "receives from", meant,
                 same_receiver ? "sends to" : "receives from", wrong->rank);
    ncs_format_place(&s, same_receiver ? send : recv);
    ncs_str_add(&s, " and is not answered");
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_addf(&s, "name peer %d instead of %d", same_receiver ? send->comm_rank : recv->comm_rank, ncs_call_peer(wrong));
    ncs_format_place(&s, wrong);
    ncs_str_addf(&s, " on rank %d", wrong->rank);
    d->f.fix = ncs_plain(ncs_str_take(&s));
    ncs_repair_peer(q, d, wrong, same_receiver ? send : recv, false);
    return true;
}

const struct ncs_rule ncs_rule_wrong_peer = { .match = wrong_peer_match, .ground = NCS_GROUND_INSTEAD };
