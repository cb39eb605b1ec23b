/* Memory that is used without order: streams, events, waits of the host, copies, parts of buffers. */
#include "hazard_lab.h"

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

NCS_TEST_MAIN("hazard", a_read_behind_no_wait_is_found, waits_of_the_host_order, a_query_that_says_no_orders_nothing,
              a_wait_for_another_stream_orders_nothing, streams_wait_for_events_as_they_were,
              the_legacy_stream_waits_for_blocking_ones, what_is_waited_for_in_the_legacy_stream_is_no_other,
              another_thread_has_a_per_thread_stream_of_its_own, legacy_streams_are_of_their_devices,
              copies_within_a_device_are_not_waited_for, copies_from_the_host_are_done_when_they_return,
              parts_of_memory_are_told_apart, rows_are_told_apart, an_overwritten_input_is_found,
              memory_is_free_in_the_order_of_its_stream, memory_freed_in_another_stream_is_found,
              new_memory_at_an_old_address_has_no_past, windows_are_left_out, a_scalar_on_the_device_is_read_when_it_runs,
              who_hears_of_a_host_function_knows_what_came_before_it)
