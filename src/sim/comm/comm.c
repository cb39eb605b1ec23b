#include "sim/comm/comm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "sim/comm/init.h"
#include "sim/comm/job_meeting.h"
#include "sim/comm/registration.h"
#include "sim/comm/round.h"
#include "sim/comm/teardown.h"
#include "sim/comm/meeting.h"
#include "sim/comm/composed.h"
#include "sim/comm/window.h"
#include "sim/cuda/op.h"
#include "sim/kernel/job.h"
#include "sim/kernel/list.h"
#include "sim/kernel/world.h"
#include "sim/settings/own.h"
#include "sim/settings/version.h"

/* At most so many ended handles are kept as tombstones, once nobody else points to them. */
enum { TOMBSTONES = 2048 };

/* No address that a process could have. */
#define FIRST_HANDLE ((uint64_t)0xc0 << 56)

static ncclComm_t comm_handle_of_number(uint64_t number)
{
    return (ncclComm_t)(uintptr_t)(FIRST_HANDLE + 64 * number);
}

ncclComm_t sim_comm_handle(const struct comm_rank *cr)
{
    return comm_handle_of_number(cr->handle);
}

/* Every holder of a pointer to it adds a reference. */
void sim_comm_hold(struct comm_rank *cr)
{
    if (cr)
        cr->holders++;
}

void sim_comm_let_go(struct comm_rank *cr)
{
    if (cr)
        cr->holders--;
}

static bool was_given(ncclComm_t handle)
{
    uint64_t number = ((uint64_t)(uintptr_t)handle - FIRST_HANDLE) / 64;
    return number >= 1 && number <= sim_world.comm_handles && handle == comm_handle_of_number(number);
}

struct comm_rank *sim_comm_find(ncclComm_t handle)
{
    struct comm_rank *cr = ncs_map_get(&sim_world.comms, ncs_map_key(handle));
    struct context *c = sim_context_self();
    return cr && c && cr->process == c->process ? cr : NULL;
}

/* NCCL recognizes an ended handle by marks that its memory has lost (NCCL 2.30.7, src/misc/argcheck.cc).
 * ncclCommDestroy has a check of its own (src/init.cc). */
int sim_comm_refuse_ended(const struct comm_rank *cr, bool destroys)
{
    if (destroys)
        sim_warn("comm %s has already been destroyed", LOG_POINTER(cr->handle));
    else
        sim_warn("Error: corrupted comm object detected");
    sim_explain(cr->state == COMM_GONE ? "the communicator was destroyed before" : "the communicator was aborted before");
    return ncclInvalidArgument;
}

int sim_comm_ready(struct comm_rank *cr)
{
    if (cr->state >= COMM_ABORTED)
        return sim_comm_refuse_ended(cr, false);
    if (cr->async == ncclInProgress || (cr->state == COMM_INIT && cr->async == 0)) {
        sim_warn("Attempt to use communicator before the previous operation returned ncclSuccess");
        return ncclInvalidArgument;
    }
    return cr->async;
}

int sim_comm_check(ncclComm_t handle, const char *what, struct comm_rank **out)
{
    if (!handle) {
        sim_warn("%s : comm argument is NULL", what);
        return ncclInvalidArgument;
    }
    *out = sim_comm_find(handle);
    if (!*out) {
        sim_warn("Error: corrupted comm object detected");
        if (was_given(handle))
            sim_explain("the communicator was destroyed before, or belongs to another process");
        return ncclInvalidArgument;
    }
    return ncclSuccess;
}

/* NCCL takes NCCL_HOSTID for the host's name. */
uint64_t sim_comm_host(const struct comm_rank *cr)
{
    const struct process *before = sim_own_act(cr->process);
    const char *name = sim_env_text(ENV_HOSTID);
    sim_own_act(before);
    return name ? ncs_hash_bytes(1, name, strlen(name)) | 1 : (uint64_t)cr->process->host + 1;
}

