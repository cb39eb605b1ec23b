#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/mem.h"
#include "driver/driver.h"
#include "driver/journal.h"
#include "run/private.h"
#include "trace/infer.h"

#define JOURNAL_BYTES ((size_t)64 << 20)
#define VERIFY_BYTES ((size_t)1 << 30)
/* Pinned memory on real hardware: bytes for each rank, and the least and the most in all. */
#define STAGING_OF_RANK ((size_t)64 << 20)
#define STAGING_LEAST ((size_t)256 << 20)
#define STAGING_MOST ((size_t)1 << 30)

#define EAGER_BYTES ((uint64_t)4 << 20)

/* The time without progress after which real hardware counts as hung, if no time limit is given. */
#define PATIENCE_NS ((int64_t)30 * 1000000000)

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

/* ---- the memory budget ---- */

static struct ncs_run *_Atomic budgeted; /* the run whose machine is open */

/* Called in the middle of an allocation, on any thread, so it only sets flags. */
static void run_on_spent(void)
{
    struct ncs_run *run = atomic_load(&budgeted);
    if (!run)
        return;
    atomic_store(&run->spent, true);
    atomic_store(&run->broken, true); /* of a session */
    run->machine->interrupt();
}

static void begin_budget(struct ncs_run *run)
{
    run->result.memory = ncs_budget();
    run->outer_spent = ncs_budget_spent;
    atomic_store(&budgeted, run);
    ncs_budget_spent = run_on_spent;
    ncs_budget_rearm();
}

static void end_budget(struct ncs_run *run)
{
    ncs_budget_spent = run->outer_spent;
    atomic_store(&budgeted, NULL);
    ncs_budget_rearm();
}

