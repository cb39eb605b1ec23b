#include "sim/kernel/sched.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/kernel/above.h"
#include "sim/kernel/agenda.h"
#include "sim/kernel/foreign.h"
#include "sim/kernel/job.h"
#include "sim/kernel/list.h"
#include "sim/kernel/world.h"

/* Livelock (sim/README.md, rule 5): polls in vain of each poller, sleeps in one epoch, and the time that
 * must have passed without any change. */
#define POLLS_IN_VAIN 10000
#define POLLS_IN_VAIN_MANY 1000
#define MANY_CONTEXTS 256
#define LIVELOCK_HORIZON ((int64_t)6 * 3600 * 1000000000)
/* Enough instead, if no poller has looked at the clock in the epoch, and nothing but their sleeps is due. */
#define POLLS_ENOUGH 36000
#define LIVELOCK_HORIZON_LEAST ((int64_t)360 * 1000000000)
#define POLL_STEP_LEAST 1000

void sim_context_ready(struct context *c)
{
    c->state = CONTEXT_READY;
    if (sim_world.options.foreign) {
        sim_foreign_wake(c);
        return;
    }
    QUEUE_APPEND(sim_world.ready.first, sim_world.ready.last, c, next);
}

static size_t ready_count(void)
{
    size_t n = 0;
    for (const struct context *c = sim_world.ready.first; c; c = c->next)
        n++;
    return n;
}

static struct context *take_ready(void)
{
    struct queue *q = &sim_world.ready;
    size_t pick = sim_world.choices.asked ? sim_choose(CHOOSE_CONTEXT, ready_count()) : 0;
    struct context *previous = NULL, *c = q->first;
    for (; pick > 0; pick--) {
        previous = c;
        c = c->next;
    }
    if (previous)
        previous->next = c->next;
    else
        q->first = c->next;
    if (q->last == c)
        q->last = previous;
    c->next = NULL;
    return c;
}

/* Operations start and jobs take steps until nothing changes. No time passes. */
static void drain(void)
{
    while (sim_ops_activate() || sim_kernel_slots_grant() || sim_jobs_step())
        continue;
}

static int by_parking(const void *a, const void *b)
{
    const struct context *x = *(struct context *const *)a, *y = *(struct context *const *)b;
    return x->wait.serial < y->wait.serial ? -1 : x->wait.serial > y->wait.serial;
}

static void wake_pollers(bool fruitless)
{
    struct context *c = sim_world.polling.first;
    sim_world.polling.first = sim_world.polling.last = NULL;
    while (c) {
        struct context *next = c->next;
        c->fruitless += fruitless;
        sim_context_ready(c);
        c = next;
    }
}

static void wake(void)
{
    struct world *w = &sim_world;
    size_t sorted = 1;
    while (sorted < w->wokens && by_parking(&w->woken[sorted - 1], &w->woken[sorted]) < 0)
        sorted++;
    if (sorted < w->wokens)
        qsort(w->woken, w->wokens, sizeof *w->woken, by_parking);
    for (size_t i = 0; i < w->wokens; i++)
        if (w->woken[i]->state == CONTEXT_PARKED)
            sim_context_ready(w->woken[i]);
    w->wokens = 0;
    if (w->polling.first && w->polling.first->poll_epoch != w->epoch)
        wake_pollers(false);
}

/* How far a fruitless poll moves the clock (sim/README.md, rule 5). Pollers that sleep between polls
 * move it by their sleep. */
static int64_t poll_step(void)
{
    for (const struct context *c = sim_world.polling.first; c; c = c->next)
        if (!c->slept) {
            int64_t eighth = (sim_world.now - sim_world.epoch_time) / 8;
            if (eighth > LIVELOCK_HORIZON)
                eighth = LIVELOCK_HORIZON;
            return eighth > POLL_STEP_LEAST ? eighth : POLL_STEP_LEAST;
        }
    return 0;
}

