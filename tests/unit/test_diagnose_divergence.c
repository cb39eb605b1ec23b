/* Where ranks diverge: what follows decides whether one call differs, or one was left out, made in
 * excess or exchanged. */
#include "diagnose_lab.h"

/* Calls of each rank by their counts, 0 at the end; the first that differs blocks all, and every
 * rank waits behind it, at the line given for it. */
static void run_of(int nranks, const int64_t counts[][6], const int *waits_at)
{
    struct ncs_call *c[MOST][6];
    begin_run(nranks);
    for (int i = 0; i < 6; i++)
        for (int r = 0; r < nranks; r++)
            c[r][i] = counts[r][i] ? make(r, reduce_of(counts[r][i]), 10 + i) : NULL;
    int at = 0;
    struct ncs_call *met[MOST];
    for (bool same = true; same; at++)
        for (int r = 1; r < nranks; r++)
            same &= counts[r][at] == counts[0][at];
    for (int r = 0; r < nranks; r++)
        met[r] = c[r][at - 1];
    int o = meet(nranks, NCS_STUCK_COUNT, (size_t)nranks, met);
    for (int r = 0; r < nranks; r++)
        syncs(r, waits_at[r], o + r);
}

static const int same_line[] = { 30, 30, 30, 30 };

START_TEST(differs_where_the_rest_agrees)
{
    static const int64_t counts[][6] = { { 8, 8 }, { 4, 8 }, { 8, 8 }, { 8, 8 } };
    run_of(4, counts, same_line);
    const struct ncs_finding *f = only("count-mismatch");
    culprits(f, 1, -1);
    ck_assert_uint_eq(f->call, 1);
    ck_assert_str_eq(ncs_sentence_text(f->evidence), "by the majority: 3 of 4 ranks agree");
    end_run();
}
END_TEST

START_TEST(extra_where_that_makes_the_rest_agree)
{
    static const int64_t counts[][6] = { { 8, 8 }, { 4, 8, 8 }, { 8, 8 }, { 8, 8 } };
    run_of(4, counts, same_line);
    culprits(only("extra-call"), 1, -1);
    ck_assert_str_eq(ncs_sentence_text(d.finding->evidence), "by the order of the calls: with call 1 taken out rank 1 "
                                                             "agrees with the others");
    end_run();
}
END_TEST

START_TEST(no_extra_where_the_rest_falls_short)
{
    static const int64_t counts[][6] = { { 8, 9, 7 }, { 4, 8, 9 }, { 8, 9, 7 }, { 8, 9, 7 } };
    run_of(4, counts, same_line);
    context[1].call = NULL; /* alive: it may still make the third */
    culprits(only("extra-call"), 1, -1);
    end_run();
    run_of(4, counts, same_line);
    ((struct ncs_call *)context[1].call)->ending = true; /* its script is over: it never will */
    culprits(only("count-mismatch"), 1, -1);
    end_run();
}
END_TEST

START_TEST(swapped_where_the_rest_agrees)
{
    static const int64_t swapped[][6] = { { 8, 4, 2 }, { 8, 4, 2 }, { 4, 8, 2 } };
    run_of(3, swapped, same_line);
    culprits(only("swapped-calls"), 2, -1);
    end_run();
    static const int64_t not [][6] = { { 8, 4, 2, 2 }, { 8, 4, 2, 2 }, { 4, 8, 1, 2 } };
    run_of(3, not, same_line);
    culprits(only("count-mismatch"), 2, -1);
    end_run();
}
END_TEST

/* In every order of the ranks: who is looked at first must not matter. */
START_TEST(skipped_behind_one_that_differs)
{
    for (int odd = 0; odd < 4; odd++)
        for (int skips = 0; skips < 4; skips++) {
            int64_t counts[4][6] = { { 8, 8 }, { 8, 8 }, { 8, 8 }, { 8, 8 } };
            if (odd == skips)
                continue;
            counts[odd][0] = 4;
            counts[skips][1] = 0;
            run_of(4, counts, same_line);
            const struct ncs_finding *f = diagnose();
            ck_assert_uint_eq(d.findings, 2);
            ck_assert_str_eq(f->rule, "count-mismatch");
            culprits(f, odd, -1);
            ck_assert_str_eq(f[1].rule, "skipped-call");
            ck_assert_int_eq(f[1].level, NCS_LEVEL_NOTE);
            ck_assert_int_eq(f[1].certainty, NCS_CERTAIN);
            ck_assert_uint_eq(f[1].call, 2);
            culprits(&f[1], skips, -1);
            ck_assert_int_eq(f[1].culprit[0].line, 11);
            ck_assert_str_eq(ncs_sentence_text(f[1].row[skips].said), "has not made call 2");
            end_run();
        }
}
END_TEST

START_TEST(not_yet_made_is_not_skipped)
{
    static const int64_t counts[][6] = { { 8, 8 }, { 4, 8 }, { 8, 8 }, { 8 } };
    static const int lines[] = { 30, 30, 30, 20 };
    run_of(4, counts, lines);
    culprits(only("count-mismatch"), 1, -1);
    end_run();
}
END_TEST

