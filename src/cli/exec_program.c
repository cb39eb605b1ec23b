#define _GNU_SOURCE /* environ, pipe2, memfd_create */
#include "cli/exec_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/error.h"
#include "base/inbox.h"
#include "base/interpreter.h"
#include "base/mem.h"
#include "cli/exec_job.h"
#include "cli/program.h"

#ifndef NCCLSCRIPT_LIBDIR
#define NCCLSCRIPT_LIBDIR "lib"
#endif

#define CHANNEL_BYTES (1 << 20) /* nobody reads the pipe before the program has ended */

/* ---- the libraries ---- */

/* The libraries that programs load, and those that these need. */
static const char *const libraries[] = { "libnccl.so.2",          "libcudart.so.12",        "libcudart.so.13",
                                         "libcuda.so.1",          "libnvidia-ml.so.1",      "libncclscript-sim.so",
                                         "libncclscript-exec.so", "libncclscript-audit.so", NULL };

/* The first library missing in the folder; NULL = none. */
static const char *missing_in(const char *folder)
{
    for (size_t i = 0; libraries[i]; i++) {
        struct ncs_str path = { 0 };
        ncs_str_addf(&path, "%s/%s", folder, libraries[i]);
        bool found = access(path.text, R_OK) == 0;
        ncs_str_free(&path);
        if (!found)
            return libraries[i];
    }
    return NULL;
}

/* The drop-in libraries are beside this program in a build tree, else where they are installed. */
bool ncs_exec_find_libraries(struct ncs_str *folder)
{
    static const char *const places[] = { "lib/ncclscript", "../" NCCLSCRIPT_LIBDIR "/ncclscript", NULL };
    char self[4096];
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    if (bytes < 0)
        return false;
    self[bytes] = '\0';
    *(strrchr(self, '/') + 1) = '\0';
    struct ncs_str tried = { 0 };
    bool found = false;
    for (size_t i = 0; places[i] && !found; i++) {
        ncs_str_clear(folder);
        ncs_str_addf(folder, "%s%s", self, places[i]);
        const char *missing = missing_in(folder->text);
        found = !missing;
        if (missing)
            ncs_str_addf(&tried, "ncclscript exec: %s is missing in %s\n", missing, folder->text);
    }
    if (!found)
        fprintf(stderr,
                "%s  hint: the drop-in libraries are built with the program by `./start`, or by\n"
                "  `cmake --build --preset default --target drop_in`, and installed with it\n",
                tried.text);
    ncs_str_free(&tried);
    return found;
}

/* Sets a list of paths to both parts, of which one may be NULL or empty. */
static void exec_set_list(const char *name, const char *first, const char *second)
{
    struct ncs_str text = { 0 };
    bool both = first && *first && second && *second;
    ncs_str_addf(&text, "%s%s%s", first ? first : "", both ? ":" : "", second ? second : "");
    ncs_set_variable(name, text.text);
    ncs_str_free(&text);
}

/* The audit library redirects what LD_LIBRARY_PATH does not reach. */
static void set_libraries(const char *folder, bool redirects)
{
    struct ncs_str audit = { 0 };
    exec_set_list("LD_LIBRARY_PATH", folder, getenv("LD_LIBRARY_PATH"));
    ncs_str_addf(&audit, "%s/libncclscript-audit.so", folder);
    exec_set_list("LD_AUDIT", audit.text, getenv("LD_AUDIT"));
    ncs_str_free(&audit);
    ncs_set_variable(NCS_NO_REDIRECT, redirects ? NULL : "1");
}

static void set_variables(const struct ncs_exec_variable *v)
{
    for (; v && v->name; v++)
        ncs_set_variable(v->name, v->value);
}

/* What a child process needs before it runs anything else. */
struct exec_child {
    const struct ncs_exec_start *start;
    int channel, greeting, ways; /* descriptors; -1 = there is none */
};

/* Names a descriptor of the process that has started this one. */
static void exec_set_file(const char *name, int file)
{
    char text[64];
    struct stat at = { 0 };
    fstat(file, &at);
    snprintf(text, sizeof text, NCS_CHANNEL_FORMAT, (int)getppid(), file, (unsigned long long)at.st_ino);
    ncs_set_variable(name, file >= 0 ? text : NULL);
}

