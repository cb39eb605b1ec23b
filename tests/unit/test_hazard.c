/* Hazards, from calls made by hand: nothing runs, so that only the order counts that calls make. */
#include "harness.h"

#include <string.h>

#include "hazard/hazard.h"

#define RECORDS 128

static struct ncs_journal journal;
static struct ncs_comm_info comm[2], *comms[] = { &comm[0], &comm[1] };
static struct ncs_member member[2][2];
static struct ncs_call records[RECORDS];
static uint64_t made;
static struct ncs_hazards *h;
static int line, rank, thread;
static char x[64], y[64], z[64], host[64];
static char handles[8];

#define S ((const void *)&handles[1]) /* streams: two that do not block, one that does */
#define T ((const void *)&handles[2])
#define B ((const void *)&handles[3])
#define E ((const void *)&handles[4])

static struct ncs_call *make(enum ncs_fn fn)
{
    struct ncs_call *call = &records[made % RECORDS];
    ck_assert_uint_eq(call->pins, 0); /* of what is long past nothing is kept */
    *call = (struct ncs_call){ .id = ++made, .fn = fn, .returned = true, .rank = rank, .thread = thread,
                               .place.line = line, .comm = -1, .comm_rank = -1 };
    return call;
}

static void tell(struct ncs_call *call)
{
    ncs_hazards_call(h, call);
}

static void call0(enum ncs_fn fn, const void *p)
{
    struct ncs_call *call = make(fn);
    call->arg[0].p = p;
    tell(call);
}

static void call2(enum ncs_fn fn, const void *p, const void *q)
{
    struct ncs_call *call = make(fn);
    call->arg[0].p = p;
    call->arg[1].p = q;
    tell(call);
}

static void allocate(enum ncs_fn fn, const void *p)
{
    struct ncs_call *call = make(fn);
    call->arg[0].p = p;
    call->arg[1].u = 64;
    tell(call);
}

static void stream(const void *handle, unsigned flags)
{
    struct ncs_call *call = make(NCS_FN_cudaStreamCreateWithFlags);
    call->arg[0].p = handle;
    call->arg[1].u = flags;
    tell(call);
}

static void open_rank(int which)
{
    rank = which;
    allocate(NCS_FN_cudaMalloc, x);
    allocate(NCS_FN_cudaMalloc, y);
    allocate(NCS_FN_cudaMalloc, z);
    stream(S, cudaStreamNonBlocking);
    stream(T, cudaStreamNonBlocking);
    stream(B, cudaStreamDefault);
}

static void open_lab(void)
{
    journal.comm = comms;
    journal.comms = 2;
    for (int i = 0; i < 2; i++)
        comm[i] = (struct ncs_comm_info){ .number = i, .nranks = 2, .member = member[i], .members = 2 };
    h = ncs_hazards_open(&journal, NULL, NULL);
    open_rank(0);
    line = 100;
}

static void close_lab(void)
{
    ncs_hazards_close(h);
    for (int i = 0; i < RECORDS; i++)
        ck_assert_uint_eq(records[i].pins, 0);
}

static struct ncs_call *in_comm(struct ncs_call *call, int which)
{
    call->comm = which;
    call->comm_rank = rank;
    call->number = ++member[which][rank].calls;
    return call;
}

static struct ncs_call *reduction(int which, const void *from, const void *to, const void *s)
{
    struct ncs_call *call = in_comm(make(NCS_FN_ncclAllReduce), which);
    call->arg[0].p = from;
    call->arg[1].p = to;
    call->arg[2].u = 16;
    call->arg[3].i = ncclFloat32;
    call->arg[4].i = ncclSum;
    call->arg[6].p = s;
    return call;
}

static void reduce(const void *from, const void *to, const void *s)
{
    tell(reduction(0, from, to, s));
}

