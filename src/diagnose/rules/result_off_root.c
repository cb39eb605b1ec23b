/* A rank that is not the root reads its receive buffer as if it had a result. */
#include "diagnose/rules/rule.h"

static bool result_off_root_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_OFF_ROOT, d);
    if (!h)
        return false;
    int root = ncs_run_rank(q, h->earlier->comm, ncs_call_root(h->earlier));
    d->f.why = ncs_say(result_off_root_why, ncs_fact_at("who", h), ncs_fact_call("later", q->journal, h->later),
                       ncs_fact_sentence("use", ncs_say_use(q, h->earlier)), ncs_fact_rank("root", root),
                       ncs_fact_is("kept", h->kept));
    if (h->kept) /* the expectation may be wrong for another reason */
        d->f.certainty = NCS_LIKELY;
    d->f.fix = ncs_say(result_off_root_fix, ncs_fact_rank("root", root));
    return true;
}

const struct ncs_rule ncs_rule_result_off_root = { .match = result_off_root_match, .ground = NCS_GROUND_NOTICED };
