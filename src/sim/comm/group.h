/* Groups: the calls that a thread has queued between ncclGroupStart and ncclGroupEnd, and how the
 * group ends. A call outside a group is a group of one. */
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
/* Ends one level; the outermost end carries everything out. Returns the code of ncclGroupEnd. */
int sim_group_end(struct context *c);
/* As sim_group_end, but launches nothing on blocking communicators. The estimate is the time of the
 * last collective. */
int sim_group_simulate(struct context *c, ncclSimInfo_t *info);

/* Records a call's error in the open group and ends the level that the call began. Returns what the call
 * returns: rc if it is not 0; 0 inside a group; outside a group the code of carrying it out. */
int sim_group_leave(struct context *c, int rc);

void sim_group_add_part(struct context *c, struct part *part);
/* The end waits if communicator `mode` is blocking, or if it is NULL. Takes over the reference. Returns
 * a code, and drops the job, if CUDA refuses its calls or the group has the other mode. */
int sim_group_add_job(struct context *c, struct job *job, const struct comm_rank *mode);

#endif
