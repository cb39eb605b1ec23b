/* Memory that a call leaves without a result: off the root, and cut short. */
#include "hazard_lab.h"

static void rooted(const void *from, const void *to, int root)
{
    struct ncs_call *call = in_comm(make(NCS_FN_ncclReduce), 0);
    call->arg[0].p = from;
    call->arg[1].p = to;
    call->arg[2].u = 16;
    call->arg[3].i = ncclFloat32;
    call->arg[4].i = ncclSum;
    call->arg[5].i = root;
    call->arg[7].p = S;
    tell(call);
}

static void gather(const void *from, const void *to)
{
    struct ncs_call *call = in_comm(make(NCS_FN_ncclGather), 0);
    call->arg[0].p = from;
    call->arg[1].p = to;
    call->arg[2].u = 8; /* of each of two ranks */
    call->arg[3].i = ncclFloat32;
    call->arg[4].i = 1;
    call->arg[6].p = S;
    tell(call);
}

static void end_comm(enum ncs_fn fn)
{
    struct ncs_call *call = make(fn);
    call->comm = 0;
    call->comm_rank = rank;
    tell(call);
}

static void compare(bool held)
{
    ncs_hazards_compared(h, rank, held);
}

/* ---- off the root ---- */

START_TEST(a_read_off_the_root_is_found)
{
    open_lab();
    line = 7;
    rooted(x, y, 1);
    sync(S);
    line = 9;
    copy(host, y, 4);
    const struct ncs_hazard *f = only(NCS_HAZARD_OFF_ROOT);
    ck_assert_int_eq(f->earlier->place.line, 7);
    ck_assert_int_eq(f->later->place.line, 9);
    ck_assert(!f->felt && f->meant < f->times);
    close_lab();
}
END_TEST

