/* A rank that is to be left out calls for the smaller communicator. */
#include "diagnose/rules/rule.h"

static bool excluded_rank_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_failed_because(q, r, d, NCS_FAILING_EXCLUDED);
}

const struct ncs_rule ncs_rule_excluded_rank = { .match = excluded_rank_match, .ground = NCS_GROUND_MISUSE };
