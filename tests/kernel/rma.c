/* Windows, registrations, puts, signals and waits: who waits for whom, what arrives when, and what
 * is refused with which code and text. */
#include "comm_lab.h"

#include "harness.h"

enum { WINDOW = 16 };

static float *mine[KERNEL_RANKS_MAX]; /* the memory of every rank's window */
static ncclWindow_t window[KERNEL_RANKS_MAX];

static void make_window(struct kernel_rank *r)
{
    OK(api->ncclMemAlloc((void **)&mine[r->rank], WINDOW * sizeof(float)));
    for (int i = 0; i < WINDOW; i++)
        mine[r->rank][i] = (float)(100 * r->rank + i);
    OK(api->ncclCommWindowRegister(r->world, mine[r->rank], WINDOW * sizeof(float), &window[r->rank], NCCL_WIN_COLL_SYMMETRIC));
    ck_assert(machine->cancelled() || window[r->rank]);
}

/* The first `count` elements of this rank's window to element `at` of the peer's. */
static ncclResult_t put(struct kernel_rank *r, int peer, size_t count, size_t at)
{
    return api->ncclPutSignal(mine[r->rank], count, ncclFloat32, peer, window[r->rank], at * sizeof(float), 0, 0, 0, r->world,
                              r->stream);
}

static ncclResult_t wait_for_signals(struct kernel_rank *r, int peer, int signals)
{
    ncclWaitSignalDesc_t d = { .opCnt = signals, .peer = peer };
    return api->ncclWaitSignal(1, &d, r->world, r->stream);
}

static enum ncs_stop stop_of(int ranks, void (*body)(struct kernel_rank *r), uint64_t seed)
{
    kernel_open(&(struct ncs_machine_options){ .seeded = seed > 0, .seed = seed });
    enum ncs_stop stop = kernel_run(ranks, body);
    return stop;
}

/* ---- data ---- */

static void ring(struct kernel_rank *r)
{
    int next = (r->rank + 1) % r->nranks, before = (r->rank + r->nranks - 1) % r->nranks;
    make_window(r);
    OK(put(r, next, 4, 8));
    OK(wait_for_signals(r, before, 1));
    OK(api->cudaStreamSynchronize(r->stream));
    for (int i = 0; i < 4; i++)
        ck_assert_float_eq(mine[r->rank][8 + i], (float)(100 * before + i));
    ck_assert_float_eq(mine[r->rank][12], (float)(100 * r->rank + 12));
}

START_TEST(puts_arrive_before_their_signal)
{
    for (int ranks = 1; ranks <= 8; ranks++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            ck_assert_int_eq(stop_of(ranks, ring, seed), NCS_STOP_DONE);
            kernel_end();
        }
}
END_TEST

