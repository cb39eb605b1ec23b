/* A buffer is on another device than the communicator. The devices can reach each other, so the
 * call succeeds, but slowly. */
#include "diagnose/rules/rule.h"

static bool foreign_buffer_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_FOREIGN || !r->notice->calls)
        return false;
    ncs_fill_notice(q, r, d, ncs_say(foreign_buffer_what));
    d->f.why = ncs_say(foreign_buffer_why, ncs_fact_sentence("seen", d->f.why),
                       ncs_fact_sentence("memory", ncs_say_memory(q, r->notice->call[0], r->notice->why, &(bool){ false })));
    d->f.fix = ncs_say(foreign_buffer_fix);
    return true;
}

const struct ncs_rule ncs_rule_foreign_buffer = { .match = foreign_buffer_match, .ground = NCS_GROUND_NOTICED };
