/* Some ranks make calls in one group that other ranks make one after the other. */
#include "diagnose/rules/rule.h"

static bool group_differs_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_grouping *g = r->grouping;
    if (r->kind != NCS_CAUSE_GROUPS)
        return false;
    if (g->how == NCS_GROUPING_FUSED) {
        ncs_fill_grouping(q, g, d,
                          "NCCL runs the collectives of a group as one, the largest first, so the two ranks "
                          "may run them in different orders or divide their data differently");
        d->f.fix = ncs_plain(ncs_text("group the same calls of %s on every rank, or group none of them", d->f.comm));
    } else if (g->how == NCS_GROUPING_COMMS) {
        ncs_fill_grouping(q, g, d,
                          "NCCL launches the communicators of a group in an order of its own, which may be "
                          "the opposite of the other rank's order");
        d->f.fix = ncs_plain(ncs_text("group the same calls of %s and %s on every rank, or group none of them",
                                      ncs_comm_name(q, g->call[0]->comm), ncs_comm_name(q, g->call[1]->comm)));
    } else if (g->how == NCS_GROUPING_EXCHANGE) {
        ncs_fill_grouping(q, g, d,
                          "the calls of a group may wait for each other, and the other rank makes its second "
                          "call only after the first has ended");
        d->f.fix = ncs_plain(
            ncs_text("let ranks %d and %d both group the two calls, or neither of them", g->call[0]->rank, g->call[2]->rank));
    } else {
        return false;
    }
    return true;
}

const struct ncs_rule ncs_rule_group_differs = { .match = group_differs_match, .ground = NCS_GROUND_ORDER };