struct ncs_run *ncs_run_make(const struct ncs_run_options *options,
                             const struct ncs_program *program,
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

struct ncs_run *ncs_run_new(const struct ncs_run_options *options,
                            const struct ncs_program *program,
                            void (*on_output)(void *arg, const char *line), void *arg)
{
    atomic_store(&interrupted, false);
    return ncs_run_make(options, program, on_output, arg);
}

uint64_t ncs_run_eager(const struct ncs_run_options *options)
{
    return options->eager == UINT64_MAX ? EAGER_BYTES : options->eager;
}

/* ---- callbacks of the journal and the machine ---- */

static void on_returned(const struct ncs_journal *journal, struct ncs_call *call)
{
    struct ncs_run *run = journal->returned_arg;
    if (run->closed)
        return;
    if (run->hazards)
        ncs_hazards_call(run->hazards, call);
    if (run->timeline)
        ncs_timeline_returned(run->timeline, call);
}

static void on_before(void *self, struct ncs_call *const *calls, size_t count)
{
    struct ncs_run *run = self;
    ncs_verify_before(run->verify, calls, count);
}

static void note_wrong(struct ncs_run *run)
{
    if (run->wrong_order != UINT64_MAX)
        return;
    size_t kept;
    uint64_t wrongs;
    ncs_verify_wrong(run->verify, &kept, &wrongs);
    if (wrongs > 0)
        run->wrong_order = run->journal->calls;
}

static void on_after(void *self, struct ncs_call *const *calls, size_t count)
{
    struct ncs_run *run = self;
    if (run->timeline)
        ncs_timeline_moved(run->timeline, calls, count);
    ncs_verify_after(run->verify, calls, count);
    note_wrong(run);
}

static void on_finished(void *self, struct ncs_call *call)
{
    struct ncs_run *run = self;
    if (run->timeline)
        ncs_timeline_finished(run->timeline, call);
    ncs_verify_finished(run->verify, call);
    note_wrong(run);
}

static void run_on_mismatch(void *self, struct ncs_call *const *calls, size_t count)
{
    struct ncs_run *run = self;
    ncs_notices_mismatch(&run->notices, calls, count);
    ncs_verify_exclude(run->verify, calls, count);
}

static void run_on_crash(void *self, struct ncs_call *call, const char *why)
{
    struct ncs_run *run = self;
    ncs_run_timeline_found(run, call, "the real library crashes here", why);
    ncs_notices_crash(&run->notices, call, why);
}

static void run_on_fault(void *self, struct ncs_call *call, const char *why)
{
    struct ncs_run *run = self;
    ncs_run_timeline_found(run, call, "illegal memory access", why);
    ncs_notices_fault(&run->notices, call, why);
}

static void on_refused(void *self, struct ncs_call *call, size_t bytes)
{
    struct ncs_run *run = self;
    struct ncs_result *r = &run->result;
    (void)bytes;
    if (r->refused++ > 0)
        return;
    run->refused_order = run->journal->calls;
    if (call)
        r->refused_at = call->place;
}

static void on_foreign(void *self, struct ncs_call *call, const char *why)
{
    ncs_notices_add(&((struct ncs_run *)self)->notices, NCS_NOTICE_FOREIGN, &call, call ? 1 : 0, why);
}

/* ---- the run ---- */

/* Records the facts that need the opened libraries, and checks the scenario's requirements. */
static bool know_library(struct ncs_run *run, const struct ncs_api *api, struct ncs_error *err)
{
    const struct ncs_run_options *o = &run->options;
    int version = 0, gpus = 0;
    char want[16];
    if (api->ncclGetVersion(&version) == ncclSuccess)
        ncs_nccl_version_text(version, run->result.nccl, sizeof run->result.nccl);
    if (o->needs_nccl > version)
        return ncs_fail(err, NCS_NO_DEVICE, "needs NCCL %s or newer, this is %s",
                        ncs_nccl_version_text(o->needs_nccl, want, sizeof want), run->result.nccl);
    api->cudaGetDeviceCount(&gpus);
    return o->needs_gpus <= gpus ||
           ncs_fail(err, NCS_NO_DEVICE, "needs %d GPUs, %d %s here", o->needs_gpus, gpus,
                    gpus == 1 ? "is" : "are");
}

static size_t run_staging(const struct ncs_run_options *o)
{
    size_t bytes = (size_t)o->ranks * STAGING_OF_RANK;
    if (!o->verify)
        return 0;
    return bytes < STAGING_LEAST ? STAGING_LEAST : bytes > STAGING_MOST ? STAGING_MOST : bytes;
}

bool ncs_run_open_machine(struct ncs_run *run, const struct ncs_driver *driver,
                          struct ncs_error *err)
{
    const struct ncs_run_options *o = &run->options;
    const struct ncs_machine *m = driver->machine;
    run->result.driver = driver->name;
    run->real = driver->real;
    if (run->real && !know_library(run, driver->api, err))
        return false;
    run_environ_set(&run->environ, o->env, o->envs);
    struct ncs_machine_options options = {
        .devices = o->devices,
        .step_limit = o->step_limit,
        .ranks = o->ranks,
        .patience = o->timeout > 0 ? o->timeout : PATIENCE_NS,
        .host = NCS_HOST_CONTACT,
        .eager = o->policy == NCS_POLICY_TYPICAL ? ncs_run_eager(o) : 0,
        .seeded = o->seeded && !o->schedule,
        .seed = o->seed,
        .schedule = o->schedule,
        .kernel_slots = o->kernel_slots,
        .nccl_version = o->nccl_version,
        .device_memory = o->device_memory,
        .capability = o->capability,
        .ready_after = o->ready_after,
        .quirks = o->quirks,
        .model = o->model,
        .own_threads = o->own_threads,
        .staging = run_staging(o),
        .log = o->on_log,
        .log_arg = o->log_arg,
    };
    if (!m->open(&options, err))
        return false;
    run->driver = driver;
    run->machine = m;
    begin_budget(run);
    run->journal = ncs_journal_open(JOURNAL_BYTES, false);
    run->result.journal = run->journal;
    run->api = ncs_journal_wrap(run->journal, driver->api);
    ncs_run_hazards_open(run);
    ncs_run_timeline_open(run);
    run->journal->returned = on_returned;
    run->journal->returned_arg = run;
    run->verify = ncs_verify_open(run->journal, VERIFY_BYTES);
    ncs_verify_ascending(run->verify, !driver->real); /* NCCL promises no order */
    ncs_verify_from(run->verify, m->staged, m->unstaged);
    ncs_verify_asks(run->verify, m->readable);
    ncs_verify_keep(run->verify, o->values);
    ncs_verify_look(run->verify, o->look);
    ncs_verify_trust(run->verify, !driver->real && !o->look && o->plant.kind == NCS_PLANT_NONE);
    if (!o->verify)
        ncs_verify_off(run->verify);
    if (o->amend)
        ncs_run_watch_calls(run);
    m->observe(&(struct ncs_observer){ .self = run,
                                       .before = on_before,
                                       .after = on_after,
                                       .finished = on_finished,
                                       .mismatch = run_on_mismatch,
                                       .crash = run_on_crash,
                                       .fault = run_on_fault,
                                       .foreign = on_foreign,
                                       .refused = on_refused,
                                       .work = run->timeline ? ncs_run_work : NULL });
    if (o->plant.kind != NCS_PLANT_NONE)
        m->plant(o->plant);
    return true;
}

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
            return err->status == NCS_OK ? ncs_fail(err, NCS_INTERNAL, "rank %zu was not made", i)
                                         : false;
        if (atomic_load(&run->spent))
            return ncs_fail(err, NCS_NO_MEMORY, "%s is used up with %zu of %zu ranks",
                            ncs_budget_words(budget), i + 1, ranks);
    }
    ncs_run_amend_begin(run);
    for (size_t i = 0; i < ranks; i++) {
        struct run_rank *rank = &run->rank[i];
        struct ncs_context_options options = {
            .process = (int)i, .local = &rank->local, .main = enter_rank, .arg = rank,
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
            ncs_verify_unfinished(run->verify, s->part[i].call,
                                  s->part[i].state != NCS_PART_WAITING);
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
            .element = p->element, .ranks = p->ranks, .integer = p->integer, .average = p->average,
            .overflow = p->overflow, .partial = p->partial, .saturates = p->saturates,
            .in = p->in, .got = p->got, .sum = p->sum, .exact = p->exact,
        };
    }
}

