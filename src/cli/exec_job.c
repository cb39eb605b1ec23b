#define _GNU_SOURCE /* pipe2 */
#include "cli/exec_job.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/processes.h"
#include "base/str.h"
#include "base/thread.h"

#define GRACE_NS ((int64_t)500000000) /* for a launcher to notice that its processes have ended, and again after SIGTERM */
#define LOOK_NS ((int64_t)2000000)

bool ncs_exec_job_open(struct ncs_exec_job *job)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    unsigned long long number = 0;
    *job = (struct ncs_exec_job){ .listener = -1, .alive = -1 };
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return false;
    int bytes = snprintf(job->name, sizeof job->name, "ncclscript-%d-%016llx", (int)getpid(), number);
    memcpy(address.sun_path + 1, job->name, (size_t)bytes); /* an abstract name: no file stays behind */
    job->name[bytes++] = '@';
    gethostname(job->name + bytes, sizeof job->name - (size_t)bytes - 1);
    bytes--;
    job->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return job->listener >= 0 &&
           bind(job->listener, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)bytes)) == 0 &&
           listen(job->listener, 4096) == 0;
}

/* In the new process. */
static int job_main(const struct ncs_exec_job *job, const char *folder, int alive)
{
    struct ncs_str path = { 0 };
    ncs_str_addf(&path, "%s/libncclscript-sim.so", folder);
    errno = 0;
    void *library = dlopen(path.text, RTLD_NOW | RTLD_LOCAL);
    int (*serve)(int, int) = NULL;
    if (library)
        *(void **)&serve = dlsym(library, "ncs_many_serve");
    if (!serve) {
        bool is_short = ncs_status_of(errno) == NCS_NO_MEMORY;
        fprintf(stderr, "ncclscript exec: %s\n", dlerror());
        return is_short ? NCS_MEM_EXIT : 70;
    }
    ncs_str_free(&path);
    return serve(job->listener, alive);
}

bool ncs_exec_job_start(struct ncs_exec_job *job, const char *folder, void (*prepare)(void *), void *arg)
{
    int alive[2];
    if (pipe2(alive, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    job->machine = fork();
    if (job->machine == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGINT, SIG_IGN); /* it is for the program */
        close(alive[1]);
        prepare(arg);
        exit(job_main(job, folder, alive[0]));
    }
    close(alive[0]);
    job->alive = alive[1];
    close(job->listener);
    if (job->machine < 0) {
        job->machine = 0;
        return false;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* processes that their parents leave behind can be found */
    return true;
}

void ncs_exec_job_tell_end(int alive)
{
    if (alive >= 0 && write(alive, "", 1) < 0)
        return; /* there is no machine any more, or it has not read what it was told before */
}

enum { DESCENDANTS_DEEP = 64 };

struct descent {
    int signal;
    pid_t except;
    int depth;
};

/* Those below it first. */
static bool descend(pid_t process, void *arg)
{
    struct descent *d = arg;
    if (process == d->except)
        return false;
    if (d->depth++ < DESCENDANTS_DEEP)
        ncs_each_child(process, descend, d);
    if (--d->depth > 0)
        kill(process, d->signal);
    return false;
}

/* To the processes that this one has started, and those that these have started, except one and those that it has
 * started; 0 = none is left out. */
static void signal_descendants(int signal, pid_t except)
{
    descend(getpid(), &(struct descent){ .signal = signal, .except = except });
}

/* Takes their statuses if they are the caller's children. */
static void kill_descendants(void)
{
    signal_descendants(SIGKILL, 0);
    while (waitpid(-1, NULL, 0) > 0)
        continue;
}

/* Waits for a child. Returns its number. */
static pid_t job_wait_any(int *how)
{
    pid_t ended;
    while ((ended = waitpid(-1, how, 0)) < 0 && errno == EINTR)
        continue;
    return ended;
}

/* The machine has ended the job: its report is printed. A launcher may end its processes in its own way first. */
static void job_end_program(pid_t program, int *how)
{
    static const int signals[] = { 0, SIGTERM };
    pid_t ended = 0;
    for (size_t i = 0; i < sizeof signals / sizeof *signals && ended == 0; i++) {
        int64_t until = ncs_clock() + GRACE_NS;
        kill(program, signals[i]);
        while ((ended = waitpid(program, how, WNOHANG)) == 0 && ncs_clock() < until)
            nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
    }
    if (ended == 0) {
        kill(program, SIGKILL);
        while (waitpid(program, how, 0) < 0 && errno == EINTR)
            continue;
    }
    kill_descendants();
}

/* The program has ended by a signal, and its processes have some time to end, too: then they get SIGTERM, and later SIGKILL. */
struct job_rest {
    int64_t next; /* when to send the next signal; 0 = not begun */
    int signal;
};

static void job_end_rest(const struct ncs_exec_job *job, struct job_rest *r)
{
    int64_t now = ncs_clock();
    if (r->next && now < r->next)
        return;
    if (r->next) {
        signal_descendants(r->signal, job->machine);
        r->signal = SIGKILL;
    }
    r->next = now + GRACE_NS;
}

static void job_note_machine(struct ncs_exec_job *job, int how)
{
    job->machine = 0;
    job->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    job->status = WIFEXITED(how) ? WEXITSTATUS(how) : 0;
}

/* Waits for the machine, which goes on until the last process of the job has ended. */
static void job_wait_rest(struct ncs_exec_job *job, const volatile sig_atomic_t *stopped)
{
    struct job_rest rest = { .signal = SIGTERM };
    int status;
    for (pid_t child; job->machine && ((child = waitpid(-1, &status, WNOHANG)) >= 0 || errno == EINTR);) {
        if (child == job->machine)
            job_note_machine(job, status);
        if (child != 0)
            continue;
        if (*stopped)
            job_end_rest(job, &rest);
        nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
    }
}

void ncs_exec_job_wait(struct ncs_exec_job *job, volatile sig_atomic_t *program, const volatile sig_atomic_t *stopped, int *how)
{
    pid_t number = (pid_t)*program, child = 0;
    int status;
    while (child != number && (child = job_wait_any(&status)) > 0 && child != job->machine)
        continue;
    if (child == number) {
        *how = status;
        *program = 0;
        close(job->alive);
        job_wait_rest(job, stopped);
    } else {
        job_note_machine(job, status);
        job_end_program(number, how);
        *program = 0;
        close(job->alive);
    }
    job->alive = -1;
}
