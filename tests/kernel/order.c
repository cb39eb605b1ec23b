/* The order of work in streams against a simple model of it: when each operation ends, for legacy,
 * blocking, non-blocking and per-thread streams of two devices, used by two threads. */
#include "kernel.h"

#include "base/hash.h"
#include "harness.h"

#define THREADS 2
#define DEVICES 2
#define KINDS 5 /* legacy, per-thread, blocking, another one, non-blocking */
#define STEPS 200
#define EVENTS 4
#define COST 10000 /* of an operation */

/* The last operation of a stream ends then; the per-thread one is each thread's own. */
static int64_t last[DEVICES][KINDS][THREADS];
static cudaStream_t handle[DEVICES][KINDS];
static cudaEvent_t event[DEVICES][EVENTS];
static int64_t event_end[DEVICES][EVENTS]; /* -1 = never recorded */
static int ready;
static struct ncs_gate *gate;

enum { LEGACY, PER_THREAD, BLOCKING, BLOCKING_TOO, FREE };

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The model's time for an operation of that cost, issued now. */
static int64_t issue(int device, int kind, int thread, int64_t after, int64_t cost)
{
    int owner = kind == PER_THREAD ? thread : 0;
    int64_t *own = &last[device][kind][owner], start = later(machine->now(), after);
    start = later(start, *own);
    if (kind == LEGACY)
        for (int k = PER_THREAD; k < FREE; k++)
            for (int t = 0; t < THREADS; t++)
                start = later(start, last[device][k][t]);
    else if (kind != FREE)
        start = later(start, last[device][LEGACY][0]);
    return *own = start + cost;
}

static struct seen {
    int64_t expected, at;
} seen[THREADS * STEPS];
static int functions;

static void look(void *data)
{
    ((struct seen *)data)->at = machine->now();
}

/* One random step; a step's call changes the world at once, the model follows. */
static void step(struct ncs_random *r, int thread)
{
    int device = (int)ncs_random_below(r, DEVICES), kind = (int)ncs_random_below(r, KINDS);
    int e = (int)ncs_random_below(r, EVENTS), of = (int)ncs_random_below(r, DEVICES);
    cudaStream_t s = handle[device][kind];
    OK(api->cudaSetDevice(device));
    switch (ncs_random_below(r, 5)) {
    case 0: {
        int64_t ns = (int64_t)ncs_random_below(r, 4) * 10000;
        OK(api->ncsDelay(s, (double)ns * 1e-9));
        issue(device, kind, thread, 0, COST + ns);
        break;
    }
    case 1:
        OK(api->cudaEventRecord(event[device][e], s));
        event_end[device][e] = issue(device, kind, thread, 0, COST);
        break;
    case 2:
        OK(api->cudaStreamWaitEvent(s, event[of][e], 0));
        if (event_end[of][e] > machine->now()) /* a mark that is done adds nothing */
            issue(device, kind, thread, event_end[of][e], COST);
        break;
    default: {
        struct seen *f = &seen[functions++];
        OK(api->cudaLaunchHostFunc(s, look, f));
        f->expected = issue(device, kind, thread, 0, COST);
    }
    }
    if (ncs_random_below(r, 3) == 0)
        machine->sleep((int64_t)ncs_random_below(r, 5) * 10000);
}

static void make(void)
{
    for (int d = 0; d < DEVICES; d++) {
        OK(api->cudaSetDevice(d));
        handle[d][LEGACY] = d ? NULL : cudaStreamLegacy;
        handle[d][PER_THREAD] = cudaStreamPerThread;
        OK(api->cudaStreamCreate(&handle[d][BLOCKING]));
        OK(api->cudaStreamCreateWithPriority(&handle[d][BLOCKING_TOO], cudaStreamDefault, -1));
        OK(api->cudaStreamCreateWithFlags(&handle[d][FREE], cudaStreamNonBlocking));
        for (int e = 0; e < EVENTS; e++) {
            OK(api->cudaEventCreate(&event[d][e]));
            event_end[d][e] = -1;
        }
    }
    ready = true;
    machine->gate_wake(gate);
}

static uint64_t seed;

static void thread_main(void *arg)
{
    int thread = (int)(intptr_t)arg;
    struct ncs_random r = { ncs_hash(ncs_hash(0, seed), (uint64_t)thread) };
    if (thread == 0)
        make();
    while (!ready)
        machine->gate_wait(gate, -1, "ready", "ready", -1, -1);
    for (int i = 0; i < STEPS; i++)
        step(&r, thread);
    for (int d = 0; d < DEVICES; d++) {
        OK(api->cudaSetDevice(d));
        OK(api->cudaDeviceSynchronize());
    }
}

static void run(bool own_threads)
{
    struct ncs_local local[THREADS];
    kernel_open(&(struct ncs_machine_options){ .hosts.devices = DEVICES, .own_threads = own_threads });
    memset(last, 0, sizeof last);
    memset(seen, 0, sizeof seen);
    functions = ready = 0;
    gate = machine->gate_new();
    for (int i = 0; i < THREADS; i++) {
        local[i] = (struct ncs_local){ .rank = 0, .thread = i };
        struct ncs_context_options options = { .local = &local[i], .main = thread_main, .arg = (void *)(intptr_t)i };
        struct ncs_error err;
        ck_assert(machine->spawn(&options, &err));
    }
    ck_assert_int_eq(machine->run(), NCS_STOP_DONE);
    for (int i = 0; i < functions; i++)
        ck_assert_msg(seen[i].at == seen[i].expected, "seed %llu, function %d of %d: ran at %lld, not at %lld",
                      (unsigned long long)seed, i, functions, (long long)seen[i].at, (long long)seen[i].expected);
    machine->gate_free(gate);
    machine->close();
}

START_TEST(as_the_model_says)
{
    for (seed = 0; seed < 100; seed++)
        run(seed % 8 == 0);
}
END_TEST

NCS_TEST_MAIN("order", as_the_model_says)
