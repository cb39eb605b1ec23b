#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/mem.h"
#include "driver/driver.h"
#include "run/private.h"
#include "trace/infer.h"

/* The machine of the run in progress, for the signal handler, the watch and the memory budget. */
static const struct ncs_machine *_Atomic running;
static atomic_bool interrupted;

static void interrupt_machine(void)
{
    const struct ncs_machine *m = atomic_load(&running);
    if (m)
        m->interrupt();
}

void ncs_run_interrupt(void)
{
    atomic_store(&interrupted, true);
    interrupt_machine();
}

void ncs_run_rearm(void)
{
    atomic_store(&interrupted, false);
}

struct ncs_run *ncs_run_make(const struct ncs_run_options *options, const struct ncs_program *program,
                             void (*on_output)(void *arg, const char *line), void *arg)
{
    struct ncs_run *run = ncs_new(sizeof *run);
    run->options = *options;
    run->program = *program;
    run->on_output = on_output;
    run->output_arg = arg;
    run->runner.rank = -1;
    run->wrong_order = UINT64_MAX;
    struct ncs_result *r = &run->result;
    r->ranks = options->ranks;
    r->driver = options->driver;
    r->policy = options->policy;
    r->model = options->model;
    r->seed = options->seed;
    ncs_nccl_version_text(options->nccl_version, r->nccl, sizeof r->nccl);
    return run;
}

struct ncs_run *ncs_run_new(const struct ncs_run_options *options, const struct ncs_program *program,
                            void (*on_output)(void *arg, const char *line), void *arg)
{
    atomic_store(&interrupted, false);
    return ncs_run_make(options, program, on_output, arg);
}

/* ---- the run ---- */

static void enter_rank(void *arg)
{
    struct run_rank *rank = arg;
    rank->run->started++;
    rank->run->program.rank_main(rank->program);
}

bool ncs_run_make_ranks(struct ncs_run *run, struct ncs_error *err)
{
    size_t ranks = (size_t)run->options.ranks;
    char budget[NCS_BUDGET_WORDS];
    run->rank = ncs_new(ranks * sizeof *run->rank);
    for (size_t i = 0; i < ranks; i++) {
        struct run_rank *rank = &run->rank[i];
        rank->run = run;
        rank->local.rank = (int)i;
        rank->program = run->program.rank_new(run->program.self, run, (int)i, err);
        if (!rank->program)
            return err->status == NCS_OK ? ncs_fail(err, NCS_INTERNAL, "rank %zu was not made", i) : false;
        if (atomic_load(&run->spent))
            return ncs_fail(err, NCS_NO_MEMORY, "%s is used up with %zu of %zu ranks", ncs_budget_words(budget), i + 1, ranks);
    }
    ncs_run_amend_begin(run);
    for (size_t i = 0; i < ranks; i++) {
        struct run_rank *rank = &run->rank[i];
        struct ncs_context_options options = {
            .process = (int)i,
            .local = &rank->local,
            .main = enter_rank,
            .arg = rank,
        };
        if (!run->machine->spawn(&options, err))
            return false;
    }
    return true;
}

/* No context is left. */
static void run_free_ranks(struct ncs_run *run)
{
    for (int i = 0; run->rank && i < run->options.ranks; i++)
        if (run->rank[i].program)
            run->program.rank_free(run->rank[i].program);
}

static bool is_in_doubt(const struct ncs_run *run)
{
    size_t kept;
    uint64_t wrong = 0;
    if (run->verify)
        ncs_verify_wrong(run->verify, &kept, &wrong);
    return wrong > 0 || run->result.expect_failed > 0;
}

/* The call that returned the error; NULL = no call did, or its record was dropped. */
static struct ncs_call *failed_call(const struct ncs_run *run, const struct ncs_run_error *e)
{
    if (!e->call || (e->kind != NCS_KIND_NCCL && e->kind != NCS_KIND_CUDA))
        return NULL;
    for (struct ncs_call *c = run->journal->newest; c; c = c->older)
        if (c->rank == e->rank && c->thread == e->thread && c->returned && c->rc == e->code &&
            strcmp(ncs_fn_info[c->fn].name, e->call) == 0)
            return c;
    return NULL;
}

static void report_errors(struct ncs_run *run)
{
    for (size_t i = 0; i < run->result.errors; i++) {
        struct ncs_call *call = failed_call(run, &run->result.error[i]);
        if (call)
            ncs_notices_add(&run->notices, NCS_NOTICE_ERROR, &call, 1, NULL);
    }
}

void ncs_run_look_at_unfinished(struct ncs_run *run, const struct ncs_snapshot *s)
{
    for (size_t i = 0; run->verify && i < s->parts; i++)
        if (s->part[i].call && s->part[i].state <= NCS_PART_MATCHED)
            ncs_verify_unfinished(run->verify, s->part[i].call, s->part[i].state != NCS_PART_WAITING);
}

