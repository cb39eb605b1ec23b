/* Feeds the timeline (wing timeline) of a run, if the options ask for it. */
#include "run/private.h"

static void on_entered(const struct ncs_journal *journal, struct ncs_call *call)
{
    struct ncs_run *run = journal->entered_arg;
    ncs_timeline_entered(run->timeline, call);
}

void ncs_run_timeline_open(struct ncs_run *run)
{
    if (!run->options.timeline)
        return;
    run->timeline = ncs_timeline_open(run->machine->now);
    run->result.timeline = run->timeline;
    run->journal->entered = on_entered;
    run->journal->entered_arg = run;
}

void ncs_run_work(void *self, const struct ncs_work *work, enum ncs_work_state state)
{
    struct ncs_run *run = self;
    ncs_timeline_work(run->timeline, work, state);
}

/* Marks a problem that the machine found, at its call. */
void ncs_run_timeline_found(struct ncs_run *run, const struct ncs_call *call, const char *what, const char *why)
{
    struct ncs_str text = { 0 };
    if (!run->timeline || !call)
        return;
    ncs_str_addf(&text, "%s: %s", what, why ? why : "");
    ncs_timeline_mark(run->timeline, call->rank, call->thread, call->place, text.text);
    ncs_str_free(&text);
}

bool ncs_run_gate_wait(struct ncs_run *run, struct ncs_gate *gate, int64_t deadline, const struct run_gate_what *w)
{
    size_t at = run->timeline ? ncs_timeline_wait(run->timeline, w->what, w->key) : 0;
    bool woken = run->machine->gate_wait(gate, deadline, w->what, w->key, w->owner, w->owner_thread);
    if (run->timeline)
        ncs_timeline_waited(run->timeline, at);
    return woken;
}

void ncs_run_machine_sleep(struct ncs_run *run, int64_t nanoseconds)
{
    size_t at = run->timeline ? ncs_timeline_wait(run->timeline, "sleep", NULL) : 0;
    run->machine->sleep(nanoseconds);
    if (run->timeline)
        ncs_timeline_waited(run->timeline, at);
}
