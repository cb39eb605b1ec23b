/* An operation touches memory that it may not touch. */
#include "diagnose/rules/rule.h"

static bool illegal_access_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_NOTICE || r->notice->kind == NCS_NOTICE_CRASH || ncs_stale_target(q, r->notice))
        return false;
    ncs_fill_notice(q, r, d, ncs_say(illegal_access_what));
    bool freed = false;
    if (r->notice->calls)
        d->f.why = ncs_say(illegal_access_why, ncs_fact_sentence("seen", d->f.why),
                           ncs_fact_sentence("memory", ncs_say_memory(q, r->notice->call[0], r->notice->why, &freed)));
    d->f.fix = ncs_say(illegal_access_fix, ncs_fact_is("freed", freed));
    return true;
}

const struct ncs_rule ncs_rule_illegal_access = { .match = illegal_access_match, .ground = NCS_GROUND_NOTICED };
