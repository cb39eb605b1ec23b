/* Several ranks of a communicator on one GPU: which versions refuse it, and on which ranks. */
#ifndef NCS_SIM_SHARING_H
#define NCS_SIM_SHARING_H

#include <stdbool.h>

struct comm_rank;

/* By rank: true if it refuses the communicator. The caller frees it. NULL: no rank refuses. */
bool *sim_sharing_refused(struct comm_rank *const *member, int nranks);

#endif
