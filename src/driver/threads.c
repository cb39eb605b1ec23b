/* The machine of real runs: contexts are OS threads under the token, time is the host's, and a time
 * without progress is reported as a hang. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/version.h"
#include "base/mem.h"
#include "base/thread.h"
#include "driver/driver.h"
#include "driver/far/far.h"
#include "driver/stage.h"
#include "driver/token.h"
#include "driver/world.h"

#define MILLISECOND ((int64_t)1000000)

/* LOOK: interval at which the runner checks for progress. GRACE: time for a cancelled thread to return.
 * GRIEF: patience after an error of NCCL's has ended a rank, because other ranks may wait for that rank in
 * calls that cannot be ended. */
#define LOOK (10 * MILLISECOND)
#define GRACE SECOND
#define GRIEF (5 * SECOND)

/* ---- opening and closing ---- */

static bool shares_gpus(void)
{
    const char *set = getenv("NCCL_MULTI_RANK_GPU_ENABLE");
    int version = 0;
    return set && strcmp(set, "1") == 0 && ncs_real.plain->ncclGetVersion(&version) == ncclSuccess &&
           version >= NCCL_VERSION(2, 30, 3);
}

/* Refuses a run with too few GPUs; the hint names alternatives. */
static bool threads_refuse(int ranks, struct ncs_error *err)
{
    int version = 0;
    char text[24];
    ncs_real.plain->ncclGetVersion(&version);
    ncs_fail(err, NCS_NO_DEVICE, "driver nccl: %d ranks need %d GPUs, %d %s here", ranks, ranks, ncs_real.gpus,
             ncs_real.gpus == 1 ? "is" : "are");
    if (version < NCCL_VERSION(2, 30, 3))
        return ncs_fail_hint(err,
                             "run fewer ranks, as -n %d; NCCL allows several on a GPU from 2.30.3"
                             " on, this is %s",
                             ncs_real.gpus, ncs_nccl_version_text(version, text, sizeof text));
    return ncs_fail_hint(err,
                         "run fewer ranks, as -n %d, or several on a GPU: NCCL_MULTI_RANK_GPU_"
                         "ENABLE=1 in the environment, at best 2 on each",
                         ncs_real.gpus);
}

static bool machine_open(const struct ncs_machine_options *options, struct ncs_error *err)
{
    const char *why;
    if (ncs_real.open)
        return ncs_fail(err, NCS_INTERNAL, "the machine is open already");
    ncs_real.gpus = ncs_driver_devices(ncs_real.plain, &why);
    if (ncs_real.gpus < 1)
        return ncs_fail(err, NCS_NO_DEVICE, "driver nccl: no GPU is here: %s", why ? why : "no CUDA-capable device is detected");
    if (far_places.lack.status != NCS_OK) {
        *err = far_places.lack;
        return false;
    }
    if (far_is_on() && options->ranks > far_places.ranks)
        return ncs_fail(err, NCS_NO_DEVICE, "driver nccl: %d ranks, and the processes of this job have %d", options->ranks,
                        far_places.ranks);
    if (!far_can_own(&options->owns, options->ranks, err))
        return false;
    if (options->hosts.firsts) {
        ncs_fail(err, NCS_BAD_INPUT, "driver nccl: devices: a list describes simulated hosts, and this run uses real ones");
        return ncs_fail_hint(err, "give one number, or let the scenario need the simulator: needs = { driver = \"sim\" }");
    }
    if (!far_is_on() && options->ranks > ncs_real.gpus && !shares_gpus())
        return threads_refuse(options->ranks, err);
    ncs_real_take();
    ncs_real.open = true;
    ncs_real.started = ncs_real.stopped = ncs_real.cancelled = false;
    ncs_real.options = *options;
    ncs_real.first = NULL;
    ncs_real.last = &ncs_real.first;
    ncs_real.visitors = NULL;
    ncs_real.live = ncs_real.stopped_for_ever = 0;
    ncs_real.gates = NULL;
    ncs_real.start = ncs_real.progress = ncs_clock();
    ncs_real.stop = NCS_STOP_INTERRUPTED;
    ncs_cond_new(&ncs_real.changed);
    atomic_store(&ncs_real.interrupted, false);
    far_put_variable("");
    for (size_t i = 0; i < options->envs; i++)
        far_put_variable(options->env[i]);
    far_put_owns(&options->owns);
    ncs_stage_open(options->ranks, options->staging);
    return true;
}