static void exchange(enum ncs_fn fn, const void *p, size_t count)
{
    struct ncs_call *call = in_comm(make(fn), 0);
    call->arg[0].p = p;
    call->arg[1].u = count;
    call->arg[2].i = ncclFloat32;
    call->arg[3].i = 1;
    call->arg[5].p = S;
    tell(call);
}

static void copy(const void *to, const void *from, size_t bytes)
{
    struct ncs_call *call = make(NCS_FN_cudaMemcpy);
    call->arg[0].p = to;
    call->arg[1].p = from;
    call->arg[2].u = bytes;
    call->arg[3].i = cudaMemcpyDefault;
    tell(call);
}

static void copy_in(const void *to, const void *from, const void *s)
{
    struct ncs_call *call = make(NCS_FN_cudaMemcpyAsync);
    call->arg[0].p = to;
    call->arg[1].p = from;
    call->arg[2].u = 64;
    call->arg[3].i = cudaMemcpyDefault;
    call->arg[4].p = s;
    tell(call);
}

static void fill_in(const void *to, const void *s)
{
    struct ncs_call *call = make(NCS_FN_cudaMemsetAsync);
    call->arg[0].p = to;
    call->arg[2].u = 64;
    call->arg[3].p = s;
    tell(call);
}

static void sync(const void *s)
{
    call0(NCS_FN_cudaStreamSynchronize, s);
}

static void end_group(int rc)
{
    struct ncs_call *call = make(NCS_FN_ncclGroupEnd);
    call->rc = rc;
    tell(call);
}

static void poll(int which, int state)
{
    struct ncs_call *call = make(NCS_FN_ncclCommGetAsyncError);
    call->comm = which;
    call->comm_rank = rank;
    call->arg[1].i = state;
    tell(call);
}

static size_t found(void)
{
    size_t count;
    ncs_hazards_found(h, &count);
    return count;
}

static void expect_nothing(void)
{
    ck_assert_uint_eq(found(), 0);
    close_lab();
}

