/* Some ranks made calls that the others did not make. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static bool extra_call_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_call_divergence found, *p = &found;
    if (!ncs_is_divergence(q, r, NCS_DIVERGENCE_EXTRA, p))
        return false;
    int comm = ncs_divergence_comm(r);
    ncs_fill_divergence(q, r, comm, p, d);
    const struct ncs_call *own = ncs_call_at(q, comm, p->minority[0], p->at);
    d->f.why = ncs_say(extra_call_why, ncs_fact_minority(q, comm, p), ncs_fact_number("calls", p->shift), ncs_fact_comm(q, comm),
                       ncs_fact_number("others", q->journal->comm[comm]->nranks - (int)p->minority_size),
                       ncs_fact_gaps(q, comm, p->minority[0], p), ncs_fact_call("own", q->journal, own));
    struct ncs_fact wait = r->kind == NCS_CAUSE_ABSENT ? ncs_fact_before_wait(q, r, r->absents > 1) : ncs_fact_is("wait", false);
    d->f.fix = ncs_say(extra_call_fix, ncs_fact_call("own", q->journal, own), wait);
    ncs_free(p->minority);
    return true;
}

const struct ncs_rule ncs_rule_extra_call = { .match = extra_call_match, .ground = NCS_GROUND_MORE };
