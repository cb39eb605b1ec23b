#include "sim/kernel/progress.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "api/journal.h"
#include "base/thread.h"
#include "sim/kernel/agenda.h"
#include "sim/kernel/context.h"
#include "sim/kernel/foreign.h"
#include "sim/kernel/world.h"

/* A thread counts as polling if it has asked at least POLLS_LEAST times, keeps asking at its own
 * pace, and uses next to no processor time between two questions. */
#define POLLS_LEAST 3
#define PACES_MOST 4
#define PAUSE_NS ((int64_t)1000000000)
#define WORK_NS_MOST ((int64_t)250000)

/* Reading a thread's processor time costs more than a poll, so it is read no more often than this. */
#define NOTE_NS ((int64_t)1000000)

/* A thread that only polls looks up this often. */
#define LOOK_NS ((int64_t)20 * 1000000)

void (*sim_foreign_idle)(int64_t idle);

static atomic_uint_fast64_t progress;
static uint64_t progress_seen; /* at the look before */
static int64_t quiet_since;    /* real ns */
static uint64_t called;        /* calls other than queries */
static int64_t looked;         /* real ns, last look by a polling thread */

void sim_progress_made(void)
{
    atomic_fetch_add_explicit(&progress, 1, memory_order_relaxed);
}

/* Every effect of a call changes one of these numbers. */
void sim_progress_ends_call(void)
{
    static uint64_t before[4];
    const struct world *w = &sim_world;
    const uint64_t now[4] = { w->epoch, w->live_objects, w->live_bytes, w->unique_ids };
    if (memcmp(before, now, sizeof now) == 0)
        return;
    memcpy(before, now, sizeof now);
    sim_progress_made();
}

bool sim_progress_is_polling(const struct context *c)
{
    return c->polls.count > 0 && c->polls.progress == atomic_load_explicit(&progress, memory_order_relaxed);
}

void sim_progress_forget(struct context *c)
{
    ncs_call_unpin(c->polls.call);
    c->polls = (struct polls){ 0 };
}

static void remember_call(struct polls *p, struct ncs_call *call)
{
    ncs_call_pin(call);
    ncs_call_unpin(p->call);
    p->call = call;
}

/* The processor time of the thread of the program, which may be another than the one that makes its calls. */
static int64_t time_worked(const struct context *c)
{
    const struct ncs_local *local = c->options.local;
    return local && local->process > 0 ? local->ran : ncs_clock_of(CLOCK_THREAD_CPUTIME_ID);
}

static void note_work(const struct context *c, struct polls *p, int64_t now)
{
    if (p->count > 1 && now - p->noted < NOTE_NS)
        return;
    int64_t busy = time_worked(c);
    if (p->count == 1)
        p->busy = busy;
    p->worked = busy - p->busy;
    p->noted = now;
}

/* The look costs processor time, which must not count as work of the polling thread. */
static void look_on_its_time(const struct context *c, struct polls *p)
{
    int64_t began = time_worked(c);
    sim_progress_look();
    p->busy += time_worked(c) - began;
}

void sim_progress_polled(struct context *c, bool pending)
{
    struct polls *p = &c->polls;
    if (!sim_world.options.foreign)
        return;
    sim_progress_ends_call(); /* counts events that were due on entry */
    int64_t now = ncs_clock();
    if (!sim_progress_is_polling(c)) {
        struct ncs_call *call = p->call;
        *p = (struct polls){ .first = now, .call = call };
        p->progress = atomic_load_explicit(&progress, memory_order_relaxed);
    }
    p->count++;
    p->last = now;
    p->pending |= pending;
    note_work(c, p, now);
    remember_call(p, c->options.local ? c->options.local->call : NULL);
    if (now - looked < LOOK_NS)
        return;
    looked = now;
    look_on_its_time(c, p);
}

bool sim_progress_keeps_polling(const struct context *c, int64_t patience)
{
    const struct polls *p = &c->polls;
    if (!sim_progress_is_polling(c) || p->count < POLLS_LEAST || p->last - p->first < patience / 2)
        return false;
    int64_t gaps = (int64_t)p->count - 1, pace = (p->last - p->first) / gaps;
    return ncs_clock() - p->last <= PACES_MOST * pace + PAUSE_NS && p->worked / gaps <= WORK_NS_MOST;
}

static const struct context *progress_context(pid_t thread)
{
    for (size_t i = 0; i < sim_world.contexts; i++)
        if (sim_world.context[i]->tid == thread)
            return sim_world.context[i];
    return NULL;
}

bool sim_foreign_is_polling(pid_t thread, int64_t patience)
{
    const struct context *c = progress_context(thread);
    return c && sim_progress_keeps_polling(c, patience);
}

pid_t sim_foreign_number(int rank, int thread)
{
    pid_t number = 0;
    for (size_t i = 0; i < sim_world.contexts; i++) {
        const struct ncs_local *local = sim_world.context[i]->options.local;
        if (local && local->thread == thread && (thread > 0 || local->rank == rank) && sim_world.context[i]->tid)
            number = sim_world.context[i]->tid;
    }
    return number;
}

bool sim_foreign_acts(pid_t thread)
{
    const struct context *c = progress_context(thread);
    return c && c->acts;
}

bool sim_foreign_is_waiting(pid_t thread)
{
    for (size_t i = 0; i < sim_world.contexts; i++) {
        const struct context *c = sim_world.context[i];
        bool halted = c->state == CONTEXT_ENDED; /* a detached context has no thread */
        if (c->tid == thread && (c->state == CONTEXT_PARKED || c->state == CONTEXT_IDLE || halted))
            return true;
    }
    return false;
}

/* True if some call waits or polls in vain, and no event that is due could end that. */
static bool progress_is_stuck(void)
{
    bool pending = sim_world.foreign_waits > 0;
    if (sim_agenda_peek())
        return false;
    for (size_t i = 0; i < sim_world.contexts; i++) {
        const struct context *c = sim_world.context[i];
        if (c->state == CONTEXT_READY)
            return false;
        pending |= sim_progress_is_polling(c) && c->polls.pending;
    }
    return pending;
}

void sim_progress_look(void)
{
    int64_t now = ncs_clock();
    uint64_t made = atomic_load_explicit(&progress, memory_order_relaxed);
    if (made != progress_seen || !progress_is_stuck()) {
        progress_seen = made;
        quiet_since = now;
    } else if (sim_foreign_idle) {
        sim_foreign_idle(now - quiet_since);
    }
}

void sim_foreign_called(bool acts)
{
    called++;
    sim_context_self()->acts |= acts;
}

int64_t sim_progress_silence(void)
{
    static uint64_t made_before, called_before;
    static int64_t since;
    int64_t now = ncs_clock();
    uint64_t made = atomic_load_explicit(&progress, memory_order_relaxed);
    if (!since || made != made_before || called != called_before)
        since = now;
    made_before = made;
    called_before = called;
    return now - since;
}
