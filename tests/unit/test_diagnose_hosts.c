/* Hangs of sends and receives, of rings, of hosts, and what else is found: each rule on the
 * smallest run that it is about, and on a near miss. */
#include "diagnose_lab.h"

START_TEST(send_without_recv)
{
    begin_run(2);
    syncs(0, 6, alone(2, make(0, to(1, 8), 5)));
    ended(1, 9);
    const struct ncs_finding *f = only("send-without-recv");
    culprits(f, 1, -1);
    blocked(f, 0, -1);
    ck_assert_str_eq(ncs_sentence_text(f->row[1].said), "never receives from rank 0: finished");
    ck_assert(ncs_diagnosis_fits(&d, 2));
    ck_assert(!ncs_diagnosis_fits(&d, 1)); /* it names rank 1 */
    end_run();
}
END_TEST

START_TEST(recv_without_send)
{
    begin_run(2);
    struct ncs_call *c = make(0, from(1, 8), 5);
    host_waits(c, add_job(NCS_JOB_CONTACT, c, 2, 1, -1));
    ended(1, 9);
    const struct ncs_finding *f = only("recv-without-send");
    culprits(f, 1, -1);
    ck_assert_str_eq(ncs_sentence_text(f->row[0].said), "waits in comm:recv()");
    end_run();
}
END_TEST

START_TEST(p2p_count_mismatch)
{
    begin_run(2);
    struct ncs_call *c[2] = { make(0, to(1, 1024), 5), make(1, from(0, 2048), 6) };
    notify(NCS_NOTICE_MISMATCH, 2, c, NULL);
    /* the sender has gone on: only the receive is left at the slot */
    syncs(1, 7, meet(2, NCS_STUCK_P2P_COUNT, 1, &c[1]));
    ended(0, 9);
    const struct ncs_finding *f = only("p2p-count-mismatch");
    blocked(f, 1, -1);
    culprits(f, 0, 1, -1);
    ck_assert(says(ncs_sentence_text(f->why), "4096 bytes that never come"));
    end_run();
}
END_TEST

START_TEST(wrong_peer)
{
    begin_run(3);
    struct ncs_call *r = make(2, from(0, 8), 7), *s = make(1, to(2, 8), 6);
    ended(0, 9);
    syncs(1, 8, alone(3, s));
    syncs(2, 8, alone(3, r));
    const struct ncs_finding *f = only("wrong-peer");
    culprits(f, 2, -1);
    blocked(f, 1, 2, -1);
    bystanders(f, -1);
    ck_assert(says(ncs_sentence_text(f->fix), "peer 1 instead of 0"));
    end_run();
}
END_TEST

START_TEST(two_unmatched_between_others_are_no_wrong_peer)
{
    begin_run(4);
    syncs(0, 8, alone(4, make(0, to(1, 8), 6)));
    syncs(2, 8, alone(4, make(2, from(3, 8), 7)));
    ended(1, 9);
    ended(3, 9);
    diagnose();
    ck_assert(!reported("wrong-peer"));
    ck_assert(reported("send-without-recv"));
    ck_assert(reported("recv-without-send"));
    end_run();
}
END_TEST

START_TEST(p2p_cycle_on_first_contact)
{
    begin_run(2);
    struct ncs_call *a = make(0, to(1, 8), 5), *b = make(1, to(0, 8), 5);
    host_waits(a, add_job(NCS_JOB_CONTACT, a, 2, 1, -1));
    host_waits(b, add_job(NCS_JOB_CONTACT, b, 2, 0, -1));
    const struct ncs_finding *f = only("p2p-cycle");
    culprits(f, 0, 1, -1);
    blocked(f, 0, 1, -1);
    ck_assert_uint_eq(f->cycles, 2);
    ck_assert_int_eq(f->cycle[0].waits_for, f->cycle[1].rank);
    ck_assert_int_eq(f->cycle[1].waits_for, f->cycle[0].rank);
    ck_assert_uint_eq(f->cycle[0].call, 1);
    ck_assert_int_eq(f->cycle[0].line, 5);
    end_run();
}
END_TEST

