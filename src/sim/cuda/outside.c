#include "sim/cuda/outside.h"

#include "sim/cuda/registered.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/data/unwritten.h"
#include "sim/kernel/context.h"
#include "sim/kernel/world.h"

static void count_unused(void *stream, void *count)
{
    *(size_t *)count += !((const struct stream *)stream)->used;
}

void sim_outside_count_left(struct outside_left *left)
{
    *left = (struct outside_left){ .streams = sim_world.streams.count,
                                   .events = sim_world.events.count };
    ncs_map_each(&sim_world.streams, count_unused, &left->unused_streams);
    for (size_t i = 0; i < sim_world.allocations; i++) {
        const struct allocation *a = sim_world.allocation[i];
        if (a->leaving)
            continue;
        bool device = a->kind == MEMORY_DEVICE || a->kind == MEMORY_MANAGED;
        left->device_blocks += device;
        left->pinned_blocks += !device;
        left->device_bytes += device ? a->bytes : 0;
    }
    for (size_t i = 0; i < sim_world.processes; i++)
        left->pinned_blocks += sim_world.process[i] ? sim_registered_count(sim_world.process[i]) : 0;
}

int sim_outside_device_of_memory(const void *p)
{
    const struct allocation *a = p ? sim_memory_find(p) : NULL;
    return a && a->kind == MEMORY_DEVICE ? a->device : -1;
}

int sim_outside_device_of_stream(cudaStream_t stream)
{
    const struct stream *s = ncs_map_get(&sim_world.streams, ncs_map_key(stream));
    return s ? s->gpu->device : -1;
}

int sim_outside_device_of_event(cudaEvent_t event)
{
    const struct event *e = ncs_map_get(&sim_world.events, ncs_map_key(event));
    return e ? e->gpu->device : -1;
}

void sim_outside_kernel(void)
{
    const struct context *c = sim_context_self();
    if (sim_world.options.foreign && c)
        sim_unwritten_reach(c->process);
}
