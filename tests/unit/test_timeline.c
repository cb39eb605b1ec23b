/* The timeline, told by hand of what happens, at times of the test's own. */
#include "harness.h"

#include <string.h>

#include "run/timeline/timeline.h"

static int64_t clock_now;
static struct ncs_timeline *t;
static struct ncs_call records[16];
static size_t made;
static char handles[4];

static int64_t now(void)
{
    return clock_now;
}

static void begin(void)
{
    clock_now = 0;
    made = 0;
    memset(records, 0, sizeof records);
    t = ncs_timeline_open(now);
}

static struct ncs_call *enter(enum ncs_fn fn, int rank, int64_t time)
{
    struct ncs_call *call = &records[made++];
    *call = (struct ncs_call){ .id = made, .fn = fn, .rank = rank, .comm = 0, .comm_rank = rank };
    clock_now = time;
    ncs_timeline_entered(t, call);
    return call;
}

static void leave(struct ncs_call *call, int64_t time)
{
    clock_now = time;
    call->returned = true;
    ncs_timeline_returned(t, call);
}

/* The call becomes an operation that begins at that time. */
static struct ncs_call *launch(enum ncs_fn fn, int rank, int64_t time)
{
    struct ncs_call *call = enter(fn, rank, time);
    const void *stream = &handles[rank];
    struct ncs_work work = {
        .serial = call->id, .kind = "launch", .rank = rank, .call = &call, .calls = 1, .stream = &stream, .streams = 1
    };
    ncs_timeline_work(t, &work, NCS_WORK_QUEUED);
    leave(call, time);
    ncs_timeline_work(t, &work, NCS_WORK_BEGUN);
    return call;
}

static void end(const struct ncs_call *call, int64_t time)
{
    clock_now = time;
    ncs_timeline_work(t, &(struct ncs_work){ .serial = call->id }, NCS_WORK_ENDED);
}

static void set_peer(struct ncs_call *call, int peer)
{
    *(union ncs_arg *)ncs_call_arg(call, NCS_ARG_PEER) = (union ncs_arg){ .i = peer };
}

START_TEST(calls_have_their_times)
{
    begin();
    struct ncs_call *a = enter(NCS_FN_cudaMalloc, 0, 5), *b;
    leave(a, 5);
    b = enter(NCS_FN_cudaStreamSynchronize, 0, 7);
    clock_now = 9;
    ncs_timeline_close(t);
    leave(b, 11); /* too late */
    ck_assert_uint_eq(t->hosts, 2);
    ck_assert_int_eq(t->host[0].begin, 5);
    ck_assert_int_eq(t->host[0].end, 5);
    ck_assert_int_eq(t->host[1].begin, 7);
    ck_assert_int_eq(t->host[1].end, -1);
    ck_assert(!t->host[1].never);
    ck_assert_int_eq(t->now, 9);
    ck_assert_uint_eq(a->pins, 1); /* it is needed for as long as the timeline is */
    ncs_timeline_free(t);
    ck_assert_uint_eq(a->pins, 0);
    ck_assert_uint_eq(b->pins, 0);
}
END_TEST

START_TEST(a_call_that_was_taken_back_was_never_made)
{
    begin();
    enter(NCS_FN_ncclAllReduce, 0, 1)->returned = true;
    ncs_timeline_close(t);
    ck_assert(t->host[0].never);
    ncs_timeline_free(t);
}
END_TEST

START_TEST(operations_begin_and_end)
{
    begin();
    struct ncs_call *a = launch(NCS_FN_ncclAllReduce, 0, 3);
    end(a, 8);
    struct ncs_call *b = enter(NCS_FN_ncclAllReduce, 0, 9);
    const void *streams[] = { &handles[0], NULL };
    struct ncs_work work = { .serial = 50, .kind = "launch", .call = &b, .calls = 1, .stream = streams, .streams = 2 };
    ncs_timeline_work(t, &work, NCS_WORK_QUEUED);
    ck_assert_int_eq(t->device[0].queued, 3);
    ck_assert_int_eq(t->device[0].begin, 3);
    ck_assert_int_eq(t->device[0].end, 8);
    ck_assert_int_eq(t->device[1].begin, -1);
    ck_assert_uint_eq(t->device[1].streams, 2);
    ck_assert_ptr_null(t->device[1].stream[1]);
    work.status = 700; /* fails where it waits */
    clock_now = 12;
    ncs_timeline_work(t, &work, NCS_WORK_ENDED);
    ck_assert_int_eq(t->device[1].begin, 12);
    ck_assert_int_eq(t->device[1].status, 700);
    ncs_timeline_free(t);
}
END_TEST

START_TEST(who_came_last_to_a_collective)
{
    begin();
    struct ncs_call *calls[] = { launch(NCS_FN_ncclAllReduce, 0, 2), launch(NCS_FN_ncclAllReduce, 1, 6),
                                 launch(NCS_FN_ncclAllReduce, 2, 4) };
    ncs_timeline_moved(t, calls, 3);
    ck_assert_uint_eq(t->matches, 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(t->match[i].kind, NCS_MATCH_COLLECTIVE);
        ck_assert_uint_eq(t->match[i].from, 1);
        ck_assert_uint_eq(t->match[i].to, 2 * i);
    }
    ncs_timeline_moved(t, calls, 1); /* alone: nobody was needed */
    ck_assert_uint_eq(t->matches, 2);
    ncs_timeline_free(t);
}
END_TEST

