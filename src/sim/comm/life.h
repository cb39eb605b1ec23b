/* The end of a communicator's life: jobs, not started, that are local to one rank. */
#ifndef NCS_SIM_LIFE_H
#define NCS_SIM_LIFE_H

struct comm_rank;
struct job;

struct job *sim_job_finalize(struct comm_rank *cr); /* its work is done: no more communication */
struct job *sim_job_destroy(struct comm_rank *cr);  /* its work is done: the handle is gone */
struct job *sim_job_abort(struct comm_rank *cr);    /* interrupts its work; its callers give up */
struct job *sim_job_revoke(struct comm_rank *cr);   /* the same, but the handle stays, as revoked */
/* NCCL's log of a revoke: "START", "COMPLETE, result 0". */
void sim_comm_say_revoke(const struct comm_rank *cr, const char *what);
struct job *sim_job_quiesce(struct comm_rank *cr); /* the same, and the handle is as before */

#endif
