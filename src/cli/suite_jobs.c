/* Runs in several processes. They are forked from this one, which makes no run itself and so has only one
 * thread. Each gets the number of a run and sends back the result. Its other output goes into files in
 * memory, which this process prints in the order of the runs. */
#define _GNU_SOURCE /* memfd_create, pipe2 */
#include "cli/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/thread.h"
#include "cli/output.h"
#include "cli/progress.h"

#define NO_RUN SIZE_MAX

enum {
    AHEAD = 256, /* runs that may be finished before an earlier one */
    PROGRESS_MS = 100,
};

struct worker {
    pid_t pid;           /* 0 = no process */
    int orders, parcels; /* pipes */
    int out, err;        /* its output */
    size_t run;          /* the run that it makes, or NO_RUN */
    int64_t start;
    struct ncs_inbox inbox;
    struct ncs_parcel parcel; /* that is not whole */
};

/* A finished run that is not reported yet. */
struct done {
    bool is_done;
    struct ncs_parcel parcel;
    struct ncs_str out, err;
};

struct jobs {
    struct ncs_suite *suite;
    struct worker *worker;
    size_t workers;
    struct done *done; /* of the runs from suite->next on, run i at i % AHEAD */
    size_t next;       /* the first run that no worker has */
    int forwarded;     /* interrupts */
};

/* ---- a worker ---- */

static bool read_order(int fd, size_t *run)
{
    ssize_t n;
    do
        n = read(fd, run, sizeof *run);
    while (n < 0 && errno == EINTR);
    return n == sizeof *run;
}

static void work(struct jobs *jobs, const struct worker *self, int orders, int parcels)
{
    struct ncs_suite *suite = jobs->suite;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0); /* a terminal's interrupt goes to a whole group: here only the parent receives it */
    for (size_t i = 0; i < jobs->workers; i++) /* otherwise the others would not notice that this one ends */
        if (jobs->worker[i].pid) {
            close(jobs->worker[i].orders);
            close(jobs->worker[i].parcels);
        }
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(self->out, STDOUT_FILENO) < 0 ||
        dup2(self->err, STDERR_FILENO) < 0)
        _exit(ncs_verdict_exit(NCS_MEMORY));
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* keeps output before a crash */
    ncs_progress_stop();
    suite->link = ncs_link_new(parcels);
    suite->log.kept = ncs_link_log(suite->link);
    ncs_suite_catch_interrupts(true);
    for (size_t run; read_order(orders, &run);) {
        ncs_suite_make(suite, run);
        ncs_out_flush();
        ncs_link_send(suite->link, run, false);
    }
    _exit(0);
}

static bool start_worker(struct jobs *jobs, struct worker *w)
{
    int orders[2], parcels[2];
    if (pipe2(orders, O_CLOEXEC) != 0)
        return false;
    if (pipe2(parcels, O_CLOEXEC) != 0) {
        close(orders[0]);
        close(orders[1]);
        return false;
    }
    ncs_progress_clear();
    ncs_out_flush();
    pid_t pid = fork();
    if (pid == 0) {
        close(orders[1]);
        close(parcels[0]);
        work(jobs, w, orders[0], parcels[1]);
    }
    close(orders[0]);
    close(parcels[1]);
    if (pid < 0) {
        close(orders[1]);
        close(parcels[0]);
        return false;
    }
    w->pid = pid;
    w->orders = orders[1];
    w->parcels = parcels[0];
    w->run = NO_RUN;
    return true;
}

/* Waits for a worker's end; returns its status. */
static int bury(struct worker *w)
{
    int status = 0;
    close(w->orders);
    close(w->parcels);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    w->pid = 0;
    ncs_inbox_free(&w->inbox);
    w->inbox.broken = NULL;
    ncs_parcel_free(&w->parcel);
    w->parcel = (struct ncs_parcel){ 0 };
    return status;
}

/* ---- results of workers ---- */

/* Moves the contents of one of a worker's files to `to`. */
static void take_written(int fd, struct ncs_str *to)
{
    struct stat st;
    char piece[65536];
    off_t at = 0;
    if (fstat(fd, &st) != 0)
        return;
    while (at < st.st_size) {
        ssize_t n = pread(fd, piece, sizeof piece, at);
        if (n <= 0)
            break;
        ncs_str_add_bytes(to, piece, (size_t)n);
        at += n;
    }
    if (ftruncate(fd, 0) != 0)
        ncs_str_add(to, "");
}

static struct done *done_of(struct jobs *jobs, size_t run)
{
    return &jobs->done[run % AHEAD];
}

