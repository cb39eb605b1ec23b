#include "shim/exec/exec.h"

/* Another thread than the rank's own may call for it, and one thread may have all ranks: the communicator knows best. */
static int rank_in_comm(const struct ncs_journal *journal, const struct ncs_call *call)
{
    const struct ncs_comm_info *comm = journal->comm[call->comm];
    int rank = call->comm_rank < comm->members ? comm->member[call->comm_rank].rank : -1;
    return rank < 0 || ncs_comm_is_shared(comm) ? call->comm_rank : rank;
}

int ncs_exec_rank_of(const struct ncs_journal *journal, const struct ncs_call *call)
{
    if (call->comm >= 0)
        return rank_in_comm(journal, call);
    return ncs_local && ncs_local->named ? call->rank : -1;
}

/* NULL = the function has no such argument. */
static const void *argument_of(const struct ncs_call *call, enum ncs_kind kind)
{
    int at = ncs_fn_info[call->fn].at[kind];
    return at ? call->arg[at - 1].p : NULL;
}

/* The default streams have the same handles on all devices. */
static bool rank_is_own_stream(const void *stream)
{
    return stream && stream != (const void *)cudaStreamLegacy && stream != (const void *)cudaStreamPerThread;
}

/* The rank whose communicator has launched into the stream last, not after that call. */
static int rank_of_stream(const struct ncs_journal *journal, const void *stream, const struct ncs_call *until)
{
    for (const struct ncs_call *c = until; c && rank_is_own_stream(stream); c = c->older)
        if (c->comm >= 0 && ncs_fn_info[c->fn].counted && argument_of(c, NCS_ARG_STREAM) == stream)
            return rank_in_comm(journal, c);
    return -1;
}

int ncs_exec_rank_asked(const struct ncs_journal *journal, const struct ncs_call *query)
{
    const void *event = argument_of(query, NCS_ARG_EVENT);
    if (query->comm >= 0)
        return rank_in_comm(journal, query);
    for (const struct ncs_call *c = journal->newest; c && event; c = c->older)
        if (ncs_fn_info[c->fn].records && argument_of(c, NCS_ARG_EVENT) == event) {
            int rank = rank_of_stream(journal, argument_of(c, NCS_ARG_STREAM), c);
            return rank < 0 && c->thread == 0 ? c->rank : rank;
        }
    return rank_of_stream(journal, argument_of(query, NCS_ARG_STREAM), journal->newest);
}
