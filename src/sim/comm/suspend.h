/* Giving back and taking again the device memory of a communicator, which all ranks do together, and how
 * much memory that is. */
#ifndef NCS_SIM_SUSPEND_H
#define NCS_SIM_SUSPEND_H

#include <stdint.h>

struct comm_rank;
struct job;

struct job *sim_job_suspend(struct comm_rank *cr); /* not started */
struct job *sim_job_resume(struct comm_rank *cr);

/* The bytes that stay, and the bytes of connections, which a suspended communicator gives back. They are
 * the simulator's own figures; as in NCCL, they grow with the ranks and with the peers met so far. */
uint64_t sim_comm_memory_kept(const struct comm_rank *cr);
uint64_t sim_comm_memory_suspendable(const struct comm_rank *cr);

#endif
