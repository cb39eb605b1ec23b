/* Some ranks make calls in one group that other ranks make one after the other. */
#include "diagnose/rules/rule.h"

static bool group_differs_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_grouping *g = r->grouping;
    if (r->kind != NCS_CAUSE_GROUPS || g->how > NCS_GROUPING_COMMS)
        return false;
    ncs_fill_grouping(q, g, d);
    d->f.fix = ncs_say(group_differs_fix, ncs_fact_is("exchange", g->how == NCS_GROUPING_EXCHANGE),
                       ncs_fact_rank("a", g->call[0]->rank), ncs_fact_rank("b", g->call[2]->rank),
                       ncs_fact_comm(q, g->call[0]->comm),
                       ncs_fact_text("other", g->how == NCS_GROUPING_COMMS ? ncs_comm_name(q, g->call[1]->comm) : NULL));
    return true;
}

const struct ncs_rule ncs_rule_group_differs = { .match = group_differs_match, .ground = NCS_GROUND_ORDER };
