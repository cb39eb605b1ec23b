/* Inspects the threads of the program by /proc, on Linux: the system call that each one is in, and the
 * time that it has run. In a job of many processes, the program is all of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/processes.h"
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
    pid_t process;    /* whose threads are looked at */
    struct seen *seen;
    size_t count, room;
    bool outside; /* threads of other processes wait outside of calls */
    bool helpers; /* threads that have made no call wait for messages from outside */
    bool acts;    /* a thread that acts on communicators waits outside of calls */
    bool rests;   /* one that does not rests: it may be what the other waits for */
    bool begins;  /* to rest */
};

/* A thread of a process; 0 = of this one. */
struct task {
    pid_t process, thread;
};

static bool read_line(struct task task, const char *name, char *line, size_t room)
{
    return ncs_task_line(task.process, task.thread, name, line, room);
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

static bool is_any_child(pid_t child, void *arg)
{
    (void)child, (void)arg;
    return true;
}

bool ncs_shim_has_children(void)
{
    return ncs_each_child(0, is_any_child, NULL);
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
    struct seen now = { .thread = task.thread };
    size_t i = 0;
    if (out->patience < 0 || ncs_task_state(task.process, task.thread) != 'S' || !time_ran(task, &now.ran))
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
    pid_t thread = task.thread;
    return sim_foreign_is_waiting(thread) || ncs_shim_is_watch(thread) || job_owns(thread) ||
           (patience >= 0 && (sim_foreign_is_polling(thread, patience) || is_helper(task)));
}

/* The same for a thread of another process, whose calls a thread of this one makes: *own. *wait gets false if a call is on its way
 * that is not one of a thread that polls. */
static bool is_left_out_there(struct task task, struct look *out, pid_t *own, bool *wait)
{
    enum job_thread does = job_thread(task.process, task.thread, own);
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

/* True for a thread that may continue by itself. */
static bool task_look(pid_t thread, void *of)
{
    struct look *out = of;
    struct task task = { out->process, thread };
    struct seen seen = { .thread = thread };
    bool here = out->process == 0, wait = true;
    pid_t own = here ? thread : 0;
    if (here ? is_left_out(task, out->patience) : is_left_out_there(task, out, &own, &wait))
        return !wait;
    bool acts = sim_foreign_acts(own);
    out->acts |= acts;
    if (!waits_for_thread(task))
        return acts || !task_rests(out, task);
    wait = time_ran(task, &seen.ran);
    out->outside |= !here;
    NCS_PUSH(out->seen, out->count, out->room, seen);
    return !wait;
}

/* Where the process has ended, the machine hears of it next. */
static bool look_there(pid_t process, void *of)
{
    struct look *out = of;
    out->process = process;
    return ncs_each_task(process, task_look, out) == 0;
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

struct stranger_look {
    pid_t process;
    enum stranger kind;
};

static bool stranger_acts(pid_t thread, void *of)
{
    const struct stranger_look *s = of;
    struct task task = { s->process, thread };
    return !strchr("ZX", ncs_task_state(s->process, thread)) && !is_watch_there(task) && !waits_for_process(task) &&
           !(s->kind == STRANGER_LAUNCHES && (waits_outside(task) || waits_for_thread(task)));
}

/* A process that is no part of the job so far will not join it by itself. */
static bool look_at_stranger(pid_t process, enum stranger kind)
{
    struct stranger_look s = { process, kind };
    return ncs_each_task(process, stranger_acts, &s) <= 0;
}

static bool look(struct look *out)
{
    bool wait = !sim_foreign_is_entered(out->patience) && look_there(0, out);
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
