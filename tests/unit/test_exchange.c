/* Store, barrier and threads of a rank, on a machine of the test's own. */
#include "run_fake.h"

/* ---- store ---- */

static void exchange(int rank)
{
    void *value;
    size_t bytes;
    if (rank == 0) {
        ck_assert(ncs_run_store_get(run, "id", -1, &value, &bytes));
        ck_assert_uint_eq(bytes, 3);
        ck_assert_mem_eq(value, "abc", 3);
        ncs_free(value);
    } else {
        ncs_run_store_set(run, "other", "", 0);
        ncs_run_store_set(run, "id", "abc", 3);
    }
}

START_TEST(test_store_waits)
{
    const struct ncs_result *r = execute(options(2), exchange);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    ck_assert_str_eq(fake.waits, "store:get(store key `id`)-1.0 ");
    ck_assert_int_eq(fake.changes, 2);
    finish();
}
END_TEST

static void use_store(int rank)
{
    (void)rank;
    void *value;
    size_t bytes;
    int64_t sum = 0;
    ncs_run_store_set(run, "empty", NULL, 0);
    ck_assert(ncs_run_store_get(run, "empty", 0, &value, &bytes));
    ck_assert_uint_eq(bytes, 0);
    ncs_free(value);
    ncs_run_store_set(run, "empty", "now not", 7);
    ck_assert(ncs_run_store_get(run, "empty", 0, &value, &bytes));
    ck_assert_uint_eq(bytes, 7);
    ncs_free(value);

    ck_assert(ncs_run_store_add(run, "n", 5, &sum));
    ck_assert_int_eq(sum, 5);
    ck_assert(ncs_run_store_add(run, "n", -7, &sum));
    ck_assert_int_eq(sum, -2);
    ck_assert(ncs_run_store_add(run, "n", INT64_MIN, &sum)); /* wraps, as Lua's integers do */
    ck_assert_int_eq(sum, INT64_MAX - 1);
    ck_assert(!ncs_run_store_add(run, "empty", 1, &sum));

    int changes = fake.changes;
    ncs_run_store_set(run, "empty", "now not", 7);
    ck_assert(ncs_run_store_add(run, "n", 0, &sum));
    ck_assert_int_eq(fake.changes, changes);
    ncs_run_store_set(run, "empty", "now NOT", 7);
    ck_assert_int_eq(fake.changes, changes + 1);

    ck_assert_int_eq(fake.polls, 0);
    ck_assert(!ncs_run_store_get(run, "absent", 0, &value, &bytes));
    ck_assert_ptr_null(value);
    ck_assert_int_eq(fake.polls, 1);
    int64_t before = fake.now;
    ck_assert(!ncs_run_store_get(run, "absent", 1000, &value, &bytes));
    ck_assert_int_eq(fake.now, before + 1000);
    ck_assert(!ncs_run_store_get(run, "absent", INT64_MAX, &value, &bytes));
    ck_assert_int_eq(fake.now, INT64_MAX);
}

START_TEST(test_store)
{
    const struct ncs_result *r = execute(options(1), use_store);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    finish();
}
END_TEST

static void wait_for_ever(int rank)
{
    void *value;
    size_t bytes;
    if (rank == 1)
        ncs_run_store_get(run, "never", -1, &value, &bytes);
}

START_TEST(test_store_hang)
{
    const struct ncs_result *r = execute(options(2), wait_for_ever);
    ck_assert_int_eq(r->stop, NCS_STOP_QUIET);
    ck_assert_str_eq(fake.waits, "store:get(store key `never`)-1.0 ");
    finish();
}
END_TEST

/* ---- barrier ---- */

static int met;

static void meet(int rank)
{
    static const int pair[] = { 2, 0, 2 };
    met += ncs_run_barrier(run, NULL, 0, -1);
    if (rank == 1)
        ck_assert(!ncs_run_barrier(run, pair, 3, -1)); /* not a member */
}

