/* Rules about a send or a receive that has no counterpart. */
#include "diagnose/rule.h"

#include "base/mem.h"

static bool alone(const struct ncs_root *r, bool send)
{
    return r->kind == NCS_ROOT_ABSENT && r->absents && r->need->kind == NCS_NEED_PAIR &&
           r->need->call && ncs_is_send(r->need->call) == send &&
           r->absent[0]->reason >= NCS_ABSENT_FINISHED;
}

static size_t count_pairwise(const struct ncs_inquiry *q, int comm, int from, int to, bool sends)
{
    const struct ncs_member *m = &q->journal->comm[comm]->member[sends ? from : to];
    size_t n = 0;
    for (const struct ncs_call *c = m->first; c; c = c->next_counted)
        n += ncs_is_pairwise(c) && ncs_is_send(c) == sends &&
             ncs_call_peer(c) == (sends ? to : from);
    return n;
}

static void say_alone(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_str *s)
{
    const struct ncs_need *n = r->need;
    const struct ncs_call *c = n->call;
    bool send = ncs_is_send(c);
    int peer = r->absent[0]->rank;
    size_t sends = count_pairwise(q, n->comm, n->src, n->dst, true);
    size_t recvs = count_pairwise(q, n->comm, n->src, n->dst, false);
    ncs_str_addf(s, "rank %d %s rank %d", c->rank, send ? "sends to" : "receives from", peer);
    ncs_say_place(s, c);
    ncs_str_addf(s, ", but rank %d %s it %zu time%s where %zu %s needed", peer,
                 send ? "receives from" : "sends to", send ? recvs : sends,
                 (send ? recvs : sends) == 1 ? "" : "s", send ? sends : recvs,
                 (send ? sends : recvs) == 1 ? "is" : "are");
}

static bool one_alone(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d,
                      bool send)
{
    if (!alone(r, send))
        return false;
    const struct ncs_call *c = r->need->call;
    for (size_t i = 0; i < r->absents; i++)
        ncs_add_culprit(d, r->absent[i]->rank, 0, 0);
    ncs_fill_need(q, d, r->need, c->number);
    struct ncs_str s = { 0 };
    say_alone(q, r, &s);
    d->f.why = ncs_str_take(&s);
    ncs_str_addf(&s, "let rank %d %s rank %d, or leave out the call", r->absent[0]->rank,
                 send ? "receive from" : "send to", c->rank);
    ncs_say_place(&s, c);
    ncs_str_addf(&s, " on rank %d", c->rank);
    d->f.fix = ncs_str_take(&s);
    return true;
}

bool ncs_rule_send_alone(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    return one_alone(q, r, d, true);
}

bool ncs_rule_recv_alone(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    return one_alone(q, r, d, false);
}

/* Another call that has no counterpart and fits: the same receiver (the receive names the wrong
 * sender) or the same sender (the send names the wrong receiver). */
static const struct ncs_need *partner(const struct ncs_inquiry *q, const struct ncs_need *n,
                                      bool *same_receiver)
{
    for (size_t i = 0; i < q->needs; i++) {
        const struct ncs_need *o = &q->need[i];
        if (o == n || o->kind != NCS_NEED_PAIR || !o->call || o->comm != n->comm ||
            ncs_is_send(o->call) == ncs_is_send(n->call) || o->src == o->dst)
            continue;
        *same_receiver = o->dst == n->dst && o->src != n->src;
        if (*same_receiver || (o->src == n->src && o->dst != n->dst))
            return o;
    }
    return NULL;
}

bool ncs_rule_wrong_peer(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    bool same_receiver;
    if (!alone(r, true) && !alone(r, false))
        return false;
    const struct ncs_need *o = partner(q, r->need, &same_receiver);
    if (!o)
        return false;
    const struct ncs_call *send = ncs_is_send(o->call) ? o->call : r->need->call;
    const struct ncs_call *recv = ncs_is_send(o->call) ? r->need->call : o->call;
    const struct ncs_call *wrong = same_receiver ? recv : send;
    int named = ncs_run_rank(q, wrong->comm, ncs_call_peer(wrong));
    int meant = same_receiver ? send->rank : recv->rank;
    ncs_add_culprit(d, wrong->rank, wrong->number, wrong->place.line);
    ncs_fill_need(q, d, r->need, wrong->number);
    ncs_set_title(q, d, wrong);
    for (size_t i = 0; i < o->presents; i++) {
        const struct ncs_call *c = o->present[i];
        bool here = false;
        for (size_t k = 0; k < d->f.rows; k++)
            here |= d->f.row[k].rank == c->rank;
        char *what = ncs_describe(c);
        if (!here)
            ncs_add_row(d, c->rank, c->place.line,
                        ncs_text("waits in call %u, %s", (unsigned)c->number, what));
        ncs_free(what);
    }
    ncs_add_blocked(q, d, ncs_need_node(q, (size_t)(o - q->need)));
    /* Who waits in the other half of the misunderstanding is no bystander. */
    size_t kept = 0;
    for (size_t i = 0; i < d->f.bystanders; i++)
        if (d->f.bystander[i] != send->rank && d->f.bystander[i] != recv->rank)
            d->f.bystander[kept++] = d->f.bystander[i];
    d->f.bystanders = kept;
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "rank %d %s rank %d", wrong->rank,
                 same_receiver ? "receives from" : "sends to", named);
    ncs_say_place(&s, wrong);
    ncs_str_addf(&s, ", which never %s it, while rank %d %s rank %d",
                 same_receiver ? "sends to" : "receives from", meant,
                 same_receiver ? "sends to" : "receives from", wrong->rank);
    ncs_say_place(&s, same_receiver ? send : recv);
    ncs_str_add(&s, " and is not answered");
    d->f.why = ncs_str_take(&s);
    ncs_str_addf(&s, "name peer %d instead of %d",
                 same_receiver ? send->comm_rank : recv->comm_rank, ncs_call_peer(wrong));
    ncs_say_place(&s, wrong);
    ncs_str_addf(&s, " on rank %d", wrong->rank);
    d->f.fix = ncs_str_take(&s);
    return true;
}
