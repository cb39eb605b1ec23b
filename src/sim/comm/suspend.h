/* Device memory of communicators: giving it back and taking it again, which all ranks do together,
 * and how much it is. */
#ifndef NCS_SIM_SUSPEND_H
#define NCS_SIM_SUSPEND_H

#include <stdint.h>

struct comm_rank;
struct job;

struct job *sim_job_suspend(struct comm_rank *cr); /* not started */
struct job *sim_job_resume(struct comm_rank *cr);

/* Bytes that stay, and bytes of connections, which a suspended communicator has given back. The
 * simulator's own figures: they grow as NCCL's do, with ranks and with peers met so far. */
uint64_t sim_comm_memory_kept(const struct comm_rank *cr);
uint64_t sim_comm_memory_suspendable(const struct comm_rank *cr);

#endif
