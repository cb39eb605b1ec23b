/* What the links between the ranks of a communicator cost. */
#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/kernel/world.h"
#include "sim/settings/cost.h"

static int ranks_on(const struct comm *comm, int host)
{
    int count = 0;
    for (int r = 0; r < comm->nranks; r++)
        count += comm->member[r]->process->host == host;
    return count;
}

/* Ranks of a host mostly stand side by side, but need not. */
static int count_hosts(const struct comm *comm)
{
    int hosts = 0, most = 0;
    for (int r = 0; r < comm->nranks; r++)
        most = comm->member[r]->process->host > most ? comm->member[r]->process->host : most;
    bool *seen = ncs_new((size_t)most + 1);
    for (int r = 0; r < comm->nranks; r++) {
        int host = comm->member[r]->process->host;
        hosts += !seen[host];
        seen[host] = true;
    }
    ncs_free(seen);
    return hosts;
}

int64_t sim_comm_collective_cost(const struct comm_rank *cr, enum ncs_fn fn, size_t bytes)
{
    struct comm *comm = cr->comm;
    if (sim_world.options.model > 0 && comm->hosts == 0)
        comm->hosts = count_hosts(comm);
    return sim_cost_collective(fn, bytes, comm->nranks, comm->hosts);
}

int64_t sim_comm_message_cost(const struct comm_rank *cr, int peer, size_t bytes, bool composed)
{
    const struct comm *comm = cr->comm;
    if (sim_world.options.model == 0)
        return sim_cost_message(bytes, true, 1);
    if (peer == cr->rank)
        return sim_cost_copy(bytes, false);
    int host = cr->process->host;
    bool same = comm->member[peer]->process->host == host;
    int near = composed ? ranks_on(comm, host) : 0;
    int share = !composed ? 1 : same ? near - 1 : comm->nranks - near;
    return sim_cost_message(bytes, same, share);
}
