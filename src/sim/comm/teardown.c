/* A rank serves the connections that other processes of its host have to it, in a thread of NCCL's own (the proxy). Its
 * destroy joins that thread, which ends when all of them are closed (NCCL 2.30.7: commFree in src/init.cc,
 * ncclProxyService in src/proxy.cc). A rank closes its own connections before it waits (ncclProxyStop), and by its
 * finalize already. Handles that share resources have the thread in common, and only the last one of a rank stops it. */
#include "sim/comm/teardown.h"

#include "base/map.h"
#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/contact.h"
#include "sim/comm/life.h"
#include "sim/comm/snapshot.h"
#include "sim/cuda/op.h"
#include "sim/cuda/stream.h"
#include "sim/kernel/job.h"
#include "sim/kernel/world.h"

/* The ranks of a communicator on one host. */
struct home {
    int *member;
    int members;
    int holding;           /* have not let go of this communicator */
    int attached;          /* have not let go of it and all that shares its resources */
    struct waitable clear; /* fires when one of these becomes 0 */
};

static void homes_make(struct comm *comm)
{
    struct ncs_map place = { 0 }; /* by host: index + 1 */
    comm->home_of = ncs_new((size_t)comm->nranks * sizeof *comm->home_of);
    for (int r = 0; r < comm->nranks; r++) {
        uint64_t key = sim_comm_host(comm->member[r]);
        int at = (int)(intptr_t)ncs_map_get(&place, key);
        if (!at)
            ncs_map_put(&place, key, (void *)(intptr_t)(at = ++comm->homes));
        comm->home_of[r] = at - 1;
    }
    ncs_map_free(&place);
    comm->home = ncs_new((size_t)comm->homes * sizeof *comm->home);
    for (int r = 0; r < comm->nranks; r++)
        comm->home[comm->home_of[r]].members++;
    for (int i = 0; i < comm->homes; i++) {
        struct home *h = &comm->home[i];
        h->holding = h->attached = h->members;
        h->member = ncs_new((size_t)h->members * sizeof *h->member);
        h->members = 0;
    }
    for (int r = 0; r < comm->nranks; r++) {
        struct home *h = &comm->home[comm->home_of[r]];
        h->member[h->members++] = r;
    }
}

static struct home *home_of(const struct comm_rank *cr)
{
    if (!cr->comm->home)
        homes_make(cr->comm);
    return &cr->comm->home[cr->comm->home_of[cr->rank]];
}

void sim_homes_free(struct comm *comm)
{
    for (int i = 0; i < comm->homes; i++)
        ncs_free(comm->home[i].member);
    ncs_free(comm->home);
    ncs_free(comm->home_of);
}

static bool is_parted(const struct comm_rank *cr)
{
    const struct comm_rank *head = cr->family;
    return head->handles_released > head->sharers;
}

static void count_down(struct home *home, int *left)
{
    if (--*left == 0)
        sim_waitable_fire(&home->clear);
}

void sim_teardown_release(struct comm_rank *cr)
{
    struct comm_rank *head = cr->family;
    if (cr->released || !cr->comm)
        return;
    cr->released = true;
    head->handles_released++;
    count_down(home_of(cr), &home_of(cr)->holding);
    if (is_parted(cr)) {
        cr->last_of_family = true;
        count_down(home_of(head), &home_of(head)->attached);
        sim_waitable_fire(&head->parted);
    }
    sim_world_changed();
}

void sim_process_over(struct process *p)
{
    for (struct comm_rank *cr = p->comms; cr; cr = cr->next_of_process)
        sim_teardown_release(cr);
}

/* ---- who is waited for ---- */

static bool holds(const struct comm_rank *cr, const struct comm_rank *peer, bool all)
{
    return peer->process != cr->process && !is_parted(peer) && (all || sim_contact_of_pair(cr, peer->rank));
}

/* A rank that still holds a connection to the family of cr; NULL = none. The search goes down: a program mostly ends its
 * ranks in their order, and then the last one is all that a job waits for. */
static struct comm_rank *connected_holder(const struct comm_rank *cr)
{
    for (struct comm_rank *h = cr->family; h; h = h->next_kin) {
        const struct home *home = home_of(h);
        bool all = sim_contact_of_all(h);
        for (int i = home->members; i-- > 0;)
            if (holds(h, h->comm->member[home->member[i]], all))
                return h->comm->member[home->member[i]];
    }
    return NULL;
}

/* What opens when ranks that have met this one in a call have let go; NULL = it is open. */
static struct waitable *connected_gate(const struct comm_rank *cr)
{
    const struct comm_rank *head = cr->family;
    if (!cr->last_of_family)
        return NULL;
    if (!head->comm->siblings && sim_contact_of_all(head))
        return home_of(head)->attached ? &home_of(head)->clear : NULL;
    struct comm_rank *holder = connected_holder(cr);
    return holder ? &holder->family->parted : NULL;
}

static struct waitable *host_gate(const struct comm_rank *cr)
{
    return home_of(cr)->holding ? &home_of(cr)->clear : NULL;
}

static bool waits_as_documented(void)
{
    return sim_world.options.teardown == NCS_TEARDOWN_DOCUMENTED;
}

