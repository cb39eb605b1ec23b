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

#include "base/mem.h"
#include "shim/many/death.h"
#include "shim/many/doing.h"
#include "shim/many/serve.h"
#include "shim/shim.h"
#include "sim/cuda/outside.h"
#include "sim/data/arena.h"
#include "sim/kernel/foreign.h"

#define SERVER_OWN_MOST 4 /* threads of this process besides those that stand in */

static struct {
    atomic_bool asleep; /* no process of the program has connected so far */
    atomic_bool greets; /* a thread of the program waits for its welcome */
    bool open;
    int arena, listener;
    int alive; /* at its end, the program that exec started has ended */
    int spare; /* a descriptor to refuse a connection with */
    struct ncs_shim_settings settings;
    pthread_mutex_t lock; /* guards the lists; taken after the token, if both */
    struct server_process **process;
    size_t processes, processes_room;
    struct stand_in *first;
    pid_t own[SERVER_OWN_MOST];
    int owns;
} server = { .arena = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

static pid_t server_thread_number(void)
{
    return (pid_t)syscall(SYS_gettid);
}

/* ---- stand-ins ---- */

static void server_add(struct stand_in *s)
{
    pthread_mutex_lock(&server.lock);
    s->next = server.first;
    server.first = s;
    pthread_mutex_unlock(&server.lock);
}

static void server_remove(struct stand_in *s)
{
    pthread_mutex_lock(&server.lock);
    struct stand_in **at = &server.first;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    pthread_mutex_unlock(&server.lock);
    munmap(s->wire, sizeof *s->wire);
    close(s->socket);
    ncs_free(s);
}

/* Waits for the next request. False: the process is gone. */
static bool stand_in_hears(struct stand_in *s)
{
    for (;;) {
        int state = atomic_load(&s->wire->state), request = WIRE_REQUEST;
        if (state == WIRE_CLOSED)
            return false;
        if (state == WIRE_REQUEST && atomic_compare_exchange_strong(&s->wire->state, &request, WIRE_SERVED))
            return true;
        if (state != WIRE_REQUEST)
            wire_wait(s->wire, WIRE_MACHINE, (enum wire_state)state);
    }
}

/* A process that ends during its call has closed the wire meanwhile. */
static bool stand_in_answers(struct stand_in *s)
{
    int served = WIRE_SERVED;
    if (!atomic_compare_exchange_strong(&s->wire->state, &served, WIRE_REPLY))
        return false;
    wire_wake(s->wire); /* the client may have gone on already */
    return true;
}

static void *stand_in_main(void *arg)
{
    struct stand_in *s = arg;
    bool left = false;
    s->own = server_thread_number();
    server_add(s);
    while (!left && stand_in_hears(s)) {
        left = !serve_call(s);
        if (left)
            sim_foreign_detach();
        if (!stand_in_answers(s))
            break;
    }
    server_remove(s);
    return NULL;
}

static bool server_start_thread(void *(*main)(void *), void *arg)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, main, arg) != 0)
        return false;
    pthread_detach(thread);
    return true;
}

/* ---- functions of the program ---- */

void server_run_there(struct server_process *p, enum ncs_fn kind, void (*function)(void), const void *stream, int status,
                      const void *data)
{
    pthread_mutex_lock(&p->lock);
    while (!p->runner && !p->gone)
        pthread_cond_wait(&p->has_runner, &p->lock);
    struct wire *w = p->runner;
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_lock(&p->runs);
    if (w && !p->gone) {
        w->fn = (int)kind;
        w->arg[0].f = function;
        w->arg[1].p = data;
        w->arg[2].p = stream;
        w->arg[3].i = status;
        wire_set(w, WIRE_REQUEST);
        for (int state; (state = atomic_load(&w->state)) != WIRE_REPLY && state != WIRE_CLOSED;)
            wire_wait(w, WIRE_MACHINE, (enum wire_state)state);
        if (atomic_load(&w->state) == WIRE_REPLY)
            wire_set(w, WIRE_IDLE);
    }
    pthread_mutex_unlock(&p->runs);
}

