/* A dropped group leaves behind nothing of collectives, but splits count, and peers stay unconnected. */
#include "kernel.h"

#include "harness.h"

static int mismatches;

static void count_mismatch(void *self, struct ncs_call *const *calls, size_t count)
{
    (void)self, (void)calls, (void)count;
    mismatches++;
}

static enum ncs_stop stop_of(int ranks, void (*body)(struct kernel_rank *r))
{
    mismatches = 0;
    kernel_open(&(struct ncs_machine_options){ 0 });
    machine->observe(&(struct ncs_observer){ .mismatch = count_mismatch });
    enum ncs_stop stop = kernel_run(ranks, body);
    kernel_end();
    return stop;
}

static void drop_group(struct kernel_rank *r)
{
    ck_assert_int_eq(api->ncclSend(r->x, 1, ncclFloat32, 99, r->world, r->stream), ncclInvalidArgument);
    ck_assert_int_eq(api->ncclGroupEnd(), ncclInvalidArgument);
}

static void register_again(struct kernel_rank *r)
{
    void *p;
    ncclWindow_t window = NULL;
    OK(api->ncclMemAlloc(&p, 4096));
    if (r->rank == 0) {
        OK(api->ncclGroupStart());
        OK(api->ncclCommWindowRegister(r->world, p, 4096, &window, 0));
        drop_group(r);
    }
    OK(api->ncclCommWindowRegister(r->world, p, 4096, &window, 0));
    ck_assert_ptr_nonnull(window);
}

START_TEST(windows)
{
    ck_assert_int_eq(stop_of(2, register_again), NCS_STOP_DONE);
}
END_TEST

static struct ncs_call records[4];

/* All-to-all, then gather, with a record of each call as the journal has it. The ranks have exchanged
 * before: the dropped call asks for no connection. */
static void spread_again(struct kernel_rank *r)
{
    struct ncs_local *local = &r->local;
    OK(api->ncclAlltoAll(r->x, r->x + 8, 1, ncclFloat32, r->world, r->stream));
    if (r->rank == 0) {
        OK(api->ncclGroupStart());
        OK(api->ncclAlltoAll(r->x, r->x + 8, 1, ncclFloat32, r->world, r->stream));
        drop_group(r);
    }
    local->call = &records[r->rank];
    OK(api->ncclAlltoAll(r->x, r->x + 8, 1, ncclFloat32, r->world, r->stream));
    OK(api->ncclGather(r->x, r->x + 8, 1, ncclFloat32, 0, r->world, r->stream));
    local->call = NULL;
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(spread_calls)
{
    ck_assert_int_eq(stop_of(2, spread_again), NCS_STOP_DONE);
    ck_assert_int_eq(mismatches, 0);
}
END_TEST

/* A peer that was first asked for in a dropped group is never connected; others are. Sends and receives
 * are apart, and so are communicators' collectives. */
static void first_messages(struct kernel_rank *r)
{
    OK(api->ncclGroupStart());
    OK(api->ncclSend(r->x, 1, ncclFloat32, 1 - r->rank, r->world, r->stream));
    drop_group(r);
    for (int again = 0; again < 2; again++) {
        OK(api->ncclGroupStart());
        OK(api->ncclSend(r->x, 1, ncclFloat32, 1 - r->rank, r->world, r->stream));
        OK(api->ncclRecv(r->x, 1, ncclFloat32, 1 - r->rank, r->world, r->stream));
        ck_assert_int_eq(api->ncclGroupEnd(), ncclInternalError);
    }
    OK(api->ncclAllReduce(r->x, r->x, 1, ncclFloat32, ncclSum, r->world, r->stream));
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(connections)
{
    ck_assert_int_eq(stop_of(2, first_messages), NCS_STOP_DONE);
}
END_TEST

/* NCCL counts a split when it is called: rank 0's next one is its second. */
static void split_again(struct kernel_rank *r)
{
    ncclComm_t half = NULL;
    if (r->rank == 0) {
        OK(api->ncclGroupStart());
        OK(api->ncclCommSplit(r->world, 0, 0, &half, NULL));
        drop_group(r);
    }
    api->ncclCommSplit(r->world, 0, 0, &half, NULL);
}

START_TEST(splits)
{
    ck_assert_int_eq(stop_of(2, split_again), NCS_STOP_QUIET);
}
END_TEST

NCS_TEST_MAIN("kernel dropped", windows, spread_calls, connections, splits)
