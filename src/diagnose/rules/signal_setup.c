/* The first one-sided call on a communicator waits for all its ranks, and some never make one. */
#include "diagnose/rules/rule.h"

static bool signal_setup_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (!ncs_lacks(r, NCS_UNMET_SETUP))
        return false;
    ncs_blame_absent(r, d);
    ncs_fill_unmet(q, d, r->unmet, r->unmet->call->number);
    d->f.why = ncs_say(signal_setup_why, ncs_fact_absent(r), ncs_fact_comm(q, r->unmet->comm));
    d->f.fix = ncs_say(signal_setup_fix, ncs_fact_absent(r), ncs_fact_comm(q, r->unmet->comm));
    return true;
}

const struct ncs_rule ncs_rule_signal_setup = { .match = signal_setup_match, .ground = NCS_GROUND_FEWER };
