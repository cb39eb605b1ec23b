/* How communicators come to be: unique ids and the rendezvous of the ranks under one. */
#ifndef NCS_SIM_INIT_H
#define NCS_SIM_INIT_H

#include "ncclscript/nccl_abi.h"

struct comm_rank;
struct job;

/* An id that was not given before in this world; the same sequence in every run. With NCCL_COMM_ID
 * the same id every time: rank 0 of each communicator then serves. */
void unique_id_new(ncclUniqueId *id);

/* A job, not started, that checks in under the id and completes when all ranks have. */
struct job *init_job(struct comm_rank *cr, const ncclUniqueId *id);

void rendezvous_free_all(void);

#endif
