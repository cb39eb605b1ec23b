/* Edits that undo a cycle: two calls of a rank become one group, or change places. */
#include "diagnose/repair/repair.h"

/* The rank whose edit undoes the cycle: a culprit, else any rank in it. */
static int who(const struct ncs_repairing *p)
{
    return p->d->f.culprits ? p->d->f.culprit[p->d->f.culprits - 1].rank : p->d->f.cycles ? p->d->f.cycle[0].rank : -1;
}

/* The call of the rank that the previous step of the cycle waits for: one that it has made and that
 * is kept back, or its next. */
static bool awaited(const struct ncs_repairing *p, size_t at, int rank, int *comm, int *comm_rank, uint32_t *number)
{
    const struct ncs_cause *r = p->r;
    for (size_t k = 1; k <= r->length; k++) {
        size_t i = (at + r->length - k) % r->length;
        int unmet = ncs_node_unmet(p->q, r->path[i]);
        if (unmet < 0)
            continue;
        const struct ncs_unmet *n = &p->q->unmet[unmet];
        for (size_t a = 0; a < n->absents; a++)
            if (n->absent[a].rank == rank && ncs_known_member(p, n->comm, n->absent[a].comm_rank)) {
                *comm = n->comm;
                *comm_rank = n->absent[a].comm_rank;
                const struct ncs_call *c = n->absent[a].call;
                *number = c && c->number && c->comm == n->comm ? c->number : ncs_next_of(p, n->comm, *comm_rank);
                return true;
            }
        return false;
    }
    return false;
}

/* For each rank of the cycle (or, rank -1, for all): the call in which it waits and the call that
 * others await become one group, or change places. */
static void repair_cycle(struct ncs_repairing *p, enum ncs_edit_kind kind, int rank)
{
    size_t start = ncs_first_place(p->q, p->r); /* where the search entered the cycle is chance */
    for (size_t k = 0; k < p->r->length; k++) {
        size_t i = (start + k) % p->r->length;
        int comm, comm_rank;
        uint32_t number;
        if (ncs_node_unmet(p->q, p->r->path[i]) < 0)
            continue;
        struct ncs_cycle_wait s = ncs_cycle_wait_at(p->q, p->r, i);
        if ((rank >= 0 && s.rank != rank) || !s.call || !s.call->number || !awaited(p, i, s.rank, &comm, &comm_rank, &number))
            continue;
        if (comm != s.call->comm || number > s.call->number)
            ncs_add_pair(p, kind, s.call, comm, comm_rank, number);
        if (rank >= 0)
            return;
    }
}

/* A group of one rank's calls would break the cycle. But a rank that synchronizes between the two
 * cannot group them, so if no call is in a group, all ranks get one. A collective in a group would
 * still wait for the message, so it changes places with it. */
void ncs_repair_p2p_cycle(struct ncs_repairing *p)
{
    bool alone = true;
    int collective = -1; /* a rank that waits in a collective before its send or receive */
    for (size_t i = 0; i < p->r->length; i++)
        if (ncs_node_unmet(p->q, p->r->path[i]) >= 0) {
            struct ncs_cycle_wait s = ncs_cycle_wait_at(p->q, p->r, i);
            alone &= s.call && ncs_call_is_pair(s.call) && !s.call->group;
            if (s.call && s.call->number && !ncs_call_is_pair(s.call) && !s.call->group)
                collective = s.rank;
        }
    if (collective >= 0)
        repair_cycle(p, NCS_EDIT_SWAP, collective);
    else
        repair_cycle(p, NCS_EDIT_GROUP, alone ? -1 : who(p));
}

/* Groups the call that the thread is in with its calls for all other ranks, up to the last of
 * them. */
void ncs_repair_one_thread(struct ncs_repairing *p)
{
    const struct ncs_unmet *n = p->r->unmet;
    int last = -1;
    for (size_t i = 0; i < n->absents; i++)
        last = n->absent[i].comm_rank > last ? n->absent[i].comm_rank : last;
    if (n->call->number && ncs_known_member(p, n->comm, last))
        ncs_add_pair(p, NCS_EDIT_GROUP, n->call, n->comm, last, ncs_next_of(p, n->comm, last));
}

/* Each rank whose order is odd exchanges its two calls. */
void ncs_repair_comm_order(struct ncs_repairing *p)
{
    struct ncs_odd_order odd = ncs_odd_order_of(p->q, p->r);
    for (size_t i = 0; i < odd.ranks; i++) {
        const struct ncs_odd_rank *o = &odd.rank[i];
        if (o->first && o->first->number && o->number)
            ncs_add_pair(p, NCS_EDIT_SWAP, o->first, o->comm, o->comm_rank, o->number);
    }
    if (!odd.ranks)
        repair_cycle(p, NCS_EDIT_SWAP, who(p));
    ncs_odd_order_free(&odd);
}
