/* A reduction computes in another data type than the buffer's. The library cannot know, so it computes with the bytes as
 * if they had its type. */
#include "diagnose/rules/rule.h"

#include "api/types.h"

static bool dtype_of_buffer_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_RETYPED)
        return false;
    const struct ncs_notice *n = r->notice;
    const struct ncs_call *call = n->call[0];
    if (call->comm < 0 || q->journal->comm[call->comm]->nranks == 1)
        return false; /* a rank alone copies */
    const char *is = ncs_dtype_name(call->declared - 1), *as = ncs_dtype_name(ncs_call_dtype(call));
    d->f.why = ncs_say(dtype_of_buffer_why, ncs_fact_sentence("use", ncs_say_use(q, call)), ncs_fact_text("is", is),
                       ncs_fact_text("as", as), ncs_fact_makers("who", n->call, n->calls));
    d->f.fix = ncs_say(dtype_of_buffer_fix, ncs_fact_text("is", is), ncs_fact_text("as", as));
    d->f.evidence = ncs_say(dtype_of_buffer_evidence);
    d->f.certainty = NCS_LIKELY;
    ncs_set_call(q, d, call);
    for (size_t i = 0; i < n->calls; i++)
        ncs_add_culprit(d, n->call[i]->rank, n->call[i]->number, n->call[i]->place.line);
    return true;
}

const struct ncs_rule ncs_rule_dtype_of_buffer = { .match = dtype_of_buffer_match, .ground = NCS_GROUND_NOTICED };
