/* Hosts poll, and nothing is under way that could change the answer. */
#include "diagnose/rules/rule.h"

static bool livelock_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_POLL)
        return false;
    struct ncs_sentence *all = NULL;
    d->order = UINT64_MAX;
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        if (c->state == NCS_CONTEXT_ENDED)
            continue;
        ncs_add_blocked_rank(d, c->rank);
        bool sleeps = c->state == NCS_CONTEXT_SLEEPING;
        if (!sleeps && !ncs_polls(q, c))
            continue;
        int line = ncs_context_place(q, (int)i).line;
        ncs_add_culprit(d, c->rank, 0, line);
        const char *in = sleeps || !c->call ? NULL : ncs_context_function(q, (int)i);
        ncs_add_row(d, c->rank, line,
                    ncs_say(livelock_row, ncs_fact_is("sleeps", sleeps), ncs_fact_text("in", in), ncs_fact_text("end", "()")));
        struct ncs_sentence *does = ncs_say(livelock_row, ncs_fact_is("sleeps", sleeps), ncs_fact_text("in", in));
        all = ncs_say(livelock_one, ncs_fact_sentence("before", all), ncs_fact_rank("who", c->rank),
                      ncs_fact_sentence("does", does), ncs_fact_line("line", line));
    }
    d->f.title = ncs_text("polls in vain");
    d->f.why = ncs_say(livelock_why, ncs_fact_sentence("all", all));
    d->f.fix = ncs_say(livelock_fix);
    return true;
}

const struct ncs_rule ncs_rule_livelock = { .match = livelock_match, .ground = NCS_GROUND_HOSTS };