struct peer *sim_comm_peer(struct comm_rank *cr, int rank)
{
    struct peer *peer = ncs_map_get(&cr->peers, (uint64_t)rank + 1);
    if (!peer) {
        peer = sim_new(sizeof *peer);
        peer->rank = rank;
        ncs_map_put(&cr->peers, (uint64_t)rank + 1, peer);
    }
    return peer;
}

struct comm_log_id sim_comm_log_id(const struct comm_rank *cr)
{
    struct comm_log_id id = { "" };
    if (sim_version_does(DOES_LOG_COMM_ID))
        snprintf(id.text, sizeof id.text, " commId 0x%" PRIx64, cr->log_id);
    return id;
}

struct comm_rank *sim_comm_rank_new(int rank, int nranks, struct gpu *gpu, const struct comm_config *config)
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
    cr->checks = sim_check_mode_now();
    cr->ordered = cr->config.value[CONFIG_LAUNCH_ORDER_IMPLICIT] == 1;
    cr->rounds_meet = sim_round_mode_is_group();
    ncs_map_put(&sim_world.comms, ncs_map_key(sim_comm_handle(cr)), cr);
    cr->next_of_process = cr->process->comms;
    if (cr->next_of_process)
        cr->next_of_process->previous_of_process = cr;
    cr->process->comms = cr;
    return cr;
}

void sim_comm_share(struct comm_rank *child, struct comm_rank *parent)
{
    child->family = parent->family;
    parent->family->sharers++;
    child->next_kin = parent->family->next_kin;
    parent->family->next_kin = child;
    sim_comm_hold(parent->family);
}

struct comm *sim_comm_new(struct comm_rank *const *members, int nranks)
{
    struct comm *comm = sim_new(sizeof *comm);
    comm->serial = ++sim_world.comm_serial;
    comm->nranks = nranks;
    comm->behind = nranks;
    comm->connected = sim_env_is(ENV_RUNTIME_CONNECT, 0) || sim_env_is(ENV_CUMEM_ENABLE, 0);
    comm->member = ncs_new((size_t)nranks * sizeof *comm->member);
    memcpy(comm->member, members, (size_t)nranks * sizeof *comm->member);
    for (int i = 0; i < nranks; i++) {
        members[i]->comm = comm;
        comm->siblings |= members[i]->process->joined == comm->serial;
        members[i]->process->joined = comm->serial;
        int capability = sim_gpu_capability(members[i]->gpu);
        if (i == 0 || capability < comm->least_capability)
            comm->least_capability = capability;
    }
    LIST_APPEND(sim_world.comm_first, sim_world.comm_last, comm);
    return comm;
}

void sim_comm_settle(struct comm_rank *cr, int rc)
{
    if (cr->blocking || cr->state >= COMM_ABORTED)
        return;
    cr->async = rc;
    cr->ready_polls = rc ? 0 : sim_world.options.ready_after;
}

void sim_comm_fail(ncclComm_t handle, int rc)
{
    struct comm_rank *cr = handle ? sim_comm_find(handle) : NULL;
    if (cr)
        sim_comm_settle(cr, rc);
}

static void free_peer(void *value, void *arg)
{
    (void)arg;
    sim_free(value, sizeof(struct peer));
}

static void end_job(void *value, void *arg)
{
    struct comm_rank *cr = value;
    (void)arg;
    sim_job_unref(cr->job);
    cr->job = NULL;
}

static void comm_leave_process(struct comm_rank *cr)
{
    struct comm_rank *next = cr->next_of_process, *previous = cr->previous_of_process;
    *(previous ? &previous->next_of_process : &cr->process->comms) = next;
    if (next)
        next->previous_of_process = previous;
}

static void comm_leave_family(struct comm_rank *cr)
{
    struct comm_rank **link = &cr->family->next_kin;
    while (*link != cr)
        link = &(*link)->next_kin;
    *link = cr->next_kin;
    sim_comm_let_go(cr->family);
}

