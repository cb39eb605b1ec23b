#include "sim/comm/init.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/mem.h"
#include "sim/comm/bootstrap.h"
#include "sim/comm/comm.h"
#include "sim/comm/sharing.h"
#include "sim/comm/snapshot.h"
#include "sim/kernel/foreign.h"
#include "sim/kernel/job.h"
#include "sim/kernel/list.h"
#include "sim/kernel/world.h"
#include "sim/settings/environment.h"

enum rendezvous_state { SERVING, COMPLETE, REFUSED };

struct init_job {
    struct job job;
    uint64_t key;     /* of the ids; 0 = an old rank without an id */
    ncclUniqueId *id; /* owned */
    int ids;
    bool grows;
    struct comm_rank *parent;      /* of an old rank that grows */
    struct rendezvous *rendezvous; /* NULL until it has checked in */
    int64_t give_up;               /* when a late comer fails; 0 = not late */
    const char *why;               /* why it cannot complete */
    bool complete;
    int code; /* when complete */
};

/* A rank that gives up still counts as checked in, so the others wait for it for ever. */
struct seat {
    bool taken;
    struct init_job *job; /* NULL when it has given up, or is done */
};

struct rendezvous {
    uint64_t key;
    enum rendezvous_state state;
    const char *why;
    bool of_environment; /* for NCCL_COMM_ID: rank 0 serves one communicator after the
                                    * other */
    int nranks, checked_in;
    struct seat *seat;        /* by rank */
    struct rendezvous **root; /* under several ids: those of each id; owned */
    int roots;
    struct comm *parent; /* that grows; NULL = none */
    struct rendezvous *previous, *next;
};

static uint64_t rendezvous_key(const ncclUniqueId *id, int ids)
{
    return ncs_hash_bytes(0, id, (size_t)ids * sizeof *id);
}

uint64_t sim_unique_id_hash(const ncclUniqueId *id)
{
    return rendezvous_key(id, 1);
}

static struct rendezvous *rendezvous_new(uint64_t key)
{
    struct rendezvous *r = sim_new(sizeof *r);
    r->key = key;
    LIST_APPEND(sim_world.rendezvous_first, sim_world.rendezvous_last, r);
    ncs_map_put(&sim_world.rendezvous_by_key, key, r);
    return r;
}

static void rendezvous_free(struct rendezvous *r)
{
    struct world *w = &sim_world;
    LIST_REMOVE(w->rendezvous_first, w->rendezvous_last, r);
    if (ncs_map_get(&w->rendezvous_by_key, r->key) == r)
        ncs_map_remove(&w->rendezvous_by_key, r->key);
    ncs_free(r->seat);
    ncs_free(r->root);
    sim_free(r, sizeof *r);
}

/* The rendezvous serves no more. */
static void rendezvous_settle(struct rendezvous *r, enum rendezvous_state state)
{
    if (r->parent && r->state == SERVING)
        r->parent->ids--;
    r->state = state;
}

/* The youngest rendezvous with that key. The id of NCCL_COMM_ID serves each communicator anew. */
static struct rendezvous *rendezvous_find(uint64_t key)
{
    struct rendezvous *r = ncs_map_get(&sim_world.rendezvous_by_key, key);
    ncclUniqueId own;
    if ((!r || r->state != SERVING) && sim_bootstrap_fixed_id(&own) && rendezvous_key(&own, 1) == key) {
        r = rendezvous_new(key);
        r->of_environment = true;
    }
    return r;
}

void sim_unique_id_of(struct comm *parent, ncclUniqueId *id)
{
    if (!parent && sim_bootstrap_fixed_id(id))
        return;
    struct ncs_random random = { ++sim_world.unique_ids * 0x5851f42d4c957f2du };
    memset(id, 0, sizeof *id);
    for (size_t i = 0; i < 4; i++) {
        uint64_t word = ncs_random_next(&random);
        memcpy(id->internal + 8 * i, &word, sizeof word);
    }
    sim_foreign_stamp_id(id);
    rendezvous_new(rendezvous_key(id, 1))->parent = parent;
    if (!parent)
        return;
    parent->ids++;
    sim_world_changed();
    sim_waitable_fire(&parent->coordinated);
}

