/* CUDA's functions for memory and events of other processes. Only the processes of a job share a machine: the virtual
 * processes of a scenario refuse them. */
#include <string.h>

#include "sim/cuda/cuda.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/kernel/gen/functions.h"

/* What is in a handle. Memory is at the same address in all processes of a job. */
struct ipc_handle {
    uint64_t kind, serial;
    void *base; /* of memory */
};
_Static_assert(sizeof(struct ipc_handle) <= CUDA_IPC_HANDLE_SIZE, "a handle has room");

#define IPC_MEMORY UINT64_C(0x6d656d2d7363636e)
#define IPC_EVENT UINT64_C(0x7665652d7363636e)

static bool ipc_is_refused(const struct context *c)
{
    return c->process->pid == 0;
}

static struct ipc_handle ipc_read(const char *from)
{
    struct ipc_handle h;
    memcpy(&h, from, sizeof h);
    return h;
}

static void ipc_write(char *to, struct ipc_handle h)
{
    memset(to, 0, CUDA_IPC_HANDLE_SIZE);
    memcpy(to, &h, sizeof h);
}

/* ---- memory ---- */

cudaError_t sim_cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p)
{
    CUDA_ENTER(c);
    if (ipc_is_refused(c))
        return sim_cuda_return(c, cudaErrorNotSupported);
    const struct allocation *a = sim_memory_find(p);
    bool fit = a && a->process == c->process && a->kind == MEMORY_DEVICE && !a->pool && !a->by_nccl;
    if (!handle || !fit)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    ipc_write(handle->reserved, (struct ipc_handle){ IPC_MEMORY, a->serial, a->base });
    return cudaSuccess;
}

static cudaError_t ipc_open(struct context *c, void **p, struct ipc_handle h)
{
    struct allocation *a = sim_memory_find(h.base);
    if (!a || a->serial != h.serial)
        return cudaErrorInvalidResourceHandle; /* freed */
    if (a->process == c->process)
        return cudaErrorDeviceUninitialized;
    if (a->device != c->device && sim_world.options.no_peer_access)
        return cudaErrorPeerAccessUnsupported;
    sim_memory_import(a, c->process, c->device);
    *p = a->base;
    return cudaSuccess;
}

cudaError_t sim_cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned int flags)
{
    CUDA_ENTER(c);
    if (ipc_is_refused(c))
        return sim_cuda_return(c, cudaErrorNotSupported);
    struct ipc_handle h = ipc_read(handle.reserved);
    if (!p || flags != cudaIpcMemLazyEnablePeerAccess || h.kind != IPC_MEMORY)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    return sim_cuda_return(c, ipc_open(c, p, h));
}

static struct import *ipc_opened(const struct context *c, const void *p, struct allocation **a)
{
    *a = sim_memory_find(p);
    return *a && (*a)->base == p ? sim_memory_imported(*a, c->process, c->device) : NULL;
}

/* Waits for the device, whose work may use the memory. Another thread may close it meanwhile. */
cudaError_t sim_cudaIpcCloseMemHandle(void *p)
{
    CUDA_ENTER(c);
    struct allocation *a;
    if (ipc_is_refused(c))
        return sim_cuda_return(c, cudaErrorNotSupported);
    const struct import *opened = ipc_opened(c, p, &a);
    if (!opened)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    struct gpu *gpu = sim_process_gpu(c->process, opened->device);
    sim_gpu_wait(c, gpu);
    if (c->cancelled)
        return cudaSuccess;
    struct import *now = ipc_opened(c, p, &a);
    if (!now)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    sim_memory_end_import(a, now);
    return sim_cuda_return(c, gpu->fault);
}

/* ---- events ---- */

cudaError_t sim_cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    CUDA_ENTER(c);
    if (ipc_is_refused(c))
        return sim_cuda_return(c, cudaErrorNotSupported);
    const struct event *e = sim_event_find(c, event);
    if (!e || !e->interprocess)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    if (!handle)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    ipc_write(handle->reserved, (struct ipc_handle){ .kind = IPC_EVENT, .serial = e->record->serial });
    return cudaSuccess;
}

struct ipc_search {
    uint64_t serial;
    const struct event *found;
};

static void ipc_look(void *value, void *arg)
{
    struct ipc_search *s = arg;
    const struct event *e = value;
    if (e->interprocess && e->record->serial == s->serial)
        s->found = e;
}

cudaError_t sim_cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    CUDA_ENTER(c);
    if (ipc_is_refused(c))
        return sim_cuda_return(c, cudaErrorNotSupported);
    struct ipc_handle h = ipc_read(handle.reserved);
    struct ipc_search search = { .serial = h.serial };
    if (!event || h.kind != IPC_EVENT)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    ncs_map_each(&sim_world.events, ipc_look, &search);
    if (!search.found) /* destroyed */
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    if (search.found->gpu->process == c->process)
        return sim_cuda_return(c, cudaErrorDeviceUninitialized);
    *event = (cudaEvent_t)sim_event_new(sim_current_gpu(c), search.found->record);
    return cudaSuccess;
}
