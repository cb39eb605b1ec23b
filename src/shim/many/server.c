#define _GNU_SOURCE /* accept4, syscall, struct ucred */
#include "shim/many/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/thread.h"
#include "shim/many/job.h"
#include "shim/many/serve.h"
#include "shim/shim.h"
#include "sim/cuda/outside.h"
#include "sim/data/arena.h"
#include "sim/data/caller.h"
#include "sim/kernel/foreign.h"

/* A connection that sends no greeting for so long is closed. Others are heard meanwhile. */
#define GREETING_NS ((int64_t)2000000000)

/* For the processes of a program that was told to end: one after the other they stop waiting for each other. */
#define ENDING_NS ((int64_t)2000000000)

/* A process of this user that has connected, and has not greeted so far. */
struct silent {
    int connection;
    int64_t since;
};

static struct {
    struct silent *silent;
    size_t silents, silents_room; /* oldest first */
    atomic_bool asleep;           /* no process of the program has connected so far */
    atomic_bool greets;           /* a thread of the program waits for its welcome */
    bool open;
    int arena, listener;
    int alive;             /* as of ncs_many_serve; -1 = at its end */
    atomic_llong told_end; /* when, ns; 0 = never */
    struct ncs_shim_settings settings;
} server = { .arena = -1 };

/* ---- processes ---- */

/* CUDA_VISIBLE_DEVICES of the process. */
static void choose_devices(struct server_process *p, const struct wire_hello *hello)
{
    int *device = hello->lists_devices ? ncs_new((size_t)server.settings.devices * sizeof *device) : NULL;
    p->devices = device ? sim_outside_visible(hello->devices, server.settings.devices, device) : server.settings.devices;
    p->device = device;
}

/* The process behind the connection; NULL with `why` if it cannot belong to the job. */
static struct server_process *welcome_process(pid_t pid, const struct wire_hello *hello, const char **why)
{
    struct server_process *p = job_find(pid);
    int probe;
    if (p)
        return p;
    p = ncs_new(sizeof *p);
    *p = (struct server_process){ .pid = pid, .number = (int)job_processes() + 1 };
    p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->lates.lock, NULL);
    pthread_mutex_init(&p->runs, NULL);
    pthread_cond_init(&p->has_runner, NULL);
    if (p->pidfd < 0 || !sim_caller_read(p->pid, &probe, (const void *)SIM_ARENA_ADDRESS, 0)) {
        *why = p->pidfd < 0 ? "the machine cannot watch it (pidfd_open)"
                            : "the machine may not read its memory (process_vm_readv)";
        ncs_free(p);
        return NULL;
    }
    choose_devices(p, hello);
    if (p->number == 1 && hello->program[0]) /* the report's title */
        program_invocation_name = ncs_copy_text(hello->program);
    p->variables = variables_copy(hello->variables);
    job_add_process(p);
    sim_foreign_new_process(p->number, pid, p->device && p->devices ? p->device[0] : 0, p->variables);
    return p;
}

/* Memory that could shrink would end this process. */
static struct wire *map_wire(int file)
{
    struct stat at;
    int seals = file >= 0 ? fcntl(file, F_GET_SEALS) : -1;
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(file, &at) != 0 || at.st_size < (off_t)sizeof(struct wire))
        return NULL;
    void *wire = mmap(NULL, sizeof(struct wire), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return wire == MAP_FAILED ? NULL : wire;
}

static void set_runner(struct server_process *p, struct wire *wire, pid_t thread)
{
    pthread_mutex_lock(&p->lock);
    p->runner = wire;
    p->runner_thread = thread;
    pthread_cond_broadcast(&p->has_runner);
    pthread_mutex_unlock(&p->lock);
}

/* Takes the wire. NULL = welcome. */
static const char *take_in(int connection, pid_t pid, const struct wire_hello *hello, struct wire *wire)
{
    const char *why = "the machine cannot map the memory of its calls";
    struct server_process *p = wire ? welcome_process(pid, hello, &why) : NULL;
    if (!p)
        return why;
    if (hello->runs_functions) {
        set_runner(p, wire, hello->thread);
        return NULL;
    }
    struct stand_in s = { .process = p, .wire = wire, .socket = connection, .thread = hello->thread, .rank = -1 };
    return stand_in_start(&s) ? NULL : "the machine can start no more threads";
}

