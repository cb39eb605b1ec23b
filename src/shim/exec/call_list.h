/* The places where one rank calls NCCL and CUDA, for `exec --sweep`, which lets a call at each of them fail in turn. */
#ifndef NCS_SHIM_CALL_LIST_H
#define NCS_SHIM_CALL_LIST_H

#include "api/journal.h"
#include "base/channel.h"

/* Counts a call that has returned, if it is one of the rank, or of a thread that has no rank (yet). */
void ncs_call_list_add(const struct ncs_journal *journal, const struct ncs_call *call, int rank);
/* Reports each place, in the order of their first calls. A call whose place is not known is left out. */
void ncs_call_list_write(ncs_channel_tell *tell);

#endif
