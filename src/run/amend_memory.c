/* Buffers for calls that a program does not make itself: what its rank allocated at the same place as
 * another, else memory of their own. */
#include <string.h>

#include "base/mem.h"
#include "run/amend_private.h"

static const void *memory_of(const struct ncs_call *c, int rank, size_t *bytes)
{
    const union ncs_arg *memory = c->rank == rank && c->returned && !c->rc && !c->ending
                                      ? ncs_call_arg(c, NCS_ARG_MEMORY_OUT) : NULL;
    const union ncs_arg *size = memory ? ncs_call_arg(c, NCS_ARG_BYTES) : NULL;
    if (!size)
        return NULL;
    *bytes = size->u;
    return memory->p;
}

static bool frees(const struct ncs_call *c, const void *base)
{
    const union ncs_arg *memory = ncs_call_arg(c, NCS_ARG_MEMORY);
    return memory && memory->p == base &&
           (c->fn == NCS_FN_cudaFree || c->fn == NCS_FN_cudaFreeAsync ||
            c->fn == NCS_FN_cudaFreeHost || c->fn == NCS_FN_ncclMemFree);
}

static bool is_freed(const struct ncs_call *allocation, const void *base)
{
    for (const struct ncs_call *c = allocation->newer; c; c = c->newer)
        if (c->rank == allocation->rank && !c->withdrawn && frees(c, base))
            return true;
    return false;
}

const struct ncs_call *ncs_amend_allocation(const struct ncs_journal *j, int rank, const void *address,
                                            size_t *room)
{
    for (const struct ncs_call *c = address ? j->newest : NULL; c; c = c->older) {
        size_t bytes = 0;
        uintptr_t base = (uintptr_t)memory_of(c, rank, &bytes);
        if (base && (uintptr_t)address >= base && (uintptr_t)address - base < bytes) {
            *room = bytes - (size_t)((uintptr_t)address - base);
            return c;
        }
    }
    return NULL;
}

static bool same_place(const struct ncs_call *c, const char *file, int line)
{
    return c->place.line == line && c->place.file && file && strcmp(c->place.file, file) == 0;
}

void ncs_amend_origin(const struct ncs_journal *j, int rank, const void *address, struct origin *out)
{
    size_t room = 0, bytes = 0;
    const struct ncs_call *made = ncs_amend_allocation(j, rank, address, &room);
    if (!made || !made->place.file)
        return;
    out->offset = (uint64_t)((uintptr_t)address - (uintptr_t)memory_of(made, rank, &bytes));
    out->spot = (struct spot){ .file = ncs_copy_text(made->place.file), .line = made->place.line,
                               .fn = made->fn, .nth = 1 };
    for (const struct ncs_call *c = made->older; c; c = c->older)
        out->spot.nth += c->fn == made->fn && memory_of(c, rank, &bytes) &&
                         same_place(c, out->spot.file, out->spot.line);
}

void *ncs_amend_own(const struct ncs_journal *j, int rank, const struct origin *o, size_t bytes)
{
    uint64_t nth = 0;
    size_t size = 0;
    for (const struct ncs_call *c = o->spot.file ? j->oldest : NULL; c; c = c->newer) {
        const void *base = c->fn == o->spot.fn ? memory_of(c, rank, &size) : NULL;
        if (!base || !same_place(c, o->spot.file, o->spot.line) || ++nth < o->spot.nth)
            continue;
        bool fits = o->offset <= size && size - o->offset >= bytes && !is_freed(c, base);
        return fits ? (char *)base + o->offset : NULL;
    }
    return NULL;
}

void *ncs_amend_scratch(struct ncs_run *run, size_t bytes, const void *stream)
{
    const struct ncs_api *api = run->driver->api;
    void *p = NULL;
    bytes = bytes ? bytes : 1;
    if (api->cudaMalloc(&p, bytes) != cudaSuccess)
        return NULL;
    api->cudaMemsetAsync(p, 0, bytes, (cudaStream_t)stream);
    NCS_PUSH(run->scratch, run->scratches, run->scratches_room, p);
    return p;
}
