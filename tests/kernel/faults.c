/* Faults: processes that die with all that is theirs, links, spoilt results, asynchronous errors. */
#include "kernel.h"

#include "api/journal.h"
#include "harness.h"

#define SECOND ((int64_t)1000000000)

static enum ncs_stop stop;
static char trail[64];

static void leave(char c)
{
    size_t n = strlen(trail);
    ck_assert_uint_lt(n, sizeof trail - 1);
    trail[n] = c;
    trail[n + 1] = '\0';
}

/* Runs f as the ranks of a machine with a host for each, as fibers and as threads; nothing is left. */
static void both(int ranks, void (*f)(struct kernel_rank *r), void (*check)(void))
{
    for (int threads = 0; threads < 2; threads++) {
        struct ncs_machine_options options = { .own_threads = threads, .hosts.devices = 1 };
        kernel_open(&options);
        trail[0] = '\0';
        stop = kernel_run(ranks, f);
        check();
        kernel_end();
        uint64_t objects, bytes, trace;
        machine->stats(&objects, &bytes, &trace);
        ck_assert_uint_eq(objects, 0);
        ck_assert_uint_eq(bytes, 0);
    }
}

static void die(void)
{
    machine->die("fault.kill", (struct ncs_place){ NULL, 7 });
}

/* ---- death ---- */

static struct ncs_local second_local;

static void later(void *arg)
{
    struct kernel_rank *r = arg;
    leave('(');
    machine->sleep(SECOND);
    leave(')');
    OK(kernel_reduce(r));
}

static void dies_beside_a_thread(struct kernel_rank *r)
{
    if (r->rank == 1) {
        struct ncs_error err;
        second_local = (struct ncs_local){ .rank = 1, .thread = 1 };
        struct ncs_context_options options = { .process = 1, .local = &second_local, .main = later, .arg = r };
        ck_assert(machine->spawn(&options, &err));
        machine->sleep(SECOND / 2);
        die();
        leave('!');
    }
    machine->sleep(2 * SECOND);
}

static void check_dead(void)
{
    ck_assert_int_eq(stop, NCS_STOP_DONE);
    ck_assert_str_eq(trail, "(");
    ck_assert(kernel_rank[0].finished && !kernel_rank[1].finished);
}

START_TEST(its_threads_die_with_it)
{
    both(2, dies_beside_a_thread, check_dead);
}
END_TEST

static void slow(void *data)
{
    (void)data;
    leave('(');
    machine->sleep(SECOND);
    leave(')');
}

static void quick(void *data)
{
    leave(*(const char *)data);
}

static void dies_beside_its_stream(struct kernel_rank *r)
{
    if (r->rank == 1) {
        OK(api->cudaLaunchHostFunc(r->stream, slow, NULL));
        OK(api->cudaLaunchHostFunc(r->stream, quick, (void *)"q"));
        machine->sleep(SECOND / 2);
        die();
    }
    machine->sleep(2 * SECOND);
}

START_TEST(its_streams_run_nothing_more)
{
    both(2, dies_beside_its_stream, check_dead);
}
END_TEST

static void dies_in_its_stream(struct kernel_rank *r)
{
    if (r->rank == 1) {
        OK(api->cudaLaunchHostFunc(r->stream, quick, (void *)"("));
        OK(api->cudaLaunchHostFunc(r->stream, (void (*)(void *))die, NULL));
        OK(api->cudaLaunchHostFunc(r->stream, quick, (void *)"q"));
        OK(api->cudaStreamSynchronize(r->stream));
        leave('!');
    }
}

START_TEST(it_dies_in_a_host_function)
{
    both(2, dies_in_its_stream, check_dead);
}
END_TEST

static void dies_with_work_queued(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
    if (r->rank == 0) /* so that its call has not begun */
        OK(api->cudaLaunchHostFunc(r->stream, slow, NULL));
    OK(kernel_reduce(r));
    if (r->rank == 0)
        die();
    if (!machine->cancelled())
        leave('.');
    OK(api->cudaStreamSynchronize(r->stream));
    if (!machine->cancelled())
        leave('!');
}

static void check_left_waiting(void)
{
    ck_assert_int_eq(stop, NCS_STOP_QUIET);
    ck_assert_str_eq(trail, "..");
    struct ncs_snapshot s;
    machine->snapshot(&s);
    int killed = 0;
    for (size_t i = 0; i < s.contexts; i++)
        if (s.context[i].ending == NCS_END_KILLED) {
            killed++;
            ck_assert_int_eq(s.context[i].rank, 0);
            ck_assert_str_eq(s.context[i].message, "fault.kill");
            ck_assert_int_eq(s.context[i].place.line, 7);
        }
    ck_assert_int_eq(killed, 1);
    ncs_snapshot_free(&s);
}

START_TEST(others_wait_for_what_it_had_queued)
{
    both(3, dies_with_work_queued, check_left_waiting);
}
END_TEST

static ncclComm_t half;

