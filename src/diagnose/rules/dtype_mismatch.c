/* Calls that met have different data types. */
#include "diagnose/rules/rule.h"

static bool dtype_mismatch_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_mismatch(q, r, d, NCS_FACT_DTYPE, "") &&
           ncs_advise_minority(r, d, "give the same data type on every rank");
}

const struct ncs_rule ncs_rule_dtype_mismatch = { .match = dtype_mismatch_match, .ground = NCS_GROUND_DISAGREE };
