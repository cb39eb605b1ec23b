/* Results that are NCCL's and not what plain arithmetic gives: what went in, what came out. */
#include "diagnose/rules/rule.h"

#include "api/types.h"

const struct ncs_notice_inexact *ncs_inexact_of(const struct ncs_analysis *q, const struct ncs_cause *r, bool integer_average,
                                                struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_INEXACT)
        return NULL;
    const struct ncs_notice_inexact *x = &r->notice->inexact;
    const struct ncs_call *call = r->notice->call[0];
    if ((x->integer && x->average) != integer_average)
        return NULL;
    d->f.why = ncs_say(inexact_why, ncs_fact_call("call", q->journal, call), ncs_fact_number("element", (int64_t)x->element),
                       ncs_fact_rank("who", call->rank), ncs_fact_text("in", x->in), ncs_fact_text("sum", x->sum),
                       ncs_fact_number("ranks", x->ranks), ncs_fact_text("type", ncs_dtype_name(ncs_call_dtype(call))),
                       ncs_fact_is("cut", !x->overflow), ncs_fact_is("wraps", x->overflow && x->integer),
                       ncs_fact_is("ends", x->overflow && !x->integer), ncs_fact_is("average", x->average),
                       ncs_fact_is("partial", x->partial), ncs_fact_is("saturates", x->saturates), ncs_fact_text("got", x->got),
                       ncs_fact_text("exact", x->exact));
    d->f.evidence = ncs_say(inexact_evidence);
    d->f.certainty = NCS_CERTAIN;
    ncs_set_call(q, d, call);
    ncs_add_culprit(d, call->rank, call->number, call->place.line);
    return x;
}
