/* The report of ranks that wait in a cycle, wherever it was found, and its advice; hosts
 * that wait for a key that nobody sets. */
#include "diagnose_lab.h"

/* Each rank's send to the next waits for contact, the ranks given in the order of their calls. */
static void ring_of(int nranks, const int *order)
{
    begin_run(nranks);
    for (int i = 0; i < nranks; i++) {
        int r = order ? order[i] : i, next = (r + 1) % nranks;
        struct ncs_call *c = make(r, to(next, 8), 5);
        host_waits(c, add_job(NCS_JOB_CONTACT, c, nranks, next, -1));
    }
}

START_TEST(told_from_the_lowest_rank)
{
    static const int orders[][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 1, 0 } };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        ring_of(3, orders[i]);
        const struct ncs_finding *f = only("p2p-cycle");
        for (int r = 0; r < 3; r++)
            ck_assert_int_eq(f->cycle[r].rank, r);
        ck_assert_str_eq(f->title, "communicator world, call 1: Send float32 x 8 to 1");
        ck_assert_str_eq(ncs_sentence_text(f->why), "each waits in call 1 on world at line 5 for the next: 0 -> 1 -> 2 -> 0");
        end_run();
    }
}
END_TEST

START_TEST(short_and_long_rings)
{
    ring_of(2, NULL);
    ck_assert_str_eq(ncs_sentence_text(only("p2p-cycle")->why), "ranks 0, 1 wait for each other in call 1 on world at line 5");
    end_run();
    ring_of(8, NULL);
    ck_assert(says(ncs_sentence_text(only("p2p-cycle")->why), ": 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 0"));
    end_run();
    ring_of(9, NULL);
    ck_assert(says(ncs_sentence_text(only("p2p-cycle")->why), " -> 6 -> 7 -> ... -> 0"));
    ck_assert_uint_eq(d.finding->cycles, 9);
    end_run();
}
END_TEST

/* Rank 0's only step is on y, the communicator made first and last used; the finding is of it. */
START_TEST(communicator_of_the_first_step)
{
    for (int swap = 0; swap < 2; swap++) {
        begin_run(2);
        make_comm(X, "x", 2);
        make_comm(Y, "y", 2);
        struct ncs_call *c[2][2];
        for (int i = 0; i < 2; i++) {
            int r = swap ? 1 - i : i, first = r ? X : Y;
            c[r][0] = make(r, on(first, reduce_of(8)), 5);
            c[r][1] = make(r, on(first == X ? Y : X, reduce_of(8)), 6);
        }
        for (int i = 0; i < 2; i++) {
            int r = swap ? 1 - i : i;
            syncs(r, 10, behind(c[r][1], alone(2, c[r][0])));
        }
        const struct ncs_finding *f = only("comm-order");
        ck_assert_str_eq(f->comm, "y");
        ck_assert_str_eq(f->title, "communicator y, call 1: AllReduce float32 x 8 sum");
        ck_assert_str_eq(f->cycle[0].comm, "y");
        ck_assert_str_eq(f->cycle[1].comm, "x");
        end_run();
    }
}
END_TEST

/* Rank 1's group of two receives, the first of them done or not, is waited for by rank 0. */
static void wide_group(enum ncs_part_state first)
{
    begin_run(2);
    struct ncs_call *credit = make(0, from(1, 1), 5);
    make(0, to(1, 8), 6);
    struct ncs_call *x = make(1, from(0, 8), 15), *y = make(1, from(0, 8), 16);
    x->group = y->group = 1;
    struct ncs_call *given = make(1, to(0, 1), 18);
    syncs(0, 20, alone(2, credit));
    int launch = alone(2, y);
    op[launch].parts = 2;
    part[snap.parts++] = (struct ncs_snap_part){ x, first, launch, -1 };
    syncs(1, 20, behind(given, launch));
}

