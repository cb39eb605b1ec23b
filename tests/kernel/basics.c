/* The kernel's rules, one by one: when data moves, what is a hang and what is not, contact, groups. */
#include "kernel.h"

#include "harness.h"

static void sum(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    ck_assert_float_eq(r->x[3], (float)(r->rank + 1)); /* not before the operation's end */
    OK(api->cudaStreamSynchronize(r->stream));
    ck_assert_float_eq(r->x[3], (float)(r->nranks * (r->nranks + 1) / 2));
}

START_TEST(data_moves_at_the_end)
{
    for (int threads = 0; threads < 2; threads++) {
        struct ncs_machine_options options = { .own_threads = threads };
        kernel_open(&options);
        ck_assert_int_eq(kernel_run(4, sum), NCS_STOP_DONE);
        for (int i = 0; i < 4; i++)
            ck_assert(kernel_rank[i].finished);
        ck_assert_int_gt(machine->now(), 0);
        kernel_end();
    }
}
END_TEST

static void skip_one(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
    if (r->rank == 2)
        return;
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(a_missing_call_is_a_certain_hang)
{
    for (int threads = 0; threads < 2; threads++) {
        struct ncs_machine_options options = { .own_threads = threads };
        kernel_open(&options);
        ck_assert_int_eq(kernel_run(4, skip_one), NCS_STOP_QUIET);
        ck_assert(kernel_rank[2].finished && !kernel_rank[0].finished);
        struct ncs_snapshot s;
        machine->snapshot(&s);
        ck_assert_uint_eq(s.contexts, 4);
        ck_assert_int_eq(s.context[2].state, NCS_CONTEXT_ENDED);
        ck_assert_int_eq(s.context[0].state, NCS_CONTEXT_PARKED);
        ck_assert_uint_eq(s.context[0].waits, 1);
        ck_assert_int_eq(s.wait[s.context[0].wait].kind, NCS_WAIT_OP);
        ck_assert_uint_eq(s.ops, 3);
        ck_assert_uint_eq(s.meetings, 1);
        ck_assert_uint_eq(s.meeting[0].members, 3);
        ck_assert_int_eq(s.meeting[0].stuck, NCS_STUCK_NO);
        ncs_snapshot_free(&s);
        kernel_end();
    }
}
END_TEST

static void sleep_long(struct kernel_rank *r)
{
    if (r->rank == 1)
        machine->sleep((int64_t)3600 * 1000000000);
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(a_slow_rank_is_no_hang)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(4, sleep_long), NCS_STOP_DONE);
    ck_assert_int_ge(machine->now(), (int64_t)3600 * 1000000000);
    kernel_end();
}
END_TEST

static void poll_for_ever(struct kernel_rank *r)
{
    if (r->rank == 0)
        return;
    OK(kernel_reduce(r));
    while (api->cudaStreamQuery(r->stream) == cudaErrorNotReady)
        if (machine->cancelled())
            return;
}

static void contact_first(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    poll_for_ever(r);
}

START_TEST(polling_in_vain_is_a_livelock)
{
    for (int threads = 0; threads < 2; threads++) {
        kernel_open(&(struct ncs_machine_options){ .own_threads = threads });
        ck_assert_int_eq(kernel_run(3, contact_first), NCS_STOP_LIVELOCK);
        ck_assert(kernel_rank[0].finished && !kernel_rank[1].finished);
        kernel_end();
    }
}
END_TEST

#define SECOND ((int64_t)1000000000)

/* Rank 1 leaves out a call, and the others sleep between their polls. */
static void sleep_and_poll(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    if (r->rank != 1)
        OK(kernel_reduce(r));
    while (api->cudaStreamQuery(r->stream) == cudaErrorNotReady && !machine->cancelled())
        machine->sleep(SECOND / 100);
}

START_TEST(sleeping_pollers_are_found_early)
{
    for (int threads = 0; threads < 2; threads++) {
        kernel_open(&(struct ncs_machine_options){ .own_threads = threads });
        ck_assert_int_eq(kernel_run(2, sleep_and_poll), NCS_STOP_LIVELOCK);
        ck_assert_int_gt(machine->now(), 360 * SECOND);
        ck_assert_int_lt(machine->now(), 3600 * SECOND);
        kernel_end();
    }
}
END_TEST

/* Pollers that look at the clock, or count their polls, give up by themselves. */
static void give_up_by_clock(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    if (r->rank != 1)
        OK(kernel_reduce(r));
    int64_t begin = machine->clock(true);
    while (api->cudaStreamQuery(r->stream) == cudaErrorNotReady && machine->clock(true) - begin < 1800 * SECOND)
        machine->sleep(SECOND / 100);
    if (r->rank != 1)
        ck_assert_int_lt(machine->now() - begin, (1800 + 1800 / 8 + 1) * SECOND); /* a look at the clock is a poll, too */
    OK(api->ncclCommAbort(r->world));
}

