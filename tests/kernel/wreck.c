/* Ranks that call whatever there is at any time, in groups and out of them, on communicators of all
 * sorts, until the machine hangs or is done: afterwards nothing may be left of it. */
#include "base/hash.h"
#include "base/sanitizer.h"
#include "kernel.h"

#include "harness.h"

#if NCS_TSAN || NCS_ASAN
enum { ROUNDS = 1000 };
#else
enum { ROUNDS = 5000 };
#endif

enum { RANKS = 4, COMMS = 12, STEPS = 24, FLOATS = 16 };

/* Outputs of a rank's calls; some are filled late. */
struct things {
    struct ncs_random random; /* of the step: mostly the same on all ranks */
    ncclComm_t comm[COMMS];
    int comms;
    ncclWindow_t window[COMMS];
    ncclUniqueId id;
    float *memory, *pooled;
    cudaStream_t stream[3];
    cudaEvent_t event;
    ncclRedOp_t op;
    int list[RANKS];
};

static struct things things[RANKS];
static uint64_t round_number;

static size_t draw(struct things *t, size_t n)
{
    return ncs_random_below(&t->random, n);
}

static ncclComm_t some_comm(struct things *t)
{
    return t->comm[draw(t, 2) ? 0 : draw(t, (size_t)t->comms)];
}

static ncclComm_t *next_comm(struct things *t)
{
    return &t->comm[t->comms < COMMS ? t->comms++ : COMMS - 1];
}

static cudaStream_t some_stream(struct things *t)
{
    return t->stream[draw(t, 4) ? 0 : draw(t, 3)];
}

static void communicate(struct kernel_rank *r, struct things *t)
{
    ncclComm_t comm = some_comm(t);
    cudaStream_t s = some_stream(t);
    int peer = (int)draw(t, RANKS), other = (RANKS + peer - r->rank) % RANKS;
    switch (draw(t, 8)) {
    case 0:
        api->ncclGroupStart();
        api->ncclSend(r->x, 2, ncclFloat32, other, comm, s);
        api->ncclRecv(r->x + 4, 2, ncclFloat32, other, comm, s);
        api->ncclGroupEnd();
        break;
    case 7: api->ncclSend(r->x, 2, ncclFloat32, peer, comm, s); break;
    case 1: api->ncclRecv(r->x, 2, ncclFloat32, peer, comm, s); break;
    case 2: api->ncclAlltoAll(r->x, t->memory, 2, ncclFloat32, comm, s); break;
    case 3: api->ncclGather(r->x, t->memory, 2, ncclFloat32, peer, comm, s); break;
    case 4: api->ncclScatter(r->x, t->memory, 2, ncclFloat32, peer, comm, s); break;
    case 5: api->ncclAllReduce(r->x, r->x, 2, ncclFloat32, t->op, comm, s); break;
    default: api->ncclAllReduce(r->x, r->x, 2, ncclFloat32, ncclSum, comm, s); break;
    }
}

static void make_comm(struct kernel_rank *r, struct things *t)
{
    ncclConfig_t config;
    memset(&config, 0xff, sizeof config); /* all beyond its version counts as not there */
    config.size = offsetof(ncclConfig_t, splitShare) + sizeof config.splitShare;
    config.magic = NCCL_CONFIG_MAGIC;
    config.version = 21800;
    config.cgaClusterSize = config.minCTAs = config.maxCTAs = NCCL_CONFIG_UNDEF_INT;
    config.netName = NULL;
    config.blocking = draw(t, 3) != 0;
    config.splitShare = (int)draw(t, 2);
    ncclConfig_t *given = draw(t, 2) ? &config : NULL;
    ncclComm_t comm = some_comm(t);
    int count = 0;
    switch (draw(t, 6)) {
    case 0:
    case 1: api->ncclCommSplit(comm, (int)draw(t, 2), (int)draw(t, 3), next_comm(t), given); break;
    case 2:
        t->list[0] = (r->rank + 1) % RANKS;
        api->ncclCommShrink(comm, t->list, 1, next_comm(t), given, (int)draw(t, 2));
        break;
    case 3: api->ncclCommGetUniqueId(comm, &t->id); break;
    case 4:
        api->ncclCommCount(comm, &count);
        api->ncclCommGrow(comm, count + 1, NULL, -1, next_comm(t), given);
        break;
    default: api->ncclCommGrow(NULL, RANKS + 1, &things[0].id, RANKS, next_comm(t), given); break;
    }
}

