/* A wait for a stream comes before a non-blocking communicator has put its operation there
 * (ncclInProgress). */
#include "diagnose/rules/rule.h"

static bool sync_before_enqueued_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_PROGRESS_SYNC, d, &s);
    if (!h)
        return false;
    ncs_format_sync(&s, h);
    ncs_str_add(&s, " while ");
    ncs_format_use(q, &s, h->earlier);
    ncs_str_add(&s, " is still being launched in the background (ncclInProgress): the stream may not "
                    "have it yet, and the wait covers nothing of it");
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_add(&s, "poll the communicator until it is ready first: comm:wait_ready()");
    ncs_format_line(&s, " before", h->sync);
    d->f.fix = ncs_plain(ncs_str_take(&s));
    return true;
}

const struct ncs_rule ncs_rule_sync_before_enqueued = { .match = sync_before_enqueued_match, .ground = NCS_GROUND_NOTICED };
