#define _GNU_SOURCE /* memfd_create, program_invocation_name */
#include "shim/many/client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/interpreter.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/thread.h"
#include "shim/many/wire.h"
#include "sim/data/arena.h"

/* One thread's connection. */
struct client_thread {
    struct wire *wire;
    int socket;
    struct ncs_str message;
};

static _Thread_local struct client_thread *mine; /* a pointer only: these libraries have little room for such */
static pthread_key_t client_key;
static _Thread_local bool in_function; /* the thread runs a host function of a stream */
static bool client_skips, client_on;
static pid_t client_pid;                                        /* a process that is forked from it has no part in the job */
static pthread_mutex_t client_lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct ncs_map client_described;                         /* by site: the machine knows it */
static bool runs_functions;
static struct ncs_api client_table;

bool client_is_wanted(const char *launcher, bool single)
{
    const char *how = getenv("NCCLSCRIPT_PROCESSES");
    if (!getenv(NCS_JOB) || (how && strcmp(how, "one") == 0))
        return false;
    return (how && strcmp(how, "many") == 0) || launcher || (!single && relatives_are_there());
}

/* The machine ends the job when it has reported, and the program has nobody to talk to. */
static _Noreturn void client_end(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* ---- connections ---- */

static int client_connect(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *name = getenv(NCS_JOB);
    size_t bytes = strcspn(name, "@");
    int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (bytes > sizeof address.sun_path - 1)
        bytes = sizeof address.sun_path - 1;
    memcpy(address.sun_path + 1, name, bytes); /* an abstract name: no file stays behind */
    if (s >= 0 && connect(s, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + bytes)) != 0) {
        int error = errno;
        close(s);
        errno = error;
        return -1;
    }
    return s;
}

/* `ulimit -f` holds for memory, too; the signal would end the program without a word. */
static bool client_set_size(int file)
{
    struct sigaction before, ignored = { .sa_handler = SIG_IGN };
    sigaction(SIGXFSZ, &ignored, &before);
    bool done = ftruncate(file, sizeof(struct wire)) == 0;
    int error = errno;
    sigaction(SIGXFSZ, &before, NULL);
    errno = error;
    return done;
}

