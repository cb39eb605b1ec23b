/* Ranks that refuse to be in one communicator: several on one GPU, and different versions of NCCL. */
#ifndef NCS_SIM_SHARING_H
#define NCS_SIM_SHARING_H

#include <stdbool.h>

struct comm_rank;

/* By rank: true if it refuses the communicator. The caller frees it. NULL: no rank refuses. */
bool *sim_sharing_refused(struct comm_rank *const *member, int nranks);
bool *sim_versions_refused(struct comm_rank *const *member, int nranks);

#endif
