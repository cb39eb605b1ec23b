/* Ranks of a host join a communicator with one device. */
#include "diagnose/rules/rule.h"

static bool duplicate_device_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_failed_because(q, r, d, NCS_FAILING_SAME_DEVICE);
}

const struct ncs_rule ncs_rule_duplicate_device = { .match = duplicate_device_match, .ground = NCS_GROUND_MISUSE };