static void end_comm(struct things *t)
{
    ncclComm_t comm = some_comm(t);
    switch (draw(t, 6)) {
    case 0: api->ncclCommAbort(comm); break;
    case 1: api->ncclCommDestroy(comm); break;
    case 2: api->ncclCommFinalize(comm); break;
    case 3: api->ncclCommRevoke(comm, 0); break;
    case 4: api->ncclCommSuspend(comm, 1); break;
    case 5: api->ncclCommResume(comm); break;
    }
}

static void put_something(struct things *t)
{
    ncclComm_t comm = some_comm(t);
    int peer = (int)draw(t, RANKS);
    size_t w = draw(t, 2);
    ncclWaitSignalDesc_t wait = { .opCnt = 1, .peer = peer };
    switch (draw(t, 6)) {
    case 0:
    case 1: api->ncclCommWindowRegister(comm, t->memory, FLOATS * sizeof(float), &t->window[w], NCCL_WIN_COLL_SYMMETRIC); break;
    case 2: api->ncclPutSignal(t->memory, 2, ncclFloat32, peer, t->window[w], 0, 0, 0, 0, comm, some_stream(t)); break;
    case 3: api->ncclSignal(peer, 0, 0, 0, comm, some_stream(t)); break;
    case 4: api->ncclWaitSignal(1, &wait, comm, some_stream(t)); break;
    case 5: api->ncclCommWindowDeregister(comm, t->window[w]); break;
    }
}

static void sleep_in_stream(void *data)
{
    (void)data;
    machine->sleep(1000000);
}

static void be_told(cudaStream_t stream, cudaError_t status, void *data)
{
    (void)stream, (void)status, (void)data;
    machine->sleep(1000000);
}

static void work(struct things *t)
{
    cudaStream_t s = some_stream(t);
    switch (draw(t, 10)) {
    case 9: api->cudaMalloc((void **)&t->pooled, 64); break;
    case 0: api->cudaLaunchHostFunc(s, sleep_in_stream, NULL); break;
    case 1: api->cudaStreamAddCallback(s, be_told, NULL, 0); break;
    case 2: api->cudaMallocAsync((void **)&t->pooled, 64, s); break;
    case 3: api->cudaFreeAsync(t->pooled, s); break;
    case 4: api->cudaEventRecord(t->event, s); break;
    case 5: api->cudaStreamWaitEvent(some_stream(t), t->event, 0); break;
    case 6: api->cudaMemsetAsync(t->memory, 1, 8, s); break;
    case 7: api->ncsDelay(s, 1e-4); break;
    case 8: api->cudaStreamQuery(s); break;
    }
}

/* Damage that reaches beyond the rank's next call. */
static void harm(struct things *t)
{
    switch (draw(t, 12)) {
    case 0: api->cudaDeviceReset(); break;
    case 1: api->ncclMemFree(t->memory); break;
    case 2: api->cudaStreamDestroy(t->stream[1]); break;
    case 3: api->cudaSetDevice((int)draw(t, RANKS)); break;
    case 4: machine->end(NCS_END_KILLED, "killed", (struct ncs_place){ NULL, 0 }); break;
    case 5: api->cudaDeviceSynchronize(); break;
    case 6: api->cudaFree(t->pooled); break;
    case 7: api->ncclMemFree(t->pooled); break;
    case 8: api->ncclGroupSimulateEnd(NULL); break;
    default: api->cudaStreamSynchronize(some_stream(t)); break;
    }
}

