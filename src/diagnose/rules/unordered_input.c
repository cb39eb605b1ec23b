/* An operation reads what another stream may not have written yet. */
#include "diagnose/rules/rule.h"

static bool unordered_input_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_INPUT, d);
    if (!h)
        return false;
    d->f.why = ncs_say(unordered_input_why, ncs_fact_at("who", h), ncs_fact_sentence("later", ncs_say_use(q, h->later)),
                       ncs_fact_sentence("earlier", ncs_say_use(q, h->earlier)));
    d->f.fix = ncs_say_wait_between(q, h);
    return true;
}

const struct ncs_rule ncs_rule_unordered_input = { .match = unordered_input_match, .ground = NCS_GROUND_NOTICED };
