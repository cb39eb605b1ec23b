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

/* The advice for such a group: move the awaited call into it, or split it. */
static struct ncs_sentence *say_split(const struct ncs_analysis *q, const struct ncs_draft *d, const struct ncs_call *c)
{
    const char *kind = ncs_is_send(c) ? "send" : ncs_call_is_pair(c) ? "receive" : "call";
    struct ncs_sentence *taken = NULL;
    for (size_t i = 0; i < d->f.cycles; i++)
        if (d->f.cycle[i].waits_for == c->rank)
            taken = ncs_say(p2p_cycle_take, ncs_fact_sentence("before", taken), ncs_fact_rank("who", d->f.cycle[i].rank),
                            ncs_fact_call("call", q->journal, c), ncs_fact_text("kind", kind));
    return ncs_say(p2p_cycle_group, ncs_fact_sentence("taken", taken), ncs_fact_call("call", q->journal, c),
                   ncs_fact_text("kind", kind));
}

static bool p2p_cycle_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_CYCLE)
        return false;
    struct ncs_cycle_kinds k = ncs_cycle_kinds_of(q, r);
    if (!k.pairs || k.gates || k.comms > 1)
        return false;
    ncs_fill_cycle(q, r, NULL, d);
    d->f.why = ncs_say_cycle(d);
    if (d->f.culprits == 1 && d->f.others) /* see blame() of a cycle */
        d->f.why = ncs_say(p2p_cycle_alone, ncs_fact_sentence("why", d->f.why), ncs_fact_rank("who", d->f.culprit[0].rank));
    const struct ncs_call *c = keeps_back(q, r);
    bool both = k.sends && k.recvs;
    d->f.fix = c ? say_split(q, d, c)
                 : ncs_say(p2p_cycle_fix, ncs_fact_is("collectives", k.collectives), ncs_fact_is("both", both),
                           ncs_fact_is("sends", k.sends && !both), ncs_fact_is("receives", !k.sends),
                           ncs_fact_is("two", d->f.cycles == 2), ncs_fact_is("first_sends", k.sends));
    return true;
}

const struct ncs_rule ncs_rule_p2p_cycle = { .match = p2p_cycle_match, .ground = NCS_GROUND_WAITS };
