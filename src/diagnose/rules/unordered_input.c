/* An operation reads what another stream may not have written yet. */
#include "diagnose/rules/rule.h"

static bool unordered_input_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_INPUT, d, &s);
    if (!h)
        return false;
    ncs_str_add(&s, ": ");
    ncs_format_use(q, &s, h->later);
    ncs_str_add(&s, " reads what ");
    ncs_format_use(q, &s, h->earlier);
    ncs_str_add(&s, " writes in another stream, and nothing orders them: it may read too early");
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_format_wait_between(&s, h);
    d->f.fix = ncs_plain(ncs_str_take(&s));
    return true;
}

const struct ncs_rule ncs_rule_unordered_input = { .match = unordered_input_match, .ground = NCS_GROUND_NOTICED };
