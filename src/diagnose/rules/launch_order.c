/* A run ended well although two ranks launched calls of two communicators in opposite order. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static bool launch_order_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_ORDER)
        return false;
    const struct ncs_call *const *c = r->call;
    bool swap = c[2]->rank < c[0]->rank;
    for (int i = 0; i < 2; i++) {
        const struct ncs_call *own = c[swap == (i == 0) ? 2 : 0];
        ncs_add_culprit(d, own->rank, own->number, own->place.line);
    }
    const struct ncs_call *const *one = c + (swap ? 2 : 0), *const *other = c + (swap ? 0 : 2);
    d->f.why = ncs_say(launch_order_why, ncs_fact_call("first", q->journal, one[0]), ncs_fact_call("second", q->journal, one[1]),
                       ncs_fact_rank("other", other[0]->rank));
    d->f.fix = ncs_say(launch_order_fix);
    d->f.certainty = NCS_UNDEFINED;
    d->f.evidence = ncs_say(launch_order_evidence);
    d->f.comm = ncs_copy_text(ncs_comm_name(q, one[0]->comm));
    d->f.call = one[0]->number;
    d->order = one[0]->id;
    return true;
}

const struct ncs_rule ncs_rule_launch_order = { .match = launch_order_match, .ground = NCS_GROUND_ORDER };
