/* A communicator is made with the id of another one. */
#include "diagnose/rules/rule.h"

static bool reused_id_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_failed_because(q, r, d, NCS_FAILING_REUSED_ID);
}

const struct ncs_rule ncs_rule_reused_id = { .match = reused_id_match, .ground = NCS_GROUND_MISUSE };
