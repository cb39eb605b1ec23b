/* Hazards of NCCL's operations: the order that communicators keep, groups, launches in progress. */
#include "hazard_lab.h"

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

/* Not even in one stream: NCCL sorts them. */
START_TEST(communicators_of_a_group_have_no_order)
{
    open_lab();
    call0(NCS_FN_ncclGroupStart, NULL);
    reduce_in_group(0, 7, x, y, S);
    reduce_in_group(1, 7, y, z, S);
    end_group(ncclSuccess);
    ck_assert(only(NCS_HAZARD_OVERLAP)->same_launch);
    sync(S); /* behind both */
    copy(host, z, 64);
    copy(host, y, 64);
    expect_one(NCS_HAZARD_OVERLAP);
}
END_TEST

START_TEST(communicators_of_two_groups_have_that_of_their_stream)
{
    open_lab();
    for (uint64_t group = 1; group < 3; group++) {
        call0(NCS_FN_ncclGroupStart, NULL);
        reduce_in_group(0, group, x, y, S);
        reduce_in_group(1, group, x, z, T);
        end_group(ncclSuccess);
        copy_in(x, y, S);
        call2(NCS_FN_cudaEventRecord, E, S);
        call2(NCS_FN_cudaStreamWaitEvent, T, E);
    }
    ck_assert_uint_eq(found(), 1); /* the copy, and what T reads in the group */
    ck_assert_int_eq(only(NCS_HAZARD_REUSED)->earlier->comm, 1);
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

/* NCCL takes no call while the one before is being launched: one that it took says that this is over. */
START_TEST(a_second_launch_says_that_the_first_is_in_its_stream)
{
    open_lab();
    in_progress();
    struct ncs_call *call = reduction(0, z, z, T);
    call->rc = ncclInProgress;
    tell(call);
    sync(S);
    copy(host, y, 64);
    ck_assert_uint_eq(found(), 0);
    poll(0, ncclSuccess);
    copy(host, z, 64);
    expect_one(NCS_HAZARD_READ_EARLY);
}
END_TEST

START_TEST(what_was_in_progress_is_waited_for_by_what_comes_behind_it)
{
    open_lab();
    in_progress();
    struct ncs_call *call = reduction(0, z, z, T);
    call->rc = ncclInProgress;
    tell(call);
    poll(0, ncclSuccess);
    sync(T); /* the communicator keeps its order over streams */
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

START_TEST(an_empty_message_is_in_its_stream_all_the_same)
{
    open_lab();
    reduce(x, y, T);
    call0(NCS_FN_ncclGroupStart, NULL);
    exchange(NCS_FN_ncclSend, z, 0);
    end_group(ncclSuccess);
    sync(S); /* behind the launch before */
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

NCS_TEST_MAIN("hazard_launch", one_communicator_keeps_its_order_over_streams, two_communicators_have_none,
              communicators_of_a_group_have_no_order, communicators_of_two_groups_have_that_of_their_stream,
              the_end_of_a_communicator_waits, calls_that_failed_are_nothing, a_group_joins_the_streams_of_its_calls,
              what_a_group_exchanges_moves_at_once, a_wait_in_a_group_covers_nothing_of_it,
              a_read_in_the_group_behind_such_a_wait_is_found, a_wait_behind_the_group_covers_it,
              what_is_in_progress_is_in_no_stream, what_was_polled_is, a_second_launch_says_that_the_first_is_in_its_stream,
              what_was_in_progress_is_waited_for_by_what_comes_behind_it, an_empty_message_is_in_its_stream_all_the_same)
