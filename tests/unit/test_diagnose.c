/* Hangs of collectives, diagnosed: each rule on the smallest run that it is about, and on a near
 * miss that it must not take for one. */
#include "diagnose_lab.h"

START_TEST(skipped_call)
{
    begin_run(4);
    skip_one(4, 3, 2, 3, NULL);
    const struct ncs_finding *f = only("skipped-call");
    ck_assert_uint_eq(f->call, 3);
    ck_assert_str_eq(f->comm, "world");
    ck_assert_str_eq(f->title, "communicator world, call 3: AllReduce float32 x 1024 sum");
    ck_assert_str_eq(ncs_sentence_text(f->why), "rank 2 made 2 calls on world; ranks 0, 1, 3 made 3: call 3 is at line 13");
    culprits(f, 2, -1);
    ck_assert_uint_eq(f->culprit[0].call, 3);
    ck_assert_int_eq(f->culprit[0].line, 13);
    blocked(f, 0, 1, 3, -1);
    bystanders(f, -1);
    ck_assert_uint_eq(f->rows, 4);
    ck_assert_str_eq(ncs_sentence_text(f->row[0].said), "waits in stream:sync()");
    ck_assert_int_eq(f->row[0].line, 14);
    ck_assert_str_eq(ncs_sentence_text(f->row[2].said), "never made call 3: finished");
    ck_assert_int_eq(f->row[2].line, 17);
    ck_assert_uint_eq(d.waits, 3);
    ck_assert_str_eq(d.wait[2].in, "stream:sync");
    ck_assert_str_eq(d.wait[2].op, "AllReduce float32 x 1024 sum");
    ck_assert_uint_eq(d.wait[2].call, 3);
    ck_assert_uint_eq(d.wait[2].peers, 1);
    ck_assert_int_eq(d.wait[2].peer[0], 2);
    end_run();
}
END_TEST

START_TEST(skipped_call_by_label)
{
    static const char *const labels[] = { "a", "b", "c", "d", "e" };
    begin_run(4);
    skip_one(4, 5, 2, 3, labels);
    const struct ncs_finding *f = only("skipped-call");
    ck_assert_uint_eq(f->call, 3);
    culprits(f, 2, -1);
    blocked(f, 0, 1, 3, -1);
    ck_assert(says(ncs_sentence_text(f->why), "(c)"));
    ck_assert(says(ncs_sentence_text(f->why), "(d)"));
    end_run();
}
END_TEST

START_TEST(skipped_call_by_line)
{
    begin_run(4);
    skip_one(4, 5, 2, 3, NULL);
    const struct ncs_finding *f = only("skipped-call");
    ck_assert_uint_eq(f->call, 3); /* where it happened, not where it surfaced */
    ck_assert_int_eq(f->culprit[0].line, 13);
    ck_assert(says(ncs_sentence_text(f->why), "skips call 3 of the others at line 13"));
    ck_assert(says(ncs_sentence_text(f->evidence), "by script lines"));
    end_run();
}
END_TEST

START_TEST(skipped_call_two_ranks_blames_the_one_behind)
{
    begin_run(2);
    skip_one(2, 10, 1, 10, NULL);
    const struct ncs_finding *f = only("skipped-call");
    culprits(f, 1, -1);
    blocked(f, 0, -1);
    ck_assert_uint_eq(f->call, 10);
    end_run();
}
END_TEST

START_TEST(skipped_call_elsewhere_and_bystander)
{
    begin_run(4);
    struct ncs_call *c[2] = { make(0, reduce_of(8), 5), make(1, reduce_of(8), 5) };
    meet(4, NCS_STUCK_NO, 2, c);
    syncs(0, 6, 0);
    syncs(1, 6, 1);
    struct ncs_call *third = make(3, from(0, 4), 9);
    syncs(3, 9, alone(4, third));
    ended(2, 20);
    const struct ncs_finding *f = only("skipped-call");
    culprits(f, 2, -1);
    blocked(f, 0, 1, 3, -1);
    bystanders(f, 3, -1);
    end_run();
}
END_TEST

