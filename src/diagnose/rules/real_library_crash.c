/* A call returns an error here that crashes the real library. */
#include "diagnose/rule.h"

static bool match(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (r->kind != NCS_ROOT_NOTICE || r->notice->kind != NCS_NOTICE_CRASH)
        return false;
    ncs_fill_notice(q, r, d, "crashes the real library");
    d->f.fix = ncs_text("do not rely on the error returned here: NCCL itself has no such check");
    return true;
}

const struct ncs_rule ncs_rule_real_library_crash = { .match = match };
