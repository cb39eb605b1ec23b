#include "sim/cuda/outside.h"

#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/data/unwritten.h"
#include "sim/kernel/context.h"
#include "sim/kernel/world.h"

bool sim_outside_stream_is_used(const void *stream)
{
    const struct stream *s = ncs_map_get(&sim_world.streams, ncs_map_key(stream));
    return !s || s->used;
}

bool sim_outside_process_is_gone(int number)
{
    const struct process *p = (size_t)number < sim_world.processes ? sim_world.process[number] : NULL;
    return p && p->dead;
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
    if (!sim_world.options.foreign || !c)
        return;
    sim_unwritten_reach(c->process);
    if (sim_world.observer.kernel)
        sim_world.observer.kernel(sim_world.observer.self);
}
