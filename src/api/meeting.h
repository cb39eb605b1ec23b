/* Which calls meet, and whether they agree: for all who pair calls of ranks.
 *
 * Collectives of a communicator meet by their number among its collectives, a send and a receive by their number among the
 * messages of the two ranks (ncs_call.ordinal). A one-sided call meets nobody. */
#ifndef NCS_API_MEETING_H
#define NCS_API_MEETING_H

#include "api/journal.h"

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

/* True if the calls ask for the same: function (ncclBcast is ncclBroadcast), count, type, operator and root; of calls with a
 * peer: function and peer. */
bool ncs_calls_are_alike(const struct ncs_call *a, const struct ncs_call *b);

/* True if the calls of one meeting fit: collectives are alike; a send and its receive have one count and type. */
bool ncs_calls_agree(struct ncs_call *const *calls, size_t count);

#endif