START_TEST(skipped_call_for_a_barrier)
{
    begin_run(3);
    struct ncs_call *c[2] = { make(0, reduce_of(8), 5), make(1, reduce_of(8), 5) };
    meet(3, NCS_STUCK_NO, 2, c);
    syncs(0, 6, 0);
    syncs(1, 6, 1);
    at_gate(2, 7, "barrier", "ranks 0, 1, 2");
    const struct ncs_finding *f = only("skipped-call");
    culprits(f, 2, -1);
    blocked(f, 0, 1, 2, -1);
    ck_assert_str_eq(ncs_sentence_text(f->row[2].said), "never made call 1: waits in barrier()");
    end_run();
}
END_TEST

START_TEST(a_run_that_ended_has_no_findings)
{
    begin_run(2);
    for (int r = 0; r < 2; r++) {
        make(r, reduce_of(8), 3);
        finish(plain(r, NCS_FN_ncclCommDestroy, 0, 9));
        ended(r, 9);
    }
    snap.stop = NCS_STOP_DONE;
    ck_assert_ptr_null(diagnose());
    ncs_diagnose(journal, NULL, NULL, 0, &d);
    ck_assert_uint_eq(d.findings, 0);
    ck_assert(d.explained);
    end_run();
}
END_TEST

START_TEST(extra_call)
{
    begin_run(4);
    for (int r = 0; r < 4; r++)
        make(r, reduce_of(8), 3);
    struct ncs_call *c = make(0, (struct what){ .fn = NCS_FN_ncclAllGather, .count = 8 }, 5);
    syncs(0, 6, alone(4, c));
    for (int r = 1; r < 4; r++)
        ended(r, 9);
    const struct ncs_finding *f = only("extra-call");
    culprits(f, 0, -1);
    blocked(f, 0, -1);
    ck_assert_uint_eq(f->call, 2);
    ck_assert_int_eq(f->culprit[0].line, 5);
    end_run();
}
END_TEST

START_TEST(extra_call_by_shift)
{
    struct ncs_call *c[4];
    begin_run(4);
    c[0] = make(0, bcast_of(4, 0), 5);
    for (int r = 1; r < 4; r++)
        c[r] = make(r, reduce_of(8), 6);
    make(0, reduce_of(8), 6);
    meet(4, NCS_STUCK_KIND, 4, c);
    for (int r = 0; r < 4; r++)
        syncs(r, 7, r);
    const struct ncs_finding *f = only("extra-call");
    culprits(f, 0, -1);
    blocked(f, 0, 1, 2, 3, -1);
    ck_assert_uint_eq(f->call, 1);
    end_run();
}
END_TEST

static void stuck(int nranks, enum ncs_stuck how, int odd, struct what rare, struct what common)
{
    struct ncs_call *c[MOST];
    begin_run(nranks);
    for (int r = 0; r < nranks; r++)
        c[r] = make(r, r == odd ? rare : common, r == odd ? 8 : 5);
    meet(nranks, how, (size_t)nranks, c);
    for (int r = 0; r < nranks; r++)
        syncs(r, 9, r);
}

START_TEST(kind_mismatch)
{
    stuck(4, NCS_STUCK_KIND, 0, (struct what){ .fn = NCS_FN_ncclAllGather, .count = 8 }, reduce_of(1));
    const struct ncs_finding *f = only("kind-mismatch");
    culprits(f, 0, -1);
    blocked(f, 0, 1, 2, 3, -1);
    bystanders(f, -1);
    ck_assert_uint_eq(f->call, 1);
    ck_assert_uint_eq(d.wait[1].peers, 3);
    end_run();
}
END_TEST

START_TEST(bcast_is_a_broadcast)
{
    struct what w = bcast_of(8, 1);
    w.fn = NCS_FN_ncclBcast;
    stuck(3, NCS_STUCK_ROOT, 2, w, bcast_of(8, 0));
    const struct ncs_finding *f = only("root-mismatch");
    culprits(f, 2, -1);
    ck_assert(says(ncs_sentence_text(f->why), "root 1 on rank 2"));
    end_run();
}
END_TEST

