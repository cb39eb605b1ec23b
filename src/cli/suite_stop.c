/* Handles interrupts, and runs that do not end. */
#include "cli/suite.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/safe.h"
#include "base/thread.h"
#include "cli/job.h"
#include "cli/output.h"
#include "cli/progress.h"

/* Seconds that a run has to end after an interrupt. A rank inside one of Lua's own functions does not
 * notice the interrupt. */
enum { INTERRUPT_GRACE = 2 };

/* This many interrupts end the program in any state. */
enum { INTERRUPTS_MOST = 3 };

/* timeout(1) signals a process and then its group: a second signal that soon is the same interrupt. */
enum { INTERRUPT_ECHO_MS = 200 };

static volatile sig_atomic_t interrupts; /* received so far */

/* The run in progress, for other threads; the holder of the lock may end the process. */
static struct {
    pthread_mutex_t lock;
    bool in_run;
    struct ncs_suite *suite;
    const struct ncs_scenario *scenario;
    const struct ncs_run_options *options;
    size_t run;
    int64_t start;
} current = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- runs that do not end ---- */

/* Ends the process after the run that was reported last. */
static void suite_end_process(struct ncs_suite *suite, const char *message, bool locked)
{
    struct ncs_str text = { 0 };
    int status = ncs_tally_exit(&suite->report.tally);
    suite->cut = interrupts ? "interrupted" : "given up";
    if (!suite->link && locked)
        status = ncs_out_finish(ncs_suite_finish(suite));
    ncs_progress_clear();
    ncs_str_add(&text, message);
    if (!suite->link)
        ncs_suite_add_not_run(suite, &text);
    ncs_str_add(&text, "\n");
    ssize_t written = write(STDERR_FILENO, text.text, text.bytes);
    (void)written;
    if (suite->link)
        ncs_link_send(suite->link, current.run, true);
    _exit(ncs_job_end(status));
}

/* The rank's thread may hold the lock of standard output, and its data must be neither freed nor read: the
 * run's results are lost, but its verdict is reported. */
static void suite_give_up(enum ncs_verdict verdict, const char *message, char *reason)
{
    struct ncs_suite *suite = current.suite;
    const struct ncs_run_options *o = current.options;
    struct ncs_result result = {
        .verdict = verdict,
        .ranks = o->ranks,
        .driver = o->driver,
        .policy = o->policy,
        .seed = o->seed,
        .skip_reason = reason,
    };
    struct ncs_report_entry entry;
    bool locked = ftrylockfile(stdout) == 0;
    ncs_nccl_version_text(o->nccl_version, result.nccl, sizeof result.nccl);
    ncs_suite_entry(suite, current.run, current.start, current.scenario, &result, &entry);
    if (locked)
        ncs_out_flush();
    if (locked || suite->link) {
        ncs_suite_report(suite, &entry);
    } else {
        ncs_tally_add(&suite->report.tally, verdict, false);
        suite->next++;
    }
    suite_end_process(suite, message, locked);
}

/* Runs on the watch's thread. */
static void past_limit(void)
{
    static char reason[] = "a rank does not return from a call of Lua";
    pthread_mutex_lock(&current.lock);
    if (current.in_run) {
        struct ncs_str message = { 0 };
        ncs_str_add(&message, "ncclscript run: ");
        ncs_safe_line(&message, current.scenario->file);
        ncs_str_addf(&message, ": past the time limit, and %s: given up", reason);
        suite_give_up(NCS_TIMEOUT, message.text, reason);
    }
    pthread_mutex_unlock(&current.lock);
}

void ncs_suite_end_here(struct ncs_suite *suite)
{
    suite_end_process(suite, "ncclscript run: a rank does not return from a call of NCCL: given up", true);
    _exit(ncs_job_end(ncs_verdict_exit(NCS_INTERNAL_FAULT)));
}

/* ---- interrupts ---- */

static sem_t told; /* the guard, of each */

static bool is_echo(void)
{
    static _Atomic int64_t last;
    int64_t now = ncs_clock();
    bool echo = interrupts > 0 && now - last < (int64_t)INTERRUPT_ECHO_MS * 1000000;
    if (!echo)
        last = now;
    return echo;
}

static void on_signal(int signal_number)
{
    (void)signal_number;
    if (is_echo())
        return;
    if (++interrupts >= INTERRUPTS_MOST && !(current.suite && current.suite->link))
        _exit(ncs_job_drop(ncs_verdict_exit(NCS_INTERRUPTED)));
    sem_post(&told);
    ncs_run_interrupt();
}

int ncs_suite_interrupts(void)
{
    return interrupts;
}

/* Gives up a run that does not end soon after an interrupt, or before a further one. */
static void *guard(void *unused)
{
    struct timespec until;
    while (sem_wait(&told) != 0)
        continue;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += INTERRUPT_GRACE;
    int rc;
    do
        rc = sem_timedwait(&told, &until);
    while (rc != 0 && errno == EINTR);
    pthread_mutex_lock(&current.lock);
    if (current.in_run)
        suite_give_up(NCS_INTERRUPTED,
                      "ncclscript run: interrupted, and a rank does not return from a "
                      "call of Lua: given up",
                      NULL);
    pthread_mutex_unlock(&current.lock);
    return unused;
}

void ncs_suite_catch_interrupts(bool with_guard)
{
    struct sigaction action = { .sa_handler = on_signal };
    sem_init(&told, 0, 0);
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (with_guard)
        ncs_thread_start(NULL, NULL, guard, NULL);
}

/* ---- the run in progress ---- */

void ncs_suite_begin(struct ncs_suite *suite, const struct ncs_scenario *scenario, const struct ncs_run_options *options,
                     size_t run, int64_t start)
{
    pthread_mutex_lock(&current.lock);
    current.suite = suite;
    current.scenario = scenario;
    current.options = options;
    current.run = run;
    current.start = start;
    current.in_run = true;
    pthread_mutex_unlock(&current.lock);
    ncs_run_stuck = past_limit;
    if (interrupts) /* interrupted while the file was loaded: there was no run to interrupt yet */
        ncs_run_interrupt();
}

void ncs_suite_end(void)
{
    pthread_mutex_lock(&current.lock);
    current.in_run = false;
    pthread_mutex_unlock(&current.lock);
}