/* Signals count for ever: a wait that comes late finds them, and takes what it asks for. */
static void count_up(struct kernel_rank *r)
{
    make_window(r);
    if (r->rank == 0) {
        for (int i = 0; i < 3; i++)
            OK(put(r, 1, 1, (size_t)i));
        OK(put(r, 1, 0, 0)); /* a bare signal */
        OK(api->ncclSignal(1, 0, 0, 0, r->world, r->stream));
    } else {
        OK(wait_for_signals(r, 0, 2));
        ncclWaitSignalDesc_t twice[] = { { .opCnt = 1, .peer = 0 }, { .opCnt = 2, .peer = 0 } };
        OK(api->ncclWaitSignal(2, twice, r->world, r->stream));
    }
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(signals_are_cumulative)
{
    ck_assert_int_eq(stop_of(2, count_up, 0), NCS_STOP_DONE);
    kernel_end();
}
END_TEST

static int waited;

static void one_short(struct kernel_rank *r)
{
    make_window(r);
    if (r->rank == 0) {
        OK(put(r, 1, 1, 0));
        OK(api->cudaStreamSynchronize(r->stream));
        return;
    }
    OK(wait_for_signals(r, 0, 2)); /* the host goes on */
    waited++;
    OK(api->cudaStreamSynchronize(r->stream));
    if (!machine->cancelled())
        waited++;
}

START_TEST(a_wait_blocks_its_stream_alone)
{
    struct ncs_snapshot s;
    waited = 0;
    ck_assert_int_eq(stop_of(2, one_short, 0), NCS_STOP_QUIET);
    ck_assert_int_eq(waited, 1);
    machine->snapshot(&s);
    ck_assert_uint_eq(s.lacks, 1);
    ck_assert_int_eq(s.lack[0].peer, 0);
    ck_assert_uint_eq(s.lack[0].wanted, 2);
    ck_assert_uint_eq(s.lack[0].came, 1);
    ncs_snapshot_free(&s);
    kernel_end();
}
END_TEST

/* One-sided calls go before collectives, and these before sends, whatever the order of the calls. */
static void mixed_group(struct kernel_rank *r)
{
    int other = 1 - r->rank;
    make_window(r);
    OK(put(r, other, 0, 0)); /* first contact, outside of the group */
    OK(wait_for_signals(r, other, 1));
    OK(api->ncclGroupStart());
    OK(api->ncclSend(r->x, 1, ncclFloat32, other, r->world, r->stream));
    OK(api->ncclRecv(r->x + 1, 1, ncclFloat32, other, r->world, r->stream));
    OK(api->ncclAllReduce(mine[r->rank], r->x, 1, ncclFloat32, ncclSum, r->world, r->stream));
    OK(api->ncclPutSignal(mine[r->rank] + 4, 1, ncclFloat32, other, window[r->rank], 0, 0, 0, 0, r->world, r->stream));
    OK(wait_for_signals(r, other, 1));
    OK(api->ncclGroupEnd());
    OK(api->cudaStreamSynchronize(r->stream));
    /* The put wrote the other's fifth element, 4 or 104, the sum is of those, and it was sent. */
    ck_assert_float_eq(r->x[0], 108);
    ck_assert_float_eq(r->x[1], 108);
}

START_TEST(one_sided_calls_go_first)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        ck_assert_int_eq(stop_of(2, mixed_group, seed), NCS_STOP_DONE);
        kernel_end();
    }
}
END_TEST

/* ---- hosts that wait ---- */

static int passed;

static void all_but_one_signal(struct kernel_rank *r)
{
    if (r->rank == 2)
        return;
    OK(api->ncclSignal(r->rank, 0, 0, 0, r->world, r->stream));
    passed += !machine->cancelled();
}

START_TEST(the_first_one_sided_call_waits_for_every_rank)
{
    struct ncs_snapshot s;
    passed = 0;
    ck_assert_int_eq(stop_of(3, all_but_one_signal, 0), NCS_STOP_QUIET);
    ck_assert_int_eq(passed, 0);
    machine->snapshot(&s);
    ck_assert_uint_eq(s.jobs, 2);
    ck_assert_int_eq(s.job[0].kind, NCS_JOB_CONTACT);
    ck_assert_uint_eq(s.job[0].misses, 1);
    ck_assert_int_eq(s.missing[s.job[0].miss], 2);
    ncs_snapshot_free(&s);
    kernel_end();
}
END_TEST

static void all_but_one_register(struct kernel_rank *r)
{
    if (r->rank == 1)
        return;
    make_window(r);
    passed += !machine->cancelled();
}

START_TEST(registration_waits_for_every_rank)
{
    struct ncs_snapshot s;
    passed = 0;
    ck_assert_int_eq(stop_of(3, all_but_one_register, 0), NCS_STOP_QUIET);
    ck_assert_int_eq(passed, 0);
    machine->snapshot(&s);
    bool found = false;
    for (size_t i = 0; i < s.jobs; i++)
        if (s.job[i].kind == NCS_JOB_WINDOW) {
            found = true;
            ck_assert_uint_eq(s.job[i].misses, 1);
            ck_assert_int_eq(s.missing[s.job[i].miss], 1);
        }
    ck_assert(found);
    ncs_snapshot_free(&s);
    kernel_end();
}
END_TEST

/* ---- out of bounds ---- */

