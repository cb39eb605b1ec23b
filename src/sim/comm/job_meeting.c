#include "sim/comm/job_meeting.h"

#include <string.h>

#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/snapshot.h"
#include "sim/kernel/world.h"

static bool same_guests(const struct job_meeting *m, const int *excluded, int excludes)
{
    return m->excludes == excludes && (excludes == 0 || memcmp(m->excluded, excluded, (size_t)excludes * sizeof(int)) == 0);
}

static struct job_meeting *job_meeting_find(const struct meeting_job *j, uint64_t number, const int *excluded, int excludes)
{
    struct comm *comm = j->job.about->comm;
    struct job_meeting *m = comm->job_meetings;
    while (m && (m->kind != j->job.type->kind || m->number != number || !same_guests(m, excluded, excludes)))
        m = m->next;
    if (m)
        return m;
    size_t ranks = (size_t)comm->nranks;
    m = sim_new(sizeof *m);
    m->comm = comm;
    m->kind = j->job.type->kind;
    m->number = number;
    m->excludes = excludes;
    m->excluded = ncs_new((size_t)excludes * sizeof(int));
    if (excludes > 0)
        memcpy(m->excluded, excluded, (size_t)excludes * sizeof(int));
    m->expected = comm->nranks - excludes;
    m->seat = ncs_new(ranks * sizeof(struct meeting_job *));
    m->came = ncs_new(ranks * sizeof *m->came);
    m->next = comm->job_meetings;
    comm->job_meetings = m;
    return m;
}

static void free_job_meeting(struct job_meeting *m)
{
    struct job_meeting **link = &m->comm->job_meetings;
    while (*link != m)
        link = &(*link)->next;
    *link = m->next;
    ncs_free(m->excluded);
    ncs_free(m->seat);
    ncs_free(m->came);
    sim_free(m, sizeof *m);
}

void sim_job_meetings_free(struct comm *comm)
{
    while (comm->job_meetings)
        free_job_meeting(comm->job_meetings);
}

static void job_meeting_end(struct job_meeting *m)
{
    for (int r = 0; r < m->comm->nranks; r++) {
        struct meeting_job *j = m->seat[r];
        if (!j)
            continue;
        j->meeting = NULL;
        j->over = true;
        sim_job_mark(&j->job);
    }
    free_job_meeting(m);
}

void sim_job_meeting_enter(struct meeting_job *j, uint64_t number, const int *excluded, int excludes,
                           void (*complete)(struct job_meeting *m))
{
    struct job_meeting *m = job_meeting_find(j, number, excluded, excludes);
    int rank = j->job.about->rank;
    j->meeting = m;
    j->why = m->broken;
    m->seat[rank] = j;
    m->came[rank] = true;
    sim_world_changed();
    if (++m->arrived < m->expected || m->broken)
        return;
    complete(m);
    job_meeting_end(m);
}

void sim_job_meeting_cancel(struct job *job)
{
    struct meeting_job *j = (struct meeting_job *)job;
    struct job_meeting *m = j->meeting;
    if (!m)
        return;
    m->seat[job->about->rank] = NULL;
    j->meeting = NULL;
    if (job->process && job->process->dead) { /* nobody informs the others, so they keep waiting */
        m->came[job->about->rank] = false;
        m->arrived--;
        return;
    }
    m->broken = "a rank that had come gave up";
    for (int r = 0; r < m->comm->nranks; r++)
        if (m->seat[r])
            m->seat[r]->why = m->broken;
}

void sim_job_meeting_free(struct job *job)
{
    struct meeting_job *j = (struct meeting_job *)job;
    if (j->meeting)
        j->meeting->seat[job->about->rank] = NULL;
}

static bool job_meeting_excludes(const struct job_meeting *m, int rank)
{
    for (int i = 0; i < m->excludes; i++)
        if (m->excluded[i] == rank)
            return true;
    return false;
}

void sim_job_meeting_describe(const struct job *job, struct ncs_snap_job *out, struct ncs_snapshot *snapshot)
{
    const struct meeting_job *j = (const struct meeting_job *)job;
    out->comm_rank = job->about->rank;
    out->nranks = job->about->nranks;
    out->refused = j->why != NULL;
    out->why = j->why;
    if (!j->meeting)
        return;
    for (int r = 0; r < j->meeting->comm->nranks; r++)
        if (!j->meeting->came[r] && !job_meeting_excludes(j->meeting, r))
            sim_snapshot_missing(out, snapshot, r);
}
