#include "sim/init.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "sim/comm.h"
#include "sim/job.h"
#include "sim/snapshot.h"
#include "sim/world.h"

/* How long a connection to a rendezvous that no longer serves is tried before it fails. */
#define RETRY_NS ((int64_t)60 * 1000000000)

enum rendezvous_state { SERVING, COMPLETE, REFUSED };

struct init_job {
    struct job job;
    struct comm_rank *cr;
    ncclUniqueId id;
    struct rendezvous *rendezvous; /* NULL until it has checked in */
    int64_t give_up;               /* when a late comer fails; 0 = not late */
    const char *why;               /* why it cannot complete */
    bool complete;
    int code;                      /* when complete */
};

struct rendezvous {
    ncclUniqueId id;
    enum rendezvous_state state;
    const char *why;
    int nranks, checked_in;
    struct init_job **job;         /* by rank */
    struct rendezvous *next;
};

void unique_id_new(ncclUniqueId *id)
{
    struct ncs_random random = { ++sim_world.unique_ids * 0x5851f42d4c957f2du };
    memset(id, 0, sizeof *id);
    for (size_t i = 0; i < 4; i++) {
        uint64_t word = ncs_random_next(&random);
        memcpy(id->internal + 8 * i, &word, sizeof word);
    }
    struct rendezvous *r = sim_new(sizeof *r);
    r->id = *id;
    r->next = sim_world.rendezvous;
    sim_world.rendezvous = r;
}

static struct rendezvous *find(const ncclUniqueId *id)
{
    struct rendezvous *r = sim_world.rendezvous;
    while (r && memcmp(&r->id, id, sizeof *id) != 0)
        r = r->next;
    return r;
}

void rendezvous_free_all(void)
{
    while (sim_world.rendezvous) {
        struct rendezvous *r = sim_world.rendezvous;
        sim_world.rendezvous = r->next;
        ncs_free(r->job);
        sim_free(r, sizeof *r);
    }
}

/* Nobody serves this rank: it tries for a minute and fails with ncclRemoteError. */
static void come_late(struct init_job *j, const char *why)
{
    j->why = why;
    j->give_up = sim_world.now + RETRY_NS;
    job_at(&j->job, j->give_up);
}

/* The root stops listening: whoever has checked in waits for ever. */
static void refuse(struct rendezvous *r, struct init_job *last, const char *why)
{
    r->state = REFUSED;
    r->why = last->why = why;
    for (int i = 0; i < r->nranks; i++)
        if (r->job[i])
            r->job[i]->why = why;
}

static bool share_gpu(const struct comm_rank *a, const struct comm_rank *b)
{
    return a->process->host == b->process->host && a->gpu->device == b->gpu->device;
}

/* Ranks that share a GPU fail, each by its own check; the others go on to wait for them. */
static bool refuse_duplicates(struct rendezvous *r)
{
    const struct ncs_machine_options *o = &sim_world.options;
    if (o->multi_rank_gpu && o->nccl_version >= NCCL_VERSION(2, 30, 3))
        return false;
    struct ncs_map seen = { 0 };
    bool any = false;
    for (int i = 0; i < r->nranks; i++) {
        struct comm_rank *cr = r->job[i]->cr;
        uint64_t key = (uint64_t)cr->process->host * (uint64_t)o->devices +
                       (uint64_t)cr->gpu->device + 1;
        struct init_job *other = ncs_map_get(&seen, key);
        if (!other || !share_gpu(other->cr, cr)) {
            ncs_map_put(&seen, key, r->job[i]);
            continue;
        }
        any = true;
        other->complete = r->job[i]->complete = true;
        other->code = r->job[i]->code = ncclInvalidUsage;
        snprintf(cr->process->last_error, sizeof cr->process->last_error,
                 "Duplicate GPU detected : rank %d and rank %d both on CUDA device %d%s", i,
                 other->cr->rank, cr->gpu->device,
                 o->nccl_version >= NCCL_VERSION(2, 30, 3)
                     ? "; set NCCL_MULTI_RANK_GPU_ENABLE=1 to allow several ranks per GPU" : "");
        memcpy(other->cr->process->last_error, cr->process->last_error,
               sizeof cr->process->last_error);
    }
    ncs_map_free(&seen);
    if (any) {
        r->state = REFUSED;
        r->why = "ranks share a GPU";
        for (int i = 0; i < r->nranks; i++)
            r->job[i]->why = r->why;
    }
    return any;
}

