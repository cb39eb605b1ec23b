/* A call is made on a communicator that the rank was never given. */
#include "diagnose/rules/rule.h"

static bool match(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    return ncs_failed_because(q, r, d, NCS_FAILING_NULL_COMM);
}

const struct ncs_rule ncs_rule_null_communicator = { .match = match };
