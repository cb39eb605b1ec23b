#include "shim/exec/exec.h"

#include "diagnose/hazard/hazard.h"
#include "diagnose/ledger/ledger.h"
#include "run/notices.h"
#include "shim/kernel/kernel.h"
#include "shim/shim.h"
#include "sim/cuda/outside.h"

#define VERIFY_BYTES ((size_t)1 << 30)

static const struct ncs_api *plain; /* beneath the journal */
static struct ncs_notices notices;
static struct ncs_hazards *hazards;
static struct ncs_ledger *ledger;
static struct ncs_verify *verify;  /* NULL: results are not verified */
static struct ncs_timeline *drawn; /* NULL: nothing is drawn */

/* ---- callbacks of the machine ---- */

static void checks_on_before(void *self, struct ncs_call *const *calls, size_t count)
{
    (void)self;
    ncs_verify_before(verify, calls, count);
}

static const struct ncs_watch *checks_on_watch(void *self)
{
    (void)self;
    return ncs_verify_watch(verify);
}

/* A kernel that was left out might have written any memory. */
static void doubt_kernels(void)
{
    if (ncs_shim_skips_kernels() && ncs_shim_counts_kernels())
        ncs_verify_doubt(verify, NCS_UNVERIFIED_KERNEL);
}

static void checks_on_after(void *self, struct ncs_call *const *calls, size_t count)
{
    (void)self;
    if (drawn)
        ncs_timeline_moved(drawn, calls, count);
    if (!verify)
        return;
    doubt_kernels();
    ncs_verify_after(verify, calls, count);
}

static void checks_on_finished(void *self, struct ncs_call *call)
{
    (void)self;
    if (drawn)
        ncs_timeline_finished(drawn, call);
    if (!verify)
        return;
    doubt_kernels();
    ncs_verify_finished(verify, call);
}

static void checks_on_work(void *self, const struct ncs_work *work, enum ncs_work_state state)
{
    (void)self;
    ncs_timeline_work(drawn, work, state);
}

static void checks_on_mismatch(void *self, struct ncs_call *const *calls, size_t count)
{
    (void)self;
    ncs_notices_mismatch(&notices, calls, count);
    if (verify)
        ncs_verify_exclude(verify, calls, count);
}

static void checks_on_crash(void *self, struct ncs_call *call, const char *why)
{
    (void)self;
    ncs_notices_crash(&notices, call, why);
}

static void checks_on_fault(void *self, struct ncs_call *call, const char *why)
{
    (void)self;
    ncs_notices_fault(&notices, call, why);
}

static void checks_on_unwritten(void *self, const struct ncs_unwritten *what)
{
    (void)self;
    ncs_notices_unwritten(&notices, what);
}

static struct ncs_call *checks_on_launched(void *self, struct ncs_call *captured, struct ncs_call *by)
{
    return ncs_journal_again(self, captured, by);
}

/* ---- from the first call to the end ---- */

static int device_of_caller(void *arg)
{
    int device = 0;
    (void)arg;
    return plain->cudaGetDevice(&device) == cudaSuccess ? device : 0;
}

static void checks_on_kernel(void *self)
{
    (void)self;
    ncs_hazards_kernel(hazards);
}

static int process_of_caller(void)
{
    return ncs_local ? ncs_local->process : 0;
}

static void open_verification(const struct ncs_machine *machine, const struct ncs_journal *journal)
{
    verify = ncs_verify_open(journal, VERIFY_BYTES);
    ncs_verify_ascending(verify, true);
    ncs_verify_asks(verify, machine->readable, machine->written);
    ncs_verify_trust(verify, true);
}

void ncs_checks_open(const struct ncs_shim_settings *settings, const struct ncs_driver *driver, struct ncs_journal *journal)
{
    plain = driver->api;
    hazards = ncs_hazards_open(
        journal, &(struct ncs_hazards_options){ .device = device_of_caller, .one_process = true, .process = process_of_caller });
    ledger = ncs_ledger_open(
        journal,
        &(struct ncs_ledger_options){ .one_process = true, .process = process_of_caller, .gone = sim_outside_process_is_gone });
    if (settings->verify)
        open_verification(driver->machine, journal);
    drawn = ncs_exec_timeline_open(settings, driver->machine, journal);
    driver->machine->observe(&(struct ncs_observer){ .self = journal,
                                                     .launched = checks_on_launched,
                                                     .before = verify ? checks_on_before : NULL,
                                                     .watch = verify ? checks_on_watch : NULL,
                                                     .after = verify || drawn ? checks_on_after : NULL,
                                                     .finished = verify || drawn ? checks_on_finished : NULL,
                                                     .work = drawn ? checks_on_work : NULL,
                                                     .mismatch = checks_on_mismatch,
                                                     .crash = checks_on_crash,
                                                     .fault = checks_on_fault,
                                                     .unwritten = checks_on_unwritten,
                                                     .kernel = checks_on_kernel });
}

void ncs_checks_call(struct ncs_call *call)
{
    ncs_hazards_call(hazards, call);
    ncs_ledger_call(ledger, call);
    if (drawn)
        ncs_timeline_returned(drawn, call);
}

void ncs_checks_distrust(void)
{
    if (verify)
        ncs_verify_trust(verify, false);
}

struct ncs_ledger *ncs_checks_ledger(void)
{
    return ledger;
}

struct ncs_notices *ncs_checks_notices(void)
{
    return &notices;
}

void ncs_checks_fill(struct ncs_result *r)
{
    if (verify) {
        r->wrong = ncs_verify_wrong(verify, &r->wrongs, &r->wrong_count);
        r->checked = ncs_verify_checked(verify);
        r->unchecked = ncs_verify_unchecked(verify);
        r->left_out = ncs_verify_left_out(verify);
    }
    ncs_exec_timeline_fill(r);
    ncs_notices_stale(&notices, ledger);
    ncs_notices_hazards(&notices, hazards, r->wrong, r->wrongs, r->stop == NCS_STOP_DONE);
}