/* Who has connected: of another user, nothing is read. */
static bool is_own_user(int connection, struct ucred *peer)
{
    socklen_t bytes = sizeof *peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, peer, &bytes) == 0 && peer->uid == geteuid();
}

static const char *check_hello(const struct wire_hello *hello)
{
    if (hello->version != WIRE_VERSION || hello->bytes != sizeof(struct wire))
        return "it has the libraries of another version of ncclscript";
    return NULL;
}

#define STALL_LOOK_NS ((int64_t)250000000)

static void *stall_main(void *arg)
{
    int64_t stall = server.settings.stall, pause = stall / 4 < STALL_LOOK_NS ? stall / 4 + 1 : STALL_LOOK_NS;
    job_note_own();
    for (;;) {
        nanosleep(&(struct timespec){ .tv_nsec = (long)pause }, NULL);
        stall_look(stall);
    }
    return arg;
}

static bool open_server(void)
{
    server.arena = sim_arena_open();
    if (server.arena < 0) {
        ncs_shim_warn("no memory for a job of many processes: %s", strerror(errno));
        return false;
    }
    server.open = true;
    atomic_store(&server.asleep, false);
    ncs_shim_read_settings(&server.settings);
    return ncs_shim_open_for_many() && (server.settings.stall <= 0 || ncs_thread_start(NULL, NULL, stall_main, NULL) == 0);
}

/* Makes the machine for the first process. NULL = done. */
static const char *open_for(const struct wire_hello *hello)
{
    if (server.open)
        return NULL;
    variables_adopt(hello->variables);
    return open_server() ? NULL : "there is no machine";
}

_Noreturn void server_end_short(const char *why, int error)
{
    ncs_shim_warn("%s: %s", why, strerror(error));
    ncs_mem_end();
}

static void receive_client(int connection)
{
    struct wire_hello *hello = ncs_new(sizeof *hello);
    struct wire_welcome welcome = { .joined = false };
    struct ucred peer;
    int file = -1;
    bool heard = is_own_user(connection, &peer) && wire_receive(connection, hello, sizeof *hello, &file);
    errno = heard ? 0 : errno;
    const char *why = heard ? check_hello(hello) : "its greeting is broken";
    hello->devices[sizeof hello->devices - 1] = hello->program[sizeof hello->program - 1] = '\0';
    hello->variables[sizeof hello->variables - 1] = hello->variables[sizeof hello->variables - 2] = '\0';
    why = why ? why : open_for(hello);
    struct wire *wire = why ? NULL : map_wire(file);
    why = why ? why : take_in(connection, peer.pid, hello, wire);
    if (why && ncs_status_of(errno) == NCS_NO_MEMORY)
        server_end_short(why, errno);
    welcome.joined = !why;
    welcome.skips_kernels = server.settings.skips_kernels;
    snprintf(welcome.why, sizeof welcome.why, "%s", why ? why : "");
    wire_send(connection, &welcome, sizeof welcome, server.arena);
    if (wire && !why)
        atomic_store(&wire->greeted, true);
    if (file >= 0)
        close(file);
    if (why)
        close(connection);
    ncs_free(hello);
}

/* ---- the end of a process ---- */

static void lose_process(struct server_process *p)
{
    struct ncs_str how = { 0 };
    pthread_mutex_lock(&p->lock);
    p->gone = true;
    pthread_cond_broadcast(&p->has_runner);
    pthread_mutex_unlock(&p->lock);
    bool lost = death_of(p->pidfd, p->pid, atomic_load(&p->exits), &how);
    if (!lost && p->status)
        ncs_str_addf(&how, "its exit with status %d", p->status);
    lost |= p->status != 0;
    p->death = lost ? ncs_str_take(&how) : NULL;
    sim_foreign_end_process(p->number, p->death);
    job_close_wires(p);
    close(p->pidfd);
}

static bool any_process_is_left(void)
{
    bool any = false;
    for (size_t i = 0; i < job_processes(); i++)
        any |= !job_process(i)->gone;
    return any;
}

/* ---- serving ---- */

static void drop_silent(size_t i, bool hangs_up)
{
    if (hangs_up)
        close(server.silent[i].connection);
    memmove(server.silent + i, server.silent + i + 1, (--server.silents - i) * sizeof *server.silent);
}