static void machine_close(void)
{
    if (!ncs_real.open)
        return;
    for (struct real_context *c = ncs_real.first, *next; c; c = next) {
        next = c->next;
        if (c->at == GONE)
            pthread_join(c->thread, NULL);
        else
            pthread_detach(c->thread); /* it is stuck in a call of the library */
        if (c->at != GONE)
            continue; /* it still has its own */
        ncs_free(c->message);
        ncs_free(c->key);
        ncs_free(c);
    }
    ncs_real.first = NULL; /* a process that is lost meanwhile has no contexts any more */
    ncs_real.open = false;
    far_take_back();
    far_forget_script();
    if (ncs_real.live == 0) {
        ncs_stage_close();
        ncs_waits_forget();
        ncs_standins_forget();
        pthread_cond_destroy(&ncs_real.changed);
    }
    ncs_real_leave();
}

/* If the GPUs have disappeared meanwhile, the machine stays closed, and the next spawn or run does nothing. */
static void machine_reset(void)
{
    struct ncs_machine_options options = ncs_real.options;
    struct ncs_error err;
    machine_close();
    (void)machine_open(&options, &err);
}

/* ---- contexts ---- */

static void *context_main(void *arg)
{
    struct real_context *c = arg;
    ncs_real_self = c;
    ncs_real_take();
    while (!ncs_real.started && !ncs_real.cancelled)
        ncs_real_wait(&ncs_real.changed, -1);
    ncs_local = c->options.local;
    if (!ncs_real.cancelled) {
        bool held = ncs_token_leave(); /* it may create a context on the device */
        ncs_real.plain->cudaSetDevice(far_device(c->options.process, ncs_real.gpus));
        ncs_token_take(held, NCS_FN_cudaSetDevice, 0);
        c->options.main(c->options.arg);
    }
    ncs_stage_forget();
    c->at = GONE;
    ncs_real.live--;
    ncs_real.progress = ncs_clock();
    pthread_cond_broadcast(&ncs_real.changed);
    ncs_real_leave();
    return NULL;
}

static bool machine_spawn(const struct ncs_context_options *options, struct ncs_error *err)
{
    struct real_context *c = ncs_new(sizeof *c);
    c->options = *options;
    int rc = ncs_thread_start(&c->thread, NULL, context_main, c);
    if (rc != 0) {
        ncs_free(c);
        return ncs_fail(err, NCS_NO_MEMORY, "no thread for rank %d", options->process);
    }
    *ncs_real.last = c;
    ncs_real.last = &c->next;
    ncs_real.live++;
    return true;
}

static bool any_has_time(const struct real_context *c)
{
    for (; c; c = c->next)
        if (c->at == ASLEEP || (c->at == AT_GATE && c->timed))
            return true;
    return false;
}

/* Launchers that see a process die interrupt the others. */
static bool any_is_lost(void)
{
    const struct real_context *c = ncs_real.first;
    while (c && c->ending != NCS_END_LOST)
        c = c->next;
    return c != NULL;
}

/* No progress within the patience, and no thread sleeps or waits with a deadline. */
static bool stalled(void)
{
    int64_t now = ncs_clock();
    if (any_has_time(ncs_real.first) || any_has_time(ncs_real.visitors))
        ncs_real.progress = now;
    int64_t patience = ncs_real.options.patience;
    return patience > 0 && now - ncs_real.progress >= patience;
}

