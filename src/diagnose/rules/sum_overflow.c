/* A sum, or a partial sum, does not fit its type. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static bool sum_overflow_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_notice_inexact *x = ncs_inexact_of(q, r, false, d);
    if (!x)
        return false;
    d->f.fix = ncs_plain(ncs_copy_text(x->integer ? "sum in a wider type"
                                                  : "scale each value down before it is summed (avg, or a pre-mul-sum "
                                                    "operator with a smaller factor), or sum in a wider type"));
    return true;
}

const struct ncs_rule ncs_rule_sum_overflow = { .match = sum_overflow_match, .ground = NCS_GROUND_NOTICED, .by_title = true };