/* A connection; -1 = it was refused: it is another user's. */
static int accept_client(void)
{
    struct ucred peer;
    int connection = accept4(server.listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0 && !is_own_user(connection, &peer)) {
        close(connection);
        return -1;
    }
    if (connection >= 0 || (errno != EMFILE && errno != ENFILE))
        return connection;
    if (server.silents > 0) { /* the one that comes now may greet */
        drop_silent(0, true);
        return accept4(server.listener, NULL, NULL, SOCK_CLOEXEC);
    }
    server_end_short("the machine has no file descriptors left (ulimit -n)", errno);
}

/* As many as the system allows. */
static void take_descriptors(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

static void hear_exec(void)
{
    char byte;
    if (read(server.alive, &byte, 1) == 1)
        atomic_store(&server.told_end, ncs_clock());
    else
        server.alive = -1;
}

/* Which of them greets now; -1 = none. Those that have been silent for too long are closed. */
static int hear_silent(const struct pollfd *p)
{
    int connection = -1;
    for (size_t i = server.silents; i-- > 0;) {
        bool speaks = p[i].revents != 0 && connection < 0;
        if (speaks)
            connection = server.silent[i].connection;
        if (speaks || ncs_clock() - server.silent[i].since >= GREETING_NS)
            drop_silent(i, !speaks);
    }
    return connection;
}

/* Until the oldest has been silent for too long; -1 = there is none. */
static int ms_until_silence(void)
{
    int64_t rest = server.silents > 0 ? GREETING_NS - (ncs_clock() - server.silent[0].since) : 0;
    return server.silents == 0 ? -1 : rest > 0 ? (int)(rest / 1000000) + 1 : 0;
}

/* Waits for greetings and the ends of processes. Returns the connection that greets; -1 = the program has ended. */
static int wait_for_event(void)
{
    for (int connection = -1;;) {
        size_t count = 0, first = 2 + job_processes();
        struct pollfd *p = ncs_new((first + server.silents) * sizeof *p);
        bool over = server.alive < 0 && !any_process_is_left();
        p[count++] = (struct pollfd){ .fd = server.listener, .events = POLLIN };
        p[count++] = (struct pollfd){ .fd = server.alive, .events = POLLIN };
        for (size_t i = 0; i < job_processes(); i++)
            p[count++] = (struct pollfd){ .fd = job_process(i)->gone ? -1 : job_process(i)->pidfd, .events = POLLIN };
        for (size_t i = 0; i < server.silents; i++)
            p[count++] = (struct pollfd){ .fd = server.silent[i].connection, .events = POLLIN };
        if (!over)
            poll(p, count, ms_until_silence());
        if (p[1].revents)
            hear_exec();
        for (size_t i = 0; i + 2 < first; i++)
            if (p[i + 2].revents)
                lose_process(job_process(i));
        if (!over)
            connection = hear_silent(p + first);
        bool comes = p[0].revents & POLLIN;
        ncs_free(p);
        if (over)
            return -1;
        atomic_store(&server.greets, comes || connection >= 0 || server.silents > 0);
        if (connection >= 0)
            return connection;
        connection = comes ? accept_client() : -1;
        if (connection >= 0)
            NCS_PUSH(server.silent, server.silents, server.silents_room, ((struct silent){ connection, ncs_clock() }));
    }
}

int ncs_many_serve(int listener, int alive)
{
    server.listener = listener;
    server.alive = alive;
    atomic_store(&server.asleep, true);
    job_note_own();
    take_descriptors();
    for (int connection; (connection = wait_for_event()) >= 0; atomic_store(&server.greets, server.silents > 0))
        receive_client(connection);
    return 0;
}

void ncs_many_end_clients(void)
{
    for (size_t i = 0; i < job_processes(); i++)
        if (!job_process(i)->gone)
            syscall(SYS_pidfd_send_signal, job_process(i)->pidfd, SIGKILL, NULL, 0);
}

/* ---- what the threads of the job do ---- */

bool server_is_asleep(void)
{
    return atomic_load(&server.asleep);
}

bool server_is_open(void)
{
    return server.open;
}

bool server_is_ending(void)
{
    int64_t told = atomic_load(&server.told_end);
    return told && ncs_clock() - told < ENDING_NS;
}

bool server_is_greeting(void)
{
    struct pollfd p = { .fd = server.listener, .events = POLLIN };
    return atomic_load(&server.greets) || poll(&p, 1, 0) > 0;
}