START_TEST(p2p_cycle_on_streams)
{
    struct ncs_call *s[3], *r[3];
    int o[3];
    begin_run(3);
    for (int i = 0; i < 3; i++) {
        s[i] = make(i, to((i + 1) % 3, 8), 5);
        r[i] = make(i, from((i + 2) % 3, 8), 6);
    }
    for (int i = 0; i < 3; i++) {
        o[i] = behind(r[i], alone(3, s[i]));
        syncs(i, 7, o[i]);
    }
    const struct ncs_finding *f = only("p2p-cycle");
    culprits(f, 0, 1, 2, -1);
    ck_assert_uint_eq(f->cycles, 3);
    blocked(f, 0, 1, 2, -1);
    bystanders(f, -1);
    end_run();
}
END_TEST

START_TEST(a_chain_is_no_cycle)
{
    begin_run(3);
    syncs(0, 7, alone(3, make(0, from(1, 8), 5)));
    syncs(1, 7, alone(3, make(1, from(2, 8), 5)));
    ended(2, 9);
    const struct ncs_finding *f = only("recv-without-send");
    culprits(f, 2, -1);
    blocked(f, 0, 1, -1);
    bystanders(f, 0, -1);
    end_run();
}
END_TEST

START_TEST(comm_order)
{
    begin_run(3);
    make_comm(X, "x", 2);
    make_comm(Y, "y", 2);
    struct ncs_call *x0 = make(0, on(X, reduce_of(8)), 5), *y0 = make(0, on(Y, reduce_of(8)), 6);
    struct ncs_call *y1 = make(1, on(Y, reduce_of(8)), 8), *x1 = make(1, on(X, reduce_of(8)), 9);
    syncs(0, 10, behind(y0, alone(2, x0)));
    syncs(1, 10, behind(x1, alone(2, y1)));
    syncs(2, 10, alone(3, make(2, from(0, 8), 7)));
    const struct ncs_finding *f = only("comm-order");
    culprits(f, 0, 1, -1);
    blocked(f, 0, 1, 2, -1);
    bystanders(f, 2, -1);
    ck_assert_uint_eq(f->cycles, 2);
    ck_assert_str_eq(f->cycle[0].comm, "x");
    ck_assert_int_eq(f->cycle[0].rank, 0);
    ck_assert_str_eq(f->cycle[1].comm, "y");
    ck_assert_int_eq(f->cycle[1].line, 8);
    end_run();
}
END_TEST

START_TEST(comm_order_of_one_against_two)
{
    begin_run(3);
    make_comm(X, "x", 3);
    make_comm(Y, "y", 3);
    struct ncs_call *x[3], *y[3];
    for (int r = 0; r < 3; r++) {
        x[r] = make(r, on(X, reduce_of(8)), 5);
        y[r] = make(r, on(Y, reduce_of(8)), 6);
    }
    int o = alone(3, x[0]), p = meet(3, NCS_STUCK_NO, 2, &y[1]);
    syncs(0, 10, behind(y[0], o));
    syncs(1, 10, behind(x[1], p));
    syncs(2, 10, behind(x[2], p + 1));
    const struct ncs_finding *f = only("comm-order");
    culprits(f, 0, -1); /* either of the others alone would change nothing */
    ck_assert_uint_eq(f->cycles, 2);
    blocked(f, 0, 1, 2, -1);
    end_run();
}
END_TEST

START_TEST(two_comms_and_a_missing_rank_are_no_order)
{
    begin_run(2);
    make_comm(X, "x", 2);
    make_comm(Y, "y", 2);
    for (int r = 0; r < 2; r++)
        make(r, on(X, reduce_of(8)), 5);
    syncs(0, 10, alone(2, make(0, on(Y, reduce_of(8)), 6)));
    ended(1, 9);
    const struct ncs_finding *f = only("skipped-call");
    ck_assert_str_eq(f->comm, "y");
    end_run();
}
END_TEST

static void begin_bare(void)
{
    begin_run(0);
}

