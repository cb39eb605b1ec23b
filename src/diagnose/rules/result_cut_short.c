/* A result is read of a call that was in flight when its communicator reported an error or was aborted. */
#include "diagnose/rules/rule.h"

#include "api/types.h"

static bool result_cut_short_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_CUT_SHORT, d);
    if (!h)
        return false;
    bool reported = !h->sync || h->sync->fn == NCS_FN_ncclCommGetAsyncError;
    int code = h->sync && reported ? (int)h->sync->arg[1].i : h->broken.code;
    d->f.why = ncs_say(result_cut_short_why, ncs_fact_at("who", h), ncs_fact_call("later", q->journal, h->later),
                       ncs_fact_sentence("use", ncs_say_use(q, h->earlier)), ncs_fact_comm(q, h->earlier->comm),
                       ncs_fact_is("fault", !h->sync), ncs_fact_line("fault_line", h->broken.place.line),
                       ncs_fact_text("error", reported ? ncs_nccl_result_name(code) : NULL),
                       ncs_fact_is("reported", h->sync && reported), ncs_fact_is("ended", !reported),
                       ncs_fact_call("sync", q->journal, h->sync));
    d->f.fix = ncs_say(result_cut_short_fix, ncs_fact_comm(q, h->earlier->comm), ncs_fact_is("reported", reported));
    return true;
}

const struct ncs_rule ncs_rule_result_cut_short = { .match = result_cut_short_match, .ground = NCS_GROUND_NOTICED };
