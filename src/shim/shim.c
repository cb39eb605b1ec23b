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
#include <time.h>
#include <unistd.h>

#include "api/version.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "base/str.h"
#include "sim/foreign.h"

#define EAGER_BYTES ((uint64_t)4 << 20)
#define DEVICES_MOST 1024
#define PATIENCE ((int64_t)30 * 1000000000)

static struct ncs_shim_settings settings = { .devices = 8, .nccl_version = NCS_NCCL_DEFAULT,
                                             .patience = PATIENCE, .channel = -1 };
static int64_t time_limit; /* without progress, in ns; 0 = none */
static bool quiet;
static const struct ncs_api *api;
static const struct ncs_shim_above *above;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;
static atomic_bool is_child;        /* a fork of a process that had begun */
static const char *launcher;        /* what has started this process as one of several; NULL */
static _Thread_local int refusal;

void ncs_shim_write(int file, const char *text, size_t bytes)
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
    if (n < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe, NULL, &(struct timespec){ 0 });
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void ncs_shim_say(const char *fmt, ...)
{
    struct ncs_str line = { 0 };
    va_list args;
    va_start(args, fmt);
    ncs_str_add(&line, "ncclscript: ");
    ncs_str_addv(&line, fmt, args);
    ncs_str_add(&line, "\n");
    va_end(args);
    ncs_shim_write(STDERR_FILENO, line.text, line.bytes);
    ncs_str_free(&line);
}

/* ---- settings ---- */

static void bad_setting(const char *name, const char *text, const char *expected)
{
    ncs_shim_say("%s=%s: expected %s; it is not used", name, text, expected);
}

static void read_devices(const char *name, const char *text)
{
    int64_t n;
    if (ncs_parse_int(text, &n) && n >= 1 && n <= DEVICES_MOST)
        settings.devices = (int)n;
    else
        bad_setting(name, text, "a number of devices from 1 to 1024");
}

static void read_version(const char *name, const char *text)
{
    int code = ncs_nccl_version_code(text);
    if (ncs_nccl_is_profile(code))
        settings.nccl_version = code;
    else
        bad_setting(name, text, "one of 2.28.9, 2.29.2, 2.29.7, 2.30.3, 2.30.4 and 2.30.7");
}

static void read_policy(const char *name, const char *text)
{
    settings.typical = strcmp(text, "typical") == 0;
    if (!settings.typical && strcmp(text, "strict") != 0)
        bad_setting(name, text, "strict or typical");
}

static void read_timeout(const char *name, const char *text)
{
    if (!ncs_parse_duration(text, &time_limit))
        bad_setting(name, text, "a time, as 10s");
}

static void read_patience(const char *name, const char *text)
{
    int64_t patience;
    if (ncs_parse_duration(text, &patience) && patience > 0)
        settings.patience = patience;
    else
        bad_setting(name, text, "a time, as 30s");
}

static void read_format(const char *name, const char *text)
{
    settings.json = strcmp(text, "json") == 0;
    if (!settings.json && strcmp(text, "text") != 0)
        bad_setting(name, text, "text or json");
}

static void read_channel(const char *name, const char *text)
{
    int64_t n;
    (void)name;
    if (ncs_parse_int(text, &n) && n >= 0 && n < 1 << 20)
        settings.channel = (int)n;
}

static void read_quiet(const char *name, const char *text)
{
    (void)name;
    quiet = strcmp(text, "") != 0 && strcmp(text, "0") != 0;
}

static const struct {
    const char *name;
    void (*read)(const char *name, const char *text);
} variables[] = {
    { "NCCLSCRIPT_GPUS", read_devices },      { "NCCLSCRIPT_NCCL_VERSION", read_version },
    { "NCCLSCRIPT_POLICY", read_policy },     { "NCCLSCRIPT_TIMEOUT", read_timeout },
    { "NCCLSCRIPT_PATIENCE", read_patience }, { "NCCLSCRIPT_FORMAT", read_format },
    { "NCCLSCRIPT_QUIET", read_quiet },       { "NCCLSCRIPT_CHANNEL", read_channel },
};

static void read_settings(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *text = getenv(variables[i].name);
        if (text)
            variables[i].read(variables[i].name, text);
    }
}

/* ---- several processes ---- */

/* What launchers tell each of the processes that they start: how many there are. */
static const char *const counts[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "MPI_LOCALNRANKS",
                                      "WORLD_SIZE", "SLURM_STEP_NUM_TASKS" };

static void find_launcher(void)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *text = getenv(counts[i]);
        if (text && atoi(text) > 1)
            launcher = counts[i];
    }
}

/* The one sentence about jobs of several processes, and what the call returns. */
static const struct ncs_api *refuse_processes(const struct ncs_fn_info *info, const char *sign)
{
    static atomic_bool said;
    if (!atomic_exchange(&said, true))
        ncs_shim_say("%s: a job of several processes cannot run on the simulator, which is one "
                     "process with all GPUs: use a thread per GPU, or ncclCommInitAll", sign);
    refusal = info->lib == NCS_LIB_NCCL ? (int)ncclInvalidUsage : (int)cudaErrorInitializationError;
    return NULL;
}

static void before_fork(void)
{
    foreign_fork(true);
}

static void after_fork(void)
{
    foreign_fork(false);
}

