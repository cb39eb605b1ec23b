/* Devices that hold few launches at a time. */
#include "kernel.h"

#include "harness.h"

static ncclUniqueId more_id[2];
static struct ncs_gate *more_gate;
static int more_known;
static bool opposite;

/* A further communicator of all ranks: number 0, then number 1. */
static ncclComm_t one_more(struct kernel_rank *r, int number)
{
    ncclComm_t comm = NULL;
    if (r->rank == 0) {
        OK(api->ncclGetUniqueId(&more_id[number]));
        more_known = number + 1;
        machine->gate_wake(more_gate);
    }
    while (more_known <= number)
        if (!machine->gate_wait(more_gate, -1, "id", "id", -1, -1))
            return NULL;
    OK(api->ncclCommInitRank(&comm, r->nranks, more_id[number], r->rank));
    return comm;
}

static void reduce_on(struct kernel_rank *r, ncclComm_t comm, cudaStream_t stream)
{
    OK(api->ncclAllReduce(r->x, r->x, 8, ncclFloat32, ncclMax, comm, stream));
}

/* Both communicators once in one order, then in the order of the test, on streams of their own. */
static ncclComm_t two_orders(struct kernel_rank *r, cudaStream_t side)
{
    ncclComm_t second = one_more(r, 0);
    reduce_on(r, r->world, r->stream);
    reduce_on(r, second, side);
    OK(api->cudaStreamSynchronize(r->stream));
    OK(api->cudaStreamSynchronize(side));
    if (machine->cancelled())
        return NULL;
    bool swap = opposite && r->rank == 1;
    reduce_on(r, swap ? second : r->world, swap ? side : r->stream);
    reduce_on(r, swap ? r->world : second, swap ? r->stream : side);
    return second;
}

static void use_both(struct kernel_rank *r)
{
    cudaStream_t side;
    OK(api->cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    two_orders(r, side);
    OK(api->cudaStreamSynchronize(r->stream));
    OK(api->cudaStreamSynchronize(side));
}

static enum ncs_stop run(struct ncs_machine_options options, void (*body)(struct kernel_rank *r))
{
    kernel_open(&options);
    more_known = 0;
    more_gate = machine->gate_new();
    return kernel_run(2, body);
}

static void end(void)
{
    machine->gate_free(more_gate);
    kernel_end();
}

START_TEST(order_matters_when_full)
{
    for (int lanes = 0; lanes < 3; lanes++)
        for (int turn = 0; turn < 40; turn++) {
            opposite = turn % 2 == 1;
            struct ncs_machine_options options = {
                .kernel_slots = lanes, .seeded = turn > 3, .seed = (uint64_t)turn, .own_threads = turn == 2 || turn == 3
            };
            enum ncs_stop stop = run(options, use_both);
            ck_assert_msg(stop == (lanes == 1 && opposite ? NCS_STOP_QUIET : NCS_STOP_DONE), "%d lanes, turn %d: stop %d", lanes,
                          turn, stop);
            end();
        }
}
END_TEST

/* Rank 0 waits for its peer with one launch in the lane and two in the line. */
static void stand_in_line(struct kernel_rank *r)
{
    cudaStream_t side[2];
    ncclComm_t more[2];
    for (int i = 0; i < 2; i++) {
        OK(api->cudaStreamCreateWithFlags(&side[i], cudaStreamNonBlocking));
        more[i] = one_more(r, i);
    }
    for (int turn = 0; turn < 2; turn++) {
        if (r->rank == 1)
            machine->sleep(100000);
        reduce_on(r, r->world, r->stream);
        for (int i = 0; i < 2; i++)
            reduce_on(r, more[i], side[i]);
        OK(api->cudaStreamSynchronize(r->stream));
        for (int i = 0; i < 2; i++)
            OK(api->cudaStreamSynchronize(side[i]));
    }
}

START_TEST(schedule_exchanges_launches)
{
    ck_assert_int_eq(run((struct ncs_machine_options){ .kernel_slots = 1 }, stand_in_line), NCS_STOP_DONE);
    end();
    static const char *const lane = "l1";
    struct ncs_str schedule = { 0 };
    struct ncs_error err;
    /* Where the choices of a lane are is found by trying: one rank alone takes the second first. */
    int hangs = 0, fits = 0;
    for (int at = 0; at < 150; at++) {
        ncs_str_clear(&schedule);
        if (at > 0)
            ncs_str_addf(&schedule, "%d.", at);
        ncs_str_add(&schedule, lane);
        struct ncs_str out = { 0 };
        enum ncs_stop stop = run((struct ncs_machine_options){ .kernel_slots = 1, .schedule = schedule.text }, stand_in_line);
        fits += machine->schedule(&out, &err);
        hangs += err.status == NCS_OK && stop == NCS_STOP_QUIET;
        ncs_str_free(&out);
        end();
    }
    ncs_str_free(&schedule);
    ck_assert_int_gt(fits, 1);
    ck_assert_int_gt(hangs, 0);
}
END_TEST

START_TEST(snapshot_names_the_holder)
{
    opposite = true;
    ck_assert_int_eq(run((struct ncs_machine_options){ .kernel_slots = 1 }, use_both), NCS_STOP_QUIET);
    struct ncs_snapshot s;
    machine->snapshot(&s);
    size_t waiting = 0;
    for (size_t i = 0; i < s.ops; i++) {
        if (!s.op[i].awaits_kernel_slot)
            continue;
        waiting++;
        ck_assert_int_eq(s.op[i].state, NCS_OP_ENABLED);
        ck_assert_uint_eq(s.op[i].deps, 1);
        const struct ncs_snap_op *holder = &s.op[s.dep[s.op[i].dep]];
        ck_assert(!holder->awaits_kernel_slot);
        ck_assert_int_eq(holder->state, NCS_OP_ACTIVE);
        ck_assert_int_eq(holder->rank, s.op[i].rank);
    }
    ck_assert_uint_eq(waiting, 2);
    ncs_snapshot_free(&s);
    end();
}
END_TEST

/* An abort ends the launch that waits for a lane, and the one that holds it. */
static void abort_both(struct kernel_rank *r)
{
    cudaStream_t side;
    OK(api->cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    ncclComm_t second = two_orders(r, side);
    machine->sleep(1000000);
    OK(api->ncclCommAbort(r->rank == 0 ? second : r->world)); /* what waits */
    OK(api->cudaStreamSynchronize(r->rank == 0 ? side : r->stream));
    OK(api->ncclCommAbort(r->rank == 0 ? r->world : second));
    OK(api->cudaStreamSynchronize(r->rank == 0 ? r->stream : side));
}

START_TEST(abort_gives_lanes_back)
{
    opposite = true;
    ck_assert_int_eq(run((struct ncs_machine_options){ .kernel_slots = 1, .teardown = NCS_TEARDOWN_CONNECTED }, abort_both),
                     NCS_STOP_DONE);
    end();
    ck_assert_int_eq(
        run((struct ncs_machine_options){ .kernel_slots = 1, .own_threads = true, .teardown = NCS_TEARDOWN_CONNECTED },
            abort_both),
        NCS_STOP_DONE);
    end();
}
END_TEST

NCS_TEST_MAIN("kernel lanes", order_matters_when_full, schedule_exchanges_launches, snapshot_names_the_holder,
              abort_gives_lanes_back)
