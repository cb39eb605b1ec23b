/* A rank made its call with count 0, which NCCL drops. */
#include "diagnose/rules/rule.h"

static bool zero_count_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (!ncs_is_because(r, NCS_ABSENT_EMPTY, NCS_ABSENT_EMPTY))
        return false;
    ncs_fill_absent(q, r, d);
    const struct ncs_call *c = r->absent[0]->call;
    d->f.why = ncs_say(zero_count_why, ncs_fact_absent(r), ncs_fact_call("call", q->journal, c),
                       ncs_fact_waits(q, r->unmet, r->absents > 1));
    d->f.fix = ncs_say(zero_count_fix, ncs_fact_call("call", q->journal, c));
    return true;
}

const struct ncs_rule ncs_rule_zero_count = { .match = zero_count_match, .ground = NCS_GROUND_RECORD };