void ncs_run_diagnose(struct ncs_run *run, const struct ncs_snapshot *snapshot,
                      struct ncs_diagnosis *out)
{
    ncs_run_hazards_report(run);
    ncs_run_faults_report(run);
    report_errors(run);
    report_inexact(run);
    if (is_in_doubt(run))
        ncs_run_report_doubt(run);
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

static void run_diagnose(struct ncs_run *run)
{
    struct ncs_snapshot snapshot;
    run->result.diagnosis.explained = true;
    if (!wants_diagnosis(run))
        return;
    run->machine->snapshot(&snapshot);
    if (run->real)
        run_infer(run, &snapshot);
    ncs_run_look_at_unfinished(run, &snapshot);
    ncs_run_look_at_waiting(run, &snapshot);
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
    ncs_str_free(&r->output);
    ncs_str_free(&r->schedule);
    ncs_diagnosis_free(&r->diagnosis);
    ncs_run_proof_free(&r->proof);
    ncs_run_repair_free(&r->repair);
}

void ncs_run_close_machine(struct ncs_run *run)
{
    if (!run->machine)
        return;
    for (int i = 0; run->rank && i < run->options.ranks; i++)
        if (run->rank[i].prompt)
            run->machine->gate_free(run->rank[i].prompt);
    ncs_run_faults_free(run);
    ncs_run_threads_free(run);
    ncs_run_store_free(&run->store, run->machine);
    run->machine->observe(NULL);
    for (size_t i = 0; run->real && i < run->scratches; i++)
        run->driver->api->cudaFree(run->scratch[i]);
    ncs_run_amend_free(run);
    end_budget(run);
    run->machine->close();
    run->machine = NULL;
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
    ncs_run_compared_free(run);
    ncs_timeline_free(run->timeline);
    ncs_verify_close(run->verify);
    ncs_run_close_machine(run);
    run_environ_restore(&run->environ);
    ncs_journal_close(run->journal);
    ncs_free(run->rank);
    ncs_free(run);
}
