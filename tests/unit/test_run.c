/* The course of a run from opening to verdict, on a machine of the test's own. */
#include "run_fake.h"

/* ---- the course of a run ---- */

static void two_calls(int rank)
{
    call(2);
    ncs_run_expect(run, true, NULL, NULL, 0);
    ncs_run_sleep(run, 5 + rank);
}

START_TEST(test_pass)
{
    struct ncs_run_options o = options(3);
    o.seed = 42;
    o.nccl_version = 22809;
    o.plant = (struct ncs_plant){ .kind = NCS_PLANT_BIT, .rank = 1 };
    const struct ncs_result *r = execute(o, two_calls);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    ck_assert_int_eq(r->certainty, NCS_CERTAIN);
    ck_assert_int_eq(r->stop, NCS_STOP_DONE);
    ck_assert_uint_eq(r->calls, 6);
    ck_assert_uint_eq(r->expected, 3);
    ck_assert_uint_eq(r->trace, 0x9f3c);
    ck_assert_int_eq(r->virtual_time, 5 + 6 + 7);
    ck_assert_str_eq(r->nccl, "2.28.9");
    ck_assert_str_eq(r->driver, "sim");
    ck_assert_uint_eq(r->seed, 42);
    ck_assert_ptr_eq(r->journal, ncs_run_journal(run));
    ck_assert_int_eq(made, 3);
    ck_assert_int_eq(fake.abandoned, 1);
    ck_assert_int_eq(fake.plant.kind, NCS_PLANT_BIT);
    ck_assert_ptr_eq(ncs_run_execute_on(run, &fake_driver), r);
    finish();
}
END_TEST

START_TEST(test_policy)
{
    struct ncs_run_options o = options(1);
    execute(o, two_calls);
    ck_assert_uint_eq(fake.options.eager, 0);
    finish();
    o.policy = NCS_POLICY_TYPICAL;
    execute(o, two_calls);
    ck_assert_uint_eq(fake.options.eager, 4 << 20);
    finish();
    o.eager = 17;
    o.seeded = true;
    o.seed = 3;
    o.own_threads = true;
    execute(o, two_calls);
    ck_assert_uint_eq(fake.options.eager, 17);
    ck_assert(fake.options.seeded && fake.options.own_threads);
    ck_assert_uint_eq(fake.options.seed, 3);
    ck_assert_int_eq(fake.options.hosts.devices, 8);
    finish();
}
END_TEST

START_TEST(test_nothing_executed)
{
    const struct ncs_result *r = execute(options(0), two_calls);
    ck_assert_int_eq(r->verdict, NCS_EMPTY);
    finish();
}
END_TEST

START_TEST(test_unknown_driver)
{
    struct ncs_program program = { &body, rank_new, rank_main, rank_free, false };
    struct ncs_run_options o = options(2);
    o.driver = "simm";
    run = ncs_run_new(&o, &program, NULL, NULL);
    const struct ncs_result *r = ncs_run_execute(run);
    ck_assert_int_eq(r->verdict, NCS_INVALID);
    ck_assert_ptr_nonnull(strstr(r->internal.text, "simm"));
    ncs_run_free(run);
}
END_TEST

START_TEST(test_rank_refused)
{
    refuse_rank = 1;
    ncs_fail(&refusal, NCS_BAD_INPUT, "no such file");
    const struct ncs_result *r = execute(options(3), two_calls);
    ck_assert_int_eq(r->verdict, NCS_INVALID);
    ck_assert_str_eq(r->internal.text, "no such file");
    ck_assert_int_eq(made, 1);
    ck_assert_uint_eq(r->calls, 0);
    finish();
    refuse_rank = 0;
    ncs_fail(&refusal, NCS_NO_MEMORY, "no memory for a Lua state");
    r = execute(options(1), two_calls);
    ck_assert_int_eq(r->verdict, NCS_MEMORY);
    finish();
}
END_TEST

static void nothing(int rank)
{
    (void)rank;
}

START_TEST(test_schedule)
{
    struct ncs_run_options o = options(2);
    o.schedule = "c1";
    o.seeded = true;
    o.seed = 9;
    const struct ncs_result *r = execute(o, nothing);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    ck_assert_str_eq(fake.options.schedule, "c1");
    ck_assert(!fake.options.seeded);
    ck_assert_str_eq(r->schedule.text, "c1.4.e2");
    ck_assert(!r->schedule_lost);
    finish();
    ncs_fail(&misfit, NCS_BAD_INPUT, "not of this run");
    r = execute(o, nothing);
    ck_assert_int_eq(r->verdict, NCS_INVALID);
    ck_assert_str_eq(r->internal.text, "not of this run");
    finish();
}
END_TEST

