/* A call that returns an error in the simulator would crash the real library. */
#include "diagnose/rules/rule.h"

/* The call with which the rank finalized the communicator before; NULL = it has not, or the record was
 * dropped. */
static const struct ncs_call *crash_finalize_before(const struct ncs_call *call)
{
    const struct ncs_call *c = call && call->comm >= 0 ? call->older : NULL;
    while (c && !(c->fn == NCS_FN_ncclCommFinalize && !ncs_failed(c) && c->comm == call->comm && c->comm_rank == call->comm_rank))
        c = c->older;
    return c;
}

static struct ncs_sentence *say_crash_fix(const struct ncs_analysis *q, const struct ncs_call *call)
{
    return ncs_say(real_library_crash_fix, ncs_fact_call("call", q->journal, call),
                   ncs_fact_call("end", q->journal, crash_finalize_before(call)));
}

static const struct ncs_notice *crash_of(const struct ncs_analysis *q, const struct ncs_call *call)
{
    for (size_t i = 0; i < q->notices && call; i++)
        if (q->notice[i].kind == NCS_NOTICE_CRASH && q->notice[i].calls && q->notice[i].call[0] == call)
            return &q->notice[i];
    return NULL;
}

/* Other ranks wait for the call, which failed in the simulator. */
static bool leaves_others(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_call *c = r->absent[0]->call;
    const struct ncs_notice *notice = crash_of(q, c);
    if (!notice)
        return false;
    ncs_fill_absent(q, r, d);
    d->f.why = ncs_say(real_library_crash_why, ncs_fact_call("call", q->journal, c), ncs_fact_text("reason", notice->why),
                       ncs_fact_waits(q, r->unmet, r->absents > 1));
    d->f.fix = say_crash_fix(q, c);
    return true;
}

static bool real_library_crash_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (ncs_is_because(r, NCS_ABSENT_ERROR, NCS_ABSENT_DROPPED))
        return leaves_others(q, r, d);
    if (r->kind != NCS_CAUSE_NOTICE || r->notice->kind != NCS_NOTICE_CRASH)
        return false;
    ncs_fill_notice(q, r, d, ncs_say(real_library_crash_what));
    d->f.fix = say_crash_fix(q, r->notice->calls ? r->notice->call[0] : NULL);
    return true;
}

const struct ncs_rule ncs_rule_real_library_crash = { .match = real_library_crash_match, .ground = NCS_GROUND_NOTICED };
