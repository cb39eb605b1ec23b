#include "sim/data/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "api/journal.h"
#include "base/budget.h"
#include "base/mem.h"
#include "ncclscript/cuda_abi.h"
#include "sim/data/arena.h"
#include "sim/data/pool.h"
#include "sim/data/unwritten.h"
#include "sim/kernel/world.h"

#define ALIGNMENT 512
#define HOST_BYTES ((uint64_t)1 << 39) /* no host has more to pin */
#define FIRST_ADDRESS ((uint64_t)0x7f0000000000)
#define ADDRESS_STEP ((uint64_t)2 << 20)
#define PAGE_ALIGNMENT 4096 /* of ncclMemAlloc */
/* Allocations of this size or more are mappings of their own, which take no host memory until they
 * are touched. */
#define MAPPED_BYTES ((size_t)32 << 20)
#define MAPPED_BYTES_FOREIGN ((size_t)1 << 20) /* for a program from outside */
/* Such an allocation counts as taken in pieces of this size. */
#define PIECE_BYTES ((size_t)1 << 20)
/* A tiny negative float32 or float64, -89 as int8, seldom expected. */
#define POISON 0xa7
#define POISONED_BYTES ((size_t)1 << 20)

struct allocation *sim_memory_find(const void *p)
{
    /* A call asks several times for its buffers, and each rank has its own. */
    struct allocation **found = &sim_world.found[(uintptr_t)p / ALIGNMENT % WORLD_FOUND], *a = *found;
    if (a && (uintptr_t)p - (uintptr_t)a->base < a->bytes)
        return a;
    a = ncs_sorted_at(&sim_world.memory, ncs_map_key(p));
    if (!a || (uintptr_t)p - (uintptr_t)a->base >= a->bytes)
        return NULL;
    return *found = a;
}

struct allocation *sim_memory_next(const void *p)
{
    return ncs_sorted_beyond(&sim_world.memory, ncs_map_key(p));
}

struct allocation *sim_memory_at(const struct process *process, const void *p)
{
    struct allocation *a = sim_memory_find(p);
    return a && a->base == p && a->process == process && !a->leaving ? a : NULL;
}

static uint64_t *used(const struct process *process, int device)
{
    struct world *w = &sim_world;
    size_t index = (size_t)process->host * (size_t)w->devices_most + (size_t)device;
    if (index >= w->memory_used_count) {
        size_t count = index + 64;
        w->memory_used = ncs_resize(w->memory_used, count * sizeof *w->memory_used);
        memset(w->memory_used + w->memory_used_count, 0, (count - w->memory_used_count) * sizeof *w->memory_used);
        w->memory_used_count = count;
    }
    return &w->memory_used[index];
}

uint64_t sim_memory_capacity(void)
{
    return sim_world.options.device_memory;
}

uint64_t sim_memory_used(const struct process *process, int device)
{
    return *used(process, device);
}

static bool allocation_is_counted(enum memory_kind kind)
{
    return kind == MEMORY_DEVICE || kind == MEMORY_MANAGED;
}

static struct allocation *allocation_insert(struct allocation given)
{
    struct world *w = &sim_world;
    struct allocation *a = sim_new(sizeof *a);
    *a = given;
    a->serial = ++w->memory_serial;
    a->address = FIRST_ADDRESS + w->addresses;
    w->addresses += (a->bytes / ADDRESS_STEP + 1) * ADDRESS_STEP;
    if (a->block)
        w->live_bytes += a->bytes;
    if (allocation_is_counted(a->kind))
        *used(a->process, a->device) += a->bytes;
    ncs_sorted_put(&w->memory, ncs_map_key(a->base), a);
    return a;
}

/* `bytes` zero bytes; a large block gets a mapping of its own. */
static void *new_block(size_t bytes, size_t *mapped)
{
    *mapped = 0;
    if (sim_arena_is_open())
        return sim_arena_take(bytes);
    if (bytes < (sim_world.options.foreign ? MAPPED_BYTES_FOREIGN : MAPPED_BYTES))
        return calloc(1, bytes);
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    *mapped = bytes;
    madvise(block, bytes, MADV_HUGEPAGE); /* the first touch of small pages takes six times as long */
    return block;
}

/* ---- the host's memory ---- */

/* Counts a piece against the budget of the host when it is first written. False: the budget is spent. */
static bool take_piece(struct allocation *a, size_t piece)
{
    unsigned char bit = (unsigned char)(1u << piece % 8);
    if (a->piece[piece / 8] & bit)
        return true;
    if (!ncs_budget_take(PIECE_BYTES))
        return false;
    a->piece[piece / 8] |= bit;
    a->taken += PIECE_BYTES;
    return true;
}

bool sim_memory_commit(const void *p, size_t bytes)
{
    struct allocation *a = sim_world.lazy_allocations > 0 && bytes > 0 ? sim_memory_find(p) : NULL;
    if (!a || !a->piece)
        return true;
    size_t at = (uintptr_t)p - (uintptr_t)a->base;
    size_t first = at / PIECE_BYTES, last = (at + bytes - 1) / PIECE_BYTES;
    for (size_t i = first; i <= last; i++)
        if (!take_piece(a, i)) {
            ncs_budget_stop();
            return false;
        }
    return true;
}

