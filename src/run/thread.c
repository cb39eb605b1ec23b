/* Further threads of a rank, and a thread's use of the clock. */
#include "base/mem.h"
#include "run/private.h"

struct ncs_thread {
    struct ncs_run *run;
    struct ncs_local local;
    void (*main)(void *arg);
    void *arg;
    bool done;
    struct ncs_gate *gate; /* NULL until somebody joins */
    char *text;            /* "thread 1 of rank 0"; with the gate */
    struct ncs_thread *next;
};

static void thread_enter(void *arg)
{
    struct ncs_thread *t = arg;
    t->main(t->arg);
    ncs_run_thread_over(t->run);
    t->done = true;
    if (t->gate)
        t->run->machine->gate_wake(t->gate);
}

struct ncs_thread *ncs_run_spawn(struct ncs_run *run, void (*main)(void *arg), void *arg, struct ncs_error *err)
{
    struct run_rank *rank = &run->rank[ncs_local->rank];
    struct ncs_thread *t = ncs_new(sizeof *t);
    t->run = run;
    t->local.rank = ncs_local->rank;
    t->local.thread = rank->threads + 1;
    t->local.journals_waits = ncs_local->journals_waits = true;
    t->local.heard = run->journal->calls;
    t->main = main;
    t->arg = arg;
    struct ncs_context_options options = {
        .process = t->local.rank,
        .local = &t->local,
        .main = thread_enter,
        .arg = t,
    };
    if (!run->machine->spawn(&options, err)) {
        ncs_free(t);
        return NULL;
    }
    ncs_journal_host(run->journal, NCS_HOST_SPAWN, NULL, t->local.thread);
    rank->threads++;
    t->next = run->threads;
    run->threads = t;
    return t;
}

bool ncs_thread_join(struct ncs_run *run, struct ncs_thread *t)
{
    const struct ncs_machine *m = run->machine;
    if (!t->done && !t->gate) {
        struct ncs_str text = { 0 };
        ncs_str_addf(&text, "thread %d of rank %d", t->local.thread, t->local.rank);
        t->text = ncs_str_take(&text);
        t->gate = m->gate_new();
    }
    bool woken = true;
    if (!t->done)
        ncs_run_before_wait(run);
    while (!t->done && woken)
        woken = ncs_run_gate_wait(run, t->gate, -1, &(struct run_gate_what){ "join", t->text, t->local.rank, t->local.thread });
    ncs_journal_heard(run->journal);
    ncs_run_waited(run);
    return t->done;
}

bool ncs_thread_done(const struct ncs_thread *t)
{
    if (!t->done)
        t->run->machine->clock(false); /* a look at it is a poll */
    ncs_journal_heard(t->run->journal);
    ncs_run_waited(t->run);
    return t->done;
}

bool ncs_thread_runs(const struct ncs_thread *t, int rank)
{
    return !t->done && t->local.rank == rank;
}

struct ncs_local *ncs_thread_local(struct ncs_thread *t)
{
    return &t->local;
}

const struct ncs_thread *ncs_thread_after(const struct ncs_run *run, const struct ncs_thread *t)
{
    return t ? t->next : run->threads;
}

void ncs_run_threads_free(struct ncs_run *run)
{
    for (struct ncs_thread *t = run->threads, *next; t; t = next) {
        next = t->next;
        if (t->gate)
            run->machine->gate_free(t->gate);
        ncs_free(t->text);
        ncs_free(t);
    }
    run->threads = NULL;
}

/* A sleep alone does not order threads. But a thread that sleeps at one place repeatedly is polling
 * something in between, so it counts as having waited for other threads. */
void ncs_run_sleep(struct ncs_run *run, int64_t nanoseconds)
{
    struct ncs_local *local = ncs_local;
    struct ncs_place here = local->where ? local->where(local->where_arg) : (struct ncs_place){ 0 };
    bool again = here.line == local->slept.line && here.file == local->slept.file;
    local->slept = here;
    ncs_run_machine_sleep(run, nanoseconds);
    if (again || !here.line)
        ncs_journal_heard(run->journal);
    ncs_run_waited(run);
}

int64_t ncs_run_clock(struct ncs_run *run)
{
    ncs_journal_heard(run->journal);
    int64_t now = run->machine->clock(true);
    ncs_run_waited(run);
    return now;
}
