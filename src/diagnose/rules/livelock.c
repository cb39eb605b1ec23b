/* Hosts poll, and nothing is under way that could change the answer. */
#include "diagnose/rules/rule.h"

static bool livelock_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_POLL)
        return false;
    struct ncs_str s = { 0 };
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
        const char *in = sleeps    ? "sleeps over and over"
                         : c->call ? ncs_context_function(q, (int)i)
                                   : "the store, a thread or the clock";
        const char *verb = sleeps ? "" : "polls ", *end = !sleeps && c->call ? "()" : "";
        ncs_add_row(d, c->rank, line, ncs_plain(ncs_text("%s%s%s", verb, in, end)));
        ncs_str_addf(&s, "%srank %d %s%s", s.bytes ? ", " : "", c->rank, verb, in);
        if (line)
            ncs_str_addf(&s, " at line %d", line);
    }
    ncs_str_add(&s, ": nothing is under way that could change the answer");
    d->f.title = ncs_text("polls in vain");
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(ncs_text("give the loop another way out, and make sure that what it polls for can "
                                  "happen"));
    return true;
}

const struct ncs_rule ncs_rule_livelock = { .match = livelock_match, .ground = NCS_GROUND_HOSTS };
