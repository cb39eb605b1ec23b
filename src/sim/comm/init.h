/* The creation of communicators: unique ids and the rendezvous of ranks under an id. */
#ifndef NCS_SIM_INIT_H
#define NCS_SIM_INIT_H

#include <stdbool.h>

#include "ncclscript/nccl_abi.h"

struct comm;
struct comm_rank;
struct job;
struct rendezvous;

/* Makes an id that is new in this world; each run gives the same sequence. With NCCL_COMM_ID it is
 * always the same id, which rank 0 of each communicator serves. */
void sim_unique_id_new(ncclUniqueId *id);
/* The number of the id, and of its communicators, in the log. */
uint64_t sim_unique_id_hash(const ncclUniqueId *id);
/* Makes an id for one growth of the communicator. Its own ranks need not pass the id. */
void sim_unique_id_of(struct comm *parent, ncclUniqueId *id);

/* A job, not started, that checks in under the ids and completes when all ranks have. */
struct job *sim_job_init(struct comm_rank *cr, const ncclUniqueId *id, int ids);
/* The same for a communicator that grows. An old rank passes its handle and only an id of its own
 * making; a new rank passes the id. */
struct job *sim_job_grow(struct comm_rank *cr, struct comm_rank *parent, const ncclUniqueId *id);
/* Waits until some rank has made an id for the growth; done at once if one has. */
struct job *sim_job_grow_wait(struct comm_rank *parent);

/* Frees a complete rendezvous and those of its other ids; NULL is a no-op. */
void sim_rendezvous_forget(struct rendezvous *r);
void sim_rendezvous_free_all(void);
/* True if ranks have joined a communicator that others have not joined. */
bool sim_rendezvous_is_open(void);

#endif