static enum ncs_stop machine_run(void)
{
    ncs_real.started = true;
    ncs_real.progress = ncs_clock();
    pthread_cond_broadcast(&ncs_real.changed);
    ncs_real.stop = NCS_STOP_DONE;
    while (ncs_real.live > 0) {
        if (atomic_load(&ncs_real.interrupted) || stalled()) {
            ncs_real.stop = atomic_load(&ncs_real.interrupted) && !any_is_lost() ? NCS_STOP_INTERRUPTED : NCS_STOP_STALLED;
            break;
        }
        ncs_real_wait(&ncs_real.changed, ncs_clock() + LOOK);
    }
    if (ncs_real.stop == NCS_STOP_DONE)
        ncs_stage_look_at_all();
    ncs_real.stopped = true; /* the runner has the token from here on */
    return ncs_real.stop;
}

static void machine_interrupt(void)
{
    atomic_store(&ncs_real.interrupted, true);
}

static void machine_abandon(void)
{
    int64_t until = ncs_clock() + GRACE;
    ncs_real.cancelled = true;
    ncs_real_gates_wake();
    pthread_cond_broadcast(&ncs_real.changed);
    while (ncs_real.live + ncs_real.stopped_for_ever > 0 && ncs_clock() < until)
        ncs_real_wait(&ncs_real.changed, ncs_clock() + LOOK);
}

static bool machine_lingers(void)
{
    return ncs_real.open && ncs_real.live > 0;
}

/* ---- requests of a context ---- */

static int64_t machine_now(void)
{
    return ncs_clock() - ncs_real.start;
}

static int64_t machine_clock(bool asks)
{
    (void)asks;
    if (ncs_real_self)
        ncs_real_self->polls++;
    ncs_token_pause(50000);
    return machine_now();
}

/* Keeps a thread here after the verdict until the run is over. */
static void stay(void)
{
    while (ncs_real.stopped && !ncs_real.cancelled)
        ncs_real_wait(&ncs_real.changed, -1);
}

static bool is_visitor(const struct real_context *c)
{
    const struct real_context *v = ncs_real.visitors;
    while (v && v != c)
        v = v->next;
    return v != NULL;
}

/* Visitors are not counted among the contexts that the run waits for. */
static void stop_for_ever(struct real_context *c)
{
    bool counts = !is_visitor(c);
    c->at = STOPPED;
    ncs_real.live -= counts;
    ncs_real.stopped_for_ever += counts;
    pthread_cond_broadcast(&ncs_real.changed);
    while (!ncs_real.cancelled)
        ncs_real_wait(&ncs_real.changed, -1);
    ncs_real.stopped_for_ever -= counts;
    ncs_real.live += counts;
}

void ncs_real_stop_dead(void)
{
    if (ncs_real_is_dead() && !ncs_real.cancelled)
        stop_for_ever(ncs_real_self);
}

static void machine_sleep(int64_t nanoseconds)
{
    int64_t now = ncs_clock();
    int64_t until = nanoseconds < INT64_MAX - now ? now + nanoseconds : INT64_MAX;
    if (ncs_real_self)
        ncs_real_self->at = ASLEEP;
    while (!ncs_real.cancelled && !ncs_real_is_dead() && (ncs_real.stopped || ncs_clock() < until))
        ncs_real_wait(&ncs_real.changed, ncs_real.stopped ? -1 : until);
    ncs_real_stop_dead();
    if (ncs_real_self)
        ncs_real_self->at = AT_WORK;
    ncs_real.progress = ncs_clock();
}

static bool machine_cancelled(void)
{
    return ncs_real_self && ncs_real.cancelled;
}

/* A script that computes without polling makes progress. */
static void machine_check(void)
{
    if (ncs_real_self && ncs_real_self->polls == ncs_real_self->checked)
        ncs_real.progress = ncs_clock();
    if (ncs_real_self)
        ncs_real_self->checked = ncs_real_self->polls;
    ncs_real_leave();
    sched_yield();
    ncs_real_take();
    while (atomic_load(&ncs_real.interrupted) && !ncs_real.cancelled)
        ncs_real_wait(&ncs_real.changed, -1);
    stay();
    ncs_real_stop_dead();
}

