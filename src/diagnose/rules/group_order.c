/* Two ranks make calls in opposite order, at least one of them in a group, which may hide it. */
#include "diagnose/rules/rule.h"

static bool group_order_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_GROUPS || r->grouping->how <= NCS_GROUPING_COMMS)
        return false;
    ncs_fill_grouping(q, r->grouping, d);
    d->f.fix = ncs_say(group_order_fix);
    return true;
}

const struct ncs_rule ncs_rule_group_order = { .match = group_order_match, .ground = NCS_GROUND_ORDER };
