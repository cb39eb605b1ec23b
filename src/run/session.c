#include "run/session.h"

#include "base/mem.h"
#include "driver/driver.h"
#include "run/private.h"

static const char at_prompt[] = "prompt";

static enum ncs_stop as_runner(struct ncs_run *run, enum ncs_stop (*act)(void))
{
    struct ncs_local *outer = ncs_local;
    ncs_local = &run->runner;
    enum ncs_stop how = act();
    ncs_local = outer;
    return how;
}

bool ncs_run_begin(struct ncs_run *run, struct ncs_error *err)
{
    struct ncs_driver_choice choice = { .name = "sim" };
    const struct ncs_driver *driver = ncs_driver_open(&choice, err);
    struct ncs_local *outer = ncs_local;
    if (!driver)
        return false;
    ncs_local = &run->runner;
    run->executed = true;
    bool ok = ncs_run_open_machine(run, driver, err);
    if (ok)
        run->lives = true;
    ok = ok && ncs_run_make_ranks(run, err);
    ncs_local = outer;
    return ok;
}

bool ncs_run_await(struct ncs_run *run)
{
    struct run_rank *rank = &run->rank[ncs_local->rank];
    const struct ncs_machine *m = run->machine;
    if (!rank->prompt)
        rank->prompt = m->gate_new();
    bool called = m->gate_wait(rank->prompt, -1, at_prompt, NULL, -1, 0);
    ncs_journal_heard(run->journal);
    return called;
}

void ncs_run_call(struct ncs_run *run, int rank)
{
    if (run->rank[rank].prompt)
        run->machine->gate_wake(run->rank[rank].prompt);
}

enum ncs_stop ncs_run_go_on(struct ncs_run *run, int64_t events)
{
    if (run->verify)
        ncs_verify_forget_unfinished(run->verify);
    ncs_str_clear(&run->result.output); /* it has been passed on */
    run->result.output_lost = 0;
    atomic_store(&run->broken, false);
    run->result.endless = false;
    ncs_free(run->result.skip_reason);
    run->result.skip_reason = NULL;
    run->machine->hold(events);
    run->result.stop = as_runner(run, run->machine->run);
    atomic_store(&run->broken, false);
    return run->result.stop;
}

/* A rank at the prompt may make any call next; or, if `ended`, it makes none. */
static void free_those_at_prompt(struct ncs_snapshot *s, bool ended)
{
    for (size_t i = 0; i < s->contexts; i++) {
        struct ncs_snap_context *c = &s->context[i];
        if (c->waits != 1)
            continue;
        const struct ncs_snap_wait *w = &s->wait[c->wait];
        if (w->kind == NCS_WAIT_GATE && s->gate[w->index].what == at_prompt) {
            c->state = ended ? NCS_CONTEXT_ENDED : NCS_CONTEXT_READY;
            c->ending = NCS_END_PROMPT;
            c->waits = 0;
        }
    }
}

static void look_as(struct ncs_run *run, bool ended, struct ncs_snapshot *snapshot, struct ncs_diagnosis *out)
{
    size_t notices = run->notices.count;
    if (run->verify)
        ncs_verify_forget_unfinished(run->verify);
    run->machine->snapshot(snapshot);
    free_those_at_prompt(snapshot, ended);
    ncs_run_look_at_unfinished(run, snapshot);
    ncs_run_diagnose(run, snapshot, out);
    ncs_notices_drop(&run->notices, notices);
    ncs_run_count_up(run);
}

void ncs_run_look(struct ncs_run *run, struct ncs_snapshot *snapshot, struct ncs_diagnosis *out)
{
    look_as(run, false, snapshot, out);
}

void ncs_run_look_ahead(struct ncs_run *run, struct ncs_diagnosis *out)
{
    struct ncs_snapshot snapshot;
    look_as(run, true, &snapshot, out);
    ncs_snapshot_free(&snapshot);
}

const struct ncs_result *ncs_run_so_far(const struct ncs_run *run)
{
    return &run->result;
}

void ncs_run_break(struct ncs_run *run)
{
    atomic_store(&run->broken, true);
}

bool ncs_run_is_spent(const struct ncs_run *run)
{
    return atomic_load(&run->spent);
}

bool ncs_run_is_broken(const struct ncs_run *run)
{
    return atomic_load_explicit(&run->broken, memory_order_relaxed);
}
