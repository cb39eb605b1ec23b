/* The machine of real runs: contexts are OS threads under the token, time is the host's, and a hang
 * is a time in which nothing has come about. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/journal.h"
#include "api/version.h"
#include "base/mem.h"
#include "driver/driver.h"
#include "driver/token.h"

#define MILLISECOND ((int64_t)1000000)
#define SECOND ((int64_t)1000000000)

/* How often the runner looks, and what a thread that is told to stop has to come back. */
#define LOOK (10 * MILLISECOND)
#define GRACE SECOND

enum place { AT_WORK, AT_CALL, AT_GATE, ASLEEP, GONE };

struct context {
    pthread_t thread;
    struct ncs_context_options options;
    enum place at;
    enum ncs_ending ending;
    char *message;
    struct ncs_place end_place;
    const char *what;     /* AT_GATE */
    char *key;
    int owner, owner_thread;
    bool timed;
    uint64_t polls, checked; /* looks in vain; as many as when its script was last looked at */
    struct context *next;
};

struct ncs_gate {
    pthread_cond_t woken;
    uint64_t times;
    struct ncs_gate *next, **link;
};

static pthread_mutex_t token = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool has_token;
static _Thread_local struct context *self;
static const struct ncs_api *plain;
static atomic_bool interrupted;

static struct {
    bool open, started, stopped, cancelled;
    struct ncs_machine_options options;
    int gpus;
    struct context *first, **last;
    size_t live;
    struct ncs_gate *gates;
    pthread_cond_t changed; /* contexts came or went, or the run began or is over */
    int64_t start, progress;
    enum ncs_stop stop;
} world;

/* ---- time ---- */

