/* A rank destroyed a communicator on which others still have a call to make. */
#include "diagnose/rules/rule.h"

/* True if another rank has destroyed the communicator at the same place. A destroy without a place
 * proves nothing. */
static bool ends_like_others(const struct ncs_analysis *q, const struct ncs_call *destroy)
{
    return destroy && destroy->place.line && ncs_ends_like_others(q, destroy);
}

/* A program usually ends with the destroy, so a rank that only left out a call has destroyed, too.
 * The destroy is the cause only if the calls do not show which one is missing or in excess, and no
 * other rank destroys at that place. */
static bool destroyed_after_all(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    const struct ncs_call_divergence *p = ncs_divergence_of(q, r);
    bool all = r->unmet->kind == NCS_UNMET_COLLECTIVE;
    if (p && (p->how != NCS_DIVERGENCE_FEWER || p->skipped_line))
        return false;
    for (size_t i = 0; i < r->absents; i++)
        all &= r->absent[i]->reason == NCS_ABSENT_DESTROYED && !ends_like_others(q, r->absent[i]->call);
    return all;
}

static bool early_destroy_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (!ncs_is_because(r, NCS_ABSENT_DESTROYED, NCS_ABSENT_DESTROYED) || (!destroyed_after_all(q, r) && !ncs_left_alone(q, r)))
        return false;
    const struct ncs_call *c = r->unmet->call;
    bool pair = r->unmet->kind == NCS_UNMET_PAIR;
    ncs_fill_left(q, r, d, "destroyed");
    d->f.fix = ncs_say(early_destroy_fix, ncs_fact_absent(r), ncs_fact_is("send", pair && ncs_is_send(c)),
                       ncs_fact_is("receive", pair && !ncs_is_send(c)), ncs_fact_ranks("peer", pair ? &c->rank : NULL, pair),
                       ncs_fact_call("call", q->journal, c), ncs_fact_comm(q, r->unmet->comm));
    d->advised = pair ? NULL : c;
    return true;
}

const struct ncs_rule ncs_rule_early_destroy = { .match = early_destroy_match, .ground = NCS_GROUND_LEFT };
