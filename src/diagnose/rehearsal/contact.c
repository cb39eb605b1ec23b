/* First contact: the first call of a kind blocks the host until the hosts of all ranks that the call meets have come to
 * such a call, too. Nothing needs to be launched for that. */
#include "diagnose/rehearsal/rehearsal.h"

enum contact_kind {                /* of keys of the map */
                    ONE_SIDED = 1, /* comm, rank: the rank has come to such a call */
                    COLLECTIVE,
                    SEND, /* comm, from, to */
                    RECV,
                    ALL_TO_ALL,     /* comm, rank: a send to, and a receive from, each rank */
                    ALL_TO_ALL_MET, /* comm, rank: the rank has contact with each. Kept, so that each rank looks once */
                    COME,           /* comm, kind: ranks 0 up to this number have come. Kept, so that no look starts at 0 again */
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

static uint64_t contact_pair_key(int comm, int from, int to, bool sends)
{
    return contact_key(sends ? SEND : RECV, comm, from, to);
}

/* The kind of a call that is neither a send nor a receive. */
static enum contact_kind contact_kind_of(const struct ncs_deed *d)
{
    return ncs_deed_is_one_sided(d) ? ONE_SIDED : d->fn == NCS_FN_ncclAlltoAll ? ALL_TO_ALL : COLLECTIVE;
}

static uint64_t entered_key(const struct ncs_deed *d, int rank)
{
    return contact_key(contact_kind_of(d), d->comm, rank, 0);
}

/* A gather or scatter: its contact is with the peers that the root makes it send to and receive from. An all-to-all has
 * no root; its contact is with every rank. */
static bool has_root(const struct ncs_deed *d)
{
    return ncs_is_composed(d->call) && ncs_fn_info[d->fn].rooted;
}

static bool sends_to(const struct ncs_deed *d, int peer)
{
    const struct ncs_fn_info *info = &ncs_fn_info[d->fn];
    return ncs_block_count(info->reads, d->comm_rank == d->root, 1) && ncs_block_count(info->writes, peer == d->root, 1);
}

static bool receives_from(const struct ncs_deed *d, int peer)
{
    const struct ncs_fn_info *info = &ncs_fn_info[d->fn];
    return ncs_block_count(info->writes, d->comm_rank == d->root, 1) && ncs_block_count(info->reads, peer == d->root, 1);
}

static void contact_enter_composed(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    for (int r = 0; r < p->q->journal->comm[d->comm]->nranks; r++) {
        if (sends_to(d, r))
            note_contact(p, contact_pair_key(d->comm, d->comm_rank, r, true));
        if (receives_from(d, r))
            note_contact(p, contact_pair_key(d->comm, d->comm_rank, r, false));
    }
}

static void enter_one(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    if (ncs_deed_is_pair(d))
        note_contact(p, contact_pair_key(d->comm, d->comm_rank, d->peer, d->fn == NCS_FN_ncclSend));
    else if (has_root(d))
        contact_enter_composed(p, d);
    else /* an all-to-all, too: a note for each pair would be a million notes for a thousand ranks */
        note_contact(p, entered_key(d, d->comm_rank));
}

void ncs_rehearsal_enter(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    bool known = !ncs_deed_is_pair(d) && !has_root(d) && is_noted(p, entered_key(d, d->comm_rank));
    struct ncs_deed own = *d;
    p->moved = true;
    for (size_t i = 0; i < d->by->ranks && !known; i++) {
        own.comm_rank = ncs_rehearsal_seat(p, d, i);
        enter_one(p, &own);
    }
}

/* The peer has come to a call that receives what this rank sends, or sends what it receives. */
static bool has_contact_with(const struct ncs_rehearsal *p, const struct ncs_deed *d, int peer, bool sends)
{
    return peer == d->comm_rank || ncs_rehearsal_is_free(p, d->comm, peer) ||
           is_noted(p, contact_key(ALL_TO_ALL, d->comm, peer, 0)) ||
           is_noted(p, contact_pair_key(d->comm, peer, d->comm_rank, !sends));
}

/* All ranks of the communicator have come to a call of the kind, or may do so. */
static bool have_all_come(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    int nranks = p->q->journal->comm[d->comm]->nranks;
    uint64_t key = contact_key(COME, d->comm, (int)contact_kind_of(d), 0);
    int come = (int)ncs_map_number(&p->entered, key);
    while (come < nranks && (is_noted(p, entered_key(d, come)) || ncs_rehearsal_is_free(p, d->comm, come)))
        come++;
    ncs_map_put_number(&p->entered, key, (size_t)come);
    return come == nranks;
}

static bool contact_is_composed(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    uint64_t met = contact_key(ALL_TO_ALL_MET, d->comm, d->comm_rank, 0);
    bool all = !has_root(d);
    if (all && is_noted(p, met))
        return true;
    for (int r = 0; r < p->q->journal->comm[d->comm]->nranks; r++)
        if ((sends_to(d, r) && !has_contact_with(p, d, r, true)) || (receives_from(d, r) && !has_contact_with(p, d, r, false)))
            return false;
    if (all)
        note_contact(p, met);
    return true;
}

/* In a recorded run every host is taken to have contact: it may have been made before the record begins. */
bool ncs_rehearsal_has_contact(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    if (p->q->snap->recorded)
        return true;
    if (ncs_deed_is_pair(d))
        return has_contact_with(p, d, d->peer, d->fn == NCS_FN_ncclSend);
    if (!has_root(d) && have_all_come(p, d))
        return true;
    struct ncs_deed own = *d;
    bool all = ncs_is_composed(d->call);
    for (size_t i = 0; i < d->by->ranks && all; i++) {
        own.comm_rank = ncs_rehearsal_seat(p, d, i);
        all = contact_is_composed(p, &own);
    }
    return all;
}
