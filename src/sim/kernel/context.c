#include "sim/kernel/context.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/thread.h"
#include "sim/kernel/above.h"
#include "sim/kernel/foreign.h"
#include "sim/kernel/list.h"
#include "sim/kernel/sched.h"
#include "sim/kernel/world.h"

#define THREAD_STACK_BYTES ((size_t)1 << 20)

/* The stack of a thread takes two mappings. Linux gives a process 65530 by default, and other memory needs
 * some of them. Fibers beyond some number share theirs (fiber.c). */
#define LIVE_THREADS_MAX 30000
#define LIVE_FIBERS_MAX 200000

static _Thread_local struct context *self;

struct context *sim_context_self(void)
{
    return self;
}

static void become(struct context *c)
{
    self = c;
    ncs_local = c->options.local;
}

static void take_token(struct context *c)
{
    while (sem_wait(&c->token) != 0)
        assert(errno == EINTR);
}

void sim_context_transfer(struct context *from, struct context *to)
{
    sim_world.running = to;
    if (sim_world.options.own_threads) {
        sem_post(&to->token);
        take_token(from);
    } else {
        sim_fiber_switch(&from->fiber, &to->fiber);
    }
    become(from);
}

struct context *sim_context_enter(void)
{
    struct context *c = self;
    if (!c || c == &sim_world.runner || c->cancelled)
        return NULL;
    if (sim_world.interrupted || (!sim_world.options.foreign && sim_choose(CHOOSE_YIELD, 2) == 1)) {
        sim_context_ready(c);
        sim_switch_away(c);
        if (c->cancelled)
            return NULL;
    }
    return c;
}

/* A process of a script ends with its last context. A stalled one has stopped, but lives on and holds what it has. */
static void context_leave_process(const struct context *c)
{
    bool stalled = c->ending == NCS_END_KILLED && !c->process->dead;
    if (!stalled && --c->process->live == 0)
        sim_process_over(c->process);
}

void sim_context_finish(struct context *c)
{
    struct world *w = &sim_world;
    c->state = CONTEXT_ENDED;
    w->live--;
    sim_wait_drop(c);
    sim_world_changed();
    if (!w->closing)
        context_leave_process(c);
    struct context *next = w->closing ? &w->runner : sim_schedule();
    w->running = next;
    if (w->options.own_threads) {
        sem_post(&next->token);
        pthread_exit(NULL);
    }
    if (w->finished)
        sim_fiber_drop(&w->finished->fiber);
    w->finished = c;
    sim_fiber_leave(&c->fiber, &next->fiber);
}

static void run_main(void *arg)
{
    struct context *c = arg;
    become(c);
    c->state = CONTEXT_RUNNING;
    if (!c->cancelled)
        c->options.main(c->options.arg);
    sim_context_finish(c);
}

static void *run_thread(void *arg)
{
    struct context *c = arg;
    c->tid = (pid_t)syscall(SYS_gettid);
    take_token(c);
    sim_foreign_take_back();
    run_main(c);
    return NULL;
}

static bool start_thread(struct context *c)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
    c->thread_started = ncs_thread_start(&c->thread, &attr, run_thread, c) == 0;
    pthread_attr_destroy(&attr);
    return c->thread_started;
}

bool sim_context_new(const struct ncs_context_options *options, struct ncs_error *err)
{
    struct world *w = &sim_world;
    size_t most = w->options.own_threads ? LIVE_THREADS_MAX : LIVE_FIBERS_MAX;
    if (w->live >= most)
        return ncs_fail(err, NCS_NO_MEMORY, "no room for more than %zu ranks and threads at a time", most);
    struct context *c = sim_new(sizeof *c);
    c->options = *options;
    c->process = sim_world_process(options->process);
    c->device = c->process->first_device;
    c->wait.deadline = -1;
    sem_init(&c->token, 0, 0);
    bool started = w->options.own_threads ? start_thread(c) : sim_fiber_make(&c->fiber, run_main, c);
    if (!started) {
        sem_destroy(&c->token);
        sim_free(c, sizeof *c);
        return ncs_fail(err, NCS_NO_MEMORY, "no room for the stack of context %zu", w->contexts);
    }
    c->id = (int)w->contexts;
    NCS_PUSH(w->context, w->contexts, w->contexts_room, c);
    w->live++;
    c->process->live++;
    sim_context_ready(c);
    return true;
}