static void exec_set_environment(const struct exec_child *c)
{
    set_libraries(c->start->folder, c->start->redirects);
    set_variables(c->start->variable);
    set_variables(c->start->more);
    exec_set_file(NCS_CHANNEL, c->channel);
    exec_set_file(NCS_GREETING, c->greeting);
    exec_set_file(NCS_WAYS, c->ways);
}

/* ---- what it reports ---- */

struct told {
    bool used, cuda;       /* cuda: its runtime was called */
    int status;            /* of a verdict; at the program's end: 0, or not 0 after a mistake */
    struct ncs_str others; /* "A in place of B": other libraries that it has mapped, each once */
    struct ncs_exec_end *end;
};

static void hear_other(struct told *told, const struct ncs_message *m)
{
    struct ncs_str one = { 0 };
    ncs_str_addf(&one, "%s in place of %s", ncs_message_text(m, 0), ncs_message_text(m, 1));
    if (!told->others.text || !strstr(told->others.text, one.text))
        ncs_str_addf(&told->others, "%s%s", told->others.bytes ? ", " : "", one.text);
    ncs_str_free(&one);
}

static void hear_site(struct told *told, const struct ncs_message *m)
{
    struct ncs_exec_site site = {
        .calls = strtoull(ncs_message_text(m, 0), NULL, 10),
        .of_rank = ncs_message_text(m, 1)[0] == 'r',
        .function = ncs_copy_text(ncs_message_text(m, 2)),
        .place = ncs_copy_text(ncs_message_text(m, 3)),
    };
    NCS_PUSH(told->end->site, told->end->sites, told->end->sites_room, site);
}

static void exec_hear(struct told *told, const struct ncs_message *m)
{
    struct ncs_exec_end *end = told->end;
    int status = (int)strtol(ncs_message_text(m, 0), NULL, 10);
    switch (m->kind) {
    case NCS_CHANNEL_USED: told->used = true; break;
    case NCS_CHANNEL_CUDA: told->cuda = true; break;
    case NCS_CHANNEL_OTHER: hear_other(told, m); break;
    case NCS_CHANNEL_SITE: hear_site(told, m); break;
    case NCS_CHANNEL_SCENARIO: end->scenario = true; break;
    case NCS_CHANNEL_FILES: end->writers++; break;
    case NCS_CHANNEL_CAUSE: /* the first of several processes that have a verdict counts */
        end->cause = end->cause ? end->cause : ncs_copy_text(ncs_message_text(m, 0));
        break;
    case NCS_CHANNEL_VERDICT:
        end->verdict = end->reported = told->used = true;
        told->status = status;
        break;
    case NCS_CHANNEL_ENDED:
        end->reported = told->used = true;
        if (!end->verdict && !told->status)
            told->status = status;
        break;
    default: break;
    }
}

/* Reads the reports of the libraries. Does not wait for processes that still hold the pipe open. */
static void exec_read_events(int channel, struct told *told)
{
    struct ncs_inbox in = { .bytes = NULL };
    struct ncs_message m;
    const char *why;
    while (ncs_inbox_read(&in, channel, &why) == NCS_INBOX_READ)
        while (ncs_inbox_next(&in, PIPE_BUF, &m))
            exec_hear(told, &m);
    ncs_inbox_free(&in);
}

/* Sets the status; `quiet`: prints nothing. */
static void exec_judge(char *const *argv, int how, const struct told *told, bool quiet)
{
    struct ncs_exec_end *end = told->end;
    const char *program = ncs_interpreter_script(argv);
    bool past = !told->used && told->others.bytes;
    FILE *out = quiet ? NULL : stderr;
    if (past && out)
        fprintf(out, "ncclscript exec: `%s` did not run on the simulator: it has mapped %s\n", program, told->others.text);
    if (WIFSIGNALED(how) && !end->verdict) {
        end->signal = WTERMSIG(how);
        bool passed_on = end->signal == SIGINT || (end->signal == SIGTERM && end->stopped);
        end->status = passed_on ? 128 + end->signal : 6;
        if (out)
            fprintf(out, "ncclscript exec: `%s` was ended by signal %d (%s)\n", program, end->signal, strsignal(end->signal));
        return;
    }
    int status = WIFSIGNALED(how) ? 0 : WEXITSTATUS(how);
    bool own_runtime = !end->verdict && !told->cuda && ncs_program_has_runtime(argv[0]);
    if (own_runtime && out)
        fprintf(out,
                "ncclscript exec: `%s` contains its own CUDA runtime, which finds no GPU here: "
                "link it with the shared one, as `nvcc -cudart shared` does\n",
                program);
    if (end->verdict) {
        end->status = told->status;
    } else if (!told->used && status == 0) {
        end->status = 5;
        if (out && !own_runtime && !past)
            fprintf(out,
                    "ncclscript exec: `%s` called neither NCCL nor the CUDA runtime: it must be "
                    "linked with the shared libnccl.so.2 and libcudart.so.12 or .13, or open them\n",
                    program);
    } else {
        end->status = status ? status : told->status;
    }
}

