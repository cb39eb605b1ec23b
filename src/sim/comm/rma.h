/* One-sided operations: a put copies into a peer's window and then counts one signal there, a signal
 * counts alone, a wait consumes signals. Only a wait ever waits, and only its stream does. */
#ifndef NCS_SIM_RMA_H
#define NCS_SIM_RMA_H

#include <stddef.h>
#include <stdint.h>

#include "sim/kernel/above.h"

struct part;
struct window;

/* How many signals a wait takes from one peer. */
struct rma_wait {
    int peer;
    uint64_t signals;
};

struct rma {
    struct window *window; /* of a put; referenced */
    size_t offset;         /* in bytes, from the peer's base */
    size_t waits;
    struct rma_wait wait[];
};

struct rma *sim_rma_new(size_t waits);
void sim_rma_free(struct rma *rma); /* NULL is a no-op */

/* The part is next in its launch. */
void sim_rma_arrive(struct part *part);
/* The part is cancelled, or is about to be freed. */
void sim_rma_leave(struct part *part);

#endif