static void report_inexact(struct ncs_run *run)
{
    size_t count = 0;
    const struct ncs_inexact *p = run->verify ? ncs_verify_inexact(run->verify, &count) : NULL;
    for (; count > 0; count--, p++) {
        struct ncs_call *call = p->call;
        struct ncs_notice *n = ncs_notices_add(&run->notices, NCS_NOTICE_INEXACT, &call, 1, NULL);
        if (!n)
            return;
        n->inexact = (struct ncs_notice_inexact){
            .element = p->element,
            .ranks = p->ranks,
            .integer = p->integer,
            .average = p->average,
            .overflow = p->overflow,
            .partial = p->partial,
            .saturates = p->saturates,
            .in = p->in,
            .got = p->got,
            .sum = p->sum,
            .exact = p->exact,
        };
    }
}

void ncs_run_diagnose(struct ncs_run *run, const struct ncs_snapshot *snapshot, struct ncs_diagnosis *out)
{
    ncs_run_hazards_report(run);
    ncs_run_ledger_report(run);
    ncs_run_faults_report(run);
    report_errors(run);
    report_inexact(run);
    ncs_run_unlike_report(run);
    if (is_in_doubt(run))
        ncs_notices_add(&run->notices, NCS_NOTICE_DOUBT, NULL, 0, NULL);
    ncs_diagnose(run->journal, snapshot, run->notices.notice, run->notices.count, out);
}

/* A real machine cannot say what has been enqueued. */
static void run_infer(const struct ncs_run *run, struct ncs_snapshot *s)
{
    const struct ncs_local **local = NULL;
    size_t room = 0;
    struct ncs_known known = { 0 };
    for (int r = 0; r < run->options.ranks; r++)
        NCS_PUSH(local, known.locals, room, &run->rank[r].local);
    for (const struct ncs_thread *t = NULL; (t = ncs_thread_after(run, t)) != NULL;)
        NCS_PUSH(local, known.locals, room, ncs_thread_local((struct ncs_thread *)t));
    known.local = local;
    ncs_infer(run->journal, &known, s);
    ncs_free(local);
}

/* A trial needs a diagnosis only if ranks may wait for a rank that an error has ended. */
static bool wants_diagnosis(const struct ncs_run *run)
{
    return !run->options.trial || run->result.errors > 0;
}

static void run_note_killed(struct ncs_run *run, const struct ncs_snapshot *s)
{
    if (!run->timeline)
        return;
    ncs_free(run->result.killed);
    run->result.killed = ncs_new((size_t)run->options.ranks * sizeof *run->result.killed);
    for (size_t i = 0; i < s->contexts; i++) {
        const struct ncs_snap_context *c = &s->context[i];
        bool killed = c->state == NCS_CONTEXT_ENDED && (c->ending == NCS_END_KILLED || c->ending == NCS_END_LOST);
        if (killed && c->rank >= 0 && c->rank < run->options.ranks)
            run->result.killed[c->rank] = true;
    }
}

static const struct ncs_call *last_call_of(const struct ncs_run *run, int rank)
{
    const struct ncs_call *c = run->journal->newest;
    while (c && c->rank != rank)
        c = c->older;
    return c;
}

/* A rank whose process has ended before the job has failed, whatever the others did. */
static void run_report_lost(struct ncs_run *run, const struct ncs_snapshot *s)
{
    for (size_t i = 0; i < s->contexts; i++) {
        const struct ncs_snap_context *c = &s->context[i];
        if (c->ending != NCS_END_LOST || c->thread != 0)
            continue;
        const struct ncs_call *last = last_call_of(run, c->rank);
        struct ncs_str text = { 0 };
        ncs_str_addf(&text, "lost with %s", c->message);
        struct ncs_run_error error = {
            .kind = NCS_KIND_PROCESS,
            .rank = c->rank,
            .name = ncs_copy_text("process"),
            .message = ncs_str_take(&text),
            .place = c->place,
            .order = last ? last->id : 0,
            .serial = ++run->errors_so_far,
        };
        NCS_PUSH(run->result.error, run->result.errors, run->errors_room, error);
    }
}

static void run_diagnose(struct ncs_run *run)
{
    struct ncs_snapshot snapshot;
    run->result.diagnosis.explained = true;
    if (!wants_diagnosis(run))
        return;
    run->machine->snapshot(&snapshot);
    run_note_killed(run, &snapshot);
    run_report_lost(run, &snapshot);
    if (run->real)
        run_infer(run, &snapshot);
    ncs_run_look_at_unfinished(run, &snapshot);
    ncs_run_diagnose(run, &snapshot, &run->result.diagnosis);
    ncs_snapshot_free(&snapshot);
}