static void machine_end(enum ncs_ending how, const char *message, struct ncs_place place)
{
    if (!ncs_real_self)
        return;
    if (how == NCS_END_ERROR && ncs_real_self->failed && ncs_real.options.patience > GRIEF)
        ncs_real.options.patience = GRIEF;
    ncs_real_self->ending = how;
    ncs_free(ncs_real_self->message);
    ncs_real_self->message = ncs_copy_text(message);
    ncs_real_self->end_place = place;
    if (how == NCS_END_KILLED)
        stop_for_ever(ncs_real_self);
}

static void mark_dead(struct real_context *c, const char *message, struct ncs_place place)
{
    for (; c; c = c->next) {
        if (c == ncs_real_self || c->at >= STOPPED || c->options.local->rank != ncs_real_self->options.local->rank)
            continue;
        c->dead = true;
        c->ending = NCS_END_KILLED;
        ncs_free(c->message);
        c->message = ncs_copy_text(message);
        c->end_place = place;
    }
}

static void mark_lost(struct real_context *c, int process, const char *message)
{
    for (; c; c = c->next) {
        if (c->at >= STOPPED || far_process(c->options.local->rank) != process)
            continue;
        c->dead = true;
        c->ending = NCS_END_LOST;
        ncs_free(c->message);
        c->message = ncs_copy_text(message);
        c->end_place = c->options.local->call ? c->options.local->call->place : c->options.local->last;
    }
}

/* The others may never return from the calls in which they wait for its ranks. */
void ncs_real_lose(int process, const char *message)
{
    bool held = ncs_token_is_held();
    if (!held)
        ncs_real_take();
    if (ncs_real.open) {
        mark_lost(ncs_real.first, process, message);
        mark_lost(ncs_real.visitors, process, message);
        if (ncs_real.options.patience > GRIEF)
            ncs_real.options.patience = GRIEF;
        ncs_real_gates_wake();
        pthread_cond_broadcast(&ncs_real.changed);
    }
    if (!held)
        ncs_real_leave();
}

/* Other threads of the process that are inside a library's call stop when they return from it. */
static void machine_die(const char *message, struct ncs_place place)
{
    if (!ncs_real_self)
        return;
    mark_dead(ncs_real.first, message, place);
    mark_dead(ncs_real.visitors, message, place);
    ncs_real_gates_wake();
    pthread_cond_broadcast(&ncs_real.changed);
    machine_end(NCS_END_KILLED, message, place);
}

/* ---- functions that only a simulator has ---- */

static void machine_plant(struct ncs_plant plant)
{
    (void)plant;
}

static void machine_stats(uint64_t *objects, uint64_t *bytes, uint64_t *trace)
{
    *objects = *bytes = *trace = 0;
}

static bool machine_swayed(uint64_t limit, uint64_t *buffered)
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

/* clang-format off */
const struct ncs_machine ncs_machine_real = {
    .open = machine_open, .close = machine_close, .reset = machine_reset, .spawn = machine_spawn,
    .run = machine_run, .interrupt = machine_interrupt, .snapshot = ncs_real_snapshot,
    .abandon = machine_abandon, .lingers = machine_lingers, .observe = ncs_stage_observe,
    .staged = ncs_meet_staged, .unstaged = ncs_meet_unstaged, .plant = machine_plant, .stats = machine_stats, .swayed = machine_swayed,
    .schedule = machine_schedule, .clock = machine_clock, .now = machine_now,
    .sleep = machine_sleep, .cancelled = machine_cancelled, .check = machine_check,
    .end = machine_end, .die = machine_die, .gate_new = ncs_real_gate_new,
    .gate_free = ncs_real_gate_free, .gate_wait = ncs_real_gate_wait,
    .gate_wake = ncs_real_gate_wake,
};
/* clang-format on */