START_TEST(init_missing_rank)
{
    begin_bare();
    for (int r = 0; r < 4; r++) {
        if (r == 2) {
            ended(r, 9);
            continue;
        }
        struct ncs_call *c = init_call(r, 4, 'z', r, 3);
        host_waits(c, add_job(NCS_JOB_INIT, c, 4, 2, -1));
    }
    const struct ncs_finding *f = only("init-missing-rank");
    culprits(f, 2, -1);
    blocked(f, 0, 1, 3, -1);
    ck_assert(says(ncs_sentence_text(f->why), "3 of 4 ranks"));
    end_run();
}
END_TEST

START_TEST(init_of_more_ranks_than_there_are)
{
    begin_bare();
    for (int r = 0; r < 2; r++) {
        struct ncs_call *c = init_call(r, 3, 'z', r, 3);
        host_waits(c, add_job(NCS_JOB_INIT, c, 3, 2, -1));
    }
    const struct ncs_finding *f = only("init-missing-rank");
    culprits(f, 0, 1, -1);
    end_run();
}
END_TEST

START_TEST(init_after_an_error)
{
    begin_bare();
    struct ncs_call *c = init_call(0, 2, 'z', 0, 3);
    host_waits(c, add_job(NCS_JOB_INIT, c, 2, 1, -1));
    failed(1, 2, "no id");
    culprits(only("error-path"), 1, -1);
    end_run();
}
END_TEST

START_TEST(init_clash)
{
    static const int as[] = { 0, 1, 1 };
    begin_bare();
    for (int r = 0; r < 3; r++) {
        struct ncs_call *c = init_call(r, 3, 'z', as[r], 3);
        int j = add_job(NCS_JOB_INIT, c, 3, 2, -1);
        job[j].refused = true;
        job[j].why = "rank 1 checked in twice";
        host_waits(c, j);
    }
    const struct ncs_finding *f = only("init-clash");
    culprits(f, 2, -1); /* rank 1 is itself */
    blocked(f, 0, 1, 2, -1);
    ck_assert(says(ncs_sentence_text(f->why), "ranks 1, 2 of the run both join") &&
              says(ncs_sentence_text(f->fix), "pass rank = 2"));
    end_run();
}
END_TEST

START_TEST(init_with_an_id_each)
{
    begin_bare();
    for (int r = 0; r < 3; r++) {
        finish(plain(r, NCS_FN_ncclGetUniqueId, 0, 2));
        struct ncs_call *c = init_call(r, 3, (char)('p' + r), r, 3);
        host_waits(c, add_job(NCS_JOB_INIT, c, 3, (r + 1) % 3, (r + 2) % 3, -1));
    }
    const struct ncs_finding *f = only("init-clash");
    culprits(f, 0, 1, 2, -1);
    blocked(f, 0, 1, 2, -1);
    ck_assert(says(ncs_sentence_text(f->why), "3 unique ids"));
    end_run();
}
END_TEST

START_TEST(inits_in_opposite_order)
{
    begin_bare();
    for (int r = 0; r < 2; r++) {
        struct ncs_call *c = init_call(r, 2, (char)('p' + r), r, 3);
        host_waits(c, add_job(NCS_JOB_INIT, c, 2, 1 - r, -1));
    }
    culprits(only("comm-order"), 0, 1, -1);
    end_run();
}
END_TEST

START_TEST(one_thread_no_group)
{
    begin_bare();
    struct ncs_call *c = init_call(0, 4, 'z', 0, 3);
    host_waits(c, add_job(NCS_JOB_INIT, c, 4, 1, 2, 3, -1));
    const struct ncs_finding *f = only("one-thread-no-group");
    culprits(f, 0, -1);
    blocked(f, 0, -1);
    end_run();
}
END_TEST

START_TEST(one_thread_collectives)
{
    begin_bare();
    for (int as = 0; as < 3; as++)
        join_as(X, "x", 0, 3, as);
    struct ncs_call *c = make(0, on(X, reduce_of(8)), 5);
    host_waits(c, add_job(NCS_JOB_CONTACT, c, 3, 1, 2, -1));
    const struct ncs_finding *f = only("one-thread-no-group");
    culprits(f, 0, -1);
    ck_assert_uint_eq(f->call, 1);
    end_run();
}
END_TEST

