/* A run's machine: opened with what the options say, watched by the journal, the verification, the hazards and the
 * timeline, and given back. */
#include <stdlib.h>

#include "base/budget.h"
#include "driver/driver.h"
#include "driver/journal.h"
#include "run/private.h"

#define JOURNAL_BYTES ((size_t)40 << 20) /* some 260 000 calls */
#define VERIFY_BYTES ((size_t)1 << 30)
/* Pinned memory on real hardware: bytes for each rank, and the least and the most in all. */
#define STAGING_OF_RANK ((size_t)64 << 20)
#define STAGING_LEAST ((size_t)256 << 20)
#define STAGING_MOST ((size_t)1 << 30)

#define EAGER_BYTES ((uint64_t)4 << 20)

/* The time without progress after which real hardware counts as hung, if no time limit is given. */
#define PATIENCE_NS ((int64_t)30 * 1000000000)

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

/* ---- callbacks of the journal and the machine ---- */

static void on_returned(const struct ncs_journal *journal, struct ncs_call *call)
{
    struct ncs_run *run = journal->returned_arg;
    if (run->closed)
        return;
    ncs_notices_retyped(&run->notices, call);
    if (run->hazards)
        ncs_hazards_call(run->hazards, call);
    if (run->ledger)
        ncs_ledger_call(run->ledger, call);
    if (run->timeline)
        ncs_timeline_returned(run->timeline, call);
}

static void on_before(void *self, struct ncs_call *const *calls, size_t count)
{
    struct ncs_run *run = self;
    ncs_verify_before(run->verify, calls, count);
}

static const struct ncs_watch *on_watch(void *self)
{
    struct ncs_run *run = self;
    return ncs_verify_watch(run->verify);
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

static struct ncs_call *on_launched(void *self, struct ncs_call *captured, struct ncs_call *by)
{
    struct ncs_run *run = self;
    uint64_t before = run->journal->calls;
    struct ncs_call *call = ncs_journal_again(run->journal, captured, by);
    if (call->id > before) /* its first part */
        ncs_run_count_launched(run, call);
    return call;
}

static void on_foreign(void *self, struct ncs_call *call, const char *why)
{
    ncs_notices_add(&((struct ncs_run *)self)->notices, NCS_NOTICE_FOREIGN, &call, call ? 1 : 0, why);
}

static void run_on_unwritten(void *self, const struct ncs_unwritten *what)
{
    struct ncs_run *run = self;
    if (!run->closed)
        ncs_notices_unwritten(&run->notices, what);
}

/* ---- opening and closing ---- */

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
    gpus = ncs_driver_all_devices(gpus);
    return o->needs_gpus <= gpus ||
           ncs_fail(err, NCS_NO_DEVICE, "needs %d GPUs, %d %s here", o->needs_gpus, gpus, gpus == 1 ? "is" : "are");
}

static size_t run_staging(const struct ncs_run_options *o)
{
    size_t bytes = (size_t)o->ranks * STAGING_OF_RANK;
    if (!o->verify)
        return 0;
    return bytes < STAGING_LEAST ? STAGING_LEAST : bytes > STAGING_MOST ? STAGING_MOST : bytes;
}

bool ncs_run_open_machine(struct ncs_run *run, const struct ncs_driver *driver, struct ncs_error *err)
{
    const struct ncs_run_options *o = &run->options;
    const struct ncs_machine *m = driver->machine;
    run->result.driver = driver->name;
    run->real = driver->real;
    if (run->real && !know_library(run, driver->api, err))
        return false;
    run_environ_set(&run->environ, o->env, o->envs);
    struct ncs_machine_options options = {
        .hosts = o->hosts,
        .owns = o->owns,
        .step_limit = o->step_limit,
        .ranks = o->ranks,
        .env = o->env,
        .envs = o->envs,
        .patience = o->timeout > 0 ? o->timeout : PATIENCE_NS,
        .host = NCS_HOST_CONTACT,
        .eager = o->policy == NCS_POLICY_TYPICAL ? ncs_run_eager(o) : 0,
        .teardown = o->policy == NCS_POLICY_TYPICAL ? NCS_TEARDOWN_CONNECTED : NCS_TEARDOWN_DOCUMENTED,
        .seeded = o->seeded && !o->schedule,
        .seed = o->seed,
        .schedule = o->schedule,
        .kernel_slots = o->kernel_slots,
        .nccl_version = o->nccl_version,
        .device_memory = o->device_memory,
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
    ncs_run_ledger_open(run);
    ncs_run_timeline_open(run);
    run->journal->returned = on_returned;
    run->journal->returned_arg = run;
    run->journal->fetch = driver->real ? ncs_driver_fetch : NULL;
    run->verify = ncs_verify_open(run->journal, VERIFY_BYTES);
    ncs_verify_ascending(run->verify, !driver->real); /* NCCL promises no order */
    ncs_verify_from(run->verify, m->staged, m->unstaged);
    ncs_verify_asks(run->verify, m->readable, m->written);
    ncs_verify_keep(run->verify, o->values);
    ncs_verify_look(run->verify, o->look);
    ncs_verify_trust(run->verify, !driver->real && !o->look && o->plant.kind == NCS_PLANT_NONE);
    if (!o->verify)
        ncs_verify_off(run->verify);
    if (o->amend)
        ncs_run_watch_calls(run);
    m->observe(&(struct ncs_observer){ .self = run,
                                       .before = on_before,
                                       .watch = on_watch,
                                       .after = on_after,
                                       .finished = on_finished,
                                       .mismatch = run_on_mismatch,
                                       .crash = run_on_crash,
                                       .fault = run_on_fault,
                                       .foreign = on_foreign,
                                       .launched = on_launched,
                                       .refused = on_refused,
                                       .unwritten = run_on_unwritten,
                                       .work = run->timeline ? ncs_run_work : NULL });
    if (o->plant.kind != NCS_PLANT_NONE)
        m->plant(o->plant);
    return true;
}

uint64_t ncs_run_eager(const struct ncs_run_options *options)
{
    return options->eager == UINT64_MAX ? EAGER_BYTES : options->eager;
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
