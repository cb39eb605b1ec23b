/* Calls that met reduce with different operators. */
#include "diagnose/rules/rule.h"

static bool op_mismatch_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_mismatch(q, r, d, NCS_FACT_OP, "op") &&
           ncs_advise_minority(r, d, "give the same operator on every rank");
}

const struct ncs_rule ncs_rule_op_mismatch = { .match = op_mismatch_match, .ground = NCS_GROUND_DISAGREE };
