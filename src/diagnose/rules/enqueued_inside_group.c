/* Work that is enqueued on a stream in an open group runs before the calls of the group. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static bool enqueued_inside_group_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_GROUP_EARLY, d, &s);
    if (!h)
        return false;
    ncs_str_addf(&s, " put%s ", h->ats > 1 ? "" : "s");
    ncs_format_use(q, &s, h->later);
    ncs_str_add(&s, " on the stream in an open group, in which ");
    ncs_format_use(q, &s, h->earlier);
    ncs_str_addf(&s, " is only queued: it runs before that call, and %s",
                 h->later_does & NCS_TOUCH_WRITE ? "writes what the call is to use" : "reads what was there before");
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_add(&s, "make");
    ncs_format_line(&s, " what is at", h->later);
    ncs_str_add(&s, " after the end of the group: its calls are put on the stream then");
    d->f.fix = ncs_plain(ncs_str_take(&s));
    ncs_sentence_free(d->f.evidence);
    d->f.evidence = ncs_plain(ncs_copy_text("the end of the group puts its calls behind it on the stream"));
    d->f.certainty = NCS_CERTAIN;
    return true;
}

const struct ncs_rule ncs_rule_enqueued_inside_group = { .match = enqueued_inside_group_match, .ground = NCS_GROUND_NOTICED };
