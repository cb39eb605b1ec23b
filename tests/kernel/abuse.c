/* Random calls of the whole API, most of them wrong: several threads on each process, handles of
 * others and of nobody, groups left open, streams and memory freed under way, aborts and destroys.
 * Nothing may crash and nothing may be left. (Traces are not compared: a stale handle may or may not
 * come to mean a new object, as in the real libraries.) */
#include "base/hash.h"
#include "base/sanitizer.h"
#include "kernel.h"

#include "harness.h"

enum { PROCESSES = 3, THREADS = 3, OBJECTS = 3, BYTES = 2048 };

#if NCS_TSAN
enum { ROUNDS = 150 };
#else
enum { ROUNDS = 10000 };
#endif

struct process_objects {
    cudaStream_t stream[OBJECTS];
    cudaEvent_t event[OBJECTS];
    ncclComm_t comm[OBJECTS];
    ncclRedOp_t op[OBJECTS];
    void *memory[OBJECTS];
};

static struct process_objects objects[PROCESSES];
static ncclUniqueId ids[OBJECTS];
static struct ncs_local locals[PROCESSES * THREADS];
static struct ncs_random dice;

static int roll(int n)
{
    return (int)ncs_random_below(&dice, (uint64_t)n);
}

static struct process_objects *owner(int p)
{
    return &objects[roll(10) ? p : roll(PROCESSES)];
}

static void *memory(int p)
{
    char *m = owner(p)->memory[roll(OBJECTS)];
    return roll(12) ? m : roll(2) ? NULL : (char *)((uintptr_t)m + BYTES - 8); /* of what is no memory too */
}

static cudaStream_t stream(int p)
{
    static const uintptr_t special[] = { 0, 1, 2, 24 };
    return roll(8) ? owner(p)->stream[roll(OBJECTS)] : (cudaStream_t)special[roll(4)];
}

static ncclComm_t comm(int p)
{
    return roll(16) ? owner(p)->comm[roll(OBJECTS)] : NULL;
}

static size_t count(void)
{
    static const size_t counts[] = { 0, 1, 16, 16, 64, 512, (size_t)1 << 20, (size_t)1 << 62 };
    return counts[roll(roll(20) ? 5 : 8)];
}

static void communicate(int p)
{
    ncclRedOp_t op = roll(3) ? ncclSum : objects[p].op[roll(OBJECTS)];
    switch (roll(6)) {
    case 0: api->ncclBroadcast(memory(p), memory(p), count(), ncclFloat32, roll(4), comm(p), stream(p)); break;
    case 1: api->ncclAllGather(memory(p), memory(p), count(), ncclInt8, comm(p), stream(p)); break;
    case 2: api->ncclSend(memory(p), count(), ncclFloat32, roll(4), comm(p), stream(p)); break;
    case 3: api->ncclRecv(memory(p), count(), ncclFloat32, roll(4), comm(p), stream(p)); break;
    default: api->ncclAllReduce(memory(p), memory(p), count(), roll(9) ? ncclFloat32 : roll(14), op, comm(p), stream(p)); break;
    }
}

static void begin_or_end(int p)
{
    ncclConfig_t config = {
        .size = sizeof config, .magic = NCCL_CONFIG_MAGIC, .version = NCCL_VERSION(2, 14, 0), .blocking = roll(2)
    };
    float scalar = 2;
    int k = roll(OBJECTS);
    ncclComm_t *out = &objects[p].comm[k];
    switch (roll(9)) {
    case 0: api->ncclCommInitRank(out, roll(4), ids[k], roll(3)); break;
    case 1: api->ncclCommInitRankConfig(out, PROCESSES, ids[k], p, &config); break;
    case 2: api->ncclCommFinalize(comm(p)); break;
    case 3: api->ncclCommDestroy(comm(p)); break;
    case 4: api->ncclCommAbort(comm(p)); break;
    case 5: api->ncclGroupStart(); break;
    case 6: api->ncclGroupEnd(); break;
    case 7: api->ncclRedOpCreatePreMulSum(&objects[p].op[k], &scalar, ncclFloat32, ncclScalarHostImmediate, comm(p)); break;
    default: api->ncclRedOpDestroy(objects[p].op[k], comm(p)); break;
    }
}