static void give_up_by_count(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    if (r->rank != 1)
        OK(kernel_reduce(r));
    for (int i = 0; i < 30000 && api->cudaStreamQuery(r->stream) == cudaErrorNotReady; i++)
        machine->sleep(SECOND / 100);
    OK(api->ncclCommAbort(r->world));
}

/* Rank 1 is late, and nobody's sleep is longer for that. */
static void poll_for_a_late_one(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    if (r->rank == 1)
        machine->sleep(3600 * SECOND);
    OK(kernel_reduce(r));
    while (api->cudaStreamQuery(r->stream) == cudaErrorNotReady)
        machine->sleep(SECOND / 100);
    ck_assert_int_lt(machine->now(), 3601 * SECOND);
}

START_TEST(pollers_that_end_their_wait_are_no_livelock)
{
    void (*const mains[])(struct kernel_rank *) = { give_up_by_clock, give_up_by_count, poll_for_a_late_one };
    for (size_t i = 0; i < sizeof mains / sizeof *mains; i++) {
        kernel_open(&(struct ncs_machine_options){ 0 });
        ck_assert_int_eq(kernel_run(2, mains[i]), NCS_STOP_DONE);
        kernel_end();
    }
}
END_TEST

static void poll_until_late(struct kernel_rank *r)
{
    int64_t limit = (int64_t)30 * 1000000000, begin = machine->clock(true);
    while (machine->clock(true) - begin < limit)
        continue;
    ck_assert_int_lt(machine->now() - begin, limit + limit / 8 + 1000000);
    (void)r;
}

START_TEST(a_loop_that_watches_the_clock_ends)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(2, poll_until_late), NCS_STOP_DONE);
    kernel_end();
}
END_TEST

static int contact_order[4], contact_count;

static void contact(struct kernel_rank *r)
{
    if (r->rank == 1)
        machine->sleep(1000000);
    OK(kernel_reduce(r)); /* the first one blocks the host until all have come */
    contact_order[contact_count++] = machine->now() >= 1000000;
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(first_contact_blocks_the_host)
{
    contact_count = 0;
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(2, contact), NCS_STOP_DONE);
    ck_assert_int_eq(contact_count, 2);
    ck_assert(contact_order[0] && contact_order[1]);
    kernel_end();
}
END_TEST

static void exchange(struct kernel_rank *r, bool grouped)
{
    int peer = 1 - r->rank;
    float *y;
    OK(api->cudaMalloc((void **)&y, 16 * sizeof(float)));
    if (grouped)
        OK(api->ncclGroupStart());
    OK(api->ncclSend(r->x, 16, ncclFloat32, peer, r->world, r->stream));
    OK(api->ncclRecv(y, 16, ncclFloat32, peer, r->world, r->stream));
    if (grouped)
        OK(api->ncclGroupEnd());
    OK(api->cudaStreamSynchronize(r->stream));
    ck_assert_float_eq(y[15], (float)(peer + 1));
    OK(api->cudaFree(y));
}

static void exchange_grouped(struct kernel_rank *r)
{
    exchange(r, true);
}

static void exchange_ungrouped(struct kernel_rank *r)
{
    exchange(r, false);
}

static void exchange_warm(struct kernel_rank *r)
{
    exchange(r, true);
    exchange(r, false);
}

START_TEST(an_exchange_needs_a_group)
{
    uint64_t eager = (uint64_t)4 << 20;
    struct {
        void (*body)(struct kernel_rank *r);
        uint64_t eager;
        enum ncs_stop stop;
    } cases[] = {
        { exchange_grouped, 0, NCS_STOP_DONE },    { exchange_grouped, eager, NCS_STOP_DONE },
        { exchange_ungrouped, 0, NCS_STOP_QUIET }, { exchange_ungrouped, eager, NCS_STOP_QUIET },
        { exchange_warm, 0, NCS_STOP_QUIET },      { exchange_warm, eager, NCS_STOP_DONE },
        { exchange_warm, 63, NCS_STOP_QUIET },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kernel_open(&(struct ncs_machine_options){ .eager = cases[i].eager });
        ck_assert_int_eq(kernel_run(2, cases[i].body), cases[i].stop);
        kernel_end();
    }
}
END_TEST

