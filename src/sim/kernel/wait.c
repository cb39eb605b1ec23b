#include "sim/kernel/wait.h"

#include <assert.h>

#include "base/mem.h"
#include "sim/kernel/above.h"
#include "sim/kernel/agenda.h"
#include "sim/kernel/context.h"
#include "sim/kernel/job.h"
#include "sim/kernel/list.h"
#include "sim/kernel/progress.h"
#include "sim/kernel/sched.h"
#include "sim/kernel/world.h"

void sim_waiter_link(struct waiter *w, struct waitable *on)
{
    assert(!w->on);
    w->on = on;
    LIST_APPEND(on->first, on->last, w);
}

void sim_waiter_unlink(struct waiter *w)
{
    if (!w->on)
        return;
    LIST_REMOVE(w->on->first, w->on->last, w);
    w->on = NULL;
}

void sim_waitable_fire(struct waitable *on)
{
    struct waiter *w;
    while ((w = on->first)) {
        sim_waiter_unlink(w);
        if (w->job)
            sim_job_mark(w->job);
        else if (--w->context->wait.unmet == 0)
            NCS_PUSH(sim_world.woken, sim_world.wokens, sim_world.wokens_room, w->context);
    }
}

static void condition_reference(enum ncs_wait_kind kind, void *object, int step)
{
    if (kind == NCS_WAIT_OP)
        step > 0 ? sim_op_ref(object) : sim_op_unref(object);
    else if (kind == NCS_WAIT_JOB)
        step > 0 ? sim_job_ref(object) : sim_job_unref(object);
}

/* Conditions are linked only when the wait begins: the array may move until then. */
void sim_wait_for(struct context *c, enum ncs_wait_kind kind, void *object, struct waitable *on)
{
    struct wait *w = &c->wait;
    struct condition condition = { .kind = kind, .object = object };
    condition.link.context = c;
    condition.link.on = on;
    condition_reference(kind, object, 1);
    NCS_PUSH(w->condition, w->count, w->room, condition);
}

static void link_conditions(struct wait *w)
{
    for (size_t i = 0; i < w->count; i++) {
        struct waitable *on = w->condition[i].link.on;
        w->condition[i].link.on = NULL;
        sim_waiter_link(&w->condition[i].link, on);
    }
    w->unmet = w->count;
    w->linked = true;
}

static void release_conditions(struct wait *w)
{
    for (size_t i = 0; i < w->count; i++) {
        if (w->linked)
            sim_waiter_unlink(&w->condition[i].link);
        if (w->condition[i].kind == NCS_WAIT_JOB)
            w->rc = ((struct job *)w->condition[i].object)->rc;
        condition_reference(w->condition[i].kind, w->condition[i].object, -1);
    }
    w->count = 0;
    w->linked = false;
    w->deadline = -1;
    w->what = NULL;
    ncs_free(w->key);
    w->key = NULL;
}

void sim_wait_forget(struct context *c)
{
    release_conditions(&c->wait);
}

void sim_wait_drop(struct context *c)
{
    release_conditions(&c->wait);
    ncs_free(c->wait.condition);
    c->wait = (struct wait){ .deadline = -1 };
}

enum wait_result sim_wait(struct context *c, int64_t deadline)
{
    struct wait *w = &c->wait;
    if (c->cancelled) {
        release_conditions(w);
        return WAIT_CANCELLED;
    }
    if (w->count == 0 && deadline < 0)
        return WAIT_MET;
    if (deadline >= 0 && deadline < sim_world.now)
        deadline = sim_world.now;
    w->deadline = deadline;
    w->expired = false;
    w->serial = ++sim_world.parkings;
    link_conditions(w);
    c->state = CONTEXT_PARKED;
    if (deadline >= 0)
        sim_agenda_add(deadline, EVENT_DEADLINE, c, w->serial, NULL);
    sim_switch_away(c);
    bool expired = w->expired && w->unmet > 0;
    bool slept = w->count == 0;
    release_conditions(w);
    w->serial = 0;
    if (c->cancelled)
        return WAIT_CANCELLED;
    return expired || slept ? WAIT_EXPIRED : WAIT_MET;
}

bool sim_poll(struct context *c, bool (*test)(void *arg), void *arg)
{
    if (test(arg))
        return true;
    if (c->cancelled)
        return false;
    if (sim_world.options.foreign) { /* due work was done on entry */
        sim_progress_polled(c, true);
        return false;
    }
    if (c->idle_epoch != sim_world.epoch) {
        c->idle_epoch = sim_world.epoch;
        c->fruitless = c->sleeps = 0;
        c->timed = false;
    }
    c->poll_epoch = sim_world.epoch;
    c->state = CONTEXT_POLLING;
    QUEUE_APPEND(sim_world.polling.first, sim_world.polling.last, c, next);
    sim_switch_away(c);
    c->slept = false;
    return test(arg);
}
