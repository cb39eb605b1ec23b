/* The scalar of a pre-mul-sum is on the device and is changed or freed before it is read there. */
#include "diagnose/rules/rule.h"

static bool stale_scalar_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_SCALAR, d, &s);
    if (!h)
        return false;
    bool late = h->earlier_does & NCS_TOUCH_SCALAR;
    ncs_str_add(&s, ": ");
    ncs_format_use(q, &s, late ? h->earlier : h->later);
    ncs_str_add(&s, " reads its scalar on the device when it runs, and ");
    ncs_format_use(q, &s, late ? h->later : h->earlier);
    ncs_str_addf(&s, " %s it, in no order with that: which factor counts is a matter of time",
                 ncs_use_verb(late ? h->later_does : h->earlier_does, false));
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_format_wait_between(&s, h);
    ncs_str_add(&s, ", or give each operation a scalar of its own, or one of the host");
    d->f.fix = ncs_plain(ncs_str_take(&s));
    if (late && h->host)
        ncs_repair_by_sync(d, h);
    return true;
}

const struct ncs_rule ncs_rule_stale_scalar = { .match = stale_scalar_match, .ground = NCS_GROUND_NOTICED };
