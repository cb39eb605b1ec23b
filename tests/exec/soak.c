/* `soak RANKS CALLS COMMS [fork]`: each rank makes many calls and many communicators, and checks the results. The ranks are threads,
 * or forked processes. */
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

enum { COUNT = 8 };

static long calls, comms;

static void soak_rank(struct rank *self)
{
    ncclComm_t comm, part;
    cudaStream_t stream;
    float *x = floats_of(1, COUNT), *y = floats_of(0, COUNT);
    CHECK(cudaStreamCreate(&stream));
    CHECK(ncclCommInitRank(&comm, self->ranks, self->id, self->rank));
    for (long i = 0; i < calls; i++) {
        CHECK(ncclAllReduce(x, y, COUNT, ncclFloat32, ncclSum, comm, stream));
        if (i % 100 == 99)
            CHECK(cudaStreamSynchronize(stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    if (calls)
        EXPECT(first_of(y), self->ranks);
    for (long i = 0; i < comms; i++) {
        CHECK(ncclCommSplit(comm, 0, self->rank, &part, NULL));
        CHECK(ncclCommDestroy(part));
    }
    CHECK(ncclCommDestroy(comm));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
}

struct shared {
    atomic_bool has_id;
    ncclUniqueId id;
};

static void soak_process(struct shared *shared, int rank, int ranks)
{
    struct rank self = { .rank = rank, .ranks = ranks };
    CHECK(cudaSetDevice(rank));
    if (rank == 0) {
        CHECK(ncclGetUniqueId(&shared->id));
        atomic_store(&shared->has_id, true);
    }
    while (!atomic_load(&shared->has_id))
        usleep(1000);
    self.id = shared->id;
    soak_rank(&self);
}

static int soak_fork(int ranks)
{
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int worst = 0, status;
    for (int r = 0; r < ranks; r++)
        if (fork() == 0) {
            soak_process(shared, r, ranks);
            exit(0);
        }
    while (wait(&status) > 0)
        worst |= status;
    return worst ? 9 : 0;
}

int main(int argc, char **argv)
{
    int ranks = argc > 3 ? atoi(argv[1]) : 0;
    if (ranks < 1) {
        fprintf(stderr, "usage: soak RANKS CALLS COMMS [fork]\n");
        return 2;
    }
    calls = atol(argv[2]);
    comms = atol(argv[3]);
    if (argc > 4)
        return soak_fork(ranks);
    run_ranks(ranks, soak_rank, NULL);
    return 0;
}