/* ---- processes ---- */

static struct server_process *find_process(pid_t pid)
{
    for (size_t i = 0; i < server.processes; i++)
        if (server.process[i]->pid == pid && !server.process[i]->gone)
            return server.process[i];
    return NULL;
}

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
    struct server_process *p = find_process(pid);
    int probe;
    if (p)
        return p;
    p = ncs_new(sizeof *p);
    *p = (struct server_process){ .pid = pid, .number = (int)server.processes + 1 };
    p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->runs, NULL);
    pthread_cond_init(&p->has_runner, NULL);
    if (p->pidfd < 0 || !server_read(p, &probe, (const void *)SIM_ARENA_ADDRESS, 0)) {
        *why = p->pidfd < 0 ? "the machine cannot watch it (pidfd_open)" : "the machine may not read its memory (process_vm_readv)";
        ncs_free(p);
        return NULL;
    }
    choose_devices(p, hello);
    if (p->number == 1 && hello->program[0]) /* the report's title */
        program_invocation_name = ncs_copy_text(hello->program);
    pthread_mutex_lock(&server.lock);
    NCS_PUSH(server.process, server.processes, server.processes_room, p);
    pthread_mutex_unlock(&server.lock);
    sim_foreign_new_process(p->number, pid, p->device && p->devices ? p->device[0] : 0);
    return p;
}

static struct wire *map_wire(int file)
{
    struct stat at;
    if (file < 0 || fstat(file, &at) != 0 || at.st_size < (off_t)sizeof(struct wire))
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
    struct stand_in *s = ncs_new(sizeof *s);
    *s = (struct stand_in){ .process = p, .wire = wire, .socket = connection, .thread = hello->thread, .rank = -1 };
    if (server_start_thread(stand_in_main, s))
        return NULL;
    ncs_free(s);
    return "the machine can start no more threads";
}

/* Another user's program, or one of another version, is no part of the job. */
static const char *check_hello(int connection, const struct wire_hello *hello, struct ucred *peer)
{
    socklen_t bytes = sizeof *peer;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, peer, &bytes) != 0 || peer->uid != geteuid())
        return "it belongs to another user";
    if (hello->version != WIRE_VERSION || hello->bytes != sizeof(struct wire))
        return "it has the libraries of another version of ncclscript";
    return NULL;
}

static void note_own(void)
{
    server.own[server.owns++] = server_thread_number();
}

#define STALL_LOOK_NS ((int64_t)250000000)

