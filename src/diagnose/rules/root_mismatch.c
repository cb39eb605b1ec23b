/* Calls that met name different roots. */
#include "diagnose/rules/rule.h"

static bool root_mismatch_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_mismatch(q, r, d, NCS_FACT_ROOT, "root") &&
           ncs_advise_minority(r, d, "give the same root, which is a rank of this communicator and not of the "
                        "run, on every rank");
}

const struct ncs_rule ncs_rule_root_mismatch = { .match = root_mismatch_match, .ground = NCS_GROUND_DISAGREE };