static void hang_unless_buffered(int rank)
{
    if (fake.options.eager == 0) {
        ncs_run_print(run, rank, "once");
        stop(NCS_STOP_QUIET);
    }
}

static void hang_anyway(int rank)
{
    (void)rank;
    stop(NCS_STOP_QUIET);
}

START_TEST(test_luck_of_a_hang)
{
    struct ncs_run_options o = options(2);
    const struct ncs_result *r = execute(o, hang_unless_buffered);
    ck_assert_int_eq(r->verdict, NCS_HANG);
    ck_assert(!r->other_policy.differs); /* no send could have been buffered: no second look */
    ck_assert_int_eq(made, 2);
    finish();
    swayed = 300;
    r = execute(o, hang_unless_buffered);
    ck_assert_int_eq(r->verdict, NCS_HANG);
    ck_assert(r->other_policy.differs);
    ck_assert_int_eq(r->other_policy.policy, NCS_POLICY_TYPICAL);
    ck_assert_int_eq(r->other_policy.verdict, NCS_PASS);
    ck_assert_uint_eq(r->other_policy.buffered, 300);
    ck_assert_uint_eq(r->other_policy.limit, 4 << 20);
    ck_assert_int_eq(made, 4);
    ck_assert_str_eq(heard.text, "[0] once|");
    ck_assert(!fake.options.seeded);
    finish();
    swayed = 300;
    r = execute(o, hang_anyway);
    ck_assert_int_eq(r->verdict, NCS_HANG);
    ck_assert(!r->other_policy.differs);
    finish();
}
END_TEST

START_TEST(test_luck_of_a_pass)
{
    struct ncs_run_options o = options(2);
    o.policy = NCS_POLICY_TYPICAL;
    o.eager = 4096;
    o.seeded = true;
    swayed = 300;
    const struct ncs_result *r = execute(o, hang_unless_buffered);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    ck_assert_int_eq(r->certainty, NCS_POLICY_DEPENDENT);
    ck_assert(r->other_policy.differs);
    ck_assert_int_eq(r->other_policy.policy, NCS_POLICY_STRICT);
    ck_assert_int_eq(r->other_policy.verdict, NCS_HANG);
    ck_assert_uint_eq(r->other_policy.buffered, 300);
    ck_assert_uint_eq(r->other_policy.limit, 4096);
    ck_assert_ptr_null(heard.text); /* the other run prints nothing */
    finish();
    o.policy = NCS_POLICY_STRICT; /* passes without buffers: nothing to compare */
    swayed = 300;
    r = execute(o, nothing);
    ck_assert_int_eq(made, 2);
    ck_assert_int_eq(r->certainty, NCS_CERTAIN);
    finish();
}
END_TEST

START_TEST(test_no_stack)
{
    struct ncs_run_options o = options(MOST_CONTEXTS + 1);
    const struct ncs_result *r = execute(o, nothing);
    ck_assert_int_eq(r->verdict, NCS_MEMORY);
    ck_assert_str_eq(r->internal.text, "no room for a stack");
    finish();
}
END_TEST

/* ---- causes ---- */

static void error_on_one(int rank)
{
    call(1);
    if (rank == 1)
        raise_error(NCS_KIND_NCCL, "ncclInvalidArgument");
}

START_TEST(test_error)
{
    const struct ncs_result *r = execute(options(2), error_on_one);
    ck_assert_int_eq(r->verdict, NCS_ERROR);
    ck_assert_uint_eq(r->errors, 1);
    ck_assert_str_eq(r->error[0].name, "ncclInvalidArgument");
    ck_assert_int_eq(r->error[0].rank, 1);
    ck_assert_uint_eq(r->error[0].order, 2);
    ck_assert_int_eq(fake.ended, 1);
    finish();
}
END_TEST

static void two_errors(int rank)
{
    call(1);
    raise_error(rank == 0 ? NCS_KIND_CUDA : NCS_KIND_LUA, "x");
}

static void errors_at_once(int rank)
{
    raise_error(rank == 0 ? NCS_KIND_CUDA : NCS_KIND_LUA, "x");
}

