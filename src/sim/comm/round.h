/* The influence of a process's host threads on each other's launches: the barrier of
 * NCCL_LAUNCH_MODE=GROUP, and the race that NCCL_LAUNCH_RACE_FATAL detects (doLaunches and
 * ncclStrongStreamRelease of NCCL 2.30.7). */
#ifndef NCS_SIM_ROUND_H
#define NCS_SIM_ROUND_H

#include <stdbool.h>

struct comm_rank;
struct context;

/* True if a communicator that is made now gets the barrier. */
bool sim_round_mode_is_group(void);

/* `by` begins a launch: NCCL acquires the stream of the communicator's family. True: another live
 * thread acquired it last, and in a real run could do so again before this launch ends. */
bool sim_round_begin(struct comm_rank *cr, const struct context *by);

/* Under GROUP a host waits until all ranks of the communicator in its process have begun as many
 * launches as cr. Returns the first rank, from `from` on, that has not; -1 = none. */
int sim_round_missing(const struct comm_rank *cr, int from);

/* The launch ends. Returns 0, or 5 if another thread has acquired the stream meanwhile. */
int sim_round_end(const struct comm_rank *cr, const struct context *by);

#endif
