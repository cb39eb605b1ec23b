#define _GNU_SOURCE /* the initialiser of an adaptive mutex */
#include "sim/foreign.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "sim/agenda.h"
#include "sim/context.h"
#include "sim/memory.h"
#include "sim/sched.h"
#include "sim/stream.h"
#include "sim/world.h"

/* A thread that waits looks up this often. */
#define LOOK_NS ((int64_t)20 * 1000000)
#define YIELDS 1 /* more of them lose to other programs' work */
#define LOOK_NS_MOST ((int64_t)320 * 1000000)

/* So many threads are woken after the token is given back; further ones before. */
#define WAKE_LATE 32

void (*foreign_idle)(int64_t idle);

/* Held for microseconds: worth a short spin. */
static pthread_mutex_t token = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static atomic_int at_door;
static int64_t started;
static uint64_t entries;      /* calls entered, and waits that ended */
static uint64_t entries_seen; /* at the look before */
static int64_t quiet_since;   /* real ns */
static struct context **woken;
static size_t wokens, wokens_room;

static int64_t real_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void take(void)
{
    atomic_fetch_add(&at_door, 1);
    pthread_mutex_lock(&token);
    atomic_fetch_sub(&at_door, 1);
}

/* Contexts are never freed, so they can be woken without the token: then none wakes up only to wait
 * for it. */
static void give(void)
{
    struct context *late[WAKE_LATE];
    size_t count = wokens;
    for (size_t i = 0; i < count; i++)
        if (i < WAKE_LATE)
            late[i] = woken[i];
        else
            sem_post(&woken[i]->token);
    wokens = 0;
    pthread_mutex_unlock(&token);
    for (size_t i = 0; i < count && i < WAKE_LATE; i++)
        sem_post(&late[i]->token);
}

void foreign_wake(struct context *c)
{
    NCS_PUSH(woken, wokens, wokens_room, c);
}

static void advance(void)
{
    int64_t now = real_now();
    if (!started)
        started = now;
    schedule_free(now - started);
}

/* What has come to be due since the clock was looked at. */
static void settle(void)
{
    schedule_free(sim_world.now);
}

void foreign_enter(struct ncs_local *local)
{
    take();
    if (!context_self())
        context_attach(local);
    entries++;
    advance();
}

void foreign_leave(void)
{
    if (sim_world.foreign_waits > 0)
        settle(); /* what this call has completed is done for those who wait */
    give();
}

bool foreign_is_attached(void)
{
    return context_self() != NULL;
}

void foreign_detach(void)
{
    if (!context_self())
        return;
    take();
    context_detach();
    entries++;
    give();
}

void foreign_let_go(void)
{
    if (sim_world.options.foreign)
        give();
}

void foreign_take_back(void)
{
    if (!sim_world.options.foreign)
        return;
    take();
    entries++;
    advance();
}

/* Who is a moment early has others run first: a yield costs less than to sleep and be woken. */
static bool yield_outside(struct context *c)
{
    for (int i = 0; i < YIELDS; i++) {
        if (sem_trywait(&c->token) == 0)
            return true;
        sched_yield();
    }
    return false;
}

/* True when it was woken. */
static bool sleep_outside(struct context *c, int64_t nanoseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)nanoseconds;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    give();
    int rc = 0;
    while (!yield_outside(c) && (rc = sem_timedwait(&c->token, &until)) != 0 && errno == EINTR)
        continue;
    pthread_mutex_lock(&token); /* not by the door: it waits on until it is READY */
    return rc == 0;
}

static void look(void)
{
    int64_t now = real_now();
    if (entries != entries_seen || !foreign_is_stuck()) {
        entries_seen = entries;
        quiet_since = now;
    } else if (foreign_idle) {
        foreign_idle(now - quiet_since);
    }
}

void foreign_wait(struct context *c)
{
    settle();
    int64_t slice = LOOK_NS;
    bool counted = c->state != CONTEXT_IDLE;
    sim_world.foreign_waits += counted;
    while (c->state != CONTEXT_READY) {
        if (sleep_outside(c, slice))
            continue;
        advance();
        if (counted && c->state != CONTEXT_READY)
            look();
        slice = slice < LOOK_NS_MOST ? slice * 2 : LOOK_NS_MOST;
    }
    sim_world.foreign_waits -= counted;
    entries++;
}

bool foreign_is_waiting(pid_t thread)
{
    for (size_t i = 0; i < sim_world.contexts; i++) {
        const struct context *c = sim_world.context[i];
        if (c->tid == thread && (c->state == CONTEXT_PARKED || c->state == CONTEXT_IDLE))
            return true;
    }
    return false;
}

bool foreign_is_stuck(void)
{
    if (agenda_peek())
        return false;
    for (size_t i = 0; i < sim_world.contexts; i++)
        if (sim_world.context[i]->state == CONTEXT_READY)
            return false;
    return sim_world.foreign_waits > 0;
}

bool foreign_is_entered(void)
{
    return atomic_load(&at_door) > 0;
}

void foreign_stop(enum ncs_stop how)
{
    sim_world.stop = how;
}

void foreign_count_left(struct foreign_left *left)
{
    *left = (struct foreign_left){ .streams = sim_world.streams.count,
                                   .events = sim_world.events.count };
    for (size_t i = 0; i < sim_world.allocations; i++) {
        const struct allocation *a = sim_world.allocation[i];
        if (a->leaving)
            continue;
        bool device = a->kind == MEMORY_DEVICE || a->kind == MEMORY_MANAGED;
        left->device_blocks += device;
        left->pinned_blocks += !device;
        left->device_bytes += device ? a->bytes : 0;
    }
}

int foreign_device_of_memory(const void *p)
{
    const struct allocation *a = p ? memory_find(p) : NULL;
    return a && a->kind == MEMORY_DEVICE ? a->device : -1;
}

int foreign_device_of_stream(cudaStream_t stream)
{
    const struct stream *s = ncs_map_get(&sim_world.streams, ncs_map_key(stream));
    return s ? s->gpu->device : -1;
}

int foreign_device_of_event(cudaEvent_t event)
{
    const struct event *e = ncs_map_get(&sim_world.events, ncs_map_key(event));
    return e ? e->gpu->device : -1;
}

void foreign_fork(bool before)
{
    before ? (void)pthread_mutex_lock(&token) : (void)pthread_mutex_unlock(&token);
}

/* ---- ids ---- */

#define ID_MARK 0x6e6373206d61636bu /* at byte 32 of an id, before the process's own number */

static uint64_t process_mark(void)
{
    static uint64_t mark;
    struct timespec t;
    if (!mark) {
        clock_gettime(CLOCK_REALTIME, &t);
        mark = ncs_hash(ncs_hash((uint64_t)getpid(), (uint64_t)t.tv_sec), (uint64_t)t.tv_nsec) | 1;
    }
    return mark;
}

void foreign_stamp_id(ncclUniqueId *id)
{
    uint64_t word[2] = { ID_MARK, process_mark() };
    if (sim_world.options.foreign)
        memcpy(id->internal + 32, word, sizeof word);
}

bool foreign_id_is_strange(const ncclUniqueId *id)
{
    uint64_t word[2];
    memcpy(word, id->internal + 32, sizeof word);
    return word[0] == ID_MARK && word[1] != process_mark();
}