START_TEST(test_barrier)
{
    met = 0;
    const struct ncs_result *r = execute(options(3), meet);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    ck_assert_int_eq(met, 3);
    ck_assert_str_eq(fake.waits, "barrier(ranks 0, 1, 2)-1.0 barrier(ranks 0, 1, 2)-1.0 ");
    finish();
}
END_TEST

static void meet_some(int rank)
{
    static const int pair[] = { 2, 0, 2 }, alone[] = { 1 };
    if (rank == 1) {
        met += ncs_run_barrier(run, alone, 1, -1);
        return;
    }
    met += ncs_run_barrier(run, pair, 3, -1);
}

START_TEST(test_barrier_of_some)
{
    met = 0;
    const struct ncs_result *r = execute(options(3), meet_some);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    ck_assert_int_eq(met, 3);
    ck_assert_str_eq(fake.waits, "barrier(ranks 0, 2)-1.0 ");
    finish();
}
END_TEST

/* A visitor that gave up does not count: the barrier is not complete with the other one. */
static void give_up(int rank)
{
    if (rank == 1)
        return;
    ck_assert(!ncs_run_barrier(run, NULL, 0, 50));
    met += ncs_run_barrier(run, NULL, 0, 50);
}

START_TEST(test_barrier_timeout)
{
    met = 0;
    const struct ncs_result *r = execute(options(2), give_up);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    ck_assert_int_eq(met, 0);
    ck_assert_int_eq(r->virtual_time, 100);
    finish();
}
END_TEST

/* ---- threads ---- */

static void in_thread(void *arg)
{
    struct ncs_local **seen = arg;
    *seen = ncs_local;
    call(1);
}

static void spawn_two(int rank)
{
    struct ncs_local *seen[2] = { NULL, NULL };
    struct ncs_error err = { 0 };
    struct ncs_thread *a = ncs_run_spawn(run, in_thread, &seen[0], &err);
    struct ncs_thread *b = ncs_run_spawn(run, in_thread, &seen[1], &err);
    ck_assert(ncs_thread_join(run, b));
    ck_assert(ncs_thread_join(run, b));
    ck_assert(ncs_thread_done(a) && ncs_thread_done(b));
    ck_assert_ptr_eq(seen[1], ncs_thread_local(b));
    ck_assert_int_eq(seen[0]->rank, rank);
    ck_assert_int_eq(seen[0]->thread, 1);
    ck_assert_int_eq(seen[1]->thread, 2);
    fake.refuse_spawn = true;
    ck_assert_ptr_null(ncs_run_spawn(run, in_thread, &seen[1], &err));
    ck_assert_int_eq(err.status, NCS_NO_MEMORY);
    fake.refuse_spawn = false;
}

START_TEST(test_threads)
{
    const struct ncs_result *r = execute(options(1), spawn_two);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    ck_assert_uint_eq(r->calls, 2);
    ck_assert_str_eq(fake.waits, "join(thread 2 of rank 0)0.2 ");
    finish();
}
END_TEST

static void look_at_thread(int rank)
{
    (void)rank;
    struct ncs_local *seen = NULL;
    struct ncs_error err;
    struct ncs_thread *t = ncs_run_spawn(run, in_thread, &seen, &err);
    ck_assert(ncs_thread_done(t)); /* the look is a poll, in which others run */
    ck_assert_int_eq(fake.polls, 1);
    int64_t now = ncs_run_clock(run);
    ck_assert_int_eq(now, 0);
    ck_assert_int_eq(fake.polls, 2);
}

START_TEST(test_polls)
{
    const struct ncs_result *r = execute(options(1), look_at_thread);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    finish();
}
END_TEST

NCS_TEST_MAIN("exchange", test_store_waits, test_store, test_store_hang, test_barrier, test_barrier_of_some, test_barrier_timeout,
              test_threads, test_polls)
