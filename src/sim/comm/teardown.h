/* Ranks of one host let go of each other when a communicator ends. */
#ifndef NCS_SIM_TEARDOWN_H
#define NCS_SIM_TEARDOWN_H

#include <stdbool.h>

struct comm;
struct comm_rank;
struct gpu;
struct job;
struct ncs_snap_job;
struct ncs_snapshot;

/* The rank closes its connections: it has finalized, destroyed, revoked or aborted, or its process has ended. */
void sim_teardown_release(struct comm_rank *cr);

/* True if no other process of the host holds a connection to this rank, which has let go itself. If one does, the job takes
 * a step when that may have changed. */
bool sim_teardown_is_over(struct job *job, struct comm_rank *cr);
/* True if the job may free what is on the device; if not, the job takes a step when that may have changed. */
bool sim_teardown_may_free(struct job *job, const struct gpu *gpu);
/* Adds what the destroy or abort waits for to the job's entry, of a rank of its process that has let go. */
void sim_teardown_describe(const struct job *job, const struct comm_rank *cr, struct ncs_snap_job *out,
                           struct ncs_snapshot *snapshot);

/* True if a destroy or abort stands that the other policy would let go on, or did not wait where the other would. */
bool sim_teardown_swayed(void);

void sim_homes_free(struct comm *comm);

#endif