static int status;

static void put_too_far(struct kernel_rank *r)
{
    make_window(r);
    if (r->rank == 0) {
        OK(put(r, 1, 4, WINDOW - 3));
        status = api->cudaStreamSynchronize(r->stream);
    } else {
        OK(api->ncclSignal(0, 0, 0, 0, r->world, r->stream));
        OK(api->cudaStreamSynchronize(r->stream));
    }
}

START_TEST(a_put_beyond_the_window_is_an_illegal_access)
{
    ck_assert_int_eq(stop_of(2, put_too_far, 0), NCS_STOP_DONE);
    ck_assert_int_eq(status, cudaErrorIllegalAddress);
    kernel_end();
}
END_TEST

/* ---- what is refused ---- */

static void refuse_puts(struct kernel_rank *r)
{
    ncclWaitSignalDesc_t d = { .opCnt = 1, .peer = 0 };
    make_window(r);
    float *x = mine[0];
    ncclWindow_t w = window[0];
#define PUT(from, peer, win, sig, ctx, flags) \
    api->ncclPutSignal(from, 1, ncclFloat32, peer, win, 0, sig, ctx, flags, r->world, r->stream)
    REFUSED(4, "PutSignal : comm argument is NULL", api->ncclPutSignal(x, 1, ncclFloat32, 0, w, 0, 0, 0, 0, NULL, r->stream));
    REFUSED(4, "PutSignal : invalid root 1 (root should be in the 0..1 range)", PUT(x, 1, w, 1, 1, 1));
    REFUSED(4, "Context 1 is invalid (must be in [0, 1))", PUT(x, 0, NULL, 1, 1, 1));
    REFUSED(4, "Signal index 1 is invalid (must be in [0, 1))", PUT(x, 0, NULL, 1, 0, 1));
    REFUSED(4, "Flags 1 is invalid (must be 0)", PUT(x, 0, NULL, 0, 0, 1));
    REFUSED(4, "ncclPutSignal: peerWin is NULL", PUT(NULL, 0, NULL, 0, 0, 0));
    REFUSED(3, "Device object does not exist in shadow pool.", PUT(NULL, 0, (ncclWindow_t)(void *)x, 0, 0, 0));
    REFUSED(4, "ncclPutSignal: srcBuff is NULL", PUT(NULL, 0, w, 0, 0, 0));
    ck_assert_int_eq(PUT(r->x, 0, w, 0, 0, 0), ncclInvalidArgument);
    OK(PUT(x, 0, w, 0, 0, 0));
    REFUSED(4, "ncclWaitSignal: invalid arguments", api->ncclWaitSignal(1, NULL, r->world, r->stream));
    REFUSED(4, "ncclWaitSignal: invalid arguments", api->ncclWaitSignal(0, &d, r->world, r->stream));
    d.opCnt = 0;
    REFUSED(4, "ncclWaitSignal: descriptor 0 has invalid opCnt 0", api->ncclWaitSignal(1, &d, r->world, r->stream));
    d = (ncclWaitSignalDesc_t){ .opCnt = 1, .peer = 7 };
    ck_assert_int_eq(api->ncclWaitSignal(1, &d, r->world, r->stream), ncclInvalidArgument);
    REFUSED(4, "Signal : invalid root -1 (root should be in the 0..1 range)", api->ncclSignal(-1, 0, 0, 0, r->world, r->stream));
    OK(api->cudaStreamSynchronize(r->stream));
}

