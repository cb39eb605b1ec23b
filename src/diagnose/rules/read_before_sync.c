/* The host, or another stream, reads a result before the operation that writes it has ended. */
#include "diagnose/rules/rule.h"

static bool read_before_sync_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_READ_EARLY, d, &s);
    if (!h)
        return false;
    ncs_str_addf(&s, " %s", ncs_use_verb(NCS_TOUCH_READ, h->ats > 1));
    ncs_format_place(&s, h->later);
    ncs_str_add(&s, " what ");
    ncs_format_use(q, &s, h->earlier);
    ncs_str_add(&s, " writes, and nothing has waited for its end: what is read may be what was there "
                    "before");
    ncs_format_default_stream(&s, h);
    d->f.why = ncs_plain(ncs_str_take(&s));
    if (h->earlier->number) {
        ncs_str_addf(&s, "call %u, which writes it", (unsigned)h->earlier->number);
        ncs_format_line(&s, " at", h->earlier);
        ncs_str_add(&s, ", has not ended: ");
    }
    ncs_format_wait_between(&s, h);
    d->f.fix = ncs_plain(ncs_str_take(&s));
    ncs_repair_by_sync(d, h);
    return true;
}

const struct ncs_rule ncs_rule_read_before_sync = { .match = read_before_sync_match, .ground = NCS_GROUND_NOTICED };
