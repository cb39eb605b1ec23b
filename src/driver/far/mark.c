/* Handles and addresses of other processes. */
#include <pthread.h>

#include "base/map.h"
#include "base/mem.h"
#include "driver/far/pack.h"

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
