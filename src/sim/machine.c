/* The simulator as room driver sees it: the table of NCCL's and CUDA's functions, and the services
 * that only a machine has. */
#include <string.h>

#include "api/driver.h"
#include "api/version.h"
#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/init.h"
#include "sim/comm/inject.h"
#include "sim/comm/meeting.h"
#include "sim/comm/snapshot.h"
#include "sim/comm/teardown.h"
#include "sim/cuda/capture.h"
#include "sim/cuda/graph.h"
#include "sim/cuda/host.h"
#include "sim/cuda/registered.h"
#include "sim/cuda/op.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/data/pages.h"
#include "sim/data/pool.h"
#include "sim/kernel/choose.h"
#include "sim/kernel/context.h"
#include "sim/kernel/foreign.h"
#include "sim/kernel/gen/functions.h"
#include "sim/kernel/job.h"
#include "sim/kernel/list.h"
#include "sim/kernel/sched.h"
#include "sim/kernel/turn.h"
#include "sim/kernel/world.h"

#define DEVICES_MOST 1024
#define DEFAULT_MEMORY ((uint64_t)16 << 30)

struct ncs_gate {
    struct waitable woken;
};

static bool sim_machine_begin(const struct ncs_machine_options *options, struct ncs_error *err)
{
    struct world *w = &sim_world;
    w->open = true;
    w->options = *options;
    w->stamped = -1;
    w->devices_most = ncs_shape_most(&w->options.hosts);
    if (!w->options.nccl_version)
        w->options.nccl_version = NCS_NCCL_DEFAULT;
    if (!w->options.device_memory)
        w->options.device_memory = DEFAULT_MEMORY;
    w->options.own_threads |= options->foreign;
    sim_log_begin();
    if (!options->foreign)
        sim_context_adopt_runner();
    if (options->foreign && options->seeded)
        sim_turns_begin(options->seed);
    return sim_choices_begin(options->seeded, options->seed, options->schedule, err);
}

#define SIM_MEMBER(name) .name = sim_##name,
static const struct ncs_api whole_api = { SIM_FUNCTIONS(SIM_MEMBER) };
#undef SIM_MEMBER

/* The functions of the open machine: those of its version. */
static struct ncs_api sim_api = { 0 };

/* Processes of an older version lack some of these (room script). */
static int newest_version(void)
{
    const struct ncs_machine_options *o = &sim_world.options;
    int newest = o->nccl_version;
    for (size_t i = 0; i < o->owns.count; i++)
        newest = o->owns.own[i].nccl_version > newest ? o->owns.own[i].nccl_version : newest;
    return newest;
}

static void provide(int version)
{
    sim_api = whole_api;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        if (ncs_fn_info[fn].since > version)
            memset((char *)&sim_api + ncs_fn_info[fn].offset, 0, sizeof(void (*)(void)));
}

static void sim_machine_free_event(void *value, void *arg)
{
    (void)arg;
    sim_event_free(value);
}

static void free_pool(void *value, void *arg)
{
    (void)arg;
    sim_pool_returned(value, 0);
}

static void end_operations(void)
{
    struct world *w = &sim_world;
    while (w->op_first) {
        if (w->op_first->launch)
            sim_launch_withdraw(w->op_first->launch);
        sim_op_end(w->op_first, cudaErrorCudartUnloading);
    }
    for (struct op *op; (op = w->queued_first);) {
        QUEUE_TAKE(w->queued_first, w->queued_last, next_queued);
        sim_op_unref(op);
    }
}

static void end_jobs(void)
{
    struct world *w = &sim_world;
    while (w->job_first)
        sim_job_cancel(w->job_first, ncclInternalError);
    for (struct job *job; (job = w->dirty_first);) {
        QUEUE_TAKE(w->dirty_first, w->dirty_last, next_dirty);
        sim_job_unref(job);
    }
}

static void free_processes(void)
{
    struct world *w = &sim_world;
    for (size_t i = 0; i < w->processes; i++) {
        struct process *p = w->process[i];
        if (!p)
            continue;
        for (int d = 0; d < p->devices; d++) {
            sim_host_free(&p->gpu[d]);
            sim_gpu_free_streams(&p->gpu[d]);
            ncs_free(p->gpu[d].peer);
            sim_op_unref(p->gpu[d].last_launch);
        }
        sim_registered_free(p);
        sim_settings_free(p);
        sim_free(p->gpu, (size_t)p->devices * sizeof *p->gpu);
        sim_free(p, sizeof *p);
    }
    ncs_free(w->process);
}

