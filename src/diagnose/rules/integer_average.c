/* An average of integers: NCCL sums in their type and cuts off the fraction. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static bool integer_average_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_notice_inexact *x = ncs_inexact_of(q, r, true, d);
    if (!x)
        return false;
    d->f.fix = ncs_plain(ncs_copy_text(x->overflow ? "convert to a type that holds the sum, float32 or int32, before "
                                                     "averaging"
                                                   : "convert to float32 before averaging, or sum and divide with the "
                                                     "rounding that is meant"));
    return true;
}

const struct ncs_rule ncs_rule_integer_average = { .match = integer_average_match,
                                                   .ground = NCS_GROUND_NOTICED,
                                                   .by_title = true };
