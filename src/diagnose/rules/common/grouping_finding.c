/* The finding about calls that ranks group differently, or in another order. */
#include "diagnose/rules/rule.h"

static bool is_one_group(const struct ncs_analysis *q, const struct ncs_call *const *call)
{
    return call[0]->group && call[1]->group && ncs_group_key(q, call[0]) == ncs_group_key(q, call[1]);
}

void ncs_fill_grouping(const struct ncs_analysis *q, const struct ncs_grouping *g, struct ncs_draft *d)
{
    const struct ncs_journal *j = q->journal;
    int line[] = { g->call[2]->place.line, g->call[3]->place.line };
    bool order = g->how == NCS_GROUPING_ORDER || g->how == NCS_GROUPING_MIXED;
    for (size_t i = 0; i < g->odds; i++)
        ncs_add_culprit(d, g->odd[i]->rank, g->odd[i]->number, g->odd[i]->place.line);
    for (size_t i = 0; i < 4 && !g->odds; i += 2)
        ncs_add_culprit(d, g->call[i]->rank, g->call[i]->number, g->call[i]->place.line);
    d->f.why = ncs_say(grouping_why, ncs_fact_is("order", order), ncs_fact_is("mixed", g->how == NCS_GROUPING_MIXED),
                       ncs_fact_is("fused", g->how == NCS_GROUPING_FUSED), ncs_fact_is("comms", g->how == NCS_GROUPING_COMMS),
                       ncs_fact_is("exchange", g->how == NCS_GROUPING_EXCHANGE), ncs_fact_call("a", j, g->call[0]),
                       ncs_fact_call("b", j, g->call[1]), ncs_fact_is("grouped", order && is_one_group(q, g->call)),
                       ncs_fact_call("c", j, g->call[2]), ncs_fact_is("lines", line[0] && line[1] && line[0] != line[1]),
                       ncs_fact_number("line", line[0]), ncs_fact_number("second", line[1]),
                       ncs_fact_is("others_grouped", order && is_one_group(q, g->call + 2)));
    d->f.evidence = ncs_say(grouping_evidence, ncs_fact_is("tied", g->tied));
    d->f.certainty = NCS_UNDEFINED;
    ncs_set_call(q, d, g->call[0]);
}
