/* Waits for signals that are sent only behind other such waits. */
#include "diagnose/rules/rule.h"

static bool signal_cycle_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_CYCLE || !ncs_ring_look(q, r).signals)
        return false;
    ncs_fill_cycle(q, r, d);
    d->f.why = ncs_ring_text(d);
    d->f.fix = ncs_text("put or signal before waiting: what is behind a wait in its stream is not "
                        "sent before the wait ends");
    return true;
}

const struct ncs_rule ncs_rule_signal_cycle = { .match = signal_cycle_match, .ground = NCS_GROUND_WAITS };
