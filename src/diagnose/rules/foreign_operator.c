/* A call uses an operator that is no longer there, or was made for something else. */
#include "diagnose/rules/rule.h"

static bool foreign_operator_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_failed_because(q, r, d, NCS_FAILING_NO_OPERATOR);
}

const struct ncs_rule ncs_rule_foreign_operator = { .match = foreign_operator_match, .ground = NCS_GROUND_MISUSE };
