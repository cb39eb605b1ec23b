/* Functions of the host in streams: their place in the order, what they may not do, what becomes of
 * those that fail, wait for ever or are never called. */
#include "kernel.h"

#include "harness.h"

static struct ncs_gate *gate;
static char trail[64];

static void leave(char c)
{
    size_t n = strlen(trail);
    ck_assert_uint_lt(n, sizeof trail - 1);
    trail[n] = c;
    trail[n + 1] = '\0';
}

static void note(void *data)
{
    leave(*(const char *)data);
}

static void sleep_and_note(void *data)
{
    leave('(');
    machine->sleep(1000000000);
    note(data);
}

/* Runs f as the ranks of a machine, as fibers and as threads. */
static enum ncs_stop stop;

static void both(int ranks, void (*f)(struct kernel_rank *r), void (*check)(void))
{
    for (int threads = 0; threads < 2; threads++) {
        struct ncs_machine_options options = { .own_threads = threads };
        kernel_open(&options);
        gate = machine->gate_new();
        for (int again = 0; again < 2; again++) {
            trail[0] = '\0';
            if (again) {
                machine->gate_free(gate);
                machine->gate_free(kernel_gate);
                machine->reset();
                gate = machine->gate_new();
            }
            stop = kernel_run(ranks, f);
            check();
        }
        machine->gate_free(gate);
        kernel_end();
        uint64_t objects, bytes, trace;
        machine->stats(&objects, &bytes, &trace);
        ck_assert_uint_eq(objects, 0);
        ck_assert_uint_eq(bytes, 0);
    }
}

static void in_order(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    OK(api->cudaLaunchHostFunc(r->stream, sleep_and_note, (void *)"a"));
    OK(api->cudaLaunchHostFunc(r->stream, note, (void *)"b"));
    OK(api->cudaMemsetAsync(r->x, 0, 4, r->stream));
    leave('.');
    ck_assert_int_eq(api->cudaStreamQuery(r->stream), cudaErrorNotReady);
    while (machine->now() < 500000000)
        machine->sleep(1000000);
    ck_assert(r->x[0] == 1); /* what is behind the function waits for it */
    OK(api->cudaStreamSynchronize(r->stream));
    ck_assert(r->x[0] == 0);
    leave('!');
}

static void check_in_order(void)
{
    ck_assert_int_eq(stop, NCS_STOP_DONE);
    ck_assert_str_eq(trail, ".(ab!");
}

START_TEST(work_behind_waits)
{
    for (int i = 0; i < 2; i++)
        both(1, in_order, check_in_order);
}
END_TEST

static struct kernel_rank *caller;

static void call_everything(void *data)
{
    cudaEvent_t e;
    void *p = data;
    ncclComm_t comm = caller->world;
    ncclUniqueId id = { { 0 } };
    ck_assert_int_eq(api->cudaMalloc(&p, 8), cudaErrorNotPermitted);
    ck_assert_ptr_eq(p, data);
    ck_assert_int_eq(api->cudaStreamSynchronize(caller->stream), cudaErrorNotPermitted);
    ck_assert_int_eq(api->cudaEventCreate(&e), cudaErrorNotPermitted);
    ck_assert_int_eq(api->cudaSetDevice(0), cudaErrorNotPermitted);
    ck_assert_int_eq(api->cudaLaunchHostFunc(caller->stream, note, (void *)"x"), cudaErrorNotPermitted);
    ck_assert_int_eq(api->cudaGetLastError(), cudaErrorNotPermitted); /* of this thread */
    ck_assert_int_eq(api->cudaGetLastError(), cudaSuccess);
    ck_assert_int_eq(kernel_reduce(caller), ncclUnhandledCudaError);
    ck_assert_str_eq(api->ncclGetLastError(NULL), "Cuda failure 'operation not permitted'");
    ck_assert_int_eq(api->ncclCommInitRank(&comm, 1, id, 0), ncclUnhandledCudaError);
    ck_assert_int_eq(api->ncclCommDestroy(caller->world), ncclUnhandledCudaError);
    ck_assert_int_eq(api->ncclGroupEnd(), ncclInvalidUsage);
    leave('f');
}

static void forbidden(struct kernel_rank *r)
{
    caller = r;
    OK(api->cudaLaunchHostFunc(r->stream, call_everything, NULL));
    OK(api->cudaStreamSynchronize(r->stream));
    OK(api->cudaGetLastError()); /* another thread's */
    OK(kernel_reduce(r));        /* and nothing is spoilt */
    OK(api->cudaStreamSynchronize(r->stream));
    OK(api->ncclCommDestroy(r->world));
}

static void check_forbidden(void)
{
    ck_assert_int_eq(stop, NCS_STOP_DONE);
    ck_assert_str_eq(trail, "f");
}

START_TEST(no_calls_inside)
{
    both(1, forbidden, check_forbidden);
}
END_TEST

