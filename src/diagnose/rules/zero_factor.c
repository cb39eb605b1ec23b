/* The factor of a pre-mul-sum is 0 on every rank: probably the scalar has a wider type than the
 * operator, and NCCL reads only its first bytes. */
#include "diagnose/rules/rule.h"

#include "api/types.h"

static bool is_zero(const struct ncs_redop *op)
{
    size_t bytes = op && !op->on_device ? ncs_dtype_bytes(op->dtype) : 0;
    for (size_t i = 0; i < bytes; i++)
        if (op->scalar[i])
            return false;
    return bytes > 0;
}

/* A factor 0 on one rank alone may be meant, to leave that rank out of an average. */
static bool is_zero_everywhere(const struct ncs_analysis *q, const struct ncs_call *call)
{
    for (int r = 0; r < q->journal->comm[call->comm]->nranks; r++) {
        const struct ncs_call *c = ncs_journal_call(q->journal, call->comm, r, call->number);
        if (!c || ncs_failed(c) || !is_zero(c->redop))
            return false;
    }
    return true;
}

static void zero_factor_fill(const struct ncs_analysis *q, const struct ncs_call *call, struct ncs_draft *d)
{
    const struct ncs_call *made = call;
    while (made && made->id != call->redop->created)
        made = made->older;
    const char *type = ncs_dtype_name(call->redop->dtype);
    d->f.why = ncs_say(zero_factor_why, ncs_fact_call("call", q->journal, call), ncs_fact_call("made", q->journal, made),
                       ncs_fact_number("bytes", (int64_t)ncs_dtype_bytes(call->redop->dtype)), ncs_fact_text("type", type));
    d->f.fix = ncs_say(zero_factor_fix, ncs_fact_text("type", type));
    d->f.evidence = ncs_say(zero_factor_evidence);
    d->f.certainty = NCS_LIKELY;
    ncs_set_call(q, d, call);
    for (int r = 0; r < q->journal->comm[call->comm]->nranks; r++) {
        const struct ncs_call *c = ncs_journal_call(q->journal, call->comm, r, call->number);
        ncs_add_culprit(d, c->rank, c->number, c->place.line);
    }
}

static bool zero_factor_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_OPERATORS)
        return false;
    const struct ncs_call *c = q->journal->comm[r->comm]->member[0].first;
    while (c && !(is_zero(c->redop) && is_zero_everywhere(q, c)))
        c = c->next_counted;
    if (c)
        zero_factor_fill(q, c, d);
    return c != NULL;
}

const struct ncs_rule ncs_rule_zero_factor = { .match = zero_factor_match, .ground = NCS_GROUND_MISUSE };