START_TEST(count_mismatch)
{
    stuck(4, NCS_STUCK_COUNT, 3, reduce_of(1000), reduce_of(1024));
    const struct ncs_finding *f = only("count-mismatch");
    culprits(f, 3, -1);
    ck_assert_int_eq(f->culprit[0].line, 8);
    ck_assert_str_eq(ncs_sentence_text(f->why), "call 1 on world has count 1000 (4000 bytes) on rank 3 at line 8, "
                                                "count 1024 (4096 bytes) on ranks 0, 1, 2 at line 5");
    ck_assert_int_eq(f->certainty, NCS_CERTAIN);
    end_run();
}
END_TEST

START_TEST(one_against_one_blames_both)
{
    stuck(2, NCS_STUCK_COUNT, 1, reduce_of(2), reduce_of(1));
    culprits(only("count-mismatch"), 0, 1, -1);
    end_run();
}
END_TEST

START_TEST(dtype_mismatch)
{
    struct what w = reduce_of(1024);
    w.dtype = ncclFloat16;
    stuck(3, NCS_STUCK_COUNT, 1, w, reduce_of(1024));
    const struct ncs_finding *f = only("dtype-mismatch");
    culprits(f, 1, -1);
    ck_assert(says(ncs_sentence_text(f->why), "float16 (2048 bytes) on rank 1"));
    end_run();
}
END_TEST

START_TEST(op_mismatch_that_completed)
{
    struct ncs_call *c[2][3];
    struct what w = reduce_of(8);
    begin_run(3);
    w.op = ncclMax;
    for (int i = 0; i < 2; i++) { /* each turn of a loop: told once */
        for (int r = 0; r < 3; r++)
            c[i][r] = make(r, r == 0 ? w : reduce_of(8), 5);
        notify(NCS_NOTICE_MISMATCH, 3, c[i], NULL);
    }
    for (int r = 0; r < 3; r++)
        ended(r, 9);
    snap.stop = NCS_STOP_DONE;
    const struct ncs_finding *f = only("op-mismatch");
    culprits(f, 0, -1);
    blocked(f, -1);
    ck_assert_uint_eq(f->call, 1);
    ck_assert_int_eq(f->certainty, NCS_UNDEFINED);
    ck_assert_int_eq(f->level, NCS_LEVEL_ERROR);
    end_run();
}
END_TEST

START_TEST(user_operators_are_one_operator)
{
    struct what a = reduce_of(8), b = reduce_of(9);
    a.op = 17;
    b.op = 19;
    stuck(3, NCS_STUCK_COUNT, 1, b, a);
    only("count-mismatch");
    end_run();
}
END_TEST

START_TEST(swapped_calls)
{
    struct ncs_call *c[3];
    begin_run(3);
    for (int r = 0; r < 3; r++) {
        c[r] = make(r, r == 1 ? bcast_of(8, 0) : reduce_of(64), 5);
        make(r, r == 1 ? reduce_of(64) : bcast_of(8, 0), 6);
    }
    meet(3, NCS_STUCK_KIND, 3, c);
    for (int r = 0; r < 3; r++)
        syncs(r, 9, r);
    const struct ncs_finding *f = only("swapped-calls");
    culprits(f, 1, -1);
    ck_assert_uint_eq(f->call, 1);
    ck_assert(says(ncs_sentence_text(f->why), "calls 1 and 2 are exchanged"));
    end_run();
}
END_TEST

START_TEST(swapped_labels_without_a_hang)
{
    begin_run(3);
    for (int r = 0; r < 3; r++) {
        make(r, labelled(r == 2 ? "y" : "x"), 5);
        make(r, labelled(r == 2 ? "x" : "y"), 6);
        ended(r, 9);
    }
    snap.stop = NCS_STOP_DONE;
    const struct ncs_finding *f = only("swapped-calls");
    ck_assert_int_eq(f->level, NCS_LEVEL_NOTE);
    culprits(f, 2, -1);
    end_run();
}
END_TEST

START_TEST(labels_by_rank_are_no_finding)
{
    static const char *const labels[] = { "r0", "r1", "r2" };
    begin_run(3);
    for (int r = 0; r < 3; r++) {
        make(r, labelled(labels[r]), 5);
        make(r, labelled(labels[r]), 6);
        ended(r, 9);
    }
    snap.stop = NCS_STOP_DONE;
    ck_assert_ptr_null(diagnose());
    end_run();
}
END_TEST

