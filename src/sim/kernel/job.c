#include "sim/kernel/job.h"

#include "api/journal.h"
#include "base/mem.h"
#include "sim/kernel/above.h"
#include "sim/kernel/agenda.h"
#include "sim/kernel/context.h"
#include "sim/kernel/list.h"
#include "sim/kernel/world.h"

struct job *sim_job_new(const struct job_type *type)
{
    struct job *job = sim_new(type->bytes);
    job->type = type;
    job->references = 1;
    job->rank = ncs_local ? ncs_local->rank : -1;
    job->process = sim_context_self() ? sim_context_self()->process : NULL;
    job->call = ncs_local ? ncs_local->call : NULL;
    ncs_call_pin(job->call);
    job->listen.job = job;
    return job;
}

struct job *sim_job_about(const struct job_type *type, struct comm_rank *cr)
{
    struct job *job = sim_job_new(type);
    job->about = cr;
    sim_comm_hold(cr);
    return job;
}

void sim_job_start(struct job *job)
{
    struct world *w = &sim_world;
    job->started = true;
    sim_job_ref(job);
    LIST_APPEND(w->job_first, w->job_last, job);
    sim_job_mark(job);
}

void sim_job_ref(struct job *job)
{
    job->references++;
}

void sim_job_unref(struct job *job)
{
    if (!job || --job->references > 0)
        return;
    if (job->type->free)
        job->type->free(job);
    sim_comm_let_go(job->about);
    ncs_call_unpin(job->call);
    sim_free(job, job->type->bytes);
}

void sim_job_mark(struct job *job)
{
    struct world *w = &sim_world;
    if (job->dirty || job->done)
        return;
    job->dirty = true;
    QUEUE_APPEND(w->dirty_first, w->dirty_last, job, next_dirty);
    sim_job_ref(job);
}

static void leave_world(struct job *job)
{
    struct world *w = &sim_world;
    LIST_REMOVE(w->job_first, w->job_last, job);
    sim_job_unref(job);
}

static void job_finish(struct job *job)
{
    job->done = true;
    sim_waiter_unlink(&job->listen);
    sim_agenda_forget(&job->agenda_place);
    sim_world_changed();
    sim_waitable_fire(&job->ended);
    if (job->parent)
        sim_job_mark(job->parent);
    if (job->started)
        leave_world(job);
}

bool sim_jobs_step(void)
{
    struct world *w = &sim_world;
    bool any = false;
    struct job *job;
    while ((job = w->dirty_first)) {
        QUEUE_TAKE(w->dirty_first, w->dirty_last, next_dirty);
        job->dirty = false;
        any = true;
        w->acting = job->process;
        if (!job->done && job->type->step(job) && !job->done)
            job_finish(job);
        w->acting = NULL;
        sim_job_unref(job);
    }
    return any;
}

void sim_job_cancel(struct job *job, int rc)
{
    if (job->done)
        return;
    job->rc = rc;
    if (job->type->cancel)
        job->type->cancel(job);
    job_finish(job);
}

void sim_job_listen(struct job *job, struct waitable *on)
{
    sim_waiter_unlink(&job->listen);
    sim_waiter_link(&job->listen, on);
}

void sim_job_at(struct job *job, int64_t time)
{
    sim_agenda_forget(&job->agenda_place);
    sim_agenda_add(time, EVENT_JOB, job, 0, &job->agenda_place);
}

int sim_job_wait(struct context *c, struct job *job)
{
    if (job->done) {
        int rc = job->rc;
        sim_job_unref(job);
        return rc;
    }
    sim_wait_for(c, NCS_WAIT_JOB, job, &job->ended);
    sim_job_unref(job);
    return sim_wait(c, -1) == WAIT_CANCELLED ? 0 : c->wait.rc;
}