static void splits(void *arg)
{
    struct kernel_rank *r = arg;
    ncclConfig_t *plain = NULL;
    OK(api->ncclCommSplit(r->world, 0, 0, &half, plain));
}

static void dies_beside_a_split(struct kernel_rank *r)
{
    ncclComm_t child = NULL;
    if (r->rank == 1) {
        struct ncs_error err;
        second_local = (struct ncs_local){ .rank = 1, .thread = 1 };
        struct ncs_context_options options = { .process = 1, .local = &second_local, .main = splits, .arg = r };
        ck_assert(machine->spawn(&options, &err));
        machine->sleep(SECOND / 2);
        die();
        return;
    }
    machine->sleep(SECOND);
    leave('.');
    OK(api->ncclCommSplit(r->world, 0, 0, &child, NULL));
    if (!machine->cancelled())
        leave('!');
}

static void check_missed(void)
{
    ck_assert_int_eq(stop, NCS_STOP_QUIET);
    ck_assert_str_eq(trail, ".");
    struct ncs_snapshot s;
    int splits_there = 0;
    machine->snapshot(&s);
    for (size_t i = 0; i < s.jobs; i++) {
        const struct ncs_snap_job *j = &s.job[i];
        ck_assert_int_eq(j->rank, 0);
        if (j->kind != NCS_JOB_SPLIT)
            continue;
        splits_there++;
        ck_assert(!j->refused);
        ck_assert_uint_eq(j->misses, 1);
        ck_assert_int_eq(s.missing[j->miss], 1);
    }
    ck_assert_int_eq(splits_there, 1);
    ncs_snapshot_free(&s);
}

START_TEST(others_miss_it_where_it_had_come)
{
    both(2, dies_beside_a_split, check_missed);
}
END_TEST

static void dies_far_away(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
    if (r->rank == 3) {
        die();
        return;
    }
    machine->sleep(SECOND);
    ncclResult_t before, after;
    OK(api->ncclCommGetAsyncError(r->world, &before));
    OK(kernel_reduce(r));
    machine->sleep(SECOND);
    OK(api->ncclCommGetAsyncError(r->world, &after));
    ck_assert_int_eq(before, ncclSuccess);
    ck_assert_int_eq(after, r->rank == 1 ? ncclSuccess : ncclRemoteError);
    leave('.');
}

static void check_told(void)
{
    ck_assert_int_eq(stop, NCS_STOP_DONE);
    ck_assert_str_eq(trail, "...");
}

START_TEST(neighbours_on_other_hosts_are_told_when_they_use_it)
{
    both(4, dies_far_away, check_told);
}
END_TEST

/* ---- links ---- */

static void link_to(struct kernel_rank *r, int peer, int64_t nanoseconds)
{
    machine->inject(
        &(struct ncs_injection){ .kind = NCS_INJECT_LINK, .comm = r->world, .peer = peer, .nanoseconds = nanoseconds });
}

static int64_t reduced(struct kernel_rank *r)
{
    int64_t begun = machine->now();
    machine->sleep(1); /* all links are as they should be */
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
    return machine->now() - begun;
}

static void slow_links(struct kernel_rank *r)
{
    int64_t plain = reduced(r);
    ck_assert_int_lt(plain, SECOND);
    if (r->rank == 0)
        link_to(r, 2, 3 * SECOND);
    ck_assert_int_eq(reduced(r), plain + 3 * SECOND);
    if (r->rank == 2)
        link_to(r, 0, 4 * SECOND);
    ck_assert_int_eq(reduced(r), plain + 7 * SECOND);
    if (r->rank == 1)
        for (int i = 0; i < 4; i++)
            link_to(r, 2, INT64_MAX / 2);
    ck_assert_int_gt(reduced(r), 8 * SECOND);
    leave('.');
}

START_TEST(what_links_take_is_added_up)
{
    both(3, slow_links, check_told);
}
END_TEST

static void cut_link(struct kernel_rank *r)
{
    ck_assert_int_lt(reduced(r), SECOND);
    if (r->rank == 2)
        link_to(r, 1, -1);
    ncclResult_t state;
    machine->sleep(1);
    OK(kernel_reduce(r));
    machine->sleep(SECOND);
    OK(api->ncclCommGetAsyncError(r->world, &state));
    ck_assert_int_eq(state, r->rank == 1 || r->rank == 2 ? ncclRemoteError : ncclSuccess);
    leave('.');
    OK(api->cudaStreamSynchronize(r->stream));
    if (!machine->cancelled())
        leave('!');
}

static void check_cut(void)
{
    ck_assert_int_eq(stop, NCS_STOP_QUIET);
    ck_assert_str_eq(trail, "....");
    struct ncs_snapshot s;
    machine->snapshot(&s);
    ck_assert_uint_eq(s.meetings, 1);
    ck_assert_int_eq(s.meeting[0].stuck, NCS_STUCK_LINK);
    ck_assert_int_eq(s.meeting[0].cut[0], 1);
    ck_assert_int_eq(s.meeting[0].cut[1], 2);
    ncs_snapshot_free(&s);
}