/* Freeing memory waits for all work of the device (NVIDIA/nccl#564). With cuMem NCCL unmaps what it has on the device, which does
 * not; but flags that kernels read are page-locked memory, which it frees with cudaFreeHost (NCCL 2.30.7: commFree in
 * src/init.cc, ncclCudaFree in src/include/alloc.h), and CUDA does not say that this waits for nothing. */
static struct waitable *device_gate(const struct gpu *gpu)
{
    for (size_t i = 0; i < gpu->streams; i++)
        if (gpu->stream[i]->tail && gpu->stream[i]->tail->state != OP_DONE)
            return &gpu->stream[i]->tail->done;
    return NULL;
}

bool sim_teardown_may_free(struct job *job, const struct gpu *gpu)
{
    struct waitable *gate = device_gate(gpu);
    if (gate && waits_as_documented())
        sim_job_listen(job, gate);
    else if (gate)
        sim_world.let_off = true;
    return !gate || !waits_as_documented();
}

bool sim_teardown_is_over(struct job *job, struct comm_rank *cr)
{
    if (cr->state == COMM_REVOKED) /* the revoke has joined the thread */
        return true;
    struct waitable *all = host_gate(cr), *gate = waits_as_documented() ? all : connected_gate(cr);
    if (gate)
        sim_job_listen(job, gate);
    else if (all)
        sim_world.let_off = true;
    return !gate;
}

/* The rank of cr's communicator that is of the other's family; -1 = none is. */
static int rank_of_family(const struct comm_rank *cr, const struct comm_rank *other)
{
    for (int r = 0; r < cr->nranks; r++)
        if (cr->comm->member[r]->family == other->family)
            return r;
    return -1;
}

/* A rank whose destroy has returned while others of its process were to come waits for nobody: these are waited for. */
static bool is_missing(const struct comm_rank *peer)
{
    return peer->state < COMM_ABORTED;
}

static void describe_all(const struct comm_rank *cr, struct ncs_snap_job *out, struct ncs_snapshot *snapshot)
{
    const struct home *home = home_of(cr);
    for (int i = 0; i < home->members; i++) {
        const struct comm_rank *peer = cr->comm->member[home->member[i]];
        if (!peer->released && is_missing(peer))
            sim_snapshot_missing(out, snapshot, peer->rank);
    }
}

/* True if the rank is in the job's entry already: another rank of the process, or another handle, has met it, too. */
static bool holder_is_told(const struct ncs_snap_job *out, const struct ncs_snapshot *snapshot, int rank)
{
    for (size_t i = 0; i < out->misses; i++)
        if (snapshot->missing[out->miss + i] == rank)
            return true;
    return false;
}

static void describe_connected(const struct job *job, struct comm_rank *h, struct ncs_snap_job *out,
                               struct ncs_snapshot *snapshot)
{
    const struct home *home = home_of(h);
    bool all = sim_contact_of_all(h), again = h->comm->siblings || h->family->next_kin;
    for (int i = 0; i < home->members; i++) {
        const struct comm_rank *peer = h->comm->member[home->member[i]];
        if (!holds(h, peer, all) || (h->comm == job->about->comm && !is_missing(peer)))
            continue;
        int rank = h->comm == job->about->comm ? peer->rank : rank_of_family(job->about, peer);
        if (rank >= 0 && again && holder_is_told(out, snapshot, rank))
            continue;
        if (rank >= 0)
            sim_snapshot_missing(out, snapshot, rank);
        else
            sim_snapshot_connection(peer->gpu, out, snapshot);
    }
}

void sim_teardown_describe(const struct job *job, const struct comm_rank *cr, struct ncs_snap_job *out,
                           struct ncs_snapshot *snapshot)
{
    const struct gpu *gpu = cr->gpu;
    if (!cr->released)
        return;
    bool joins = job->type->kind == NCS_JOB_DESTROY && cr->state != COMM_REVOKED;
    if (joins && waits_as_documented() && cr == job->about) /* the same for all of its process */
        describe_all(cr, out, snapshot);
    for (struct comm_rank *h = cr->family; h && joins && !waits_as_documented() && cr->last_of_family; h = h->next_kin)
        describe_connected(job, h, out, snapshot);
    if (waits_as_documented() && !out->misses)
        for (size_t i = 0; i < gpu->streams; i++)
            sim_snapshot_op_wait(gpu->stream[i]->tail, out, snapshot);
}

/* True if the job stands, while the other policy would let it go on. */
static bool stands_for_all(const struct job *job)
{
    const struct comm_rank *cr = job->about;
    bool destroys = job->type->kind == NCS_JOB_DESTROY;
    if (!waits_as_documented() || (!destroys && job->type->kind != NCS_JOB_ABORT) || !cr->released)
        return false;
    if (destroys && cr->state != COMM_REVOKED && host_gate(cr))
        return !connected_gate(cr);
    return device_gate(cr->gpu);
}

bool sim_teardown_swayed(void)
{
    for (const struct job *job = sim_world.job_first; job; job = job->next)
        if (stands_for_all(job))
            return true;
    return sim_world.let_off;
}