void sim_unique_id_new(ncclUniqueId *id)
{
    sim_unique_id_of(NULL, id);
}

/* The oldest open growth of this communicator that this rank has not joined. A communicator of one
 * rank cannot look it up: its rank must pass the id. */
static struct rendezvous *find_growth(const struct comm_rank *cr)
{
    for (struct rendezvous *r = sim_world.rendezvous_first; r && cr->nranks > 1; r = r->next)
        if (r->parent == cr->comm && r->state == SERVING && !(r->seat && r->seat[cr->rank].taken))
            return r;
    return NULL;
}

static const char *untold(const struct comm_rank *cr)
{
    return cr->nranks > 1 ? "no rank has made an id with ncclCommGetUniqueId"
                          : "the only rank of the communicator has to pass the id";
}

void sim_rendezvous_free_all(void)
{
    while (sim_world.rendezvous_first)
        rendezvous_free(sim_world.rendezvous_first);
    ncs_map_free(&sim_world.rendezvous_by_key);
}

bool sim_rendezvous_is_open(void)
{
    for (const struct rendezvous *r = sim_world.rendezvous_first; r; r = r->next)
        if (r->state == SERVING && r->checked_in > 0 && r->checked_in < r->nranks)
            return true;
    return false;
}

void sim_rendezvous_forget(struct rendezvous *r)
{
    for (int i = 0; r && i < r->roots; i++)
        rendezvous_free(r->root[i]);
    if (r)
        rendezvous_free(r);
}

/* Nobody serves this rank: it tries for sim_bootstrap_retry_time, then fails with ncclRemoteError. */
static void come_late(struct init_job *j, const char *why)
{
    j->why = why;
    j->give_up = sim_world_later(sim_bootstrap_retry_time());
    sim_job_at(&j->job, j->give_up);
}

/* The root stops listening: ranks that have checked in wait for ever. */
static void rendezvous_refuse(struct rendezvous *r, struct init_job *last, const char *why)
{
    rendezvous_settle(r, REFUSED);
    r->why = last->why = why;
    for (int i = 0; r->seat && i < r->nranks; i++)
        if (r->seat[i].job)
            r->seat[i].job->why = why;
}

/* The ranks that refuse others' version, or to share a GPU, are done; the others wait for them. */
static bool refuse_members(struct rendezvous *r, struct comm_rank *const *member)
{
    bool *refuses = sim_versions_refused(member, r->nranks), differ = refuses != NULL;
    if (!refuses)
        refuses = sim_sharing_refused(member, r->nranks);
    if (!refuses)
        return false;
    rendezvous_settle(r, REFUSED);
    r->why = differ ? "ranks have different versions of NCCL" : "ranks share a GPU";
    for (int i = 0; i < r->nranks; i++) {
        struct init_job *job = r->seat[i].job;
        job->why = r->why;
        job->complete = refuses[i];
        job->code = refuses[i] ? ncclInvalidUsage : ncclSuccess;
    }
    ncs_free(refuses);
    return true;
}

static void init_complete(struct rendezvous *r)
{
    struct comm_rank **member = ncs_new((size_t)r->nranks * sizeof *member);
    for (int i = 0; i < r->nranks; i++)
        member[i] = r->seat[i].job->job.about;
    if (!refuse_members(r, member)) {
        sim_comm_new(member, r->nranks)->made_by = r;
        rendezvous_settle(r, COMPLETE);
        for (int i = 0; i < r->roots; i++)
            rendezvous_settle(r->root[i], COMPLETE);
        for (int i = 0; i < r->nranks; i++) {
            member[i]->log_id = r->key;
            r->seat[i].job->complete = true;
        }
    }
    ncs_free(member);
    for (int i = 0; i < r->nranks; i++)
        if (r->seat[i].job->complete)
            sim_job_mark(&r->seat[i].job->job);
}

