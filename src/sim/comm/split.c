#include "sim/comm/split.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/job_meeting.h"
#include "sim/kernel/world.h"
#include "sim/settings/version.h"

struct split_job {
    struct meeting_job meet;
    int color, key;
    uint64_t number; /* of the splits, or shrinks, of the parent */
    int *excluded;   /* of a shrink; owned */
    int excludes;
    ncclComm_t *out;
    struct comm_config config;
    bool shares;             /* the parent's resources */
    struct comm_rank *child; /* when complete; NULL = no colour */
};

static int by_place(const void *a, const void *b)
{
    const struct split_job *x = *(struct split_job *const *)a, *y = *(struct split_job *const *)b;
    if (x->color != y->color)
        return x->color < y->color ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->meet.job.about->rank - y->meet.job.about->rank;
}

static void make_comm(struct split_job *const *job, int nranks)
{
    struct comm_rank **member = ncs_new((size_t)nranks * sizeof *member);
    for (int i = 0; i < nranks; i++) {
        struct comm_rank *parent = job[i]->meet.job.about;
        struct comm_rank *child = sim_comm_rank_new(i, nranks, parent->gpu, &job[i]->config);
        child->state = COMM_READY;
        /* The same on all ranks of a child, and another one for each child. */
        child->log_id = ncs_hash(ncs_hash(parent->log_id, job[i]->number), (uint64_t)(unsigned)job[i]->color);
        if (job[i]->shares)
            sim_comm_share(child, parent);
        member[i] = job[i]->child = child;
    }
    sim_comm_new(member, nranks);
    ncs_free(member);
}

/* One communicator per colour, in order of key, then of the old rank. */
static void split_complete(struct job_meeting *m)
{
    struct split_job **job = ncs_new((size_t)m->expected * sizeof *job);
    int jobs = 0;
    for (int r = 0; r < m->comm->nranks; r++)
        if (m->seat[r])
            job[jobs++] = (struct split_job *)m->seat[r];
    qsort(job, (size_t)jobs, sizeof *job, by_place);
    for (int first = 0, end; first < jobs; first = end) {
        for (end = first + 1; end < jobs && job[end]->color == job[first]->color;)
            end++;
        if (m->kind == NCS_JOB_SHRINK || job[first]->color != NCCL_SPLIT_NOCOLOR)
            make_comm(job + first, end - first);
    }
    ncs_free(job);
}

/* A shrink is a split of one colour to NCCL, and is not counted (NCCL 2.30.7, src/init.cc). */
static void split_log(const struct split_job *j)
{
    const struct comm_rank *child = j->child, *parent = j->meet.job.about;
    bool shrinks = j->meet.job.type->kind == NCS_JOB_SHRINK;
    int color = shrinks ? 0 : j->color, key = shrinks ? parent->rank : j->key;
    sim_trace_on(child->gpu, "ncclCommSplit(0x%" PRIx64 ", %d, %d, 0x%" PRIx64 ", %d, %d)", parent->handle, color, key,
                 child->handle, child->rank, child->nranks);
    sim_info_on(child->gpu, LOG_INIT,
                "%s comm 0x%" PRIx64 " rank %d nranks %d cudaDev %d nvmlDev %d busId %x%s parent 0x%" PRIx64 " %s %" PRIu64
                " color %d key %d - Init COMPLETE",
                shrinks ? "ncclCommShrink" : "ncclCommSplit", child->handle, child->rank, child->nranks, child->gpu->device,
                child->gpu->device, sim_gpu_bus_id(child->gpu), sim_comm_log_id(child).text, parent->handle,
                sim_version_does(DOES_COUNT_CHILDREN) ? "childCount" : "splitCount", shrinks ? 0 : j->number, color, key);
}

static bool split_step(struct job *job)
{
    struct split_job *j = (struct split_job *)job;
    struct comm_rank *parent = job->about;
    if (!j->meet.over && !j->meet.meeting) {
        if (job->type->kind == NCS_JOB_SHRINK)
            j->number = ++parent->shrinks;
        sim_job_meeting_enter(&j->meet, j->number, j->excluded, j->excludes, split_complete);
    }
    if (!j->meet.over)
        return false;
    if (j->child) {
        *j->out = sim_comm_handle(j->child);
        split_log(j);
    }
    return true;
}

static void free_split(struct job *job)
{
    sim_job_meeting_free(job);
    ncs_free(((struct split_job *)job)->excluded);
}

#define SPLIT_TYPE(kind_)                                                                                       \
    {                                                                                                           \
        .kind = kind_, .bytes = sizeof(struct split_job), .step = split_step, .cancel = sim_job_meeting_cancel, \
        .free = free_split, .describe = sim_job_meeting_describe                                                \
    }

static const struct job_type split_type = SPLIT_TYPE(NCS_JOB_SPLIT);
static const struct job_type shrink_type = SPLIT_TYPE(NCS_JOB_SHRINK);

static struct split_job *split_new_job(const struct job_type *type, struct comm_rank *parent, ncclComm_t *out,
                                       const struct comm_config *config, bool shares)
{
    struct split_job *j = (struct split_job *)sim_job_about(type, parent);
    j->out = out;
    j->config = *config;
    j->shares = shares;
    return j;
}

struct job *sim_job_split(struct comm_rank *parent, int color, int key, ncclComm_t *out, const struct comm_config *config)
{
    bool shares = parent->config.value[CONFIG_SPLIT_SHARE] && parent->state != COMM_REVOKED;
    struct split_job *j = split_new_job(&split_type, parent, out, config, shares);
    j->number = ++parent->splits; /* at the call; a dropped group has counted, too (NCCL
                                   * 2.30.7, src/init.cc) */
    j->color = color;
    j->key = key;
    return &j->meet.job;
}

struct job *sim_job_shrink(struct comm_rank *parent, const int *excluded, int excludes, ncclComm_t *out,
                           const struct comm_config *config, bool shares)
{
    struct split_job *j = split_new_job(&shrink_type, parent, out, config, shares);
    j->excludes = excludes;
    j->excluded = ncs_new((size_t)excludes * sizeof(int));
    memcpy(j->excluded, excluded, (size_t)excludes * sizeof(int));
    return &j->meet.job;
}
