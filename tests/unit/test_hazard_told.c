/* Reports of hazards: once for each pair of places, with their effects; and no record is kept. */
#include "hazard_lab.h"

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

/* Messages of a pair are told apart: a wrong one says nothing of the one that is not waited for. */
START_TEST(only_the_message_that_was_read_early_is_felt)
{
    open_lab();
    line = 1;
    exchange(NCS_FN_ncclRecv, x, 8);
    sync(S);
    copy(host, x, 32);
    line = 2;
    exchange(NCS_FN_ncclRecv, y, 8);
    copy(host, y, 32); /* not compared */
    ncs_hazards_compared(h, 0, true);
    copy(host, x, 32);
    ncs_hazards_compared(h, 0, false); /* the first was wrong: its sender sent another value */
    ck_assert(!only(NCS_HAZARD_READ_EARLY)->felt);
    copy(host, y, 32);
    ncs_hazards_compared(h, 0, false);
    ck_assert(only(NCS_HAZARD_READ_EARLY)->felt);
    close_lab();
}
END_TEST

/* Data that a sender spoils are wrong where that message is received, not where others are. */
START_TEST(a_spoilt_message_is_felt_by_its_receiver)
{
    open_lab();
    open_rank(1);
    exchange_with(NCS_FN_ncclSend, y, 8, 0);
    fill_in(x, T);
    exchange_with(NCS_FN_ncclSend, x, 8, 0);
    rank = 0;
    exchange(NCS_FN_ncclRecv, y, 8);
    struct ncs_call *first = last_made();
    exchange(NCS_FN_ncclRecv, z, 8);
    struct ncs_call *second = last_made();
    ncs_hazards_wrong(h, first);
    ck_assert(!only(NCS_HAZARD_INPUT)->felt);
    ncs_hazards_wrong(h, second);
    ck_assert(only(NCS_HAZARD_INPUT)->felt);
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

NCS_TEST_MAIN("hazard_told", ranks_and_turns_of_a_loop_are_one, only_what_was_compared_is_felt,
              only_the_message_that_was_read_early_is_felt, a_spoilt_message_is_felt_by_its_receiver,
              a_spoilt_input_is_felt_in_the_result_of_another_rank, long_runs_hold_on_to_nothing,
              memory_in_many_parts_is_forgotten_not_mistaken)
