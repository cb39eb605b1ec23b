/* A program whose end depends on who comes first: the rank whose call comes last of the two skips an all-reduce, if that is
 * rank 1. `chance log` only prints who came first. */
#include "client.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t meeting;
static int last = -1;
static int prints;

static void rank_main(struct rank *self)
{
    ncclComm_t comm;
    cudaStream_t stream;
    CHECK(ncclCommInitRank(&comm, self->ranks, self->id, self->rank));
    CHECK(cudaStreamCreate(&stream));
    float *x = floats_of(1, 2);
    pthread_barrier_wait(&meeting);
    CHECK(cudaStreamQuery(stream)); /* who goes first is decided here */
    pthread_mutex_lock(&lock);
    last = self->rank;
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&meeting);
    if (prints && self->rank == 0)
        printf("last: %d\n", last);
    if (prints || self->rank == 0 || last != 1)
        CHECK(ncclAllReduce(x, x, 2, ncclFloat32, ncclSum, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(ncclCommDestroy(comm));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
}

int main(int argc, char **argv)
{
    prints = argc > 1 && strcmp(argv[1], "log") == 0;
    pthread_barrier_init(&meeting, NULL, 2);
    run_ranks(2, rank_main, NULL);
    printf("chance: ok\n");
    return 0;
}
