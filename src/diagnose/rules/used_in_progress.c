/* A communicator is used while it is in progress. */
#include "diagnose/rules/rule.h"

static bool used_in_progress_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_failed_because(q, r, d, NCS_FAILING_IN_PROGRESS);
}

const struct ncs_rule ncs_rule_used_in_progress = { .match = used_in_progress_match, .ground = NCS_GROUND_MISUSE };
