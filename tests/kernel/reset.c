/* A machine that hung is abandoned and reset, over and over: nothing may be left of it. */
#include "base/hash.h"
#include "base/sanitizer.h"
#include "kernel.h"

#include "harness.h"

/* ThreadSanitizer takes most of a millisecond to make a fiber; the other builds look for what is left. */
#if NCS_TSAN
enum { ROUNDS = 2000 };
#elif NCS_ASAN
enum { ROUNDS = 20000 };
#else
enum { ROUNDS = 100000 };
#endif

static uint64_t round_number;

/* Something different in every round, most of it ending badly. */
static void misbehave(struct kernel_rank *r)
{
    struct ncs_random random = { round_number * 8 + (uint64_t)r->rank };
    cudaEvent_t event;
    ncclRedOp_t op;
    float scalar = 0.5f;
    OK(api->cudaEventCreate(&event));
    OK(api->ncclRedOpCreatePreMulSum(&op, &scalar, ncclFloat32, ncclScalarHostImmediate, r->world));
    for (int i = 0; i < 4; i++)
        switch (ncs_random_below(&random, 8)) {
        case 0: api->ncclGroupStart(); break;
        case 1: api->ncclSend(r->x, 4, ncclFloat32, 1 - r->rank, r->world, r->stream); break;
        case 2: api->ncclRecv(r->x, 4, ncclFloat32, 1 - r->rank, r->world, r->stream); break;
        case 3: api->cudaEventRecord(event, r->stream); break;
        case 4: api->ncclAllReduce(r->x, r->x, 8, ncclFloat32, op, r->world, r->stream); break;
        case 5: api->cudaStreamQuery(r->stream); break;
        case 6: api->ncclAllReduce(r->x, r->x, 64, ncclFloat32, ncclSum, r->world, r->stream); break;
        default: kernel_reduce(r); break;
        }
    api->cudaStreamSynchronize(r->stream);
    api->ncclCommDestroy(r->world);
}

START_TEST(nothing_is_left)
{
    kernel_open(&(struct ncs_machine_options){ .eager = 64 });
    int stops[NCS_STOP_INTERRUPTED + 1] = { 0 };
    for (round_number = 0; round_number < ROUNDS; round_number++) {
        stops[kernel_run(2, misbehave)]++;
        machine->gate_free(kernel_gate);
        machine->reset();
        uint64_t objects, bytes, trace;
        machine->stats(&objects, &bytes, &trace);
        ck_assert_uint_eq(objects, 0);
        ck_assert_uint_eq(bytes, 0);
        ck_assert_int_eq(machine->now(), 0);
    }
    ck_assert_int_gt(stops[NCS_STOP_DONE], 0);
    ck_assert_int_gt(stops[NCS_STOP_QUIET], ROUNDS / 4);
    machine->close();
}
END_TEST

NCS_TEST_MAIN("kernel reset", nothing_is_left)