static void comm_free_rank(void *value, void *arg)
{
    struct comm_rank *cr = value;
    (void)arg;
    ncs_map_each(&cr->peers, free_peer, NULL);
    ncs_map_free(&cr->peers);
    sim_op_unref(cr->last_launch);
    sim_op_unref(cr->last_of_kin);
    sim_registrations_free(cr);
    ncs_free(cr->redop);
    sim_free(cr, sizeof *cr);
}

static void free_comm(struct comm *comm)
{
    sim_meetings_free(comm);
    sim_job_meetings_free(comm);
    sim_composed_free_all(comm);
    sim_windows_free(comm);
    sim_checks_free(comm);
    sim_homes_free(comm);
    ncs_map_free(&comm->collectives);
    ncs_map_free(&comm->matrices);
    ncs_map_free(&comm->pairs);
    ncs_free(comm->member);
    sim_free(comm, sizeof *comm);
}

static bool is_held(const struct comm *comm)
{
    bool held = comm->ids > 0 || comm->meeting_first || comm->job_meetings;
    for (int i = 0; i < comm->nranks && !held; i++)
        held = comm->member[i]->holders > 0;
    return held;
}

static void forget_comm(struct comm *comm)
{
    struct world *w = &sim_world;
    LIST_REMOVE(w->comm_first, w->comm_last, comm);
    sim_rendezvous_forget(comm->made_by);
    for (int i = 0; i < comm->nranks; i++) {
        struct comm_rank *cr = comm->member[i];
        ncs_map_remove(&w->comms, ncs_map_key(sim_comm_handle(cr)));
        if (cr->family != cr)
            comm_leave_family(cr);
        comm_leave_process(cr);
        comm_free_rank(cr, NULL);
    }
    w->tombstones -= (size_t)comm->nranks;
    free_comm(comm);
}

/* Forgets the communicators that ended first, unless somebody points to them, so that a program that
 * keeps making communicators does not grow. */
static void forget_oldest(void)
{
    struct world *w = &sim_world;
    struct comm *kept_first = NULL, *kept_last = NULL;
    while (w->ended_first && w->tombstones > TOMBSTONES) {
        struct comm *comm = w->ended_first;
        QUEUE_TAKE(w->ended_first, w->ended_last, next_ended);
        if (is_held(comm))
            QUEUE_APPEND(kept_first, kept_last, comm, next_ended);
        else
            forget_comm(comm);
    }
    while (kept_first) { /* asked again when others have ended */
        struct comm *comm = kept_first;
        QUEUE_TAKE(kept_first, kept_last, next_ended);
        QUEUE_APPEND(w->ended_first, w->ended_last, comm, next_ended);
    }
}

static void note_end(struct comm *comm)
{
    struct world *w = &sim_world;
    if (++comm->ended < comm->nranks)
        return;
    w->tombstones += (size_t)comm->nranks;
    QUEUE_APPEND(w->ended_first, w->ended_last, comm, next_ended);
    forget_oldest();
}

void sim_comm_bury(struct comm_rank *cr, enum comm_state state)
{
    bool first = cr->state < COMM_ABORTED;
    cr->state = state;
    cr->async = 0;
    if (cr->last_launch && cr->last_launch->state == OP_DONE) {
        sim_op_unref(cr->last_launch);
        cr->last_launch = NULL;
    }
    sim_job_unref(cr->job);
    cr->job = NULL;
    sim_world_changed();
    if (first && cr->comm)
        note_end(cr->comm);
}

void sim_comms_free(void)
{
    struct world *w = &sim_world;
    ncs_map_each(&w->comms, end_job, NULL); /* a job may hold any of them */
    ncs_map_each(&w->comms, comm_free_rank, NULL);
    ncs_map_free(&w->comms);
    w->comms = (struct ncs_map){ 0 };
    while (w->comm_first) {
        struct comm *comm = w->comm_first;
        w->comm_first = comm->next;
        free_comm(comm);
    }
    w->comm_last = w->ended_first = w->ended_last = NULL;
    w->tombstones = 0;
}
