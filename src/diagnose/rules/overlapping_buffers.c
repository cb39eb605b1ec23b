/* Two operations that may run at the same time use the same memory, and one of them writes. */
#include "diagnose/rules/rule.h"

static bool overlapping_buffers_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_OVERLAP, d, &s);
    if (!h)
        return false;
    bool several = h->same_launch && h->earlier->comm != h->later->comm;
    ncs_str_add(&s, ": ");
    ncs_format_use(q, &s, h->later);
    ncs_str_addf(&s, " %s memory that ", h->later_does & NCS_TOUCH_WRITE ? "writes" : "reads");
    ncs_format_use(q, &s, h->earlier);
    ncs_str_addf(&s, " %s, and both may run at the same time: %s", h->earlier_does & NCS_TOUCH_WRITE ? "writes" : "reads",
                 !h->same_launch ? "nothing orders their streams"
                 : several       ? "NCCL launches the communicators of a group in an order of its own"
                                 : "all sends and receives of a group move at the same time");
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_add(&s, "give them buffers that do not overlap");
    if (several)
        ncs_str_add(&s, ", or make the second call after the group");
    if (!h->same_launch) {
        ncs_str_add(&s, ", or ");
        ncs_format_wait_between(&s, h);
    }
    d->f.fix = ncs_plain(ncs_str_take(&s));
    return true;
}

const struct ncs_rule ncs_rule_overlapping_buffers = { .match = overlapping_buffers_match, .ground = NCS_GROUND_NOTICED };
