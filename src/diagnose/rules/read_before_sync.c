/* The host, or another stream, reads a result before the operation that writes it has ended. */
#include "diagnose/rules/rule.h"

static bool read_before_sync_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_READ_EARLY, d);
    if (!h)
        return false;
    d->f.why = ncs_say(read_before_sync_why, ncs_fact_at("who", h), ncs_fact_call("later", q->journal, h->later),
                       ncs_fact_sentence("use", ncs_say_use(q, h->earlier)),
                       ncs_fact_sentence("stream", ncs_say_default_stream(q, h)));
    d->f.fix = ncs_say(read_before_sync_fix, ncs_fact_call("earlier", q->journal, h->earlier),
                       ncs_fact_sentence("wait", ncs_say_wait_between(q, h)));
    ncs_repair_by_sync(d, h);
    return true;
}

const struct ncs_rule ncs_rule_read_before_sync = { .match = read_before_sync_match, .ground = NCS_GROUND_NOTICED };