START_TEST(a_link_that_is_cut_holds_all_and_tells_its_ends)
{
    both(4, cut_link, check_cut);
}
END_TEST

static void one_of_two_pairs(struct kernel_rank *r)
{
    ncclComm_t all[4];
    float *x[4];
    OK(api->ncclCommInitAll(all, 4, NULL));
    for (int i = 0; i < 4; i++) {
        OK(api->cudaSetDevice(i));
        OK(api->cudaMalloc((void **)&x[i], 64));
    }
    machine->inject(&(struct ncs_injection){ .kind = NCS_INJECT_LINK, .comm = all[1], .peer = 2, .nanoseconds = -1 });
    OK(api->ncclGroupStart());
    OK(api->ncclSend(x[0], 1, ncclFloat32, 3, all[0], NULL));
    OK(api->ncclRecv(x[3], 1, ncclFloat32, 0, all[3], NULL));
    OK(api->ncclGroupEnd());
    OK(api->cudaDeviceSynchronize());
    leave('.');
    OK(api->ncclGroupStart());
    OK(api->ncclSend(x[1], 1, ncclFloat32, 2, all[1], NULL));
    OK(api->ncclRecv(x[2], 1, ncclFloat32, 1, all[2], NULL));
    OK(api->ncclGroupEnd());
    OK(api->cudaSetDevice(2));
    OK(api->cudaDeviceSynchronize());
    if (!machine->cancelled())
        leave('!');
    (void)r;
}

START_TEST(links_are_between_devices)
{
    struct ncs_machine_options options = { .hosts.devices = 4 };
    kernel_open(&options);
    trail[0] = '\0';
    ck_assert_int_eq(kernel_run(1, one_of_two_pairs), NCS_STOP_QUIET);
    ck_assert_str_eq(trail, ".");
    kernel_end();
}
END_TEST

/* ---- results ---- */

static struct ncs_call spoilt_call;
static uint64_t first, count;

static void spoilt(struct kernel_rank *r)
{
    if (r->rank == 1) {
        spoilt_call = (struct ncs_call){ .fn = NCS_FN_ncclAllReduce, .comm = -1, .comm_rank = -1 };
        spoilt_call.arg[0].p = spoilt_call.arg[1].p = r->x;
        machine->inject(
            &(struct ncs_injection){ .kind = NCS_INJECT_SPOIL, .call = &spoilt_call, .first = first, .count = count });
        ncs_local->call = &spoilt_call;
    }
    OK(kernel_reduce(r));
    ncs_local->call = NULL;
    OK(api->cudaStreamSynchronize(r->stream));
    uint64_t end = count ? first + count : 16;
    for (uint64_t i = 0; i < 16; i++)
        ck_assert_msg((r->x[i] == 3) == (r->rank == 0 || i < first || i >= end), "rank %d, element %d of %d from %d: %g", r->rank,
                      (int)i, (int)count, (int)first, r->x[i]);
    leave('.');
}

static void check_spoilt(void)
{
    ck_assert_int_eq(stop, NCS_STOP_DONE);
    ck_assert_str_eq(trail, "..");
}

START_TEST(the_elements_that_are_named_are_spoilt)
{
    static const uint64_t cases[][2] = { { 0, 0 }, { 5, 0 }, { 0, 1 }, { 3, 2 }, { 15, 1 }, { 14, 100 }, { 16, 0 }, { 100, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        first = cases[i][0];
        count = cases[i][1];
        both(2, spoilt, check_spoilt);
        ck_assert_uint_eq(spoilt_call.pins, 0);
    }
}
END_TEST

/* ---- asynchronous errors ---- */

static void has_async_error(struct kernel_rank *r)
{
    ncclResult_t state;
    if (r->rank == 1)
        machine->inject(&(struct ncs_injection){ .kind = NCS_INJECT_ASYNC, .comm = r->world, .code = ncclRemoteError });
    OK(api->ncclCommGetAsyncError(r->world, &state));
    ck_assert_int_eq(state, r->rank == 1 ? ncclRemoteError : ncclSuccess);
    if (r->rank == 1)
        ck_assert_int_eq(kernel_reduce(r), ncclRemoteError);
    OK(api->ncclCommAbort(r->world));
    machine->inject(&(struct ncs_injection){ .kind = NCS_INJECT_ASYNC, .comm = r->world, .code = ncclSystemError });
    leave('.');
}

START_TEST(an_asynchronous_error_is_that_of_its_rank)
{
    both(2, has_async_error, check_spoilt);
}
END_TEST

NCS_TEST_MAIN("faults", its_threads_die_with_it, its_streams_run_nothing_more, it_dies_in_a_host_function,
              others_wait_for_what_it_had_queued, others_miss_it_where_it_had_come,
              neighbours_on_other_hosts_are_told_when_they_use_it, what_links_take_is_added_up,
              a_link_that_is_cut_holds_all_and_tells_its_ends, links_are_between_devices, the_elements_that_are_named_are_spoilt,
              an_asynchronous_error_is_that_of_its_rank)