static void refuse_windows(struct kernel_rank *r)
{
    ncclWindow_t w = (ncclWindow_t)(void *)r;
    void *p, *q;
    make_window(r);
    REFUSED(4, "ncclCommWindowRegister : comm argument is NULL", api->ncclCommWindowRegister(NULL, mine[0], 4, &w, 0));
    REFUSED(4, "ncclCommWindowRegister : win argument is NULL", api->ncclCommWindowRegister(r->world, mine[0], 4, NULL, 0));
    REFUSED(4, "invalid pointer (nil) / size 4", api->ncclCommWindowRegister(r->world, NULL, 4, &w, 0));
    ck_assert_ptr_null(w);
    ck_assert_int_eq(api->ncclCommWindowRegister(r->world, mine[0], 0, &w, 0), 4);
    REFUSED(1, "Cuda failure 1 'invalid argument'", api->ncclCommWindowRegister(r->world, r->x, 4, &w, 0));
    REFUSED(4, "Window address must be suitably aligned.", api->ncclCommWindowRegister(r->world, mine[0] + 1, 4, &w, 0));
    OK(api->ncclWinGetUserPtr(r->world, window[0], &p));
    ck_assert_ptr_eq(p, mine[0]);
    REFUSED(4, "ncclWinGetUserPtr : win argument is NULL", api->ncclWinGetUserPtr(r->world, NULL, &p));
    ck_assert_int_eq(api->ncclWinGetUserPtr(r->world, (ncclWindow_t)(void *)r, &p), 3);
    OK(api->ncclCommWindowDeregister(r->world, NULL));
    OK(api->ncclCommWindowDeregister(r->world, window[0]));
    ck_assert_int_eq(api->ncclCommWindowDeregister(r->world, window[0]), 3);
    ck_assert_int_eq(api->ncclCommWindowDeregister(NULL, NULL), 4);
    /* In a group the handle is there after its end. */
    OK(api->ncclGroupStart());
    OK(api->ncclCommWindowRegister(r->world, mine[0], 4, &w, 0));
    ck_assert_ptr_null(w);
    OK(api->ncclGroupEnd());
    ck_assert_ptr_nonnull(w);
    /* Memory of NCCL. */
    ck_assert_int_eq(api->ncclMemAlloc(NULL, 4), ncclUnhandledCudaError);
    OK(api->ncclMemAlloc(&p, 0));
    ck_assert_ptr_null(p);
    OK(api->ncclMemFree(NULL));
    ck_assert_int_eq(api->ncclMemFree(&p), ncclUnhandledCudaError);
    OK(api->ncclMemAlloc(&p, 10000));
    ck_assert_int_eq(api->cudaFree(p), cudaErrorInvalidValue);
    api->cudaGetLastError();
    OK(api->ncclMemFree(p));
    OK(api->cudaMalloc(&q, 16));
    OK(api->ncclMemFree(q));
    REFUSED(1, "Cuda failure 'out of memory'", api->ncclMemAlloc(&p, (size_t)1 << 50));
    api->cudaGetLastError();
}

static void refuse_registrations(struct kernel_rank *r)
{
    void *a, *b, *c;
    char *p;
    OK(api->ncclMemAlloc((void **)&p, 1 << 16));
    OK(api->ncclCommRegister(r->world, p, 3 * 4096, &a));
    OK(api->ncclCommRegister(r->world, p + 5000, 10, &b));       /* within it */
    OK(api->ncclCommRegister(r->world, p + 4096, 4 * 4096, &c)); /* beyond its end */
    ck_assert_ptr_eq(a, b);
    ck_assert_ptr_ne(a, c);
    OK(api->ncclCommDeregister(r->world, a));
    OK(api->ncclCommDeregister(r->world, a)); /* two users */
    REFUSED(5, "Deregister: Could not find handle", api->ncclCommDeregister(r->world, a));
    OK(api->ncclCommDeregister(r->world, c));
    OK(api->ncclCommDeregister(r->world, NULL));
    REFUSED(4, "ncclCommRegister : comm argument is NULL", api->ncclCommDeregister(NULL, NULL));
    REFUSED(4, "ncclCommRegister : comm argument is NULL", api->ncclCommRegister(NULL, p, 1, &a));
    ck_assert_int_eq(api->ncclCommRegister(r->world, p, 1, NULL), 4);
    ck_assert_int_eq(api->ncclCommRegister(r->world, &a, 1, &a), 1); /* memory of the host */
}

START_TEST(mistakes_are_refused_as_nccl_does)
{
    void (*const bodies[])(struct kernel_rank *) = { refuse_puts, refuse_windows, refuse_registrations };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        ck_assert_int_eq(stop_of(1, bodies[i], 0), NCS_STOP_DONE);
        kernel_end();
    }
}
END_TEST

