/* What a rank in a destroy waits for on real hardware, concluded from the journal: ranks 0, 1 of four sit on one host and
 * 2, 3 on another one, each in a process of its own, unless a test says otherwise. */
#include "diagnose_lab.h"

#include "trace/infer.h"

static struct ncs_snapshot real;
static struct ncs_call *stands; /* rank 0's destroy of world */

static void begin_job(void)
{
    begin_run(4);
    real = (struct ncs_snapshot){ .stop = NCS_STOP_STALLED, .contexts = 4 };
    real.context = ncs_new(4 * sizeof *real.context);
    for (int r = 0; r < 4; r++)
        real.context[r] =
            (struct ncs_snap_context){ .rank = r, .state = NCS_CONTEXT_PARKED, .process = r + 1, .host = r / 2 + 1 };
}

/* Rank 0 stands in `fn`. The job that this makes; NULL = none. */
static const struct ncs_snap_job *stand_in(enum ncs_fn fn)
{
    struct ncs_known known = { 0 };
    stands = plain(0, fn, 0, 9);
    real.context[0].call = stands;
    ncs_call_pin(stands);
    ncs_infer(journal, &known, &real);
    return real.jobs ? &real.job[0] : NULL;
}

static void end_job(void)
{
    finish(stands);
    ncs_snapshot_free(&real);
    end_run();
}

static void end_of(int rank, enum ncs_fn fn)
{
    finish(plain(rank, fn, 0, 8));
}

static void waits_for(const struct ncs_snap_job *made, int rank)
{
    ck_assert_ptr_nonnull(made);
    ck_assert_int_eq(made->kind, NCS_JOB_DESTROY);
    ck_assert_uint_eq(made->misses, 1);
    ck_assert_int_eq(real.missing[made->miss], rank);
    ck_assert_uint_eq(real.context[0].waits, 1);
    ck_assert_int_eq(real.wait[real.context[0].wait].kind, NCS_WAIT_JOB);
}

START_TEST(ranks_of_its_own_host)
{
    begin_job();
    waits_for(stand_in(NCS_FN_ncclCommDestroy), 1);
    end_job();
}
END_TEST

static const enum ncs_fn ends[] = { NCS_FN_ncclCommDestroy, NCS_FN_ncclCommAbort, NCS_FN_ncclCommFinalize,
                                    NCS_FN_ncclCommRevoke };

START_TEST(nobody_who_has_ended_it)
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        begin_job();
        end_of(1, ends[i]);
        ck_assert_ptr_null(stand_in(NCS_FN_ncclCommDestroy));
        end_job();
    }
}
END_TEST

START_TEST(a_rank_whose_end_has_failed)
{
    begin_job();
    ncs_journal_leave(journal, plain(1, NCS_FN_ncclCommDestroy, 0, 8), ncclInvalidArgument);
    waits_for(stand_in(NCS_FN_ncclCommDestroy), 1);
    end_job();
}
END_TEST

START_TEST(nobody_whose_process_has_ended)
{
    begin_job();
    real.context[1].state = NCS_CONTEXT_ENDED;
    real.context[1].ending = NCS_END_LOST;
    ck_assert_ptr_null(stand_in(NCS_FN_ncclCommDestroy));
    end_job();
}
END_TEST

START_TEST(nobody_where_places_are_not_known)
{
    begin_job();
    for (int r = 0; r < 4; r++)
        real.context[r].process = real.context[r].host = 0;
    ck_assert_ptr_null(stand_in(NCS_FN_ncclCommDestroy));
    end_job();
}
END_TEST

START_TEST(only_the_last_of_its_process)
{
    begin_job();
    real.context[1].process = 1;
    real.context[2].host = 1;
    ck_assert_ptr_null(stand_in(NCS_FN_ncclCommDestroy));
    end_job();
    begin_job();
    real.context[1].process = 1;
    real.context[2].host = 1;
    end_of(1, NCS_FN_ncclCommDestroy);
    waits_for(stand_in(NCS_FN_ncclCommDestroy), 2);
    end_job();
}
END_TEST

START_TEST(nobody_after_a_revoke)
{
    begin_job();
    end_of(0, NCS_FN_ncclCommRevoke);
    ck_assert_ptr_null(stand_in(NCS_FN_ncclCommDestroy));
    end_job();
}
END_TEST

START_TEST(its_own_work_first)
{
    begin_job();
    make(0, reduce_of(8), 7);
    ck_assert_ptr_null(stand_in(NCS_FN_ncclCommDestroy));
    ck_assert_uint_eq(real.context[0].waits, 1);
    ck_assert_int_eq(real.wait[real.context[0].wait].kind, NCS_WAIT_OP);
    end_job();
}
END_TEST

START_TEST(work_on_another_communicator_last)
{
    begin_job();
    make_comm(X, "other", 4);
    make(0, on(X, reduce_of(8)), 7);
    waits_for(stand_in(NCS_FN_ncclCommDestroy), 1);
    end_job();
    begin_job();
    make_comm(X, "other", 4);
    for (int c = 0; c <= X; c++)
        for (int r = 0; r < 4; r++)
            journal->comm[c]->member[r].device = r;
    make(0, on(X, reduce_of(8)), 7);
    make(1, on(X, reduce_of(8)), 7); /* of another process */
    end_of(1, NCS_FN_ncclCommDestroy);
    const struct ncs_snap_job *made = stand_in(NCS_FN_ncclCommDestroy);
    ck_assert_ptr_nonnull(made);
    ck_assert_uint_eq(made->misses, 0);
    ck_assert_uint_eq(made->waits, 1);
    ck_assert_int_eq(real.op[real.wait[made->wait].index].rank, 0);
    end_job();
}
END_TEST

START_TEST(an_abort_waits_for_nobody)
{
    begin_job();
    for (int r = 0; r < 4; r++)
        journal->comm[0]->member[r].device = r;
    make(0, reduce_of(8), 7); /* which it ends */
    ck_assert_ptr_null(stand_in(NCS_FN_ncclCommAbort));
    end_job();
}
END_TEST

NCS_TEST_MAIN("teardown", ranks_of_its_own_host, nobody_who_has_ended_it, a_rank_whose_end_has_failed,
              nobody_whose_process_has_ended, nobody_where_places_are_not_known, only_the_last_of_its_process,
              nobody_after_a_revoke, its_own_work_first, work_on_another_communicator_last, an_abort_waits_for_nobody)
