/* A program with a bug: one thread per GPU, and rank 2 skips the second all-reduce.
 *
 *   cc -g -pthread -I include/ncclscript/compat -o train examples/train.c \
 *      -L build/default/lib/ncclscript -lnccl -lcudart
 *   ncclscript exec -n 4 -- ./train
 *
 * Without -I and -L it is built with NVIDIA's headers and libraries. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>
#include <nccl.h>

enum { RANKS = 4, COUNT = 8 };

static ncclUniqueId id;

static void check(int result, const char *call)
{
    if (result == 0)
        return;
    fprintf(stderr, "%s returned %d\n", call, result);
    exit(1);
}
#define CHECK(call) check((int)(call), #call)

static void *rank_main(void *arg)
{
    int rank = *(int *)arg;
    ncclComm_t comm;
    cudaStream_t stream;
    void *x;

    CHECK(cudaSetDevice(rank));
    CHECK(cudaMalloc(&x, COUNT * sizeof(float)));
    CHECK(ncclCommInitRank(&comm, RANKS, id, rank));
    CHECK(cudaStreamCreate(&stream));
    for (int step = 0; step < 2; step++)
        if (rank != 2 || step == 0)
            CHECK(ncclAllReduce(x, x, COUNT, ncclFloat32, ncclSum, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(ncclCommDestroy(comm));
    CHECK(cudaFree(x));
    return NULL;
}

int main(void)
{
    pthread_t thread[RANKS];
    int rank[RANKS];

    CHECK(ncclGetUniqueId(&id));
    for (int r = 0; r < RANKS; r++) {
        rank[r] = r;
        CHECK(pthread_create(&thread[r], NULL, rank_main, &rank[r]));
    }
    for (int r = 0; r < RANKS; r++)
        pthread_join(thread[r], NULL);
    printf("done\n");
    return 0;
}