static void as_before_2_29(struct kernel_rank *r)
{
    ncclWindow_t w = (ncclWindow_t)(void *)r;
    ck_assert_ptr_null(api->ncclPutSignal);
    OK(api->ncclCommWindowRegister(r->world, NULL, 4, &w, 0));
    ck_assert_ptr_eq((void *)w, r);
    OK(api->ncclCommWindowDeregister(NULL, NULL));
    ck_assert_int_eq(api->ncclCommWindowRegister(NULL, r->x, 4, &w, 0), 4); /* it crashes there */
    void *handle;
    OK(api->ncclCommRegister(r->world, r, 1, &handle)); /* any address */
}

START_TEST(the_older_profile_looks_at_less)
{
    kernel_open(&(struct ncs_machine_options){ .nccl_version = 22809 });
    ck_assert_int_eq(kernel_run(1, as_before_2_29), NCS_STOP_DONE);
    kernel_end();
}
END_TEST

/* ---- an end in the middle ---- */

static void abort_while_waiting(struct kernel_rank *r)
{
    make_window(r);
    if (r->rank == 0) {
        OK(put(r, 1, 2, 0));
        OK(wait_for_signals(r, 1, 5));
        OK(api->ncclCommAbort(r->world));
    } else {
        OK(wait_for_signals(r, 0, 1));
    }
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(abort_ends_a_wait)
{
    uint64_t objects, bytes, trace;
    for (uint64_t seed = 0; seed < 8; seed++) {
        ck_assert_int_eq(stop_of(2, abort_while_waiting, seed), NCS_STOP_DONE);
        kernel_end();
        machine->stats(&objects, &bytes, &trace);
        ck_assert_uint_eq(objects, 0);
        ck_assert_uint_eq(bytes, 0);
    }
    /* And a run that is given up in the middle leaves nothing either. */
    ck_assert_int_eq(stop_of(2, one_short, 0), NCS_STOP_QUIET);
    kernel_end();
    machine->stats(&objects, &bytes, &trace);
    ck_assert_uint_eq(objects, 0);
    ck_assert_uint_eq(bytes, 0);
}
END_TEST

/* A window is gone with the last rank that deregisters it, when what was put into it has arrived. */
static uint64_t left[2];

static void register_over_and_over(struct kernel_rank *r)
{
    int other = 1 - r->rank;
    make_window(r);
    for (int i = 0; i < 20; i++) {
        uint64_t bytes, trace;
        OK(put(r, other, 1, 0));
        OK(wait_for_signals(r, other, 1));
        OK(api->cudaStreamSynchronize(r->stream));
        OK(put(r, other, 0, 0)); /* a bare signal is on its way when the window ends */
        OK(api->ncclCommWindowDeregister(r->world, window[r->rank]));
        OK(wait_for_signals(r, other, 1));
        OK(api->cudaStreamSynchronize(r->stream));
        OK(api->ncclCommWindowRegister(r->world, mine[r->rank], WINDOW * sizeof(float), &window[r->rank],
                                       NCCL_WIN_COLL_SYMMETRIC));
        machine->stats(&left[i > 1], &bytes, &trace);
    }
}

START_TEST(windows_come_and_go)
{
    ck_assert_int_eq(stop_of(2, register_over_and_over, 0), NCS_STOP_DONE);
    ck_assert_uint_le(left[1], left[0] + 2); /* the other rank may be a call ahead */
    kernel_end();
}
END_TEST

NCS_TEST_MAIN("one-sided", windows_come_and_go, puts_arrive_before_their_signal, signals_are_cumulative,
              a_wait_blocks_its_stream_alone, one_sided_calls_go_first, the_first_one_sided_call_waits_for_every_rank,
              registration_waits_for_every_rank, a_put_beyond_the_window_is_an_illegal_access, mistakes_are_refused_as_nccl_does,
              the_older_profile_looks_at_less, abort_ends_a_wait)