START_TEST(sends_are_taken_in_order)
{
    begin();
    struct ncs_call *first = launch(NCS_FN_ncclSend, 0, 1), *second = launch(NCS_FN_ncclSend, 0, 2);
    struct ncs_call *other = launch(NCS_FN_ncclSend, 2, 2), *recv = launch(NCS_FN_ncclRecv, 1, 9);
    struct ncs_call *both[] = { second, launch(NCS_FN_ncclRecv, 1, 10) };
    set_peer(first, 1);
    set_peer(other, 1);
    set_peer(recv, 0);
    ncs_timeline_moved(t, &other, 1); /* went ahead */
    ncs_timeline_moved(t, &first, 1);
    ncs_timeline_moved(t, &recv, 1);
    ncs_timeline_moved(t, both, 2);
    ck_assert_uint_eq(t->matches, 2);
    ck_assert_int_eq(t->match[0].kind, NCS_MATCH_PAIR);
    ck_assert_ptr_eq(t->match[0].from_call, first);
    ck_assert_ptr_eq(t->match[0].to_call, recv);
    ck_assert_ptr_eq(t->match[1].from_call, second);
    ncs_timeline_free(t);
}
END_TEST

START_TEST(a_wait_takes_as_many_signals_as_it_asks_for)
{
    begin();
    struct ncs_call *put[3];
    for (int i = 0; i < 3; i++) {
        put[i] = launch(NCS_FN_ncclPutSignal, 0, i);
        set_peer(put[i], 1);
        ncs_timeline_moved(t, &put[i], 1);
    }
    struct ncs_call *wait = launch(NCS_FN_ncclWaitSignal, 1, 5);
    ncclWaitSignalDesc_t list[] = { { .opCnt = 2, .peer = 0 } };
    ((union ncs_arg *)ncs_call_arg(wait, NCS_ARG_WAITS))->p = list;
    ((union ncs_arg *)ncs_call_arg(wait, NCS_ARG_ITEMS))->i = 1;
    ncs_timeline_moved(t, &wait, 1);
    ck_assert_uint_eq(t->matches, 2);
    ck_assert_int_eq(t->match[1].kind, NCS_MATCH_SIGNAL);
    ck_assert_ptr_eq(t->match[0].from_call, put[0]);
    ck_assert_ptr_eq(t->match[1].from_call, put[1]);
    ncs_timeline_free(t);
}
END_TEST

START_TEST(what_moves_in_steps_needed_the_last_of_them)
{
    begin();
    struct ncs_call *a = launch(NCS_FN_ncclAlltoAll, 0, 1), *b = launch(NCS_FN_ncclAlltoAll, 1, 2);
    struct ncs_call *c = launch(NCS_FN_ncclAlltoAll, 2, 3);
    ncs_timeline_moved(t, (struct ncs_call *[]){ b, a }, 2);
    ncs_timeline_moved(t, (struct ncs_call *[]){ c, a }, 2);
    ck_assert_uint_eq(t->matches, 0);
    ncs_timeline_finished(t, a);
    ncs_timeline_finished(t, b); /* nothing has come to it */
    ck_assert_uint_eq(t->matches, 1);
    ck_assert_ptr_eq(t->match[0].from_call, c);
    ck_assert_ptr_eq(t->match[0].to_call, a);
    ncs_timeline_free(t);
}
END_TEST

START_TEST(waits_and_marks_are_of_the_thread)
{
    struct ncs_local local = { .rank = 3, .thread = 1 }, *outer = ncs_local;
    begin();
    ncs_local = &local;
    clock_now = 4;
    size_t wait = ncs_timeline_wait(t, "barrier", "ranks 0, 3");
    ncs_timeline_mark(t, 3, 1, (struct ncs_place){ "x.lua", 7 }, "fault.slow");
    clock_now = 6;
    ncs_timeline_waited(t, wait);
    ncs_timeline_close(t);
    ck_assert_uint_eq(ncs_timeline_wait(t, "barrier", NULL), SIZE_MAX);
    ncs_timeline_waited(t, SIZE_MAX);
    ncs_local = outer;
    ck_assert_uint_eq(t->hosts, 1);
    ck_assert_int_eq(t->host[0].rank, 3);
    ck_assert_int_eq(t->host[0].end, 6);
    ck_assert_str_eq(t->host[0].key, "ranks 0, 3");
    ck_assert_uint_eq(t->marks, 1);
    ck_assert_int_eq(t->mark[0].place.line, 7);
    ncs_timeline_free(t);
}
END_TEST

NCS_TEST_MAIN("timeline", calls_have_their_times, a_call_that_was_taken_back_was_never_made, operations_begin_and_end,
              who_came_last_to_a_collective, sends_are_taken_in_order, a_wait_takes_as_many_signals_as_it_asks_for,
              what_moves_in_steps_needed_the_last_of_them, waits_and_marks_are_of_the_thread)
