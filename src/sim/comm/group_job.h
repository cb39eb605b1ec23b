/* The job that carries a group out: first it makes and ends communicators, then it waits for contact,
 * then it launches, communicator by communicator. */
#ifndef NCS_SIM_GROUP_JOB_H
#define NCS_SIM_GROUP_JOB_H

#include <stdbool.h>
#include <stddef.h>

struct comm_rank;
struct context;
struct group;
struct job;
struct part;

/* Takes over what the group has queued. Not blocking: its communicators are in progress from now on. */
struct job *sim_group_job_new(struct context *by, const struct group *from, bool blocking);
void sim_group_job_start(struct job *job);

/* The parts that a job holds before they are launched; count 0 for other jobs. */
struct part *const *sim_group_job_parts(const struct job *job, size_t *count);

/* Cancels the running group jobs that wait on behalf of this rank, except one. Their calls return rc. */
void sim_groups_cancel(const struct comm_rank *cr, const struct job *but, int rc);

#endif
