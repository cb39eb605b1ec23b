/* A call failed for what is in it, or for what the library met. */
#include "diagnose/rules/rule.h"

static bool failed_call_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_failed_because(q, r, d, NCS_FAILING_OWN);
}

const struct ncs_rule ncs_rule_failed_call = { .match = failed_call_match, .ground = NCS_GROUND_MISUSE };
