/* New communicators from the ranks of one. The jobs are not started; each writes the handle to *out
 * when all ranks that take part have arrived. */
#ifndef NCS_SIM_SPLIT_H
#define NCS_SIM_SPLIT_H

#include <stdbool.h>

#include "ncclscript/nccl_abi.h"

struct comm_config;
struct comm_rank;
struct job;

struct job *sim_job_split(struct comm_rank *parent, int color, int key, ncclComm_t *out, const struct comm_config *config);
/* Without the excluded ranks, which are sorted. */
struct job *sim_job_shrink(struct comm_rank *parent, const int *excluded, int excludes, ncclComm_t *out,
                           const struct comm_config *config, bool shares);

#endif
