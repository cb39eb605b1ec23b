/* A wait for a stream comes before a non-blocking communicator has put its operation there
 * (ncclInProgress). */
#include "diagnose/rules/rule.h"

static bool sync_before_enqueued_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_PROGRESS_SYNC, d);
    if (!h)
        return false;
    d->f.why = ncs_say(sync_before_enqueued_why, ncs_fact_at("who", h), ncs_fact_call("sync", q->journal, h->sync),
                       ncs_fact_sentence("use", ncs_say_use(q, h->earlier)));
    d->f.fix = ncs_say(sync_before_enqueued_fix, ncs_fact_call("sync", q->journal, h->sync));
    return true;
}

const struct ncs_rule ncs_rule_sync_before_enqueued = { .match = sync_before_enqueued_match, .ground = NCS_GROUND_NOTICED };
