/* Two operations that may run at the same time use the same memory, and one of them writes. */
#include "diagnose/rules/rule.h"

static bool overlapping_buffers_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_OVERLAP, d);
    if (!h)
        return false;
    bool several = h->same_launch && h->earlier->comm != h->later->comm;
    d->f.why = ncs_say(overlapping_buffers_why, ncs_fact_at("who", h), ncs_fact_sentence("later", ncs_say_use(q, h->later)),
                       ncs_fact_sentence("earlier", ncs_say_use(q, h->earlier)),
                       ncs_fact_is("later_writes", h->later_does & NCS_TOUCH_WRITE),
                       ncs_fact_is("writes", h->earlier_does & NCS_TOUCH_WRITE), ncs_fact_is("several", several),
                       ncs_fact_is("group", h->same_launch && !several), ncs_fact_is("wait", !h->same_launch));
    d->f.fix = ncs_say(overlapping_buffers_fix, ncs_fact_is("several", several),
                       ncs_fact_sentence("wait", h->same_launch ? NULL : ncs_say_wait_between(q, h)));
    return true;
}

const struct ncs_rule ncs_rule_overlapping_buffers = { .match = overlapping_buffers_match, .ground = NCS_GROUND_NOTICED };
