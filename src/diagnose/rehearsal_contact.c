/* First contact: a host goes on behind its first call of a kind when the hosts of all whom it meets have come to one,
 * too. Nobody has to have launched anything. */
#include "diagnose/rehearsal.h"

enum contact_kind { /* of keys of the map */
    ONE_SIDED = 1,   /* comm, rank: it has come to such a call */
    COLLECTIVE,
    SEND,            /* comm, from, to */
    RECV,
    ALL_TO_ALL,      /* comm, rank: a send to, and a receive from, everybody */
    ALL_ONE_SIDED,   /* comm: all ranks have come. From here on: found once, kept for the many who ask */
    ALL_COLLECTIVE,
    ALL_TO_ALL_MET,  /* comm, rank: it has contact with everybody */
};

static uint64_t contact_key(enum contact_kind kind, int comm, int a, int b)
{
    return ncs_rehearsal_key((int64_t)kind, comm, a, b);
}

static void note_contact(struct ncs_rehearsal *p, uint64_t key)
{
    ncs_map_put_number(&p->entered, key, 1);
}

static bool is_noted(const struct ncs_rehearsal *p, uint64_t key)
{
    return ncs_map_number(&p->entered, key) != 0;
}

static uint64_t pair_key(int comm, int from, int to, bool sends)
{
    return contact_key(sends ? SEND : RECV, comm, from, to);
}

/* For calls that are neither a send nor a receive. */
static uint64_t entered_key(const struct ncs_deed *d, int rank)
{
    return contact_key(ncs_deed_is_one_sided(d) ? ONE_SIDED : COLLECTIVE, d->comm, rank, 0);
}

/* All-to-alls, gathers and scatters are sends and receives: contact is with each peer. */
static bool sends_to(const struct ncs_deed *d, int peer)
{
    return d->fn == NCS_FN_ncclAlltoAll || (d->fn == NCS_FN_ncclGather ? peer == d->root : d->comm_rank == d->root);
}

static bool receives_from(const struct ncs_deed *d, int peer)
{
    return d->fn == NCS_FN_ncclAlltoAll || (d->fn == NCS_FN_ncclGather ? d->comm_rank == d->root : peer == d->root);
}

static void enter_spread(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    int nranks = p->q->journal->comm[d->comm]->nranks;
    if (d->fn == NCS_FN_ncclAlltoAll) { /* one note for all peers: a thousand ranks would make a million */
        note_contact(p, contact_key(ALL_TO_ALL, d->comm, d->comm_rank, 0));
        return;
    }
    for (int r = 0; r < nranks; r++) {
        if (sends_to(d, r))
            note_contact(p, pair_key(d->comm, d->comm_rank, r, true));
        if (receives_from(d, r))
            note_contact(p, pair_key(d->comm, d->comm_rank, r, false));
    }
}

void ncs_rehearsal_enter(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    p->moved = true;
    if (ncs_is_spread(d->call))
        enter_spread(p, d);
    else if (ncs_deed_is_pair(d))
        note_contact(p, pair_key(d->comm, d->comm_rank, d->peer, d->fn == NCS_FN_ncclSend));
    else
        note_contact(p, entered_key(d, d->comm_rank));
}

/* The peer has come to a call that receives what this rank sends, or sends what it receives. */
static bool has_contact_with(const struct ncs_rehearsal *p, const struct ncs_deed *d, int peer, bool sends)
{
    return peer == d->comm_rank || ncs_rehearsal_is_free(p, d->comm, peer) ||
           is_noted(p, contact_key(ALL_TO_ALL, d->comm, peer, 0)) ||
           is_noted(p, pair_key(d->comm, peer, d->comm_rank, !sends));
}

static bool has_spread_contact(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    uint64_t met = contact_key(ALL_TO_ALL_MET, d->comm, d->comm_rank, 0);
    bool all = d->fn == NCS_FN_ncclAlltoAll;
    if (all && is_noted(p, met))
        return true;
    for (int r = 0; r < p->q->journal->comm[d->comm]->nranks; r++)
        if ((sends_to(d, r) && !has_contact_with(p, d, r, true)) ||
            (receives_from(d, r) && !has_contact_with(p, d, r, false)))
            return false;
    if (all)
        note_contact(p, met);
    return true;
}

/* In a recorded run it may have been made before the record begins. */
bool ncs_rehearsal_has_contact(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    if (p->q->snap->recorded)
        return true;
    if (ncs_deed_is_pair(d))
        return has_contact_with(p, d, d->peer, d->fn == NCS_FN_ncclSend);
    if (ncs_is_spread(d->call))
        return has_spread_contact(p, d);
    uint64_t met = contact_key(ncs_deed_is_one_sided(d) ? ALL_ONE_SIDED : ALL_COLLECTIVE, d->comm, 0, 0);
    if (is_noted(p, met))
        return true;
    for (int r = 0; r < p->q->journal->comm[d->comm]->nranks; r++)
        if (!is_noted(p, entered_key(d, r)) && !ncs_rehearsal_is_free(p, d->comm, r))
            return false;
    note_contact(p, met);
    return true;
}