START_TEST(host_wait_for_a_key)
{
    begin_run(2);
    at_gate(0, 4, "store:get", "store key `go`");
    ended(1, 9);
    const struct ncs_finding *f = only("host-wait");
    blocked(f, 0, -1);
    ck_assert(says(ncs_sentence_text(f->why), "store key `go`"));
    ck_assert_str_eq(d.wait[0].in, "store:get");
    end_run();
}
END_TEST

START_TEST(host_wait_at_a_barrier)
{
    begin_run(3);
    at_gate(0, 4, "barrier", "ranks 0, 1");
    ended(1, 9);
    ended(2, 9);
    const struct ncs_finding *f = only("host-wait");
    culprits(f, 1, -1); /* rank 2 is not of it */
    end_run();
}
END_TEST

START_TEST(host_wait_behind_first_contact)
{
    begin_run(2);
    struct ncs_call *c = make(0, to(1, 8), 5);
    host_waits(c, add_job(NCS_JOB_CONTACT, c, 2, 1, -1));
    at_gate(1, 7, "store:get", "store key `go`");
    const struct ncs_finding *f = only("host-wait");
    culprits(f, 0, 1, -1);
    ck_assert_uint_eq(f->cycles, 2);
    end_run();
}
END_TEST

START_TEST(join_leads_on)
{
    begin_run(2);
    at_gate(0, 4, "join", "thread 1");
    gate[0].owner = 0;
    gate[0].owner_thread = 1;
    int t = syncs(0, 8, alone(2, make(0, reduce_of(8), 7)));
    context[t].thread = 1;
    ended(1, 9);
    const struct ncs_finding *f = only("skipped-call");
    culprits(f, 1, -1);
    blocked(f, 0, -1);
    bystanders(f, -1);
    ck_assert_uint_eq(d.waits, 2);
    end_run();
}
END_TEST

START_TEST(livelock)
{
    begin_run(2);
    int c = add_context(0, NCS_CONTEXT_POLLING, 5);
    context[c].call = plain(0, NCS_FN_ncclCommGetAsyncError, 0, 5);
    ended(1, 9);
    snap.stop = NCS_STOP_LIVELOCK;
    const struct ncs_finding *f = only("livelock");
    culprits(f, 0, -1);
    blocked(f, 0, -1);
    ck_assert(says(ncs_sentence_text(f->why), "comm:async_error at line 5"));
    end_run();
}
END_TEST

START_TEST(livelock_seen_when_a_poll_returned)
{
    begin_run(2);
    context[add_context(0, NCS_CONTEXT_READY, 5)].call = plain(0, NCS_FN_cudaStreamQuery, 0, 5);
    ended(1, 9);
    snap.stop = NCS_STOP_LIVELOCK;
    culprits(only("livelock"), 0, -1);
    ck_assert_uint_eq(d.waits, 1);
    end_run();
}
END_TEST

START_TEST(polls_behind_a_cause_are_no_second_finding)
{
    begin_run(2);
    alone(2, make(0, reduce_of(8), 3));
    int c = add_context(0, NCS_CONTEXT_POLLING, 5);
    context[c].call = enter(0, NCS_FN_cudaStreamQuery, 5);
    ended(1, 9);
    snap.stop = NCS_STOP_LIVELOCK;
    const struct ncs_finding *f = diagnose();
    ck_assert_str_eq(f->rule, "skipped-call");
    ck_assert(!reported("livelock"));
    end_run();
}
END_TEST

START_TEST(no_poll_is_no_livelock)
{
    begin_run(2);
    skip_one(2, 2, 1, 2, NULL);
    diagnose();
    ck_assert(!reported("livelock"));
    end_run();
}
END_TEST

