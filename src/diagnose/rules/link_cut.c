/* No rank is at fault: a link between two of them is gone. */
#include "diagnose/rules/rule.h"

/* Blames one end of the link, with its call if it has made one. */
static void add_end(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_unmet *n, int comm_rank)
{
    int rank = ncs_run_rank(q, n->comm, comm_rank);
    for (size_t i = 0; i < n->presents; i++)
        if (n->present[i]->comm_rank == comm_rank) {
            ncs_add_culprit(d, rank, n->present[i]->number, n->present[i]->place.line);
            return;
        }
    if (rank >= 0)
        ncs_add_culprit(d, rank, 0, 0);
}

static bool link_cut_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_unmet *n = r->unmet;
    if (r->kind != NCS_CAUSE_DIFFER || !n || n->meeting < 0 || q->snap->meeting[n->meeting].stuck != NCS_STUCK_LINK)
        return false;
    const int *cut = q->snap->meeting[n->meeting].cut;
    add_end(q, d, n, cut[0]);
    add_end(q, d, n, cut[1]);
    d->f.why = ncs_say(link_cut_why, ncs_fact_number("a", cut[0]), ncs_fact_number("b", cut[1]),
                       ncs_fact_call("call", q->journal, n->call));
    d->f.fix = ncs_say(link_cut_fix);
    ncs_fill_unmet(q, d, n, n->call->number);
    return true;
}

const struct ncs_rule ncs_rule_link_cut = { .match = link_cut_match, .ground = NCS_GROUND_NOTICED };
