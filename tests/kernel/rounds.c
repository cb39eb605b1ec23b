/* NCCL_LAUNCH_MODE=GROUP: the hosts of one process wait for each other at every launch. */
#include "kernel.h"

#include "harness.h"

#define SECOND ((int64_t)1000000000)
#define MOST 8

static ncclComm_t comm[MOST];
static float *x[MOST];
static struct ncs_local local[MOST];
static int threads, finished;
static int64_t back[MOST]; /* when its second call came back */
static int code[MOST];     /* of its second call */
static bool aborts;

static ncclResult_t reduce(int i)
{
    return api->ncclAllReduce(x[i], x[i], 16, ncclFloat32, ncclSum, comm[i], NULL);
}

static void rank_main(void *arg)
{
    int i = (int)(intptr_t)arg;
    OK(api->cudaSetDevice(i));
    OK(reduce(i)); /* after this all are in contact: only a round makes a host wait */
    if (i == threads - 1)
        machine->sleep(SECOND);
    if (aborts && i == threads - 1) {
        for (int k = 0; k < threads; k++)
            OK(api->ncclCommAbort(comm[k]));
    } else {
        code[i] = reduce(i);
        back[i] = machine->now();
        OK(api->cudaDeviceSynchronize());
    }
    finished += !machine->cancelled();
}

static void begin(void *arg)
{
    (void)arg;
    OK(api->ncclCommInitAll(comm, threads, NULL));
    for (int i = 0; i < threads; i++) {
        struct ncs_error err;
        OK(api->cudaSetDevice(i));
        OK(api->cudaMalloc((void **)&x[i], 16 * sizeof(float)));
        for (int k = 0; k < 16; k++)
            x[i][k] = 1;
        local[i] = (struct ncs_local){ .rank = 0, .thread = i + 1 };
        struct ncs_context_options options = { .process = 0, .local = &local[i], .main = rank_main, .arg = (void *)(intptr_t)i };
        ck_assert(machine->spawn(&options, &err));
    }
}

/* Threads of one process, each with a device; how they stopped. */
static enum ncs_stop run(int count, const char *mode, bool seeded, uint64_t seed)
{
    static struct ncs_local first;
    struct ncs_machine_options options = { .seeded = seeded, .seed = seed };
    struct ncs_context_options main = { .local = &first, .main = begin };
    struct ncs_error err;
    setenv("NCCL_LAUNCH_MODE", mode, 1);
    kernel_open(&options);
    threads = count;
    finished = 0;
    memset(back, 0, sizeof back);
    memset(code, 0, sizeof code);
    ck_assert(machine->spawn(&main, &err));
    return machine->run();
}

static void end(void)
{
    uint64_t objects, bytes, trace;
    machine->close();
    machine->stats(&objects, &bytes, &trace);
    ck_assert_uint_eq(objects, 0);
    ck_assert_uint_eq(bytes, 0);
}

START_TEST(without_rounds_nobody_waits)
{
    aborts = false;
    ck_assert_int_eq(run(4, "PARALLEL", false, 0), NCS_STOP_DONE);
    ck_assert_int_eq(finished, 4);
    for (int i = 0; i < 3; i++)
        ck_assert_int_lt(back[i], SECOND);
    end();
}
END_TEST

START_TEST(a_round_waits_for_the_last)
{
    aborts = false;
    for (int n = 1; n <= MOST; n++)
        for (uint64_t seed = 0; seed < 8; seed++) {
            ck_assert_int_eq(run(n, "GROUP", seed > 0, seed), NCS_STOP_DONE);
            ck_assert_int_eq(finished, n);
            for (int i = 0; i < n; i++) {
                OK(code[i]);
                ck_assert_int_ge(back[i], SECOND);
                ck_assert(x[i][0] == (float)(n * n));
            }
            end();
        }
}
END_TEST

START_TEST(an_abort_ends_the_round)
{
    aborts = true;
    for (uint64_t seed = 0; seed < 8; seed++) {
        ck_assert_int_eq(run(4, "group", seed > 0, seed), NCS_STOP_DONE);
        ck_assert_int_eq(finished, 4);
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(code[i], ncclInternalError);
            ck_assert_int_ge(back[i], SECOND);
        }
        end();
    }
}
END_TEST

NCS_TEST_MAIN("rounds", without_rounds_nobody_waits, a_round_waits_for_the_last, an_abort_ends_the_round)
