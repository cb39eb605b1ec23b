/* A journal that is full drops its oldest calls, those of each rank up to another one. Calls that meet are left out together here:
 * what remains is a job in which every rank begins at the same call of each sequence. */
#include "base/hash.h"
#include "reproduce/reader.h"

/* Collectives of a rank on a communicator (peer -1), its sends to a peer, or its receives from one. */
static uint64_t cut_key(int comm, int rank, int peer, bool receives)
{
    return ncs_hash(ncs_hash((uint64_t)comm + 1, (uint64_t)rank + 1), 2 * (uint64_t)(peer + 1) + receives);
}

static bool is_in_sequence(const struct ncs_call *call)
{
    return ncs_fn_info[call->fn].counted && call->comm >= 0 && call->comm_rank >= 0 && call->ordinal > 0 &&
           !ncs_call_is_one_sided(call);
}

/* A record that was pinned may be older than a gap: only what follows the newest gap is whole. */
static void cut_begin(struct ncs_reader *r, const struct ncs_call *call)
{
    bool paired = ncs_call_is_pair(call);
    uint64_t key = cut_key(call->comm, call->comm_rank, paired ? ncs_call_peer(call) : -1, paired && call->fn == NCS_FN_ncclRecv);
    size_t begin = ncs_map_number(&r->begins, key);
    if (begin == 0 || begin == (size_t)call->ordinal + 1)
        ncs_map_put_number(&r->begins, key, call->ordinal);
}

void ncs_reader_find_begins(struct ncs_reader *r)
{
    for (const struct ncs_call *call = r->journal->dropped ? r->journal->newest : NULL; call; call = call->older)
        if (is_in_sequence(call))
            cut_begin(r, call);
}

/* The number of the first call that is held of a sequence, or that would come next if none is. */
static size_t cut_first(const struct ncs_reader *r, int comm, int rank, int peer, bool receives)
{
    const struct ncs_member *m = &r->journal->comm[comm]->member[rank];
    size_t begin = ncs_map_number(&r->begins, cut_key(comm, rank, peer, receives));
    return begin ? begin : peer < 0 ? (size_t)m->collectives + 1 : (size_t)ncs_member_pairs(m, peer, receives) + 1;
}

bool ncs_reader_is_cut(struct ncs_reader *r, const struct ncs_call *call)
{
    if (!r->journal->dropped || !is_in_sequence(call))
        return false;
    const struct ncs_comm_info *info = r->journal->comm[call->comm];
    size_t first = 0;
    if (ncs_call_is_pair(call)) {
        int peer = ncs_call_peer(call);
        bool receives = call->fn == NCS_FN_ncclRecv;
        if (peer < 0 || peer >= info->members)
            return false;
        size_t own = cut_first(r, call->comm, call->comm_rank, peer, receives);
        size_t others = cut_first(r, call->comm, peer, call->comm_rank, !receives);
        return call->ordinal < (own > others ? own : others);
    }
    first = ncs_map_number(&r->floors, (uint64_t)call->comm + 1);
    if (!first) {
        for (int i = 0; i < info->members; i++) {
            size_t own = cut_first(r, call->comm, i, -1, false);
            first = own > first ? own : first;
        }
        ncs_map_put_number(&r->floors, (uint64_t)call->comm + 1, first);
    }
    return call->ordinal < first;
}
