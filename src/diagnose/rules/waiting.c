/* Ranks wait, and no other rule knows why. */
#include "diagnose/rules/rule.h"

static bool waiting_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind == NCS_CAUSE_CYCLE) {
        ncs_fill_cycle(q, r, d);
        d->f.why = ncs_cycle_text(d);
    } else if (r->unmet) {
        for (size_t i = 0; i < r->absents; i++)
            if (r->absent[i]->rank >= 0)
                ncs_add_culprit(d, r->absent[i]->rank, 0, 0);
        ncs_fill_unmet(q, d, r->unmet, r->unmet->call ? r->unmet->call->number : 0);
        d->f.why = ncs_text("the call waits for ranks that do not come");
    } else {
        return false;
    }
    d->f.fix = ncs_text("let the ranks that are waited for make the call, or leave it out on all");
    d->f.certainty = NCS_LIKELY; /* the waits are certain, but no cause is known */
    return true;
}

const struct ncs_rule ncs_rule_waiting = { .match = waiting_match, .ground = NCS_GROUND_NOTHING };
