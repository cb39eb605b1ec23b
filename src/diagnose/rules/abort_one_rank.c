/* A communicator was aborted or revoked by some of its ranks. */
#include "diagnose/rules/rule.h"

static bool abort_one_rank_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (!ncs_is_because(r, NCS_ABSENT_ABORTED, NCS_ABSENT_ABORTED))
        return false;
    bool revoked = ncs_is_revoke(r->absent[0]->call);
    bool ends = !revoked && r->unmet->call && r->absents == 1; /* frameworks abort as they end */
    ncs_fill_left(q, r, d, revoked ? "revoked" : "aborted");
    d->f.fix = ncs_say(abort_one_rank_fix, ncs_fact_is("revoked", revoked), ncs_fact_comm(q, r->unmet->comm),
                       ncs_fact_ranks("who", &r->absent[0]->rank, ends), ncs_fact_call("call", q->journal, r->unmet->call));
    return true;
}

const struct ncs_rule ncs_rule_abort_one_rank = { .match = abort_one_rank_match, .ground = NCS_GROUND_RECORD };
