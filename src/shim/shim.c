#define _GNU_SOURCE /* syscall */
#include "shim/newer.h"
#include "shim/shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api/invoke.h"
#include "api/version.h"
#include "base/channel.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "shim/many/client.h"
#include "shim/many/serve.h"
#include "shim/many/job.h"
#include "shim/many/server.h"
#include "shim/many/wire.h"
#include "shim/place.h"
#include "sim/cuda/outside.h"
#include "sim/kernel/foreign.h"

#define EAGER_BYTES ((uint64_t)4 << 20)

static struct ncs_shim_settings settings;
static const struct ncs_api *api;
static const struct ncs_shim_above *above;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;
static atomic_bool is_opened, is_ending;
static atomic_bool has_ranks;            /* the program has begun to make a communicator */
static atomic_bool has_captured;         /* the program has begun to capture a stream */
static atomic_bool is_child;             /* this process was forked after the simulator had begun */
static atomic_bool is_client;            /* the machine is in another process */
static bool is_joined;                   /* a client: this process belongs to the job */
static _Thread_local bool copies_itself; /* the thread forks while it has the token */
static _Thread_local int refusal;
static _Thread_local bool uses_runtime;

bool ncs_shim_write(int file, const char *text, size_t bytes)
{
    sigset_t pipe, before, pending;
    fflush(stdout);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ssize_t n = 0;
    for (size_t done = 0; done < bytes && (n >= 0 || errno == EINTR); done += n > 0 ? (size_t)n : 0)
        n = write(file, text + done, bytes - done);
    int error = n < 0 ? errno : 0;
    if (error == EPIPE && !sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe, NULL, &(struct timespec){ 0 });
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return !error || error == EPIPE;
}

void ncs_shim_warn(const char *fmt, ...)
{
    struct ncs_str line = { 0 };
    int error = errno;
    va_list args;
    va_start(args, fmt);
    ncs_str_add(&line, "ncclscript: ");
    ncs_str_addv(&line, fmt, args);
    ncs_str_add(&line, "\n");
    va_end(args);
    ncs_shim_write(STDERR_FILENO, line.text, line.bytes);
    ncs_str_free(&line);
    errno = error;
}

/* ---- several processes ---- */

/* Refuses what only a job of many processes could do: prints one sentence, once, and sets the code that the call returns. */
static const struct ncs_api *refuse_processes(const struct ncs_fn_info *info, const char *why)
{
    static atomic_bool said;
    if (!atomic_exchange(&said, true))
        ncs_shim_warn("%s: %s", info->name, why);
    refusal = info->lib == NCS_LIB_NCCL ? (int)ncclInvalidUsage : (int)cudaErrorInitializationError;
    return NULL;
}

static void before_fork(void)
{
    if (!copies_itself)
        sim_foreign_fork(true);
}

static void after_fork(void)
{
    if (!copies_itself)
        sim_foreign_fork(false);
}

static void in_child(void)
{
    if (!copies_itself)
        sim_foreign_fork(false);
    atomic_store(&is_child, true);
}

pid_t ncs_shim_copy(void)
{
    copies_itself = true;
    pid_t copy = fork();
    copies_itself = false;
    return copy;
}

/* ---- opening ---- */

static void on_log(void *arg, const char *file, const char *line)
{
    (void)arg;
    FILE *out = file ? fopen(file, "a") : stdout;
    if (!out)
        out = stdout;
    fprintf(out, "%s\n", line);
    if (out == stdout)
        fflush(out);
    else
        fclose(out);
}

/* True if the program hangs or has used up its time; *how tells which. */
static bool is_over(int64_t idle, enum ncs_stop *how)
{
    if (ncs_shim_all_wait(-1, idle))
        *how = NCS_STOP_QUIET;
    else if (ncs_shim_all_wait(settings.patience, idle))
        *how = NCS_STOP_STALLED;
    else if (settings.timeout > 0 && idle >= settings.timeout)
        *how = NCS_STOP_INTERRUPTED;
    else
        return false;
    return true;
}

/* Reports once, with the token. Does not return if the library above is there. */
static void end_program(enum ncs_stop how)
{
    static bool told;
    if (told)
        return;
    told = true;
    sim_foreign_stop(how);
    if (above)
        above->verdict(how);
    else
        ncs_shim_warn(how == NCS_STOP_INTERRUPTED ? "no call made progress within the time limit"
                                                  : "HANG: every thread waits or polls, and no call makes progress");
}

static void on_idle(int64_t idle)
{
    enum ncs_stop how;
    if (is_over(idle, &how))
        end_program(how);
}

/* The library is in the folder of this one. A sanitizer's dlopen does not look there, and the process with the machine of a job
 * was started without LD_LIBRARY_PATH. */
