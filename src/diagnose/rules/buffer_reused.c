/* Memory is overwritten or freed while an operation still uses it. */
#include "diagnose/rules/rule.h"

static bool buffer_reused_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_REUSED, d);
    if (!h)
        return false;
    d->f.why = ncs_say(
        buffer_reused_why, ncs_fact_at("who", h), ncs_fact_sentence("verb", ncs_say_does(h->later_does, ncs_fact_at("who", h))),
        ncs_fact_call("later", q->journal, h->later), ncs_fact_sentence("use", ncs_say_use(q, h->earlier)),
        ncs_fact_is("writes", h->earlier_does & NCS_TOUCH_WRITE), ncs_fact_sentence("stream", ncs_say_default_stream(q, h)));
    d->f.fix = ncs_say(buffer_reused_fix, ncs_fact_sentence("wait", ncs_say_wait_between(q, h)),
                       ncs_fact_is("free", h->later_does & NCS_TOUCH_FREE));
    if (h->host)
        ncs_repair_by_sync(d, h);
    return true;
}

const struct ncs_rule ncs_rule_buffer_reused = { .match = buffer_reused_match, .ground = NCS_GROUND_NOTICED };
