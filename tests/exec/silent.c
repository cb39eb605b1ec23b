/* `silent WHICH`: programs that are in no call of NCCL or CUDA while they wait. */
#include <time.h>
#include <unistd.h>

#include "client.h"

#define LONG_S 1000

/* Rank 1 sleeps after its last all-reduce, and the other rank has ended. */
static void rank_main(struct rank *self)
{
    ncclComm_t comm;
    cudaStream_t stream;
    CHECK(ncclCommInitRank(&comm, self->ranks, self->id, self->rank));
    CHECK(cudaStreamCreate(&stream));
    float *x = floats_of(1, 8);
    CHECK(ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
    if (self->rank == 1)
        sleep(LONG_S);
}

/* 3 to 4 s of calls that change something, but wait for nothing. */
static void call_on(void)
{
    time_t began = time(NULL);
    while (time(NULL) - began < 4) {
        CHECK(cudaFree(floats_of(1, 8)));
        usleep(10000);
    }
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    if (strcmp(which, "after") == 0)
        run_ranks(2, rank_main, NULL);
    else if (strcmp(which, "never") == 0)
        sleep(LONG_S);
    else if (strcmp(which, "on") == 0)
        call_on();
    else
        return 2;
    printf("silent: ok\n");
    return 0;
}