/* The diagnosis reports ended contexts, so this many of them are kept. */
#define ENDED_KEPT 1024

static struct context *detached_first, *detached_last;
static size_t detached;

static struct context *reuse(void)
{
    if (detached <= ENDED_KEPT)
        return NULL;
    struct context *c = detached_first;
    QUEUE_TAKE(detached_first, detached_last, next);
    detached--;
    return c;
}

void sim_context_attach(struct ncs_local *local)
{
    struct world *w = &sim_world;
    struct context *c = reuse();
    if (!c) {
        c = sim_new(sizeof *c);
        sem_init(&c->token, 0, 0);
        c->id = (int)w->contexts;
        NCS_PUSH(w->context, w->contexts, w->contexts_room, c);
    }
    ncs_free(c->options.local);
    c->options = (struct ncs_context_options){ .local = local };
    c->process = sim_world_process(local->process);
    c->device = c->process->first_device;
    c->cuda_error = 0;
    c->tid = (pid_t)syscall(SYS_gettid);
    c->wait.deadline = -1;
    c->state = CONTEXT_RUNNING;
    w->live++;
    self = c; /* ncs_local is the thread's own already */
}

void sim_context_detach(void)
{
    struct context *c = self;
    c->state = CONTEXT_ENDED;
    c->ending = NCS_END_RETURNED;
    c->tid = 0;
    c->acts = false;
    sim_world.live--;
    sim_wait_drop(c);
    sim_progress_forget(c);
    sim_group_clear(&c->group);
    c->group = (struct group){ 0 };
    sim_params_free(c);
    c->params = NULL;
    ncs_free(c->per_thread_stream);
    c->per_thread_stream = NULL;
    QUEUE_APPEND(detached_first, detached_last, c, next);
    detached++;
    sim_world_changed();
    self = NULL;
}

bool sim_context_idle(struct context *c)
{
    if (c->cancelled)
        return false;
    c->state = CONTEXT_IDLE;
    sim_world.live--;
    context_leave_process(c);
    sim_switch_away(c);
    return !c->cancelled;
}

void sim_context_resume(struct context *c)
{
    sim_world.live++;
    c->process->live++;
    sim_context_ready(c);
}

void sim_context_adopt_runner(void)
{
    struct context *c = &sim_world.runner;
    *c = (struct context){ .id = -1, .state = CONTEXT_RUNNING };
    c->wait.deadline = -1;
    c->options.local = ncs_local;
    sem_init(&c->token, 0, 0);
    sim_fiber_adopt(&c->fiber);
    become(c);
    sim_world.running = c;
}

/* The stack of a fiber is dropped as it is, since a parked frame owns nothing (sim/README.md, rule 3).
 * An own thread must unwind: it gets the token with `cancelled` set, and every call of the API then
 * returns at once. */
static void abandon(struct context *c)
{
    sim_world.live += c->state == CONTEXT_IDLE;
    c->cancelled = true;
    if (sim_world.options.own_threads) {
        sim_context_transfer(&sim_world.runner, c);
    } else {
        c->state = CONTEXT_ENDED;
        sim_world.live--;
        sim_wait_drop(c);
    }
    c->ending = NCS_END_ABANDONED;
}

void sim_contexts_abandon(void)
{
    struct world *w = &sim_world;
    w->closing = true;
    w->ready = w->polling = (struct queue){ 0 };
    w->wokens = 0;
    for (size_t i = 0; i < w->contexts; i++)
        if (w->context[i]->state != CONTEXT_ENDED)
            abandon(w->context[i]);
    w->closing = false;
}

void sim_contexts_free(void)
{
    struct world *w = &sim_world;
    for (size_t i = 0; i < w->contexts; i++) {
        struct context *c = w->context[i];
        if (c->thread_started)
            pthread_join(c->thread, NULL);
        sim_fiber_drop(&c->fiber);
        sem_destroy(&c->token);
        sim_progress_forget(c);
        sim_group_clear(&c->group);
        sim_params_free(c);
        ncs_free(c->message);
        ncs_free(c->per_thread_stream);
        sim_free(c, sizeof *c);
    }
    ncs_free(w->context);
    w->context = NULL;
    w->contexts = w->contexts_room = w->live = 0;
    w->finished = NULL;
}
