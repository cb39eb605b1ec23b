/* The runner on a machine of the test's own: contexts run one after the other on one stack, and a
 * wait runs those that have not begun yet. When none is left, a wait without a deadline ends the
 * run as a hang. The program is a C function for each test. */
#ifndef NCS_TESTS_UNIT_RUN_FAKE_H
#define NCS_TESTS_UNIT_RUN_FAKE_H

#include <semaphore.h>
#include <setjmp.h>
#include <string.h>

#include "base/mem.h"
#include "harness.h"
#include "run/private.h"

/* ---- the machine ---- */

#define MOST_CONTEXTS 16

struct ncs_gate {
    int wakes;
};

static struct ncs_error misfit; /* what the machine says of the schedule */
static uint64_t swayed;         /* bytes that it says were buffered */

static struct {
    bool open;
    struct ncs_machine_options options;
    struct ncs_observer observer;
    struct ncs_plant plant;
    struct ncs_context_options context[MOST_CONTEXTS];
    size_t contexts, begun;
    int64_t now;
    int gates, polls, changes, ended, abandoned;
    char waits[256]; /* "store:get(store key `a`) " of each wait */
    enum ncs_stop stop;
    jmp_buf runner, context_end;
    sem_t interrupted;
    bool refuse_open, refuse_spawn;
    void (*on_abandon)(void);
    struct ncs_injection injected; /* the last one */
    int injections;
    char stopped[128]; /* "die fault.kill at line 7 @3 " of each context that stops for ever */
} fake;

static bool fake_open(const struct ncs_machine_options *options, struct ncs_error *err)
{
    if (fake.refuse_open)
        return ncs_fail(err, NCS_BAD_INPUT, "no such version");
    fake.open = true;
    fake.options = *options;
    fake.contexts = fake.begun = 0;
    return true;
}

static void fake_close(void)
{
    ck_assert_int_eq(fake.gates, 0);
    fake.open = false;
}

static bool fake_spawn(const struct ncs_context_options *options, struct ncs_error *err)
{
    if (fake.refuse_spawn || fake.contexts == MOST_CONTEXTS)
        return ncs_fail(err, NCS_NO_MEMORY, "no room for a stack");
    fake.context[fake.contexts++] = *options;
    return true;
}

static bool begin_next(void)
{
    if (fake.begun == fake.contexts)
        return false;
    struct ncs_context_options c = fake.context[fake.begun++];
    struct ncs_local *outer = ncs_local;
    jmp_buf before;
    memcpy(before, fake.context_end, sizeof before);
    ncs_local = c.local;
    if (setjmp(fake.context_end) == 0)
        c.main(c.arg);
    memcpy(fake.context_end, before, sizeof before);
    ncs_local = outer;
    return true;
}

static void stop(enum ncs_stop how)
{
    fake.stop = how;
    longjmp(fake.runner, 1);
}

static enum ncs_stop fake_run(void)
{
    fake.stop = NCS_STOP_DONE;
    if (setjmp(fake.runner) == 0)
        while (begin_next())
            continue;
    return fake.stop;
}

static void fake_interrupt(void)
{
    sem_post(&fake.interrupted);
}

static void fake_snapshot(struct ncs_snapshot *out)
{
    *out = (struct ncs_snapshot){ .stop = fake.stop, .now = fake.now };
}

static void fake_abandon(void)
{
    fake.abandoned++;
    if (fake.on_abandon)
        fake.on_abandon();
}

static void fake_observe(const struct ncs_observer *observer)
{
    fake.observer = observer ? *observer : (struct ncs_observer){ 0 };
}

static void fake_plant(struct ncs_plant plant)
{
    fake.plant = plant;
}

static void fake_stats(uint64_t *objects, uint64_t *bytes, uint64_t *trace)
{
    *objects = *bytes = 0;
    *trace = 0x9f3c;
}

static bool fake_swayed(uint64_t limit, uint64_t *buffered)
{
    ck_assert_uint_gt(limit, 0);
    *buffered = fake.options.eager ? swayed : 0;
    return swayed > 0;
}

static bool fake_schedule(struct ncs_str *out, struct ncs_error *err)
{
    *err = misfit;
    ncs_str_add(out, "c1.4.e2");
    return err->status == NCS_OK;
}

static int64_t fake_clock(bool asks)
{
    (void)asks;
    fake.polls++;
    begin_next();
    return fake.now;
}

static int64_t fake_now(void)
{
    return fake.now;
}

static void fake_sleep(int64_t nanoseconds)
{
    fake.now += nanoseconds;
}

static bool fake_cancelled(void)
{
    return false;
}

/* As a script's hook does: an interrupted context goes no further. */
static void fake_check(void)
{
    if (sem_trywait(&fake.interrupted) == 0)
        stop(NCS_STOP_INTERRUPTED);
}

static void fake_stopped(const char *how, const char *message, struct ncs_place place)
{
    size_t used = strlen(fake.stopped);
    snprintf(fake.stopped + used, sizeof fake.stopped - used, "%s %s @%d ", how, message, place.line);
    longjmp(fake.context_end, 1);
}