static void load_above(void)
{
    Dl_info self;
    struct ncs_str path = { 0 };
    const char *slash = dladdr(&settings, &self) ? strrchr(self.dli_fname, '/') : NULL;
    if (slash)
        ncs_str_add_bytes(&path, self.dli_fname, (size_t)(slash + 1 - self.dli_fname));
    ncs_str_add(&path, "libncclscript-exec.so");
    errno = 0;
    void *library = dlopen(path.text, RTLD_NOW | RTLD_LOCAL);
    bool is_short = !library && ncs_status_of(errno) == NCS_NO_MEMORY;
    ncs_str_free(&path);
    if (library)
        above = dlsym(library, NCS_SHIM_ABOVE);
    else
        ncs_shim_warn("a hang will not be explained: %s", dlerror());
    if (is_short)
        ncs_mem_end();
}

static void end_thread(void *arg)
{
    (void)arg;
    sim_foreign_detach();
}

struct shim_process {
    int first_rank; /* by which its first thread is named; 0 = none so far */
    bool is_one; /* a thread of it has several ranks of a communicator: devices tell its ranks apart, and all its threads have the
                     * name of the first */
};

/* With the token. */
static struct shim_process *shim_process(int number)
{
    static struct shim_process *process;
    static int room;
    if (number >= room) {
        int wide = number + 64;
        process = ncs_resize(process, (size_t)wide * sizeof *process);
        memset(process + room, 0, (size_t)(wide - room) * sizeof *process);
        room = wide;
    }
    return &process[number];
}

/* A thread that has joined no communicator counts as a further thread of its process's first rank, or of rank 0. */
static struct ncs_local *new_local(int process)
{
    static atomic_int serial;
    struct ncs_local *local = ncs_new(sizeof *local);
    local->by_c_name = true;
    local->process = process;
    local->thread = 1 + atomic_fetch_add(&serial, 1);
    ncs_local = local;
    pthread_setspecific(at_thread_end, local);
    return local;
}

static void at_exit(int status, void *arg)
{
    (void)arg;
    atomic_store(&is_ending, true);
    if (!above || atomic_load(&is_child))
        return;
    sim_foreign_enter(sim_foreign_is_attached() ? NULL : new_local(0));
    ncs_shim_warn_of_others(true);
    above->ended(status);
    sim_foreign_leave();
}

/* False if another process of the job has greeted: a launcher may look at its devices, and has a machine of its own then. */
static bool greet_is_first(void)
{
    int file = ncs_channel_open_as(getenv(NCS_GREETING), S_IFREG, O_RDWR);
    atomic_char *greeted = file >= 0 ? mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (file >= 0)
        close(file);
    if (greeted == MAP_FAILED)
        return true;
    bool is_first = atomic_exchange(greeted, 1) == 0;
    munmap(greeted, 1);
    return is_first;
}

static void greet(void)
{
    char version[16];
    struct ncs_str devices = { 0 };
    if (settings.number)
        ncs_str_addf(&devices, "%d of ", settings.visible);
    ncs_str_addf(&devices, "%d device%s in host memory%s", settings.devices, settings.devices == 1 ? "" : "s",
                 settings.number ? " (CUDA_VISIBLE_DEVICES)" : "");
    if (!settings.quiet && greet_is_first())
        ncs_shim_warn("this is no GPU: NCCL %s and CUDA are simulated, with %s",
                      ncs_nccl_version_text(settings.nccl_version, version, sizeof version), devices.text);
    ncs_str_free(&devices);
}

static void shim_watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, in_child);
    atomic_store(&is_opened, true);
}

/* This process is one of many: its calls go to the machine of the job. */
static void open_client(void)
{
    is_client = true;
    ncs_shim_warn_of_plugins();
    ncs_shim_warn_of_others(false);
    load_above();
    is_joined = above && client_join();
    shim_watch_forks();
}

static void open_machine(void)
{
    struct ncs_error err = { 0 };
    ncs_shim_read_settings(&settings);
    if (!server_is_open() && client_is_wanted(settings.launcher, settings.single)) {
        open_client();
        return;
    }
    if (server_is_open()) { /* each process has its own selection */
        settings.visible = settings.devices;
        settings.number = NULL;
        settings.launcher = NULL;
    }
    struct ncs_machine_options options = {
        .hosts.devices = settings.visible ? settings.visible : 1,
        .lack = settings.visible ? NCS_LACK_NOTHING : NCS_LACK_DEVICES,
        .numbers = settings.number,
        .eager = settings.typical ? EAGER_BYTES : 0,
        .teardown = settings.typical ? NCS_TEARDOWN_CONNECTED : NCS_TEARDOWN_DOCUMENTED,
        .nccl_version = settings.nccl_version,
        .seeded = settings.seed != 0,
        .seed = settings.seed,
        .foreign = true,
        .log = on_log,
    };
    if (!ncs_driver_sim.machine->open(&options, &err)) {
        ncs_shim_warn("%s", err.text);
        return;
    }
    greet();
    ncs_shim_warn_of_plugins();
    ncs_shim_warn_of_others(false);
    load_above();
    api = above ? above->open(&settings, &ncs_driver_sim) : ncs_driver_sim.api;
    sim_foreign_idle = on_idle;
    pthread_key_create(&at_thread_end, end_thread);
    on_exit(at_exit, NULL);
    shim_watch_forks();
}

