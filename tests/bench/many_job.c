/* `many_job WHAT RANKS`: the job that many.c measures. It forks its ranks, and prints one number on standard output. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

enum { RANKS_MOST = 64, BLOCKS = 10, BLOCK = 2000, ROUNDS = 10, CALLS = 1000000, CALLS_FIRST = 100000 };
#define LARGE ((size_t)64 << 20) /* bytes of each buffer */

static struct shared {
    atomic_bool has_id;
    ncclUniqueId id;
    double ended[RANKS_MOST]; /* by rank: when its first all-reduce was over */
} * shared;

static int rank, ranks;
static ncclComm_t comm;
static cudaStream_t stream;
static float *from, *to;

static double job_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void job_print(double figure)
{
    printf("%.9f\n", figure);
    fflush(stdout);
}

static void job_join(size_t bytes)
{
    if (rank == 0) {
        CHECK(ncclGetUniqueId(&shared->id));
        atomic_store(&shared->has_id, true);
    }
    while (!atomic_load(&shared->has_id))
        usleep(100);
    CHECK(cudaSetDevice(rank));
    CHECK(ncclCommInitRank(&comm, ranks, shared->id, rank));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc((void **)&from, bytes));
    CHECK(cudaMalloc((void **)&to, bytes));
}

static void job_leave(void)
{
    CHECK(ncclCommDestroy(comm));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaStreamDestroy(stream));
}

static void job_reduce(size_t bytes)
{
    CHECK(ncclAllReduce(from, to, bytes / sizeof *from, ncclFloat32, ncclSum, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
}

/* Seconds for each all-reduce, in the fastest of several blocks: others disturb, and never help. */
static double job_time(int blocks, int block, size_t bytes)
{
    double best = 0;
    for (int b = 0; b < blocks; b++) {
        job_reduce(bytes); /* the ranks meet, and what a first use costs is over */
        double begin = job_now();
        for (int i = 0; i < block; i++)
            job_reduce(bytes);
        double took = (job_now() - begin) / block;
        best = b == 0 || took < best ? took : best;
    }
    return best;
}

static void job_small(void)
{
    job_join(8);
    double took = job_time(BLOCKS, BLOCK, 8);
    if (rank == 0)
        job_print(took);
    job_leave();
}

/* No two inputs have equal contents: the simulator stores equal memory once, as it does with the results. */
static void job_large(void)
{
    float *host = malloc(LARGE);
    job_join(LARGE);
    for (size_t i = 0; i < LARGE / sizeof *host; i++)
        host[i] = (float)(i % 4093 + (size_t)rank);
    CHECK(cudaMemcpy(from, host, LARGE, cudaMemcpyHostToDevice));
    free(host);
    double took = job_time(ROUNDS, 1, LARGE);
    if (rank == 0)
        job_print(took);
    job_leave();
}

/* Prints the time of day at which the last rank's first all-reduce was over. */
static void job_first(void)
{
    job_join(8);
    job_reduce(8);
    shared->ended[rank] = job_now();
    job_leave();
}

static void job_print_last(void)
{
    double last = 0;
    for (int r = 0; r < ranks; r++)
        last = shared->ended[r] > last ? shared->ended[r] : last;
    job_print(last);
}

/* Prints the time of day of the last call, when all others have waited for a while. */
static void job_hang(void)
{
    job_join(8);
    job_reduce(8);
    if (rank == ranks - 1) {
        usleep(100000);
        CHECK(ncclBroadcast(from, to, 2, ncclFloat32, 0, comm, stream));
        job_print(job_now());
    } else {
        CHECK(ncclAllReduce(from, to, 2, ncclFloat32, ncclSum, comm, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
}

/* ---- a million calls ---- */

/* The process with the machine: exec's child that runs exec's own file. `exec` is the parent of the process that has forked the
 * ranks. */
static long job_machine(int exec)
{
    char path[64], own[4096], other[4096];
    long child = -1;
    snprintf(path, sizeof path, "/proc/%d/exe", exec);
    ssize_t bytes = readlink(path, own, sizeof own);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", exec, exec);
    FILE *f = fopen(path, "r");
    while (f && fscanf(f, "%ld", &child) == 1) {
        snprintf(path, sizeof path, "/proc/%ld/exe", child);
        if (bytes > 0 && readlink(path, other, sizeof other) == bytes && memcmp(own, other, (size_t)bytes) == 0)
            break;
        child = -1;
    }
    if (f)
        fclose(f);
    return child;
}

static double job_resident(long process)
{
    char path[64];
    long pages = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", process);
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        exit(7);
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static int job_exec; /* the process number of exec */

/* Each all-reduce is two calls for each rank. Prints the seconds, then by how many bytes the machine has grown since the first
 * calls and since half of them. */
static void job_million(void)
{
    int rounds = CALLS / 2 / ranks, first = CALLS_FIRST / 2 / ranks;
    double early = 0, half = 0, begin = job_now();
    long machine = rank == 0 ? job_machine(job_exec) : 0;
    job_join(8);
    for (int i = 0; i < rounds; i++) {
        if (i == first && rank == 0)
            early = job_resident(machine);
        if (i == rounds / 2 && rank == 0)
            half = job_resident(machine);
        job_reduce(8);
    }
    if (rank == 0) {
        job_print(job_now() - begin);
        job_print(job_resident(machine) - early);
        job_print(job_resident(machine) - half);
    }
    job_leave();
}

/* ---- the program ---- */

static const struct {
    const char *name;
    void (*act)(void), (*after)(void); /* after: in the process that has forked the ranks */
} jobs[] = {
    { "small", job_small, NULL }, { "large", job_large, NULL },     { "first", job_first, job_print_last },
    { "hang", job_hang, NULL },   { "million", job_million, NULL },
};

static int job_run(size_t which)
{
    int status, failed = 0;
    for (rank = 0; rank < ranks; rank++)
        if (fork() == 0) {
            jobs[which].act();
            exit(0);
        }
    while (wait(&status) > 0)
        failed |= status;
    if (!failed && jobs[which].after)
        jobs[which].after();
    return failed != 0;
}

int main(int argc, char **argv)
{
    ranks = argc == 3 ? atoi(argv[2]) : 0;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    job_exec = (int)getppid();
    for (size_t i = 0; ranks > 0 && ranks <= RANKS_MOST && i < sizeof jobs / sizeof *jobs; i++)
        if (strcmp(argv[1], jobs[i].name) == 0)
            return job_run(i);
    fprintf(stderr, "usage: many_job small|large|first|hang|million RANKS\n");
    return 2;
}