START_TEST(a_group_too_wide_is_split)
{
    wide_group(NCS_PART_DONE);
    ck_assert_str_eq(ncs_sentence_text(only("p2p-cycle")->fix),
                     "a group ends only as a whole: take what rank 0 waits for into the group of "
                     "rank 1, with the receive at line 16, or make it before that receive, in front "
                     "of which the group is split");
    end_run();
    wide_group(NCS_PART_WAITING);
    ck_assert(says(ncs_sentence_text(only("p2p-cycle")->fix), "into one group"));
    end_run();
}
END_TEST

static void same_steps(const struct ncs_finding *f, enum ncs_via first, enum ncs_via first_behind, enum ncs_via second,
                       enum ncs_via second_behind)
{
    ck_assert_uint_eq(f->cycles, 2);
    ck_assert_int_eq(f->cycle[0].via, first);
    ck_assert_int_eq(f->cycle[0].behind, first_behind);
    ck_assert_int_eq(f->cycle[1].via, second);
    ck_assert_int_eq(f->cycle[1].behind, second_behind);
}

/* An operation of the rank's that does nothing but wait for another of its stream or of another. */
static int waits_for_event(int rank, int before)
{
    op[snap.ops] = (struct ncs_snap_op){ .kind = "event",
                                         .context = -1,
                                         .rank = rank,
                                         .call = enter(rank, NCS_FN_cudaStreamWaitEvent, 9),
                                         .dep = snap.deps,
                                         .deps = 1 };
    dep[snap.deps++] = before;
    return (int)snap.ops++;
}

/* Rank 0 has its second call behind the first in one stream, rank 1 in another that waits for an
 * event. */
START_TEST(steps_of_streams_and_events)
{
    begin_run(2);
    make_comm(X, "x", 2);
    make_comm(Y, "y", 2);
    struct ncs_call *x0 = make(0, on(X, reduce_of(8)), 5), *y0 = make(0, on(Y, reduce_of(8)), 6);
    struct ncs_call *y1 = make(1, on(Y, reduce_of(8)), 8), *x1 = make(1, on(X, reduce_of(8)), 9);
    syncs(0, 10, behind(y0, alone(2, x0)));
    syncs(1, 10, behind(x1, waits_for_event(1, alone(2, y1))));
    same_steps(only("comm-order"), NCS_VIA_COLLECTIVE, NCS_VIA_STREAM, NCS_VIA_COLLECTIVE, NCS_VIA_EVENT);
    end_run();
}
END_TEST

/* A ring that no other rule knows: two calls on one communicator, whose streams rank 1 made wait the
 * other way round. */
START_TEST(ring_of_unknown_cause)
{
    begin_run(2);
    struct ncs_call *c[2][2];
    for (int r = 0; r < 2; r++) {
        c[r][0] = make(r, reduce_of(8), 5);
        c[r][1] = make(r, reduce_of(8), 6);
    }
    syncs(0, 10, behind(c[0][1], alone(2, c[0][0])));
    syncs(1, 10, behind(c[1][0], alone(2, c[1][1])));
    ck_assert(says(ncs_sentence_text(only("waiting")->why), "rank 1 waits in call 2 on world at line 6 for rank 0"));
    end_run();
}
END_TEST

START_TEST(steps_of_hosts)
{
    ring_of(2, NULL);
    same_steps(only("p2p-cycle"), NCS_VIA_PAIR, NCS_VIA_HOST, NCS_VIA_PAIR, NCS_VIA_HOST);
    end_run();
    begin_run(2);
    at_gate(0, 4, "store:get", "store key `a`");
    at_gate(1, 6, "barrier", "ranks 0, 1");
    same_steps(only("host-wait"), NCS_VIA_STORE, NCS_VIA_HOST, NCS_VIA_HOST, NCS_VIA_HOST);
    end_run();
    begin_run(2);
    struct ncs_call *c = make(0, to(1, 8), 5);
    host_waits(c, add_job(NCS_JOB_CONTACT, c, 2, 1, -1));
    at_gate(1, 7, "store:get", "store key `go`");
    same_steps(only("host-wait"), NCS_VIA_PAIR, NCS_VIA_HOST, NCS_VIA_STORE, NCS_VIA_HOST);
    end_run();
}
END_TEST

