/* Two ranks make calls in opposite order, at least one of them in a group, which may hide it. */
#include "diagnose/rules/rule.h"

static bool group_order_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_GROUPS)
        return false;
    if (r->grouping->how == NCS_GROUPING_ORDER)
        ncs_fill_grouping(q, r->grouping, d,
                          "all ranks must make their calls in one order, also in a group; this "
                          "works only because NCCL sorts the communicators of a group itself");
    else if (r->grouping->how == NCS_GROUPING_MIXED)
        ncs_fill_grouping(q, r->grouping, d,
                          "all ranks must make their calls in one order, also in a group; this "
                          "works only because NCCL runs the collectives of a group before its "
                          "sends and receives");
    else
        return false;
    d->f.fix = ncs_plain(ncs_text("make the calls in one order on every rank, also in a group"));
    return true;
}

const struct ncs_rule ncs_rule_group_order = { .match = group_order_match, .ground = NCS_GROUND_ORDER };
