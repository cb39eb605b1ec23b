/* A call sits in a group that was never ended. */
#include "diagnose/rules/rule.h"

static bool missing_group_end_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind == NCS_CAUSE_LEFT && r->rank >= 0) {
        ncs_add_culprit(d, r->rank, 0, r->line);
        d->f.title = ncs_sentence_take(ncs_say(missing_group_end_title, ncs_fact_rank("who", r->rank)));
        d->f.why = ncs_say(missing_group_end_left, ncs_fact_rank("who", r->rank), ncs_fact_number("groups", r->depth));
        d->f.fix = ncs_say(missing_group_end_left_fix);
        return true;
    }
    if (!ncs_is_because(r, NCS_ABSENT_GROUP, NCS_ABSENT_GROUP))
        return false;
    ncs_fill_absent(q, r, d);
    const struct ncs_absent *a = r->absent[0];
    int depth = a->context >= 0 ? q->snap->context[a->context].group_depth : 1;
    d->f.why = ncs_say(missing_group_end_why, ncs_fact_absent(r), ncs_fact_call("call", q->journal, a->call),
                       ncs_fact_number("depth", depth), ncs_fact_waits(q, r->unmet, r->absents > 1));
    d->f.fix = ncs_say(missing_group_end_fix, ncs_fact_call("call", q->journal, a->call));
    return true;
}

const struct ncs_rule ncs_rule_missing_group_end = { .match = missing_group_end_match, .ground = NCS_GROUND_RECORD };
