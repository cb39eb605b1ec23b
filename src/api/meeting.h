/* Which calls meet, and whether they agree: for all who pair calls of ranks.
 *
 * Collectives of a communicator meet by their number among its collectives, a send and a receive by their number among the
 * messages of the two ranks (ncs_call.ordinal). A one-sided call meets nobody. */
#ifndef NCS_API_MEETING_H
#define NCS_API_MEETING_H

#include "api/journal.h"
#include "api/snapshot.h"
#include "api/types.h"

struct ncs_meeting_key {
    int comm;
    int src, dst; /* ranks of the communicator; -1, -1: a collective */
    uint64_t number;
};

/* The meeting of a call that `comm_rank` makes; `peer` is read of a send and of a receive only. */
struct ncs_meeting_key ncs_meeting_key(enum ncs_fn fn, int comm, int comm_rank, int peer, uint64_t number);

/* False for a call that meets nobody: it is one-sided, failed, is empty, or its communicator is not known. */
bool ncs_call_meets(const struct ncs_call *call, struct ncs_meeting_key *key);

bool ncs_meeting_is(const struct ncs_meeting_key *a, const struct ncs_meeting_key *b); /* the same one */
uint64_t ncs_meeting_hash(const struct ncs_meeting_key *key);                          /* equal for equal keys; never 0 */

/* The part of a call in which the calls of a meeting must agree. A send and its receive that fit ask for the
 * same. */
struct ncs_wanted {
    enum ncs_fn fn; /* the same for both sides of a pair, and for ncclBcast and ncclBroadcast */
    size_t count;
    size_t bytes;        /* elements where the type is not known */
    int dtype, op, root; /* -1 = none; user operators count as one, because their handles differ between ranks */
};

static inline struct ncs_wanted ncs_wanted(enum ncs_fn fn, size_t count, int dtype, int op, int root)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    size_t each = ncs_dtype_bytes(dtype);
    return (struct ncs_wanted){
        .fn = info->pair ? NCS_FN_ncclSend : info->same,
        .count = count,
        .bytes = count * (each ? each : 1),
        .dtype = dtype,
        .op = !info->reduces    ? -1
              : op < ncclNumOps ? op
                                : ncclNumOps,
        .root = info->rooted ? root : -1,
    };
}

struct ncs_wanted ncs_wanted_of(const struct ncs_call *call);

/* In which facts they differ: a bit for each row of agreement.def; 0 = they agree. */
unsigned ncs_wanted_differ(const struct ncs_wanted *a, const struct ncs_wanted *b);
/* Why a meeting in which these facts differ cannot complete. */
enum ncs_stuck ncs_wanted_stuck(unsigned differ, bool pair);

/* True if the calls ask for the same: function (ncclBcast is ncclBroadcast), count, type, operator and root; of calls with a
 * peer: function and peer. */
bool ncs_calls_are_alike(const struct ncs_call *a, const struct ncs_call *b);

/* True if the calls of one meeting fit: collectives are alike; a send and its receive have one count and type. */
bool ncs_calls_agree(struct ncs_call *const *calls, size_t count);

/* A hash of what ncs_calls_are_alike compares. */
uint64_t ncs_call_signature(const struct ncs_call *call);

#endif