static void finish_run(struct jobs *jobs, struct worker *w, struct ncs_parcel *parcel)
{
    struct done *d = done_of(jobs, w->run);
    *d = (struct done){ .is_done = true, .parcel = *parcel };
    take_written(w->out, &d->out);
    take_written(w->err, &d->err);
    w->run = NO_RUN;
}

/* Reports a run whose process has ended before it. */
static void lose_run(struct jobs *jobs, struct worker *w, int status)
{
    struct ncs_suite *suite = jobs->suite;
    bool killed = WIFSIGNALED(status);
    struct ncs_result result = { 0 };
    struct ncs_parcel parcel = { .run = w->run };
    if (killed)
        ncs_fail(&result.internal, NCS_INTERNAL, "the process of this run was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == ncs_verdict_exit(NCS_MEMORY))
        ncs_fail(&result.internal, NCS_NO_MEMORY, "the process of this run had no memory or descriptors left");
    else
        ncs_fail(&result.internal, NCS_INTERNAL, "the process of this run has ended with status %d", WEXITSTATUS(status));
    result.verdict = ncs_status_verdict(result.internal.status);
    ncs_suite_entry(suite, w->run, w->start, NULL, &result, &parcel.entry);
    finish_run(jobs, w, &parcel);
    if (!suite->report.format->people) { /* the output may end inside a line */
        ncs_str_free(&done_of(jobs, parcel.run)->out);
        ncs_str_addf(&done_of(jobs, parcel.run)->err, "ncclscript: error: %s\n", result.internal.text);
    }
}

static void read_parcels(struct jobs *jobs, struct worker *w)
{
    const char *why;
    enum ncs_inbox_got got = ncs_inbox_read(&w->inbox, w->parcels, &why);
    if (got == NCS_INBOX_OVER) {
        int status = bury(w);
        if (w->run != NO_RUN)
            lose_run(jobs, w, status);
        return;
    }
    if (!ncs_parcel_take(&w->inbox, &w->parcel))
        return;
    struct ncs_parcel parcel = w->parcel;
    w->parcel = (struct ncs_parcel){ 0 };
    finish_run(jobs, w, &parcel);
    if (parcel.last)
        bury(w);
}

/* ---- the order ---- */

static void replay_log(struct ncs_suite *suite, const struct ncs_str *log)
{
    const char *at = log->text, *end = at ? at + log->bytes : at;
    while (at < end) {
        const char *line = at + strlen(at) + 1;
        ncs_log_line(&suite->log, at, line);
        at = line + strlen(line) + 1;
    }
}

static void report_done(struct jobs *jobs)
{
    struct ncs_suite *suite = jobs->suite;
    while (suite->next < jobs->next && done_of(jobs, suite->next)->is_done && !suite->cut) {
        struct done *d = done_of(jobs, suite->next);
        if (d->out.bytes)
            ncs_out_bytes(d->out.text, d->out.bytes);
        ncs_out_flush();
        ncs_progress_clear();
        if (d->err.bytes)
            fwrite(d->err.text, 1, d->err.bytes, stderr);
        replay_log(suite, &d->parcel.log);
        ncs_suite_report(suite, &d->parcel.entry);
        ncs_parcel_free(&d->parcel);
        ncs_str_free(&d->out);
        ncs_str_free(&d->err);
        *d = (struct done){ 0 };
    }
}

/* Gives every idle worker a run; false if no process can be started. */
static bool hand_out(struct jobs *jobs)
{
    struct ncs_suite *suite = jobs->suite;
    bool any = false, failed = jobs->workers == 0;
    for (size_t i = 0; i < jobs->workers; i++) {
        struct worker *w = &jobs->worker[i];
        bool more = jobs->next < suite->selection->runs && jobs->next < suite->next + AHEAD && !suite->cut &&
                    !ncs_suite_interrupts();
        if (more && !w->pid && !start_worker(jobs, w))
            failed = true;
        if (more && w->pid && w->run == NO_RUN) {
            w->run = jobs->next++;
            w->start = ncs_clock();
            if (write(w->orders, &w->run, sizeof w->run) < 0 && errno != EPIPE)
                kill(w->pid, SIGKILL); /* a dead worker is noticed at the end of its parcels */
        }
        any = any || w->pid;
    }
    return any || !failed;
}

static bool any_at_work(const struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->workers; i++)
        if (jobs->worker[i].pid && jobs->worker[i].run != NO_RUN)
            return true;
    return false;
}

