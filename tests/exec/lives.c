/* A thread per GPU: non-blocking init, split into even and odd ranks, shrink without the last rank,
 * a user operator, a host function in the stream. */
#include "client.h"

static void await(ncclComm_t comm)
{
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress)
        CHECK(ncclCommGetAsyncError(comm, &state));
    EXPECT(state, ncclSuccess);
}

static float sum_of(ncclComm_t comm, cudaStream_t stream, float value, ncclRedOp_t op)
{
    float *x = floats_of(value, 4);
    ncclResult_t rc = ncclAllReduce(x, x, 4, ncclFloat32, op, comm, stream);
    if (rc == ncclInProgress)
        await(comm);
    else
        CHECK(rc);
    CHECK(cudaStreamSynchronize(stream));
    float sum = first_of(x);
    CHECK(cudaFree(x));
    return sum;
}

static void count_up(void *counter)
{
    ++*(int *)counter;
}

static void end(ncclComm_t comm)
{
    ncclResult_t rc = ncclCommFinalize(comm);
    if (rc == ncclInProgress)
        await(comm);
    else
        CHECK(rc);
    CHECK(ncclCommDestroy(comm));
}

static void rank_main(struct rank *self)
{
    ncclComm_t comm, half, rest = NULL;
    cudaStream_t stream;
    ncclConfig_t config = CONFIG_INITIALIZER;
    int n = self->ranks, last = n - 1, counter = 0;
    config.blocking = 0;
    ncclResult_t rc = ncclCommInitRankConfig(&comm, n, self->id, self->rank, &config);
    EXPECT(rc == ncclSuccess || rc == ncclInProgress, 1);
    await(comm);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    EXPECT(sum_of(comm, stream, 1, ncclSum), n);
    float scalar = 0.5f;
    ncclRedOp_t op;
    CHECK(ncclRedOpCreatePreMulSum(&op, &scalar, ncclFloat32, ncclScalarHostImmediate, comm));
    EXPECT(sum_of(comm, stream, 2, op), n);
    CHECK(ncclRedOpDestroy(op, comm));

    rc = ncclCommSplit(comm, self->rank % 2, self->rank, &half, NULL);
    EXPECT(rc == ncclSuccess || rc == ncclInProgress, 1);
    await(comm);
    await(half);
    EXPECT(sum_of(half, stream, 1, ncclSum), (n + 1 - self->rank % 2) / 2);
    if (self->rank != last) {
        rc = ncclCommShrink(comm, &last, 1, &rest, NULL, 0);
        EXPECT(rc == ncclSuccess || rc == ncclInProgress, 1);
        await(comm);
        await(rest);
        EXPECT(sum_of(rest, stream, 1, ncclSum), n - 1);
    }
    CHECK(cudaLaunchHostFunc(stream, count_up, &counter));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(counter, 1);
    if (rest)
        end(rest);
    end(half);
    end(comm);
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    run_ranks(devices(), rank_main, NULL);
    printf("lives: ok\n");
    return 0;
}
