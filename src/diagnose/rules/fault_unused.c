/* A fault that the script plans did not happen, because the rank never made its call. */
#include "diagnose/rules/rule.h"

#include <stdio.h>

#include "base/mem.h"

static bool fault_unused_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_UNUSED)
        return false;
    const struct ncs_notice_fault *f = r->notice->fault;
    char at[32] = "";
    if (f->place.line)
        snprintf(at, sizeof at, " at line %d", f->place.line);
    d->f.title = ncs_text("%s%s never happened", f->what, at);
    d->f.why = ncs_plain(ncs_text("%s%s never happened on rank %d: %s", f->what, at, f->rank, r->notice->why));
    d->f.fix = ncs_plain(ncs_copy_text("let it wait for a call that the rank makes: calls are counted for each rank "
                                       "and communicator from 1, uses of a function from the statement on"));
    d->f.evidence = ncs_plain(ncs_copy_text("by the calls that the rank made"));
    d->f.comm = f->comm >= 0 ? ncs_copy_text(ncs_comm_name(q, f->comm)) : NULL;
    d->f.call = f->call;
    ncs_add_culprit(d, f->rank, f->call, f->place.line);
    return true;
}

const struct ncs_rule ncs_rule_fault_unused = { .match = fault_unused_match, .ground = NCS_GROUND_NOTICED, .by_title = true };
