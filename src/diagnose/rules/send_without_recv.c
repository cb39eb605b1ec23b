/* A send that nobody receives. */
#include "diagnose/rules/rule.h"

static bool send_without_recv_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_one_alone(q, r, d, true);
}

const struct ncs_rule ncs_rule_send_without_recv = { .match = send_without_recv_match, .ground = NCS_GROUND_WAITS };
