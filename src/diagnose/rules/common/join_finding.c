/* Shared by the rules about joining a communicator. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

bool ncs_is_joining(const struct ncs_cause *r)
{
    return (r->kind == NCS_CAUSE_ABSENT || r->kind == NCS_CAUSE_CYCLE) && r->unmet && r->unmet->kind == NCS_UNMET_INIT;
}

int ncs_nranks_wanted(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    return n->job >= 0 ? q->snap->job[n->job].nranks : (int)(n->presents + n->absents);
}

void ncs_blame_present(struct ncs_draft *d, const struct ncs_unmet *n)
{
    for (size_t i = 0; i < n->presents; i++)
        ncs_add_culprit(d, n->present[i]->rank, 0, n->present[i]->place.line);
}

int *ncs_absent_comm_ranks(const struct ncs_unmet *n)
{
    int *ranks = ncs_new(n->absents * sizeof *ranks);
    for (size_t i = 0; i < n->absents; i++)
        ranks[i] = n->absent[i].comm_rank;
    return ranks;
}