static void give_back(struct allocation *a)
{
    ncs_budget_give(a->taken);
    sim_world.lazy_allocations -= a->piece != NULL;
    ncs_free(a->piece);
}

int sim_memory_refused(size_t bytes)
{
    const struct ncs_observer *o = &sim_world.observer;
    if (o->refused)
        o->refused(o->self, ncs_local ? ncs_local->call : NULL, bytes);
    return cudaErrorMemoryAllocation;
}

static int memory_allocate(struct process *process, int device, enum memory_kind kind, bool by_nccl, size_t bytes, void **p)
{
    size_t alignment = by_nccl ? PAGE_ALIGNMENT : ALIGNMENT;
    if (sim_world.options.foreign && bytes >= PAGES_LEAST)
        alignment = PAGES_CHUNK;
    if (allocation_is_counted(kind) && bytes > sim_memory_capacity() - sim_memory_used(process, device))
        return cudaErrorMemoryAllocation;
    if (kind == MEMORY_PINNED ? bytes > HOST_BYTES : bytes > SIZE_MAX - alignment)
        return cudaErrorMemoryAllocation;
    size_t mapped = 0, poisoned = bytes < POISONED_BYTES ? bytes : POISONED_BYTES;
    size_t whole = bytes + alignment < MAPPED_BYTES ? bytes + alignment : 0;
    whole = sim_world.options.foreign ? 0 : whole; /* a program from outside takes what it wants */
    if (!ncs_budget_take(whole))
        return sim_memory_refused(bytes);
    char *block = new_block(bytes + alignment, &mapped);
    if (!block) {
        ncs_budget_give(whole);
        return sim_memory_refused(bytes);
    }
    char *base = block + (alignment - (uintptr_t)block % alignment);
    struct allocation *a = allocation_insert((struct allocation){ .base = base,
                                                                  .block = block,
                                                                  .mapped = mapped,
                                                                  .bytes = bytes,
                                                                  .kind = kind,
                                                                  .process = process,
                                                                  .device = device,
                                                                  .by_nccl = by_nccl });
    a->taken = whole;
    if (!sim_world.options.foreign) {
        a->piece = mapped ? ncs_new(bytes / PIECE_BYTES / 8 + 1) : NULL;
        sim_world.lazy_allocations += mapped > 0;
        if (sim_memory_commit(base, poisoned))
            memset(base, POISON, poisoned);
    }
    sim_unwritten_begin(a);
    *p = base;
    return cudaSuccess;
}

int sim_memory_new(struct process *process, int device, enum memory_kind kind, size_t bytes, void **p)
{
    return memory_allocate(process, device, kind, false, bytes, p);
}

int sim_memory_new_by_nccl(struct process *process, int device, size_t bytes, void **p)
{
    return memory_allocate(process, device, MEMORY_DEVICE, true, bytes, p);
}

int sim_memory_register(struct process *process, int device, void *p, size_t bytes, unsigned flags)
{
    const struct allocation *a = sim_memory_find(p);
    if (!a)
        a = sim_memory_next(p);
    bool overlaps = a && (a->base <= (char *)p || (uintptr_t)a->base - (uintptr_t)p < bytes);
    if (overlaps)
        return allocation_is_counted(a->kind) ? cudaErrorInvalidValue : cudaErrorHostMemoryAlreadyRegistered;
    allocation_insert((struct allocation){
        .base = p, .bytes = bytes, .kind = MEMORY_REGISTERED, .process = process, .device = device, .flags = flags });
    return cudaSuccess;
}

/* ---- what freed watched memory ---- */

static void note_freed(const struct allocation *a)
{
    const struct ncs_call *call = ncs_local ? ncs_local->call : NULL;
    if (!a->watched)
        return;
    struct ncs_freed *f = sim_new(sizeof *f);
    if (call)
        *f = (struct ncs_freed){ ncs_fn_info[call->fn].name, call->place };
    ncs_map_put(&sim_world.freed, a->serial, f);
}

static void forget_freed(void *value, void *arg)
{
    (void)arg;
    sim_free(value, sizeof(struct ncs_freed));
}

bool sim_memory_freed(uint64_t serial, struct ncs_freed *how)
{
    struct ncs_freed *f = serial ? ncs_map_get(&sim_world.freed, serial) : NULL;
    if (!f)
        return false;
    *how = *f;
    ncs_map_remove(&sim_world.freed, serial);
    forget_freed(f, NULL);
    return true;
}

uint64_t sim_memory_watch(const void *p)
{
    struct allocation *a = sim_memory_find(p);
    if (!a || a->base != p)
        return 0;
    a->watched = true;
    return a->serial;
}

/* ---- freeing ---- */

/* The program no longer owns the memory. If a stream frees it, the memory itself
 * is released later. */
static void end_use(const struct allocation *a)
{
    if (a->leaving)
        return;
    note_freed(a);
    if (allocation_is_counted(a->kind))
        *used(a->process, a->device) -= a->bytes;
    if (a->pool)
        sim_pool_returned(a->pool, a->bytes);
}