static void expect_then_error(int rank)
{
    if (rank == 0)
        ncs_run_expect(run, false, "element 1: got 2, want 3", "gradient", 1);
    call(1);
    if (rank == 1)
        raise_error(NCS_KIND_USAGE, "usage");
}

START_TEST(test_earliest_cause)
{
    const struct ncs_result *r = execute(options(2), two_errors);
    ck_assert_int_eq(r->verdict, NCS_ERROR);
    ck_assert_uint_eq(r->errors, 2);
    finish();
    r = execute(options(2), errors_at_once);
    ck_assert_int_eq(r->verdict, NCS_ERROR);
    finish();
    r = execute(options(2), expect_then_error);
    ck_assert_int_eq(r->verdict, NCS_WRONG);
    ck_assert_uint_eq(r->expects, 1);
    ck_assert_str_eq(r->expect[0].message, "element 1: got 2, want 3");
    ck_assert_str_eq(r->expect[0].label, "gradient");
    ck_assert_uint_eq(r->expect[0].order, 0);
    finish();
}
END_TEST

static struct ncs_place at_line_12(void *arg)
{
    return (struct ncs_place){ .file = arg, .line = 12 };
}

static void many_expects(int rank)
{
    static char file[] = "a.lua";
    ncs_local->where = at_line_12;
    ncs_local->where_arg = file;
    for (int i = 0; i < NCS_EXPECTS_KEPT + 10; i++)
        ncs_run_expect(run, false, "no", NULL, 0);
    ncs_run_expect(run, rank == 0, "yes", NULL, 0);
}

START_TEST(test_expects_bounded)
{
    const struct ncs_result *r = execute(options(1), many_expects);
    ck_assert_int_eq(r->verdict, NCS_WRONG);
    ck_assert_uint_eq(r->expects, NCS_EXPECTS_KEPT);
    ck_assert_uint_eq(r->expect_failed, NCS_EXPECTS_KEPT + 10);
    ck_assert_uint_eq(r->expected, NCS_EXPECTS_KEPT + 11);
    ck_assert_int_eq(r->expect[0].place.line, 12);
    ck_assert_ptr_null(r->expect[0].label);
    finish();
}
END_TEST

static void skip_on_one(int rank)
{
    call(1);
    if (rank == 1)
        ncs_run_skip(run, "needs eight GPUs");
    raise_error(NCS_KIND_EXPECT, "expect");
}

static void skip_first(int rank)
{
    if (rank == 0)
        ncs_run_skip(run, "needs eight GPUs");
    ck_abort_msg("a skipped run went on");
}

START_TEST(test_skip)
{
    const struct ncs_result *r = execute(options(2), skip_first);
    ck_assert_int_eq(r->verdict, NCS_SKIPPED);
    ck_assert_str_eq(r->skip_reason, "needs eight GPUs");
    finish();
    /* Failures before it still count. */
    r = execute(options(2), skip_on_one);
    ck_assert_int_eq(r->stop, NCS_STOP_INTERRUPTED);
    ck_assert_int_eq(r->verdict, NCS_WRONG);
    finish();
}
END_TEST

/* ---- output ---- */

static void talk(int rank)
{
    if (rank == 0)
        ncs_run_print(run, 0, "one\n\ntwo\n");
    else
        ncs_run_print(run, rank, "");
}

START_TEST(test_output)
{
    const struct ncs_result *r = execute(options(2), talk);
    ck_assert_str_eq(r->output.text, "[0] one\n[0] \n[0] two\n[1] \n");
    ck_assert_str_eq(heard.text, "[0] one|[0] |[0] two|[1] |");
    ck_assert_uint_eq(r->output_lost, 0);
    finish();
}
END_TEST

static void talk_long(int rank)
{
    ncs_run_print(run, rank, "1234");
    ncs_run_print(run, rank, "123456789");
    ncs_run_print(run, rank, "1");
}

START_TEST(test_output_limit)
{
    struct ncs_run_options o = options(1);
    o.output_limit = 9 + 13;
    const struct ncs_result *r = execute(o, talk_long);
    ck_assert_str_eq(r->output.text, "[0] 1234\n");
    ck_assert_str_eq(heard.text, "[0] 1234|");
    ck_assert_uint_eq(r->output_lost, 14 + 6);
    finish();
    o.output_limit = 9 + 14;
    r = execute(o, talk_long);
    ck_assert_str_eq(r->output.text, "[0] 1234\n[0] 123456789\n");
    ck_assert_uint_eq(r->output_lost, 6);
    finish();
}
END_TEST

/* ---- after the end ---- */