static void poisoned(struct kernel_rank *r)
{
    OK(api->ncclGroupStart());
    OK(kernel_reduce(r));
    ck_assert_int_eq(api->ncclBroadcast(r->x, r->x, 1, ncclFloat32, 9, r->world, r->stream), ncclInvalidArgument);
    ck_assert_str_eq(api->ncclGetLastError(NULL), "Broadcast : invalid root 9 (root should be in the 0..2 range)");
    ck_assert_int_eq(api->ncclGroupEnd(), ncclInvalidArgument);
    ck_assert_int_eq(api->ncclGroupEnd(), ncclInvalidUsage);
    OK(api->cudaStreamSynchronize(r->stream));
    ck_assert_float_eq(r->x[0], (float)(r->rank + 1));
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
    ck_assert_float_eq(r->x[0], 3);
}

START_TEST(an_error_drops_the_group)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(2, poisoned), NCS_STOP_DONE);
    kernel_end();
}
END_TEST

static void abort_one(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
    if (r->rank == 0) {
        OK(kernel_reduce(r));
        OK(api->ncclCommAbort(r->world));
        OK(api->cudaStreamSynchronize(r->stream)); /* the stream goes on, the data is untouched */
        ck_assert_float_eq(r->x[0], 3);
        ck_assert_int_eq(kernel_reduce(r), ncclInvalidArgument);
        return;
    }
    machine->sleep(1000000);
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(abort_is_local)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(2, abort_one), NCS_STOP_QUIET);
    ck_assert(kernel_rank[0].finished && !kernel_rank[1].finished);
    kernel_end();
}
END_TEST

static void out_of_bounds(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    size_t count = r->rank == 0 ? 17 : 16;
    OK(api->ncclAllReduce(r->x, r->x, count, ncclFloat32, ncclSum, r->world, r->stream));
    ck_assert_int_eq(api->cudaStreamSynchronize(r->stream), cudaErrorIllegalAddress);
    ck_assert_int_eq(api->cudaMalloc((void **)&r->x, 4), cudaErrorIllegalAddress);
    ck_assert_int_eq(kernel_reduce(r), ncclUnhandledCudaError);
}

START_TEST(a_bad_address_kills_the_device)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(2, out_of_bounds), NCS_STOP_QUIET);
    ck_assert(kernel_rank[0].finished && !kernel_rank[1].finished);
    kernel_end();
}
END_TEST

static void order_streams(struct kernel_rank *r)
{
    cudaStream_t other;
    cudaEvent_t done;
    float host[16] = { 0 }, twice[16];
    OK(api->cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(api->cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    OK(api->ncsDelay(other, 1.0));
    OK(api->ncsAdd(r->x, r->x, 16, ncclFloat32, other));
    /* Without an edge the copy reads what was there before, every time. */
    OK(api->cudaMemcpyAsync(host, r->x, sizeof host, cudaMemcpyDeviceToHost, r->stream));
    ck_assert_float_eq(host[0], (float)(r->rank + 1));
    OK(api->cudaEventRecord(done, other));
    ck_assert_int_eq(api->cudaEventQuery(done), cudaErrorNotReady);
    OK(api->cudaStreamWaitEvent(r->stream, done, 0));
    OK(api->cudaMemcpyAsync(twice, r->x, sizeof twice, cudaMemcpyDeviceToHost, r->stream));
    ck_assert_float_eq(twice[0], 2 * (float)(r->rank + 1));
    OK(api->cudaEventDestroy(done));
    OK(api->cudaStreamDestroy(other));
    ck_assert_int_eq(api->cudaStreamDestroy(other), cudaErrorInvalidResourceHandle);
}

START_TEST(streams_are_ordered_by_events_alone)
{
    for (int threads = 0; threads < 2; threads++) {
        kernel_open(&(struct ncs_machine_options){ .own_threads = threads });
        ck_assert_int_eq(kernel_run(2, order_streams), NCS_STOP_DONE);
        kernel_end();
    }
}
END_TEST

static void legacy(struct kernel_rank *r)
{
    cudaStream_t blocking;
    OK(api->cudaStreamCreate(&blocking));
    OK(api->ncsDelay(blocking, 1.0));
    OK(api->ncsAdd(r->x, r->x, 16, ncclFloat32, blocking));
    float host;
    OK(api->cudaMemcpy(&host, r->x, sizeof host, cudaMemcpyDeviceToHost)); /* waits for it */
    ck_assert_float_eq(host, 2 * (float)(r->rank + 1));
    OK(api->ncsDelay(r->stream, 1.0));
    OK(api->ncsAdd(r->x, r->x, 16, ncclFloat32, r->stream));
    OK(api->cudaMemcpy(&host, r->x, sizeof host, cudaMemcpyDeviceToHost)); /* exempt */
    ck_assert_float_eq(host, 2 * (float)(r->rank + 1));
    OK(api->cudaDeviceSynchronize());
    ck_assert_float_eq(r->x[0], 4 * (float)(r->rank + 1));
}

START_TEST(the_legacy_stream_joins_blocking_streams)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(2, legacy), NCS_STOP_DONE);
    kernel_end();
}
END_TEST

