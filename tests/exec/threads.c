/* A thread per GPU: `threads N` makes N all-reduces of 8 bytes on each, waits for each, and says how
 * long that took. */
#include <time.h>

#include "client.h"

static int steps = 1000;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void rank_main(struct rank *self)
{
    ncclComm_t comm;
    cudaStream_t stream;
    CHECK(ncclCommInitRank(&comm, self->ranks, self->id, self->rank));
    CHECK(cudaStreamCreate(&stream));
    float *x = floats_of(1, 2), *sum = floats_of(0, 2);
    for (int step = 0; step < steps; step++) {
        CHECK(ncclAllReduce(x, sum, 2, ncclFloat32, ncclSum, comm, stream));
        CHECK(cudaStreamSynchronize(stream));
    }
    EXPECT(first_of(sum), self->ranks);
    CHECK(ncclCommFinalize(comm));
    CHECK(ncclCommDestroy(comm));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    CHECK(cudaFree(sum));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        steps = atoi(argv[1]);
    double begin = seconds();
    run_ranks(devices(), rank_main, NULL);
    double each = (seconds() - begin) / steps;
    printf("threads: ok\n");
    if (argc > 1)
        printf("%.1f us each\n", each * 1e6);
    return 0;
}
