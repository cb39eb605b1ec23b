/* The journal: which records are held and which are dropped, and calls from several threads. */
#include "journal_lab.h"

/* ---- the limit ---- */

static size_t held_records(void)
{
    size_t n = 0, bytes = 0;

    for (struct ncs_call *call = journal->oldest; call; call = call->newer) {
        bytes += ncs_call_bytes(call->fn);
        ck_assert(!call->newer || (call->newer->older == call && call->newer->id > call->id));
        n++;
    }
    ck_assert_uint_eq(bytes, journal->held);
    return n;
}

START_TEST(the_oldest_records_are_dropped)
{
    open_with(8 * ncs_call_bytes(NCS_FN_ncclAllReduce));
    ncclComm_t comm = join(0, 1, new_id(), 0);
    for (int i = 0; i < 100; i++)
        reduce(0, comm, 4, ncclSum);
    size_t held = held_records();
    ck_assert(held >= 7 && held <= 8);
    ck_assert_uint_eq(journal->dropped + held, 102);
    struct ncs_member *m = &journal->comm[0]->member[0];
    ck_assert_uint_eq(m->calls, 100);
    ck_assert_uint_eq(m->last->number, 100);
    ck_assert_uint_eq(m->first->number, 101 - held);
    ck_assert_uint_le(m->line_room, 8);
    ck_assert_ptr_null(ncs_journal_call(journal, 0, 0, 1));
    ck_assert_ptr_eq(ncs_journal_call(journal, 0, 0, 100), journal->newest);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(a_member_may_lose_all_its_records)
{
    open_with(4 * ncs_call_bytes(NCS_FN_cudaStreamSynchronize));
    ncclComm_t comm = join(0, 1, new_id(), 0);
    reduce(0, comm, 4, ncclSum);
    for (int i = 0; i < 10; i++)
        api->cudaDeviceSynchronize();
    struct ncs_member *m = &journal->comm[0]->member[0];
    ck_assert_ptr_null(m->first);
    ck_assert_ptr_null(m->last);
    reduce(0, comm, 4, ncclSum);
    ck_assert_ptr_eq(m->first, journal->newest);
    ck_assert_uint_eq(m->first->number, 2);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(pinned_records_stay)
{
    open_with(8 * ncs_call_bytes(NCS_FN_ncclAllReduce));
    ncclComm_t comm = join(0, 1, new_id(), 0);
    for (int i = 0; i < 5; i++)
        reduce(0, comm, 4, ncclSum);
    struct ncs_call *third = ncs_journal_call(journal, 0, 0, 3);
    ncs_call_pin(third);
    ncs_call_pin(third);
    for (int i = 0; i < 50; i++)
        reduce(0, comm, 4, ncclSum);
    ncs_call_unpin(third);
    reduce(0, comm, 4, ncclSum);
    ck_assert_ptr_eq(journal->oldest, third);
    ck_assert_ptr_eq(journal->comm[0]->member[0].first, third);
    ck_assert_ptr_eq(ncs_journal_call(journal, 0, 0, 3), third);
    ck_assert_uint_gt(third->next_counted->number, 40);
    ck_assert_uint_eq(third->next_counted->next_counted->number, third->next_counted->number + 1);
    ncs_call_unpin(third);
    for (int i = 0; i < 3; i++)
        reduce(0, comm, 4, ncclSum);
    ck_assert_ptr_null(ncs_journal_call(journal, 0, 0, 3));
    ck_assert(held_records() <= 8);
    ncs_call_pin(NULL);
    ncs_call_unpin(NULL);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(more_pinned_records_than_fit_are_held)
{
    open_with(4 * ncs_call_bytes(NCS_FN_cudaStreamSynchronize));
    for (int i = 0; i < 20; i++) {
        api->cudaDeviceSynchronize();
        ncs_call_pin(journal->newest);
    }
    ck_assert_uint_eq(held_records(), 20);
    ck_assert_uint_eq(journal->dropped, 0);
    for (struct ncs_call *call = journal->oldest; call; call = call->newer)
        ncs_call_unpin(call);
    api->cudaDeviceSynchronize();
    ck_assert(held_records() <= 4);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(pending_records_stay)
{
    open_with(4 * ncs_call_bytes(NCS_FN_cudaStreamSynchronize));
    calls_meanwhile = 50;
    api->cudaStreamSynchronize(NULL);
    ck_assert_int_eq(journal->oldest->fn, NCS_FN_cudaStreamSynchronize);
    ck_assert(journal->oldest->returned);
    ck_assert_int_eq(journal->oldest->rank, 0);
    ck_assert_int_eq(journal->newest->rank, 1);
    ck_assert(held_records() <= 4);
    for (int i = 0; i < 4; i++)
        api->cudaDeviceSynchronize();
    ck_assert_int_ne(journal->oldest->fn, NCS_FN_cudaStreamSynchronize);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(a_snapshot_releases_its_calls)
{
    struct ncs_snapshot s = { 0 };
    struct ncs_call *call;

    open_plain();
    api->cudaDeviceSynchronize();
    call = journal->newest;
    s.context = ncs_new(sizeof *s.context);
    s.contexts = 1;
    s.op = ncs_new(sizeof *s.op);
    s.ops = 1;
    s.part = ncs_new(sizeof *s.part);
    s.parts = 1;
    s.job = ncs_new(2 * sizeof *s.job);
    s.jobs = 2; /* the second has no call */
    s.context[0].message = ncs_copy_text("an error");
    s.context[0].call = s.op[0].call = s.part[0].call = s.job[0].call = call;
    for (int i = 0; i < 4; i++)
        ncs_call_pin(call);
    ncs_snapshot_free(&s);
    ck_assert_uint_eq(call->pins, 0);
    ck_assert_uint_eq(s.contexts, 0);
    ncs_snapshot_free(&s);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(a_journal_of_nothing)
{
    ncs_journal_close(NULL);
    open_with(0);
    api->cudaDeviceSynchronize();
    api->cudaDeviceSynchronize();
    ck_assert_uint_eq(held_records(), 1);
    ncs_journal_close(journal);
}
END_TEST

/* ---- communicators that are over ---- */

/* A communicator of one rank, with a call on it; returns that. */
static struct ncs_call *live_and_die(void)
{
    ncclComm_t comm = join(0, 1, new_id(), 0);

    reduce(0, comm, 4, ncclSum);
    struct ncs_call *call = journal->newest;
    api->ncclCommDestroy(comm);
    return call;
}

START_TEST(ended_communicators_go_with_their_records)
{
    open_with(48 * ncs_call_bytes(NCS_FN_ncclAllReduce));
    for (int i = 0; i < 100; i++)
        live_and_die();
    size_t comms = journal->comms;
    ck_assert_uint_gt(comms, 1);
    ck_assert_uint_lt(comms, 48);
    for (int i = 0; i < 300; i++) {
        live_and_die();
        /* The communicator that has just ended counts from now on: the next call makes room. */
        ck_assert_uint_le(journal->held + journal->held_comms, 50 * ncs_call_bytes(NCS_FN_ncclAllReduce));
    }
    ck_assert_uint_eq(journal->comms, comms);
    ck_assert_str_eq(journal->comm[journal->newest->comm]->name, "comm400");
    ncs_journal_close(journal);
}
END_TEST

START_TEST(what_is_asked_for_stays)
{
    open_with(32 * ncs_call_bytes(NCS_FN_ncclAllReduce));
    ncclComm_t alive = join(0, 1, new_id(), 0);
    struct ncs_call *pinned = live_and_die();
    ncs_call_pin(pinned);
    ncs_journal_keep_comm(journal, live_and_die()->comm);
    int kept = journal->newest->comm;
    for (int i = 0; i < 300; i++)
        live_and_die();
    ck_assert_str_eq(journal->comm[0]->name, "comm1");
    ck_assert_str_eq(journal->comm[pinned->comm]->name, "comm2");
    ck_assert_uint_eq(journal->comm[pinned->comm]->member[0].calls, 1);
    ck_assert_str_eq(journal->comm[kept]->name, "comm3");
    reduce(0, alive, 4, ncclSum);
    ck_assert_int_eq(journal->newest->comm, 0);
    ncs_call_unpin(pinned);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(an_ended_communicator_is_known_by_its_handle)
{
    open_with(32 * ncs_call_bytes(NCS_FN_ncclAllReduce));
    ncclComm_t comm = join(0, 1, new_id(), 0);
    api->ncclCommDestroy(comm);
    for (int i = 0; i < 100; i++)
        api->cudaDeviceSynchronize(); /* its records are dropped */
    ck_assert_uint_eq(journal->held_comms, 0);
    reduce(0, comm, 4, ncclSum);
    struct ncs_call *misuse = journal->newest;
    ck_assert_int_eq(misuse->comm, 0);
    for (int i = 0; i < 5; i++)
        live_and_die();
    ck_assert_str_eq(journal->comm[misuse->comm]->name, "comm1");
    ck_assert_uint_ne(journal->comm[misuse->comm]->member[0].gone, 0);
    for (int i = 0; i < 100; i++)
        live_and_die();
    ck_assert_str_ne(journal->comm[0]->name, "comm1");
    ncs_journal_close(journal);
}
END_TEST

/* ---- threads ---- */

enum { EACH = 500 };

static void *call_often(void *arg)
{
    struct ncs_local *local = arg;

    ncs_local = local;
    for (int i = 0; i < EACH; i++) {
        api->ncclGroupStart();
        api->cudaDeviceSynchronize();
        api->ncclGroupEnd();
    }
    return NULL;
}

START_TEST(a_locked_journal_serves_threads)
{
    pthread_t threads[4];

    open_plain();
    ncs_journal_close(journal);
    journal = ncs_journal_open(64 * ncs_call_bytes(NCS_FN_ncclGroupStart), true);
    api = ncs_journal_wrap(journal, &fake);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_often, &locals[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(journal->calls, 4 * 3 * EACH);
    ck_assert_uint_eq(journal->newest->id, 4 * 3 * EACH);
    ck_assert(held_records() <= 64 + 4);
    ncs_journal_close(journal);
}
END_TEST

NCS_TEST_MAIN("journal limit", the_oldest_records_are_dropped, a_member_may_lose_all_its_records, pinned_records_stay,
              more_pinned_records_than_fit_are_held, pending_records_stay, a_snapshot_releases_its_calls, a_journal_of_nothing,
              ended_communicators_go_with_their_records, what_is_asked_for_stays, an_ended_communicator_is_known_by_its_handle,
              a_locked_journal_serves_threads)