START_TEST(key_that_a_finished_rank_did_not_set)
{
    begin_run(3);
    at_gate(0, 4, "store:get", "store key `go`");
    at_gate(1, 6, "barrier", "ranks 0, 1");
    ended(2, 9);
    const struct ncs_finding *f = only("host-wait");
    culprits(f, 2, -1);
    blocked(f, 0, 1, -1);
    bystanders(f, 1, -1);
    ck_assert_uint_eq(f->cycles, 0);
    ck_assert_str_eq(ncs_sentence_text(f->why), "rank 0 waits in store:get (store key `go`), which no rank has set: "
                                                "rank 2 finished without it, rank 1 waits as well");
    ck_assert_str_eq(ncs_sentence_text(f->fix), "let rank 2 set store key `go` before it ends, or leave out the wait "
                                                "at line 4");
    ck_assert_str_eq(ncs_sentence_text(f->row[2].said), "never set it: finished");
    end_run();
}
END_TEST

START_TEST(key_that_a_failed_rank_did_not_set)
{
    begin_run(4);
    at_gate(0, 4, "store:get", "store key `go`");
    at_gate(1, 6, "barrier", "ranks 0, 1");
    ended(2, 9);
    failed(3, 8, "out of luck");
    culprits(only("error-path"), 3, -1);
    end_run();
}
END_TEST

START_TEST(keys_in_a_ring_blame_those_in_it)
{
    begin_run(2);
    at_gate(1, 5, "store:get", "store key `a`");
    at_gate(0, 4, "store:get", "store key `b`");
    const struct ncs_finding *f = only("host-wait");
    culprits(f, 0, 1, -1);
    ck_assert_uint_eq(f->cycles, 2);
    ck_assert_str_eq(f->title, "store:get: store key `b`");
    ck_assert(!says(ncs_sentence_text(f->fix), "contact"));
    end_run();
}
END_TEST

START_TEST(key_that_all_wait_for)
{
    begin_run(2);
    at_gate(0, 4, "store:get", "store key `go`");
    at_gate(1, 5, "store:get", "store key `go`");
    const struct ncs_finding *f = only("host-wait");
    culprits(f, 0, 1, -1);
    ck_assert_int_eq(f->culprit[1].line, 5);
    ck_assert(says(ncs_sentence_text(f->why), "no rank is left that could end the wait"));
    end_run();
}
END_TEST

START_TEST(contact_is_named_only_where_there_is_one)
{
    begin_run(2);
    struct ncs_call *c = make(0, to(1, 8), 5);
    host_waits(c, add_job(NCS_JOB_CONTACT, c, 2, 1, -1));
    at_gate(1, 7, "store:get", "store key `go`");
    ck_assert(says(ncs_sentence_text(only("host-wait")->fix), "first contact"));
    end_run();
    begin_run(2);
    syncs(0, 6, alone(2, make(0, to(1, 8), 5)));
    at_gate(1, 7, "store:get", "store key `go`");
    ck_assert(!says(ncs_sentence_text(only("host-wait")->fix), "contact"));
    end_run();
}
END_TEST

START_TEST(a_poll_of_the_host_has_a_name)
{
    begin_run(1);
    add_context(0, NCS_CONTEXT_POLLING, 5);
    snap.stop = NCS_STOP_LIVELOCK;
    ck_assert(says(ncs_sentence_text(only("livelock")->why), "polls the store, a thread or the clock at line 5"));
    ck_assert_str_eq(d.wait[0].in, "host poll");
    end_run();
}
END_TEST

NCS_TEST_MAIN("diagnose_cycles", told_from_the_lowest_rank, short_and_long_rings, communicator_of_the_first_step,
              a_group_too_wide_is_split, steps_of_streams_and_events, steps_of_hosts, ring_of_unknown_cause,
              key_that_a_finished_rank_did_not_set, key_that_a_failed_rank_did_not_set, keys_in_a_ring_blame_those_in_it,
              key_that_all_wait_for, contact_is_named_only_where_there_is_one, a_poll_of_the_host_has_a_name)
