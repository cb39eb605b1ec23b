/* Sends and receives of one communicator that wait for each other in a cycle. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* True if a call in a group has met its counterpart: then only the rest of the group blocks it. */
static bool has_met(const struct ncs_analysis *q, const struct ncs_snap_part *p)
{
    if (p->op >= 0)
        return p->state == NCS_PART_DONE || p->state == NCS_PART_MATCHED;
    bool send = ncs_is_send(p->call);
    int me = p->call->comm_rank, peer = ncs_call_peer(p->call);
    for (size_t i = 0; i < q->unmets; i++) { /* not launched: the group still waits for first contact with a peer */
        const struct ncs_unmet *n = &q->unmet[i];
        if (n->contact && n->call && n->comm == p->call->comm && n->src == (send ? me : peer) && n->dst == (send ? peer : me) &&
            ncs_is_send(n->call) == send)
            return false;
    }
    return true;
}

/* The call of the cycle that waits while another call of its group has met its counterpart; NULL =
 * none. A group completes only as a whole. */
static const struct ncs_call *keeps_back(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    for (size_t i = 0; i < r->length; i++) {
        if (ncs_node_unmet(q, r->path[i]) < 0)
            continue;
        const struct ncs_call *c = ncs_cycle_wait_at(q, r, i).call;
        if (!c || !c->group)
            continue;
        for (size_t k = 0; k < q->snap->parts; k++) {
            const struct ncs_snap_part *p = &q->snap->part[k];
            if (p->call && p->call != c && p->call->group && ncs_call_is_pair(p->call) &&
                ncs_group_key(q, p->call) == ncs_group_key(q, c) && has_met(q, p))
                return c;
        }
    }
    return NULL;
}

/* The advice for such a group: move the awaited call into it, or split it. The caller frees it. */
static char *split_group(const struct ncs_draft *d, const struct ncs_call *c)
{
    struct ncs_str s = { 0 };
    const char *what = ncs_is_send(c) ? "send" : ncs_call_is_pair(c) ? "receive" : "call";
    ncs_str_add(&s, "a group ends only as a whole: ");
    for (size_t i = 0; i < d->f.cycles; i++)
        if (d->f.cycle[i].waits_for == c->rank)
            ncs_str_addf(&s, "take what rank %d waits for into the group of rank %d, with the %s", d->f.cycle[i].rank, c->rank,
                         what);
    if (s.text[s.bytes - 1] == ' ') {
        ncs_str_addf(&s, "split that of rank %d before the %s", c->rank, what);
        ncs_format_place(&s, c);
        return ncs_str_take(&s);
    }
    ncs_format_place(&s, c);
    ncs_str_addf(&s, ", or make it before that %s, in front of which the group is split", what);
    return ncs_str_take(&s);
}

static bool p2p_cycle_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_CYCLE)
        return false;
    struct ncs_cycle_kinds k = ncs_cycle_kinds_of(q, r);
    if (!k.pairs || k.gates || k.comms > 1)
        return false;
    ncs_fill_cycle(q, r, NULL, d);
    d->f.why = ncs_plain(ncs_cycle_text(d));
    if (d->f.culprits == 1 && d->f.others) { /* see blame() of a cycle */
        struct ncs_sentence *why = d->f.why;
        d->f.why = ncs_plain(ncs_text("%s; no rank to which rank %d sends, or from which it receives, has a message with it",
                                      ncs_sentence_text(why), d->f.culprit[0].rank));
        ncs_sentence_free(why);
    }
    const struct ncs_call *c = keeps_back(q, r);
    if (c)
        d->f.fix = ncs_plain(split_group(d, c));
    else if (k.collectives)
        d->f.fix = ncs_plain(ncs_text("make the send or receive and the collective in the same order on both "
                                      "ranks"));
    else
        d->f.fix = ncs_plain(ncs_text("%s: put each rank's send and receive into one group, or let %s %s "
                                      "first",
                                      k.sends && k.recvs ? "the two sides make matching calls in different orders"
                                      : k.sends          ? "everybody sends first"
                                                         : "everybody receives first",
                                      d->f.cycles == 2 ? "one of the two" : "every second rank", k.sends ? "receive" : "send"));
    return true;
}

const struct ncs_rule ncs_rule_p2p_cycle = { .match = p2p_cycle_match, .ground = NCS_GROUND_WAITS };
