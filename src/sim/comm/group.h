/* Groups: what a thread has queued between ncclGroupStart and ncclGroupEnd, and how that ends. A call
 * outside of a group is a group of one. */
#ifndef NCS_SIM_GROUP_H
#define NCS_SIM_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "ncclscript/nccl_abi.h"
#include "sim/kernel/above.h"

struct comm_rank;
struct context;
struct job;
struct part;

void sim_group_begin(struct context *c);
/* Ends one level; at the outermost carries everything out. The code of ncclGroupEnd. */
int sim_group_end(struct context *c);
/* The same, but of blocking communicators nothing is launched: the estimate is what the last
 * collective would take. */
int sim_group_simulate(struct context *c, ncclSimInfo_t *info);

/* Records the error of a call in the open group, ends the level that the call began, and returns
 * what the call returns: rc when not 0; inside a group 0; outside what carrying out gave. */
int sim_group_leave(struct context *c, int rc);

void sim_group_add_part(struct context *c, struct part *part);
/* As communicator `mode` waits, or NULL: it waits. The reference passes. A code when CUDA refuses its
 * calls, or the group is of the other mode; the job is dropped then. */
int sim_group_add_job(struct context *c, struct job *job, const struct comm_rank *mode);

#endif
