/* A rank waits in the destroy of a communicator until the device has no work. Its call on another communicator still runs
 * there: other ranks make that call only after something that this rank does after the destroy. */
#include "diagnose/rules/rule.h"

static bool destroy_beside_kernel_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_call *kernel;
    struct ncs_why asked; /* known to the cause, too */
    bool cycle = r->kind == NCS_CAUSE_CYCLE;
    const struct ncs_snap_job *job = cycle ? ncs_frees_beside(q, r->path, r->length, &kernel, &asked) : NULL;
    if (!job)
        return false;
    const struct ncs_call *destroy = job->call;
    bool own = kernel->rank == job->rank;
    struct ncs_odd_rank owner = { .rank = kernel->rank }; /* which rank of a process destroys last is chance */
    ncs_fill_cycle(q, r, &(struct ncs_odd_order){ .rank = &owner, .ranks = 1 }, d);
    d->f.why = ncs_say(destroy_beside_kernel_why, ncs_fact_rank("who", job->rank), ncs_fact_is("own", own),
                       ncs_fact_call("destroy", q->journal, destroy), ncs_fact_call("kernel", q->journal, kernel));
    ncs_sentence_free(d->f.evidence);
    d->f.evidence = ncs_say(destroy_beside_kernel_evidence);
    d->f.fix = ncs_say(destroy_beside_kernel_fix, ncs_fact_call("destroy", q->journal, destroy),
                       ncs_fact_call("kernel", q->journal, kernel));
    ncs_doubt_teardown(q, kernel, d);
    return true;
}

const struct ncs_rule ncs_rule_destroy_beside_kernel = { .match = destroy_beside_kernel_match, .ground = NCS_GROUND_MISUSE };
