/* Calls that met have different counts. */
#include "diagnose/rules/rule.h"

static bool count_mismatch_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_mismatch(q, r, d, NCS_FACT_COUNT, "count") &&
           ncs_advise_minority(r, d, "give the same count on every rank, padded to the largest");
}

const struct ncs_rule ncs_rule_count_mismatch = { .match = count_mismatch_match, .ground = NCS_GROUND_DISAGREE };
