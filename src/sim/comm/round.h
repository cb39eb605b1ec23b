/* What the host threads of one process do to each other's launches: the barrier of
 * NCCL_LAUNCH_MODE=GROUP, and the race that NCCL_LAUNCH_RACE_FATAL watches for (doLaunches and
 * ncclStrongStreamRelease of NCCL 2.30.7). */
#ifndef NCS_SIM_ROUND_H
#define NCS_SIM_ROUND_H

#include <stdbool.h>

struct comm_rank;
struct context;

/* Whether a communicator that is made now has the barrier. */
bool sim_round_mode_is_group(void);

/* `by` begins a launch: NCCL acquires the stream of the communicator's family. True: another thread
 * that is alive did so last, and in real life can do so again before this launch is through. */
bool sim_round_begin(struct comm_rank *cr, const struct context *by);

/* Under GROUP a host waits until all ranks of the communicator in its process have come to a launch:
 * the first of them, from `from` on, that has not come to cr's; -1 = there is none. */
int sim_round_missing(const struct comm_rank *cr, int from);

/* The launch is through: 0, or 5 when another thread has acquired the stream meanwhile. */
int sim_round_end(const struct comm_rank *cr, const struct context *by);

#endif