/* An own thread that is abandoned returns through its script, which may still say something. */
static void say_after_the_end(void)
{
    struct ncs_local *outer = ncs_local;
    ncs_local = ncs_run_local(run, 0);
    ncs_run_print(run, 0, "too late");
    ncs_run_expect(run, false, "too late", NULL, 0);
    ncs_run_skip(run, "too late");
    raise_error(NCS_KIND_LUA, "lua");
    ncs_local = outer;
}

static void plan_to_unwind(int rank)
{
    (void)rank;
    fake.on_abandon = say_after_the_end;
}

START_TEST(test_abandoned_say_nothing)
{
    const struct ncs_result *r = execute(options(1), plan_to_unwind);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    ck_assert_uint_eq(r->output.bytes, 0);
    ck_assert_uint_eq(r->expected, 0);
    ck_assert_uint_eq(r->errors, 0);
    ck_assert_ptr_null(r->skip_reason);
    ck_assert_int_eq(fake.ended, 0);
    finish();
}
END_TEST

/* ---- notices ---- */

static void disagree(int rank)
{
    (void)rank;
    call(1);
    struct ncs_call *last = ncs_run_journal(run)->newest;
    fake.observer.mismatch(fake.observer.self, &last, 1);
    fake.observer.crash(fake.observer.self, last, "a null communicator");
    fake.observer.fault(fake.observer.self, NULL, "out of bounds");
}

START_TEST(test_notices)
{
    execute(options(1), disagree);
    ck_assert_uint_eq(run->notices.count, 3);
    ck_assert_int_eq(run->notices.notice[0].kind, NCS_NOTICE_MISMATCH);
    ck_assert_ptr_null(run->notices.notice[0].why);
    ck_assert_uint_eq(run->notices.notice[0].calls, 1);
    ck_assert_uint_eq(run->notices.notice[0].call[0]->pins, 2);
    ck_assert_int_eq(run->notices.notice[1].kind, NCS_NOTICE_CRASH);
    ck_assert_str_eq(run->notices.notice[1].why, "a null communicator");
    ck_assert_uint_eq(run->notices.notice[2].calls, 0);
    finish();
}
END_TEST

/* ---- interrupts ---- */

static void interrupt_itself(int rank)
{
    (void)rank;
    ncs_run_interrupt();
    fake_check();
    ck_abort_msg("an interrupted run went on");
}

START_TEST(test_interrupt)
{
    const struct ncs_result *r = execute(options(2), interrupt_itself);
    ck_assert_int_eq(r->verdict, NCS_INTERRUPTED);
    finish();
    ncs_run_interrupt(); /* no run: no machine to tell */
}
END_TEST

static void until_interrupted(int rank)
{
    (void)rank;
    sem_wait(&fake.interrupted);
    stop(NCS_STOP_INTERRUPTED);
}

START_TEST(test_timeout)
{
    struct ncs_run_options o = options(1);
    o.timeout = 1;
    const struct ncs_result *r = execute(o, until_interrupted);
    /* It may have come before the machine was started. */
    ck_assert_int_eq(r->stop, NCS_STOP_INTERRUPTED);
    ck_assert_int_eq(r->verdict, NCS_TIMEOUT);
    finish();
    o.timeout = INT64_MAX;
    r = execute(o, two_calls);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    finish();
}
END_TEST

static sem_t stuck;

static void be_stuck(void)
{
    sem_post(&stuck);
}

START_TEST(test_stuck)
{
    struct run_watch watch = { 0 };
    struct ncs_error err;
    sem_init(&stuck, 0, 0);
    ncs_run_stuck = be_stuck;
    sem_init(&fake.interrupted, 0, 0);
    ck_assert(ncs_watch_start(&watch, 1, fake_interrupt, &err));
    sem_wait(&stuck);
    ck_assert_int_eq(sem_trywait(&fake.interrupted), 0);
    ck_assert(atomic_load(&watch.expired));
    ncs_watch_stop(&watch);
    ncs_watch_stop(&watch);
}
END_TEST

NCS_TEST_MAIN("run", test_pass, test_policy, test_nothing_executed, test_unknown_driver, test_rank_refused, test_schedule,
              test_luck_of_a_hang, test_luck_of_a_pass, test_no_stack, test_error, test_earliest_cause, test_expects_bounded,
              test_skip, test_output, test_output_limit, test_abandoned_say_nothing, test_notices, test_interrupt, test_timeout,
              test_stuck)
