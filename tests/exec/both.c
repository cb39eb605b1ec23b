/* both HOW: four devices of one process. "all": the main thread makes their communicator with ncclCommInitAll; "group": one by one in
 * a group. Then each thread joins a second communicator and uses both. Rank 2 leaves out the call on the second one. */
#include <pthread.h>
#include <string.h>

#include "client.h"

enum { RANKS = 4 };

static ncclComm_t first[RANKS];
static ncclUniqueId id;

static void *work(void *arg)
{
    int rank = (int)(long)arg;
    ncclComm_t second;
    cudaStream_t stream;
    float *x;
    CHECK(cudaSetDevice(rank));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc((void **)&x, 1024));
    CHECK(cudaMemset(x, 0, 1024));
    CHECK(ncclCommInitRank(&second, RANKS, id, rank));
    CHECK(ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, first[rank], stream));
    CHECK(cudaStreamSynchronize(stream));
    if (rank != 2)
        CHECK(ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, second, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, first[rank], stream));
    CHECK(cudaStreamSynchronize(stream));
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[RANKS];
    CHECK(ncclGetUniqueId(&id));
    if (argc > 1 && strcmp(argv[1], "all") == 0) {
        CHECK(ncclCommInitAll(first, RANKS, NULL));
    } else {
        ncclUniqueId own;
        CHECK(ncclGetUniqueId(&own));
        CHECK(ncclGroupStart());
        for (int i = 0; i < RANKS; i++) {
            CHECK(cudaSetDevice(i));
            CHECK(ncclCommInitRank(&first[i], RANKS, own, i));
        }
        CHECK(ncclGroupEnd());
    }
    for (long i = 0; i < RANKS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < RANKS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
