/* Results that are NCCL's and not what plain arithmetic gives: what went in, what came out. */
#include "diagnose/rules/rule.h"

#include "api/types.h"
#include "base/mem.h"

/* "the sum 200 does not fit int8 and wraps round before it is divided: it is -28, not 100" */
static void format_what(struct ncs_str *s, const struct ncs_notice_inexact *x, const char *type)
{
    const char *end = x->saturates ? "ends at its largest number" : "becomes infinite";
    if (!x->overflow)
        ncs_str_addf(s, "the sum %s over %d ranks is not whole, and the fraction is cut off", x->sum, x->ranks);
    else if (x->integer)
        ncs_str_addf(s, "the sum %s does not fit %s and wraps round%s", x->sum, type, x->average ? " before it is divided" : "");
    else if (x->partial)
        ncs_str_addf(s, "a part of the sum on the way does not fit %s and %s, though the whole would fit", type, end);
    else
        ncs_str_addf(s, "the sum does not fit %s and %s", type, end);
    ncs_str_addf(s, "; the result is %s, exact is %s", x->got, x->exact);
}

const struct ncs_notice_inexact *ncs_inexact_of(const struct ncs_analysis *q, const struct ncs_cause *r, bool integer_average,
                                                struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_INEXACT)
        return NULL;
    const struct ncs_notice_inexact *x = &r->notice->inexact;
    const struct ncs_call *call = r->notice->call[0];
    if ((x->integer && x->average) != integer_average)
        return NULL;
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "call %u on %s", (unsigned)call->number, ncs_comm_name(q, call->comm));
    ncs_format_place(&s, call);
    ncs_str_addf(&s, ", element %llu on rank %d: the ranks gave %s; ", (unsigned long long)x->element, call->rank, x->in);
    format_what(&s, x, ncs_dtype_name(ncs_call_dtype(call)));
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.evidence = ncs_plain(ncs_copy_text("by the values that went in and came out"));
    d->f.certainty = NCS_CERTAIN;
    ncs_set_call(q, d, call);
    ncs_add_culprit(d, call->rank, call->number, call->place.line);
    return x;
}
