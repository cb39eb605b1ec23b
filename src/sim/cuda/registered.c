#include "sim/cuda/registered.h"

#include <stdint.h>

#include "sim/kernel/world.h"

const struct registered *sim_registered_find(const struct process *p, const void *at)
{
    const struct registered *r = p->registered;
    while (r && (uintptr_t)at - (uintptr_t)r->from >= r->bytes)
        r = r->next;
    return r;
}

bool sim_registered_holds(const struct process *p, const void *at, size_t bytes)
{
    const struct registered *r = sim_registered_find(p, at);
    return r && bytes <= r->bytes - ((uintptr_t)at - (uintptr_t)r->from);
}

cudaError_t sim_registered_add(struct process *p, int device, const void *from, size_t bytes, unsigned flags)
{
    for (const struct registered *r = p->registered; r; r = r->next)
        if ((uintptr_t)from < (uintptr_t)r->from + r->bytes && (uintptr_t)r->from < (uintptr_t)from + bytes)
            return cudaErrorHostMemoryAlreadyRegistered;
    struct registered *r = sim_new(sizeof *r);
    *r = (struct registered){ from, bytes, flags, device, p->registered };
    p->registered = r;
    return cudaSuccess;
}

bool sim_registered_remove(struct process *p, const void *from)
{
    struct registered **at = &p->registered;
    while (*at && (*at)->from != from)
        at = &(*at)->next;
    struct registered *gone = *at;
    if (!gone)
        return false;
    *at = gone->next;
    sim_free(gone, sizeof *gone);
    return true;
}

void sim_registered_free(struct process *p)
{
    while (p->registered)
        sim_registered_remove(p, p->registered->from);
}
