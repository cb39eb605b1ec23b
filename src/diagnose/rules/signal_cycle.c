/* Ranks wait for signals that are sent only behind other such waits. */
#include "diagnose/rules/rule.h"

/* True if a put or a signal to the waiting rank is in a stream of the awaited rank and has not
 * run. */
static bool is_enqueued(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    for (size_t i = 0; i < q->snap->parts; i++) {
        const struct ncs_call *c = q->snap->part[i].call;
        if (c && ncs_call_is_one_sided(c) && ncs_call_peer(c) >= 0 && c->comm == n->comm && c->comm_rank == n->src &&
            ncs_call_peer(c) == n->dst)
            return true;
    }
    return false;
}

/* True if all signals of the cycle are enqueued. A signal that is not may never come, and then its
 * absence is the cause and not the cycle: so the finding is only likely. */
static bool are_enqueued(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    for (size_t i = 0; i < r->length; i++) {
        int at = ncs_node_unmet(q, r->path[i]);
        if (at >= 0 && q->unmet[at].kind == NCS_UNMET_SIGNAL && !is_enqueued(q, &q->unmet[at]))
            return false;
    }
    return true;
}

static bool signal_cycle_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_CYCLE || !ncs_cycle_kinds_of(q, r).signals)
        return false;
    ncs_fill_cycle(q, r, NULL, d);
    d->f.why = ncs_say_cycle(d);
    d->f.fix = ncs_say(signal_cycle_fix);
    if (!are_enqueued(q, r))
        d->f.certainty = NCS_LIKELY;
    return true;
}

const struct ncs_rule ncs_rule_signal_cycle = { .match = signal_cycle_match, .ground = NCS_GROUND_WAITS };
