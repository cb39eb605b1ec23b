/* Interrupts, and runs that do not come back. */
#include "cli/suite.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/output.h"
#include "base/safe.h"

/* ---- interrupts ---- */

static volatile sig_atomic_t interrupts;

/* Seconds that a run has to come back from an interrupt, which a rank inside one of Lua's own
 * functions does not notice. */
enum { INTERRUPT_GRACE = 2 };

static void leave(void)
{
    static const char text[] = "ncclscript run: interrupted, and a rank does not come back from a "
                               "call of Lua's: given up\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(ncs_verdict_exit(NCS_INTERRUPTED));
}

static void on_signal(int signal_number)
{
    if (signal_number == SIGALRM)
        leave();
    if (interrupts++)
        _exit(ncs_verdict_exit(NCS_INTERRUPTED));
    alarm(INTERRUPT_GRACE);
    ncs_run_interrupt();
}

void ncs_suite_catch_interrupts(void)
{
    struct sigaction action = { .sa_handler = on_signal };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
}

bool ncs_suite_interrupted(void)
{
    return interrupts > 0;
}

/* ---- a rank that does not come back from a call ---- */

/* The run in progress, for the watch's thread. */
static struct {
    struct ncs_suite *suite;
    const struct ncs_scenario *scenario;
    const struct ncs_run_options *options;
} current;

/* On the watch's thread. The rank's thread may hold the lock of standard output, and nothing that
 * it uses can be freed or looked at: what the run has done is lost, its verdict is not. */
static void give_up(void)
{
    struct ncs_suite *suite = current.suite;
    const struct ncs_run_options *o = current.options;
    static char reason[] = "a rank does not come back from a call of Lua's";
    struct ncs_result result = {
        .verdict = NCS_TIMEOUT, .ranks = o->ranks, .driver = o->driver, .policy = o->policy,
        .seed = o->seed, .skip_reason = reason,
    };
    struct ncs_report_run run = { .scenario = current.scenario, .result = &result };
    struct ncs_str text = { 0 };
    int status = ncs_verdict_exit(NCS_TIMEOUT);
    ncs_nccl_version_text(o->nccl_version, result.nccl, sizeof result.nccl);
    if (ftrylockfile(stdout) == 0) {
        ncs_suite_report(suite, &run);
        ncs_suite_summarize(suite);
        ncs_out_flush();
        status = ncs_tally_exit(&suite->tally);
        funlockfile(stdout);
    }
    ncs_str_add(&text, "ncclscript run: ");
    ncs_safe_line(&text, current.scenario->file);
    ncs_str_addf(&text, ": past the time limit, and %s: given up", reason);
    ncs_suite_add_not_run(suite, &text);
    ncs_str_add(&text, "\n");
    ssize_t written = write(STDERR_FILENO, text.text, text.bytes);
    (void)written;
    _exit(status);
}

void ncs_suite_begin(struct ncs_suite *suite, const struct ncs_scenario *scenario,
                     const struct ncs_run_options *options)
{
    current.suite = suite;
    current.scenario = scenario;
    current.options = options;
    ncs_run_stuck = give_up;
    if (interrupts) /* while the file was loaded: there was no run to interrupt */
        ncs_run_interrupt();
}

void ncs_suite_end(void)
{
    alarm(0);
}

void ncs_suite_end_here(struct ncs_suite *suite)
{
    struct ncs_str text = { 0 };
    ncs_suite_summarize(suite);
    ncs_out_flush();
    ncs_str_add(&text, "ncclscript run: a rank does not come back from a call of NCCL's: given up");
    ncs_suite_add_not_run(suite, &text);
    fprintf(stderr, "%s\n", text.text);
    _exit(ncs_tally_exit(&suite->tally));
}