static bool is_livelock(void)
{
    const struct world *w = &sim_world;
    int64_t still = w->now - w->epoch_time;
    if (w->device_events > 0 || still < LIVELOCK_HORIZON_LEAST)
        return false;
    bool early = still < LIVELOCK_HORIZON, somebody = false;
    size_t sleepers = 0;
    uint64_t vain = early ? POLLS_ENOUGH : w->live > MANY_CONTEXTS ? POLLS_IN_VAIN_MANY : POLLS_IN_VAIN;
    for (size_t i = 0; i < w->contexts; i++) {
        const struct context *c = w->context[i];
        if (c->state == CONTEXT_ENDED || c->state == CONTEXT_IDLE)
            continue;
        sleepers += c->state == CONTEXT_PARKED && c->wait.deadline >= 0;
        bool current = c->idle_epoch == w->epoch && !(early && c->timed);
        if (current && (c->fruitless >= vain || (!early && c->sleeps >= SLEEPS_IN_VAIN)))
            somebody = true;
        else if (c->state != CONTEXT_PARKED || c->wait.deadline >= 0)
            return false;
    }
    return somebody && (!early || w->agenda_count == sleepers);
}

static void fire(void)
{
    struct event_entry due = sim_agenda_take();
    sim_agenda_trace(due.time, due.kind);
    switch (due.kind) {
    case EVENT_OP: sim_op_due(due.object); break;
    case EVENT_MEETING:
        if (sim_meeting_move(due.object))
            sim_agenda_put_back(due);
        break;
    case EVENT_RMA: sim_rma_move(due.object); break;
    case EVENT_DEADLINE: {
        struct context *c = due.object;
        c->wait.expired = true;
        NCS_PUSH(sim_world.woken, sim_world.wokens, sim_world.wokens_room, c);
        break;
    }
    case EVENT_JOB: sim_job_mark(due.object); break;
    }
}

static struct context *schedule_stop(enum ncs_stop how)
{
    sim_world.stop = how;
    return &sim_world.runner;
}

/* True if one more event is allowed. */
static bool allow(void)
{
    struct world *w = &sim_world;
    if (w->holds && w->allowed == 0)
        return false;
    w->allowed -= w->holds;
    return true;
}

/* No context is ready: moves the clock to the next entry of the agenda, or to the next poll. */
static void pass_time(const struct event_entry *due)
{
    struct world *w = &sim_world;
    int64_t to = INT64_MAX;
    if (due)
        to = due->time;
    if (w->polling.first && sim_world_later(poll_step()) < to)
        to = sim_world_later(poll_step());
    assert(to >= w->now);
    w->now = to;
    uint64_t epoch = w->epoch;
    while ((due = sim_agenda_peek()) && due->time <= w->now) {
        fire();
        if (w->epoch != epoch || w->wokens > 0 || w->holds)
            break; /* whoever woke up goes first */
    }
    if (w->epoch == epoch && w->polling.first)
        wake_pollers(true);
}

struct context *sim_schedule(void)
{
    struct world *w = &sim_world;
    for (;;) {
        drain();
        wake();
        if (w->interrupted && !w->closing)
            return schedule_stop(NCS_STOP_INTERRUPTED);
        if (w->options.step_limit && w->steps >= w->options.step_limit)
            return schedule_stop(NCS_STOP_BUDGET);
        w->steps++;
        const struct event_entry *due = sim_agenda_peek();
        if (w->ready.first) {
            if (due && due->time <= w->now && sim_choose(CHOOSE_EARLY, 2) == 1) {
                fire();
                continue;
            }
            struct context *c = take_ready();
            sim_world_trace((uint64_t)c->id);
            return c;
        }
        if (!due && !w->polling.first)
            return schedule_stop(w->live == 0 ? NCS_STOP_DONE : NCS_STOP_QUIET);
        if (!allow())
            return schedule_stop(NCS_STOP_HELD);
        pass_time(due);
        if (is_livelock())
            return schedule_stop(NCS_STOP_LIVELOCK);
    }
}

void sim_schedule_due(int64_t now)
{
    struct world *w = &sim_world;
    if (now > w->now)
        w->now = now;
    for (;;) {
        drain();
        wake();
        const struct event_entry *due = sim_agenda_peek();
        bool timer = due && (due->kind == EVENT_DEADLINE || due->kind == EVENT_JOB);
        if (!due || (timer && due->time > w->now))
            return;
        if (due->time > w->now)
            w->now = due->time;
        fire();
    }
}

void sim_switch_away(struct context *c)
{
    if (sim_world.options.foreign) {
        sim_foreign_wait(c);
    } else {
        struct context *next = sim_schedule();
        if (next != c)
            sim_context_transfer(c, next);
    }
    sim_world.running = c;
    c->state = CONTEXT_RUNNING;
}
