/* Messages that a rank receives in another order than they were sent. NCCL's messages have no tags,
 * so only the script's labels show it. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/hash.h"

/* The longest distance over which two messages may be exchanged. */
enum { MOST_BETWEEN = 8 };

/* The sends and receives of a communicator by (from, to, number among them). */
struct messages {
    struct ncs_map send, recv;
};

static uint64_t message_order_key_of(int from, int to, uint64_t nth)
{
    return ncs_hash(ncs_hash((uint64_t)from, (uint64_t)to), nth);
}

static void message_order_collect(const struct ncs_member *m, struct messages *all)
{
    for (struct ncs_call *c = m->first; c; c = c->next_counted) {
        if (!ncs_call_is_pair(c) || !c->ordinal)
            continue;
        bool send = ncs_is_send(c);
        int from = send ? c->comm_rank : ncs_call_peer(c), to = send ? ncs_call_peer(c) : c->comm_rank;
        ncs_map_put(send ? &all->send : &all->recv, message_order_key_of(from, to, c->ordinal), c);
    }
}

static bool message_order_same_label(const struct ncs_call *a, const struct ncs_call *b)
{
    return a && b && a->label && b->label && strcmp(a->label, b->label) == 0;
}

/* Finds the exchange that begins with this send. Fills call: the send, the receive that it meets,
 * the send that this receive was meant for, and the receive that the first send was meant for. */
static bool message_order_exchanged(const struct messages *all, const struct ncs_call *send, const struct ncs_call **call)
{
    int from = send->comm_rank, to = ncs_call_peer(send);
    uint64_t nth = send->ordinal;
    call[0] = send;
    call[1] = ncs_map_get(&all->recv, message_order_key_of(from, to, nth));
    if (!call[1] || !send->label || !call[1]->label || message_order_same_label(send, call[1]))
        return false;
    for (uint64_t k = nth + 1; k <= nth + MOST_BETWEEN; k++) {
        call[2] = ncs_map_get(&all->send, message_order_key_of(from, to, k));
        call[3] = ncs_map_get(&all->recv, message_order_key_of(from, to, k));
        if (message_order_same_label(call[0], call[3]) && message_order_same_label(call[2], call[1]))
            return true;
    }
    return false;
}

static bool message_order_find_exchange(const struct ncs_comm_info *info, const struct messages *all,
                                        const struct ncs_call **call)
{
    for (int i = 0; i < info->nranks; i++)
        for (const struct ncs_call *c = info->member[i].first; c; c = c->next_counted)
            if (ncs_call_is_pair(c) && ncs_is_send(c) && c->ordinal && message_order_exchanged(all, c, call))
                return true;
    return false;
}

static bool message_order_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_MESSAGES || !q->comm[r->comm].labelled)
        return false;
    const struct ncs_comm_info *info = q->journal->comm[r->comm];
    const struct ncs_call *call[4];
    struct messages all = { 0 };
    for (int i = 0; i < info->nranks; i++)
        message_order_collect(&info->member[i], &all);
    bool found = message_order_find_exchange(info, &all, call);
    if (found) {
        const struct ncs_call *send = call[0], *recv = call[1];
        ncs_add_culprit(d, send->rank, send->number, send->place.line);
        ncs_add_culprit(d, recv->rank, recv->number, recv->place.line);
        d->f.why = ncs_say(message_order_why, ncs_fact_call("send", q->journal, send), ncs_fact_text("first", send->label),
                           ncs_fact_text("second", call[2]->label), ncs_fact_call("recv", q->journal, recv));
        d->f.fix = ncs_say(message_order_fix);
        d->f.evidence = ncs_say(message_order_evidence);
        ncs_repair_swap(q, d, recv, call[3]);
        d->f.certainty = NCS_CERTAIN;
        ncs_set_call(q, d, send);
    }
    ncs_map_free(&all.send);
    ncs_map_free(&all.recv);
    return found;
}

const struct ncs_rule ncs_rule_message_order = { .match = message_order_match, .ground = NCS_GROUND_ORDER };
