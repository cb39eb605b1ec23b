/* Calls that met are not the same function. */
#include "diagnose/rules/rule.h"

/* True if a send or receive met a part of an all-to-all, gather or scatter, which NCCL composes of
 * sends and receives. */
static bool meets_pairwise(const struct ncs_cause *r)
{
    return r->calls == 2 && ncs_call_is_pair(r->call[0]) != ncs_call_is_pair(r->call[1]) &&
           (ncs_is_composed(r->call[0]) || ncs_is_composed(r->call[1]));
}

static bool kind_mismatch_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (!ncs_mismatch(q, r, d, NCS_FACT_KIND, ""))
        return false;
    if (!meets_pairwise(r))
        return ncs_advise_minority(r, d, "make the same call on every rank");
    int a = r->call[0]->rank, b = r->call[1]->rank;
    d->f.fix = ncs_say(kind_mismatch_fix, ncs_fact_rank("a", a < b ? a : b), ncs_fact_rank("b", a < b ? b : a));
    return true;
}

const struct ncs_rule ncs_rule_kind_mismatch = { .match = kind_mismatch_match, .ground = NCS_GROUND_DISAGREE };
