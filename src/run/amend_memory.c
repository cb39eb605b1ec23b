/* Buffers for calls that the program does not make itself: the memory that the rank allocated at
 * the same place of the program as the model's rank, else scratch memory. */
#include <string.h>

#include "base/mem.h"
#include "run/amend_private.h"

static const void *memory_of(const struct ncs_call *c, size_t *bytes)
{
    const union ncs_arg *memory = c->returned && !c->rc && !c->ending && !c->withdrawn ? ncs_call_arg(c, NCS_ARG_MEMORY_OUT)
                                                                                       : NULL;
    const union ncs_arg *size = memory ? ncs_call_arg(c, NCS_ARG_BYTES) : NULL;
    if (!size)
        return NULL;
    *bytes = size->u;
    return memory->p;
}

static bool amend_memory_frees(const struct ncs_call *c)
{
    return ncs_fn_info[c->fn].ends == NCS_ENDS_MEMORY;
}

void ncs_amend_remember(struct memory *m, struct ncs_call *call)
{
    if (!ncs_call_arg(call, NCS_ARG_MEMORY_OUT) && !amend_memory_frees(call))
        return;
    ncs_call_pin(call);
    NCS_PUSH(m->call, m->calls, m->room, call);
}

void ncs_amend_forget(struct memory *m)
{
    for (size_t i = 0; i < m->calls; i++)
        ncs_call_unpin(m->call[i]);
    ncs_free(m->call);
    *m = (struct memory){ 0 };
}

static bool is_freed(const struct memory *m, size_t allocation, const void *base)
{
    for (size_t i = allocation + 1; i < m->calls; i++)
        if (amend_memory_frees(m->call[i]) && ncs_call_arg(m->call[i], NCS_ARG_MEMORY)->p == base)
            return true;
    return false;
}

/* Its place in the list, from 1; 0 = none. */
static size_t amend_memory_find(const struct memory *m, const void *address, size_t *room)
{
    for (size_t i = address ? m->calls : 0; i > 0; i--) {
        size_t bytes = 0;
        uintptr_t base = (uintptr_t)memory_of(m->call[i - 1], &bytes);
        if (base && (uintptr_t)address >= base && (uintptr_t)address - base < bytes) {
            *room = bytes - (size_t)((uintptr_t)address - base);
            return i;
        }
    }
    return 0;
}

const struct ncs_call *ncs_amend_allocation(const struct memory *m, const void *address, size_t *room)
{
    size_t at = amend_memory_find(m, address, room);
    return at ? m->call[at - 1] : NULL;
}

static bool amend_memory_same_place(const struct ncs_call *c, const char *file, int line)
{
    return c->place.line == line && c->place.file && file && strcmp(c->place.file, file) == 0;
}

void ncs_amend_origin(const struct memory *m, const void *address, struct origin *out)
{
    size_t room = 0, bytes = 0, at = amend_memory_find(m, address, &room);
    const struct ncs_call *made = at ? m->call[at - 1] : NULL;
    if (!made || !made->place.file)
        return;
    out->offset = (uint64_t)((uintptr_t)address - (uintptr_t)memory_of(made, &bytes));
    out->spot = (struct spot){ .file = ncs_copy_text(made->place.file), .line = made->place.line, .fn = made->fn, .nth = 1 };
    for (size_t i = 0; i + 1 < at; i++)
        out->spot.nth += m->call[i]->fn == made->fn && memory_of(m->call[i], &bytes) &&
                         amend_memory_same_place(m->call[i], out->spot.file, out->spot.line);
}

void *ncs_amend_own(const struct memory *m, const struct origin *o, size_t bytes)
{
    uint64_t nth = 0;
    size_t size = 0;
    for (size_t i = 0; o->spot.file && i < m->calls; i++) {
        const struct ncs_call *c = m->call[i];
        const void *base = c->fn == o->spot.fn ? memory_of(c, &size) : NULL;
        if (!base || !amend_memory_same_place(c, o->spot.file, o->spot.line) || ++nth < o->spot.nth)
            continue;
        bool fits = o->offset <= size && size - o->offset >= bytes && !is_freed(m, i, base);
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