START_TEST(faults_and_crashes)
{
    begin_run(2);
    struct ncs_call *a = make(0, reduce_of(8), 5), *b = make(1, reduce_of(8), 5);
    notify(NCS_NOTICE_FAULT, 1, &a, "2048 bytes past the end");
    notify(NCS_NOTICE_CRASH, 1, &b, "the group depth is wrong");
    ended(0, 9);
    ended(1, 9);
    snap.stop = NCS_STOP_DONE;
    const struct ncs_finding *f = diagnose();
    ck_assert_uint_eq(d.findings, 2);
    ck_assert_str_eq(f[0].rule, "illegal-access");
    ck_assert(says(ncs_sentence_text(f[0].why), "2048 bytes past the end"));
    culprits(&f[0], 0, -1);
    ck_assert_str_eq(f[1].rule, "real-library-crash");
    culprits(&f[1], 1, -1);
    end_run();
}
END_TEST

START_TEST(never_destroyed)
{
    begin_run(2);
    finish(plain(0, NCS_FN_ncclCommDestroy, 0, 8));
    ended(0, 9);
    ended(1, 9);
    snap.stop = NCS_STOP_DONE;
    const struct ncs_finding *f = only("never-destroyed");
    ck_assert_int_eq(f->level, NCS_LEVEL_NOTE);
    culprits(f, 1, -1);
    end_run();
}
END_TEST

START_TEST(independent_causes_in_order)
{
    begin_run(3);
    make_comm(X, "x", 2);
    struct ncs_call *late = make(0, reduce_of(8), 9);
    syncs(0, 9, alone(3, late));
    syncs(1, 7, alone(2, make(1, on(X, reduce_of(8)), 5)));
    failed(2, 3, "boom");
    const struct ncs_finding *f = diagnose();
    ck_assert_str_eq(f->rule, "error-path");
    ck_assert(d.explained);
    end_run();
}
END_TEST

START_TEST(dropped_records)
{
    begin_run(2);
    ncs_journal_close(journal);
    journal = ncs_journal_open(12 * ncs_call_bytes(NCS_FN_ncclAllReduce), false);
    make_comm(0, "world", 2);
    for (int i = 0; i < 40; i++)
        for (int r = 0; r < 2; r++)
            make(r, reduce_of(8), 5);
    ck_assert_uint_gt(journal->dropped, 0);
    struct ncs_call *c = make(0, reduce_of(8), 5);
    c->pins++;
    syncs(0, 6, alone(2, c));
    ended(1, 9);
    const struct ncs_finding *f = only("skipped-call");
    ck_assert_uint_eq(f->call, 41);
    culprits(f, 1, -1);
    ck_assert_str_eq(ncs_sentence_text(f->why), "rank 1 made 40 calls on world; rank 0 made 41: call 41 is at line 5");
    c->pins--;
    end_run();
}
END_TEST

START_TEST(unexplained_is_said)
{
    begin_run(2);
    add_context(0, NCS_CONTEXT_PARKED, 3);
    ended(1, 9);
    diagnose();
    ck_assert(!d.explained);
    end_run();
}
END_TEST

START_TEST(an_interrupt_is_no_hang)
{
    begin_run(2);
    skip_one(2, 2, 1, 2, NULL);
    snap.stop = NCS_STOP_INTERRUPTED;
    ck_assert_ptr_null(diagnose());
    ck_assert_uint_eq(d.waits, 1);
    ck_assert(d.explained);
    end_run();
}
END_TEST

NCS_TEST_MAIN("diagnose_hosts", send_without_recv, recv_without_send, p2p_count_mismatch, wrong_peer,
              two_unmatched_between_others_are_no_wrong_peer, p2p_cycle_on_first_contact, p2p_cycle_on_streams,
              a_chain_is_no_cycle, comm_order, comm_order_of_one_against_two, two_comms_and_a_missing_rank_are_no_order,
              init_missing_rank, init_of_more_ranks_than_there_are, init_after_an_error, init_clash, init_with_an_id_each,
              inits_in_opposite_order, one_thread_no_group, one_thread_collectives, host_wait_for_a_key, host_wait_at_a_barrier,
              host_wait_behind_first_contact, join_leads_on, livelock, livelock_seen_when_a_poll_returned,
              polls_behind_a_cause_are_no_second_finding, no_poll_is_no_livelock, faults_and_crashes, never_destroyed,
              independent_causes_in_order, dropped_records, unexplained_is_said, an_interrupt_is_no_hang)
