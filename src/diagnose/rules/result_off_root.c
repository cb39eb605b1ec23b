/* A rank that is not the root reads its receive buffer as if it had a result. */
#include "diagnose/rules/rule.h"

static bool result_off_root_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_OFF_ROOT, d, &s);
    if (!h)
        return false;
    int root = ncs_run_rank(q, h->earlier->comm, ncs_call_root(h->earlier));
    ncs_str_addf(&s, " %s", ncs_use_verb(NCS_TOUCH_READ, h->ats > 1));
    ncs_format_place(&s, h->later);
    ncs_str_add(&s, " the receive buffer of ");
    ncs_format_use(q, &s, h->earlier);
    ncs_str_addf(&s, ", which writes this buffer on its root only, rank %d: the reader gets %s", root,
                 h->kept ? "its own input" : "the old contents");
    d->f.why = ncs_plain(ncs_str_take(&s));
    if (h->kept) /* the expectation may be wrong for another reason */
        d->f.certainty = NCS_LIKELY;
    ncs_str_addf(&s, "use the result on rank %d only, or make a call that gives it to all ranks", root);
    d->f.fix = ncs_plain(ncs_str_take(&s));
    return true;
}

const struct ncs_rule ncs_rule_result_off_root = { .match = result_off_root_match, .ground = NCS_GROUND_NOTICED };
