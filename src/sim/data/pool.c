#include "sim/data/pool.h"

#include "base/mem.h"
#include "sim/kernel/world.h"

struct pool *sim_pool_of(struct gpu *gpu)
{
    if (gpu->pool)
        return gpu->pool;
    if (!gpu->default_pool) {
        struct pool *p = gpu->default_pool = sim_new(sizeof *p);
        *p = (struct pool){ .gpu = gpu, .is_default = true, .on = { 1, 1, 1 }, .references = 1 };
        ncs_map_put(&sim_world.pools, ncs_map_key(p), p);
    }
    return gpu->default_pool;
}

void sim_pool_took(struct pool *p, size_t bytes)
{
    p->references++;
    p->used += bytes;
    if (p->used > p->most)
        p->most = p->used;
}

void sim_pool_returned(struct pool *p, size_t bytes)
{
    p->used -= bytes;
    if (--p->references == 0)
        sim_free(p, sizeof *p);
}

struct search {
    const struct gpu *gpu;
    struct pool **found;
    size_t count, room;
};

static void pool_collect(void *value, void *arg)
{
    struct search *s = arg;
    struct pool *p = value;
    if (p->gpu == s->gpu)
        NCS_PUSH(s->found, s->count, s->room, p);
}

void sim_pools_free_device(struct gpu *gpu)
{
    struct search s = { .gpu = gpu };
    ncs_map_each(&sim_world.pools, pool_collect, &s);
    for (size_t i = 0; i < s.count; i++) {
        ncs_map_remove(&sim_world.pools, ncs_map_key(s.found[i]));
        sim_pool_returned(s.found[i], 0);
    }
    ncs_free(s.found);
    gpu->pool = gpu->default_pool = NULL;
}
