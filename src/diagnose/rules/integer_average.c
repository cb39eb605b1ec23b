/* An average of integers: NCCL sums in their type and cuts off the fraction. */
#include "diagnose/rules/rule.h"

static bool integer_average_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_notice_inexact *x = ncs_inexact_of(q, r, true, d);
    if (!x)
        return false;
    d->f.fix = ncs_say(integer_average_fix, ncs_fact_is("overflow", x->overflow));
    return true;
}

const struct ncs_rule ncs_rule_integer_average = { .match = integer_average_match,
                                                   .ground = NCS_GROUND_NOTICED,
                                                   .by_title = true };