/* Leaves an empty world; time is proportional to what was used. */
static void clear(void)
{
    struct world *w = &sim_world;
    w->observer = (struct ncs_observer){ 0 };
    sim_contexts_abandon();
    end_jobs();
    end_operations(); /* a failing host function still reads the context that would run it */
    end_jobs();       /* the end of an operation may have moved one more */
    sim_captures_free();
    sim_graphs_free();
    sim_contexts_free();
    ncs_map_each(&w->events, sim_machine_free_event, NULL);
    ncs_map_free(&w->events);
    ncs_map_free(&w->streams);
    sim_comms_free();
    sim_rendezvous_free_all();
    sim_memory_free_all();
    ncs_map_each(&w->pools, free_pool, NULL);
    ncs_map_free(&w->pools);
    free_processes();
    sem_destroy(&w->runner.token);
    ncs_free(w->agenda);
    ncs_free(w->woken);
    ncs_free(w->kernel_slot_line);
    sim_choices_free();
    sim_inject_free();
    uint64_t objects = w->live_objects, bytes = w->live_bytes;
    *w = (struct world){ .live_objects = objects, .live_bytes = bytes };
}

static void sim_machine_close(void)
{
    if (!sim_world.open)
        return;
    clear();
    sim_fiber_trim();
    sim_pages_trim();
    sim_world_trim();
}

static bool sim_machine_has_hosts(const struct ncs_shape *hosts, struct ncs_error *err)
{
    for (size_t i = 0; i <= hosts->firsts; i++) {
        int devices = ncs_shape_devices(hosts, (int)i);
        if (devices < 1 || devices > DEVICES_MOST)
            return ncs_fail(err, NCS_BAD_INPUT, "devices per host must be 1..%d, not %d", DEVICES_MOST, devices);
    }
    return true;
}

static bool sim_machine_open(const struct ncs_machine_options *options, struct ncs_error *err)
{
    if (sim_world.open)
        return ncs_fail(err, NCS_INTERNAL, "the simulator is open already");
    if (!sim_machine_has_hosts(&options->hosts, err))
        return false;
    if (!sim_machine_begin(options, err)) {
        sim_machine_close();
        return false;
    }
    provide(newest_version());
    return true;
}

static void sim_machine_reset(void)
{
    struct ncs_machine_options options = sim_world.options;
    clear();
    sim_machine_begin(&options, NULL); /* rereads settings that are read once */
}

static bool sim_machine_spawn(const struct ncs_context_options *options, struct ncs_error *err)
{
    return sim_context_new(options, err);
}

static enum ncs_stop sim_machine_run(void)
{
    struct context *runner = &sim_world.runner;
    struct context *next = sim_schedule();
    if (next != runner)
        sim_context_transfer(runner, next);
    sim_world.running = runner;
    return sim_world.stop;
}

static void sim_machine_hold(int64_t events)
{
    sim_world.holds = events >= 0;
    sim_world.allowed = events >= 0 ? (uint64_t)events : 0;
}

static void sim_machine_interrupt(void)
{
    atomic_store(&sim_world.interrupted, true);
}

static void sim_machine_observe(const struct ncs_observer *observer)
{
    sim_world.observer = observer ? *observer : (struct ncs_observer){ 0 };
}

static void sim_machine_plant(struct ncs_plant plant)
{
    sim_world.plant = plant;
    sim_world.planted = 0;
}

static void sim_machine_stats(uint64_t *objects, uint64_t *bytes, uint64_t *trace)
{
    *objects = sim_world.live_objects;
    *bytes = sim_world.live_bytes;
    *trace = sim_world.trace;
}

static bool sim_machine_schedule(struct ncs_str *out, struct ncs_error *err)
{
    enum ncs_stop how = sim_world.stop;
    return sim_choices_text(how != NCS_STOP_BUDGET && how != NCS_STOP_INTERRUPTED, out, err);
}

static bool sim_machine_swayed(uint64_t limit, uint64_t *buffered)
{
    *buffered = sim_world.buffered;
    for (const struct comm *comm = sim_world.comm_first; comm; comm = comm->next)
        if (sim_meetings_lone_send(comm, limit))
            return true;
    return sim_world.went_ahead || sim_teardown_swayed();
}

static bool never(void *arg)
{
    (void)arg;
    return false;
}

