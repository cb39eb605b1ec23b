/* The end of a communicator's life: jobs, not started, that are local to one rank. */
#ifndef NCS_SIM_LIFE_H
#define NCS_SIM_LIFE_H

#include <stdbool.h>

struct comm_rank;
struct job;

struct job *finalize_job(struct comm_rank *cr); /* its work is done: no more communication */
struct job *destroy_job(struct comm_rank *cr);  /* its work is done: the handle is gone */
struct job *abort_job(struct comm_rank *cr);    /* its work is cut short, its callers give up */
struct job *revoke_job(struct comm_rank *cr);   /* the same, but the handle stays, as revoked */
struct job *quiesce_job(struct comm_rank *cr);  /* the same, and the handle is as before */

/* Whether this rank's launches are over; if not, the job takes a step when one of them is. */
bool launches_over(struct job *job, struct comm_rank *cr);

#endif