static void in_child(void)
{
    foreign_fork(false);
    atomic_store(&is_child, true);
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

/* How it has ended, if it has. */
static bool is_over(int64_t idle, enum ncs_stop *how)
{
    int64_t patience = settings.patience;
    if (ncs_shim_all_wait(-1))
        *how = NCS_STOP_QUIET;
    else if (idle >= patience && ncs_shim_all_wait(patience))
        *how = NCS_STOP_STALLED;
    else if (time_limit > 0 && idle >= time_limit)
        *how = NCS_STOP_INTERRUPTED;
    else
        return false;
    return true;
}

static void on_idle(int64_t idle)
{
    static bool told;
    enum ncs_stop how;
    if (told || !is_over(idle, &how))
        return;
    told = true;
    foreign_stop(how);
    if (above)
        above->verdict(how);
    else
        ncs_shim_say(how == NCS_STOP_INTERRUPTED
                         ? "no call has gone on for the time that was allowed"
                         : "HANG: every thread waits or polls, and no call goes on");
}

/* It is looked for in the folder of this library. */
static void load_above(void)
{
    void *library = dlopen("libncclscript-exec.so", RTLD_NOW | RTLD_LOCAL);
    if (library)
        above = dlsym(library, NCS_SHIM_ABOVE);
    else
        ncs_shim_say("a hang will not be explained: %s", dlerror());
}

static void end_thread(void *arg)
{
    (void)arg;
    foreign_detach();
}

/* A thread that has joined no communicator is a further thread of rank 0. */
static struct ncs_local *new_local(void)
{
    static atomic_int serial;
    struct ncs_local *local = ncs_new(sizeof *local);
    local->by_c_name = true;
    local->thread = 1 + atomic_fetch_add(&serial, 1);
    ncs_local = local;
    pthread_setspecific(at_thread_end, local);
    return local;
}

static void at_exit(void)
{
    if (!above || atomic_load(&is_child))
        return;
    foreign_enter(foreign_is_attached() ? NULL : new_local());
    above->ended();
    foreign_leave();
}

static void greet(void)
{
    char version[16];
    if (!quiet)
        ncs_shim_say("this is no GPU: NCCL %s and CUDA are simulated, with %d device%s in host memory",
                     ncs_nccl_version_text(settings.nccl_version, version, sizeof version),
                     settings.devices, settings.devices == 1 ? "" : "s");
}

static void open_machine(void)
{
    struct ncs_error err = { 0 };
    read_settings();
    find_launcher();
    struct ncs_machine_options options = {
        .devices = settings.devices,
        .eager = settings.typical ? EAGER_BYTES : 0,
        .nccl_version = settings.nccl_version,
        .foreign = true,
        .log = on_log,
    };
    if (!ncs_driver_sim.machine->open(&options, &err)) {
        ncs_shim_say("%s", err.text);
        return;
    }
    greet();
    load_above();
    api = above ? above->open(&settings, &ncs_driver_sim) : ncs_driver_sim.api;
    foreign_idle = on_idle;
    pthread_key_create(&at_thread_end, end_thread);
    pthread_atfork(before_fork, after_fork, in_child);
    atexit(at_exit);
}

/* ---- calls ---- */

static bool forms_communicators(enum ncs_fn fn)
{
    return fn == NCS_FN_ncclGetUniqueId || fn == NCS_FN_ncclCommInitRank ||
           fn == NCS_FN_ncclCommInitRankConfig || fn == NCS_FN_ncclCommInitRankScalable ||
           fn == NCS_FN_ncclCommGetUniqueId || fn == NCS_FN_ncclCommGrow;
}

static const struct ncs_api *refuse_absent(const struct ncs_fn_info *info)
{
    static atomic_bool said[NCS_FN_COUNT];
    char has[16], since[16];
    if (!atomic_exchange(&said[info - ncs_fn_info], true))
        ncs_shim_say("%s: this is NCCL %s, and it came with %s: a program that looks for it finds "
                     "it all the same", info->name,
                     ncs_nccl_version_text(settings.nccl_version, has, sizeof has),
                     ncs_nccl_version_text(info->since, since, sizeof since));
    refusal = ncclInvalidUsage;
    return NULL;
}

const struct ncs_api *ncs_shim_enter_from(enum ncs_fn fn, void *caller)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    pthread_once(&once, open_machine);
    if (!api) {
        refusal = info->lib == NCS_LIB_NCCL ? (int)ncclSystemError : (int)cudaErrorInsufficientDriver;
        return NULL;
    }
    if (info->result != NCS_RESULT_TEXT && atomic_load(&is_child))
        return refuse_processes(info, "a call after fork()");
    if (!ncs_api_has(api, fn))
        return refuse_absent(info);
    if (launcher && forms_communicators(fn))
        return refuse_processes(info, launcher);
    foreign_enter(foreign_is_attached() ? NULL : new_local());
    if (above && ncs_local) {
        ncs_local->where = above->place;
        ncs_local->where_arg = caller;
    }
    return api;
}

void ncs_shim_leave(void)
{
    foreign_leave();
}

int ncs_shim_refusal(void)
{
    return refusal;
}

/* The first thread that joins as a rank is known by it from then on. */
static void name_thread(int rank)
{
    static bool *taken;
    static int room;
    struct ncs_local *local = ncs_local;
    if (!local || local->named || rank < 0 || rank >= 1 << 20)
        return;
    if (rank >= room) {
        int wide = rank + 64;
        taken = ncs_resize(taken, (size_t)wide * sizeof *taken);
        memset(taken + room, 0, (size_t)(wide - room) * sizeof *taken);
        room = wide;
    }
    local->named = true;
    local->rank = rank;
    if (!taken[rank])
        local->thread = 0;
    taken[rank] = true;
}

bool ncs_shim_join(const ncclUniqueId *id, int ids, int rank)
{
    for (int i = 0; id && i < ids; i++)
        if (foreign_id_is_strange(&id[i])) {
            foreign_leave();
            refuse_processes(&ncs_fn_info[NCS_FN_ncclCommInitRank], "an id of another process");
            return false;
        }
    name_thread(rank);
    return true;
}