static void many_streams_deep(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    for (int i = 0; i < 5000; i++)
        OK(api->ncsAdd(r->x, r->x, 1, ncclFloat32, r->stream));
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(a_deep_stream_parks_its_host)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(2, many_streams_deep), NCS_STOP_DONE);
    kernel_end();
}
END_TEST

static void forget_to_sync(struct kernel_rank *r)
{
    cudaStream_t other;
    float *host;
    OK(api->cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(api->cudaMallocHost((void **)&host, 64));
    /* A read after the collective, on another stream: it sees what was there before. */
    OK(kernel_reduce(r));
    OK(api->cudaMemcpyAsync(host, r->x, 64, cudaMemcpyDeviceToHost, other));
    OK(api->cudaDeviceSynchronize());
    ck_assert_float_eq(host[0], (float)(r->rank + 1));
    ck_assert_float_eq(r->x[0], (float)(r->nranks * (r->nranks + 1) / 2));
    /* A write before the collective, on another stream: the collective does not see it. */
    OK(api->cudaMemsetAsync(r->x, 0, 64, other));
    OK(api->ncclAllReduce(r->x, host, 16, ncclFloat32, ncclMax, r->world, r->stream));
    OK(api->cudaDeviceSynchronize());
    ck_assert_float_eq(host[0], (float)(r->nranks * (r->nranks + 1) / 2));
    ck_assert_float_eq(r->x[0], 0);
}

START_TEST(a_missing_edge_shows_every_time)
{
    for (int ranks = 2; ranks <= 5; ranks++) {
        kernel_open(&(struct ncs_machine_options){ 0 });
        ck_assert_int_eq(kernel_run(ranks, forget_to_sync), NCS_STOP_DONE);
        kernel_end();
    }
}
END_TEST

START_TEST(the_same_seed_gives_the_same_trace)
{
    uint64_t seen[50];
    size_t different = 0;
    for (int seed = 0; seed < 50; seed++) {
        uint64_t trace[2];
        for (int again = 0; again < 2; again++) {
            kernel_open(&(struct ncs_machine_options){ .seeded = true, .seed = (uint64_t)seed, .own_threads = again == 1 });
            ck_assert_int_eq(kernel_run(5, sum), NCS_STOP_DONE);
            trace[again] = kernel_trace();
            kernel_end();
        }
        ck_assert_uint_eq(trace[0], trace[1]); /* fibers and threads alike */
        seen[seed] = trace[0];
        different += seed > 0 && seen[seed] != seen[0];
    }
    ck_assert_uint_gt(different, 40);
}
END_TEST

static void reset_under_nccl(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
    if (r->rank == 1)
        return;
    OK(kernel_reduce(r)); /* the other one never comes */
    OK(api->cudaDeviceReset());
    OK(api->cudaDeviceSynchronize());
    OK(api->cudaStreamCreate(&r->stream));
    OK(api->cudaMalloc((void **)&r->x, 64));
    ck_assert_int_eq(kernel_reduce(r), ncclUnhandledCudaError);
    ck_assert_str_eq(api->ncclGetLastError(r->world), "Cuda failure 'context is destroyed'");
    OK(api->ncclCommAbort(r->world));
}

START_TEST(a_communicator_does_not_outlive_its_device)
{
    for (int threads = 0; threads < 2; threads++) {
        kernel_open(&(struct ncs_machine_options){ .own_threads = threads });
        ck_assert_int_eq(kernel_run(2, reset_under_nccl), NCS_STOP_DONE);
        ck_assert(kernel_rank[0].finished);
        kernel_end();
    }
}
END_TEST

NCS_TEST_MAIN("kernel basics", data_moves_at_the_end, a_missing_call_is_a_certain_hang, a_slow_rank_is_no_hang,
              polling_in_vain_is_a_livelock, sleeping_pollers_are_found_early, pollers_that_end_their_wait_are_no_livelock,
              a_loop_that_watches_the_clock_ends, first_contact_blocks_the_host, an_exchange_needs_a_group,
              an_error_drops_the_group, abort_is_local, a_bad_address_kills_the_device, streams_are_ordered_by_events_alone,
              the_legacy_stream_joins_blocking_streams, a_deep_stream_parks_its_host, a_communicator_does_not_outlive_its_device,
              a_missing_edge_shows_every_time, the_same_seed_gives_the_same_trace)
