#define _GNU_SOURCE /* the initialiser of an adaptive mutex */
#include "sim/kernel/foreign.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/thread.h"
#include "sim/kernel/above.h"
#include "sim/kernel/context.h"
#include "sim/kernel/progress.h"
#include "sim/kernel/sched.h"
#include "sim/kernel/turn.h"
#include "sim/kernel/world.h"

/* A waiting thread looks up this often. */
#define LOOK_NS ((int64_t)20 * 1000000)
#define YIELDS 1 /* more yields lose time to other programs */
#define LOOK_NS_MOST ((int64_t)320 * 1000000)

/* At most so many threads are woken after the token is given back; the others are woken before. */
#define WAKE_LATE 32

/* Held for microseconds: worth a short spin. */
static pthread_mutex_t token = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static atomic_int at_door;
static int64_t started;
static struct context **woken;
static size_t wokens, wokens_room;

static void token_take(void)
{
    struct context *self = sim_context_self();
    atomic_fetch_add(&at_door, 1);
    if (self)
        atomic_store(&self->knocks, true);
    pthread_mutex_lock(&token);
    if (self)
        atomic_store(&self->knocks, false);
    atomic_fetch_sub(&at_door, 1);
}

/* Wakes threads after giving back the token, so that none wakes up only to wait for it. This is safe
 * because contexts are never freed. */
static void token_give(void)
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

void sim_foreign_wake(struct context *c)
{
    NCS_PUSH(woken, wokens, wokens_room, c);
}

static void token_advance(void)
{
    int64_t now = ncs_clock();
    if (!started)
        started = now;
    sim_schedule_due(now - started);
}

/* Does the work that has become due since the clock was read. */
static void token_settle(void)
{
    sim_schedule_due(sim_world.now);
}

static _Noreturn void foreign_never_return(struct context *c)
{
    for (;;)
        sim_foreign_wait(c); /* nobody makes an ended context ready */
}

void sim_foreign_enter(struct ncs_local *local)
{
    sim_turn_take(sim_context_self());
    token_take();
    if (!sim_context_self()) {
        sim_context_attach(local);
        sim_progress_made();
    }
    if (sim_context_self()->state == CONTEXT_ENDED) /* its process has ended meanwhile */
        foreign_never_return(sim_context_self());
    token_advance();
}

void sim_foreign_leave(void)
{
    sim_progress_ends_call();
    token_settle(); /* threads that wait in calls need the effects of this call, and so do those that look at memory */
    token_give();
    sim_turn_left(sim_context_self());
}

bool sim_foreign_is_attached(void)
{
    return sim_context_self() != NULL;
}

void sim_foreign_in_function(bool runs)
{
    sim_context_self()->in_callback = runs;
}

void sim_foreign_detach(void)
{
    if (!sim_context_self() || sim_context_self()->state == CONTEXT_ENDED)
        return;
    sim_turn_waits(sim_context_self(), true);
    token_take();
    sim_context_detach();
    sim_progress_made();
    token_give();
}

/* Not by the door: a thread there keeps a hang from being certain. */
int64_t sim_foreign_watch(void)
{
    pthread_mutex_lock(&token);
    sim_progress_look();
    return sim_progress_silence();
}

bool sim_foreign_has_threads(void)
{
    return sim_world.contexts > 0;
}

bool sim_foreign_some_wait(void)
{
    return sim_world.foreign_waits > 0;
}

void sim_foreign_unwatch(void)
{
    pthread_mutex_unlock(&token);
}

void sim_foreign_let_go(void)
{
    if (sim_world.options.foreign)
        token_give();
}

void sim_foreign_take_back(void)
{
    if (!sim_world.options.foreign)
        return;
    token_take();
    sim_progress_made();
    token_advance();
}

/* Yields before it sleeps, because that is cheaper if the wake-up is about to come. */
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
    token_give();
    int rc = 0;
    while (!yield_outside(c) && (rc = sem_timedwait(&c->token, &until)) != 0 && errno == EINTR)
        continue;
    pthread_mutex_lock(&token); /* waits on until it is READY, without counting at the door */
    return rc == 0;
}

void sim_foreign_wait(struct context *c)
{
    token_settle();
    int64_t slice = LOOK_NS;
    bool counted = c->state != CONTEXT_IDLE;
    sim_world.foreign_waits += counted;
    sim_turn_waits(c, true);
    while (c->state != CONTEXT_READY) {
        if (sleep_outside(c, slice))
            continue;
        token_advance();
        if (counted && c->state != CONTEXT_READY)
            sim_progress_look();
        slice = slice < LOOK_NS_MOST ? slice * 2 : LOOK_NS_MOST;
    }
    sim_world.foreign_waits -= counted;
    sim_turn_waits(c, false);
    sim_progress_made();
}

_Noreturn void sim_foreign_halt(struct context *c)
{
    c->state = CONTEXT_ENDED;
    sim_world.live--;
    sim_wait_drop(c);
    sim_progress_forget(c);
    sim_world_changed();
    foreign_never_return(c);
}

/* Counts polling threads first: while the token is held, a counted thread cannot leave the door. */
bool sim_foreign_is_entered(int64_t patience)
{
    int polling = 0;
    for (size_t i = 0; i < sim_world.contexts && patience >= 0; i++)
        polling += atomic_load(&sim_world.context[i]->knocks) && sim_progress_keeps_polling(sim_world.context[i], patience);
    return atomic_load(&at_door) > polling;
}

void sim_foreign_stop(enum ncs_stop how)
{
    sim_world.stop = how;
}

void sim_foreign_new_process(int number, pid_t pid, int device, const char *variables)
{
    pthread_mutex_lock(&token);
    struct process *p = sim_world_process(number);
    p->pid = pid;
    p->first_device = device;
    sim_settings_adopt(p, variables);
    pthread_mutex_unlock(&token);
}

void sim_foreign_end_process(int number, const char *why)
{
    pthread_mutex_lock(&token);
    struct process *p = sim_world_process(number);
    for (size_t i = 0; i < sim_world.contexts; i++) {
        struct context *c = sim_world.context[i];
        if (c->process != p || c->state == CONTEXT_ENDED)
            continue;
        sim_world.foreign_waits -= c->state == CONTEXT_PARKED && c->tid; /* its thread waits on, and counts no more */
        ncs_free(c->message);
        c->message = why ? ncs_copy_text(why) : NULL;
        c->ending = why ? NCS_END_KILLED : NCS_END_RETURNED;
    }
    sim_process_stop(p, NULL);
    sim_progress_made();
    pthread_mutex_unlock(&token);
}

void sim_foreign_fork(bool before)
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

void sim_foreign_stamp_id(ncclUniqueId *id)
{
    uint64_t word[2] = { ID_MARK, process_mark() };
    if (sim_world.options.foreign)
        memcpy(id->internal + 32, word, sizeof word);
}

bool sim_foreign_id_is_strange(const ncclUniqueId *id)
{
    uint64_t word[2];
    memcpy(word, id->internal + 32, sizeof word);
    return word[0] == ID_MARK && word[1] != process_mark();
}