static const struct ncs_hazard *only(enum ncs_hazard_kind kind)
{
    size_t count;
    const struct ncs_hazard *f = ncs_hazards_found(h, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(f->kind, kind);
    return f;
}

static void expect_one(enum ncs_hazard_kind kind)
{
    only(kind);
    close_lab();
}

/* ---- reads ---- */

START_TEST(a_read_behind_no_wait_is_found)
{
    open_lab();
    line = 7;
    reduce(x, y, S);
    line = 8;
    copy(host, y, 4);
    const struct ncs_hazard *f = only(NCS_HAZARD_READ_EARLY);
    ck_assert_int_eq(f->earlier->place.line, 7);
    ck_assert_int_eq(f->later->place.line, 8);
    ck_assert(f->host && !f->sync && !f->felt);
    ck_assert_uint_eq(f->ats, 1);
    ck_assert_int_eq(f->at[0].comm, 0);
    ck_assert_uint_eq(f->at[0].call, 1);
    close_lab();
}
END_TEST

START_TEST(waits_of_the_host_order)
{
    open_lab();
    reduce(x, y, S);
    sync(S);
    copy(host, y, 64);
    reduce(x, y, S);
    call0(NCS_FN_cudaStreamQuery, S);
    copy(host, y, 64);
    reduce(x, y, S);
    call0(NCS_FN_cudaDeviceSynchronize, NULL);
    copy(host, y, 64);
    reduce(x, y, S);
    call2(NCS_FN_cudaEventRecord, E, S);
    call0(NCS_FN_cudaEventSynchronize, E);
    copy(host, y, 64);
    reduce(x, y, S);
    copy(host, x, 64); /* two may read */
    expect_nothing();
}
END_TEST

START_TEST(a_query_that_says_no_orders_nothing)
{
    open_lab();
    reduce(x, y, S);
    struct ncs_call *query = make(NCS_FN_cudaStreamQuery);
    query->arg[0].p = S;
    query->rc = cudaErrorNotReady;
    tell(query);
    copy(host, y, 64);
    expect_one(NCS_HAZARD_READ_EARLY);
}
END_TEST

START_TEST(a_wait_for_another_stream_orders_nothing)
{
    open_lab();
    reduce(x, y, S);
    sync(T);
    copy(host, y, 64);
    expect_one(NCS_HAZARD_READ_EARLY);
}
END_TEST

START_TEST(streams_wait_for_events_as_they_were)
{
    open_lab();
    reduce(x, y, S);
    call2(NCS_FN_cudaEventRecord, E, S);
    call2(NCS_FN_cudaStreamWaitEvent, T, E);
    copy_in(z, y, T);
    ck_assert_uint_eq(found(), 0);
    reduce(z, x, T);
    reduce(x, y, S); /* not in the event that T has waited for */
    call2(NCS_FN_cudaEventRecord, E, S);
    copy_in(z, y, T);
    ck_assert_uint_eq(found(), 1);
    close_lab();
}
END_TEST

START_TEST(the_legacy_stream_waits_for_blocking_ones)
{
    open_lab();
    reduce(x, y, B);
    copy(host, y, 64);
    fill_in(x, NULL);
    reduce(x, y, B);
    copy(host, y, 64);
    fill_in(z, NULL);
    fill_in(z, cudaStreamPerThread);
    copy(host, z, 64);
    expect_nothing();
}
END_TEST

START_TEST(what_is_waited_for_in_the_legacy_stream_is_no_other)
{
    open_lab();
    fill_in(x, NULL);
    reduce(x, y, S);
    expect_one(NCS_HAZARD_INPUT);
}
END_TEST

START_TEST(another_thread_has_a_per_thread_stream_of_its_own)
{
    open_lab();
    fill_in(x, cudaStreamPerThread);
    thread = 1;
    copy_in(y, x, cudaStreamPerThread);
    thread = 0;
    expect_one(NCS_HAZARD_INPUT);
}
END_TEST

START_TEST(legacy_streams_are_of_their_devices)
{
    open_lab();
    fill_in(x, NULL);
    struct ncs_call *device = make(NCS_FN_cudaSetDevice);
    device->arg[0].i = 1;
    tell(device);
    copy_in(y, x, NULL);
    expect_one(NCS_HAZARD_INPUT);
}
END_TEST

/* ---- copies ---- */

START_TEST(copies_within_a_device_are_not_waited_for)
{
    open_lab();
    copy(y, x, 64);
    reduce(y, z, S);
    expect_one(NCS_HAZARD_INPUT);
}
END_TEST

START_TEST(copies_from_the_host_are_done_when_they_return)
{
    open_lab();
    copy(x, host, 64);
    reduce(x, y, S);
    copy_in(host, y, S); /* to memory that is not pinned */
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

START_TEST(parts_of_memory_are_told_apart)
{
    open_lab();
    struct ncs_call *call = reduction(0, x, y, S);
    call->arg[2].u = 4;
    tell(call);
    copy(host, y + 16, 48);
    ck_assert_uint_eq(found(), 0);
    copy(host, y + 15, 4);
    expect_one(NCS_HAZARD_READ_EARLY);
}
END_TEST

START_TEST(rows_are_told_apart)
{
    open_lab();
    for (int i = 0; i < 2; i++) { /* the left half and the right half of four rows of 16 bytes */
        struct ncs_call *call = make(NCS_FN_cudaMemset2DAsync);
        call->arg[0].p = x + 8 * i;
        call->arg[1].u = 16;
        call->arg[3].u = 8;
        call->arg[4].u = 4;
        call->arg[5].p = i ? S : T;
        tell(call);
    }
    ck_assert_uint_eq(found(), 0);
    copy(host, x + 40, 8); /* the right half of the third */
    expect_one(NCS_HAZARD_READ_EARLY);
}
END_TEST

/* ---- writes ---- */

START_TEST(an_overwritten_input_is_found)
{
    open_lab();
    reduce(x, y, S);
    copy(x, host, 64);
    expect_one(NCS_HAZARD_REUSED);
}
END_TEST

START_TEST(memory_is_free_in_the_order_of_its_stream)
{
    open_lab();
    reduce(x, y, S);
    call2(NCS_FN_cudaFreeAsync, x, S);
    call0(NCS_FN_cudaFree, y); /* waits for the device */
    allocate(NCS_FN_cudaMalloc, y);
    copy(y, host, 64);
    expect_nothing();
}
END_TEST

START_TEST(memory_freed_in_another_stream_is_found)
{
    open_lab();
    reduce(x, y, S);
    call2(NCS_FN_cudaFreeAsync, x, T);
    const struct ncs_hazard *f = only(NCS_HAZARD_REUSED);
    ck_assert_uint_eq(f->later_does, NCS_TOUCH_FREE);
    close_lab();
}
END_TEST

START_TEST(new_memory_at_an_old_address_has_no_past)
{
    open_lab();
    reduce(x, y, S);
    call2(NCS_FN_cudaFreeAsync, y, S);
    allocate(NCS_FN_cudaMalloc, y);
    copy(y, host, 64);
    expect_nothing();
}
END_TEST

START_TEST(windows_are_left_out)
{
    open_lab();
    struct ncs_call *call = make(NCS_FN_ncclCommWindowRegister);
    call->arg[1].p = y;
    tell(call);
    reduce(x, y, S);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

/* ---- NCCL's own order ---- */

START_TEST(one_communicator_keeps_its_order_over_streams)
{
    open_lab();
    reduce(x, y, S);
    reduce(y, z, T);
    sync(T);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

START_TEST(two_communicators_have_none)
{
    open_lab();
    tell(reduction(0, x, y, S));
    tell(reduction(1, z, y, T));
    expect_one(NCS_HAZARD_OVERLAP);
}
END_TEST

START_TEST(the_end_of_a_communicator_waits)
{
    open_lab();
    reduce(x, y, S);
    struct ncs_call *call = make(NCS_FN_ncclCommDestroy);
    call->comm = call->comm_rank = 0;
    tell(call);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

START_TEST(calls_that_failed_are_nothing)
{
    open_lab();
    struct ncs_call *call = reduction(0, x, y, S);
    call->rc = ncclInvalidArgument;
    tell(call);
    copy(host, y, 64);
    call0(NCS_FN_ncclGroupStart, NULL);
    reduce(x, y, S);
    end_group(ncclInvalidUsage);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

START_TEST(a_group_joins_the_streams_of_its_calls)
{
    open_lab();
    fill_in(x, T);
    call0(NCS_FN_ncclGroupStart, NULL);
    reduce(x, y, S);
    reduce(z, z, T);
    end_group(ncclSuccess);
    sync(T);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

START_TEST(what_a_group_exchanges_moves_at_once)
{
    open_lab();
    call0(NCS_FN_ncclGroupStart, NULL);
    exchange(NCS_FN_ncclSend, x, 8);
    exchange(NCS_FN_ncclRecv, x + 32, 8);
    end_group(ncclSuccess);
    ck_assert_uint_eq(found(), 0);
    call0(NCS_FN_ncclGroupStart, NULL);
    exchange(NCS_FN_ncclSend, x, 8);
    exchange(NCS_FN_ncclSend, x, 8);
    exchange(NCS_FN_ncclRecv, x + 28, 8);
    end_group(ncclSuccess);
    const struct ncs_hazard *f = only(NCS_HAZARD_OVERLAP);
    ck_assert(f->same_launch);
    close_lab();
}
END_TEST

/* ---- waits in vain ---- */

START_TEST(a_wait_in_a_group_covers_nothing_of_it)
{
    open_lab();
    call0(NCS_FN_ncclGroupStart, NULL);
    reduce(x, y, S);
    line = 9;
    sync(S);
    end_group(ncclSuccess);
    line = 10;
    copy(host, y, 64);
    const struct ncs_hazard *f = only(NCS_HAZARD_GROUP_SYNC);
    ck_assert_int_eq(f->sync->place.line, 9);
    close_lab();
}
END_TEST

START_TEST(a_read_in_the_group_behind_such_a_wait_is_found)
{
    open_lab();
    call0(NCS_FN_ncclGroupStart, NULL);
    reduce(x, y, S);
    copy(host, y, 64); /* nobody has waited: it is meant */
    ck_assert_uint_eq(found(), 0);
    sync(T);
    copy(host, y, 64);
    ck_assert_uint_eq(found(), 0);
    sync(S);
    copy(host, y, 64);
    end_group(ncclSuccess);
    expect_one(NCS_HAZARD_GROUP_SYNC);
}
END_TEST

START_TEST(a_wait_behind_the_group_covers_it)
{
    open_lab();
    call0(NCS_FN_ncclGroupStart, NULL);
    reduce(x, y, S);
    sync(S);
    end_group(ncclSuccess);
    sync(S);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

static void in_progress(void)
{
    struct ncs_call *call = reduction(0, x, y, S);
    call->rc = ncclInProgress;
    tell(call);
}

START_TEST(what_is_in_progress_is_in_no_stream)
{
    open_lab();
    in_progress();
    poll(0, ncclInProgress);
    sync(S);
    copy(host, y, 64);
    expect_one(NCS_HAZARD_PROGRESS_SYNC);
}
END_TEST

START_TEST(what_was_polled_is)
{
    open_lab();
    in_progress();
    poll(0, ncclSuccess);
    sync(S);
    copy(host, y, 64);
    in_progress();
    poll(0, ncclSuccess);
    copy_in(z, y, S);
    expect_nothing();
}
END_TEST

/* ---- scalars, host functions ---- */

START_TEST(a_scalar_on_the_device_is_read_when_it_runs)
{
    struct ncs_redop op = { .dtype = ncclFloat32, .on_device = true, .pointer = z + 4 };
    open_lab();
    struct ncs_call *call = reduction(0, x, y, S);
    call->redop = &op;
    tell(call);
    copy(z, host, 4);
    ck_assert_uint_eq(found(), 0);
    copy(z + 4, host, 4);
    expect_one(NCS_HAZARD_SCALAR);
}
END_TEST

START_TEST(who_hears_of_a_host_function_knows_what_came_before_it)
{
    open_lab();
    reduce(x, y, S);
    call0(NCS_FN_cudaLaunchHostFunc, S);
    ncs_hazards_waited(h, 0);
    copy(host, y, 64);
    reduce(x, y, S);
    ncs_hazards_waited(h, 0); /* of nothing that is behind the function */
    ck_assert_uint_eq(found(), 0);
    copy(host, y, 64);
    expect_one(NCS_HAZARD_READ_EARLY);
}
END_TEST

/* ---- what is told ---- */

START_TEST(ranks_and_turns_of_a_loop_are_one)
{
    open_lab();
    open_rank(1);
    for (int i = 0; i < 10; i++)
        for (rank = 1; rank >= 0; rank--) {
            line = 7;
            reduce(x, y, S);
            line = 8;
            copy(host, y, 4);
        }
    rank = 0;
    const struct ncs_hazard *f = only(NCS_HAZARD_READ_EARLY);
    ck_assert_uint_eq(f->times, 20);
    ck_assert_uint_eq(f->ats, 2);
    ck_assert_int_eq(f->at[0].rank, 0);
    ck_assert_int_eq(f->at[1].rank, 1);
    close_lab();
}
END_TEST

START_TEST(only_what_was_compared_is_felt)
{
    open_lab();
    line = 1;
    reduce(x, y, S);
    copy(host, y, 64);
    ncs_hazards_compared(h, 0, true); /* right by luck */
    ck_assert(!only(NCS_HAZARD_READ_EARLY)->felt);
    copy(host, x, 64);
    ncs_hazards_compared(h, 0, false); /* of other memory */
    ck_assert(!only(NCS_HAZARD_READ_EARLY)->felt);
    copy(host, y, 64);
    ncs_hazards_compared(h, 0, false);
    ck_assert(only(NCS_HAZARD_READ_EARLY)->felt);
    close_lab();
}
END_TEST

START_TEST(a_spoilt_input_is_felt_in_the_result_of_another_rank)
{
    open_lab();
    open_rank(1);
    fill_in(x, T);
    reduce(x, y, S);
    rank = 0;
    reduce(x, y, S);
    sync(S);
    copy(host, y, 64);
    ncs_hazards_compared(h, 0, false);
    ck_assert(only(NCS_HAZARD_INPUT)->felt);
    close_lab();
}
END_TEST

/* The records of a long run are used again all the time: make() sees to it that none is held. */
START_TEST(long_runs_hold_on_to_nothing)
{
    open_lab();
    for (int i = 0; i < 200000; i++) {
        const void *s = i % 3 ? S : T;
        if (i % 7 == 0) {
            stream(E, cudaStreamNonBlocking);
            fill_in(z, E);
            call0(NCS_FN_cudaStreamDestroy, E); /* its work goes on */
            call0(NCS_FN_cudaDeviceSynchronize, NULL);
        }
        if (i % 5 == 0)
            allocate(NCS_FN_cudaMalloc, z);
        reduce(x, y, s);
        copy_in(z, y, s);
        call0(NCS_FN_cudaDeviceSynchronize, NULL);
        copy(host, z + i % 64, 1);
        if (i % 16 == 0) {
            fill_in(x, S);
            fill_in(y, S);
        }
        sync(S);
    }
    expect_nothing();
}
END_TEST

START_TEST(memory_in_many_parts_is_forgotten_not_mistaken)
{
    static char large[4096];
    open_lab();
    struct ncs_call *call = make(NCS_FN_cudaMalloc);
    call->arg[0].p = large;
    call->arg[1].u = sizeof large;
    tell(call);
    for (int turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < sizeof large; i += 4) {
            copy(large + i, host, 4);
            ck_assert_uint_eq(found(), 0);
        }
    expect_nothing();
}
END_TEST

NCS_TEST_MAIN("hazard", a_read_behind_no_wait_is_found, waits_of_the_host_order,
              a_query_that_says_no_orders_nothing, a_wait_for_another_stream_orders_nothing,
              streams_wait_for_events_as_they_were, the_legacy_stream_waits_for_blocking_ones,
              what_is_waited_for_in_the_legacy_stream_is_no_other,
              another_thread_has_a_per_thread_stream_of_its_own, legacy_streams_are_of_their_devices,
              copies_within_a_device_are_not_waited_for, copies_from_the_host_are_done_when_they_return,
              parts_of_memory_are_told_apart, rows_are_told_apart, an_overwritten_input_is_found,
              memory_is_free_in_the_order_of_its_stream, memory_freed_in_another_stream_is_found,
              new_memory_at_an_old_address_has_no_past, windows_are_left_out,
              one_communicator_keeps_its_order_over_streams, two_communicators_have_none,
              the_end_of_a_communicator_waits, calls_that_failed_are_nothing,
              a_group_joins_the_streams_of_its_calls, what_a_group_exchanges_moves_at_once,
              a_wait_in_a_group_covers_nothing_of_it, a_read_in_the_group_behind_such_a_wait_is_found,
              a_wait_behind_the_group_covers_it, what_is_in_progress_is_in_no_stream, what_was_polled_is,
              a_scalar_on_the_device_is_read_when_it_runs,
              who_hears_of_a_host_function_knows_what_came_before_it, ranks_and_turns_of_a_loop_are_one,
              only_what_was_compared_is_felt, a_spoilt_input_is_felt_in_the_result_of_another_rank,
              long_runs_hold_on_to_nothing, memory_in_many_parts_is_forgotten_not_mistaken)