/* Rank 0 serves the id of NCCL_COMM_ID; until it does, the others retry to connect. */
static void look_for_root(struct rendezvous *r, struct init_job *j)
{
    if (!r->seat[0].taken) {
        come_late(j, "rank 0, which serves NCCL_COMM_ID, is not there");
        return;
    }
    for (int i = 0; j->job.about->rank == 0 && i < r->nranks; i++)
        if (r->seat[i].job) {
            r->seat[i].job->give_up = 0;
            r->seat[i].job->why = NULL;
        }
}

/* The rank leaves: it has not reached the rendezvous that serves. */
static void leave_seat(struct init_job *j)
{
    struct rendezvous *r = j->rendezvous;
    if (!r)
        return;
    r->seat[j->job.about->rank] = (struct seat){ 0 };
    r->checked_in--;
    j->rendezvous = NULL;
}

/* The reason why nobody serves these ids. NULL = somebody does, or will when all
 * ranks have arrived. */
static const char *not_served(const struct init_job *j)
{
    for (int i = 0; i < j->ids; i++) {
        const struct rendezvous *r = rendezvous_find(rendezvous_key(&j->id[i], 1));
        if (!r)
            return "the id was not made by ncclGetUniqueId";
        if (r->state == COMPLETE)
            return "the id was used before";
        if (r->state == REFUSED)
            return r->why;
    }
    return NULL;
}

static bool shares_root(const struct rendezvous *a, const struct rendezvous *b)
{
    for (int i = 0; i < a->roots; i++) {
        if (a->root[i] == b)
            return true;
        for (int k = 0; k < b->roots; k++)
            if (a->root[i] == b->root[k])
                return true;
    }
    for (int k = 0; k < b->roots; k++)
        if (b->root[k] == a)
            return true;
    return false;
}

static struct rendezvous *place_to_meet(struct init_job *j)
{
    if (j->parent && !j->id)
        return find_growth(j->parent);
    struct rendezvous *r = rendezvous_find(j->key);
    if (r)
        return r;
    r = rendezvous_new(j->key);
    r->roots = j->ids;
    r->root = ncs_new((size_t)j->ids * sizeof(struct rendezvous *));
    for (int i = 0; i < j->ids; i++)
        r->root[i] = rendezvous_find(rendezvous_key(&j->id[i], 1));
    return r;
}

static const char *not_wanted(const struct init_job *j, const struct rendezvous *r)
{
    if (j->grows && !r->parent)
        return "the id was not made by ncclCommGetUniqueId";
    if (!j->grows && r->parent)
        return "the id was made by ncclCommGetUniqueId, which is for ncclCommGrow";
    if (j->parent && r->parent != j->parent->comm)
        return "the id is of another communicator";
    if (j->job.about->nranks != r->nranks)
        return "the ranks do not agree on nranks";
    if (r->seat[j->job.about->rank].taken)
        return "one rank number checked in twice";
    return NULL;
}

/* Finds a rendezvous whose list of ids overlaps with this one and whose ranks have checked in. */
static struct rendezvous *find_rival(const struct rendezvous *r)
{
    struct rendezvous *o = sim_world.rendezvous_last;
    while (o && (o == r || o->checked_in == 0 || o->state != SERVING || !shares_root(o, r)))
        o = o->previous;
    return o;
}

/* False if the process of a rank that had checked in has died. */
static bool all_are_there(const struct rendezvous *r)
{
    bool all = true;
    for (int i = 0; i < r->nranks; i++)
        all &= r->seat[i].job != NULL;
    return all;
}