START_TEST(the_root_has_its_result)
{
    open_lab();
    rooted(x, y, 0);
    sync(S);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

START_TEST(a_later_call_reads_it_too)
{
    open_lab();
    rooted(x, y, 1);
    reduce(y, z, S);
    expect_one(NCS_HAZARD_OFF_ROOT);
}
END_TEST

START_TEST(what_is_written_since_is_there)
{
    open_lab();
    rooted(x, y, 1);
    copy_in(y, x, S);
    sync(S);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

START_TEST(a_part_that_is_not_written_is_found)
{
    open_lab();
    rooted(x, y, 1);
    sync(S);
    copy(y + 16, host, 16); /* in the middle: a hollow before it, and one behind it */
    copy(host, y + 16, 16);
    ck_assert_uint_eq(found(), 0);
    copy(host, y + 32, 4);
    expect_one(NCS_HAZARD_OFF_ROOT);
}
END_TEST

START_TEST(in_place_the_input_stays)
{
    open_lab();
    rooted(x, x, 1);
    sync(S);
    copy(host, x, 64);
    expect_nothing();
}
END_TEST

START_TEST(the_own_block_of_a_gather_stays)
{
    open_lab();
    gather(x, x);
    gather(y + 32, y);
    sync(S);
    copy(host, y + 32, 32);
    ck_assert_uint_eq(found(), 0);
    copy(host, y, 4);
    expect_one(NCS_HAZARD_OFF_ROOT);
}
END_TEST

START_TEST(a_result_of_its_own_turn_as_the_root_stays)
{
    open_lab();
    rooted(x, y, 0);
    rooted(x, y, 1);
    sync(S);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

START_TEST(who_expects_the_old_contents_means_it)
{
    open_lab();
    rooted(x, y, 1);
    sync(S);
    copy(host, y, 64);
    compare(true);
    const struct ncs_hazard *f = only(NCS_HAZARD_OFF_ROOT);
    ck_assert_uint_eq(f->meant, f->times);
    copy(host, y, 64); /* it knows that its buffer was left alone */
    ck_assert_uint_eq(only(NCS_HAZARD_OFF_ROOT)->times, 1);
    close_lab();
}
END_TEST

START_TEST(who_expects_the_result_feels_it)
{
    open_lab();
    rooted(x, y, 1);
    sync(S);
    copy(host, y, 64);
    compare(false);
    const struct ncs_hazard *f = only(NCS_HAZARD_OFF_ROOT);
    ck_assert(f->felt && f->meant == 0);
    close_lab();
}
END_TEST

/* ---- cut short ---- */

START_TEST(an_error_cuts_short_what_is_in_flight)
{
    open_lab();
    reduce(x, y, S);
    line = 8;
    poll(0, ncclRemoteError);
    poll(0, ncclRemoteError);
    sync(S);
    copy(host, y, 4);
    const struct ncs_hazard *f = only(NCS_HAZARD_CUT_SHORT);
    ck_assert_int_eq(f->sync->place.line, 8);
    ck_assert_int_eq(f->sync->fn, NCS_FN_ncclCommGetAsyncError);
    close_lab();
}
END_TEST

START_TEST(an_error_that_nobody_asks_for_cuts_short_too)
{
    open_lab();
    reduce(x, y, S);
    ncs_hazards_broken(h, 0, 0, 0, (struct ncs_broken){ { .line = 5 }, ncclInvalidUsage });
    ck_assert_uint_eq(found(), 0);
    ncs_hazards_broken(h, 0, 0, 0, (struct ncs_broken){ { .line = 6 }, ncclSystemError });
    sync(S);
    copy(host, y, 4);
    const struct ncs_hazard *f = only(NCS_HAZARD_CUT_SHORT);
    ck_assert(!f->sync);
    ck_assert_int_eq(f->broken.place.line, 6);
    ck_assert_int_eq(f->broken.code, ncclSystemError);
    close_lab();
}
END_TEST

START_TEST(who_asks_at_last_is_named)
{
    open_lab();
    reduce(x, y, S);
    ncs_hazards_broken(h, 0, 0, 0, (struct ncs_broken){ { .line = 6 }, ncclSystemError });
    line = 9;
    poll(0, ncclSystemError);
    sync(S);
    copy(host, y, 4);
    ck_assert_int_eq(only(NCS_HAZARD_CUT_SHORT)->sync->place.line, 9);
    close_lab();
}
END_TEST

START_TEST(what_has_ended_before_is_whole)
{
    open_lab();
    reduce(x, y, S);
    sync(S);
    poll(0, ncclRemoteError);
    copy(host, y, 64);
    end_comm(NCS_FN_ncclCommAbort);
    copy(host, y, 64);
    copy(host, x, 64);
    expect_nothing();
}
END_TEST

START_TEST(a_misuse_cuts_nothing_short)
{
    open_lab();
    reduce(x, y, S);
    poll(0, ncclInvalidArgument);
    poll(0, ncclInvalidUsage);
    sync(S);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

START_TEST(an_abort_and_a_revoke_cut_short)
{
    open_lab();
    reduce(x, y, S);
    end_comm(NCS_FN_ncclCommAbort);
    copy(host, y, 4);
    only(NCS_HAZARD_CUT_SHORT);
    close_lab();
    open_lab();
    reduce(x, y, S);
    end_comm(NCS_FN_ncclCommRevoke);
    copy(host, y, 4);
    expect_one(NCS_HAZARD_CUT_SHORT);
}
END_TEST

START_TEST(a_destroy_waits_instead)
{
    open_lab();
    reduce(x, y, S);
    end_comm(NCS_FN_ncclCommDestroy);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

START_TEST(another_communicator_is_left_alone)
{
    open_lab();
    tell(reduction(1, x, y, T));
    end_comm(NCS_FN_ncclCommAbort);
    sync(T);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

START_TEST(a_comparison_that_holds_excuses_no_cut)
{
    open_lab();
    reduce(x, y, S);
    end_comm(NCS_FN_ncclCommAbort);
    copy(host, y, 64);
    compare(true);
    ck_assert_uint_eq(only(NCS_HAZARD_CUT_SHORT)->meant, 0);
    close_lab();
}
END_TEST

START_TEST(freed_memory_is_hollow_no_more)
{
    open_lab();
    rooted(x, y, 1);
    sync(S);
    call0(NCS_FN_cudaFree, y);
    allocate(NCS_FN_cudaMalloc, y);
    copy(host, y, 64);
    expect_nothing();
}
END_TEST

NCS_TEST_MAIN("hazard_hollow", a_read_off_the_root_is_found, the_root_has_its_result, a_later_call_reads_it_too,
              what_is_written_since_is_there, a_part_that_is_not_written_is_found, in_place_the_input_stays,
              the_own_block_of_a_gather_stays, a_result_of_its_own_turn_as_the_root_stays, who_expects_the_old_contents_means_it,
              who_expects_the_result_feels_it, an_error_cuts_short_what_is_in_flight,
              an_error_that_nobody_asks_for_cuts_short_too, who_asks_at_last_is_named, what_has_ended_before_is_whole,
              a_misuse_cuts_nothing_short, an_abort_and_a_revoke_cut_short, a_destroy_waits_instead,
              another_communicator_is_left_alone, a_comparison_that_holds_excuses_no_cut, freed_memory_is_hollow_no_more)
