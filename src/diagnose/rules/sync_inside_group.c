/* A wait in an open group covers nothing of the group: its calls are enqueued at its end. */
#include "diagnose/rules/rule.h"

static bool sync_inside_group_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_GROUP_SYNC, d, &s);
    if (!h)
        return false;
    ncs_format_sync(&s, h);
    ncs_str_add(&s, " in an open group, in which ");
    ncs_format_use(q, &s, h->earlier);
    ncs_str_addf(&s, " is only queued: the wait covers nothing of it, and what is %s",
                 h->later_does & NCS_TOUCH_WRITE  ? "overwritten"
                 : h->later_does & NCS_TOUCH_FREE ? "freed"
                                                  : "read");
    ncs_format_place(&s, h->later);
    ncs_str_add(&s, h->later_does & NCS_TOUCH_READ ? " is what was there before" : " is still in use");
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_addf(&s, "%s() only after the group has ended: its calls are enqueued then", ncs_function_name(h->sync));
    d->f.fix = ncs_plain(ncs_str_take(&s));
    return true;
}

const struct ncs_rule ncs_rule_sync_inside_group = { .match = sync_inside_group_match, .ground = NCS_GROUND_NOTICED };
