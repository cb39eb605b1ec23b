/* Job meetings: where the jobs of all ranks of a communicator come together, as for a split. The n-th
 * job of a kind on one rank meets the n-th of that kind on the others. */
#ifndef NCS_SIM_JOB_MEETING_H
#define NCS_SIM_JOB_MEETING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/kernel/job.h"

struct comm;
struct job_meeting;

/* The head of every job that meets others; job.about is this rank's handle. */
struct meeting_job {
    struct job job;
    struct job_meeting *meeting; /* NULL before it has arrived, and when it is over */
    const char *why;             /* why it cannot complete; NULL = it may */
    bool over;
};

struct job_meeting {
    struct comm *comm;
    enum ncs_job_kind kind;
    uint64_t number;
    int *excluded; /* ranks that are not expected, in order; owned */
    int excludes;
    int expected, arrived;
    struct meeting_job **seat; /* by rank; NULL = has not arrived, or has left */
    bool *came;                /* by rank */
    const char *broken;        /* why it never completes; NULL = it may */
    struct job_meeting *next;  /* of the communicator */
};

/* The job arrives at its meeting. When all have arrived, `complete` is called once with all seats taken;
 * then all jobs are over and take a step. */
void sim_job_meeting_enter(struct meeting_job *j, uint64_t number, const int *excluded, int excludes,
                           void (*complete)(struct job_meeting *m));

/* The `cancel` of such jobs' types. */
void sim_job_meeting_cancel(struct job *job);
void sim_job_meeting_free(struct job *job);
void sim_job_meeting_describe(const struct job *job, struct ncs_snap_job *out, struct ncs_snapshot *snapshot);

void sim_job_meetings_free(struct comm *comm);

#endif
