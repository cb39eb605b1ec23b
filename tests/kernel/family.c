/* Handles that share their resources launch one after the other, in the order of their host. */
#include "kernel.h"

#include "harness.h"

static bool shares, crosses;
static float ms[2];

static ncclComm_t split(struct kernel_rank *r, ncclComm_t parent)
{
    ncclConfig_t c = { .size = offsetof(ncclConfig_t, trafficClass),
                       .magic = NCCL_CONFIG_MAGIC,
                       .version = NCCL_VERSION(2, 18, 1),
                       .blocking = 1,
                       .cgaClusterSize = NCCL_CONFIG_UNDEF_INT,
                       .minCTAs = NCCL_CONFIG_UNDEF_INT,
                       .maxCTAs = NCCL_CONFIG_UNDEF_INT,
                       .splitShare = shares };
    ncclComm_t child = NULL;
    OK(api->ncclCommSplit(parent, 0, r->rank, &child, &c));
    return child;
}

static void reduce(struct kernel_rank *r, ncclComm_t comm, cudaStream_t s)
{
    OK(api->ncclAllReduce(r->x, r->x + 1, 1, ncclFloat32, ncclSum, comm, s));
}

static void use_both(struct kernel_rank *r)
{
    cudaStream_t other;
    cudaEvent_t begin, end;
    ncclComm_t parent = split(r, r->world), child = split(r, parent);
    OK(api->cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(api->cudaEventCreate(&begin));
    OK(api->cudaEventCreate(&end));
    reduce(r, parent, r->stream); /* first contact */
    reduce(r, child, r->stream);
    OK(api->cudaEventRecord(begin, r->stream));
    OK(api->cudaStreamSynchronize(r->stream));
    bool swapped = crosses && r->rank == 1;
    reduce(r, swapped ? child : parent, swapped ? other : r->stream);
    reduce(r, swapped ? parent : child, swapped ? r->stream : other);
    OK(api->cudaEventRecord(end, other));
    OK(api->cudaStreamSynchronize(other));
    OK(api->cudaStreamSynchronize(r->stream));
    if (!machine->cancelled())
        OK(api->cudaEventElapsedTime(&ms[shares], begin, end));
    OK(api->ncclCommDestroy(child));
    OK(api->ncclCommDestroy(parent));
}

static enum ncs_stop stop_of(bool share, bool cross)
{
    shares = share;
    crosses = cross;
    kernel_open(&(struct ncs_machine_options){ 0 });
    enum ncs_stop stop = kernel_run(2, use_both);
    kernel_end();
    return stop;
}

START_TEST(one_after_the_other)
{
    ck_assert_int_eq(stop_of(false, false), NCS_STOP_DONE);
    ck_assert_int_eq(stop_of(true, false), NCS_STOP_DONE);
    ck_assert_float_gt(ms[1], ms[0]);
}
END_TEST

START_TEST(opposite_orders_wait_for_each_other)
{
    ck_assert_int_eq(stop_of(false, true), NCS_STOP_DONE);
    ck_assert_int_eq(stop_of(true, true), NCS_STOP_QUIET);
}
END_TEST

NCS_TEST_MAIN("kernel family", one_after_the_other, opposite_orders_wait_for_each_other)
