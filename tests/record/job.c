/* One rank of a job, as a launcher starts it: RANK and WORLD_SIZE say which. The arguments are its steps:
 *
 *   join         joins the communicator of all ranks
 *   named        the same, with the name `data`
 *   split        and the one of its rank's parity
 *   reduce N     all-reduces N times
 *   count N      all-reduces one array of N elements
 *   bcast ROOT   broadcasts by the older name
 *   pairs        sends to the next rank and receives from the one before, in a group
 *   half N       all-reduces N times on the communicator of the split
 *   sync         waits for the stream
 *   poll         asks an event for ever
 *   look N       another thread asks for errors N times
 *   crowd N      8 threads all-reduce N times each
 *   ranks N      is all N ranks of a communicator, one thread each, which all-reduce 3 times, all at one time
 *   id           makes an id, and joins nothing
 *   dlopen       from here on, calls the functions that dlsym finds
 *   tell N       all-reduces N times, and prints a line after each
 *   fork         goes on in a child process, and waits for it
 *   exec         becomes this program again, with the steps that follow
 *   destroy      destroys the communicator
 *   sleep        waits for ever in its own code
 *   memory       prints how many KiB of memory it has
 *
 * "R:step" is a step of rank R alone, "!R:step" of all others. Built with libnccl and libcudart of stand_in.c. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ncclscript/cuda_abi.h"
#include "ncclscript/nccl_abi.h"

extern ncclResult_t ncclGetUniqueId(ncclUniqueId *), ncclCommInitRank(ncclComm_t *, int, ncclUniqueId, int),
    ncclCommInitRankConfig(ncclComm_t *, int, ncclUniqueId, int, ncclConfig_t *),
    ncclCommSplit(ncclComm_t, int, int, ncclComm_t *, ncclConfig_t *), ncclCommDestroy(ncclComm_t),
    ncclAllReduce(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t),
    ncclBcast(void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t),
    ncclSend(const void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t),
    ncclRecv(void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t), ncclGroupStart(void), ncclGroupEnd(void),
    ncclCommGetAsyncError(ncclComm_t, ncclResult_t *);
extern cudaError_t cudaStreamSynchronize(cudaStream_t), cudaEventRecord(cudaEvent_t, cudaStream_t), cudaEventQuery(cudaEvent_t);

static int rank, nranks;
static ncclComm_t comm, half;
static float data[8];
static cudaStream_t stream = (cudaStream_t)(void *)0x7000;
static __typeof__(ncclAllReduce) *reduce = ncclAllReduce;

static void reduce_often(long times, ncclComm_t on)
{
    for (long i = 0; i < times; i++)
        reduce(data, data, 8, ncclFloat32, ncclSum, on, stream);
}

static void reduce_and_tell(long times)
{
    for (long i = 0; i < times; i++) {
        reduce_often(1, comm);
        if (write(STDOUT_FILENO, ".\n", 2) != 2)
            exit(7);
    }
}

static void exchange(void)
{
    ncclGroupStart();
    ncclSend(data, 4, ncclFloat32, (rank + 1) % nranks, comm, stream);
    ncclRecv(data + 4, 4, ncclFloat32, (rank + nranks - 1) % nranks, comm, stream);
    ncclGroupEnd();
}

static void *look(void *times)
{
    ncclResult_t state;
    for (long i = 0; i < *(long *)times; i++)
        ncclCommGetAsyncError(comm, &state);
    return NULL;
}

static void look_on(long times)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look, &times);
    pthread_join(thread, NULL);
}

static void *reduce_in_crowd(void *times)
{
    reduce_often(*(long *)times, comm);
    return NULL;
}

static void reduce_as_crowd(long times)
{
    pthread_t thread[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&thread[i], NULL, reduce_in_crowd, &times);
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
}

struct one_rank {
    pthread_t thread;
    int rank, nranks;
    pthread_barrier_t *all;
};

static void *run_rank(void *arg)
{
    struct one_rank *r = arg;
    ncclUniqueId id;
    ncclComm_t own;
    ncclGetUniqueId(&id);
    ncclCommInitRank(&own, r->nranks, id, r->rank);
    reduce_often(3, own);
    pthread_barrier_wait(r->all);
    return NULL;
}

static void run_ranks(long number)
{
    struct one_rank *all = calloc((size_t)number + 1, sizeof *all);
    pthread_barrier_t together;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 << 10);
    pthread_barrier_init(&together, NULL, (unsigned)number);
    for (int i = 0; i < number; i++) {
        all[i].all = &together;
        all[i].rank = i;
        all[i].nranks = (int)number;
        if (pthread_create(&all[i].thread, &small, run_rank, &all[i]) != 0)
            exit(6);
    }
    for (int i = 0; i < number; i++)
        pthread_join(all[i].thread, NULL);
    free(all);
}

static void make_id(void)
{
    ncclUniqueId id;
    ncclGetUniqueId(&id);
}

static void find_by_name(void)
{
    void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    *(void **)&reduce = library ? dlsym(library, "ncclAllReduce") : NULL;
    if (!reduce || dlsym(library, "ncclNoSuchFunction"))
        exit(9);
}

static void go_on_in_child(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        return;
    waitpid(child, &status, 0);
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 8);
}

static void become_again(char **steps)
{
    char *argv[64] = { (char *)"job" };
    for (int i = 0; steps[i] && i < 62; i++)
        argv[i + 1] = steps[i];
    execv("/proc/self/exe", argv);
    exit(8);
}

static void print_memory(void)
{
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmRSS:", 6) == 0)
            printf("%ld\n", strtol(line + 6, NULL, 10));
    fclose(file);
    fflush(stdout);
}

/* Shows by a file with the number of the process that it stays here. */
static void show_stay(void)
{
    const char *file = getenv("STAND_IN_STUCK");
    char here[4096];
    snprintf(here, sizeof here, "%s.%d", file ? file : "stuck", (int)getpid());
    close(creat(here, 0600));
}