bool ncs_shim_open_for_many(void)
{
    pthread_once(&once, open_machine);
    return api != NULL;
}

/* ---- the time limit ---- */

/* A launcher may load the library, call nothing, and wait for the process that does. */
static bool is_past(int64_t idle, int64_t limit)
{
    return idle >= limit && !atomic_load(&is_ending) && (atomic_load(&has_ranks) || !ncs_shim_has_children());
}

bool ncs_shim_look_at_time(int64_t idle, int64_t limit)
{
    if (atomic_load(&is_ending) || is_client) /* the machine of a job watches for all */
        return false;
    if (server_is_asleep() || (!atomic_load(&is_opened) && !is_past(idle, limit)))
        return true;
    pthread_once(&once, open_machine);
    if (!api)
        return true;
    int64_t silence = sim_foreign_watch();
    if (is_past(sim_foreign_has_threads() ? silence : idle, limit))
        end_program(NCS_STOP_INTERRUPTED);
    sim_foreign_unwatch();
    return true;
}

/* ---- calls ---- */

static bool forms_communicators(enum ncs_fn fn)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    return info->joins == NCS_JOINS_ONE || fn == NCS_FN_ncclCommGrow || fn == NCS_FN_ncclGetUniqueId ||
           fn == NCS_FN_ncclCommGetUniqueId;
}

static const struct ncs_api *refuse_absent(const struct ncs_fn_info *info)
{
    static atomic_bool said[NCS_FN_COUNT];
    char has[16], since[16];
    if (!atomic_exchange(&said[info - ncs_fn_info], true))
        ncs_shim_warn("%s: this is NCCL %s, and it came with %s: a program that looks for it finds "
                      "it all the same",
                      info->name, ncs_nccl_version_text(settings.nccl_version, has, sizeof has),
                      ncs_nccl_version_text(info->since, since, sizeof since));
    refusal = ncclInvalidUsage;
    return NULL;
}

/* Names a thread by the rank as which it joins first; the first thread of a rank becomes its main thread. */
static void name_thread(int rank)
{
    static bool *taken;
    static int room;
    struct ncs_local *local = ncs_local;
    if (!local || local->named || rank < 0 || rank >= NCS_SHIM_RANKS)
        return;
    if (rank >= room) {
        int wide = rank + 64;
        taken = ncs_resize(taken, (size_t)wide * sizeof *taken);
        memset(taken + room, 0, (size_t)(wide - room) * sizeof *taken);
        room = wide;
    }
    local->named = true;
    if (shim_process(local->process)->is_one) {
        local->rank = shim_process(local->process)->first_rank;
        return;
    }
    local->rank = rank;
    if (shim_process(local->process)->first_rank == 0)
        shim_process(local->process)->first_rank = rank;
    if (!taken[rank])
        local->thread = 0;
    taken[rank] = true;
}

static const struct ncs_api *refuse_unopened(const struct ncs_fn_info *info)
{
    refusal = info->lib == NCS_LIB_NCCL ? (int)ncclSystemError : (int)cudaErrorInsufficientDriver;
    return NULL;
}

const struct ncs_api *ncs_shim_enter_from(enum ncs_fn fn, void *caller)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    pthread_once(&once, open_machine);
    if (!api && !is_joined)
        return refuse_unopened(info);
    if (info->result != NCS_RESULT_TEXT && atomic_load(&is_child))
        return refuse_processes(info, "this process was forked after its parent had used CUDA or NCCL, which do not "
                                      "work in such a child: start all processes before the first call");
    if (fn == NCS_FN_cudaStreamBeginCapture)
        atomic_store(&has_captured, true);
    uses_runtime |= info->lib == NCS_LIB_CUDA && !info->looks;
    int site = above ? ncs_shim_site(above, caller) : 0; /* before the token, which it must not hold up */
    if (!is_client)
        return ncs_shim_begin(fn, site, ncs_shim_named_rank(), 0);
    const struct ncs_api *remote = client_api(above, site, ncs_shim_named_rank());
    return remote ? remote : refuse_unopened(info);
}