static void one_after_the_other(struct kernel_rank *r)
{
    cudaStream_t other;
    OK(api->cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(api->cudaLaunchHostFunc(r->stream, sleep_and_note, (void *)"a"));
    OK(api->ncsDelay(other, 1e-3));
    OK(api->cudaLaunchHostFunc(other, sleep_and_note, (void *)"b")); /* its time comes while a runs */
    OK(api->cudaDeviceSynchronize());
    ck_assert_int_ge(machine->now(), 2000000000);
}

static void check_serial(void)
{
    ck_assert_int_eq(stop, NCS_STOP_DONE);
    ck_assert_str_eq(trail, "(a(b");
}

START_TEST(functions_of_a_device_are_serial)
{
    both(1, one_after_the_other, check_serial);
}
END_TEST

static void wait_for_ever(void *data)
{
    (void)data;
    leave('w');
    machine->gate_wait(gate, -1, "store:get", "store key `never`", -1, -1);
    if (!machine->cancelled())
        leave('?');
}

static void stuck(struct kernel_rank *r)
{
    if (r->rank == 1)
        OK(api->cudaLaunchHostFunc(r->stream, wait_for_ever, NULL));
    if (r->rank == 0)
        OK(api->cudaLaunchHostFunc(r->stream, note, (void *)"o"));
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
}

static void check_stuck(void)
{
    ck_assert_int_eq(stop, NCS_STOP_QUIET);
    struct ncs_snapshot s;
    machine->snapshot(&s);
    ck_assert_uint_eq(s.contexts, 3); /* the ranks, and who waits; rank 0's has no work any more */
    int found = 0;
    for (size_t i = 0; i < s.ops; i++) {
        if (strcmp(s.op[i].kind, "callback") != 0) {
            ck_assert_int_eq(s.op[i].context, -1);
            continue;
        }
        found++;
        ck_assert_int_eq(s.op[i].state, NCS_OP_ACTIVE);
        ck_assert_int_eq(s.op[i].rank, 1);
        ck_assert_int_ge(s.op[i].context, 0);
        const struct ncs_snap_context *c = &s.context[s.op[i].context];
        ck_assert_int_eq(c->state, NCS_CONTEXT_PARKED);
        ck_assert_int_eq(c->rank, 1);
        ck_assert_int_eq(c->thread, NCS_THREAD_OF_DEVICE(1));
        ck_assert_uint_eq(c->waits, 1);
        ck_assert_int_eq(s.wait[c->wait].kind, NCS_WAIT_GATE);
    }
    ck_assert_int_eq(found, 1);
    ncs_snapshot_free(&s);
    machine->abandon();
    ck_assert(!strchr(trail, '?'));
}

START_TEST(one_that_waits_for_ever_is_a_hang)
{
    both(2, stuck, check_stuck);
}
END_TEST

static void die(void *data)
{
    (void)data;
    machine->end(NCS_END_KILLED, "killed", (struct ncs_place){ NULL, 0 });
    ck_abort_msg("goes on");
}

static void killed(struct kernel_rank *r)
{
    OK(api->cudaLaunchHostFunc(r->stream, die, NULL));
    OK(api->cudaLaunchHostFunc(r->stream, note, (void *)"x"));
    OK(api->cudaStreamSynchronize(r->stream));
}

static void check_killed(void)
{
    ck_assert_int_eq(stop, NCS_STOP_QUIET);
    ck_assert_str_eq(trail, "");
}

START_TEST(one_that_dies_holds_its_stream)
{
    both(1, killed, check_killed);
}
END_TEST

static void with_status(cudaStream_t stream, cudaError_t status, void *data)
{
    ck_assert_ptr_eq(stream, caller->stream);
    leave(status == cudaSuccess ? '0' : status == cudaErrorIllegalAddress ? '7' : '?');
    note(data);
}

static void failed(struct kernel_rank *r)
{
    caller = r;
    OK(api->cudaStreamAddCallback(r->stream, with_status, (void *)"a", 0));
    OK(api->cudaStreamSynchronize(r->stream));
    OK(api->ncsDelay(r->stream, 1));
    OK(api->cudaFreeAsync(r->x, r->stream));
    OK(api->cudaMemsetAsync(r->x, 0, 64, r->stream)); /* the device dies of it */
    OK(api->cudaStreamAddCallback(r->stream, with_status, (void *)"b", 0));
    OK(api->cudaLaunchHostFunc(r->stream, note, (void *)"x"));
    ck_assert_int_eq(api->cudaStreamSynchronize(r->stream), cudaErrorIllegalAddress);
    machine->sleep(1000);
    ck_assert_int_eq(api->cudaLaunchHostFunc(r->stream, note, (void *)"x"), cudaErrorIllegalAddress);
}

static void check_failed(void)
{
    ck_assert_int_eq(stop, NCS_STOP_DONE);
    ck_assert_str_eq(trail, "0a7b");
}

START_TEST(of_a_dead_device_only_callbacks_are_called)
{
    both(1, failed, check_failed);
}
END_TEST

static void unattended(struct kernel_rank *r)
{
    OK(api->ncsDelay(r->stream, 1));
    OK(api->cudaLaunchHostFunc(r->stream, sleep_and_note, (void *)"a"));
}

static void check_unattended(void)
{
    ck_assert_int_eq(stop, NCS_STOP_DONE);
    ck_assert_str_eq(trail, "(a");
}

START_TEST(one_outlives_who_asked_for_it)
{
    both(1, unattended, check_unattended);
}
END_TEST

static void nothing(void *data)
{
    (void)data;
}

static void many(struct kernel_rank *r)
{
    for (int i = 0; i < 3000; i++) /* deeper than a stream */
        OK(api->cudaLaunchHostFunc(r->stream, i % 1000 ? nothing : note, i % 1000 ? NULL : (void *)"m"));
    OK(api->cudaStreamSynchronize(r->stream));
}

static void check_many(void)
{
    ck_assert_int_eq(stop, NCS_STOP_DONE);
    ck_assert_str_eq(trail, "mmm");
}

START_TEST(a_full_stream)
{
    both(1, many, check_many);
}
END_TEST

NCS_TEST_MAIN("host_functions", work_behind_waits, no_calls_inside, functions_of_a_device_are_serial,
              one_that_waits_for_ever_is_a_hang, one_that_dies_holds_its_stream, of_a_dead_device_only_callbacks_are_called,
              one_outlives_who_asked_for_it, a_full_stream)
