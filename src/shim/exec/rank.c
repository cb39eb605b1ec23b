#include "shim/exec/rank.h"

/* Another thread than the rank's own may call for it, and one thread may have all ranks: the communicator knows best. */
int ncs_exec_rank_of(const struct ncs_journal *journal, const struct ncs_call *call)
{
    if (call->comm >= 0) {
        const struct ncs_comm_info *comm = journal->comm[call->comm];
        int rank = call->comm_rank < comm->members ? comm->member[call->comm_rank].rank : -1;
        return rank < 0 || ncs_comm_is_shared(comm) ? call->comm_rank : rank;
    }
    return ncs_local && ncs_local->named ? call->rank : -1;
}
