/* `true_ranks WHICH ORDER`: four processes, which make their first calls in the order of the ranks that ORDER lists ("3201"),
 * and wait for each other in circles. */
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

enum { RANKS = 4, COUNT = 1024 };

static struct shared {
    ncclUniqueId id;
    atomic_int come; /* ranks that have made their first call */
} * shared;

static int rank;

struct job {
    ncclComm_t all, near, far; /* near: ranks 0, 1 and 2, 3; far: 0, 2 and 1, 3 */
    cudaStream_t stream;
    float *x;
};

static void reduce(const struct job *j, ncclComm_t comm)
{
    CHECK(ncclAllReduce(j->x, j->x, COUNT, ncclFloat32, ncclSum, comm, j->stream));
}

/* Each rank receives first: without a group, none comes to send. */
static void ring(const struct job *j)
{
    CHECK(ncclRecv(j->x + COUNT, COUNT, ncclFloat32, (rank + RANKS - 1) % RANKS, j->all, j->stream)); /* line: receive */
    CHECK(ncclSend(j->x, COUNT, ncclFloat32, (rank + 1) % RANKS, j->all, j->stream));
}

/* Ranks 0 and 3 have one order, ranks 1 and 2 the other. */
static void orders(const struct job *j)
{
    bool one = rank == 0 || rank == 3;
    reduce(j, one ? j->near : j->far);
    reduce(j, one ? j->far : j->near);
}

static void run(const char *which)
{
    struct job j;
    CHECK(cudaSetDevice(rank));
    CHECK(cudaStreamCreate(&j.stream));
    j.x = floats_of((float)rank, 2 * COUNT);
    CHECK(ncclCommInitRank(&j.all, RANKS, shared->id, rank));
    CHECK(ncclCommSplit(j.all, rank / 2, rank, &j.near, NULL));
    CHECK(ncclCommSplit(j.all, rank % 2, rank, &j.far, NULL));
    CHECK(ncclGroupStart()); /* after a first contact, calls do not wait for others any more: their work does */
    ring(&j);
    CHECK(ncclGroupEnd());
    reduce(&j, j.near);
    reduce(&j, j.far);
    if (strcmp(which, "ring") == 0)
        ring(&j);
    if (strcmp(which, "orders") == 0)
        orders(&j);
    CHECK(cudaStreamSynchronize(j.stream)); /* line: synchronize */
    CHECK(ncclCommDestroy(j.far));
    CHECK(ncclCommDestroy(j.near));
    CHECK(ncclCommDestroy(j.all));
    CHECK(cudaFree(j.x));
    CHECK(cudaStreamDestroy(j.stream));
}

/* The machine numbers processes as they come. */
static void await_turn(const char *order)
{
    int devices, turn = (int)(strchr(order, '0' + rank) - order);
    while (atomic_load(&shared->come) != turn)
        usleep(1000);
    CHECK(cudaGetDeviceCount(&devices));
    if (turn == 0)
        CHECK(ncclGetUniqueId(&shared->id));
    atomic_fetch_add(&shared->come, 1);
}

int main(int argc, char **argv)
{
    if (argc != 3 || strlen(argv[2]) != RANKS)
        return 7;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (rank = 0; rank < RANKS; rank++)
        if (fork() == 0) {
            await_turn(argv[2]);
            run(argv[1]);
            return 0;
        }
    for (int i = 0; i < RANKS; i++)
        wait(NULL);
    return 0;
}