static void init_check_in(struct init_job *j)
{
    const char *late = not_served(j);
    struct rendezvous *r = late ? NULL : place_to_meet(j);
    if (late) {
        come_late(j, late);
        return;
    }
    if (!r) {
        j->why = untold(j->parent);
        sim_job_listen(&j->job, &j->parent->comm->coordinated);
        return;
    }
    j->rendezvous = r;
    if (!r->seat) {
        r->nranks = j->job.about->nranks;
        r->seat = ncs_new((size_t)r->nranks * sizeof *r->seat);
    }
    struct rendezvous *rival = find_rival(r);
    const char *why = rival ? "the ranks do not pass the same ids" : not_wanted(j, r);
    j->why = NULL; /* it may have waited for a rank to make the id */
    if (rival)
        rendezvous_refuse(rival, j, why);
    if (why) {
        rendezvous_refuse(r, j, why);
        return;
    }
    r->seat[j->job.about->rank] = (struct seat){ true, j };
    if (r->of_environment)
        look_for_root(r, j);
    if (++r->checked_in == r->nranks && all_are_there(r))
        init_complete(r);
}

/* Checked when the transport is set up, after the configuration was accepted. */
static bool lacks_network(struct init_job *j)
{
    const char *name = j->job.about->config.net_name;
    if (!*name || strcasecmp(name, "Socket") == 0 || strcasecmp(name, "IB") == 0)
        return false;
    if (sim_version_does(DOES_NAME_NO_NETWORK))
        sim_warn_on(j->job.about->gpu, "Failed to initialize any NET plugin");
    else
        sim_warn_on(j->job.about->gpu, "Error: network %s not found.", name);
    sim_explain_call(j->job.call, true, "virtual hosts have the networks Socket and IB");
    j->complete = true;
    j->code = ncclInvalidUsage;
    return true;
}

static void init_log(const struct init_job *j, const char *what)
{
    const struct comm_rank *cr = j->job.about;
    sim_info_on(cr->gpu, LOG_INIT,
                "ncclCommInitRank comm 0x%" PRIx64 " rank %d nranks %d cudaDev %d nvmlDev %d busId %x "
                "commId 0x%" PRIx64 " - Init %s",
                cr->handle, cr->rank, cr->nranks, cr->gpu->device, cr->gpu->device, sim_gpu_bus_id(cr->gpu), j->key, what);
}

/* NCCL traces these names whatever call began the init. A rank that grows does not know the id. */
static void trace_made(const struct init_job *j)
{
    const struct comm_rank *cr = j->job.about;
    if (j->parent)
        sim_trace_on(cr->gpu, "ncclCommGrow(0x%" PRIx64 ", %d, 0x%" PRIx64 ")", j->parent->handle, cr->nranks, cr->handle);
    else
        sim_trace_on(cr->gpu, "ncclCommInitRank(0x%" PRIx64 ", %d, 0x%" PRIx64 ", %d, %d)", cr->handle, cr->nranks, j->key,
                     cr->rank, cr->gpu->device);
}

/* The port that refuses the connection is invented, like the address of the host. */
static void warn_unserved(const struct init_job *j)
{
    sim_warn_on(j->job.about->gpu,
                "%s: connect to 10.0.0.1<%d> returned Connection refused, exceeded error retry "
                "count after %" PRId64 " attempts",
                sim_version_does(DOES_NAME_OS_SOCKET) ? "ncclOsSocketStartConnect" : "socketStartConnect",
                (int)(32768 + j->key % 28232), sim_env_number(ENV_SOCKET_RETRY_CNT) + 1);
    sim_explain_call(j->job.call, true, j->why);
}

static bool step_init(struct job *job)
{
    struct init_job *j = (struct init_job *)job;
    if (!j->rendezvous && !j->give_up && !lacks_network(j))
        init_check_in(j);
    if (j->give_up && sim_world.now >= j->give_up) {
        leave_seat(j);
        warn_unserved(j);
        j->complete = true;
        j->code = ncclRemoteError;
    }
    if (!j->complete)
        return false;
    job->rc = j->code;
    if (j->code != ncclSuccess)
        return true;
    j->job.about->state = COMM_READY;
    trace_made(j);
    init_log(j, "COMPLETE");
    return true;
}

