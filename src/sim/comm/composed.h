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
    struct ncs_call *call; /* pinned; NULL = not journalled */
    size_t parts, open;    /* its parts; those that are not over */
    bool arrived;
};

static inline bool sim_part_is_composed(const struct part *p)
{
    return p->composed != NULL;
}

/* Makes the sends and receives of a call; `whole` is the call as one part, and is
 * freed. Writes at most 2 * nranks parts to `out`, returns how many. */
size_t sim_composed_call(struct part *whole, struct part **out);

/* On a communicator of one rank the call stays one part, which copies. */
void sim_composed_alone(struct part *whole);

/* The same call in a launch of a graph; its parts are to be counted. */
struct composed *sim_composed_again(const struct composed *captured, struct ncs_call *call);

/* Counts the call at its launch, so that calls of a dropped group do not count. */
void sim_composed_launched(struct composed *s);
/* A part arrives at its meeting. When the first part of the last rank has arrived, the
 * calls are compared. */
void sim_composed_arrive(struct composed *s);
/* A part has moved its data. After the last part, the observer is informed. */
void sim_composed_moved(struct composed *s);
void sim_composed_unref(struct composed *s); /* NULL is a no-op */

void sim_composed_free_all(struct comm *comm);

#endif
