/* A communicator was aborted or revoked by some of its ranks. */
#include "diagnose/rules/rule.h"

static bool abort_one_rank_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (!ncs_is_because(r, NCS_ABSENT_ABORTED, NCS_ABSENT_ABORTED))
        return false;
    bool revoked = ncs_is_revoke(r->absent[0]->call);
    ncs_format_left(q, r, d, revoked ? "revoked" : "aborted");
    struct ncs_str s = { 0 };
    ncs_str_addf(&s,
                 revoked ? "revoke %s on every rank: a revoke on one cuts short only what that one runs"
                         : "abort %s on every rank: an abort on one frees only that one",
                 ncs_comm_name(q, r->unmet->comm));
    if (!revoked && r->unmet->call && r->absents == 1) { /* frameworks abort as they end */
        ncs_str_addf(&s, "; if rank %d only ends there, let it make the call", r->absent[0]->rank);
        ncs_format_place(&s, r->unmet->call);
        ncs_str_add(&s, " before");
    }
    d->f.fix = ncs_plain(ncs_str_take(&s));
    return true;
}

const struct ncs_rule ncs_rule_abort_one_rank = { .match = abort_one_rank_match, .ground = NCS_GROUND_RECORD };
