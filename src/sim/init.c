#include "sim/init.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "sim/comm.h"
#include "sim/job.h"
#include "sim/snapshot.h"
#include "sim/version.h"
#include "sim/world.h"

/* How long a connection to a rendezvous that no longer serves is tried before it fails. */
#define RETRY_NS ((int64_t)60 * 1000000000)

enum rendezvous_state { SERVING, COMPLETE, REFUSED };

struct init_job {
    struct job job;
    ncclUniqueId id;
    struct rendezvous *rendezvous; /* NULL until it has checked in */
    int64_t give_up;               /* when a late comer fails; 0 = not late */
    const char *why;               /* why it cannot complete */
    bool complete;
    int code;                      /* when complete */
};

/* A rank that gives up stays checked in: the others wait for it for ever. */
struct seat {
    bool taken;
    struct init_job *job; /* NULL when it has given up, or is done */
};

struct rendezvous {
    ncclUniqueId id;
    enum rendezvous_state state;
    const char *why;
    int nranks, checked_in;
    struct seat *seat;             /* by rank */
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
        ncs_free(r->seat);
        sim_free(r, sizeof *r);
    }
}

/* Nobody serves this rank: it tries for a minute and fails with ncclRemoteError. */
static void come_late(struct init_job *j, const char *why)
{
    j->why = why;
    j->give_up = world_later(RETRY_NS);
    job_at(&j->job, j->give_up);
}

/* The root stops listening: whoever has checked in waits for ever. */
static void refuse(struct rendezvous *r, struct init_job *last, const char *why)
{
    r->state = REFUSED;
    r->why = last->why = why;
    for (int i = 0; r->seat && i < r->nranks; i++)
        if (r->seat[i].job)
            r->seat[i].job->why = why;
}

/* Ranks that share a GPU fail, each by its own check; the others go on to wait for them. */
static bool refuse_duplicates(struct rendezvous *r)
{
    const struct ncs_machine_options *o = &sim_world.options;
    if (o->multi_rank_gpu && nccl_does(DOES_SHARE_GPU))
        return false;
    struct ncs_map seen = { 0 };
    bool any = false;
    for (int i = 0; i < r->nranks; i++) {
        struct comm_rank *cr = r->seat[i].job->job.about;
        uint64_t key = (uint64_t)cr->process->host * (uint64_t)o->devices +
                       (uint64_t)cr->gpu->device + 1;
        struct init_job *other = ncs_map_get(&seen, key);
        if (!other) {
            ncs_map_put(&seen, key, r->seat[i].job);
            continue;
        }
        any = true;
        other->complete = r->seat[i].job->complete = true;
        other->code = r->seat[i].job->code = ncclInvalidUsage;
        snprintf(cr->process->last_error, sizeof cr->process->last_error,
                 "Duplicate GPU detected : rank %d and rank %d both on CUDA device %d%s", i,
                 other->job.about->rank, cr->gpu->device,
                 nccl_does(DOES_SHARE_GPU)
                     ? "; set NCCL_MULTI_RANK_GPU_ENABLE=1 to allow several ranks per GPU" : "");
        memcpy(other->job.about->process->last_error, cr->process->last_error,
               sizeof cr->process->last_error);
    }
    ncs_map_free(&seen);
    if (any) {
        r->state = REFUSED;
        r->why = "ranks share a GPU";
        for (int i = 0; i < r->nranks; i++)
            r->seat[i].job->why = r->why;
    }
    return any;
}

static void complete(struct rendezvous *r)
{
    if (!refuse_duplicates(r)) {
        struct comm_rank **member = ncs_new((size_t)r->nranks * sizeof *member);
        for (int i = 0; i < r->nranks; i++)
            member[i] = r->seat[i].job->job.about;
        comm_new(member, r->nranks);
        ncs_free(member);
        r->state = COMPLETE;
        for (int i = 0; i < r->nranks; i++)
            r->seat[i].job->complete = true;
    }
    for (int i = 0; i < r->nranks; i++)
        if (r->seat[i].job->complete)
            job_mark(&r->seat[i].job->job);
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
    if (!r->seat) {
        r->nranks = j->job.about->nranks;
        r->seat = ncs_new((size_t)r->nranks * sizeof *r->seat);
    }
    if (j->job.about->nranks != r->nranks)
        refuse(r, j, "the ranks do not agree on nranks");
    else if (r->seat[j->job.about->rank].taken)
        refuse(r, j, "one rank number checked in twice");
    else {
        r->seat[j->job.about->rank] = (struct seat){ true, j };
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
        j->job.about->state = COMM_READY;
    comm_settle(j->job.about, j->code);
    return true;
}

static void describe_init(const struct job *job, struct ncs_snap_job *out,
                          struct ncs_snapshot *snapshot)
{
    const struct init_job *j = (const struct init_job *)job;
    out->comm_rank = j->job.about->rank;
    out->nranks = j->job.about->nranks;
    out->refused = j->why != NULL;
    out->why = j->why;
    if (!j->rendezvous)
        return;
    for (int i = 0; i < j->rendezvous->nranks; i++)
        if (!j->rendezvous->seat[i].taken)
            snapshot_missing(out, snapshot, i);
}

static void cancel_init(struct job *job)
{
    struct init_job *j = (struct init_job *)job;
    struct rendezvous *r = j->rendezvous;
    if (r && r->state == SERVING)
        refuse(r, j, "a rank that had checked in gave up");
    comm_settle(job->about, job->rc);
}

static void free_init(struct job *job)
{
    struct init_job *j = (struct init_job *)job;
    struct rendezvous *r = j->rendezvous;
    if (r && j->job.about->rank < r->nranks && r->seat[j->job.about->rank].job == j)
        r->seat[j->job.about->rank].job = NULL;
}

static const struct job_type init_type = {
    .kind = NCS_JOB_INIT, .bytes = sizeof(struct init_job), .step = step_init,
    .cancel = cancel_init, .free = free_init,
    .describe = describe_init,
};

struct job *init_job(struct comm_rank *cr, const ncclUniqueId *id)
{
    struct init_job *j = (struct init_job *)job_new(&init_type);
    j->job.about = cr;
    j->id = *id;
    return &j->job;
}