void sim_memory_leave(struct allocation *a)
{
    end_use(a);
    a->leaving = true;
}

static void import_remove(struct import **at)
{
    struct import *i = *at;
    *at = i->next;
    sim_free(i, sizeof *i);
}

static void allocation_release(struct allocation *a)
{
    end_use(a);
    sim_unwritten_end(a);
    memset(sim_world.found, 0, sizeof sim_world.found);
    if (a->block)
        sim_world.live_bytes -= a->bytes;
    if (sim_arena_is_open() && a->block)
        sim_arena_give(a->block);
    else if (a->mapped)
        munmap(a->block, a->mapped);
    else
        free(a->block);
    while (a->imports)
        import_remove(&a->imports);
    give_back(a);
    sim_pages_release(&a->pages);
    sim_free(a, sizeof *a);
}

void sim_memory_free(struct allocation *a)
{
    ncs_sorted_remove(&sim_world.memory, ncs_map_key(a->base));
    allocation_release(a);
}

void sim_memory_left(uint64_t serial, const void *p)
{
    struct allocation *a = sim_memory_find(p);
    if (a && a->serial == serial)
        sim_memory_free(a);
}

void sim_memory_free_device(const struct process *process, int device)
{
    for (struct allocation *a = sim_memory_next(NULL), *next; a; a = next) {
        next = sim_memory_next(a->base);
        if (a->process == process && a->device == device)
            sim_memory_free(a);
    }
}

void sim_memory_free_all(void)
{
    struct world *w = &sim_world;
    for (const struct allocation *a; (a = sim_memory_next(NULL));)
        allocation_release(ncs_sorted_remove(&w->memory, ncs_map_key(a->base)));
    ncs_map_each(&w->freed, forget_freed, NULL);
    ncs_map_free(&w->freed);
    ncs_sorted_free(&w->memory);
    ncs_free(w->memory_used);
    w->memory_used = NULL;
    w->memory_used_count = 0;
}

/* ---- use by other processes ---- */

struct import *sim_memory_imported(const struct allocation *a, const struct process *process, int device)
{
    struct import *any = NULL;
    for (struct import *i = a->imports; i; i = i->next)
        if (i->process == process && (!any || i->device == device))
            any = i;
    return any;
}

void sim_memory_import(struct allocation *a, struct process *process, int device)
{
    struct import *i = sim_memory_imported(a, process, device);
    if (!i || i->device != device) {
        i = sim_new(sizeof *i);
        *i = (struct import){ .process = process, .device = device, .next = a->imports };
        a->imports = i;
    }
    i->times++;
}

void sim_memory_end_import(struct allocation *a, struct import *import)
{
    struct import **at = &a->imports;
    while (*at != import)
        at = &(*at)->next;
    if (--import->times == 0)
        import_remove(at);
}

/* ---- who may touch what ---- */

bool sim_memory_is_of(const struct process *process, const struct allocation *a)
{
    return a->process == process || sim_memory_imported(a, process, -1);
}

static bool allocation_holds(const struct allocation *a, const void *p, size_t bytes)
{
    return a && bytes <= a->bytes - ((uintptr_t)p - (uintptr_t)a->base);
}

bool sim_memory_still_reachable(const struct process *process, uint64_t serial, const void *p, size_t bytes)
{
    if (bytes == 0)
        return true;
    const struct allocation *a = sim_memory_find(p);
    return allocation_holds(a, p, bytes) && sim_memory_is_of(process, a) && (serial == 0 || a->serial == serial);
}

bool sim_memory_reachable(const struct process *process, const void *p, size_t bytes)
{
    return sim_memory_still_reachable(process, 0, p, bytes);
}

bool sim_memory_readable(const void *p, size_t bytes)
{
    return bytes == 0 || allocation_holds(sim_memory_find(p), p, bytes);
}

bool sim_memory_usable(const struct process *process, const void *p, size_t bytes)
{
    return sim_memory_find(p) ? sim_memory_reachable(process, p, bytes) : sim_memory_of_caller(p, bytes);
}

bool sim_memory_in_reach(const struct gpu *gpu, const void *p)
{
    const struct allocation *a = sim_memory_find(p);
    if (!a || a->kind != MEMORY_DEVICE || a->device == gpu->device || (gpu->peer && gpu->peer[a->device]))
        return true;
    const struct import *i = sim_memory_imported(a, gpu->process, gpu->device);
    return i && i->device == gpu->device;
}

bool sim_memory_of_caller(const void *p, size_t bytes)
{
    const struct ncs_local *local = ncs_local;
    if (!local || !local->guarded)
        return true;
    for (int i = 0; i < local->ranges; i++) {
        uintptr_t offset = (uintptr_t)p - (uintptr_t)local->range[i].from;
        if (offset <= local->range[i].bytes && bytes <= local->range[i].bytes - offset)
            return true;
    }
    return false;
}

uint64_t sim_memory_address(const void *p)
{
    const struct allocation *a = sim_memory_find(p);
    return a ? a->address + (uint64_t)((const char *)p - a->base) : p != NULL;
}
