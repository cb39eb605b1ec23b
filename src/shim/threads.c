/* Inspects the threads of the program by /proc, on Linux: the system call that each one is in, and the
 * time that it has run. In a job of many processes, the program is all of them. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "shim/many/job.h"
#include "shim/many/server.h"
#include "shim/shim.h"
#include "sim/comm/init.h"
#include "sim/kernel/foreign.h"

#define BETWEEN_LOOKS_NS (10 * 1000000)

/* The bits of a futex call's operation without its flags. */
#define FUTEX_OPERATION 0x7f
#define FUTEX_WAITS ((uint64_t)1 << 0 | (uint64_t)1 << 6 | (uint64_t)1 << 9 | (uint64_t)1 << 13)

struct seen {
    pid_t thread;
    uint64_t ran; /* ns on a processor */
};

struct look {
    int64_t patience; /* -1 = none */
    int64_t idle;     /* for how long nothing has changed, ns */
    struct seen *seen;
    size_t count, room;
    bool outside; /* threads of other processes wait outside of calls */
    bool helpers; /* threads that have made no call wait for messages from outside */
    bool acts;    /* a thread that acts on communicators waits outside of calls */
    bool rests;   /* one that does not rests: it may be what the other waits for */
    bool begins;  /* to rest */
};

/* A thread's folder in /proc. */
struct task {
    const char *process; /* its number, or "self" */
    const char *thread;
};

static bool read_line(struct task task, const char *name, char *line, size_t room)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%.16s/task/%.16s/%s", task.process, task.thread, name);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    bool fine = fgets(line, (int)room, f) != NULL;
    fclose(f);
    return fine;
}

/* True if the thread waits for another thread, without a timeout. Other waits (for a file, a socket, a
 * time) may end by an event from outside. */
static bool waits_for_thread(struct task thread)
{
    char line[256];
    long number;
    uint64_t address, operation, value, timeout;
    if (!read_line(thread, "syscall", line, sizeof line) ||
        sscanf(line, "%ld 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64, &number, &address, &operation, &value,
               &timeout) != 5)
        return false;
#ifdef SYS_futex_waitv
    if (number == SYS_futex_waitv)
        return timeout == 0;
#endif
    operation &= FUTEX_OPERATION;
    return number == SYS_futex && timeout == 0 && operation < 64 && (FUTEX_WAITS >> operation & 1) != 0;
}

#define LONG_NS ((uint64_t)60 * 1000000000)

/* A system call that waits for something outside of the program; `limit` is its argument with a time in ms, or a pointer to a
 * time if it is below 0: then a wait without one counts. 0 = it has none. */
static const struct {
    long number;
    int limit;
} outside_waits[] = {
#ifdef SYS_poll
    { SYS_poll, 2 },
#endif
#ifdef SYS_epoll_wait
    { SYS_epoll_wait, 3 },
#endif
#ifdef SYS_select
    { SYS_select, -4 },
#endif
    { SYS_epoll_pwait, 3 }, { SYS_ppoll, -2 }, { SYS_pselect6, -4 }, { SYS_read, 0 },  { SYS_recvfrom, 0 },
    { SYS_recvmsg, 0 },     { SYS_accept, 0 }, { SYS_accept4, 0 },   { SYS_wait4, 0 }, { SYS_waitid, 0 },
};

/* True if the thread waits for a message or another process, for a minute at least. Libraries of launchers have such threads. */
static bool waits_outside(struct task thread)
{
    char line[256];
    long number;
    uint64_t argument[6];
    if (!read_line(thread, "syscall", line, sizeof line) ||
        sscanf(line, "%ld 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64, &number, &argument[0],
               &argument[1], &argument[2], &argument[3], &argument[4]) != 6)
        return false;
    for (size_t i = 0; i < sizeof outside_waits / sizeof *outside_waits; i++) {
        int limit = outside_waits[i].limit;
        if (outside_waits[i].number != number)
            continue;
        int64_t given = (int32_t)argument[limit < 0 ? -limit : limit];
        return limit == 0 || (limit < 0 ? argument[-limit] == 0 : given < 0 || (uint64_t)given * 1000000 >= LONG_NS);
    }
    return false;
}