static void complete(struct rendezvous *r)
{
    if (!refuse_duplicates(r)) {
        struct comm_rank **member = ncs_new((size_t)r->nranks * sizeof *member);
        for (int i = 0; i < r->nranks; i++)
            member[i] = r->job[i]->cr;
        comm_new(member, r->nranks);
        ncs_free(member);
        r->state = COMPLETE;
        for (int i = 0; i < r->nranks; i++)
            r->job[i]->complete = true;
    }
    for (int i = 0; i < r->nranks; i++)
        if (r->job[i]->complete)
            job_mark(&r->job[i]->job);
}

static void check_in(struct init_job *j)
{
    struct rendezvous *r = find(&j->id);
    if (!r) {
        come_late(j, "the id was not made by ncclGetUniqueId");
        return;
    }
    if (r->state == COMPLETE) {
        come_late(j, "the id was used before");
        return;
    }
    if (r->state == REFUSED) {
        come_late(j, r->why);
        return;
    }
    j->rendezvous = r;
    if (!r->job) {
        r->nranks = j->cr->nranks;
        r->job = ncs_new((size_t)r->nranks * sizeof *r->job);
    }
    if (j->cr->nranks != r->nranks)
        refuse(r, j, "the ranks do not agree on nranks");
    else if (r->job[j->cr->rank])
        refuse(r, j, "one rank number checked in twice");
    else {
        r->job[j->cr->rank] = j;
        if (++r->checked_in == r->nranks)
            complete(r);
    }
}

static bool step_init(struct job *job)
{
    struct init_job *j = (struct init_job *)job;
    if (!j->rendezvous && !j->give_up)
        check_in(j);
    if (j->give_up && sim_world.now >= j->give_up) {
        j->complete = true;
        j->code = ncclRemoteError;
    }
    if (!j->complete)
        return false;
    job->rc = j->code;
    if (j->code == ncclSuccess)
        j->cr->state = COMM_READY;
    if (!j->cr->blocking) {
        j->cr->async = j->code;
        j->cr->ready_polls = sim_world.options.ready_after;
    }
    return true;
}

/* A rank that gives up stays checked in: the others wait for it for ever. */
static void describe_init(const struct job *job, struct ncs_snap_job *out,
                          struct ncs_snapshot *snapshot)
{
    const struct init_job *j = (const struct init_job *)job;
    out->comm_rank = j->cr->rank;
    out->nranks = j->cr->nranks;
    out->refused = j->why != NULL;
    out->why = j->why;
    if (!j->rendezvous)
        return;
    for (int i = 0; i < j->rendezvous->nranks; i++)
        if (!j->rendezvous->job[i])
            snapshot_missing(out, snapshot, i);
}

static void free_init(struct job *job)
{
    struct init_job *j = (struct init_job *)job;
    struct rendezvous *r = j->rendezvous;
    if (r && r->job && j->cr->rank < r->nranks && r->job[j->cr->rank] == j)
        r->job[j->cr->rank] = NULL;
}

static const struct job_type init_type = {
    .kind = NCS_JOB_INIT, .bytes = sizeof(struct init_job), .step = step_init, .free = free_init,
    .describe = describe_init,
};

struct job *init_job(struct comm_rank *cr, const ncclUniqueId *id)
{
    struct init_job *j = (struct init_job *)job_new(&init_type);
    j->cr = cr;
    j->id = *id;
    return &j->job;
}
