#include "api/meeting.h"

#include "base/hash.h"

struct ncs_meeting_key ncs_meeting_key(enum ncs_fn fn, int comm, int comm_rank, int peer, uint64_t number)
{
    struct ncs_meeting_key key = { .comm = comm, .src = -1, .dst = -1, .number = number };
    if (!ncs_fn_info[fn].pair)
        return key;
    bool receives = fn == NCS_FN_ncclRecv;
    key.src = receives ? peer : comm_rank;
    key.dst = receives ? comm_rank : peer;
    return key;
}

bool ncs_call_meets(const struct ncs_call *call, struct ncs_meeting_key *key)
{
    *key = ncs_meeting_key(call->fn, call->comm, call->comm_rank, ncs_call_peer(call), call->ordinal);
    return call->ordinal && call->comm >= 0 && !ncs_call_is_one_sided(call);
}

bool ncs_meeting_is(const struct ncs_meeting_key *a, const struct ncs_meeting_key *b)
{
    return a->comm == b->comm && a->src == b->src && a->dst == b->dst && a->number == b->number;
}

uint64_t ncs_meeting_hash(const struct ncs_meeting_key *key)
{
    uint64_t ranks = (uint64_t)(uint32_t)key->src << 32 | (uint32_t)key->dst;
    uint64_t hash = ncs_hash(ncs_hash(ncs_hash(0, (uint64_t)key->comm), key->number), ranks);
    return hash ? hash : 1;
}

/* Handles of one operator differ between ranks. */
static int meeting_op(const struct ncs_call *call)
{
    int op = ncs_call_op(call);
    return op > ncclNumOps ? ncclNumOps : op;
}

bool ncs_calls_are_alike(const struct ncs_call *a, const struct ncs_call *b)
{
    if (ncs_fn_info[a->fn].same != ncs_fn_info[b->fn].same)
        return false;
    if (ncs_call_arg(a, NCS_ARG_PEER))
        return ncs_call_peer(a) == ncs_call_peer(b);
    return ncs_call_count(a) == ncs_call_count(b) && ncs_call_dtype(a) == ncs_call_dtype(b) && meeting_op(a) == meeting_op(b) &&
           ncs_call_root(a) == ncs_call_root(b);
}

bool ncs_calls_agree(struct ncs_call *const *calls, size_t count)
{
    bool pair = count == 2 && ncs_call_is_pair(calls[0]) && ncs_call_is_pair(calls[1]) && calls[0]->fn != calls[1]->fn;
    for (size_t i = 1; i < count; i++)
        if (pair ? ncs_call_count(calls[i]) != ncs_call_count(calls[0]) || ncs_call_dtype(calls[i]) != ncs_call_dtype(calls[0])
                 : !ncs_calls_are_alike(calls[i], calls[0]))
            return false;
    return true;
}
