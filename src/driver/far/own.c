#include "driver/far/own.h"

#include <pthread.h>
#include <string.h>

#include "api/types.h"
#include "base/map.h"
#include "base/mem.h"
#include "driver/far/message.h"
#include "ncclscript/cuda_tables.h"

static struct {
    const struct ncs_api *api;
    pthread_mutex_t lock; /* guards what follows */
    struct own_range {
        uint64_t begin, end;
        uint64_t furthest; /* the furthest end up to here: a range may lie in another one */
    } * range;             /* by where they begin, which no two share */
    size_t ranges, room, looks;
    struct ncs_map handles;
} own = { .lock = PTHREAD_MUTEX_INITIALIZER };

void own_open(const struct ncs_api *api)
{
    own.api = api;
}

/* How many ranges begin before the address. */
static size_t own_before(uint64_t address)
{
    size_t low = 0, high = own.ranges;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        own.looks++;
        if (own.range[middle].begin < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many bytes lie behind the address in a range; 0 = it is in none. */
static uint64_t own_behind(uint64_t address)
{
    size_t before = address < UINT64_MAX ? own_before(address + 1) : 0;
    uint64_t furthest = before ? own.range[before - 1].furthest : 0;
    return furthest > address ? furthest - address : 0;
}

/* Range i has changed, or another one stands there now: computes `furthest` anew from there on, up to a range whose value stays. */
static void own_extend(size_t i)
{
    for (uint64_t most = i ? own.range[i - 1].furthest : 0; i < own.ranges; i++) {
        struct own_range *r = &own.range[i];
        own.looks++;
        most = r->end > most ? r->end : most;
        if (r->furthest == most)
            return;
        r->furthest = most;
    }
}

static void own_drop(uint64_t address)
{
    size_t at = own_before(address);
    if (at == own.ranges || own.range[at].begin != address)
        return;
    memmove(own.range + at, own.range + at + 1, (--own.ranges - at) * sizeof *own.range);
    own_extend(at);
}

static void own_add(uint64_t address, uint64_t bytes)
{
    if (!address || !bytes)
        return;
    own_drop(address);
    size_t at = own_before(address);
    struct own_range added = { .begin = address, .end = bytes < UINT64_MAX - address ? address + bytes : UINT64_MAX };
    NCS_PUSH(own.range, own.ranges, own.room, added);
    memmove(own.range + at + 1, own.range + at, (own.ranges - 1 - at) * sizeof *own.range);
    own.range[at] = added;
    own_extend(at);
}

size_t own_looks(void)
{
    return own.looks;
}

/* The bytes of the memory that a call has made; 0 = it does not say so. */
static uint64_t own_made(const struct ncs_carry_call *c)
{
    const struct ncs_fn_info *info = c->info;
    size_t bytes = 0;
    uint64_t all = 0;
    int pitch = info->at[NCS_ARG_BYTES_OUT], height = info->at[NCS_ARG_HEIGHT], from = info->at[NCS_ARG_IN];
    const size_t *row = pitch ? ncs_carry_memory_of(c, pitch - 1, &bytes) : NULL;
    if (row && height)
        return __builtin_mul_overflow((uint64_t)*row, c->arg[height - 1].u, &all) ? 0 : all;
    if (info->at[NCS_ARG_BYTES])
        return c->arg[info->at[NCS_ARG_BYTES] - 1].u;
    return from ? own_behind(c->arg[from - 1].u) : 0; /* the device's address of such memory */
}

static void own_note_result(const struct ncs_carry_call *c, const struct ncs_carry_memory *m)
{
    enum ncs_kind kind = c->info->arg[m->at].kind;
    const uint64_t *value = m->memory;
    for (size_t i = 0; i < m->room / sizeof *value && ncs_kind_info[kind].handles; i++) {
        if (kind == NCS_ARG_MEMORY_OUT)
            own_add(value[i], own_made(c));
        else
            ncs_map_put_number(&own.handles, value[i], 1);
    }
}

void own_note_results(const struct ncs_carry_call *c)
{
    int memory = c->info->at[NCS_ARG_MEMORY];
    pthread_mutex_lock(&own.lock);
    for (size_t i = 0; i < c->memories; i++)
        if (c->memory[i].back)
            own_note_result(c, &c->memory[i]);
    if (memory && c->info->frees != NCS_RESOURCE_NONE)
        own_drop(c->arg[memory - 1].u);
    pthread_mutex_unlock(&own.lock);
}

void own_note_handle(const void *handle)
{
    pthread_mutex_lock(&own.lock);
    ncs_map_put_number(&own.handles, ncs_map_key(handle), 1);
    pthread_mutex_unlock(&own.lock);
}

bool own_has(const void *p, size_t bytes)
{
    pthread_mutex_lock(&own.lock);
    uint64_t behind = own_behind((uintptr_t)p);
    bool at_end = bytes == 0 && own_behind((uintptr_t)p - 1) > 0;
    pthread_mutex_unlock(&own.lock);
    return at_end || (behind > 0 && bytes <= behind);
}

static bool own_has_handle(const void *handle)
{
    pthread_mutex_lock(&own.lock);
    bool has = ncs_map_number(&own.handles, ncs_map_key(handle)) != 0;
    pthread_mutex_unlock(&own.lock);
    return has;
}

/* Another process's, whose size is not known here: CUDA looks after it, and it is no memory of this host. */
static bool own_is_device(const void *p)
{
    struct cudaPointerAttributes at = { 0 };
    return own.api->cudaPointerGetAttributes && own.api->cudaPointerGetAttributes(&at, p) == cudaSuccess &&
           at.type == cudaMemoryTypeDevice;
}

/* The bytes that a call uses at an address, at least: a rank that is not the root may not use its memory at all. */
static size_t own_used(const struct ncs_carry_call *c, size_t bytes)
{
    const struct ncs_fn_info *info = c->info;
    int count = info->at[NCS_ARG_COUNT], dtype = info->at[NCS_ARG_DTYPE], all = info->at[NCS_ARG_BYTES];
    size_t used = 0;
    if (bytes)
        return bytes;
    if (all)
        return c->arg[all - 1].u;
    if (!count || !dtype || info->at[NCS_ARG_ROOT])
        return 0;
    size_t each = ncs_dtype_bytes((int)c->arg[dtype - 1].i);
    return __builtin_mul_overflow((size_t)c->arg[count - 1].u, each, &used) ? SIZE_MAX : used;
}

bool own_allows(const struct ncs_carry_call *c, int at, size_t bytes)
{
    enum ncs_kind kind = c->info->arg[at].kind;
    const void *p = c->arg[at].p;
    if (ncs_kind_info[kind].handle)
        return far_is_number(p) || own_has_handle(p);
    return own_has(p, ncs_carry_is_address(kind) ? own_used(c, bytes) : bytes) ||
           (ncs_carry_is_address(kind) && own_is_device(p));
}
