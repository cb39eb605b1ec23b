/* Maps handles of communicators to ranks, by the journal's numbers. */
#include "api/journal.h"
#include "base/hash.h"
#include "base/mem.h"
#include "driver/stage.h"
#include "driver/world.h"

static uint64_t line_key(int comm, int comm_rank)
{
    return (uint64_t)(uint32_t)comm << 32 | (uint32_t)comm_rank;
}

static struct stage_line *new_line(const struct ncs_call *call, ncclComm_t handle)
{
    int nranks = 0, device = -1;
    if (!ncs_real.plain->ncclCommCount || ncs_real.plain->ncclCommCount(handle, &nranks) != ncclSuccess ||
        nranks <= call->comm_rank)
        return NULL;
    if (!ncs_real.plain->ncclCommCuDevice || ncs_real.plain->ncclCommCuDevice(handle, &device) != ncclSuccess)
        device = -1;
    struct stage_line *line = ncs_new(sizeof *line);
    *line = (struct stage_line){ .comm = call->comm,
                                 .comm_rank = call->comm_rank,
                                 .nranks = nranks,
                                 .device = device,
                                 .rank = call->rank,
                                 .handle = handle,
                                 .next = ncs_real.lines.first };
    ncs_real.lines.first = line;
    ncs_map_put(&ncs_real.lines.by_rank, line_key(line->comm, line->comm_rank), line);
    return line;
}

struct stage_line *ncs_stage_line_of(const struct ncs_call *call, ncclComm_t handle)
{
    if (call->comm < 0 || call->comm_rank < 0)
        return NULL;
    struct stage_line *line = ncs_map_get(&ncs_real.lines.by_rank, line_key(call->comm, call->comm_rank));
    return line ? line : new_line(call, handle);
}

void ncs_stage_line_drop(ncclComm_t handle)
{
    for (struct stage_line *l = ncs_real.lines.first; l; l = l->next)
        if (l->handle == handle)
            l->handle = NULL;
}

int ncs_stage_line_comm(ncclComm_t handle)
{
    for (const struct stage_line *l = ncs_real.lines.first; l; l = l->next)
        if (l->handle == handle)
            return l->comm;
    return -1;
}

void ncs_stage_line_break(int comm)
{
    ncs_map_put(&ncs_real.lines.broken, (uint64_t)comm + 1, &ncs_real.lines.broken);
}

bool ncs_stage_line_is_broken(int comm)
{
    return ncs_map_get(&ncs_real.lines.broken, (uint64_t)comm + 1) != NULL;
}

/* True for errors that NCCL finds by itself. A non-blocking communicator also keeps errors of calls
 * (read in NCCL 2.30.7), which end no wait. */
static bool comes_by_itself(ncclResult_t error)
{
    return error == ncclUnhandledCudaError || error == ncclSystemError || error == ncclInternalError || error == ncclRemoteError;
}

ncclResult_t ncs_stage_line_error(int rank, ncclComm_t *comm)
{
    for (const struct stage_line *l = ncs_real.lines.first; l; l = l->next) {
        ncclResult_t error = ncclSuccess;
        /* The token is held: a thread that destroys the communicator removes it from the list first. */
        if (l->rank != rank || !l->handle || !ncs_real.plain->ncclCommGetAsyncError ||
            ncs_real.plain->ncclCommGetAsyncError(l->handle, &error) != ncclSuccess || !comes_by_itself(error))
            continue;
        ncs_stage_line_break(l->comm);
        *comm = l->handle;
        return error;
    }
    return ncclSuccess;
}

void ncs_stage_line_close_all(void)
{
    for (struct stage_line *l = ncs_real.lines.first, *next; l; l = next) {
        next = l->next;
        ncs_free(l);
    }
    ncs_real.lines.first = NULL;
    ncs_map_free(&ncs_real.lines.by_rank);
    ncs_map_free(&ncs_real.lines.broken);
    ncs_real.lines.by_rank = ncs_real.lines.broken = (struct ncs_map){ 0 };
}
