/* A fault that the script plans did not happen, because the rank never made its call. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static bool fault_unused_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_UNUSED)
        return false;
    const struct ncs_notice_fault *f = r->notice->fault;
    d->f.title = ncs_sentence_take(
        ncs_say(fault_unused_title, ncs_fact_text("fault", f->what), ncs_fact_line("line", f->place.line)));
    d->f.why = ncs_say(fault_unused_why, ncs_fact_text("fault", f->what), ncs_fact_line("line", f->place.line),
                       ncs_fact_rank("who", f->rank), ncs_fact_text("reason", r->notice->why));
    d->f.fix = ncs_say(fault_unused_fix);
    d->f.evidence = ncs_say(fault_unused_evidence);
    d->f.comm = f->comm >= 0 ? ncs_copy_text(ncs_comm_name(q, f->comm)) : NULL;
    d->f.call = f->call;
    ncs_add_culprit(d, f->rank, f->call, f->place.line);
    return true;
}

const struct ncs_rule ncs_rule_fault_unused = { .match = fault_unused_match, .ground = NCS_GROUND_NOTICED, .by_title = true };
