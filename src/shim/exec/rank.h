/* Which rank of the program makes a call. */
#ifndef NCS_SHIM_RANK_H
#define NCS_SHIM_RANK_H

#include "api/journal.h"

/* Call it on the calling thread. -1: a thread that has joined no communicator, in a call that names none. */
int ncs_exec_rank_of(const struct ncs_journal *journal, const struct ncs_call *call);

/* Whose work a query asks for: the rank that owns its communicator, or the stream that it names or in which its event
 * was recorded last. -1 = unknown. */
int ncs_exec_rank_asked(const struct ncs_journal *journal, const struct ncs_call *query);

#endif
