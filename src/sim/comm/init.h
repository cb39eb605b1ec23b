/* How communicators come to be: unique ids and the rendezvous of the ranks under them. */
#ifndef NCS_SIM_INIT_H
#define NCS_SIM_INIT_H

#include "ncclscript/nccl_abi.h"

struct comm;
struct comm_rank;
struct job;
struct rendezvous;

/* An id that was not given before in this world; the same sequence in every run. With NCCL_COMM_ID
 * the same id every time: rank 0 of each communicator then serves. */
void sim_unique_id_new(ncclUniqueId *id);
uint64_t sim_unique_id_hash(const ncclUniqueId *id); /* as the log names it, and communicators made by it */
/* One with which a communicator can grow once: its ranks need not be told of it. */
void sim_unique_id_of(struct comm *parent, ncclUniqueId *id);

/* A job, not started, that checks in under the ids and completes when all ranks have. */
struct job *sim_job_init(struct comm_rank *cr, const ncclUniqueId *id, int ids);
/* The same for one that grows. An old rank gives its handle, and no id but its own; a new one the
 * id. */
struct job *sim_job_grow(struct comm_rank *cr, struct comm_rank *parent, const ncclUniqueId *id);
/* Waits until some rank has made an id to grow with: done at once if one has. */
struct job *sim_job_grow_wait(struct comm_rank *parent);

/* One that is complete, with those of its ids; NULL is a no-op. */
void sim_rendezvous_forget(struct rendezvous *r);
void sim_rendezvous_free_all(void);

#endif
