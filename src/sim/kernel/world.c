#include "sim/kernel/world.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/slab.h"
#include "sim/kernel/above.h"

struct world sim_world;

void sim_world_changed(void)
{
    sim_world.epoch++;
    sim_world.epoch_time = sim_world.now;
}

int64_t sim_world_later(int64_t ns)
{
    int64_t at;
    return __builtin_add_overflow(sim_world.now, ns, &at) ? INT64_MAX : at;
}

void sim_world_trace(uint64_t word)
{
    sim_world.trace = ncs_hash(sim_world.trace, word);
}

/* One for each size up to the most, in steps. */
#define SLAB_STEP 16
#define SLAB_BYTES_MOST 1024

static struct ncs_slab slab[SLAB_BYTES_MOST / SLAB_STEP];

static struct ncs_slab *slab_for(size_t bytes)
{
    if (bytes == 0 || bytes > SLAB_BYTES_MOST)
        return NULL;
    size_t i = (bytes - 1) / SLAB_STEP;
    slab[i].bytes = (i + 1) * SLAB_STEP;
    return &slab[i];
}

void *sim_new(size_t bytes)
{
    struct ncs_slab *from = slab_for(bytes);
    sim_world.live_objects++;
    sim_world.live_bytes += bytes;
    return from ? ncs_slab_take(from) : ncs_new(bytes);
}

void sim_free(void *p, size_t bytes)
{
    if (!p)
        return;
    struct ncs_slab *to = slab_for(bytes);
    sim_world.live_objects--;
    sim_world.live_bytes -= bytes;
    to ? ncs_slab_give(to, p) : ncs_free(p);
}

void sim_world_trim(void)
{
    for (size_t i = 0; i < sizeof slab / sizeof *slab; i++)
        ncs_slab_free(&slab[i]);
}

struct process *sim_world_process(int number)
{
    struct world *w = &sim_world;
    while (w->processes <= (size_t)number)
        NCS_PUSH(w->process, w->processes, w->processes_room, NULL);
    struct process *p = w->process[number];
    if (p)
        return p;
    p = w->process[number] = sim_new(sizeof *p);
    p->number = number;
    struct ncs_seat seat = ncs_shape_seat(&w->options.hosts, w->options.foreign ? 0 : number); /* a job runs on one host */
    p->host = seat.host;
    p->first_device = seat.device;
    p->devices = ncs_shape_devices(&w->options.hosts, seat.host);
    p->stamped = -1;
    p->gpu = sim_new((size_t)p->devices * sizeof *p->gpu);
    for (int d = 0; d < p->devices; d++)
        p->gpu[d] = (struct gpu){ .process = p, .device = d };
    sim_settings_begin(p);
    return p;
}

struct gpu *sim_process_gpu(struct process *p, int device)
{
    return &p->gpu[device];
}
