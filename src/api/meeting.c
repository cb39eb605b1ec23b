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

struct ncs_wanted ncs_wanted_of(const struct ncs_call *call)
{
    return ncs_wanted(call->fn, ncs_call_count(call), ncs_call_dtype(call), ncs_call_op(call), ncs_call_root(call));
}

unsigned ncs_wanted_differ(const struct ncs_wanted *a, const struct ncs_wanted *b)
{
    unsigned differ = 0, bit = 1;
#define NCS_AGREE(fact, member, collectives, pairs) differ |= a->member != b->member ? bit : 0, bit <<= 1;
#include "api/agreement.def"
#undef NCS_AGREE
    return differ;
}

enum ncs_stuck ncs_wanted_stuck(unsigned differ, bool pair)
{
#define NCS_AGREE(fact, member, collectives, pairs) { collectives, pairs },
    static const enum ncs_stuck stuck[][2] = {
#include "api/agreement.def"
    };
#undef NCS_AGREE
    for (size_t i = 0; differ >> i; i++)
        if ((differ >> i & 1) && stuck[i][pair])
            return stuck[i][pair];
    return NCS_STUCK_NO;
}

bool ncs_calls_are_alike(const struct ncs_call *a, const struct ncs_call *b)
{
    if (ncs_call_arg(a, NCS_ARG_PEER))
        return a->fn == b->fn && ncs_call_peer(a) == ncs_call_peer(b);
    struct ncs_wanted one = ncs_wanted_of(a), other = ncs_wanted_of(b);
    return !ncs_wanted_differ(&one, &other);
}

bool ncs_calls_agree(struct ncs_call *const *calls, size_t count)
{
    bool pair = count == 2 && ncs_call_is_pair(calls[0]) && ncs_call_is_pair(calls[1]) && calls[0]->fn != calls[1]->fn;
    for (size_t i = 1; i < count; i++) {
        struct ncs_wanted one = ncs_wanted_of(calls[i]), other = ncs_wanted_of(calls[0]);
        if (pair ? ncs_wanted_differ(&one, &other) != 0 : !ncs_calls_are_alike(calls[i], calls[0]))
            return false;
    }
    return true;
}

uint64_t ncs_call_signature(const struct ncs_call *call)
{
    const union ncs_arg *peer = ncs_call_arg(call, NCS_ARG_PEER);
    uint64_t hash = ncs_hash(0, ncs_fn_info[call->fn].same);
    if (peer)
        return ncs_hash(hash, (uint64_t)(int)peer->i);
    struct ncs_wanted wanted = ncs_wanted_of(call);
    hash = ncs_hash(ncs_hash(hash, wanted.count), (uint64_t)wanted.dtype);
    return ncs_hash(ncs_hash(hash, (uint64_t)wanted.op), (uint64_t)wanted.root);
}
