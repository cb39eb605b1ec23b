/* Edits for sends and receives. */
#include "diagnose/repair/repair.h"

/* The first call of the rank on the communicator that has not completed. A missing call has to come
 * before it, since everything behind it waits. */
static uint32_t first_open(const struct ncs_repairing *p, int comm, int comm_rank)
{
    const struct ncs_snapshot *s = p->q->snap;
    const struct ncs_member *m = &p->q->journal->comm[comm]->member[comm_rank];
    for (const struct ncs_call *c = m->first; c; c = c->next_counted) {
        uintptr_t part = (uintptr_t)ncs_map_get(&p->q->part, ncs_map_key(c));
        if (!c->returned || (part && s->part[part - 1].state != NCS_PART_DONE))
            return c->number;
    }
    return ncs_next_of(p, comm, comm_rank);
}

void ncs_repair_alone(struct ncs_repairing *p)
{
    const struct ncs_call *c = p->r->unmet->call;
    for (size_t i = 0; i < p->r->absents; i++) {
        int comm_rank = p->r->absent[i]->comm_rank;
        if (ncs_call_is_pair(c) && ncs_known_member(p, c->comm, comm_rank))
            ncs_add_insert(p, comm_rank, first_open(p, c->comm, comm_rank), c, true);
    }
}

void ncs_repair_p2p_count(struct ncs_repairing *p)
{
    if (p->r->kind != NCS_CAUSE_DIFFER || !ncs_is_exchange(p->r))
        return;
    bool first = ncs_is_send(p->r->call[0]);
    const struct ncs_call *send = p->r->call[!first], *recv = p->r->call[first];
    bool by_sender = p->d->f.culprits == 1 && p->d->f.culprit[0].rank == send->rank;
    const struct ncs_call *change = by_sender ? send : recv, *model = by_sender ? recv : send;
    if (ncs_call_dtype(model) != ncs_call_dtype(change))
        ncs_add_argument(p, change, "datatype", ncs_call_dtype(model));
    if (ncs_call_count(model) != ncs_call_count(change))
        ncs_add_argument(p, change, "count", (int64_t)ncs_call_count(model));
}
