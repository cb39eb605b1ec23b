/* Pools of memory that streams allocate and free in their order. A pool keeps nothing back: freed memory
 * can be used by any other allocation at once. */
#ifndef NCS_SIM_POOL_H
#define NCS_SIM_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu;

#define POOL_SWITCHES 3 /* attributes that are stored and have no effect */

struct pool {
    struct gpu *gpu;
    bool is_default;
    int on[POOL_SWITCHES];
    uint64_t threshold;
    uint64_t used, most; /* bytes; the most since the figure was last reset */
    size_t references;   /* the handle's, and one for each allocation */
};

/* The pool from which cudaMallocAsync takes memory of the device. */
struct pool *sim_pool_of(struct gpu *gpu);
/* Counts an allocation of so many bytes that was made from the pool, or was returned to it. */
void sim_pool_took(struct pool *p, size_t bytes);
void sim_pool_returned(struct pool *p, size_t bytes);

void sim_pools_free_device(struct gpu *gpu);

#endif
