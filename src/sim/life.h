/* The end of a communicator's life: jobs, not started, that are local to one rank. */
#ifndef NCS_SIM_LIFE_H
#define NCS_SIM_LIFE_H

struct comm_rank;
struct job;

struct job *finalize_job(struct comm_rank *cr); /* its work is done: no more communication */
struct job *destroy_job(struct comm_rank *cr);  /* its work is done: the handle is gone */
struct job *abort_job(struct comm_rank *cr);    /* its work is cut short, its callers give up */

#endif