static void kill_all(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->workers; i++)
        if (jobs->worker[i].pid) {
            kill(jobs->worker[i].pid, SIGKILL);
            bury(&jobs->worker[i]);
        }
}

/* Passes the first interrupt to the runs, which report it; the second ends their processes. */
static void pass_interrupts(struct jobs *jobs)
{
    int interrupts = ncs_suite_interrupts();
    if (interrupts == jobs->forwarded)
        return;
    jobs->forwarded = interrupts;
    for (size_t i = 0; i < jobs->workers && interrupts == 1; i++)
        if (jobs->worker[i].pid)
            kill(jobs->worker[i].pid, SIGINT);
    if (interrupts > 1)
        kill_all(jobs);
}

static void wait_for_parcels(struct jobs *jobs, struct pollfd *fds)
{
    for (size_t i = 0; i < jobs->workers; i++)
        fds[i] = (struct pollfd){ .fd = jobs->worker[i].pid ? jobs->worker[i].parcels : -1, .events = POLLIN };
    if (poll(fds, jobs->workers, PROGRESS_MS) <= 0)
        return;
    for (size_t i = 0; i < jobs->workers; i++)
        if (fds[i].revents)
            read_parcels(jobs, &jobs->worker[i]);
}

static void show_progress(const struct jobs *jobs)
{
    const struct ncs_suite *suite = jobs->suite;
    const struct ncs_tally *t = &suite->report.tally;
    struct ncs_str name = { 0 };
    ncs_selection_add_full_name(suite->selection, suite->next, &name);
    ncs_progress_show(suite->next, suite->selection->runs, t->runs - t->expected - t->skipped, name.text);
    ncs_str_free(&name);
}

static void make_runs(struct jobs *jobs, struct pollfd *fds)
{
    struct ncs_suite *suite = jobs->suite;
    for (;;) {
        pass_interrupts(jobs);
        report_done(jobs);
        if (suite->next == suite->selection->runs || suite->cut)
            return;
        if (!hand_out(jobs)) {
            suite->report.tally.worst = ncs_status_of(errno) == NCS_NO_MEMORY ? NCS_MEMORY : NCS_INTERNAL_FAULT;
            fprintf(stderr, "ncclscript run: cannot start a process: %s\n", strerror(errno));
            suite->cut = "no process could be started";
            return;
        }
        if (!any_at_work(jobs))
            return;
        show_progress(jobs);
        wait_for_parcels(jobs, fds);
    }
}

static bool open_files(struct worker *w)
{
    w->out = memfd_create("ncclscript-out", MFD_CLOEXEC);
    w->err = memfd_create("ncclscript-err", MFD_CLOEXEC);
    return w->out >= 0 && w->err >= 0 && fcntl(w->out, F_SETFL, O_APPEND) == 0 && fcntl(w->err, F_SETFL, O_APPEND) == 0;
}

/* Opens the files of as many workers as the limit of open files allows. */
static size_t open_all(struct worker *worker, size_t wanted)
{
    size_t count = 0;
    while (count < wanted && open_files(&worker[count]))
        count++;
    if (count < wanted) { /* room for the pipes of the others */
        int why = errno;
        close(worker[count].out);
        close(worker[count].err);
        for (size_t keep = count / 2; count > keep && count > 1; count--) {
            close(worker[count - 1].out);
            close(worker[count - 1].err);
        }
        errno = why;
    }
    return count;
}

void ncs_suite_run_jobs(struct ncs_suite *suite, int jobs_wanted)
{
    size_t left = suite->selection->runs - suite->next, workers = (size_t)jobs_wanted;
    workers = workers < left ? workers : left;
    struct jobs jobs = { .suite = suite,
                         .next = suite->next,
                         .worker = ncs_new(workers * sizeof *jobs.worker),
                         .done = ncs_new(AHEAD * sizeof *jobs.done) };
    struct pollfd *fds = ncs_new(workers * sizeof *fds);
    jobs.workers = open_all(jobs.worker, workers);
    make_runs(&jobs, fds);
    if (ncs_suite_interrupts())
        suite->cut = "interrupted";
    kill_all(&jobs);
    for (size_t i = 0; i < AHEAD; i++) {
        ncs_parcel_free(&jobs.done[i].parcel);
        ncs_str_free(&jobs.done[i].out);
        ncs_str_free(&jobs.done[i].err);
    }
    for (size_t i = 0; i < jobs.workers; i++) {
        close(jobs.worker[i].out);
        close(jobs.worker[i].err);
    }
    ncs_free(jobs.worker);
    ncs_free(jobs.done);
    ncs_free(fds);
}
