/* The scalar of a pre-mul-sum is on the device and is changed or freed before it is read there. */
#include "diagnose/rules/rule.h"

static bool stale_scalar_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_SCALAR, d);
    if (!h)
        return false;
    bool late = h->earlier_does & NCS_TOUCH_SCALAR;
    unsigned does = late ? h->later_does : h->earlier_does;
    d->f.why = ncs_say(stale_scalar_why, ncs_fact_at("who", h),
                       ncs_fact_sentence("reader", ncs_say_use(q, late ? h->earlier : h->later)),
                       ncs_fact_sentence("writer", ncs_say_use(q, late ? h->later : h->earlier)),
                       ncs_fact_sentence("verb", ncs_say_does(does, ncs_fact_rank("who", 0))));
    d->f.fix = ncs_say(stale_scalar_fix, ncs_fact_sentence("wait", ncs_say_wait_between(q, h)));
    if (late && h->host)
        ncs_repair_by_sync(d, h);
    return true;
}

const struct ncs_rule ncs_rule_stale_scalar = { .match = stale_scalar_match, .ground = NCS_GROUND_NOTICED };