static void poll_for_ever(void)
{
    int first = 1;
    cudaEventRecord((cudaEvent_t)(void *)0x9000, stream);
    while (cudaEventQuery((cudaEvent_t)(void *)0x9000) == cudaErrorNotReady) {
        if (first)
            show_stay();
        first = 0;
        usleep(1000);
    }
}

static void join_all(void)
{
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    ncclCommInitRank(&comm, nranks ? nranks : 1, id, rank);
}

static void join_named(void)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    config.commName = "data";
    ncclGetUniqueId(&id);
    ncclCommInitRankConfig(&comm, nranks, id, rank, &config);
}

/* A call whose wrapper the loader binds while the program starts, and one when it ends. */
static void join_early(void) __attribute__((constructor)), leave_late(void) __attribute__((destructor));
static void join_early(void)
{
    if (getenv("JOB_EARLY"))
        join_all();
}

static void leave_late(void)
{
    if (getenv("JOB_EARLY"))
        ncclCommDestroy(comm);
}

/* Makes a step; returns true if it took the number that follows. */
static int make_step(const char *step, long number)
{
    if (strcmp(step, "join") == 0)
        join_all();
    else if (strcmp(step, "named") == 0)
        join_named();
    else if (strcmp(step, "split") == 0)
        ncclCommSplit(comm, rank % 2, rank, &half, NULL);
    else if (strcmp(step, "reduce") == 0)
        return reduce_often(number, comm), 1;
    else if (strcmp(step, "tell") == 0)
        return reduce_and_tell(number), 1;
    else if (strcmp(step, "half") == 0)
        return reduce_often(number, half), 1;
    else if (strcmp(step, "count") == 0)
        return reduce(data, data, (size_t)number, ncclFloat32, ncclSum, comm, stream), 1;
    else if (strcmp(step, "bcast") == 0)
        return ncclBcast(data, 8, ncclFloat32, (int)number, comm, stream), 1;
    else if (strcmp(step, "pairs") == 0)
        exchange();
    else if (strcmp(step, "sync") == 0)
        cudaStreamSynchronize(stream);
    else if (strcmp(step, "poll") == 0)
        poll_for_ever();
    else if (strcmp(step, "look") == 0)
        return look_on(number), 1;
    else if (strcmp(step, "crowd") == 0)
        return reduce_as_crowd(number), 1;
    else if (strcmp(step, "ranks") == 0)
        return run_ranks(number), 1;
    else if (strcmp(step, "id") == 0)
        make_id();
    else if (strcmp(step, "dlopen") == 0)
        find_by_name();
    else if (strcmp(step, "fork") == 0)
        go_on_in_child();
    else if (strcmp(step, "destroy") == 0)
        ncclCommDestroy(comm);
    else if (strcmp(step, "sleep") == 0)
        show_stay(), pause();
    else if (strcmp(step, "memory") == 0)
        print_memory();
    return 0;
}

static int takes_number(const char *step)
{
    static const char *const with[] = { "reduce", "tell", "half", "count", "bcast", "look", "crowd", "ranks" };
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (strcmp(step, with[i]) == 0)
            return 1;
    return 0;
}

static int variable(const char *name, const char *other, int otherwise)
{
    const char *text = getenv(name) ? getenv(name) : getenv(other);
    return text ? atoi(text) : otherwise;
}

int main(int argc, char **argv)
{
    rank = variable("RANK", "JOB_RANK", 0);
    nranks = variable("WORLD_SIZE", "JOB_SIZE", 1);
    for (int i = 1; i < argc; i++) {
        const char *step = argv[i], *colon = strchr(step, ':');
        int others = step[0] == '!', mine = !colon || (atoi(step + others) == rank) != others;
        step = colon ? colon + 1 : step;
        if (mine && strcmp(step, "exec") == 0)
            become_again(argv + i + 1);
        int numbered = takes_number(step);
        if (mine)
            make_step(step, numbered && i + 1 < argc ? atol(argv[i + 1]) : 0);
        i += numbered;
    }
    return 0;
}