static int64_t real_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static void cond_new(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

/* Under the token; false at the time. until < 0: no limit. */
static bool wait_until(pthread_cond_t *cond, int64_t until)
{
    int rc;
    has_token = false;
    if (until < 0) {
        rc = pthread_cond_wait(cond, &token);
    } else {
        struct timespec t = { (time_t)(until / SECOND), (long)(until % SECOND) };
        rc = pthread_cond_timedwait(cond, &token, &t);
    }
    has_token = true;
    return rc != ETIMEDOUT;
}

/* ---- the token ---- */

static void take(void)
{
    pthread_mutex_lock(&token);
    has_token = true;
}

static void leave(void)
{
    has_token = false;
    pthread_mutex_unlock(&token);
}

bool ncs_token_leave(void)
{
    bool held = has_token;
    if (!held)
        return false;
    if (self)
        self->at = AT_CALL;
    leave();
    return true;
}

static bool is_look(enum ncs_fn fn)
{
    switch (fn) {
    case NCS_FN_ncclCommGetAsyncError:
    case NCS_FN_cudaStreamQuery:
    case NCS_FN_cudaEventQuery:
    case NCS_FN_cudaGetLastError:
    case NCS_FN_cudaPeekAtLastError:
        return true;
    default:
        return false;
    }
}

void ncs_token_take(bool held, enum ncs_fn fn, int rc)
{
    bool done = rc == cudaSuccess && (fn == NCS_FN_cudaStreamQuery || fn == NCS_FN_cudaEventQuery);
    if (!held)
        return;
    take();
    if (self)
        self->at = AT_WORK;
    if (self && is_look(fn) && !done)
        self->polls++;
    else if (!is_look(fn))
        world.progress = real_now();
}

bool ncs_token_over(void)
{
    return world.cancelled;
}

bool ncs_token_is_ours(void)
{
    return self != NULL;
}

bool ncs_token_pause(int64_t nanoseconds)
{
    struct timespec t = { (time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND) };
    if (world.cancelled)
        return false;
    bool held = ncs_token_leave();
    nanosleep(&t, NULL);
    if (held) {
        take();
        if (self)
            self->at = AT_WORK;
    }
    return !world.cancelled;
}

void ncs_token_progress(void)
{
    world.progress = real_now();
}

bool ncs_token_lend(struct ncs_local *local)
{
    take();
    if (world.cancelled || world.stopped || !world.open) {
        leave();
        return false;
    }
    ncs_local = local;
    return true;
}

void ncs_token_back(void)
{
    world.progress = real_now();
    ncs_local = NULL;
    leave();
}

/* ---- opening and closing ---- */

static bool shares_gpus(void)
{
    const char *set = getenv("NCCL_MULTI_RANK_GPU_ENABLE");
    int version = 0;
    return set && strcmp(set, "1") == 0 && plain->ncclGetVersion(&version) == ncclSuccess &&
           version >= NCCL_VERSION(2, 30, 3);
}

/* Too few GPUs: is there a way? */
static bool refuse(int ranks, struct ncs_error *err)
{
    int version = 0;
    char text[24];
    plain->ncclGetVersion(&version);
    ncs_fail(err, NCS_NO_DEVICE, "driver nccl: %d ranks need %d GPUs, %d %s here", ranks, ranks,
             world.gpus, world.gpus == 1 ? "is" : "are");
    if (version < NCCL_VERSION(2, 30, 3))
        return ncs_fail_hint(err, "run fewer ranks, as -n %d; NCCL allows several on a GPU from 2.30.3"
                             " on, this is %s", world.gpus,
                             ncs_nccl_version_text(version, text, sizeof text));
    return ncs_fail_hint(err, "run fewer ranks, as -n %d, or several on a GPU: NCCL_MULTI_RANK_GPU_"
                         "ENABLE=1 in the environment, at best 2 on each", world.gpus);
}

static bool machine_open(const struct ncs_machine_options *options, struct ncs_error *err)
{
    const char *why;
    if (world.open)
        return ncs_fail(err, NCS_INTERNAL, "the machine is open already");
    world.gpus = ncs_driver_devices(plain, &why);
    if (world.gpus < 1)
        return ncs_fail(err, NCS_NO_DEVICE, "driver nccl: no GPU is here: %s",
                        why ? why : "no CUDA-capable device is detected");
    if (options->ranks > world.gpus && !shares_gpus())
        return refuse(options->ranks, err);
    take();
    world.open = true;
    world.started = world.stopped = world.cancelled = false;
    world.options = *options;
    world.first = NULL;
    world.last = &world.first;
    world.live = 0;
    world.gates = NULL;
    world.start = world.progress = real_now();
    world.stop = NCS_STOP_INTERRUPTED;
    cond_new(&world.changed);
    atomic_store(&interrupted, false);
    return true;
}

static void machine_close(void)
{
    if (!world.open)
        return;
    for (struct context *c = world.first, *next; c; c = next) {
        next = c->next;
        if (c->at == GONE)
            pthread_join(c->thread, NULL);
        else
            pthread_detach(c->thread); /* it is in a call for ever */
        ncs_free(c->message);
        ncs_free(c->key);
        if (c->at == GONE)
            ncs_free(c);
    }
    if (world.live == 0) {
        ncs_waits_forget();
        ncs_standins_forget();
        pthread_cond_destroy(&world.changed);
    }
    world.first = NULL;
    world.open = false;
    leave();
}

static void machine_reset(void)
{
    struct ncs_machine_options options = world.options;
    machine_close();
    machine_open(&options, NULL);
}

/* ---- contexts ---- */

static void *context_main(void *arg)
{
    struct context *c = arg;
    self = c;
    take();
    while (!world.started && !world.cancelled)
        wait_until(&world.changed, -1);
    ncs_local = c->options.local;
    if (!world.cancelled) {
        plain->cudaSetDevice(c->options.process % world.gpus);
        c->options.main(c->options.arg);
    }
    c->at = GONE;
    world.live--;
    world.progress = real_now();
    pthread_cond_broadcast(&world.changed);
    leave();
    return NULL;
}

static bool machine_spawn(const struct ncs_context_options *options, struct ncs_error *err)
{
    struct context *c = ncs_new(sizeof *c);
    c->options = *options;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's own threads */
    int rc = pthread_create(&c->thread, NULL, context_main, c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        ncs_free(c);
        return ncs_fail(err, NCS_NO_MEMORY, "no thread for rank %d", options->process);
    }
    *world.last = c;
    world.last = &c->next;
    world.live++;
    return true;
}

/* Nothing comes about, and nobody has a time of its own to wait for. */
static bool stalled(void)
{
    int64_t now = real_now();
    for (const struct context *c = world.first; c; c = c->next)
        if (c->at == ASLEEP || (c->at == AT_GATE && c->timed))
            world.progress = now;
    return world.options.patience > 0 && now - world.progress >= world.options.patience;
}

static enum ncs_stop machine_run(void)
{
    world.started = true;
    world.progress = real_now();
    pthread_cond_broadcast(&world.changed);
    world.stop = NCS_STOP_DONE;
    while (world.live > 0) {
        if (atomic_load(&interrupted) || stalled()) {
            world.stop = atomic_load(&interrupted) ? NCS_STOP_INTERRUPTED : NCS_STOP_STALLED;
            break;
        }
        wait_until(&world.changed, real_now() + LOOK);
    }
    world.stopped = true; /* the runner has the token from here on */
    return world.stop;
}

static void machine_interrupt(void)
{
    atomic_store(&interrupted, true);
}

static void machine_abandon(void)
{
    int64_t until = real_now() + GRACE;
    world.cancelled = true;
    for (struct ncs_gate *g = world.gates; g; g = g->next)
        pthread_cond_broadcast(&g->woken);
    pthread_cond_broadcast(&world.changed);
    while (world.live > 0 && real_now() < until)
        wait_until(&world.changed, real_now() + LOOK);
}

static bool machine_lingers(void)
{
    return world.open && world.live > 0;
}

/* ---- what a context asks ---- */

static int64_t machine_now(void)
{
    return real_now() - world.start;
}

static int64_t machine_clock(void)
{
    if (self)
        self->polls++;
    ncs_token_pause(50000);
    return machine_now();
}

/* Whoever comes here after the verdict stays until the run is over. */
static void stay(void)
{
    while (world.stopped && !world.cancelled)
        wait_until(&world.changed, -1);
}

static void machine_sleep(int64_t nanoseconds)
{
    int64_t now = real_now();
    int64_t until = nanoseconds < INT64_MAX - now ? now + nanoseconds : INT64_MAX;
    if (self)
        self->at = ASLEEP;
    while (!world.cancelled && (world.stopped || real_now() < until))
        wait_until(&world.changed, world.stopped ? -1 : until);
    if (self)
        self->at = AT_WORK;
    world.progress = real_now();
}

static bool machine_cancelled(void)
{
    return self && world.cancelled;
}

/* A script that computes without a look at anything is getting on. */
static void machine_check(void)
{
    if (self && self->polls == self->checked)
        world.progress = real_now();
    if (self)
        self->checked = self->polls;
    leave();
    sched_yield();
    take();
    while (atomic_load(&interrupted) && !world.cancelled)
        wait_until(&world.changed, -1);
    stay();
}

static void machine_end(enum ncs_ending how, const char *message, struct ncs_place place)
{
    if (!self)
        return;
    self->ending = how;
    ncs_free(self->message);
    self->message = ncs_copy_text(message);
    self->end_place = place;
}

/* ---- gates ---- */

static struct ncs_gate *gate_new(void)
{
    struct ncs_gate *g = ncs_new(sizeof *g);
    cond_new(&g->woken);
    g->next = world.gates;
    g->link = &world.gates;
    if (g->next)
        g->next->link = &g->next;
    world.gates = g;
    return g;
}

static void gate_free(struct ncs_gate *g)
{
    if (!g)
        return;
    *g->link = g->next;
    if (g->next)
        g->next->link = g->link;
    pthread_cond_destroy(&g->woken);
    ncs_free(g);
}

static bool gate_wait(struct ncs_gate *g, int64_t deadline, const char *what, const char *key,
                      int owner, int owner_thread)
{
    uint64_t times = g->times;
    bool in_time = true;
    if (self) {
        ncs_free(self->key);
        self->at = AT_GATE;
        self->what = what;
        self->key = ncs_copy_text(key);
        self->owner = owner;
        self->owner_thread = owner_thread;
        self->timed = deadline >= 0;
    }
    int64_t until = deadline < 0 || deadline > INT64_MAX - world.start ? -1 : world.start + deadline;
    while ((g->times == times || world.stopped) && !world.cancelled && in_time)
        in_time = wait_until(&g->woken, until) || world.stopped;
    if (self)
        self->at = AT_WORK;
    return in_time && !world.cancelled;
}

static void gate_wake(struct ncs_gate *g)
{
    g->times++;
    world.progress = real_now();
    pthread_cond_broadcast(&g->woken);
}

/* ---- the state at the verdict ---- */

static struct ncs_place place_of(const struct context *c)
{
    const struct ncs_local *local = c->options.local;
    if (c->at == GONE)
        return c->end_place.line ? c->end_place : local->last;
    if (local->call)
        return local->call->place;
    return local->where ? local->where(local->where_arg) : (struct ncs_place){ NULL, 0 };
}

static void add_context(struct ncs_snapshot *s, const struct context *c)
{
    static const enum ncs_context_state states[] = {
        [AT_WORK] = NCS_CONTEXT_READY, [AT_CALL] = NCS_CONTEXT_PARKED,
        [AT_GATE] = NCS_CONTEXT_PARKED, [ASLEEP] = NCS_CONTEXT_SLEEPING,
        [GONE] = NCS_CONTEXT_ENDED,
    };
    const struct ncs_local *local = c->options.local;
    struct ncs_snap_context *out = &s->context[s->contexts++];
    *out = (struct ncs_snap_context){
        .rank = local->rank, .thread = local->thread, .state = states[c->at],
        .ending = c->ending, .place = place_of(c), .message = ncs_copy_text(c->message),
        .call = c->at == GONE ? NULL : local->call, .group_depth = local->group_depth,
        .has_deadline = c->at == AT_GATE && c->timed,
        .wait = s->waits,
    };
    ncs_call_pin((struct ncs_call *)out->call);
    if (out->call) /* between two looks of a wait it is nowhere else */
        out->state = is_look(out->call->fn) ? NCS_CONTEXT_POLLING : NCS_CONTEXT_PARKED;
    else if ((c->at == AT_WORK || c->at == AT_CALL) && c->polls > 0)
        out->state = NCS_CONTEXT_POLLING;
    if (c->at != AT_GATE)
        return;
    s->gate[s->gates] = (struct ncs_snap_gate){ c->what, ncs_copy_text(c->key), c->owner,
                                                c->owner_thread };
    s->wait[s->waits++] = (struct ncs_snap_wait){ NCS_WAIT_GATE, (int)s->gates++ };
    out->waits = 1;
}

static void machine_snapshot(struct ncs_snapshot *out)
{
    size_t count = 0;
    for (const struct context *c = world.first; c; c = c->next)
        count++;
    *out = (struct ncs_snapshot){ .stop = world.stop, .now = machine_now() };
    out->context = ncs_new(count * sizeof *out->context);
    out->gate = ncs_new(count * sizeof *out->gate);
    out->wait = ncs_new(count * sizeof *out->wait);
    for (const struct context *c = world.first; c; c = c->next)
        add_context(out, c);
}

/* ---- what only a simulator has ---- */

static void machine_observe(const struct ncs_observer *observer)
{
    (void)observer;
}

static void machine_plant(struct ncs_plant plant)
{
    (void)plant;
}

static void machine_stats(uint64_t *objects, uint64_t *bytes, uint64_t *trace)
{
    *objects = *bytes = *trace = 0;
}

static bool machine_luck(uint64_t limit, uint64_t *buffered)
{
    (void)limit;
    *buffered = 0;
    return false;
}

static bool machine_schedule(struct ncs_str *out, struct ncs_error *err)
{
    (void)err;
    ncs_str_add(out, "");
    return true;
}

void ncs_machine_real_uses(const struct ncs_api *functions)
{
    plain = functions;
}

const struct ncs_machine ncs_machine_real = {
    .open = machine_open, .close = machine_close, .reset = machine_reset, .spawn = machine_spawn,
    .run = machine_run, .interrupt = machine_interrupt, .snapshot = machine_snapshot,
    .abandon = machine_abandon, .lingers = machine_lingers, .observe = machine_observe,
    .plant = machine_plant, .stats = machine_stats, .luck = machine_luck,
    .schedule = machine_schedule, .clock = machine_clock, .now = machine_now,
    .sleep = machine_sleep, .cancelled = machine_cancelled, .check = machine_check,
    .end = machine_end, .gate_new = gate_new, .gate_free = gate_free, .gate_wait = gate_wait,
    .gate_wake = gate_wake,
};