START_TEST(error_path)
{
    struct ncs_call *c[3];
    struct what bad = bcast_of(8, 7);
    size_t n = 0;
    begin_run(4);
    bad.rc = ncclInvalidArgument;
    for (int r = 0; r < 4; r++) {
        make(r, reduce_of(8), 4);
        if (r == 1)
            make(r, bad, 6);
        else
            c[n++] = make(r, reduce_of(8), 5);
    }
    meet(4, NCS_STUCK_NO, 3, c);
    for (int r = 0, o = 0; r < 4; r++) {
        if (r == 1)
            failed(r, 6, "ncclBroadcast: ncclInvalidArgument");
        else
            syncs(r, 9, o++);
    }
    const struct ncs_finding *f = only("error-path");
    culprits(f, 1, -1);
    blocked(f, 0, 2, 3, -1);
    ck_assert_uint_eq(f->call, 2);
    ck_assert(says(ncs_sentence_text(f->why), "ncclInvalidArgument"));
    end_run();
}
END_TEST

START_TEST(error_of_another_kind)
{
    begin_run(2);
    struct ncs_call *c = make(0, reduce_of(8), 5);
    syncs(0, 6, alone(2, c));
    failed(1, 4, "attempt to index a nil value");
    const struct ncs_finding *f = only("error-path");
    culprits(f, 1, -1);
    ck_assert(says(ncs_sentence_text(f->row[1].said), "attempt to index a nil value"));
    ck_assert_int_eq(f->row[1].line, 4);
    end_run();
}
END_TEST

START_TEST(error_drops_the_group)
{
    struct what bad = bcast_of(8, 9);
    begin_run(2);
    bad.rc = ncclInvalidArgument;
    struct ncs_call *c = make(0, reduce_of(8), 5);
    finish(plain(1, NCS_FN_ncclGroupStart, 0, 4));
    make(1, reduce_of(8), 5);
    make(1, bad, 6);
    struct ncs_call *end = plain(1, NCS_FN_ncclGroupEnd, 0, 7);
    ncs_local = &locals[1];
    ncs_journal_leave(journal, end, ncclInvalidArgument);
    syncs(0, 9, alone(2, c));
    ended(1, 9);
    const struct ncs_finding *f = only("error-path");
    culprits(f, 1, -1);
    ck_assert_uint_eq(f->culprit[0].call, 2);
    ck_assert_uint_eq(f->call, 2);
    end_run();
}
END_TEST

START_TEST(same_error_everywhere_is_not_the_cause)
{
    struct ncs_call *c = NULL;
    struct what bad = bcast_of(8, 7);
    begin_run(2);
    bad.rc = ncclInvalidArgument;
    for (int r = 0; r < 2; r++)
        make(r, bad, 3);
    c = make(0, reduce_of(8), 5);
    syncs(0, 6, alone(2, c));
    ended(1, 9);
    culprits(only("skipped-call"), 1, -1);
    end_run();
}
END_TEST

START_TEST(zero_count)
{
    struct ncs_call *c[2];
    begin_run(3);
    c[0] = make(0, reduce_of(256), 5);
    c[1] = make(1, reduce_of(256), 5);
    make(2, reduce_of(0), 5);
    meet(3, NCS_STUCK_NO, 2, c);
    syncs(0, 6, 0);
    syncs(1, 6, 1);
    ended(2, 9);
    const struct ncs_finding *f = only("zero-count");
    culprits(f, 2, -1);
    blocked(f, 0, 1, -1);
    ck_assert_uint_eq(f->call, 1);
    end_run();
}
END_TEST

START_TEST(zero_count_everywhere_is_not_the_cause)
{
    begin_run(2);
    for (int r = 0; r < 2; r++)
        make(r, reduce_of(0), 3);
    struct ncs_call *c = make(0, reduce_of(8), 5);
    syncs(0, 6, alone(2, c));
    ended(1, 9);
    only("skipped-call");
    end_run();
}
END_TEST

