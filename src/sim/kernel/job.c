#include "sim/kernel/job.h"

#include "api/journal.h"
#include "base/mem.h"
#include "sim/kernel/above.h"
#include "sim/kernel/agenda.h"
#include "sim/kernel/context.h"
#include "sim/kernel/list.h"
#include "sim/kernel/world.h"

struct job *job_new(const struct job_type *type)
{
    struct job *job = sim_new(type->bytes);
    job->type = type;
    job->references = 1;
    job->rank = ncs_local ? ncs_local->rank : -1;
    job->process = context_self() ? context_self()->process : NULL;
    job->call = ncs_local ? ncs_local->call : NULL;
    ncs_call_pin(job->call);
    job->listen.job = job;
    return job;
}

struct job *job_about(const struct job_type *type, struct comm_rank *cr)
{
    struct job *job = job_new(type);
    job->about = cr;
    comm_hold(cr);
    return job;
}

void job_start(struct job *job)
{
    struct world *w = &sim_world;
    job->started = true;
    job_ref(job);
    LIST_APPEND(w->job_first, w->job_last, job);
    job_mark(job);
}

void job_ref(struct job *job)
{
    job->references++;
}

void job_unref(struct job *job)
{
    if (!job || --job->references > 0)
        return;
    if (job->type->free)
        job->type->free(job);
    comm_let_go(job->about);
    ncs_call_unpin(job->call);
    sim_free(job, job->type->bytes);
}

void job_mark(struct job *job)
{
    struct world *w = &sim_world;
    if (job->dirty || job->done)
        return;
    job->dirty = true;
    QUEUE_APPEND(w->dirty_first, w->dirty_last, job, next_dirty);
    job_ref(job);
}

static void leave_world(struct job *job)
{
    struct world *w = &sim_world;
    LIST_REMOVE(w->job_first, w->job_last, job);
    job_unref(job);
}

static void finish(struct job *job)
{
    job->done = true;
    waiter_unlink(&job->listen);
    agenda_forget(&job->agenda_place);
    world_changed();
    waitable_fire(&job->ended);
    if (job->parent)
        job_mark(job->parent);
    if (job->started)
        leave_world(job);
}

bool jobs_step(void)
{
    struct world *w = &sim_world;
    bool any = false;
    struct job *job;
    while ((job = w->dirty_first)) {
        QUEUE_TAKE(w->dirty_first, w->dirty_last, next_dirty);
        job->dirty = false;
        any = true;
        if (!job->done && job->type->step(job) && !job->done)
            finish(job);
        job_unref(job);
    }
    return any;
}

void job_cancel(struct job *job, int rc)
{
    if (job->done)
        return;
    job->rc = rc;
    if (job->type->cancel)
        job->type->cancel(job);
    finish(job);
}

void job_listen(struct job *job, struct waitable *on)
{
    waiter_unlink(&job->listen);
    waiter_link(&job->listen, on);
}

void job_at(struct job *job, int64_t time)
{
    agenda_forget(&job->agenda_place);
    agenda_add(time, EVENT_JOB, job, 0, &job->agenda_place);
}

int job_wait(struct context *c, struct job *job)
{
    if (job->done) {
        int rc = job->rc;
        job_unref(job);
        return rc;
    }
    wait_for(c, NCS_WAIT_JOB, job, &job->ended);
    job_unref(job);
    return wait_here(c, -1) == WAIT_CANCELLED ? 0 : c->wait.rc;
}
