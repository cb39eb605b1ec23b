#include "sim/kernel/turn.h"

#include <pthread.h>
#include <time.h>

#include "api/local.h"
#include "base/hash.h"
#include "base/thread.h"
#include "sim/kernel/context.h"
#include "sim/kernel/progress.h"

/* A thread that has left a call is waited for so long: it may come again at once. */
#define RECENT_NS ((int64_t)1000000)
/* One that has made no call for longer may wait for another in the program's own code, and come with the next call of that
 * one: a thread at the door waits so long for it, */
#define GRACE_NS ((int64_t)300000)
/* unless it has made no call for so long. */
#define IDLE_NS ((int64_t)100000000)

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool drawn;
    uint64_t seed;
    struct context *first; /* contexts from outside are never freed */
} turns = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

void sim_turns_begin(uint64_t seed)
{
    turns.drawn = true;
    turns.seed = seed;
}

/* The thread's name in the program: its rank, once it has one. */
static uint64_t turn_key(const struct context *c)
{
    const struct ncs_local *local = c->options.local;
    return !local ? 0 : local->named ? (uint64_t)local->rank : UINT64_C(1) << 32 | (uint64_t)local->thread;
}

/* The time until which `self` waits for the other thread; in the past: not at all. */
static int64_t turn_waits_until(const struct turn *self, const struct turn *other, int64_t now)
{
    if (other->waits)
        return 0;
    if (other->at_door)
        return other->priority < self->priority ? now + RECENT_NS : 0;
    int64_t recent = other->left + RECENT_NS, grace = self->came + GRACE_NS;
    return grace > recent && other->left + IDLE_NS > now ? grace : recent;
}

/* Sets *until to the time at which to look again. */
static bool turn_has_come(const struct context *self, int64_t now, int64_t *until)
{
    *until = INT64_MAX;
    for (const struct context *c = turns.first; c; c = c->turn.next) {
        int64_t other = c == self ? 0 : turn_waits_until(&self->turn, &c->turn, now);
        if (other > now && other < *until)
            *until = other;
    }
    return *until == INT64_MAX;
}

static void turn_sleep(int64_t now, int64_t until)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    int64_t ns = at.tv_nsec + (until - now);
    at.tv_sec += ns / 1000000000;
    at.tv_nsec = ns % 1000000000;
    pthread_cond_timedwait(&turns.changed, &turns.lock, &at);
}

void sim_turn_take(struct context *c)
{
    if (!turns.drawn || !c)
        return;
    struct turn *t = &c->turn;
    pthread_mutex_lock(&turns.lock);
    if (!t->registered) {
        t->next = turns.first;
        turns.first = c;
        t->registered = true;
    }
    t->priority = ncs_hash(ncs_hash(turns.seed, turn_key(c)), ++t->calls);
    t->at_door = true;
    t->came = ncs_clock();
    pthread_cond_broadcast(&turns.changed);
    for (int64_t now, until; now = ncs_clock(), !turn_has_come(c, now, &until);)
        turn_sleep(now, until);
    t->at_door = false;
    t->left = ncs_clock(); /* it is in a call: the next one waits until it has left, or waits */
    pthread_mutex_unlock(&turns.lock);
}

static void turn_set(struct context *c, bool waits)
{
    if (!turns.drawn || !c)
        return;
    pthread_mutex_lock(&turns.lock);
    c->turn.left = ncs_clock();
    c->turn.waits = waits;
    pthread_cond_broadcast(&turns.changed);
    pthread_mutex_unlock(&turns.lock);
}

void sim_turn_left(struct context *c)
{
    turn_set(c, false);
}

void sim_turn_waits(struct context *c, bool waits)
{
    turn_set(c, waits);
}
