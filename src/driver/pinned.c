/* Pinned memory for copies. It is allocated before any communicator exists: the allocation waits for
 * devices, and a device may by then wait for a rank. */
#include <string.h>

#include "base/mem.h"
#include "driver/far/far.h"
#include "driver/stage.h"
#include "driver/world.h"

#define ALIGNMENT ((size_t)256)

void *ncs_pinned_take(struct stage_arena *a, size_t bytes)
{
    size_t at = 0, place = 0;
    if (bytes == 0 || bytes > a->bytes)
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    for (; place < a->uses && a->used[place].at - at < bytes; place++)
        at = a->used[place].at + a->used[place].bytes;
    if (bytes > a->bytes - at)
        return NULL;
    struct stage_extent extent = { at, bytes };
    NCS_PUSH(a->used, a->uses, a->uses_room, extent);
    memmove(a->used + place + 1, a->used + place, (a->uses - 1 - place) * sizeof *a->used);
    a->used[place] = extent;
    return a->base + at;
}

void ncs_pinned_give(struct stage_arena *a, void *p)
{
    size_t at = (size_t)((unsigned char *)p - a->base), place = 0;
    while (place < a->uses && a->used[place].at != at)
        place++;
    if (place == a->uses)
        return;
    a->uses--;
    memmove(a->used + place, a->used + place + 1, (a->uses - place) * sizeof *a->used);
}

static void *take_pinned(size_t bytes)
{
    const struct ncs_api *api = ncs_real.plain;
    cudaError_t rc = cudaErrorMemoryAllocation;
    void *pinned = NULL;
    if (api->cudaHostAlloc)
        rc = api->cudaHostAlloc(&pinned, bytes, cudaHostAllocPortable);
    else if (api->cudaMallocHost)
        rc = api->cudaMallocHost(&pinned, bytes);
    if (rc != cudaSuccess && api->cudaGetLastError)
        api->cudaGetLastError(); /* the script did not cause this error */
    return rc == cudaSuccess ? pinned : NULL;
}

static int ranks_of(int process)
{
    int count = 0;
    for (int r = 0; r < ncs_real.stage.ranks; r++)
        count += far_process(r) == process;
    return count;
}

/* In the process whose ranks they are. */
static bool open_arenas_of(int process, size_t each)
{
    int before = far_at(process), ranks = ranks_of(process);
    unsigned char *pinned = ranks > 0 ? take_pinned(each * (size_t)ranks) : NULL;
    far_at(before);
    ncs_real.stage.pinned[process] = pinned;
    for (int r = 0; r < ncs_real.stage.ranks && pinned; r++)
        if (far_process(r) == process) {
            ncs_real.stage.arena[r] = (struct stage_arena){ .base = pinned, .bytes = each };
            pinned += each;
        }
    return ranks == 0 || pinned;
}

bool ncs_pinned_open(size_t bytes)
{
    size_t each = bytes / (size_t)ncs_real.stage.ranks / ALIGNMENT * ALIGNMENT;
    bool fine = bytes > 0 && ncs_real.plain->cudaFreeHost;
    ncs_real.stage.pinned = ncs_new((size_t)far_places.processes * sizeof *ncs_real.stage.pinned);
    for (int p = 0; p < far_places.processes && fine; p++)
        fine = open_arenas_of(p, each);
    return fine;
}

void ncs_pinned_close(bool idle)
{
    for (int r = 0; r < ncs_real.stage.ranks; r++)
        ncs_free(ncs_real.stage.arena[r].used);
    for (int p = 0; ncs_real.stage.pinned && p < far_places.processes && idle; p++) /* else some device may still write there */
        if (ncs_real.stage.pinned[p])
            ncs_real.plain->cudaFreeHost(ncs_real.stage.pinned[p]);
    ncs_free(ncs_real.stage.pinned);
    ncs_real.stage.pinned = NULL;
}
