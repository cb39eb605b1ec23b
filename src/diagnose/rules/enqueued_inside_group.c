/* Work that is enqueued on a stream in an open group runs before the calls of the group. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static bool enqueued_inside_group_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_GROUP_EARLY, d);
    if (!h)
        return false;
    d->f.why = ncs_say(enqueued_inside_group_why, ncs_fact_at("who", h), ncs_fact_sentence("later", ncs_say_use(q, h->later)),
                       ncs_fact_sentence("use", ncs_say_use(q, h->earlier)),
                       ncs_fact_is("writes", h->later_does & NCS_TOUCH_WRITE));
    d->f.fix = ncs_say(enqueued_inside_group_fix, ncs_fact_call("later", q->journal, h->later));
    ncs_sentence_free(d->f.evidence);
    d->f.evidence = ncs_say(enqueued_inside_group_evidence);
    d->f.certainty = NCS_CERTAIN;
    return true;
}

const struct ncs_rule ncs_rule_enqueued_inside_group = { .match = enqueued_inside_group_match, .ground = NCS_GROUND_NOTICED };