static int64_t sim_machine_clock(bool asks)
{
    struct context *c = sim_context_enter();
    if (c) {
        sim_poll(c, never, NULL);
        c->timed |= asks;
    }
    return sim_world.now;
}

static int64_t sim_machine_now(void)
{
    return sim_world.now;
}

/* A context that keeps sleeping while nothing changes sleeps longer each time, as fruitless polls do.
 * Otherwise a loop of tiny sleeps would never reach the horizon of a livelock. */
static int64_t sleep_time(uint64_t sleeps, int64_t nanoseconds)
{
    int64_t least = sleeps < SLEEPS_IN_VAIN ? 0 : (sim_world.now - sim_world.epoch_time) / 8 + 1000;
    return nanoseconds > least ? nanoseconds : least;
}

static void sim_machine_sleep(int64_t nanoseconds)
{
    struct context *c = sim_context_enter();
    if (!c)
        return;
    if (c->idle_epoch != sim_world.epoch) {
        c->idle_epoch = sim_world.epoch;
        c->fruitless = c->sleeps = 0;
        c->timed = false;
    }
    c->slept = true;
    sim_wait(c, sim_world_later(sleep_time(++c->sleeps, nanoseconds)));
}

static bool sim_machine_cancelled(void)
{
    const struct context *c = sim_context_self();
    return c && c->cancelled;
}

static void sim_machine_check(void)
{
    if (sim_world.interrupted)
        sim_context_enter();
}

static void sim_machine_end(enum ncs_ending how, const char *message, struct ncs_place place)
{
    struct context *c = sim_context_self();
    if (!c || c->cancelled)
        return;
    c->ending = how;
    ncs_free(c->message);
    c->message = ncs_copy_text(message);
    c->place = place;
    if (how != NCS_END_KILLED)
        return;
    if (sim_world.options.foreign)
        sim_foreign_halt(c);
    else
        sim_context_finish(c);
}

static void sim_machine_die(const char *message, struct ncs_place place)
{
    struct context *c = sim_context_self();
    if (c && !c->cancelled)
        sim_inject_death(c);
    sim_machine_end(NCS_END_KILLED, message, place);
}

static struct ncs_gate *gate_new(void)
{
    return sim_new(sizeof(struct ncs_gate));
}

static void gate_free(struct ncs_gate *gate)
{
    sim_free(gate, gate ? sizeof *gate : 0);
}

static bool gate_wait(struct ncs_gate *gate, int64_t deadline, const char *what, const char *key, int owner, int owner_thread)
{
    struct context *c = sim_context_self(); /* no scheduling point: the caller has just looked */
    if (!c || c->cancelled)
        return false;
    sim_wait_for(c, NCS_WAIT_GATE, gate, &gate->woken);
    c->wait.what = what;
    c->wait.key = ncs_copy_text(key);
    c->wait.owner = owner;
    c->wait.owner_thread = owner_thread;
    return sim_wait(c, deadline) == WAIT_MET;
}

static void gate_wake(struct ncs_gate *gate)
{
    sim_world_changed();
    sim_waitable_fire(&gate->woken);
}

#define SIM_MEMBER(name) .name = sim_##name,

/* clang-format off */
static const struct ncs_machine sim_machine = {
    .open = sim_machine_open, .close = sim_machine_close, .reset = sim_machine_reset, .spawn = sim_machine_spawn,
    .run = sim_machine_run, .hold = sim_machine_hold, .interrupt = sim_machine_interrupt, .snapshot = sim_snapshot_take,
    .abandon = sim_contexts_abandon, .observe = sim_machine_observe, .plant = sim_machine_plant,
    .stats = sim_machine_stats, .swayed = sim_machine_swayed,
    .schedule = sim_machine_schedule, .clock = sim_machine_clock, .now = sim_machine_now, .sleep = sim_machine_sleep,
    .cancelled = sim_machine_cancelled, .check = sim_machine_check, .end = sim_machine_end,
    .die = sim_machine_die, .inject = sim_inject,
    .gate_new = gate_new, .gate_free = gate_free, .gate_wait = gate_wait, .gate_wake = gate_wake,
    .readable = sim_memory_readable, .watch = sim_memory_watch, .freed = sim_memory_freed,
    .written = sim_memory_written,
};
/* clang-format on */

const struct ncs_driver ncs_driver_sim = { "sim", &sim_api, &sim_machine, false };
