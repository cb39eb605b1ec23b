/* Time that passes in pieces: ncs_machine.hold. */
#include "kernel.h"

#include "harness.h"

static int woken;
static int64_t woke_at[8];

static void sleep_by_rank(struct kernel_rank *r)
{
    machine->sleep(1000000 * (r->rank + 1));
    woke_at[r->rank] = machine->now();
    woken++;
}

/* How many pieces of so many events a run of sleepers takes; each piece moves the clock by no more than they do. */
static int pieces(int64_t events, int ranks)
{
    int count = 1;
    int64_t before = 0;
    woken = 0;
    kernel_open(&(struct ncs_machine_options){ 0 });
    machine->hold(events);
    enum ncs_stop stop = kernel_run(ranks, sleep_by_rank);
    while (stop == NCS_STOP_HELD && count < 10000) {
        ck_assert_int_lt(woken, ranks);
        ck_assert_int_ge(machine->now(), before);
        before = machine->now();
        machine->hold(events);
        stop = machine->run();
        count++;
    }
    ck_assert_int_eq(stop, NCS_STOP_DONE);
    ck_assert_int_eq(woken, ranks);
    kernel_end();
    return count;
}

START_TEST(events_are_counted)
{
    int one = pieces(1, 3), two = pieces(2, 3);
    ck_assert_int_eq(pieces(-1, 3), 1); /* any number */
    ck_assert_int_ge(one, 3);           /* three sleeps end at three times */
    ck_assert_int_lt(two, one);
    ck_assert_int_ge(2 * two, one);
    ck_assert_int_eq(pieces(1000000, 3), 1);
}
END_TEST

/* With none allowed the ranks run as far as they come, and the clock stands. */
START_TEST(none_at_all)
{
    woken = 0;
    kernel_open(&(struct ncs_machine_options){ 0 });
    machine->hold(0);
    ck_assert_int_eq(kernel_run(3, sleep_by_rank), NCS_STOP_HELD);
    for (int i = 0; i < 3; i++) {
        int64_t now = machine->now();
        machine->hold(0);
        ck_assert_int_eq(machine->run(), NCS_STOP_HELD);
        ck_assert_int_eq(machine->now(), now);
    }
    ck_assert_int_eq(woken, 0);
    machine->hold(-1);
    ck_assert_int_eq(machine->run(), NCS_STOP_DONE);
    ck_assert_int_eq(woken, 3);
    kernel_end();
}
END_TEST

/* Work in pieces gives the same result as work at once. */
START_TEST(pieces_change_nothing)
{
    int64_t at_once[3];
    pieces(-1, 3);
    memcpy(at_once, woke_at, sizeof at_once);
    pieces(1, 3);
    for (int r = 0; r < 3; r++)
        ck_assert_int_eq(woke_at[r], at_once[r]);
}
END_TEST

/* A hang is one, held or not: nothing is due. */
static void miss_one(struct kernel_rank *r)
{
    if (r->rank)
        OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(a_hang_is_not_held)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    machine->hold(1);
    enum ncs_stop stop = kernel_run(3, miss_one);
    for (int i = 0; stop == NCS_STOP_HELD && i < 10000; i++) {
        machine->hold(1);
        stop = machine->run();
    }
    ck_assert_int_eq(stop, NCS_STOP_QUIET);
    kernel_end();
}
END_TEST

NCS_TEST_MAIN("kernel held", events_are_counted, none_at_all, pieces_change_nothing, a_hang_is_not_held)
