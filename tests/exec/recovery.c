/* A thread per GPU, non-blocking. The last rank fails and says so; the others, whose all-reduce can
 * never end, shrink the communicator without it, cutting short what is under way, and go on. */
#include <sched.h>
#include <stdatomic.h>

#include "client.h"

static atomic_int failed = -1;

static ncclResult_t await(ncclComm_t comm)
{
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress) {
        CHECK(ncclCommGetAsyncError(comm, &state));
        sched_yield();
    }
    return state;
}

static void accept(ncclResult_t rc, ncclComm_t comm)
{
    EXPECT(rc == ncclSuccess || rc == ncclInProgress, 1);
    EXPECT(await(comm), ncclSuccess);
}

/* Until somebody has failed; the stream is never done. */
static void watch_stream(cudaStream_t stream)
{
    while (atomic_load(&failed) < 0) {
        EXPECT(cudaStreamQuery(stream), cudaErrorNotReady);
        sched_yield();
    }
}

static void rank_main(struct rank *self)
{
    ncclComm_t comm, rest;
    cudaStream_t stream;
    ncclConfig_t config = CONFIG_INITIALIZER;
    int n = self->ranks, last = n - 1;
    config.blocking = 0;
    ncclResult_t rc = ncclCommInitRankConfig(&comm, n, self->id, self->rank, &config);
    accept(rc, comm);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    float *x = floats_of(1, 64);
    accept(ncclAllReduce(x, x, 64, ncclFloat32, ncclSum, comm, stream), comm);
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(first_of(x), n);
    if (self->rank == last) {
        atomic_store(&failed, self->rank);
        CHECK(ncclCommAbort(comm));
        CHECK(cudaStreamDestroy(stream));
        CHECK(cudaFree(x));
        return;
    }
    rc = ncclAllReduce(x, x, 64, ncclFloat32, ncclSum, comm, stream);
    EXPECT(rc == ncclSuccess || rc == ncclInProgress, 1);
    watch_stream(stream);
    rc = ncclCommShrink(comm, &last, 1, &rest, &config, NCCL_SHRINK_ABORT);
    EXPECT(rc == ncclSuccess || rc == ncclInProgress, 1);
    EXPECT(await(comm), ncclSuccess);
    accept(ncclSuccess, rest);
    CHECK(cudaStreamSynchronize(stream));
    float *y = floats_of(2, 64);
    accept(ncclAllReduce(y, y, 64, ncclFloat32, ncclSum, rest, stream), rest);
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(first_of(y), 2 * (n - 1));
    CHECK(ncclCommAbort(comm));
    accept(ncclCommFinalize(rest), rest);
    CHECK(ncclCommDestroy(rest));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
}

int main(void)
{
    run_ranks(devices(), rank_main, NULL);
    printf("recovery: ok\n");
    return 0;
}