static const struct ncs_api *refuse_launched(const struct ncs_fn_info *info)
{
    struct ncs_str why = { 0 };
    ncs_str_addf(&why,
                 "%s says that this is a job of many processes, and they have no machine in common: start them all by "
                 "`ncclscript exec -- LAUNCHER ...`",
                 settings.launcher);
    refuse_processes(info, why.text);
    ncs_str_free(&why);
    return NULL;
}

const struct ncs_api *ncs_shim_begin(enum ncs_fn fn, int site, int named, int process)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    if (!ncs_api_has(api, fn))
        return refuse_absent(info);
    if (settings.launcher && forms_communicators(fn))
        return refuse_launched(info);
    if (info->joins != NCS_JOINS_NONE)
        atomic_store(&has_ranks, true);
    sim_foreign_enter(sim_foreign_is_attached() ? NULL : new_local(process));
    if (!info->looks)
        sim_foreign_called(info->lib == NCS_LIB_NCCL &&
                           (info->at[NCS_ARG_COMM] || info->joins != NCS_JOINS_NONE || info->closes_group));
    if (ncs_local && !ncs_local->named && process > 0)
        ncs_local->rank = shim_process(process)->first_rank;
    if (above && ncs_local) {
        ncs_local->where = above->place;
        ncs_local->where_arg = (void *)(uintptr_t)site;
    }
    name_thread(named);
    return api;
}

const struct ncs_shim_above *ncs_shim_above(void)
{
    return above;
}

int ncs_shim_site_of(const struct wire_site *described)
{
    return above ? above->described(described) : 0;
}

cudaError_t ncs_shim_refuse_cuda(int error)
{
    return is_client ? client_refuse(error) : sim_outside_refuse(error);
}

bool ncs_shim_has_captured(void)
{
    return atomic_load(&has_captured);
}

bool ncs_shim_is_since(int version)
{
    return settings.nccl_version >= version;
}

bool ncs_shim_skips_kernels(void)
{
    return is_client ? client_skips_kernels() : settings.skips_kernels;
}

bool ncs_shim_thread_uses_runtime(void)
{
    return uses_runtime;
}

void ncs_shim_leave(void)
{
    if (!is_client)
        sim_foreign_leave();
}

int ncs_shim_refusal(void)
{
    return refusal;
}

/* Notes if the caller makes several ranks of one communicator: all at once, or one by one with the same id. */
static void note_several(enum ncs_fn fn, const union ncs_arg *arg, const ncclUniqueId *id)
{
    static _Thread_local uint64_t last; /* a hash: the room for variables of threads in libraries is small */
    uint64_t key = id ? ncs_hash_bytes(1, id, sizeof *id) : 0;
    bool again = id && key == last;
    last = id ? key : last;
    if (ncs_local && (again || (fn == NCS_FN_ncclCommInitAll && arg[1].i > 1)))
        shim_process(ncs_local->process)->is_one = true;
}

bool ncs_shim_join(enum ncs_fn fn, const union ncs_arg *arg)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    const ncclUniqueId *id = NULL;
    int ids = 0, rank = -1;
    bool joins = false;
    if (is_client)
        return true;
    for (int i = 0; i < info->nargs; i++) {
        enum ncs_kind kind = info->arg[i].kind;
        if (kind == NCS_ARG_ID || kind == NCS_ARG_ID_IN || kind == NCS_ARG_IDS) {
            id = arg[i].p;
            ids = kind == NCS_ARG_IDS ? (int)arg[i - 1].i : 1; /* the argument before them is their number */
            joins = true;
        }
        if (strcmp(info->arg[i].name, "rank") == 0 || strcmp(info->arg[i].name, "myrank") == 0)
            rank = (int)arg[i].i;
    }
    for (int i = 0; id && i < ids; i++)
        if (sim_foreign_id_is_strange(&id[i])) {
            sim_foreign_leave();
            refuse_processes(&ncs_fn_info[NCS_FN_ncclCommInitRank],
                             "the id comes from a process that is no part of this job (`exec --processes many` takes all that "
                             "it starts into one job)");
            return false;
        }
    if (joins)
        name_thread(rank);
    note_several(fn, arg, id);
    return true;
}

int ncs_shim_in_own(const struct ncs_api *of, enum ncs_fn fn, union ncs_arg *arg)
{
    union ncs_arg rc = { 0 };
    for (int i = 0; i < ncs_fn_info[fn].nargs; i++)
        if (ncs_fn_info[fn].arg[i].kind == NCS_ARG_STREAM && !arg[i].p)
            arg[i].p = cudaStreamPerThread;
    ncs_invoke(of, fn, arg, &rc);
    return (int)rc.i;
}
