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
    struct ncs_str s = { 0 };
    char *what = ncs_describe(own);
    ncs_format_minority(q, &s, comm, p);
    ncs_str_add(&s, " made ");
    ncs_format_call_count(&s, (unsigned)p->shift);
    bool two = q->journal->comm[comm]->nranks - (int)p->minority_size == 1;
    ncs_str_addf(&s, " on %s that the other%s did not make: ", ncs_comm_name(q, comm), two ? "" : "s");
    if (p->gaps.count) {
        ncs_format_gaps(q, comm, p->minority[0], p, &s);
    } else {
        ncs_str_addf(&s, "call %u, %s%s", (unsigned)own->number, what, own->place.line ? "," : "");
        ncs_format_place(&s, own);
    }
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_add(&s, "leave out the call");
    ncs_format_place(&s, own);
    ncs_str_add(&s, " or make it on every rank");
    if (r->kind == NCS_CAUSE_ABSENT)
        ncs_format_before_wait(q, r, r->absents > 1, &s);
    d->f.fix = ncs_plain(ncs_str_take(&s));
    ncs_free(what);
    ncs_free(p->minority);
    return true;
}

const struct ncs_rule ncs_rule_extra_call = { .match = extra_call_match, .ground = NCS_GROUND_MORE };
