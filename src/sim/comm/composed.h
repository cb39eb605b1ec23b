/* All-to-all, gather and scatter. As in NCCL, each rank's call becomes sends and receives: a rank waits
 * only for the ranks that it exchanges with, and these pair in order with the other sends and receives
 * of the two. Reports show one call, so this file keeps its parts together. */
#ifndef NCS_SIM_COMPOSED_H
#define NCS_SIM_COMPOSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/comm/launch.h"

struct comm;

/* One rank's call. */
struct composed {
    struct comm_rank *cr;
    enum ncs_fn fn; /* a composed one */
    int root, dtype;
    size_t bytes;          /* count * size of the type */
    uint64_t sequence;     /* among the rank's composed calls, from 1; 0 = not launched */
    uint64_t before;       /* all-to-alls that the rank has launched before it */
    struct ncs_call *call; /* pinned; NULL = not journalled */
    size_t parts, open;    /* its parts; its sends and receives that are not over */
    int met;               /* of a whole all-to-all: ranks below are in contact, for good */
    bool arrived;
};

static inline bool sim_part_is_composed(const struct part *p)
{
    return p->composed != NULL;
}

/* True of an all-to-all: every rank sends to every rank. */
static inline bool sim_composed_is_mutual(enum ncs_fn fn)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    return info->composed && ncs_blocks_are_many(info->reads) && ncs_blocks_are_many(info->writes);
}

/* Leaves the call one part as long as that is possible (matrix.h). False: it is not. */
bool sim_composed_whole(struct part *whole);
/* Makes the sends and receives of a call; `whole` is the call as one part, and is
 * freed. Writes at most 2 * nranks parts to `out`, returns how many. */
size_t sim_composed_call(struct part *whole, struct part **out);
/* The launch's all-to-all, if it has one that is whole, becomes sends and receives. */
void sim_launch_open(struct launch *launch);

/* On a communicator of one rank the call stays one part, which copies. */
void sim_composed_alone(struct part *whole);

/* The same call in a launch of a graph; its parts are to be counted. */
struct composed *sim_composed_again(const struct composed *captured, struct ncs_call *call);

/* Counts the call at its launch, so that calls of a dropped group do not count. */
void sim_composed_launched(struct composed *s);
/* A part arrives at its meeting. When the first part of the last rank has arrived, the
 * calls are compared. */
void sim_composed_arrive(struct composed *s);
/* Ranks whose call of that number has arrived, unless all have. */
int sim_composed_arrivals(const struct comm *comm, uint64_t sequence);
/* A part has moved its data. After the last part, the observer is informed. */
void sim_composed_moved(struct composed *s);
void sim_composed_unref(struct composed *s); /* NULL is a no-op */

void sim_composed_free_all(struct comm *comm);

#endif
