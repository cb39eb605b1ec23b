/* A result is read of a call that was in flight when its communicator reported an error or was aborted. */
#include "diagnose/rules/rule.h"

#include "api/types.h"

/* "the fault at line 4 gave world the error ncclRemoteError, for which the rank has not asked" */
static void result_cut_short_format_unasked(struct ncs_str *s, const struct ncs_hazard *h, const char *comm)
{
    ncs_str_add(s, "a fault");
    if (h->broken.place.line)
        ncs_str_addf(s, " at line %d", h->broken.place.line);
    ncs_str_addf(s, " gave %s the error %s, for which nobody had asked ncclCommGetAsyncError", comm,
                 ncs_nccl_result_name(h->broken.code));
}

static bool result_cut_short_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    const struct ncs_hazard *h = ncs_hazard_of(q, r, NCS_HAZARD_CUT_SHORT, d, &s);
    if (!h)
        return false;
    const char *comm = ncs_comm_name(q, h->earlier->comm);
    bool reported = !h->sync || h->sync->fn == NCS_FN_ncclCommGetAsyncError;
    ncs_str_addf(&s, " %s", ncs_use_verb(NCS_TOUCH_READ, h->ats > 1));
    ncs_format_place(&s, h->later);
    ncs_str_add(&s, " the result of ");
    ncs_format_use(q, &s, h->earlier);
    ncs_str_add(&s, ", and nothing had waited for the end of this call when ");
    if (!h->sync)
        result_cut_short_format_unasked(&s, h, comm);
    else if (reported)
        ncs_str_addf(&s, "%s reported %s", comm, ncs_nccl_result_name((int)h->sync->arg[1].i));
    else
        ncs_str_addf(&s, "%s ended the work of %s", ncs_function_name(h->sync), comm);
    if (h->sync)
        ncs_format_place(&s, h->sync);
    ncs_str_add(&s, ": the call may have been cut short, and its buffer may hold anything");
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(
        ncs_text(reported ? "call ncclCommGetAsyncError before you use a result; after an error abort %s, and compute again "
                            "from inputs that you kept"
                          : "repeat the calls that were in flight on %s, on a new communicator and with inputs that you kept",
                 comm));
    return true;
}

const struct ncs_rule ncs_rule_result_cut_short = { .match = result_cut_short_match, .ground = NCS_GROUND_NOTICED };