static bool time_ran(struct task thread, uint64_t *ran)
{
    char line[128];
    return read_line(thread, "schedstat", line, sizeof line) && sscanf(line, "%" SCNu64, ran) == 1;
}

/* Threads of frameworks that watch others and make no call of a rank's own, by the beginnings of their names. They sleep
 * with a time limit, after which they look again (PyTorch 2.15: ProcessGroupNCCL.cpp names its watchdog, its heartbeat
 * and its recorder so; TCPStoreBackend its server). */
static bool is_helper(struct task thread)
{
    static const char *const names[] = { "pt_nccl_", "pt_tcpstore", "pt_autograd" };
    char line[64];
    if (!read_line(thread, "comm", line, sizeof line))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(line, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

bool ncs_shim_has_children(void)
{
    DIR *tasks = opendir("/proc/self/task");
    char line[64];
    bool found = false;
    for (struct dirent *e; tasks && !found && (e = readdir(tasks));)
        found = e->d_name[0] != '.' && read_line((struct task){ "self", e->d_name }, "children", line, sizeof line);
    if (tasks)
        closedir(tasks);
    return found;
}

/* '\0' = it has ended. */
static char task_state(struct task thread)
{
    char line[512];
    const char *state = read_line(thread, "stat", line, sizeof line) ? strrchr(line, ')') : NULL;
    return state && state[1] != '\0' ? state[2] : '\0';
}

/* A thread rests if it sleeps or waits, for anything, and has used next to no processor time for a part of the patience. */
#define REST_PART 8
#define REST_WORK 10 /* one part of so many */

static struct {
    struct seen seen;
    int64_t idle;
} * resting;
static size_t restings, restings_room;

/* Threads that act on no communicator (a progress bar, a logger) need not wait for another thread: they may rest. */
static bool task_rests(struct look *out, struct task task)
{
    struct seen now = { .thread = (pid_t)atoi(task.thread) };
    size_t i = 0;
    if (out->patience < 0 || task_state(task) != 'S' || !time_ran(task, &now.ran))
        return false;
    while (i < restings && resting[i].seen.thread != now.thread)
        i++;
    if (i == restings)
        NCS_PUSH(resting, restings, restings_room, ((__typeof__(*resting)){ now, out->idle }));
    int64_t time = out->idle - resting[i].idle;
    if (now.ran - resting[i].seen.ran > (uint64_t)time / REST_WORK)
        resting[i] = (__typeof__(*resting)){ now, out->idle };
    out->begins |= out->idle - resting[i].idle < out->patience / REST_PART;
    out->rests = true;
    return true;
}

/* With patience, threads that poll or watch count as waiting, too. */
static bool is_left_out(struct task task, int64_t patience)
{
    pid_t thread = (pid_t)atoi(task.thread);
    return sim_foreign_is_waiting(thread) || ncs_shim_is_watch(thread) || job_owns(thread) ||
           (patience >= 0 && (sim_foreign_is_polling(thread, patience) || is_helper(task)));
}

/* The same for a thread of another process, whose calls a thread of this one makes: *own. *wait gets false if a call is on its way
 * that is not one of a thread that polls. */
static bool is_left_out_there(struct task task, struct look *out, pid_t *own, bool *wait)
{
    enum job_thread does = job_thread((pid_t)atoi(task.process), (pid_t)atoi(task.thread), own);
    bool polls = out->patience >= 0 && *own && sim_foreign_is_polling(*own, out->patience);
    switch (does) {
    case JOB_SERVED: *wait = polls || sim_foreign_is_waiting(*own); return true;
    case JOB_CALLS: *wait = polls; return true;
    case JOB_RESTS: return true;
    case JOB_UNKNOWN:
        if (!waits_outside(task))
            break;
        out->helpers = true;
        return true;
    case JOB_OUTSIDE: break;
    }
    return polls || (out->patience >= 0 && is_helper(task));
}

/* False as soon as a thread of the process is found that may continue by itself. */
static bool task_look(struct look *out, const char *process)
{
    char path[64];
    bool here = strcmp(process, "self") == 0;
    snprintf(path, sizeof path, "/proc/%.16s/task", process);
    DIR *tasks = opendir(path);
    bool wait = tasks != NULL; /* else the process has ended, and the machine hears of it next */
    for (struct dirent *e; tasks && wait && (e = readdir(tasks));) {
        struct task task = { process, e->d_name };
        struct seen seen = { .thread = (pid_t)atoi(e->d_name) };
        pid_t own = here ? seen.thread : 0;
        if (seen.thread <= 0 || (here ? is_left_out(task, out->patience) : is_left_out_there(task, out, &own, &wait)))
            continue;
        bool acts = sim_foreign_acts(own);
        out->acts |= acts;
        if (!waits_for_thread(task)) {
            wait = !acts && task_rests(out, task);
            continue;
        }
        wait = time_ran(task, &seen.ran);
        out->outside |= !here;
        NCS_PUSH(out->seen, out->count, out->room, seen);
    }
    if (tasks)
        closedir(tasks);
    return wait;
}

static bool look_there(pid_t process, void *out)
{
    char number[16];
    snprintf(number, sizeof number, "%d", (int)process);
    return task_look(out, number);
}

/* True if the thread waits for another process to end. */
static bool waits_for_process(struct task thread)
{
    char line[256];
    long number;
    return read_line(thread, "syscall", line, sizeof line) && sscanf(line, "%ld", &number) == 1 &&
           (number == SYS_wait4 || number == SYS_waitid);
}

/* The thread that watches the time limit there, while that process has made no call. */
static bool is_watch_there(struct task thread)
{
    char line[64];
    return read_line(thread, "comm", line, sizeof line) && strcmp(line, NCS_SHIM_WATCH_NAME "\n") == 0;
}

/* A process that is no part of the job so far will not join it by itself. */
static bool look_at_stranger(pid_t process, enum stranger kind)
{
    char path[64], number[16];
    bool waits = true;
    snprintf(number, sizeof number, "%d", (int)process);
    snprintf(path, sizeof path, "/proc/%s/task", number);
    DIR *tasks = opendir(path);
    for (struct dirent *e; tasks && waits && (e = readdir(tasks));) {
        struct task task = { number, e->d_name };
        if (e->d_name[0] != '.')
            waits = strchr("ZX", task_state(task)) || is_watch_there(task) || waits_for_process(task) ||
                    (kind == STRANGER_LAUNCHES && (waits_outside(task) || waits_for_thread(task)));
    }
    if (tasks)
        closedir(tasks);
    return waits;
}

static bool look(struct look *out)
{
    bool wait = !sim_foreign_is_entered(out->patience) && task_look(out, "self");
    if (wait && server_is_open())
        wait = !server_is_greeting() && !server_is_ending() && job_each_process(look_there, out);
    if (wait && server_is_open() && (out->outside || sim_rendezvous_is_open())) /* a rank may be late, or hold a lock */
        wait = strangers_each(look_at_stranger);
    if (wait && server_is_open()) /* one that has been looked at may have come meanwhile */
        wait = !server_is_greeting();
    return wait && !(out->rests && out->acts) && !out->begins && !sim_foreign_is_entered(out->patience);
}

/* True if two looks agree: no thread is new, gone or has run meanwhile. */
static bool same(const struct look *a, const struct look *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->seen[i].thread != b->seen[i].thread || a->seen[i].ran != b->seen[i].ran)
            return false;
    return true;
}

static bool helpers_wait;

bool ncs_shim_helpers_wait(void)
{
    return helpers_wait;
}

bool ncs_shim_all_wait(int64_t patience, int64_t idle)
{
    static int64_t idle_before;
    struct look first = { .patience = patience, .idle = idle }, second = first;
    if (idle < idle_before)
        restings = 0;
    idle_before = idle;
    bool wait = idle >= patience - patience / REST_PART && look(&first) && idle >= patience;
    if (wait) {
        nanosleep(&(struct timespec){ .tv_nsec = BETWEEN_LOOKS_NS }, NULL);
        wait = look(&second) && same(&first, &second);
    }
    helpers_wait = wait && (second.helpers || second.rests);
    ncs_free(first.seen);
    ncs_free(second.seen);
    return wait;
}