/* The operators differ, which blocks nobody; the call that was left out does. */
START_TEST(skipped_after_one_that_differs)
{
    struct ncs_call *c[4], *last[3];
    struct what max = reduce_of(8);
    max.op = ncclMax;
    begin_run(4);
    for (int r = 0; r < 4; r++)
        c[r] = make(r, r == 1 ? max : reduce_of(8), 5);
    notify(NCS_NOTICE_MISMATCH, 4, c, NULL);
    for (int r = 0; r < 3; r++)
        last[r] = make(r, reduce_of(8), 6);
    meet(4, NCS_STUCK_NO, 3, last);
    for (int r = 0; r < 3; r++)
        syncs(r, 7, r);
    ended(3, 9);
    const struct ncs_finding *f = diagnose();
    ck_assert_uint_eq(d.findings, 2);
    ck_assert_str_eq(f->rule, "skipped-call");
    ck_assert_int_eq(f->level, NCS_LEVEL_ERROR);
    culprits(f, 3, -1);
    ck_assert_str_eq(ncs_sentence_text(f->why), "rank 3 made one call on world; ranks 0, 1, 2 made 2: call 2 is at line 6");
    ck_assert_str_eq(f[1].rule, "op-mismatch");
    end_run();
}
END_TEST

/* The first call of a group waits, its second failed: the title names the second. */
START_TEST(title_is_of_the_call_that_is_numbered)
{
    struct ncs_call *c[2];
    begin_run(3);
    for (int r = 0; r < 3; r++) {
        struct what w = bcast_of(8, r == 2 ? 9 : 0);
        struct ncs_call *first = make(r, reduce_of(8), 5), *second;
        w.rc = r == 2 ? ncclInvalidArgument : ncclSuccess;
        second = make(r, w, 6);
        first->group = second->group = 1;
        if (r < 2)
            c[r] = first;
    }
    meet(3, NCS_STUCK_NO, 2, c);
    syncs(0, 7, 0);
    syncs(1, 7, 1);
    ended(2, 9);
    const struct ncs_finding *f = only("error-path");
    ck_assert_uint_eq(f->call, 2);
    ck_assert_str_eq(f->title, "communicator world, call 2: Broadcast float32 x 8 root 0");
    end_run();
}
END_TEST

static void destroy(int rank)
{
    finish(plain(rank, NCS_FN_ncclCommDestroy, 0, 15));
}

/* Programs end with the destroy: that a call was left out before is what there is to repair. */
START_TEST(destroyed_after_a_skip)
{
    begin_run(4);
    skip_one(4, 5, 2, 3, NULL);
    destroy(2);
    const struct ncs_finding *f = only("skipped-call");
    culprits(f, 2, -1);
    ck_assert_int_eq(f->culprit[0].line, 13);
    ck_assert_str_eq(ncs_sentence_text(f->row[2].said), "skipped call 3, made 4 of 5: destroyed world");
    end_run();

    begin_run(4);
    skip_one(4, 5, 2, 5, NULL); /* nothing shows whether it skips or leaves too early */
    destroy(2);
    f = only("early-destroy");
    culprits(f, 2, -1);
    ck_assert_str_eq(ncs_sentence_text(f->fix), "let rank 2 make the call at line 15 too, before it destroys world");
    end_run();
}
END_TEST

START_TEST(destroyed_by_all_but_one_is_an_extra_call)
{
    for (int left = 0; left < 2; left++) { /* rank 3 ends without a destroy */
        begin_run(4);
        for (int r = 0; r < 4; r++)
            make(r, reduce_of(8), 3);
        struct ncs_call *c = make(0, reduce_of(8), 5);
        syncs(0, 6, alone(4, c));
        for (int r = 1; r < 4; r++) {
            if (!left || r < 3)
                destroy(r);
            ended(r, 9);
        }
        const struct ncs_finding *f = only("extra-call");
        culprits(f, 0, -1);
        ck_assert_int_eq(f->culprit[0].line, 5);
        end_run();
    }
}
END_TEST

START_TEST(destroyed_without_the_counterpart)
{
    for (int sends = 0; sends < 2; sends++) {
        begin_run(2);
        struct ncs_call *c = make(0, sends ? to(1, 8) : from(1, 8), 5);
        syncs(0, 6, alone(2, c));
        destroy(1);
        ended(1, 9);
        const struct ncs_finding *f = only(sends ? "send-without-recv" : "recv-without-send");
        culprits(f, 1, -1);
        blocked(f, 0, -1);
        end_run();
    }
}
END_TEST

NCS_TEST_MAIN("diagnose_divergence", differs_where_the_rest_agrees, extra_where_that_makes_the_rest_agree,
              no_extra_where_the_rest_falls_short, swapped_where_the_rest_agrees, skipped_behind_one_that_differs,
              not_yet_made_is_not_skipped, skipped_after_one_that_differs, title_is_of_the_call_that_is_numbered,
              destroyed_after_a_skip, destroyed_by_all_but_one_is_an_extra_call, destroyed_without_the_counterpart)