static void fake_die(const char *message, struct ncs_place place)
{
    fake_stopped("die", message, place);
}

static void fake_inject(const struct ncs_injection *what)
{
    fake.injected = *what;
    fake.injections++;
}

static void fake_end(enum ncs_ending how, const char *message, struct ncs_place place)
{
    if (how == NCS_END_KILLED)
        fake_stopped("end", message, place);
    ck_assert_int_eq(how, NCS_END_ERROR);
    ck_assert_ptr_nonnull(message);
    ck_assert_int_ge(place.line, 0);
    fake.ended++;
}

static struct ncs_gate *fake_gate_new(void)
{
    fake.gates++;
    return ncs_new(sizeof(struct ncs_gate));
}

static void fake_gate_free(struct ncs_gate *gate)
{
    fake.gates--;
    ncs_free(gate);
}

static bool fake_gate_wait(struct ncs_gate *gate, int64_t deadline, const char *what, const char *key, int owner,
                           int owner_thread)
{
    size_t used = strlen(fake.waits);
    snprintf(fake.waits + used, sizeof fake.waits - used, "%s(%s)%d.%d ", what, key, owner, owner_thread);
    int before = gate->wakes;
    while (gate->wakes == before)
        if (!begin_next()) {
            if (deadline < 0)
                stop(NCS_STOP_QUIET);
            fake.now = deadline;
            return false;
        }
    return true;
}

static void fake_gate_wake(struct ncs_gate *gate)
{
    gate->wakes++;
    fake.changes++;
}

/* clang-format off */
static const struct ncs_machine fake_machine = {
    .open = fake_open, .close = fake_close, .spawn = fake_spawn, .run = fake_run,
    .interrupt = fake_interrupt, .snapshot = fake_snapshot, .abandon = fake_abandon,
    .observe = fake_observe, .plant = fake_plant, .stats = fake_stats, .swayed = fake_swayed,
    .schedule = fake_schedule, .clock = fake_clock,
    .now = fake_now, .sleep = fake_sleep, .cancelled = fake_cancelled, .check = fake_check,
    .end = fake_end, .die = fake_die, .inject = fake_inject, .gate_new = fake_gate_new, .gate_free = fake_gate_free,
    .gate_wait = fake_gate_wait, .gate_wake = fake_gate_wake,
};
/* clang-format on */

static cudaError_t fake_synchronize(void)
{
    return cudaSuccess;
}

static const struct ncs_api fake_api = { .cudaDeviceSynchronize = fake_synchronize };
static const struct ncs_driver fake_driver = { "sim", &fake_api, &fake_machine, false };

/* ---- the program: a C function for each test ---- */

static struct ncs_run *run;
static void (*body)(int rank);
static int made, freed, refuse_rank = -1;
static struct ncs_error refusal;

static void *rank_new(void *self, struct ncs_run *r, int rank, struct ncs_error *err)
{
    ck_assert_ptr_eq(self, &body);
    ck_assert(r == run || swayed > 0);
    ck_assert_int_eq(ncs_local->rank, -1);
    if (rank == refuse_rank) {
        *err = refusal;
        return NULL;
    }
    made++;
    return ncs_run_local(r, rank);
}

static void rank_main(void *rank)
{
    ck_assert_ptr_eq(rank, ncs_local);
    body(ncs_local->rank);
}

static void rank_free(void *rank)
{
    ck_assert_ptr_nonnull(rank);
    freed++;
}

static inline struct ncs_run_options options(int ranks)
{
    return (struct ncs_run_options){ .driver = "sim", .ranks = ranks, .hosts.devices = 8, .eager = UINT64_MAX, .verify = true };
}

static struct ncs_str heard;

static void hear(void *arg, const char *line)
{
    ck_assert_ptr_eq(arg, &heard);
    ncs_str_addf(&heard, "%s|", line);
}

static inline const struct ncs_result *execute(struct ncs_run_options o, void (*main)(int rank))
{
    struct ncs_program program = { &body, rank_new, rank_main, rank_free, false };
    memset(&fake, 0, sizeof fake);
    sem_init(&fake.interrupted, 0, 0);
    body = main;
    made = freed = 0;
    ncs_str_clear(&heard);
    run = ncs_run_new(&o, &program, hear, &heard);
    return ncs_run_execute_on(run, &fake_driver);
}

static inline void finish(void)
{
    ncs_run_free(run);
    ck_assert(!fake.open);
    ck_assert_int_eq(freed, made);
    ck_assert_ptr_null(ncs_local);
    ncs_str_free(&heard);
    refuse_rank = -1;
    swayed = 0;
    misfit = (struct ncs_error){ 0 };
}

static inline void call(int times)
{
    for (int i = 0; i < times; i++)
        ncs_run_api(run)->cudaDeviceSynchronize();
}

static inline void raise_error(enum ncs_error_kind kind, const char *name)
{
    struct ncs_run_error e = { .kind = kind,
                               .rank = ncs_local->rank,
                               .name = ncs_copy_text(name),
                               .message = ncs_copy_text("it failed"),
                               .place = { .line = 7 } };
    ncs_run_error(run, &e);
    ck_assert_ptr_null(e.name);
}

#endif