/* The machine has ended, and its verdict did not arrive, or there is none. False: it has not. */
static bool exec_judge_machine(const struct ncs_exec_job *job, bool quiet, struct ncs_exec_end *end)
{
    if (end->verdict || (!job->signal && !job->status))
        return false;
    end->status = job->signal ? 6 : job->status;
    if (end->status == NCS_MEM_EXIT) /* the machine has printed what it was short of */
        fprintf(stderr, "ncclscript exec: the job cannot be judged, and was ended\n");
    else if (!quiet && job->signal)
        fprintf(stderr, "ncclscript exec: the process with the simulator was ended by signal %d (%s), and the job with it\n",
                job->signal, strsignal(job->signal));
    return true;
}

/* ---- running it ---- */

static void exec_fail(const char *what, struct ncs_exec_end *end)
{
    end->status = ncs_status_of(errno) == NCS_NO_MEMORY ? NCS_MEM_EXIT : 70;
    fprintf(stderr, "ncclscript exec: %s: %s\n", what, strerror(errno));
}

/* Opens closed standard streams, so that no pipe of ours gets their numbers. */
static void open_standard(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* Becomes the program, without a shell that would interpret other files. The program gets SIGTERM if this
 * command ends, since the command can then pass no signals on. */
static void exec_become(char **argv)
{
    char *path = ncs_program_find(argv[0]);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (strchr(path, '/'))
        execve(path, argv, environ);
    else
        errno = ENOENT;
}

static const char *exec_why_not(int error)
{
    return error == ENOEXEC ? "it is neither a program for this machine nor a script that begins with #!" : strerror(error);
}

/* The program handles SIGINT and SIGTERM. From a terminal it gets SIGINT itself. A signal that another process sent may have come to
 * this command alone, so it is passed on. */
static volatile sig_atomic_t exec_child, exec_terminated, exec_stopped;
static volatile sig_atomic_t exec_alive = -1; /* of the job (exec_job.h) */

static void pass_on(int signal, siginfo_t *info, void *context)
{
    (void)context;
    int error = errno;
    exec_stopped = 1;
    if (signal == SIGTERM)
        exec_terminated = 1;
    if (exec_child > 0)
        ncs_exec_job_tell_end((int)exec_alive);
    if ((signal == SIGTERM || info->si_code <= 0) && exec_child > 0)
        kill((pid_t)exec_child, signal);
    errno = error;
}

static const int exec_signals[] = { SIGINT, SIGTERM };
enum { EXEC_SIGNALS = sizeof exec_signals / sizeof *exec_signals };

/* Ignores a signal if the caller of this command does, as shells do for programs in the background. */
static void exec_take_signals(struct sigaction *before)
{
    struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
    exec_child = exec_terminated = exec_stopped = 0;
    exec_alive = -1;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < EXEC_SIGNALS; i++) {
        sigaction(exec_signals[i], NULL, &before[i]);
        if (before[i].sa_flags & SA_SIGINFO || before[i].sa_handler != SIG_IGN)
            sigaction(exec_signals[i], &action, NULL);
    }
}

static void exec_give_signals_back(const struct sigaction *before)
{
    for (size_t i = 0; i < EXEC_SIGNALS; i++)
        sigaction(exec_signals[i], &before[i], NULL);
}

static void exec_prepare(void *arg)
{
    const struct exec_child *c = arg;
    exec_set_environment(c);
    if (c->start->output >= 0) {
        dup2(c->start->output, STDOUT_FILENO);
        dup2(c->start->output, STDERR_FILENO);
    }
}

