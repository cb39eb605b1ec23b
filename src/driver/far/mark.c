/* Handles and addresses of other processes, and calls that have them. */
#include <pthread.h>

#include "base/map.h"
#include "base/mem.h"
#include "driver/far/message.h"

/* A marked value has the process's number in bits 52 to 62. Addresses have at most 51 bits (x86-64: 47, arm64: 48, CUDA: 49). What has
 * more bits is no address (handles of the drop-in libraries): such a value is kept here, and its number is marked, with bit 51. */
#define MARK_SHIFT 52
#define MARK_KEPT (UINT64_C(1) << 51)
#define MARK_OWN ((UINT64_C(1) << MARK_SHIFT) - 1)
#define MARK_HIGHEST (UINT64_C(1) << 63)
#define MARK_NUMBERS 16 /* cudaStreamLegacy, cudaStreamPerThread */

static struct {
    pthread_mutex_t lock; /* guards what follows */
    uint64_t *value;
    size_t count, room;
    struct ncs_map number; /* by value: its place in `value`, from 1 */
} mark = { .lock = PTHREAD_MUTEX_INITIALIZER };

static uint64_t mark_keep(uint64_t value)
{
    pthread_mutex_lock(&mark.lock);
    size_t number = ncs_map_number(&mark.number, value);
    if (number == 0) {
        NCS_PUSH(mark.value, mark.count, mark.room, value);
        number = mark.count;
        ncs_map_put_number(&mark.number, value, number);
    }
    pthread_mutex_unlock(&mark.lock);
    return MARK_KEPT | number;
}

static uint64_t mark_kept(uint64_t number)
{
    pthread_mutex_lock(&mark.lock);
    uint64_t value = number >= 1 && number <= mark.count ? mark.value[number - 1] : 0;
    pthread_mutex_unlock(&mark.lock);
    return value;
}

bool far_is_number(const void *p)
{
    return (uintptr_t)p < MARK_NUMBERS;
}

const void *far_mark(const void *p, int process)
{
    uint64_t value = (uintptr_t)p;
    if (far_is_number(p))
        return p;
    uint64_t own = value < MARK_KEPT ? value : mark_keep(value);
    return (const void *)(uintptr_t)(own | (uint64_t)process << MARK_SHIFT);
}

const void *far_unmark(const void *p)
{
    uint64_t own = (uintptr_t)p & MARK_OWN;
    return (const void *)(uintptr_t)(own & MARK_KEPT ? mark_kept(own & ~MARK_KEPT) : own);
}

int far_process_of(const void *p)
{
    uint64_t value = (uintptr_t)p;
    return value & MARK_HIGHEST ? 0 : (int)(value >> MARK_SHIFT);
}

/* ---- calls ---- */

static bool mark_is_own(const void *p)
{
    return far_process_of(p) == 0;
}

static void mark_results(int process, enum ncs_kind kind, void *memory, size_t bytes)
{
    const void **handle = memory;
    struct cudaPointerAttributes *attributes = memory;
    for (size_t i = 0; ncs_kind_info[kind].handles && i < bytes / sizeof *handle; i++)
        handle[i] = far_mark(handle[i], process);
    if (kind == NCS_ARG_POINTER_OUT && bytes >= sizeof *attributes) {
        attributes->devicePointer = (void *)far_mark(attributes->devicePointer, process);
        attributes->hostPointer = (void *)far_mark(attributes->hostPointer, process);
    }
}

/* Memory of the leader that a copy uses. Bytes between the rows of a copy stay. */
static bool mark_add_copied(struct ncs_str *out, enum ncs_fn fn, const union ncs_arg *arg, int at)
{
    size_t bytes = ncs_carry_copied(fn, arg, at);
    bool written = ncs_fn_info[fn].arg[at].kind == NCS_ARG_OUT, rows = ncs_fn_info[fn].at[NCS_ARG_HEIGHT] != 0;
    struct ncs_carry_item item = { .at = (uint32_t)at, .back = written, .bytes = written && !rows ? 0 : bytes, .room = bytes };
    if (bytes > 2 * FAR_CHUNK)
        return false;
    ncs_carry_add_item(out, &item, arg[at].p);
    return true;
}

/* Devices of other hosts do not reach the leader's memory, except by copies. */
static enum ncs_carry_seen mark_see(int process, struct ncs_str *out, enum ncs_fn fn, union ncs_arg *arg, int at)
{
    enum ncs_kind kind = ncs_fn_info[fn].arg[at].kind;
    int of = far_process_of(arg[at].p);
    bool is_address = ncs_carry(fn, arg, at).how == NCS_CARRY_NOT;
    if (is_address && far_is_number(arg[at].p))
        return NCS_CARRY_SEEN;
    if (of != 0) {
        arg[at].p = far_unmark(arg[at].p);
        return of == process ? NCS_CARRY_SEEN : NCS_CARRY_REFUSED;
    }
    if (!is_address)
        return NCS_CARRY_MEMORY;
    if (ncs_kind_info[kind].handle || !ncs_carry_is_copy(fn, kind))
        return NCS_CARRY_REFUSED;
    bool fine = ncs_carry_copied(fn, arg, at) == 0 || mark_add_copied(out, fn, arg, at);
    return fine ? NCS_CARRY_SEEN : NCS_CARRY_REFUSED;
}

struct ncs_carry_view far_view(int process)
{
    return (struct ncs_carry_view){ .self = process, .see = mark_see, .is_own = mark_is_own, .mark = mark_results };
}
