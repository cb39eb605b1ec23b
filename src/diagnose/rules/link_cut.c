/* No rank is at fault: a link between two of them is gone. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"
#include "base/str.h"

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
    struct ncs_str s = { 0 };
    char *what = ncs_describe(n->call);
    add_end(q, d, n, cut[0]);
    add_end(q, d, n, cut[1]);
    ncs_str_addf(&s, "the link between rank %d and rank %d of %s is cut, and call %u, %s, goes over it", cut[0], cut[1],
                 ncs_comm_name(q, n->comm), (unsigned)n->call->number, what);
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(ncs_text("poll ncclCommGetAsyncError on every rank, and when one has an error or takes "
                                  "too long abort the communicator on all of them"));
    ncs_fill_unmet(q, d, n, n->call->number);
    ncs_free(what);
    return true;
}

const struct ncs_rule ncs_rule_link_cut = { .match = link_cut_match, .ground = NCS_GROUND_NOTICED };
