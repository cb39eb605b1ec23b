/* The policies decide when a host goes on, and whether sends are buffered. */
#include "kernel.h"

#include "harness.h"

static int64_t came_back[3];

/* Rank 1 is late with its second collective. */
static void late(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
    if (r->rank == 1)
        machine->sleep(5000000);
    OK(kernel_reduce(r));
    came_back[r->rank] = machine->now();
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(every_launch_may_wait)
{
    for (int every = 0; every < 2; every++) {
        kernel_open(&(struct ncs_machine_options){ .host = every ? NCS_HOST_EVERY : NCS_HOST_CONTACT });
        ck_assert_int_eq(kernel_run(3, late), NCS_STOP_DONE);
        ck_assert_int_eq(came_back[0] >= 5000000, every);
        ck_assert_int_eq(came_back[2] >= 5000000, every);
        kernel_end();
    }
}
END_TEST

/* Rank 1 leaves out the last one; the snapshot names it alone. */
static void fewer(struct kernel_rank *r)
{
    for (int i = 0; i < 4; i++)
        if (r->rank != 1 || i < 3)
            OK(kernel_reduce(r));
}

START_TEST(who_is_missing_is_named)
{
    kernel_open(&(struct ncs_machine_options){ .host = NCS_HOST_EVERY });
    ck_assert_int_eq(kernel_run(3, fewer), NCS_STOP_QUIET);
    struct ncs_snapshot s;
    machine->snapshot(&s);
    ck_assert_uint_eq(s.jobs, 2);
    for (size_t i = 0; i < s.jobs; i++) {
        ck_assert_int_eq(s.job[i].kind, NCS_JOB_CONTACT);
        ck_assert_uint_eq(s.job[i].misses, 1);
        ck_assert_int_eq(s.missing[s.job[i].miss], 1);
    }
    ncs_snapshot_free(&s);
    ck_assert(kernel_rank[1].finished && !kernel_rank[0].finished);
    kernel_end();
}
END_TEST

static void many(struct kernel_rank *r)
{
    for (int i = 0; i < 20; i++) {
        OK(kernel_reduce(r));
        if ((r->rank + i) % 7 == 0)
            machine->sleep(1000);
    }
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(every_launch_of_many_ranks)
{
    uint64_t trace[2];
    for (int i = 0; i < 2; i++) {
        kernel_open(&(struct ncs_machine_options){ .host = NCS_HOST_EVERY, .own_threads = i == 1 });
        ck_assert_int_eq(kernel_run(256, many), NCS_STOP_DONE);
        trace[i] = kernel_trace();
        kernel_end();
    }
    ck_assert_uint_eq(trace[0], trace[1]);
}
END_TEST

/* ---- buffered sends ---- */

static size_t count;

/* In contact by a first exchange; then both send before they receive. */
static void send_first(struct kernel_rank *r)
{
    int other = 1 - r->rank;
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            OK(api->ncclGroupStart());
        OK(api->ncclSend(r->x, i ? count : 1, ncclFloat32, other, r->world, r->stream));
        OK(api->ncclRecv(r->x + 8, i ? count : 1, ncclFloat32, other, r->world, r->stream));
        if (i == 0)
            OK(api->ncclGroupEnd());
    }
    OK(api->cudaStreamSynchronize(r->stream));
}

static void in_groups(struct kernel_rank *r)
{
    for (int i = 0; i < 3; i++) {
        OK(api->ncclGroupStart());
        OK(api->ncclSend(r->x, 4, ncclFloat32, 1 - r->rank, r->world, r->stream));
        OK(api->ncclRecv(r->x + 8, 4, ncclFloat32, 1 - r->rank, r->world, r->stream));
        OK(api->ncclGroupEnd());
    }
    OK(api->cudaStreamSynchronize(r->stream));
}

static void check_swayed(uint64_t eager, void (*body)(struct kernel_rank *r), uint64_t limit, enum ncs_stop stop, bool swayed,
                         uint64_t most)
{
    uint64_t buffered;
    kernel_open(&(struct ncs_machine_options){ .eager = eager });
    ck_assert_int_eq(kernel_run(2, body), stop);
    ck_assert_int_eq(machine->swayed(limit, &buffered), swayed);
    ck_assert_uint_eq(buffered, most);
    kernel_end();
}

START_TEST(swayed_is_known)
{
    count = 4;
    check_swayed(0, send_first, 64, NCS_STOP_QUIET, true, 0);
    check_swayed(0, send_first, 15, NCS_STOP_QUIET, false, 0); /* too long for the buffers */
    check_swayed(64, send_first, 64, NCS_STOP_DONE, true, 16);
    check_swayed(16, send_first, 16, NCS_STOP_DONE, true, 16);
    check_swayed(15, send_first, 15, NCS_STOP_QUIET, false, 0);
    check_swayed(0, in_groups, 64, NCS_STOP_DONE, false, 0);
    check_swayed(64, in_groups, 64, NCS_STOP_DONE, false, 0);
}
END_TEST

/* One send of many that a schedule keeps out of the buffers. */
START_TEST(buffers_can_be_refused)
{
    int refused = 0;
    count = 4;
    for (int at = 0; at < 60; at++) {
        char schedule[16];
        struct ncs_str out = { 0 };
        struct ncs_error err;
        snprintf(schedule, sizeof schedule, "%d.b1", at);
        kernel_open(&(struct ncs_machine_options){ .eager = 64, .schedule = schedule });
        enum ncs_stop stop = kernel_run(2, send_first);
        /* The other rank's send goes through, and so both pass. */
        if (machine->schedule(&out, &err)) {
            uint64_t buffered;
            ck_assert_str_eq(out.text, schedule);
            ck_assert_int_eq(stop, NCS_STOP_DONE);
            ck_assert(machine->swayed(64, &buffered));
            refused++;
        }
        ncs_str_free(&out);
        kernel_end();
    }
    ck_assert_int_gt(refused, 1);
}
END_TEST

NCS_TEST_MAIN("kernel policy", every_launch_may_wait, who_is_missing_is_named, every_launch_of_many_ranks, swayed_is_known,
              buffers_can_be_refused)