static void use_cuda(int p)
{
    struct process_objects *o = &objects[p];
    ncclResult_t state;
    char host[64];
    int k = roll(OBJECTS);
    switch (roll(14)) {
    case 0: api->cudaStreamDestroy(stream(p)); break;
    case 1: api->cudaStreamCreateWithFlags(&o->stream[k], (unsigned)roll(2)); break;
    case 2: api->cudaStreamSynchronize(stream(p)); break;
    case 3: api->cudaStreamQuery(stream(p)); break;
    case 4: api->cudaEventRecord(o->event[k], stream(p)); break;
    case 5: api->cudaStreamWaitEvent(stream(p), owner(p)->event[k], 0); break;
    case 6: api->cudaEventDestroy(o->event[k]); break;
    case 7: api->cudaEventCreate(&o->event[k]); break;
    case 8: api->cudaFree(roll(4) ? o->memory[k] : memory(p)); break;
    case 9: api->cudaMalloc(&o->memory[k], BYTES); break;
    case 10: api->cudaMemcpyAsync(host, o->memory[k], 64, cudaMemcpyDeviceToHost, stream(p)); break;
    case 11: api->ncsDelay(stream(p), roll(9) ? 1e-4 : 8e9); break;
    case 12: api->ncclCommGetAsyncError(comm(p), &state); break;
    default: api->cudaSetDevice(roll(3)); break;
    }
}

static void abuse(void *arg)
{
    int p = (int)(intptr_t)arg / THREADS;
    for (int i = 0; i < 12 && !machine->cancelled(); i++) {
        int kind = roll(8);
        kind < 3 ? communicate(p) : kind < 5 ? begin_or_end(p) : use_cuda(p);
    }
}

static void set_up(void *arg)
{
    (void)arg;
    for (int k = 0; k < OBJECTS; k++)
        api->ncclGetUniqueId(&ids[k]);
    machine->gate_wake(kernel_gate);
    kernel_id_known = true;
}

static void abuse_after_init(void *arg)
{
    int p = (int)(intptr_t)arg / THREADS;
    while (!kernel_id_known)
        if (!machine->gate_wait(kernel_gate, -1, "ids", "ids", -1, -1))
            return;
    for (int k = 0; k < OBJECTS; k++) {
        api->cudaStreamCreateWithFlags(&objects[p].stream[k], cudaStreamNonBlocking);
        api->cudaEventCreate(&objects[p].event[k]);
        api->cudaMalloc(&objects[p].memory[k], BYTES);
    }
    api->ncclCommInitRank(&objects[p].comm[0], PROCESSES, ids[0], p);
    abuse(arg);
}

static void spawn(int i, void (*main)(void *arg))
{
    locals[i] = (struct ncs_local){ .rank = i / THREADS, .thread = i % THREADS };
    struct ncs_context_options options = {
        .process = i / THREADS, .local = &locals[i], .main = main, .arg = (void *)(intptr_t)i
    };
    struct ncs_error err;
    ck_assert_msg(machine->spawn(&options, &err), "%s", err.text);
}

static void one_round(uint64_t seed)
{
    static struct ncs_local first;
    memset(objects, 0, sizeof objects);
    dice.state = seed;
    kernel_id_known = false;
    kernel_gate = machine->gate_new();
    struct ncs_context_options options = { .process = 0, .local = &first, .main = set_up };
    ck_assert(machine->spawn(&options, NULL));
    for (int i = 0; i < PROCESSES * THREADS; i++)
        spawn(i, i % THREADS == 0 ? abuse_after_init : abuse);
    machine->run();
    struct ncs_snapshot s;
    machine->snapshot(&s);
    ncs_snapshot_free(&s);
    uint64_t objects_left, bytes_left, unused;
    machine->abandon();
    machine->gate_free(kernel_gate);
    machine->reset();
    machine->stats(&objects_left, &bytes_left, &unused);
    ck_assert_msg(objects_left == 0 && bytes_left == 0, "seed %d leaves %d objects", (int)seed, (int)objects_left);
}

static void many_rounds(bool threads, uint64_t rounds)
{
    kernel_open(&(struct ncs_machine_options){ .own_threads = threads, .step_limit = 200000 });
    for (uint64_t seed = 1; seed <= rounds; seed++)
        one_round(seed);
    machine->close();
}

START_TEST(fibers_survive)
{
    many_rounds(false, ROUNDS);
}
END_TEST

START_TEST(threads_survive)
{
    many_rounds(true, ROUNDS / 5);
}
END_TEST

NCS_TEST_MAIN("kernel abuse", fibers_survive, threads_survive)