/* Does not return. */
static void exec_in_child(struct exec_child *c, int failure, const struct sigaction *before, const struct ncs_exec_job *job)
{
    char number[16];
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    exec_give_signals_back(before);
    exec_prepare(c);
    snprintf(number, sizeof number, "%d", (int)getpid());
    ncs_set_variable(NCS_PROGRAM, number);
    if (job->machine)
        ncs_set_variable(NCS_JOB, job->name);
    exec_become(c->start->argv);
    if (write(failure, &errno, sizeof errno) < 0)
        _exit(70);
    _exit(2);
}

/* One process alone needs no socket, and some systems have none. False: the host is short of something, and without the machine
 * each process of a job would be judged by itself. */
static bool exec_goes_without_job(void)
{
    if (ncs_status_of(errno) == NCS_NO_MEMORY)
        return false;
    fprintf(stderr, "ncclscript exec: a program of several processes will not run: no socket: %s\n", strerror(errno));
    return true;
}

static void exec_wait(struct ncs_exec_job *job, int channel, int failure, const struct ncs_exec_start *start, bool quiet,
                      struct ncs_exec_end *end)
{
    int how, error;
    ncs_exec_job_wait(job, &exec_child, &exec_stopped, &how);
    if (read(failure, &error, sizeof error) == (ssize_t)sizeof error) {
        fprintf(stderr, "ncclscript exec: cannot run `%s`: %s\n", start->argv[0], exec_why_not(error));
        end->status = 2;
        return;
    }
    struct told told = { .end = end };
    end->started = true;
    exec_read_events(channel, &told);
    end->stopped = exec_terminated;
    if (!exec_judge_machine(job, quiet, end))
        exec_judge(start->argv, how, &told, quiet);
    ncs_str_free(&told.others);
}

/* A file of so many bytes; -1 = there is none. */
static int exec_new_file(const char *name, off_t bytes)
{
    int file = memfd_create(name, MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, bytes) != 0) {
        close(file);
        file = -1;
    }
    return file;
}

static void exec_read_ways(int file, struct ncs_str *out)
{
    char part[4096];
    for (ssize_t bytes; file >= 0 && (bytes = pread(file, part, sizeof part, (off_t)out->bytes)) > 0;)
        ncs_str_add_bytes(out, part, (size_t)bytes);
    if (file >= 0)
        close(file);
}

void ncs_exec_run(const struct ncs_exec_start *start, bool quiet, struct ncs_exec_end *end)
{
    int channel[2], failure[2];
    *end = (struct ncs_exec_end){ 0 };
    open_standard();
    if (pipe2(channel, O_NONBLOCK | O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0) {
        exec_fail("no pipe", end);
        return;
    }
    fcntl(channel[0], F_SETPIPE_SZ, CHANNEL_BYTES);
    struct sigaction before[EXEC_SIGNALS];
    exec_take_signals(before);
    fflush(NULL);
    struct ncs_exec_job job;
    struct exec_child prepared = { start, channel[0], exec_new_file("ncclscript greeting", 1),
                                   exec_new_file("ncclscript ways", 0) };
    bool may_run = (ncs_exec_job_open(&job) && ncs_exec_job_start(&job, start->folder, exec_prepare, &prepared)) ||
                   exec_goes_without_job();
    pid_t child = may_run ? fork() : -1;
    if (child == 0)
        exec_in_child(&prepared, failure[1], before, &job);
    exec_alive = job.alive;
    exec_child = child;
    if (exec_terminated && child > 0) { /* it came before the child's number was known */
        ncs_exec_job_tell_end(job.alive);
        kill(child, SIGTERM);
    }
    close(failure[1]);
    close(channel[1]);
    if (child < 0)
        exec_fail("no process", end);
    else
        exec_wait(&job, channel[0], failure[0], start, quiet, end);
    exec_give_signals_back(before);
    close(failure[0]);
    close(channel[0]);
    if (prepared.greeting >= 0)
        close(prepared.greeting);
    exec_read_ways(prepared.ways, &end->ways);
}

void ncs_exec_end_free(struct ncs_exec_end *end)
{
    for (size_t i = 0; i < end->sites; i++) {
        ncs_free(end->site[i].function);
        ncs_free(end->site[i].place);
    }
    ncs_free(end->site);
    ncs_free(end->cause);
    ncs_str_free(&end->ways);
}
