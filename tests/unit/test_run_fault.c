/* Faults: which call they wait for, and what they ask of the machine. */
#include "run_fake.h"

#include "run/fault.h"

static int synchronized, allocated;

static cudaError_t synchronize(void)
{
    synchronized++;
    return cudaSuccess;
}

static cudaError_t allocate(void **p, size_t bytes)
{
    (void)bytes;
    allocated++;
    *p = NULL;
    return cudaSuccess;
}

static const struct ncs_api calls = { .cudaDeviceSynchronize = synchronize, .cudaMalloc = allocate };
static struct ncs_machine machine;

static const struct ncs_result *on_machine(int ranks, bool simulator, void (*main)(int rank))
{
    struct ncs_program program = { &body, rank_new, rank_main, rank_free, false };
    struct ncs_run_options o = options(ranks);
    memset(&fake, 0, sizeof fake);
    sem_init(&fake.interrupted, 0, 0);
    machine = fake_machine;
    if (!simulator)
        machine.inject = NULL;
    static struct ncs_driver driver;
    driver = (struct ncs_driver){ "sim", &calls, &machine, false };
    body = main;
    made = freed = synchronized = allocated = 0;
    ncs_str_clear(&heard);
    run = ncs_run_new(&o, &program, hear, &heard);
    return ncs_run_execute_on(run, &driver);
}

static struct ncs_fault fault(enum ncs_fault_kind kind, int fn, uint64_t nth)
{
    return (struct ncs_fault){ .kind = kind, .fn = fn, .nth = nth, .place = { .line = 7 } };
}

static int sync_rc(void)
{
    return ncs_run_api(run)->cudaDeviceSynchronize();
}

static int malloc_rc(void)
{
    void *p;
    return ncs_run_api(run)->cudaMalloc(&p, 8);
}

/* ---- the nth use ---- */

static void fails_third(int rank)
{
    struct ncs_fault f = fault(NCS_FAULT_FAIL, NCS_FN_cudaDeviceSynchronize, 3);
    f.code = cudaErrorUnknown;
    if (rank == 1)
        ncs_run_fault(run, &f);
    for (int i = 1; i <= 5; i++) {
        ck_assert_int_eq(sync_rc(), rank == 1 && i == 3 ? cudaErrorUnknown : cudaSuccess);
        ck_assert_int_eq(malloc_rc(), cudaSuccess); /* is no use of the other function */
    }
}

START_TEST(a_call_that_fails_is_not_made)
{
    const struct ncs_result *r = on_machine(3, true, fails_third);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    ck_assert_int_eq(synchronized, 14);
    ck_assert_int_eq(allocated, 15);
    ck_assert_uint_eq(r->calls, 30); /* that one is in the journal all the same */
    finish();
}
END_TEST

static void fails_again(int rank)
{
    struct ncs_fault f = fault(NCS_FAULT_FAIL, NCS_FN_cudaDeviceSynchronize, 1);
    f.code = cudaErrorUnknown;
    (void)rank;
    ck_assert_int_eq(sync_rc(), cudaSuccess);
    ncs_run_fault(run, &f); /* counted from here on */
    f.nth = 2;
    f.code = cudaErrorNotSupported;
    ncs_run_fault(run, &f);
    ck_assert_int_eq(sync_rc(), cudaErrorUnknown);
    ck_assert_int_eq(sync_rc(), cudaErrorNotSupported);
    ck_assert_int_eq(sync_rc(), cudaSuccess);
}

START_TEST(each_comes_once)
{
    ck_assert_int_eq(on_machine(2, true, fails_again)->verdict, NCS_PASS);
    finish();
}
END_TEST

static void many_at_once(int rank)
{
    struct ncs_fault f = fault(NCS_FAULT_SLOW, NCS_FN_cudaMalloc, 1);
    (void)rank;
    f.nanoseconds = 10;
    for (int i = 0; i < 40; i++)
        ncs_run_fault(run, &f);
    ck_assert_int_eq(fake.now, 0);
    ck_assert_int_eq(malloc_rc(), cudaSuccess);
    ck_assert_int_eq(fake.now, 400);
    ck_assert_int_eq(malloc_rc(), cudaSuccess);
    ck_assert_int_eq(fake.now, 400);
    f.fn = -1;
    ncs_run_fault(run, &f); /* now */
    ck_assert_int_eq(fake.now, 410);
}

START_TEST(late_calls)
{
    ck_assert_int_eq(on_machine(1, true, many_at_once)->verdict, NCS_PASS);
    finish();
}
END_TEST

/* ---- the end of a rank or a thread ---- */