static void wreck(struct kernel_rank *r)
{
    struct things *t = &things[r->rank];
    float scalar = 0.5f;
    ncclResult_t state;
    *t = (struct things){ .comms = 1, .comm[0] = r->world };
    OK(api->ncclMemAlloc((void **)&t->memory, FLOATS * sizeof(float)));
    t->stream[0] = r->stream;
    OK(api->cudaStreamCreate(&t->stream[1]));
    OK(api->cudaSetDevice(r->rank + 1));
    OK(api->cudaStreamCreate(&t->stream[2]));
    OK(api->cudaSetDevice(r->rank));
    OK(api->cudaEventCreate(&t->event));
    OK(api->ncclRedOpCreatePreMulSum(&t->op, &scalar, ncclFloat32, ncclScalarHostImmediate, r->world));
    struct ncs_random own = { round_number * RANKS + (uint64_t)r->rank };
    for (int i = 0; i < STEPS && !machine->cancelled(); i++) {
        bool alone = ncs_random_below(&own, 24) == 0;
        t->random.state = ncs_hash(alone ? ncs_random_next(&own) : round_number, (uint64_t)i);
        switch (draw(t, 16)) {
        case 0: api->ncclGroupStart(); break;
        case 1:
        case 2: api->ncclGroupEnd(); break;
        case 3:
        case 4:
        case 5: communicate(r, t); break;
        case 6:
        case 7:
        case 8: make_comm(r, t); break;
        case 9: end_comm(t); break;
        case 10:
        case 11: put_something(t); break;
        case 12:
        case 13: work(t); break;
        case 14: harm(t); break;
        case 15: api->ncclCommGetAsyncError(some_comm(t), &state); break;
        }
    }
    api->cudaDeviceSynchronize();
}

static void expect_nothing(void)
{
    uint64_t objects, bytes, trace;
    machine->stats(&objects, &bytes, &trace);
    ck_assert_uint_eq(objects, 0);
    ck_assert_uint_eq(bytes, 0);
}

static void wreck_all(const struct ncs_machine_options *options, uint64_t rounds)
{
    kernel_open(options);
    int stops[NCS_STOP_INTERRUPTED + 1] = { 0 };
    for (round_number = 0; round_number < rounds; round_number++) {
        stops[kernel_run(RANKS, wreck)]++;
        struct ncs_snapshot s;
        machine->snapshot(&s);
        ncs_snapshot_free(&s);
        machine->gate_free(kernel_gate);
        machine->reset();
        expect_nothing();
    }
    ck_assert_int_gt(stops[NCS_STOP_DONE], 0);
    ck_assert_int_gt(stops[NCS_STOP_QUIET], 0);
    machine->close();
}

START_TEST(nothing_is_left_of_fibers)
{
    wreck_all(&(struct ncs_machine_options){ .step_limit = 100000 }, ROUNDS);
    wreck_all(&(struct ncs_machine_options){ .eager = 64, .kernel_slots = 1, .ready_after = 1 }, ROUNDS);
    wreck_all(&(struct ncs_machine_options){ .host = NCS_HOST_EVERY, .seeded = true, .seed = 7 }, ROUNDS);
}
END_TEST

START_TEST(nothing_is_left_of_threads)
{
    wreck_all(&(struct ncs_machine_options){ .own_threads = true, .eager = 64 }, ROUNDS / 10);
}
END_TEST

/* Memory that a stream of another device would free goes away with its own device. */
static void reset_first(struct kernel_rank *r)
{
    void *p, *q;
    cudaStream_t other;
    OK(api->cudaMalloc(&p, 64));
    OK(api->cudaSetDevice(1));
    OK(api->cudaStreamCreate(&other));
    OK(api->ncsDelay(other, 1));
    OK(api->cudaFreeAsync(p, other));
    ck_assert_int_eq(api->ncclMemFree(p), ncclUnhandledCudaError);
    OK(api->cudaSetDevice(0));
    OK(api->ncclMemAlloc(&q, 64));
    ck_assert_int_eq(api->cudaFreeAsync(q, r->stream), cudaErrorInvalidValue);
    OK(api->cudaDeviceReset());
    OK(api->cudaSetDevice(1));
    OK(api->cudaStreamSynchronize(other));
}

START_TEST(memory_leaves_once)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(1, reset_first), NCS_STOP_DONE);
    kernel_end();
    expect_nothing();
}
END_TEST

/* The same calls in the same order, whoever carries the ranks. */
START_TEST(threads_do_as_fibers)
{
    uint64_t trace[2][32];
    for (int threads = 0; threads < 2; threads++) {
        kernel_open(&(struct ncs_machine_options){ .own_threads = threads, .step_limit = 100000 });
        for (round_number = 0; round_number < 32; round_number++) {
            kernel_run(RANKS, wreck);
            trace[threads][round_number] = kernel_trace();
            machine->gate_free(kernel_gate);
            machine->reset();
        }
        machine->close();
    }
    ck_assert_mem_eq(trace[0], trace[1], sizeof trace[0]);
}
END_TEST

NCS_TEST_MAIN("kernel wreck", nothing_is_left_of_fibers, nothing_is_left_of_threads, memory_leaves_once, threads_do_as_fibers)
