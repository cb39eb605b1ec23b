/* How long operations take in virtual time, in nanoseconds. By the model `plain` each takes 10 us and its bytes at
 * 100 GB/s. The others follow NCCL's own cost model (NCCL 2.30.7, src/graph/tuning.cc): each algorithm and protocol
 * has a latency and a bandwidth, and the quickest for a size is taken. */
#ifndef NCS_SIM_COST_H
#define NCS_SIM_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/gen/api.h"

/* An event, a host function, a free: nothing moves. */
int64_t sim_cost_step(void);
/* A copy or a memset on one device; `pcie`: from or to the host. */
int64_t sim_cost_copy(size_t bytes, bool pcie);
/* A collective. bytes: of the larger buffer of a rank. hosts: that its ranks are on. */
int64_t sim_cost_collective(enum ncs_fn fn, size_t bytes, int nranks, int hosts);
/* A send with its receive, or a put. share: of how many such transfers of a rank at the same time it is one, as
 * in an all-to-all. */
int64_t sim_cost_message(size_t bytes, bool same_host, int share);

#endif