START_TEST(missing_group_end)
{
    begin_run(2);
    struct ncs_call *c = make(0, reduce_of(8), 5);
    finish(plain(1, NCS_FN_ncclGroupStart, 0, 4));
    struct ncs_call *queued = make(1, reduce_of(8), 5);
    part[snap.parts++] = (struct ncs_snap_part){ queued, NCS_PART_WAITING, -1, -1 };
    syncs(0, 6, alone(2, c));
    context[ended(1, 9)].group_depth = 1;
    const struct ncs_finding *f = only("missing-group-end");
    ck_assert_int_eq(f->level, NCS_LEVEL_ERROR);
    culprits(f, 1, -1);
    blocked(f, 0, -1);
    ck_assert_uint_eq(f->culprit[0].call, 1);
    ck_assert_int_eq(f->culprit[0].line, 5);
    end_run();
}
END_TEST

START_TEST(open_group_without_a_hang_is_a_note)
{
    begin_run(2);
    ended(0, 9);
    context[ended(1, 9)].group_depth = 2;
    snap.stop = NCS_STOP_DONE;
    const struct ncs_finding *f = only("missing-group-end");
    ck_assert_int_eq(f->level, NCS_LEVEL_NOTE);
    culprits(f, 1, -1);
    end_run();
}
END_TEST

START_TEST(open_group_by_the_journal_alone)
{
    begin_run(2);
    for (int r = 0; r < 2; r++) {
        finish(plain(r, NCS_FN_ncclGroupStart, 0, 4));
        make(r, reduce_of(8), 5);
        if (r == 0)
            finish(plain(r, NCS_FN_ncclGroupEnd, 0, 6));
    }
    ncs_diagnose(journal, NULL, NULL, 0, &d);
    ck_assert_uint_eq(d.findings, 1);
    ck_assert_str_eq(d.finding[0].rule, "missing-group-end");
    ck_assert_int_eq(d.finding[0].culprit[0].line, 4);
    culprits(&d.finding[0], 1, -1);
    end_run();
}
END_TEST

static void leave_early(enum ncs_fn how)
{
    struct ncs_call *c[2];
    begin_run(3);
    for (int r = 0; r < 3; r++)
        make(r, reduce_of(8), 4);
    finish(plain(1, how, 0, 7));
    c[0] = make(0, reduce_of(8), 5);
    c[1] = make(2, reduce_of(8), 5);
    meet(3, NCS_STUCK_NO, 2, c);
    syncs(0, 6, 0);
    ended(1, 9);
    syncs(2, 6, 1);
}

START_TEST(abort_one_rank)
{
    leave_early(NCS_FN_ncclCommAbort);
    const struct ncs_finding *f = only("abort-one-rank");
    culprits(f, 1, -1);
    blocked(f, 0, 2, -1);
    ck_assert_int_eq(f->culprit[0].line, 7);
    ck_assert_uint_eq(f->call, 2);
    end_run();
}
END_TEST

START_TEST(early_destroy)
{
    leave_early(NCS_FN_ncclCommDestroy);
    culprits(only("early-destroy"), 1, -1);
    end_run();
}
END_TEST

START_TEST(rank_lost)
{
    begin_run(3);
    struct ncs_call *c[2] = { make(0, reduce_of(8), 5), make(1, reduce_of(8), 5) };
    meet(3, NCS_STUCK_NO, 2, c);
    syncs(0, 6, 0);
    syncs(1, 6, 1);
    context[ended(2, 4)].ending = NCS_END_KILLED;
    const struct ncs_finding *f = only("rank-lost");
    culprits(f, 2, -1);
    blocked(f, 0, 1, -1);
    end_run();
}
END_TEST

NCS_TEST_MAIN("diagnose", skipped_call, skipped_call_by_label, skipped_call_by_line, skipped_call_two_ranks_blames_the_one_behind,
              skipped_call_elsewhere_and_bystander, skipped_call_for_a_barrier, a_run_that_ended_has_no_findings, extra_call,
              extra_call_by_shift, kind_mismatch, bcast_is_a_broadcast, count_mismatch, one_against_one_blames_both,
              dtype_mismatch, op_mismatch_that_completed, user_operators_are_one_operator, swapped_calls,
              swapped_labels_without_a_hang, labels_by_rank_are_no_finding, error_path, error_of_another_kind,
              error_drops_the_group, same_error_everywhere_is_not_the_cause, zero_count, zero_count_everywhere_is_not_the_cause,
              missing_group_end, open_group_without_a_hang_is_a_note, open_group_by_the_journal_alone, abort_one_rank,
              early_destroy, rank_lost)
