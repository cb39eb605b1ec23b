/* Pinned memory for copies: taken before there are communicators, because taking it waits for devices,
 * which may wait for it then. */
#include <string.h>

#include "base/mem.h"
#include "driver/stage.h"

#define ALIGNMENT ((size_t)256)

static void *pinned;

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

static bool take_pinned(const struct ncs_api *plain, size_t bytes)
{
    cudaError_t rc = cudaErrorMemoryAllocation;
    pinned = NULL;
    if (plain->cudaHostAlloc)
        rc = plain->cudaHostAlloc(&pinned, bytes, cudaHostAllocPortable);
    else if (plain->cudaMallocHost)
        rc = plain->cudaMallocHost(&pinned, bytes);
    if (rc == cudaSuccess && pinned)
        return true;
    pinned = NULL;
    if (plain->cudaGetLastError)
        plain->cudaGetLastError(); /* the script has not made it */
    return false;
}

bool ncs_pinned_open(const struct ncs_api *plain, struct stage_arena *arena, int ranks, size_t bytes)
{
    if (bytes == 0 || !plain->cudaFreeHost || !take_pinned(plain, bytes))
        return false;
    size_t each = bytes / (size_t)ranks / ALIGNMENT * ALIGNMENT;
    for (int r = 0; r < ranks; r++)
        arena[r] = (struct stage_arena){ .base = (unsigned char *)pinned + (size_t)r * each,
                                         .bytes = each };
    return true;
}

void ncs_pinned_close(const struct ncs_api *plain, struct stage_arena *arena, int ranks, bool idle)
{
    for (int r = 0; r < ranks; r++)
        ncs_free(arena[r].used);
    if (pinned && idle) /* else some device may still write there */
        plain->cudaFreeHost(pinned);
    pinned = NULL;
}
