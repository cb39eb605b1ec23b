/* A receive that nobody sends to. */
#include "diagnose/rules/rule.h"

static bool recv_without_send_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return ncs_one_alone(q, r, d, false);
}

const struct ncs_rule ncs_rule_recv_without_send = { .match = recv_without_send_match, .ground = NCS_GROUND_WAITS };