void ncs_run_count_up(struct ncs_run *run)
{
    struct ncs_result *r = &run->result;
    uint64_t objects, bytes;
    struct ncs_error misfit = { 0 };
    run->machine->stats(&objects, &bytes, &r->trace);
    r->virtual_time = run->machine->now();
    run->swayed = run->machine->swayed(ncs_run_eager(&run->options), &run->buffered);
    r->calls = run->journal->calls;
    ncs_str_free(&r->schedule);
    r->schedule_lost = !run->machine->schedule(&r->schedule, &misfit);
    if (misfit.status != NCS_OK)
        r->internal = misfit;
    if (!run->verify)
        return;
    r->wrong = ncs_verify_wrong(run->verify, &r->wrongs, &r->wrong_count);
    r->value = ncs_verify_values(run->verify, &r->values);
    r->seen = ncs_verify_seen(run->verify, &r->seens, &r->seen_more);
    r->checked = ncs_verify_checked(run->verify);
    r->unchecked = ncs_verify_unchecked(run->verify);
    r->left_out = ncs_verify_left_out(run->verify);
}

/* Includes an interrupt that arrived before the machine was open. */
static bool stopped_early(const struct ncs_run *run)
{
    return atomic_load(&interrupted) || atomic_load(&run->watch.expired);
}

/* False when there was nothing to run. */
static bool run_machine(struct ncs_run *run, struct ncs_error *err)
{
    int64_t limit = run->real ? 0 : run->options.timeout; /* real machines are patient themselves */
    if (!ncs_watch_start(&run->watch, limit, interrupt_machine, err))
        return false;
    bool made = ncs_run_make_ranks(run, err);
    if (made)
        run->result.stop = stopped_early(run) ? NCS_STOP_INTERRUPTED : run->machine->run();
    ncs_watch_stop(&run->watch);
    if (run->timeline)
        ncs_timeline_close(run->timeline);
    run->closed = true;
    run->interrupted = atomic_load(&interrupted);
    return made;
}

static void run_ranks(struct ncs_run *run)
{
    if (run_machine(run, &run->result.internal)) {
        run_diagnose(run);
        ncs_run_count_up(run);
    }
    /* The report is printed before the machine closes: a rank that hangs on real hardware
     * may never return. */
    if (run->real && run->result.stop != NCS_STOP_DONE) {
        run->lingers = true;
        return;
    }
    run->machine->abandon();
    run_free_ranks(run);
}

bool ncs_run_leave(struct ncs_run *run)
{
    if (!run->lingers)
        return true;
    if (!ncs_run_abort(run))
        return false;
    run_free_ranks(run);
    run->lingers = false;
    return true;
}

void ncs_run_once(struct ncs_run *run, const struct ncs_driver *driver)
{
    struct ncs_local *outer = ncs_local;
    ncs_local = &run->runner;
    if (run->options.ranks > 0 && ncs_run_open_machine(run, driver, &run->result.internal)) {
        atomic_store(&running, run->machine);
        run_ranks(run);
        atomic_store(&running, NULL);
    }
    ncs_local = outer;
    ncs_run_judge(run);
    ncs_run_prove(run, driver);
    if (run->result.verdict == NCS_HANG) /* a trial may have shown that the cause is not certain */
        run->result.certainty = ncs_run_certainty(&run->result);
}

const struct ncs_result *ncs_run_execute_on(struct ncs_run *run, const struct ncs_driver *driver)
{
    if (run->executed)
        return &run->result;
    run->executed = true;
    ncs_run_once(run, driver);
    ncs_run_other_policy(run, driver);
    ncs_run_repair(run, driver);
    return &run->result;
}

const struct ncs_result *ncs_run_execute(struct ncs_run *run)
{
    const struct ncs_run_options *o = &run->options;
    struct ncs_driver_choice choice = { o->driver, o->nccl_lib, o->cudart_lib };
    const struct ncs_driver *driver = ncs_driver_open(&choice, &run->result.internal);
    if (driver)
        return ncs_run_execute_on(run, driver);
    ncs_run_judge(run);
    return &run->result;
}

static void free_result(struct ncs_result *r)
{
    for (size_t i = 0; i < r->errors; i++)
        ncs_run_error_free(&r->error[i]);
    for (size_t i = 0; i < r->expects; i++) {
        ncs_free(r->expect[i].message);
        ncs_free(r->expect[i].label);
    }
    ncs_free(r->error);
    ncs_free(r->expect);
    ncs_free(r->skip_reason);
    ncs_free(r->killed);
    ncs_str_free(&r->output);
    ncs_str_free(&r->schedule);
    ncs_diagnosis_free(&r->diagnosis);
    ncs_run_proof_free(&r->proof);
    ncs_run_repair_free(&r->repair);
}

void ncs_run_free(struct ncs_run *run)
{
    if (!run || !ncs_run_leave(run))
        return;
    if (run->lives) {
        run->closed = true;
        run->machine->abandon();
        run_free_ranks(run);
    }
    free_result(&run->result);
    ncs_notices_drop(&run->notices, 0);
    ncs_free(run->notices.notice);
    ncs_run_hazards_close(run);
    ncs_run_ledger_close(run);
    ncs_timeline_free(run->timeline);
    ncs_verify_close(run->verify);
    ncs_run_close_machine(run);
    run_environ_restore(&run->environ);
    ncs_journal_close(run->journal);
    ncs_free(run->rank);
    ncs_free(run);
}
