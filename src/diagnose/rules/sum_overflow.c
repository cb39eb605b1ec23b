/* A sum, or a partial sum, does not fit its type. */
#include "diagnose/rules/rule.h"

static bool sum_overflow_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_notice_inexact *x = ncs_inexact_of(q, r, false, d);
    if (!x)
        return false;
    d->f.fix = ncs_say(sum_overflow_fix, ncs_fact_is("integer", x->integer));
    return true;
}

const struct ncs_rule ncs_rule_sum_overflow = { .match = sum_overflow_match, .ground = NCS_GROUND_NOTICED, .by_title = true };