static void describe_init(const struct job *job, struct ncs_snap_job *out, struct ncs_snapshot *snapshot)
{
    const struct init_job *j = (const struct init_job *)job;
    out->comm_rank = j->job.about->rank;
    out->nranks = j->job.about->nranks;
    out->refused = j->why != NULL;
    out->why = j->why;
    if (!j->rendezvous)
        return;
    for (int i = 0; i < j->rendezvous->nranks; i++)
        if (!j->rendezvous->seat[i].taken || (j->rendezvous->state == SERVING && !j->rendezvous->seat[i].job))
            sim_snapshot_missing(out, snapshot, i);
}

static void cancel_init(struct job *job)
{
    struct init_job *j = (struct init_job *)job;
    struct rendezvous *r = j->rendezvous;
    if (r && r->state == SERVING && !job->process->dead) /* a dead one's is never complete */
        rendezvous_refuse(r, j, "a rank that had checked in gave up");
}

static void free_init(struct job *job)
{
    struct init_job *j = (struct init_job *)job;
    struct rendezvous *r = j->rendezvous;
    if (r && j->job.about->rank < r->nranks && r->seat[j->job.about->rank].job == j)
        r->seat[j->job.about->rank].job = NULL;
    sim_comm_let_go(j->parent);
    ncs_free(j->id);
}

static const struct job_type init_type = {
    .kind = NCS_JOB_INIT,
    .bytes = sizeof(struct init_job),
    .step = step_init,
    .cancel = cancel_init,
    .free = free_init,
    .describe = describe_init,
};

static const struct job_type grow_type = {
    .kind = NCS_JOB_GROW,
    .bytes = sizeof(struct init_job),
    .step = step_init,
    .cancel = cancel_init,
    .free = free_init,
    .describe = describe_init,
};

static struct init_job *init_new_job(const struct job_type *type, struct comm_rank *cr, const ncclUniqueId *id, int ids)
{
    struct init_job *j = (struct init_job *)sim_job_about(type, cr);
    j->ids = ids;
    if (ids == 0)
        return j;
    j->key = rendezvous_key(id, ids);
    j->id = ncs_new((size_t)ids * sizeof *id);
    memcpy(j->id, id, (size_t)ids * sizeof *id);
    return j;
}

struct job *sim_job_init(struct comm_rank *cr, const ncclUniqueId *id, int ids)
{
    struct init_job *j = init_new_job(&init_type, cr, id, ids);
    if (cr->rank == 0)
        sim_log_version();
    init_log(j, "START");
    return &j->job;
}

struct job *sim_job_grow(struct comm_rank *cr, struct comm_rank *parent, const ncclUniqueId *id)
{
    struct init_job *j = init_new_job(&grow_type, cr, id, id ? 1 : 0);
    j->grows = true;
    j->parent = parent;
    sim_comm_hold(parent);
    return &j->job;
}

/* ---- the first and the last old rank wait for the coordinator inside the call ---- */

static bool step_grow_wait(struct job *job)
{
    if (find_growth(job->about))
        return true;
    sim_job_listen(job, &job->about->comm->coordinated);
    return false;
}

static void describe_grow_wait(const struct job *job, struct ncs_snap_job *out, struct ncs_snapshot *snapshot)
{
    (void)snapshot;
    out->comm_rank = job->about->rank;
    out->nranks = job->about->nranks;
    out->refused = true;
    out->why = untold(job->about);
}

static const struct job_type grow_wait_type = {
    .kind = NCS_JOB_GROW,
    .bytes = sizeof(struct job),
    .step = step_grow_wait,
    .describe = describe_grow_wait,
};

struct job *sim_job_grow_wait(struct comm_rank *parent)
{
    return sim_job_about(&grow_wait_type, parent);
}
