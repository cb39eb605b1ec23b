/* A wait in an open group covers nothing of the group: its calls are enqueued at its end. */
#include "diagnose/rules/rule.h"

static bool sync_inside_group_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_GROUP_SYNC, d);
    if (!h)
        return false;
    bool writes = h->later_does & NCS_TOUCH_WRITE, frees = !writes && h->later_does & NCS_TOUCH_FREE;
    d->f.why = ncs_say(sync_inside_group_why, ncs_fact_at("who", h), ncs_fact_call("sync", q->journal, h->sync),
                       ncs_fact_sentence("use", ncs_say_use(q, h->earlier)), ncs_fact_call("later", q->journal, h->later),
                       ncs_fact_is("write", writes), ncs_fact_is("free", frees), ncs_fact_is("read", !writes && !frees),
                       ncs_fact_is("reads", h->later_does & NCS_TOUCH_READ));
    d->f.fix = ncs_say(sync_inside_group_fix, ncs_fact_call("sync", q->journal, h->sync));
    return true;
}

const struct ncs_rule ncs_rule_sync_inside_group = { .match = sync_inside_group_match, .ground = NCS_GROUND_NOTICED };
