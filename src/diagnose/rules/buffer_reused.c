/* Memory is overwritten or freed while an operation still uses it. */
#include "diagnose/rules/rule.h"

static bool buffer_reused_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_REUSED, d, &s);
    if (!h)
        return false;
    ncs_str_addf(&s, " %s", ncs_use_verb(h->later_does, h->ats > 1));
    ncs_format_place(&s, h->later);
    ncs_str_add(&s, " memory that ");
    ncs_format_use(q, &s, h->earlier);
    ncs_str_addf(&s, " still %s: nothing has waited for its end", h->earlier_does & NCS_TOUCH_WRITE ? "writes" : "reads");
    ncs_format_default_stream(&s, h);
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_format_wait_between(&s, h);
    ncs_str_add(&s,
                h->later_does & NCS_TOUCH_FREE ? ", or free it in the stream that used it last" : ", or use a buffer of its own");
    d->f.fix = ncs_plain(ncs_str_take(&s));
    if (h->host)
        ncs_repair_by_sync(d, h);
    return true;
}

const struct ncs_rule ncs_rule_buffer_reused = { .match = buffer_reused_match, .ground = NCS_GROUND_NOTICED };
