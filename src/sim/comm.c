#include "sim/comm.h"

#include <string.h>

#include "api/journal.h"
#include "base/mem.h"
#include "sim/environment.h"
#include "sim/job.h"
#include "sim/meet.h"
#include "sim/op.h"
#include "sim/registration.h"
#include "sim/round.h"
#include "sim/slot.h"
#include "sim/spread.h"
#include "sim/window.h"
#include "sim/world.h"

struct comm_rank *comm_find(ncclComm_t handle)
{
    struct comm_rank *cr = ncs_map_get(&sim_world.comms, ncs_map_key(handle));
    struct context *c = context_self();
    return cr && c && cr->process == c->process ? cr : NULL;
}

/* NCCL knows a handle of the past by the marks that its memory has lost (NCCL 2.30.7, src/misc/argcheck.cc);
 * its destroy looks by itself (src/init.cc). */
int comm_refuse_ended(const struct comm_rank *cr, bool destroys)
{
    if (destroys)
        nccl_warn("comm %s has already been destroyed", LOG_POINTER(cr->handle));
    else
        nccl_warn("Error: corrupted comm object detected");
    nccl_explain(cr->state == COMM_GONE ? "the communicator was destroyed before"
                                        : "the communicator was aborted before");
    return ncclInvalidArgument;
}

int comm_ready(struct comm_rank *cr)
{
    if (cr->state >= COMM_ABORTED)
        return comm_refuse_ended(cr, false);
    if (cr->async == ncclInProgress || (cr->state == COMM_INIT && cr->async == 0)) {
        nccl_warn("Attempt to use communicator before the previous operation returned ncclSuccess");
        return ncclInvalidArgument;
    }
    return cr->async;
}

int comm_check(ncclComm_t handle, const char *what, struct comm_rank **out)
{
    if (!handle) {
        nccl_warn("%s : comm argument is NULL", what);
        return ncclInvalidArgument;
    }
    *out = comm_find(handle);
    if (!*out) {
        nccl_warn("Error: corrupted comm object detected");
        return ncclInvalidArgument;
    }
    return ncclSuccess;
}

struct peer *comm_peer(struct comm_rank *cr, int rank)
{
    struct peer *peer = ncs_map_get(&cr->peers, (uint64_t)rank + 1);
    if (!peer) {
        peer = sim_new(sizeof *peer);
        peer->rank = rank;
        ncs_map_put(&cr->peers, (uint64_t)rank + 1, peer);
    }
    return peer;
}

struct comm_rank *comm_rank_new(int rank, int nranks, struct gpu *gpu,
                                const struct comm_config *config)
{
    struct comm_rank *cr = sim_new(sizeof *cr);
    cr->process = gpu->process;
    cr->gpu = gpu;
    cr->resets = gpu->resets;
    cr->handle = ++sim_world.comm_handles;
    cr->rank = rank;
    cr->nranks = nranks;
    cr->config = *config;
    cr->blocking = config->value[CONFIG_BLOCKING] != 0;
    cr->family = cr;
    cr->checks = check_mode_now();
    cr->ordered = env_is(ENV_LAUNCH_ORDER_IMPLICIT, 1);
    cr->rounds_meet = round_mode_is_group();
    ncs_map_put(&sim_world.comms, ncs_map_key(cr), cr);
    return cr;
}

void comm_share(struct comm_rank *child, struct comm_rank *parent)
{
    child->family = parent->family;
    parent->family->sharers++;
}

struct comm *comm_new(struct comm_rank *const *members, int nranks)
{
    struct comm *comm = sim_new(sizeof *comm);
    comm->serial = ++sim_world.comm_serial;
    comm->nranks = nranks;
    comm->behind = nranks;
    comm->connected = env_is(ENV_RUNTIME_CONNECT, 0) || env_is(ENV_CUMEM_ENABLE, 0);
    comm->member = ncs_new((size_t)nranks * sizeof *comm->member);
    memcpy(comm->member, members, (size_t)nranks * sizeof *comm->member);
    for (int i = 0; i < nranks; i++) {
        members[i]->comm = comm;
        comm->siblings |= members[i]->process->joined == comm->serial;
        members[i]->process->joined = comm->serial;
    }
    comm->next = sim_world.comm_first;
    sim_world.comm_first = comm;
    return comm;
}

void comm_settle(struct comm_rank *cr, int rc)
{
    if (cr->blocking || cr->state >= COMM_ABORTED)
        return;
    cr->async = rc;
    cr->ready_polls = rc ? 0 : sim_world.options.ready_after;
}

void comm_fail(ncclComm_t handle, int rc)
{
    struct comm_rank *cr = handle ? comm_find(handle) : NULL;
    if (cr)
        comm_settle(cr, rc);
}

void comm_bury(struct comm_rank *cr, enum comm_state state, const struct ncs_call *call)
{
    cr->state = state;
    cr->async = 0;
    if (call)
        cr->ended = call->place;
    if (cr->last_launch && cr->last_launch->state == OP_DONE) {
        op_unref(cr->last_launch);
        cr->last_launch = NULL;
    }
    job_unref(cr->job);
    cr->job = NULL;
    world_changed();
}

static void free_peer(void *value, void *arg)
{
    (void)arg;
    sim_free(value, sizeof(struct peer));
}

static void free_rank(void *value, void *arg)
{
    struct comm_rank *cr = value;
    (void)arg;
    ncs_map_each(&cr->peers, free_peer, NULL);
    ncs_map_free(&cr->peers);
    op_unref(cr->last_launch);
    op_unref(cr->last_of_kin);
    job_unref(cr->job);
    registrations_free(cr);
    ncs_free(cr->redop);
    sim_free(cr, sizeof *cr);
}

void comms_free(void)
{
    struct world *w = &sim_world;
    ncs_map_each(&w->comms, free_rank, NULL);
    ncs_map_free(&w->comms);
    w->comms = (struct ncs_map){ 0 };
    while (w->comm_first) {
        struct comm *comm = w->comm_first;
        w->comm_first = comm->next;
        slots_free(comm);
        meetings_free(comm);
        spreads_free(comm);
        windows_free(comm);
        checks_free(comm);
        ncs_map_free(&comm->collectives);
        ncs_map_free(&comm->pairs);
        ncs_free(comm->member);
        sim_free(comm, sizeof *comm);
    }
}
