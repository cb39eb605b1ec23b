/* A reduction computes in another data type than the buffer's. The library cannot know, so it computes with the bytes as
 * if they had its type. */
#include "diagnose/rules/rule.h"

#include "api/types.h"
#include "base/mem.h"

static bool dtype_of_buffer_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_RETYPED)
        return false;
    const struct ncs_notice *n = r->notice;
    const struct ncs_call *call = n->call[0];
    if (call->comm < 0 || q->journal->comm[call->comm]->nranks == 1)
        return false; /* a rank alone copies */
    const char *is = ncs_dtype_name(call->declared - 1), *as = ncs_dtype_name(ncs_call_dtype(call));
    int *rank = ncs_new(n->calls * sizeof *rank);
    for (size_t i = 0; i < n->calls; i++)
        rank[i] = n->call[i]->rank;
    struct ncs_str s = { 0 };
    ncs_format_use(q, &s, call);
    ncs_str_addf(&s, " reads a %s buffer as %s on ", is, as);
    ncs_format_ranks(&s, rank, n->calls);
    ncs_str_addf(&s, ": the bytes of %s elements are no %s elements", is, as);
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(
        ncs_text("pass the type of the buffer, %s, and the number of its elements; or make a buffer of %s, or one of "
                 "uint8 if it holds elements of any type",
                 is, as));
    d->f.evidence = ncs_plain(ncs_copy_text("by the type with which the buffer was made"));
    d->f.certainty = NCS_LIKELY;
    ncs_set_call(q, d, call);
    for (size_t i = 0; i < n->calls; i++)
        ncs_add_culprit(d, rank[i], n->call[i]->number, n->call[i]->place.line);
    ncs_free(rank);
    return true;
}

const struct ncs_rule ncs_rule_dtype_of_buffer = { .match = dtype_of_buffer_match, .ground = NCS_GROUND_NOTICED };