static void dies_before(int rank)
{
    struct ncs_fault f = fault(rank == 0 ? NCS_FAULT_KILL : NCS_FAULT_STALL, NCS_FN_cudaMalloc, 2);
    if (rank < 2)
        ncs_run_fault(run, &f);
    for (int i = 0; i < 3; i++)
        malloc_rc();
    ck_assert_int_eq(rank, 2);
}

START_TEST(the_call_before_which_it_ends_is_not_made)
{
    on_machine(3, true, dies_before);
    ck_assert_int_eq(allocated, 1 + 1 + 3);
    ck_assert_str_eq(fake.stopped, "die fault.kill at line 7 @0 end fault.stall at line 7 @0 ");
    ck_assert(run->rank[0].dead && !run->rank[1].dead && !run->rank[2].dead);
    finish();
}
END_TEST

static void dies_now(int rank)
{
    struct ncs_fault f = fault(NCS_FAULT_KILL, -1, 1);
    if (rank == 0)
        ncs_run_fault(run, &f);
    ck_assert_int_eq(rank, 1);
}

START_TEST(it_ends_at_once)
{
    on_machine(2, false, dies_now);
    ck_assert_str_eq(fake.stopped, "die fault.kill at line 7 @7 ");
    finish();
}
END_TEST

static void calls_though_dead(int rank)
{
    struct ncs_fault f = fault(NCS_FAULT_SLOW, NCS_FN_cudaMalloc, 100);
    ncs_run_fault(run, &f);
    run->rank[rank].dead = true; /* by another thread: on real hardware this one has gone on */
    run->rank[rank].death = (struct ncs_place){ NULL, 9 };
    malloc_rc();
    ck_abort_msg("it makes calls");
}

START_TEST(a_dead_rank_makes_no_calls)
{
    on_machine(1, false, calls_though_dead);
    ck_assert_int_eq(allocated, 0);
    ck_assert_str_eq(fake.stopped, "die fault.kill at line 9 @0 ");
    finish();
}
END_TEST

/* ---- what only a simulator can do ---- */

static void injects(int rank)
{
    int thing;
    struct ncs_fault f = fault(NCS_FAULT_LINK, -1, 1);
    (void)rank;
    f.comm = &thing;
    f.peer = 3;
    f.nanoseconds = 17;
    ncs_run_fault(run, &f);
    ck_assert_int_eq(fake.injections, 1);
    ck_assert_int_eq(fake.injected.kind, NCS_INJECT_LINK);
    ck_assert_ptr_eq(fake.injected.comm, &thing);
    ck_assert_int_eq(fake.injected.peer, 3);
    ck_assert_int_eq(fake.injected.nanoseconds, 17);
    f = fault(NCS_FAULT_ASYNC, NCS_FN_cudaMalloc, 2);
    f.comm = &thing; /* whose error it is, not where uses are counted */
    f.code = ncclRemoteError;
    ncs_run_fault(run, &f);
    malloc_rc();
    ck_assert_int_eq(fake.injections, 1);
    malloc_rc();
    ck_assert_int_eq(fake.injections, 2);
    ck_assert_int_eq(fake.injected.kind, NCS_INJECT_ASYNC);
    ck_assert_ptr_eq(fake.injected.comm, &thing);
    ck_assert_int_eq(fake.injected.code, ncclRemoteError);
    f = fault(NCS_FAULT_CORRUPT, -1, 1);
    ncs_run_fault(run, &f);
    for (int i = 0; i < 3; i++)
        malloc_rc(); /* has no result that could be spoilt */
    ck_assert_int_eq(fake.injections, 2);
}

START_TEST(what_the_machine_is_asked_for)
{
    ck_assert_int_eq(on_machine(1, true, injects)->verdict, NCS_PASS);
    ck_assert_int_eq(allocated, 5);
    finish();
}
END_TEST

static void asks(int rank)
{
    (void)rank;
    for (int kind = NCS_FAULT_KILL; kind <= NCS_FAULT_ASYNC; kind++)
        ck_assert(ncs_run_can_fault(run, kind) == (kind <= NCS_FAULT_FAIL || machine.inject));
}

START_TEST(what_drivers_can_do)
{
    on_machine(1, true, asks);
    finish();
    on_machine(1, false, asks);
    finish();
}
END_TEST

NCS_TEST_MAIN("run_fault", a_call_that_fails_is_not_made, each_comes_once, late_calls, the_call_before_which_it_ends_is_not_made,
              it_ends_at_once, a_dead_rank_makes_no_calls, what_the_machine_is_asked_for, what_drivers_can_do)
