/* A call is made on a communicator that the rank was never given. */
#include "diagnose/rules/rule.h"

static bool null_communicator_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_failed_because(q, r, d, NCS_FAILING_NULL_COMM);
}

const struct ncs_rule ncs_rule_null_communicator = { .match = null_communicator_match, .ground = NCS_GROUND_MISUSE };