static void *stall_main(void *arg)
{
    int64_t stall = server.settings.stall, pause = stall / 4 < STALL_LOOK_NS ? stall / 4 + 1 : STALL_LOOK_NS;
    note_own();
    for (;;) {
        nanosleep(&(struct timespec){ .tv_nsec = (long)pause }, NULL);
        ncs_shim_look_for_stall(stall);
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
    return ncs_shim_open_for_many() && (server.settings.stall <= 0 || server_start_thread(stall_main, NULL));
}

/* NCCL's variables of the first process are those of the job. */
static void adopt_variables(const struct wire_hello *hello)
{
    for (const char *v = hello->variables; *v; v += strlen(v) + 1) {
        const char *is = strchr(v, '=');
        char *name = is ? ncs_copy_text(v) : NULL;
        if (name) {
            name[is - v] = '\0';
            setenv(name, is + 1, 1);
        }
        ncs_free(name);
    }
}

/* Makes the machine for the first process. NULL = done. */
static const char *open_for(const struct wire_hello *hello)
{
    if (server.open)
        return NULL;
    adopt_variables(hello);
    return open_server() ? NULL : "there is no machine";
}

static void receive_client(int connection)
{
    struct wire_hello *hello = ncs_new(sizeof *hello);
    struct wire_welcome welcome = { .joined = false };
    struct ucred peer;
    int file = -1;
    bool heard = wire_receive(connection, hello, sizeof *hello, &file);
    const char *why = heard ? check_hello(connection, hello, &peer) : "its greeting is broken";
    hello->devices[sizeof hello->devices - 1] = hello->program[sizeof hello->program - 1] = '\0';
    hello->variables[sizeof hello->variables - 1] = hello->variables[sizeof hello->variables - 2] = '\0';
    why = why ? why : open_for(hello);
    why = why ? why : take_in(connection, peer.pid, hello, map_wire(file));
    welcome.joined = !why;
    welcome.skips_kernels = server.settings.skips_kernels;
    snprintf(welcome.why, sizeof welcome.why, "%s", why ? why : "");
    wire_send(connection, &welcome, sizeof welcome, server.arena);
    if (file >= 0)
        close(file);
    if (why)
        close(connection);
    ncs_free(hello);
}

/* ---- the end of a process ---- */

/* Its stand-ins that wait for a request end; those that are in a call never return from it. */
static void close_wires(const struct server_process *p)
{
    pthread_mutex_lock(&server.lock);
    for (struct stand_in *s = server.first; s; s = s->next)
        if (s->process == p)
            wire_set(s->wire, WIRE_CLOSED);
    pthread_mutex_unlock(&server.lock);
    if (p->runner)
        wire_set(p->runner, WIRE_CLOSED);
}

static void lose_process(struct server_process *p)
{
    struct ncs_str how = { 0 };
    pthread_mutex_lock(&p->lock);
    p->gone = true;
    pthread_cond_broadcast(&p->has_runner);
    pthread_mutex_unlock(&p->lock);
    bool lost = death_of(p->pidfd, p->pid, atomic_load(&p->exits), &how);
    sim_foreign_end_process(p->number, lost ? how.text : NULL);
    close_wires(p);
    close(p->pidfd);
    ncs_str_free(&how);
}

static bool any_process_is_left(void)
{
    bool any = false;
    for (size_t i = 0; i < server.processes; i++)
        any |= !server.process[i]->gone;
    return any;
}

/* ---- serving ---- */

/* A connection; -1 = it was refused, because no descriptor is left for it. */
static int accept_client(void)
{
    struct wire_welcome welcome = { .why = "the machine has no file descriptors left (ulimit -n)" };
    int connection = accept4(server.listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0 || (errno != EMFILE && errno != ENFILE))
        return connection;
    close(server.spare);
    connection = accept4(server.listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0) {
        wire_send(connection, &welcome, sizeof welcome, -1);
        close(connection);
    }
    server.spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return -1;
}

/* As many as the system allows. */
static void take_descriptors(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    server.spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Waits for connections and the ends of processes. Returns the connection; -1 = the program has ended. */
static int wait_for_event(void)
{
    for (;;) {
        size_t count = 0;
        struct pollfd *p = ncs_new((server.processes + 2) * sizeof *p);
        bool over = server.alive < 0 && !any_process_is_left();
        p[count++] = (struct pollfd){ .fd = server.listener, .events = POLLIN };
        p[count++] = (struct pollfd){ .fd = server.alive, .events = POLLIN };
        for (size_t i = 0; i < server.processes; i++)
            p[count++] = (struct pollfd){ .fd = server.process[i]->gone ? -1 : server.process[i]->pidfd, .events = POLLIN };
        if (!over)
            poll(p, count, -1);
        if (p[1].revents)
            server.alive = -1;
        for (size_t i = 0; i + 2 < count; i++)
            if (p[i + 2].revents)
                lose_process(server.process[i]);
        bool comes = p[0].revents & POLLIN;
        ncs_free(p);
        if (over)
            return -1;
        atomic_store(&server.greets, comes);
        int connection = comes ? accept_client() : -1;
        if (connection >= 0)
            return connection;
    }
}

int ncs_many_serve(int listener, int alive)
{
    server.listener = listener;
    server.alive = alive;
    atomic_store(&server.asleep, true);
    note_own();
    take_descriptors();
    for (int connection; (connection = wait_for_event()) >= 0; atomic_store(&server.greets, false))
        receive_client(connection);
    return 0;
}

void ncs_many_end_clients(void)
{
    for (size_t i = 0; i < server.processes; i++)
        if (!server.process[i]->gone)
            syscall(SYS_pidfd_send_signal, server.process[i]->pidfd, SIGKILL, NULL, 0);
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

bool server_is_greeting(void)
{
    struct pollfd p = { .fd = server.listener, .events = POLLIN };
    return atomic_load(&server.greets) || poll(&p, 1, 0) > 0;
}

bool server_owns(pid_t thread)
{
    bool owned = false;
    for (int i = 0; i < server.owns; i++)
        owned |= server.own[i] == thread;
    pthread_mutex_lock(&server.lock);
    for (const struct stand_in *s = server.first; s && !owned; s = s->next)
        owned = s->own == thread;
    pthread_mutex_unlock(&server.lock);
    return owned;
}

bool server_has_process(pid_t process)
{
    pthread_mutex_lock(&server.lock);
    bool has = find_process(process) != NULL;
    pthread_mutex_unlock(&server.lock);
    return has;
}

bool server_each_process(bool (*look)(pid_t process, void *arg), void *arg)
{
    bool all = true;
    size_t count = 0;
    pthread_mutex_lock(&server.lock);
    pid_t *pid = ncs_new((server.processes + 1) * sizeof *pid);
    for (size_t i = 0; i < server.processes; i++)
        if (!server.process[i]->gone)
            pid[count++] = server.process[i]->pid;
    pthread_mutex_unlock(&server.lock);
    for (size_t i = 0; all && i < count; i++)
        all = look(pid[i], arg);
    ncs_free(pid);
    return all;
}

/* The threads that are in no call, by process and thread, for server_each_outside. */
struct outside {
    pid_t process, thread;
    int rank;
};

/* Calls `look` for each thread of the job that has made calls and is in none now. */
static bool server_each_outside(bool (*look)(const struct outside *o, void *arg), void *arg)
{
    bool all = true;
    pthread_mutex_lock(&server.lock);
    for (const struct stand_in *s = server.first; s && all; s = s->next) {
        struct outside o = { s->process->pid, s->thread, s->rank };
        int state = atomic_load(&s->wire->state);
        all = s->process->gone || state == WIRE_SERVED || (state == WIRE_IDLE && look(&o, arg));
    }
    pthread_mutex_unlock(&server.lock);
    return all;
}

static bool outside_waits(const struct outside *o, void *arg)
{
    (void)arg;
    return *doing_name(o->process, o->thread) != '\0';
}

bool server_is_stalled(void)
{
    return server_each_outside(outside_waits, NULL);
}

static bool outside_list(const struct outside *o, void *arg)
{
    if (o->rank >= 0)
        ncs_str_addf(arg, "; rank %d (process %d) is in no call and %s", o->rank, (int)o->process, doing_name(o->process, o->thread));
    else if (o->process == o->thread)
        ncs_str_addf(arg, "; process %d, which has no rank so far, is in no call and %s", (int)o->process,
                     doing_name(o->process, o->thread));
    return true;
}

void server_list_outside(struct ncs_str *out)
{
    server_each_outside(outside_list, out);
}

enum server_thread server_thread(pid_t process, pid_t thread, pid_t *own)
{
    enum server_thread does = SERVER_UNKNOWN;
    pthread_mutex_lock(&server.lock);
    for (size_t i = 0; i < server.processes; i++) {
        const struct server_process *p = server.process[i];
        if (p->pid == process && p->runner && p->runner_thread == thread && atomic_load(&p->runner->state) == WIRE_IDLE)
            does = SERVER_RESTS;
    }
    for (const struct stand_in *s = server.first; s; s = s->next)
        if (s->process->pid == process && s->thread == thread) {
            int state = atomic_load(&s->wire->state);
            does = state == WIRE_SERVED ? SERVER_SERVED : state == WIRE_IDLE ? SERVER_OUTSIDE : SERVER_CALLS;
            *own = s->own;
        }
    pthread_mutex_unlock(&server.lock);
    return does;
}