static struct wire *client_new_wire(int *file)
{
    *file = memfd_create("ncclscript call", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*file < 0 || !client_set_size(*file) || fcntl(*file, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
        return NULL;
    void *p = mmap(NULL, sizeof(struct wire), PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Those that have no room are left out. */
static void client_list_variables(char *out, size_t room)
{
    size_t at = 0;
    for (char **v = environ; v && *v; v++) {
        size_t bytes = strlen(*v) + 1;
        if (strncmp(*v, "NCCL_", strlen("NCCL_")) != 0 || bytes >= room - at)
            continue;
        memcpy(out + at, *v, bytes);
        at += bytes;
    }
}

/* Python's multiprocessing starts an interpreter without a script, from a process that runs one. */
static void client_name_program(char *out, size_t room)
{
    char parent[WIRE_PATH];
    if (!ncs_interpreter_script_of((int)getpid(), out, room) && ncs_interpreter_script_of((int)getppid(), parent, sizeof parent))
        snprintf(out, room, "%s", parent);
}

static void client_fill_hello(struct wire_hello *hello, bool runs)
{
    const char *devices = getenv("CUDA_VISIBLE_DEVICES");
    *hello = (struct wire_hello){ .version = WIRE_VERSION,
                                  .bytes = sizeof(struct wire),
                                  .thread = (pid_t)syscall(SYS_gettid),
                                  .runs_functions = runs,
                                  .lists_devices = devices != NULL };
    client_name_program(hello->program, sizeof hello->program);
    if (!hello->program[0])
        snprintf(hello->program, sizeof hello->program, "%s", program_invocation_name);
    client_list_variables(hello->variables, sizeof hello->variables);
    if (devices)
        snprintf(hello->devices, sizeof hello->devices, "%s", devices);
}

/* Sends the greeting, and hears the answer. `arena` gets the descriptor of the arena. False, with errno or welcome->why. */
static bool client_greet(int s, int memory, bool runs, struct wire_welcome *welcome, int *arena)
{
    struct wire_hello *hello = ncs_new(sizeof *hello);
    client_fill_hello(hello, runs);
    bool sent = wire_send(s, hello, sizeof *hello, memory);
    ncs_free(hello);
    return sent && wire_receive(s, welcome, sizeof *welcome, arena);
}

static void client_say_why_not(const char *why)
{
    char host[HOST_NAME_MAX + 1] = "";
    const char *at = strchr(getenv(NCS_JOB), '@');
    gethostname(host, sizeof host - 1);
    if (at && strcmp(at + 1, host) != 0)
        ncs_shim_warn("this process is on host %s, and the machine of its job is on host %s: exec simulates jobs of one host",
                      host, at + 1);
    else
        ncs_shim_warn("this process cannot join the job: %s", why);
}

/* With a machine that has been killed, a process outside of all calls would go on for ever: the system ends it when the
 * connection breaks, or at a message. */
static void client_end_with_machine(int s, bool on)
{
    fcntl(s, F_SETOWN, getpid());
    fcntl(s, F_SETSIG, SIGKILL);
    fcntl(s, F_SETFL, on ? O_ASYNC : 0);
}

static bool client_is_alone(const struct client_thread *t)
{
    struct pollfd p = { .fd = t->socket };
    return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR);
}

/* A new connection of the calling thread; NULL after a line on standard error. */
static struct client_thread *client_new_thread(bool runs, int *arena)
{
    int memory = -1, s = client_connect();
    struct wire_welcome welcome = { .joined = false };
    struct wire *wire = s >= 0 ? client_new_wire(&memory) : NULL;
    bool heard = wire && client_greet(s, memory, runs, &welcome, arena);
    int error = errno;
    if (memory >= 0)
        close(memory);
    if (!heard || !welcome.joined) {
        client_say_why_not(heard                   ? welcome.why
                           : error == ECONNREFUSED ? "its machine has ended, or is in another network namespace (a container)"
                                                   : strerror(error));
        if (s >= 0)
            close(s);
        return NULL;
    }
    struct client_thread *t = ncs_new(sizeof *t);
    *t = (struct client_thread){ .wire = wire, .socket = s };
    while (!atomic_load(&wire->greeted) && !client_is_alone(t)) /* the welcome is here, but the system may yet tell of it */
        sched_yield();
    client_end_with_machine(s, true);
    client_skips = welcome.skips_kernels;
    return t;
}

/* ---- functions of the program that the machine calls ---- */

static void client_run(const struct wire *w)
{
    struct wire_run run;
    struct ncs_carry_function f;
    memcpy(&run, w->body, sizeof run);
    if (ncs_carry_take_function(-1, run.function, run.again, &f))
        ncs_carry_run_function(&f, (const void *)(uintptr_t)run.stream, run.status);
}

/* Here the machine is the one that asks. */
static void *client_runner(void *arg)
{
    int arena = -1;
    struct client_thread *t = client_new_thread(true, &arena);
    if (arena >= 0)
        close(arena);
    while (t) {
        while (atomic_load(&t->wire->state) != WIRE_REQUEST) {
            wire_wait(t->wire, WIRE_PROGRAM, WIRE_IDLE);
            if (client_is_alone(t))
                return arg;
        }
        wire_set(t->wire, WIRE_SERVED);
        in_function = true;
        client_run(t->wire);
        wire_set(t->wire, WIRE_REPLY);
        while (atomic_load(&t->wire->state) == WIRE_REPLY) {
            wire_wait(t->wire, WIRE_PROGRAM, WIRE_REPLY);
            if (client_is_alone(t))
                return arg;
        }
    }
    return arg;
}

static void client_start_runner(void)
{
    pthread_mutex_lock(&client_lock);
    if (!runs_functions)
        ncs_thread_start(NULL, NULL, client_runner, NULL);
    runs_functions = true;
    pthread_mutex_unlock(&client_lock);
}

/* ---- calls ---- */

/* Until the machine has heard the place, each thread describes it. */
static void client_note_described(int site)
{
    pthread_mutex_lock(&client_lock);
    ncs_map_put_number(&client_described, (uint64_t)site, 1);
    pthread_mutex_unlock(&client_lock);
}

/* Waits for the answer to the request that the wire holds. */
static void client_ask(struct client_thread *t, enum wire_kind kind)
{
    struct wire *w = t->wire;
    w->kind = (int)kind;
    wire_set(w, WIRE_REQUEST);
    for (int state; (state = atomic_load(&w->state)) != WIRE_REPLY;) {
        wire_wait(w, WIRE_PROGRAM, (enum wire_state)state);
        if (atomic_load(&w->state) == state && client_is_alone(t))
            client_end();
    }
    atomic_store(&w->state, WIRE_IDLE);
    if (w->site.described)
        client_note_described(w->site.number);
    w->site.described = false;
}

static void client_set_body(struct wire *w, const void *bytes, size_t count)
{
    memcpy(w->body, bytes, count);
    w->bytes = count;
}

static bool client_send(int maker, enum ncs_fn fn, const union ncs_arg *arg, struct ncs_str *message)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    struct wire *w = mine->wire;
    (void)maker, (void)arg;
    if (message->bytes > WIRE_BODY)
        return false;
    if (info->at[NCS_ARG_HOSTFN] || info->at[NCS_ARG_STREAMFN])
        client_start_runner();
    if (info->looks) /* the processor time of a thread that polls shows whether it does anything else */
        w->ran = ncs_clock_of(CLOCK_THREAD_CPUTIME_ID);
    client_set_body(w, message->text, message->bytes);
    client_ask(mine, WIRE_CALL);
    ncs_str_clear(message);
    ncs_str_add_bytes(message, w->body, w->bytes < WIRE_BODY ? w->bytes : WIRE_BODY);
    return true;
}

static union ncs_arg client_call(enum ncs_fn fn, const union ncs_arg *arg)
{
    return ncs_carry_call(fn, arg, 0, NULL, &mine->message, client_send);
}

#define THROUGH client_call
#include "api/through.inc"

/* ---- threads ---- */

static void client_leave(void *of_thread)
{
    struct client_thread *t = of_thread;
    mine = NULL;
    if (client_pid == getpid()) {
        client_end_with_machine(t->socket, false);
        client_ask(t, WIRE_LEAVES);
    }
    munmap(t->wire, sizeof *t->wire);
    close(t->socket);
    ncs_str_free(&t->message);
    ncs_free(t);
}

static bool client_attach(int *arena)
{
    mine = client_new_thread(false, arena);
    if (mine)
        pthread_setspecific(client_key, mine);
    return mine != NULL;
}

bool client_is_on(void)
{
    return client_on;
}

/* Tells the machine, if this thread has a connection: the end of this process alone would look like its mistake. */
static void client_lacks_memory(size_t bytes)
{
    (void)bytes;
    if (client_pid == getpid() && mine && atomic_load(&mine->wire->state) == WIRE_IDLE)
        client_ask(mine, WIRE_LACKS);
}

/* Else the machine would not know it from a death. A process that was forked from this one has no part in it. */
static void client_exits(int status, void *arg)
{
    int arena = -1;
    (void)arg;
    if (client_pid != getpid() || (!mine && !client_attach(&arena))) /* this thread may have made no call */
        return;
    if (arena >= 0)
        close(arena);
    mine->wire->number = status;
    client_ask(mine, WIRE_EXITS);
}

bool client_join(void)
{
    int arena = -1;
    client_on = true;
    client_pid = getpid();
    on_exit(client_exits, NULL);
    ncs_mem_exhausted = client_lacks_memory;
    pthread_key_create(&client_key, client_leave);
    through_fill(&client_table, NULL);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* the machine copies from and to this process's memory */
    if (!client_attach(&arena))
        return false;
    bool joined = arena >= 0 && sim_arena_join(arena);
    if (!joined)
        ncs_shim_warn("this process cannot map the memory of the job: %s", strerror(errno));
    close(arena);
    return joined;
}

/* Tells the machine where the call comes from. */
static void client_set_site(struct wire *w, const struct ncs_shim_above *above, int site)
{
    pthread_mutex_lock(&client_lock);
    bool is_new = site && !ncs_map_number(&client_described, (uint64_t)site);
    pthread_mutex_unlock(&client_lock);
    if (is_new)
        above->describe(site, &w->site);
    w->site.number = site;
    w->site.described = is_new;
}

const struct ncs_api *client_api(const struct ncs_shim_above *above, int site, int named)
{
    int arena = -1;
    if (!mine && !client_attach(&arena))
        return NULL;
    if (arena >= 0)
        close(arena);
    mine->wire->rank = named;
    mine->wire->in_function = in_function;
    client_set_site(mine->wire, above, site);
    return &client_table;
}

/* ---- besides the API ---- */

cudaError_t client_refuse(int error)
{
    mine->wire->number = error;
    client_ask(mine, WIRE_REFUSE);
    return (cudaError_t)mine->wire->number;
}

void client_count_kernel(const char *name)
{
    client_set_body(mine->wire, name, strnlen(name, WIRE_TEXT - 1) + 1);
    client_ask(mine, WIRE_KERNEL);
}

bool client_skips_kernels(void)
{
    return client_skips;
}
