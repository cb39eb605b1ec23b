/* Ranks wait, and no other rule knows why. */
#include "diagnose/rules/rule.h"

static bool waiting_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind == NCS_CAUSE_CYCLE) {
        ncs_fill_cycle(q, r, NULL, d);
        d->f.why = ncs_say_cycle(d);
    } else if (r->unmet) {
        ncs_blame_absent(r, d);
        ncs_fill_unmet(q, d, r->unmet, r->unmet->call ? r->unmet->call->number : 0);
        d->f.why = ncs_say(waiting_why);
    } else {
        return false;
    }
    d->f.fix = ncs_say(waiting_fix);
    d->f.certainty = NCS_LIKELY; /* the waits are certain, but no cause is known */
    return true;
}

const struct ncs_rule ncs_rule_waiting = { .match = waiting_match, .ground = NCS_GROUND_NOTHING };
